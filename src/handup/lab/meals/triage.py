"""Failure triage: every lost bite has one cause, and one thing that the robot believed. What that cost.

The cause is the simulation's (`domains.feeding.judging.Cause`), the belief the robot's own (`lab.meals.blame`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handup.confidence.bootstrap import Estimate
from handup.domains.feeding.judging import Cause
from handup.lab.meals.blame import BLAMED, SUCCESS, TRUE_BLAME
from handup.lab.meals.results import Results
from handup.lab.meals.rows import CHANCES, BiteRow
from handup.lab.study import paired

Share = Callable[[Sequence[float]], Estimate]
"""Of a number for each participant, the share that it has of their lost bites."""
COSTS = ("wrong", "questions", "attempts", "J_true")


@dataclass(frozen=True, kw_only=True)
class Lost:
    """What one cause cost an arm.

    Args:
        cause: The simulation's.
        bites: How many were lost to it, in all meals.
        share: Of all lost bites of the arm, with its interval over participants.
        wrong: How many of them were wrong bites.
        questions: Asked on the way, in all of them together.
        attempts: Made on the way, in all of them together.
        J_true: Of these bites together, above what as many bites that were got cost on average.
    """

    cause: str
    bites: int
    share: Estimate
    wrong: int
    questions: int
    attempts: int
    J_true: float

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        costs = {name: round(getattr(self, name), 6) for name in COSTS}
        return {"cause": self.cause, "bites": self.bites, "share": self.share.to_json(), **costs}


@dataclass(frozen=True, kw_only=True)
class Triage:
    """The lost bites of one arm.

    Args:
        arm: Its label.
        taken: All bites, lost or not.
        lost: What each cause cost.
        confusion: For each cause and each thing that the robot may have believed, how many lost bites.
        agreed: The share of lost bites whose true cause the robot blamed.
        unseen: The share of lost bites that it took for a success.
        belief: How likely it held the true cause, on average over the lost bites that it saw fail.
    """

    arm: str
    taken: int
    lost: tuple[Lost, ...]
    confusion: Mapping[str, Mapping[str, int]] = field(repr=False)
    agreed: Estimate
    unseen: Estimate
    belief: Estimate

    @property
    def total(self) -> int:
        """How many bites were lost."""
        return sum(each.bites for each in self.lost)

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "arm": self.arm,
            "taken": self.taken,
            "lost": self.total,
            "causes": [each.to_json() for each in self.lost],
            "confusion": {cause: dict(row) for cause, row in self.confusion.items()},
            "agreed": self.agreed.to_json(),
            "unseen": self.unseen.to_json(),
            "belief_in_true_cause": self.belief.to_json(),
        }


def triage(results: Results) -> Iterator[Triage]:
    """Every arm of a study."""
    for label in results.study.labels:
        yield _triage(results, label)


def _triage(results: Results, label: str) -> Triage:
    by_person = [
        [bite for meal in meals for bite in meal.lost]
        for sitting, meals in results.eaten.items()
        if sitting.arm.label == label
    ]
    every = [bite for bites in by_person for bite in bites]
    got = [bite.J_true for bite in results.bites(label) if bite.got]
    usual = float(np.mean(got)) if got else 0.0
    lost = np.array([float(len(bites)) for bites in by_person])

    def share(parts: Sequence[float]) -> Estimate:
        return paired.ratio(np.array(parts, dtype=np.float64), lost)

    seen = [[bite for bite in bites if _can_blame(bite)] for bites in by_person]
    return Triage(
        arm=label,
        taken=sum(1 for _ in results.bites(label)),
        lost=tuple(_lost(str(cause), by_person, every, share, usual) for cause in Cause),
        confusion={
            str(cause): {
                blamed: sum((each.cause, each.blamed) == (cause, blamed) for each in every) for blamed in BLAMED
            }
            for cause in Cause
        },
        agreed=share([sum(each.blamed == TRUE_BLAME[each.cause] for each in bites) for bites in by_person]),
        unseen=share([sum(each.blamed == SUCCESS for each in bites) for bites in by_person]),
        belief=paired.ratio(
            np.array([sum(map(_belief, bites)) for bites in seen], dtype=np.float64),
            np.array([len(bites) for bites in seen], dtype=np.float64),
        ),
    )


def _lost(cause: str, by_person: list[list[BiteRow]], every: list[BiteRow], share: Share, usual: float) -> Lost:
    found = [each for each in every if each.cause == cause]
    return Lost(
        cause=cause,
        bites=len(found),
        share=share([sum(each.cause == cause for each in bites) for bites in by_person]),
        wrong=sum(each.wrong for each in found),
        questions=sum(len(each.asked) for each in found),
        attempts=sum(each.attempts for each in found),
        J_true=sum(each.J_true - usual for each in found),
    )


def _can_blame(bite: BiteRow) -> bool:
    """Whether the robot saw a failure, and there was something to blame."""
    return bite.blamed != SUCCESS and TRUE_BLAME[bite.cause] is not None


def _belief(bite: BiteRow) -> float:
    return bite.chances[CHANCES.index(str(TRUE_BLAME[bite.cause]))]
