"""How a meal went, as a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handup.core import Outcome, objective_of
from handup.domains.feeding.attempt_record import BiteAttempt
from handup.domains.feeding.order import MealTerms, Order
from handup.domains.feeding.truth import MODULES, LossCause
from handup.recover import Episode, Settings, Settled

FINISHED, NOTHING_LEFT, STOPPED = "finished", "nothing left", "stopped"
"""How a meal ended."""


def cause_of(acts: Sequence[BiteAttempt]) -> LossCause:
    """The one cause of a lost bite: the detector where the meant food was on the fork, else that of the first attempt.

    What a later attempt gets wrong may follow from the first, which has changed the plate.
    """
    if not acts:
        return LossCause.UNTRIED
    return LossCause.DETECTOR if any(each.got for each in acts) else acts[0].judged.cause


@dataclass(frozen=True, kw_only=True)
class Bite:
    """How one bite went.

    Args:
        number: Which one, from 1.
        outcome: How the robot's run ended; `recovered` means that it thinks it has the bite.
        reason: Why it ended.
        food: The food that was meant at last; None where nothing was tried.
        picked: What was really on the fork at last.
        got: Whether the meant food was on the fork, and the robot took it for a bite.
        overlooked: Attempts that had the meant food on the fork, which the detector took for failures.
        attempts: How often it tried.
        asked: The modules that it asked about, in order; then `fork` for each time that it asked about that.
        workload: What the questions cost.
        objective: J of this bite, as the robot believes that it went: it does not see a wrong bite.
        true_objective: J by the simulation: a bite of another food, or of none, that the robot took for a success is as
            bad as one that it gave up.
        cause: Why it was lost; None where it was not.
    """

    number: int
    outcome: Outcome
    reason: str
    food: str | None
    picked: str | None
    got: bool
    overlooked: int
    attempts: int
    asked: tuple[str, ...]
    workload: float
    objective: float
    true_objective: float
    cause: LossCause | None

    @classmethod
    def of(cls, number: int, episodes: Sequence[Episode], acts: Sequence[BiteAttempt], settings: Settings) -> Bite:
        """From its runs, of which a stop ended all but the last, what the robot did in them, and the bite's terms."""
        last, episode = acts[-1] if acts else None, episodes[-1]
        told = {each.id: bool(each.ok) for episode in episodes for each in episode.actions if each.ok is not None}
        recovered = episode.outcome is Outcome.RECOVERED
        got = recovered and last is not None and last.got
        objective = sum(each.tally.objective for each in episodes)
        given_up = objective_of(settings.w, episode.tally.load, settings.horizon_of(len(MODULES)))
        mistaken = given_up - episode.tally.objective if recovered and not got else 0.0
        return cls(
            number=number,
            outcome=episode.outcome,
            reason=episode.reason,
            food=None if last is None else last.food,
            picked=None if last is None else last.execution.picked,
            got=got,
            overlooked=sum(each.got and not told.get(each.action, each.ok) for each in acts),
            attempts=len(acts),
            asked=tuple(what for each in episodes for what in (*each.asked, *_doubts(each))),
            workload=sum(each.tally.load for each in episodes),
            objective=objective,
            true_objective=objective + mistaken,
            cause=None if got else cause_of(acts),
        )

    @property
    def is_wrong(self) -> bool:
        """Whether the robot gave another food than it meant."""
        return not self.got and self.outcome is Outcome.RECOVERED and self.picked is not None

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "bite": self.number,
            "outcome": str(self.outcome),
            "reason": self.reason,
            "food": self.food,
            "picked": self.picked,
            "got": self.got,
            "wrong": self.is_wrong,
            "overlooked": self.overlooked,
            "attempts": self.attempts,
            "queries": len(self.asked),
            "asked": list(self.asked),
            "workload": round(self.workload, 6),
            "J": round(self.objective, 6),
            "J_true": round(self.true_objective, 6),
            "cause": None if self.cause is None else str(self.cause),
        }


def _doubts(episode: Episode) -> list[str]:
    """What a person said of the fork."""
    return ["fork" for each in episode.actions if each.settled is Settled.SAID]


@dataclass(frozen=True, kw_only=True)
class Served:
    """How a meal went.

    Args:
        order: What was ordered.
        terms: Who answered, and which networks saw.
        bites: Each bite.
        seconds: From its first entry in the journal to its last, by the journal's clock.
    """

    order: Order
    terms: MealTerms
    bites: tuple[Bite, ...]
    seconds: float

    @property
    def outcome(self) -> str:
        """How it ended: `finished`, `nothing left` before the last bite, or `stopped`."""
        if self.bites and self.bites[-1].outcome is Outcome.STOPPED:
            return STOPPED
        return FINISHED if len(self.bites) == self.order.bites else NOTHING_LEFT

    @property
    def got(self) -> int:
        """Bites of the food that was meant."""
        return sum(each.got for each in self.bites)

    @property
    def on_fork(self) -> int:
        """Bites in which the meant food was on the fork, whatever the detector said."""
        return sum(each.got or each.overlooked > 0 for each in self.bites)

    @property
    def triage(self) -> dict[str, int]:
        """For every bite that was lost, its one cause."""
        found = Counter(each.cause for each in self.bites if each.cause is not None)
        return {str(cause): found[cause] for cause in LossCause}

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        order, terms = self.order, self.terms
        return {
            "plate": order.plate,
            "looks": order.looks,
            "method": order.method,
            "seed": order.seed,
            "kitchen": order.kitchen,
            "attempts": order.attempts,
            "faulty": order.faulty,
            "calibrators": order.calibrated,
            "expert": order.expert,
            "people": terms.people,
            "accuracy": terms.accuracy,
            "networks": terms.networks,
            "memory": terms.memory,
            "outcome": self.outcome,
            "bites": [each.to_json() for each in self.bites],
            "got": self.got,
            "on_fork": self.on_fork,
            "wrong_bites": sum(each.is_wrong for each in self.bites),
            "queries": sum(len(each.asked) for each in self.bites),
            "executions": sum(each.attempts for each in self.bites),
            "workload": round(sum(each.workload for each in self.bites), 6),
            "J": round(sum(each.objective for each in self.bites), 6),
            "J_true": round(sum(each.true_objective for each in self.bites), 6),
            "triage": self.triage,
            "seconds": round(self.seconds, 3),
            "evidence": {"plate": "simulated", "answers": terms.people},
        }
