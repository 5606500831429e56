"""When recoveries run out: which question to put to a person, and what their answer means for the run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import BadSetting, Question, QuestionKind, Resolution, ResumeHint, Value, value_to_json
from handup.executive.events import Answered
from handup.executive.failure import IN_RECOVERY, Failure
from handup.executive.machine.commands import AskPerson
from handup.policy import Belief, ModuleGraph

AGAIN = "Try that step again"
FIXED = "I put it right by hand: try again"
DID_IT = "I did this step myself: go on with the next one"
BACK = "Go one step back"
STOP = "Stop the task"
RESTART = "Start again"
LONGEST = 300
"""So many characters of a value are shown."""
LIKELY = 0.02
"""Modules that are less likely to blame than this are not asked about."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """What an option of the question how to go on does.

    Args:
        hint: How the task goes on.
        level: At which task.
        fixed: Whether the person did something with their hands.
    """

    hint: ResumeHint
    level: str | None = None
    fixed: bool = False


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """A question after a failure, and what is needed to understand its answer.

    Args:
        question: As it is put.
        module: The module that it is about; empty where it asks how to go on.
        as_input: Whether the answer is an input of the failed action; otherwise it is a belief.
        posterior: For each module, how likely it is to be to blame.
        ways: What each option does, where it asks how to go on.
    """

    question: Question
    module: str = ""
    as_input: bool = False
    posterior: Mapping[str, float] = field(default_factory=dict)
    ways: Mapping[str, Way] = field(default_factory=dict)

    def meaning(self, asked: AskPerson, value: Value, *, by: str | None, at_s: float) -> Answered:
        """What an answer does to the run.

        - About a module whose name is an input of the failed action: the action is tried again with it.
        - About another module: it is believed, under the module's name, and recoveries are looked for again.
        - How to go on: that.
        """
        plain = value_to_json(value)
        said = str(value.action if isinstance(value, Resolution) else plain)[:LONGEST]
        told = Answered(number=asked.number, hint=ResumeHint.CONTINUE, said=said, by=by, at_s=at_s)
        if self.module and self.as_input:
            return replace(told, sets={self.module: plain})
        if self.module:
            return replace(told, hint=None, beliefs={self.module: plain})
        way = self.ways.get(said, Way(hint=ResumeHint.NONE))
        return replace(told, hint=way.hint, level=way.level, fixed=way.fixed)


def posterior_of(graph: ModuleGraph, failures: int) -> dict[str, float]:
    """How likely each module is to be to blame, after so many failures of what was decided on."""
    belief = Belief.of(graph)
    for _ in range(max(1, failures)):
        belief = belief.after_execution(False)
    return {name: float(wrong) for name, wrong in zip(graph.names, belief.wrong, strict=True)}


def escalate(
    asked: AskPerson, graph: ModuleGraph | None, *, takes: Collection[str], settled: Collection[str], last: bool
) -> Escalation:
    """The question to put.

    As long as there is a module that may be to blame, that has words and was not asked about, the one that is most
    likely to blame is asked about. Else, and when this is the last question about the step, the person is asked how
    to go on.

    Args:
        asked: What went wrong.
        graph: The modules behind the failed action, with their confidences now.
        takes: The action's inputs.
        settled: Modules that people were asked about already.
        last: Whether no other question about this step may follow.
    """
    posterior = {} if graph is None else posterior_of(graph, asked.failure.levels[-1].aborts)
    wordy = {} if graph is None else {each.name: each.question for each in graph.modules if each.question is not None}
    left = [name for name in wordy if name not in settled and posterior[name] >= LIKELY]
    if last or not left:
        return _how_to_go_on(asked, posterior)
    module = max(left, key=lambda name: posterior[name])
    question = wordy[module]
    inputs = {name.removesuffix("?") for name in takes}
    doing, why, support = _told(asked, posterior)
    full = replace(
        question, doing=question.doing or doing, why=question.why or why, support=question.support or support
    )
    return Escalation(
        question=_guessing(full, asked.failure, module, posterior),
        module=module,
        as_input=module in inputs,
        posterior=posterior,
    )


def _guessing(question: Question, failure: Failure, module: str, posterior: Mapping[str, float]) -> Question:
    """With what the robot itself thinks: what the module had given to the action, where that is an answer."""
    if question.guess is not None or module not in failure.goal:
        return question
    try:
        return replace(question, guess=failure.goal[module], sure=1.0 - posterior[module])
    except BadSetting:  # what the module gave is no answer to this question
        return question


def _how_to_go_on(asked: AskPerson, posterior: Mapping[str, float]) -> Escalation:
    failure = asked.failure
    doing, why, support = _told(asked, posterior)
    tasks = list(dict.fromkeys(each.task for each in failure.levels if not each.task.startswith(IN_RECOVERY)))
    options: dict[str, tuple[str, Way]] = {
        AGAIN: (f"I run {_named(failure.leaf)} again.", Way(hint=ResumeHint.CONTINUE)),
        FIXED: (f"I take what you did into account and run {_named(failure.leaf)} again.",
                Way(hint=ResumeHint.CONTINUE, fixed=True)),
        DID_IT: ("I take the step as done.", Way(hint=ResumeHint.NEXT, fixed=True)),
        BACK: ("I repeat the step before, and then this one.", Way(hint=ResumeHint.PREVIOUS)),
    }  # fmt: skip
    for task in reversed(tasks):
        options[f"{RESTART} with {_named(task)}"] = (
            f"I begin {_named(task)} from its first step.",
            Way(hint=ResumeHint.RETRY, level=task),
        )
    options[STOP] = ("I stop here. Nothing more is done.", Way(hint=ResumeHint.NONE))
    question = Question(
        f"I cannot {_named(failure.leaf)}. How shall I go on?",
        QuestionKind.CHOICE,
        tuple(options),
        doing=doing,
        why=why,
        guess=AGAIN,
        effects=tuple(effect for effect, _ in options.values()),
        support=support,
    )
    return Escalation(
        question=question, posterior=posterior, ways={option: way for option, (_, way) in options.items()}
    )


def _told(asked: AskPerson, posterior: Mapping[str, float]) -> tuple[str, str, str]:
    """What the robot was doing, why it asks, and what helps to answer."""
    failure = asked.failure
    tasks = [_named(each.task) for each in failure.levels if not each.task.startswith(IN_RECOVERY)]
    with_what = ", ".join(f"{name}: {_short(value)}" for name, value in failure.goal.items())
    doing = f"trying to {_named(failure.leaf)}{f' ({with_what})' if with_what else ''}, as part of {' › '.join(tasks)}"
    times = failure.levels[-1].aborts
    why = f"It failed{f' {times} times' if times > 1 else ''} ({failure.code}). {failure.why}".strip()
    if asked.tried:
        why += f" I tried by myself: {', '.join(_named(each) for each in asked.tried)}."
    facts = [f"{name}: {_short(value)}" for name, value in failure.fields.items()]
    facts += [f"script and monitor disagree on {key}" for key in failure.contradictions]
    blamed = sorted(posterior.items(), key=lambda each: -each[1])[:3]
    facts += [f"may be wrong: {', '.join(f'{_named(name)} ({wrong:.0%})' for name, wrong in blamed)}"] if blamed else []
    return doing[:LONGEST], why[: 2 * LONGEST], "; ".join(facts)[: 2 * LONGEST]


def _named(name: str) -> str:
    return name.replace("_", " ")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
