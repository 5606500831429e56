"""Results of a meal and of its bites, as records."""

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
"""Endings of a meal."""


def cause_of(acts: Sequence[BiteAttempt]) -> LossCause:
    """Return the one cause of a lost bite: the detector if the meant food was on the fork, else the first attempt's.

    What a later attempt gets wrong may follow from the first, which has changed the plate.
    """
    if not acts:
        return LossCause.UNTRIED
    return LossCause.DETECTOR if any(attempt.got for attempt in acts) else acts[0].judged.cause


@dataclass(frozen=True, kw_only=True)
class Bite:
    """Result of one bite.

    Args:
        number: Number of the bite, from 1.
        outcome: Outcome of the robot's run; `recovered` means that it thinks it has the bite.
        reason: Reason for the outcome.
        food: Food that was meant in the last attempt; None where nothing was tried.
        picked: Food that was really on the fork at last.
        got: Whether the meant food was on the fork, and the robot took it for a bite.
        overlooked: Attempts that had the meant food on the fork, which the detector took for failures.
        attempts: Number of attempts.
        asked: The modules that it asked about, in order; then `fork` for each time that it asked about that.
        workload: Cost of the questions.
        objective: J of this bite, as the robot believes that it went: it does not see a wrong bite.
        true_objective: J by the simulation: a bite of another food, or of none, that the robot took for a success is as
            bad as one that it gave up.
        cause: Cause of a lost bite; None where it was not lost.
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
        """Return the result of a bite from its runs (a stop ended all but the last), its attempts, and its terms."""
        last, episode = acts[-1] if acts else None, episodes[-1]
        verdicts = {
            action.id: bool(action.ok) for episode in episodes for action in episode.actions if action.ok is not None
        }
        recovered = episode.outcome is Outcome.RECOVERED
        got = recovered and last is not None and last.got
        objective = sum(run.tally.objective for run in episodes)
        # Counted by the last run's own load: the earlier runs ended by a stop, and not by giving up.
        given_up = objective_of(settings.w, episode.tally.load, settings.horizon_of(len(MODULES)))
        mistaken = given_up - episode.tally.objective if recovered and not got else 0.0
        return cls(
            number=number,
            outcome=episode.outcome,
            reason=episode.reason,
            food=None if last is None else last.food,
            picked=None if last is None else last.execution.picked,
            got=got,
            overlooked=sum(attempt.got and not verdicts.get(attempt.action, attempt.ok) for attempt in acts),
            attempts=len(acts),
            asked=tuple(
                module
                for run in episodes
                for module in (*run.asked, *("fork" for action in run.actions if action.settled is Settled.SAID))
            ),
            workload=sum(run.tally.load for run in episodes),
            objective=objective,
            true_objective=objective + mistaken,
            cause=None if got else cause_of(acts),
        )

    @property
    def is_wrong(self) -> bool:
        """True when the robot gave another food than it meant."""
        return not self.got and self.outcome is Outcome.RECOVERED and self.picked is not None

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
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


@dataclass(frozen=True, kw_only=True)
class Served:
    """Result of a meal.

    Args:
        order: Order of the meal.
        terms: Terms of the meal: who answered, and which networks saw.
        bites: Results of the bites, in order.
        seconds: Time from the first entry in the journal to the last, by the journal's clock.
    """

    order: Order
    terms: MealTerms
    bites: tuple[Bite, ...]
    seconds: float

    @property
    def outcome(self) -> str:
        """Ending of the meal: `finished`, `nothing left` before the last bite, or `stopped`."""
        if self.bites and self.bites[-1].outcome is Outcome.STOPPED:
            return STOPPED
        return FINISHED if len(self.bites) == self.order.bites else NOTHING_LEFT

    @property
    def got(self) -> int:
        """Number of bites of the food that was meant."""
        return sum(bite.got for bite in self.bites)

    @property
    def on_fork(self) -> int:
        """Number of bites in which the meant food was on the fork, whatever the detector said."""
        return sum(bite.got or bite.overlooked > 0 for bite in self.bites)

    @property
    def triage(self) -> dict[str, int]:
        """Number of lost bites by their cause."""
        causes = Counter(bite.cause for bite in self.bites if bite.cause is not None)
        return {str(cause): causes[cause] for cause in LossCause}

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
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
            "bites": [bite.to_json() for bite in self.bites],
            "got": self.got,
            "on_fork": self.on_fork,
            "wrong_bites": sum(bite.is_wrong for bite in self.bites),
            "queries": sum(len(bite.asked) for bite in self.bites),
            "executions": sum(bite.attempts for bite in self.bites),
            "workload": round(sum(bite.workload for bite in self.bites), 6),
            "J": round(sum(bite.objective for bite in self.bites), 6),
            "J_true": round(sum(bite.true_objective for bite in self.bites), 6),
            "triage": self.triage,
            "seconds": round(self.seconds, 3),
            "evidence": {"plate": "simulated", "answers": terms.people},
        }
