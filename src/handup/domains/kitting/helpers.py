"""Simulated people who help: a bystander in the hall, and a remote operator. For studies, never as human data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from handup.core import Question, QuestionKind, ResumeHint, Role
from handup.core.files import shipped_data
from handup.domains.kitting.causes import ASKED, BEHIND, CAUSES, chance
from handup.domains.kitting.hall_state import GEAR
from handup.domains.kitting.world import KittingWorld
from handup.executive.escalation import AGAIN, BACK, FIXED, RESTART
from handup.executive.failure import Failure
from handup.executive.human_help import People, SimulatedBystander, SimulatedSaying
from handup.executive.machine import AskPerson, Machine
from handup.people import SimulatedPerson, SimulatedReply, Support, answer_model

NORMAL = NormalDist()
FIT = "support-certainty"
"""Fit of the operators' answers: the one with which the study of recoveries was published."""
ABOUT: Mapping[str, str] = {words: module for module, words in ASKED.items()}
"""Module that a question is about, by the words of the question."""
_TABLE: Mapping[str, Any] = shipped_data(__file__, "data/helping.yaml")
SILENT: Mapping[str, tuple[str, ...]] = {code: tuple(causes) for code, causes in _TABLE["silent"].items()}
"""Causes behind codes that no action raises by itself."""
GO_ON: Mapping[str, tuple[ResumeHint, tuple[str, ...]]] = {
    failed: (ResumeHint(entry["hint"]), tuple(entry.get("tasks", ()))) for failed, entry in _TABLE["go_on"].items()
}
"""Answer of somebody who knows the task, by the code or action that failed: a way to resume, and tasks to begin again
with. For anything else the step runs again."""


@dataclass(frozen=True)
class HallHelper:
    """Somebody simulated who can be asked for help.

    A bystander in the hall sees most causes, and removes them with their hands. An operator at a console diagnoses and
    acts as well as people in studies did, by the robot's own remedies. Both come after a while.

    Args:
        name: Name of the helper, as in the names of their rates.
        role: Role of the helper.
        lag_s: Delay of an operator's line in seconds, before each look at the robot and before each remedy.
        supports: Support shown to an operator, by the kind of answer: `diagnosis` or `action`; none by default.
    """

    name: str
    role: Role
    lag_s: float = 0.0
    supports: Mapping[str, Support] = field(default_factory=dict)

    def says(self, world: KittingWorld, asked: AskPerson, question: Question) -> SimulatedSaying:
        """Come, look, do what they can, and answer.

        Args:
            world: The world as it is.
            asked: The command to ask, with the failure.
            question: The question.
        """
        draw, people, remote = _Draws(world, self.name, asked), world.rates.people, self.role is Role.OPERATOR
        module = ABOUT.get(question.prompt)  # None for a question what to do
        task = QuestionKind.ACTION if module is None else QuestionKind.DIAGNOSIS
        person = SimulatedPerson(name=self.name, role=self.role, answers=answer_model(fit=FIT))
        kind = task if remote else question.kind
        reply: SimulatedReply = person.answer(kind, draw.generator("answers"), support=self.supports.get(kind))
        after_s, value = self.lag_s + reply.seconds, AGAIN
        if asked.turn == 1:  # with the first question about a fault they come
            after_s += draw.lognormal("comes", people[f"{self.name}_comes_s"], people[f"{self.name}_spread"])
        right = reply.right if remote else draw("sees") < people["bystander_fixes"]
        if module is not None:  # is this module's output wrong?
            wrong = any(cause in world.state.causes for cause in BEHIND[module])
            return SimulatedSaying(value=wrong is right, latency_s=after_s, by=self.name)
        if right:
            # A bystander's hands always work; an operator has only the robot's own remedy, which may fail.
            cause, works = _behind(world, asked.failure), not remote
            if remote and cause:
                remedy, share = next(iter(world.rates.causes[cause].removed_by.items()))
                after_s += self.lag_s + world.rates.durations_s.get(remedy, 0.0)
                works = draw("works") < share
            value = _option(world, asked.failure, question, works and put_right(world, asked.failure))
        return SimulatedSaying(value=value, latency_s=after_s, by=self.name)


BYSTANDER, OPERATOR = HallHelper("bystander", Role.BYSTANDER), HallHelper("operator", Role.OPERATOR)
HELPERS: Mapping[str, HallHelper] = {helper.name: helper for helper in (BYSTANDER, OPERATOR)}
"""Simulated people by name."""


@dataclass(frozen=True)
class OperatorFirst:
    """Two people: the operator is asked first about a fault, and the bystander when it is still there."""

    def says(self, world: KittingWorld, asked: AskPerson, question: Question) -> SimulatedSaying:
        """See `HallHelper`."""
        if asked.turn == 1:
            return OPERATOR.says(world, asked, question)
        # The bystander's own first question is the second about the fault: that is when they come.
        return BYSTANDER.says(world, replace(asked, turn=asked.turn - 1), question)


def standing_by(world: KittingWorld, machine: Machine, helper: str = BYSTANDER.name) -> People:
    """Return somebody simulated. After a kill they say what they would have said, and do nothing twice.

    Args:
        world: World that they are in.
        machine: Machine of the run, which knows what went wrong.
        helper: Name of the helper, one of `HELPERS`.
    """

    def says(question: Question) -> SimulatedSaying | None:
        asked = machine.next()
        if not isinstance(asked, AskPerson):
            return None
        answer = world.helped(
            f"{asked.number}/{asked.serial}", lambda trial: asdict(HELPERS[helper].says(trial, asked, question))
        )
        return SimulatedSaying(**answer)

    return SimulatedBystander(says, world.clock)


class _Draws:
    """Random numbers for one question: the same question at the same moment gets the same answer."""

    def __init__(self, world: KittingWorld, who: str, asked: AskPerson) -> None:
        self._seed = world.state.seed
        failure = asked.failure
        self._about = f"{who}/{world.state.kits}/{failure.path}/{failure.code}/{failure.at_s:.1f}/{asked.turn}"

    def __call__(self, what: str) -> float:
        return chance(self._seed, f"{self._about}/{what}")

    def generator(self, what: str) -> np.random.Generator:
        return np.random.default_rng(int(self(what) * 2**53))

    def lognormal(self, what: str, median: float, sigma: float) -> float:
        # The quantile is infinite at 0 and 1.
        drawn = min(max(self(what), 1e-9), 1.0 - 1e-9)
        return median * math.exp(sigma * NORMAL.inv_cdf(drawn))


def _behind(world: KittingWorld, failure: Failure) -> str:
    """Return the hidden cause of a failure that is present in the world; empty if there is none."""
    present = world.state.causes
    spoiling = [cause for cause in present if CAUSES[cause].spoils.get(failure.leaf) == failure.code]
    silent = [cause for cause in SILENT.get(failure.code, ()) if cause in present]
    return next(iter([*spoiling, *silent]), "")


def put_right(world: KittingWorld, failure: Failure) -> bool:
    """Take away what is behind a failure, by hand. Return whether there was anything."""
    if failure.code == "hand_full":
        world.take_from_hand()
        return True
    return world.fix(_behind(world, failure))


def _option(world: KittingWorld, failure: Failure, question: Question, fixed: bool) -> str:
    """Return the option that somebody who knows the task chooses."""
    hint, levels = GO_ON.get(failure.code) or GO_ON.get(failure.leaf) or (ResumeHint.CONTINUE, ())
    if failure.leaf == "check_chuck" and world.state.hand == GEAR:
        levels = ("insert",)
    starts = [f"{RESTART} with {task.replace('_', ' ')}" for task in levels]
    again = FIXED if fixed else AGAIN
    choices = {ResumeHint.PREVIOUS: [BACK], ResumeHint.RETRY: starts}.get(hint, [again])
    return next((choice for choice in choices if choice in question.options), again)
