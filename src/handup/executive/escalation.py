"""Questions when recoveries run out: which one to put to a person, and what an answer means for the run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import BadSetting, Question, QuestionKind, Resolution, ResumeHint, Value, value_to_json
from handup.executive.events import TaskAnswered, TaskAsked
from handup.executive.failure import IN_RECOVERY, Failure
from handup.executive.machine import AskPerson, ModuleAnswer
from handup.executive.machine.failures import climbed
from handup.executive.machine.program import fits
from handup.executive.recipe_tree import given_in_words, value_in_words
from handup.executive.recovery import Recovery
from handup.policy import Belief, ModuleGraph

AGAIN = "Try that step again"
FIXED = "I put it right by hand: try again"
DID_IT = "I did this step myself: go on with the next one"
BACK = "Go one step back"
STOP = "Stop the task"
RESTART = "Start again"
LONGEST = 300
"""Most characters of a value that are shown."""
LIKELY = 0.02
"""Probability of being to blame below which modules are not asked about."""


@dataclass(frozen=True, kw_only=True)
class OptionEffect:
    """Effect of an option of the question how to go on.

    Args:
        hint: How the task goes on.
        level: Name of the task at which it goes on.
        fixed: True if the person did something with their hands.
    """

    hint: ResumeHint
    level: str | None = None
    fixed: bool = False


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """A question after a failure, and what is needed to understand its answer.

    Args:
        question: The question as it is put.
        module: The module that it is about; empty where it asks how to go on.
        as_input: True if the answer is an input of the failed action; otherwise it is a belief.
        words: The module's own wording, as `Question.to_json` gives it: all that must be kept to put it again.
        posterior: For each module that may be to blame, the probability that it is.
        ways: Effect of each option, if it asks how to go on.
    """

    question: Question
    module: str = ""
    as_input: bool = False
    words: Mapping[str, Any] = field(default_factory=dict)
    posterior: Mapping[str, float] = field(default_factory=dict)
    ways: Mapping[str, OptionEffect] = field(default_factory=dict)

    def meaning(self, asked: AskPerson, value: Value, *, by: str | None, at_s: float) -> TaskAnswered:
        """Return what an answer does to the run.

        - About a module whose name is an input of the failed action: the action is tried again with it.
        - About another module: it is believed, under the module's name, and recoveries are looked for again.
        - How to go on: the run goes on like that.

        Where the question says what the robot itself thinks, the answer also says whether the module had been right.
        """
        plain = value_to_json(value)
        answer = str(value.action if isinstance(value, Resolution) else plain)[:LONGEST]
        hint = ResumeHint.CONTINUE
        event = TaskAnswered(number=asked.number, hint=hint, said=answer, module=self.module, by=by, at_s=at_s)
        if not self.module:
            way = self.ways.get(answer, OptionEffect(hint=ResumeHint.NONE))
            return replace(event, hint=way.hint, level=way.level, fixed=way.fixed)
        guess = self.question.guess
        right = None if guess is None else value_to_json(guess) == plain
        if self.as_input:
            return replace(event, sets={self.module: plain}, right=right)
        return replace(event, hint=None, beliefs={self.module: plain}, right=right)

    def left_to_the_robot(self, asked: AskPerson, *, by: str | None, at_s: float) -> TaskAnswered:
        """Return what happens if a person lets the robot try instead: its own guess, else the step runs again."""
        way = self.ways.get(str(self.question.guess), OptionEffect(hint=ResumeHint.CONTINUE))
        return TaskAnswered(number=asked.number, hint=way.hint, level=way.level, module=self.module, by=by, at_s=at_s)


def posterior_of(
    graph: ModuleGraph, spoken: Mapping[str, ModuleAnswer] | None = None, number: int = 0
) -> dict[str, float]:
    """Return the probability that each module is to blame for a failure, of those that may be.

    People's word counts: a module that they found right, or whose output they gave, is not to blame and is left out;
    one that they found wrong after this failure is. What they found wrong after an earlier one has been dealt with
    since, so that the module's own confidence counts again.

    Args:
        graph: Modules, with their confidences now.
        spoken: Answers of people about them.
        number: Number of the failure.
    """
    belief = Belief.of(graph)
    cleared: set[str] = set()
    for index, name in enumerate(graph.names):
        answer = (spoken or {}).get(name)
        if answer is not None and (answer.right or answer.given):
            cleared.add(name)
            # Certain evidence that this module is right, so that the blame goes to the others.
            belief = belief.after_answer(index, changed=None, expert=1.0)
        elif answer is not None and answer.right is False and answer.number == number:
            belief = belief.after_forward({index: 0.0})
    wrong = belief.after_execution(False).wrong
    return {
        name: float(probability) for name, probability in zip(graph.names, wrong, strict=True) if name not in cleared
    }


def escalate(
    asked: AskPerson,
    graph: ModuleGraph | None,
    *,
    takes: Collection[str] = (),
    rules: Iterable[Recovery] = (),
    last: bool = False,
) -> Escalation:
    """Return the question to put.

    The person is asked about the module that is most likely to blame, among those that may be to blame, have a
    question, were not asked about, and whose answer is of use: as an input of the action, or as a belief that a rule
    for this failure reads. If there is none, or this is the last question about the fault, they are asked how to go on.

    Args:
        asked: The failure, and what people said about it.
        graph: Modules behind the failed action, with their confidences now.
        takes: Inputs of the action.
        rules: Recoveries that hold now.
        last: True if no other question about this fault may follow.
    """
    posterior = {} if graph is None else posterior_of(graph, asked.spoken, asked.number)
    inputs = {name.removesuffix("?") for name in takes}
    used = inputs | read_for(asked.failure, rules)
    modules = () if graph is None else graph.modules
    left = {
        module.name: module.question
        for module in modules
        if module.question is not None
        and module.name in used
        and module.name not in asked.spoken
        and posterior[module.name] >= LIKELY
    }
    if last or not left:
        return _how_to_go_on(asked, posterior)
    module = max(left, key=lambda name: posterior[name])
    return _about(asked, posterior, module, left[module], as_input=module in inputs)


def put_again(asked: AskPerson, known: TaskAsked) -> Escalation:
    """Return the question as it was put before the program was killed: nothing about it is decided anew.

    Args:
        asked: The failure.
        known: Record of the question.
    """
    if not known.module:
        return _how_to_go_on(asked, known.posterior)
    return _about(asked, known.posterior, known.module, Question.from_json(known.words), as_input=known.as_input)


def read_for(failure: Failure, rules: Iterable[Recovery]) -> frozenset[str]:
    """Return the beliefs that rules for this failure read, whatever is believed now."""
    seen = [climbed(failure, levels) for levels in range(len(failure.levels), 0, -1)]
    keys: set[str] = set()
    for rule in rules:
        when = replace(rule.when, belief=None)
        if any(fits(when, view, lambda condition: True) for view in seen):
            keys |= {name[1] for name in rule.names if name[0] == "beliefs" and len(name) > 1}
    return frozenset(keys)


def _about(
    asked: AskPerson, posterior: Mapping[str, float], module: str, words: Question, *, as_input: bool
) -> Escalation:
    doing, why, support = _background(asked, posterior)
    full = replace(words, doing=words.doing or doing, why=words.why or why, support=words.support or support)
    return Escalation(
        question=_guessing(full, asked.failure, module, posterior),
        module=module,
        as_input=as_input,
        words=words.to_json(),
        posterior=posterior,
    )


def _guessing(question: Question, failure: Failure, module: str, posterior: Mapping[str, float]) -> Question:
    """Add what the robot itself thinks: what the module had given to the action, if that is an answer."""
    sure = 1.0 - posterior[module] if question.sure is None else question.sure
    if question.guess is not None:
        return replace(question, sure=sure)
    if module not in failure.goal:
        return question
    try:
        return replace(question, guess=failure.goal[module], sure=sure)
    except BadSetting:  # what the module gave is no answer to this question
        return question


def _how_to_go_on(asked: AskPerson, posterior: Mapping[str, float]) -> Escalation:
    failure = asked.failure
    doing, why, support = _background(asked, posterior)
    tasks = list(dict.fromkeys(level.task for level in failure.levels if not level.task.startswith(IN_RECOVERY)))
    options: dict[str, tuple[str, OptionEffect]] = {
        AGAIN: (f"I run {_named(failure.leaf)} again.", OptionEffect(hint=ResumeHint.CONTINUE)),
        FIXED: (f"I take what you did into account and run {_named(failure.leaf)} again.",
                OptionEffect(hint=ResumeHint.CONTINUE, fixed=True)),
        DID_IT: ("I take the step as done.", OptionEffect(hint=ResumeHint.NEXT, fixed=True)),
        BACK: ("I repeat the step before, and then this one.", OptionEffect(hint=ResumeHint.PREVIOUS)),
    }  # fmt: skip
    for task in reversed(tasks):
        options[f"{RESTART} with {_named(task)}"] = (
            f"I begin {_named(task)} from its first step.",
            OptionEffect(hint=ResumeHint.RETRY, level=task),
        )
    was_said = asked.turn - len(asked.spoken) > 1  # and did not help: a check of the same thing would fail again
    guess = f"{RESTART} with {_named(tasks[-1])}" if was_said and tasks else AGAIN
    options[STOP] = ("I stop here. Nothing more is done.", OptionEffect(hint=ResumeHint.NONE))
    question = Question(
        f"I cannot {_named(failure.leaf)}. How shall I go on?",
        QuestionKind.CHOICE,
        tuple(options),
        doing=doing,
        why=why,
        guess=guess,
        effects=tuple(effect for effect, _ in options.values()),
        support=support,
    )
    return Escalation(
        question=question, posterior=posterior, ways={option: way for option, (_, way) in options.items()}
    )


def _background(asked: AskPerson, posterior: Mapping[str, float]) -> tuple[str, str, str]:
    """Return what the robot was doing, why it asks, and what helps to answer."""
    failure = asked.failure
    tasks = [_named(level.task) for level in failure.levels if not level.task.startswith(IN_RECOVERY)]
    with_what = given_in_words(failure.goal)
    doing = f"trying to {_named(failure.leaf)}{f' ({with_what})' if with_what else ''}, as part of {' › '.join(tasks)}"
    times = failure.levels[-1].aborts
    why = f"It failed{f' {times} times' if times > 1 else ''} ({failure.code}). {failure.why}".strip()
    if asked.tried:
        why += f" I tried by myself: {', '.join(_named(name) for name in asked.tried)}."
    facts = [f"{name}: {value_in_words(value)}" for name, value in failure.fields.items()]
    facts += [f"script and monitor disagree on {key}" for key in failure.contradictions]
    blamed = sorted(posterior.items(), key=lambda item: -item[1])[:3]
    facts += [f"may be wrong: {', '.join(f'{_named(name)} ({wrong:.0%})' for name, wrong in blamed)}"] if blamed else []
    return doing[:LONGEST], why[: 2 * LONGEST], "; ".join(facts)[: 2 * LONGEST]


def _named(name: str) -> str:
    return name.replace("_", " ")
