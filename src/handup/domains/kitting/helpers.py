"""Simulated people who help: a bystander with hands, a remote operator with a console. For studies, never as data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from handup.core import Question, QuestionKind, ResumeHint, Role
from handup.core.files import shipped_data
from handup.domains.kitting.causes import ASKED, BEHIND, CAUSES, chance
from handup.domains.kitting.hall_state import GEAR
from handup.domains.kitting.world import KittingWorld
from handup.executive.escalation import AGAIN, BACK, FIXED, RESTART
from handup.executive.failure import Failure
from handup.executive.human_help import SimulatedSaying
from handup.executive.machine import AskPerson
from handup.people import SimulatedPerson, SimulatedReply, answer_model

NORMAL = NormalDist()
ABOUT: Mapping[str, str] = {words: module for module, words in ASKED.items()}
_TABLE: Mapping[str, Any] = shipped_data(__file__, "data/helping.yaml")
SILENT: Mapping[str, tuple[str, ...]] = {code: tuple(causes) for code, causes in _TABLE["silent"].items()}
"""Causes behind codes that no action raises by itself."""
GO_ON: Mapping[str, tuple[ResumeHint, tuple[str, ...]]] = {
    failed: (ResumeHint(entry["hint"]), tuple(entry.get("tasks", ()))) for failed, entry in _TABLE["go_on"].items()
}
"""Ways to go on of somebody who knows the task, by the code or action that failed; else the step runs again."""


class HallHelper(Protocol):
    """Somebody who can be asked for help."""

    @property
    def name(self) -> str:
        """Name of the helper."""
        ...

    def says(self, world: KittingWorld, asked: AskPerson, question: Question) -> SimulatedSaying:
        """Come, look, do what they can, and answer.

        Args:
            world: The world as it is.
            asked: The command to ask, with the failure.
            question: The question.
        """
        ...


@dataclass(frozen=True)
class Bystander:
    """Bystander somewhere in the hall: comes after a while, sees most causes, and removes them with their hands."""

    name: str = "bystander"

    def says(self, world: KittingWorld, asked: AskPerson, question: Question) -> SimulatedSaying:
        """See `HallHelper`."""
        draw = _Draws(world, self.name, asked)
        people = world.rates.people
        person = SimulatedPerson(name=self.name, role=Role.BYSTANDER, answers=answer_model())
        after_s = person.answer(question.kind, draw.generator("answers")).seconds
        if asked.turn == 1:
            after_s += draw.lognormal("comes", people["bystander_comes_s"], people["bystander_spread"])
        sees = draw("sees") < people["bystander_fixes"]
        module = ABOUT.get(question.prompt)
        if module is not None:
            return SimulatedSaying(value=_is_wrong(world, module) is sees, latency_s=after_s, by=self.name)
        fixed = sees and put_right(world, asked.failure)
        option = _option(world, asked.failure, question, fixed) if sees else AGAIN
        return SimulatedSaying(value=option, latency_s=after_s, by=self.name)


@dataclass(frozen=True)
class RemoteOperator:
    """Operator at a console: diagnoses and acts as well as people in studies did, by the robot's own remedies."""

    name: str = "operator"

    def says(self, world: KittingWorld, asked: AskPerson, question: Question) -> SimulatedSaying:
        """See `HallHelper`."""
        draw = _Draws(world, self.name, asked)
        people = world.rates.people
        module = ABOUT.get(question.prompt)
        kind = QuestionKind.ACTION if module is None else QuestionKind.DIAGNOSIS
        person = SimulatedPerson(name=self.name, role=Role.OPERATOR, answers=answer_model())
        reply: SimulatedReply = person.answer(kind, draw.generator("answers"))
        after_s = reply.seconds
        if asked.turn == 1:
            after_s += draw.lognormal("comes", people["operator_comes_s"], people["operator_spread"])
        if module is not None:
            return SimulatedSaying(value=_is_wrong(world, module) is reply.right, latency_s=after_s, by=self.name)
        if not reply.right:
            return SimulatedSaying(value=AGAIN, latency_s=after_s, by=self.name)
        fixed = False
        cause = _behind(world, asked.failure)
        if cause:
            remedy, share = next(iter(world.rates.causes[cause].removed_by.items()))
            after_s += world.rates.durations_s.get(remedy, 0.0)
            fixed = draw("works") < share and put_right(world, asked.failure)
        option = _option(world, asked.failure, question, fixed)
        return SimulatedSaying(value=option, latency_s=after_s, by=self.name)


HELPERS: Mapping[str, HallHelper] = {helper.name: helper for helper in (Bystander(), RemoteOperator())}
"""Simulated people by name."""


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


def _is_wrong(world: KittingWorld, module: str) -> bool:
    return any(cause in world.state.causes for cause in BEHIND[module])


def _behind(world: KittingWorld, failure: Failure) -> str:
    """Return the cause that is behind a failure, as far as anybody can see one; empty if there is none."""
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
