"""Fits of how often operators answer right, by support, certainty and situation; classes of support and evidence.

The numbers come from people: `python -m train.answers` and `python -m train.situations` make them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

from handup.core import BadSetting, OutOfRange, UnknownName, WrongSize
from handup.core.fields import OneOf, Share, check_rules

CERTAINTIES = (1, 2, 3, 4, 5)
ACCURACIES = (1.0, 0.9, 0.8)


class Evidence(StrEnum):
    """Source of a number."""

    HUMAN_DATA = "human data"
    NOT_FROM_HOMES = "human data, not from homes"
    ASSUMED = "assumed"


class Suggestions(StrEnum):
    """Suggestions shown beside a question."""

    NONE = "none"
    OWN = "own"
    """Answers to this question."""
    OTHER = "other"
    """Answers to the other question: to the action beside a diagnosis question, and the reverse."""
    BOTH = "both"


@dataclass(frozen=True)
class Support:
    """Support that a person is given beside a question.

    Args:
        suggestions: Kind of the suggestions.
        accuracy: Share of accurate suggestions, 0 to 1. Human data covers 1, .9 and .8; the nearest of them is used.
    """

    suggestions: Annotated[Suggestions, OneOf(Suggestions, "suggestions")] = Suggestions.NONE
    accuracy: Annotated[float, Share("accuracy")] = 1.0

    def __post_init__(self) -> None:
        check_rules(self, "a support", BadSetting)

    @property
    def key(self) -> str:
        """Name in tables: `none`, or the suggestions and the nearest accuracy that was studied."""
        if self.suggestions is Suggestions.NONE:
            return "none"
        nearest = min(ACCURACIES, key=lambda accuracy: abs(accuracy - self.accuracy))
        return f"{self.suggestions}-{round(100 * nearest)}"


SUPPORTS = (Support(), *(Support(kind, accuracy) for kind in tuple(Suggestions)[1:] for accuracy in ACCURACIES))
"""All kinds of support that human data covers."""


HARDLY = 1e-6
"""Weight of a certainty that nobody gave in a situation: it counts only where nothing else is known."""


@dataclass(frozen=True)
class Chance:
    """A probability and its source."""

    probability: float
    evidence: Evidence


class RobotProblem(StrEnum):
    """Problem that holds when a robot asks; where several hold, the first of them in this order."""

    LOST = "lost"
    """The robot is not where it believes to be."""
    ELSEWHERE = "elsewhere"
    """The thing that it wants is at another place."""
    NOT_VISIBLE = "not visible"
    """Something hides it."""
    NOT_GRASPABLE = "not graspable"
    """Something is on top of it."""
    NONE = "none"
    """Nothing is in the way of the next step."""


@dataclass(frozen=True)
class AskedSituation:
    """Situation in which operators were asked.

    Args:
        problem: Problem that held.
        steps: Number of steps from there to the goal, 1 or more.
        certainties: Number of times that each certainty was given.
    """

    problem: RobotProblem
    steps: int
    certainties: tuple[int, ...]


@dataclass(frozen=True)
class KindFit:
    """Model of operators' answers to one kind of question, fitted to human data.

    Args:
        level: For each support, the log-odds of a right answer at certainty 3. A fit with situations means one where no
            problem holds and one step is left.
        certainty: Number added to the log-odds by each self-rated certainty, 1 to 5.
        certainties: For each support, the number of times that each certainty was given.
        strength: κ, the number of judged answers after which a person's own record counts as much as the model.
        problem: Number added to the log-odds by each problem; empty in a fit without situations.
        steps: Number added by 1, 2, … steps to the goal; more steps count as the last.
        situations: Situations of the study; empty in a fit that knows only support and certainty.
    """

    level: Mapping[str, float]
    certainty: tuple[float, ...]
    certainties: Mapping[str, tuple[int, ...]]
    strength: float
    problem: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[float, ...] = ()
    situations: tuple[AskedSituation, ...] = ()

    def __post_init__(self) -> None:
        keys = {support.key for support in SUPPORTS}
        given = (*self.certainties.values(), *(situation.certainties for situation in self.situations))
        sizes = {len(self.certainty), *(len(counts) for counts in given)}
        if set(self.level) != keys or set(self.certainties) != keys or sizes != {len(CERTAINTIES)}:
            cause = f"a fit must cover {len(keys)} supports and {len(CERTAINTIES)} certainties, got others"
            raise WrongSize(cause, hint="Run python -m train.answers again.")
        problems = set(RobotProblem) if self.situations else set()
        steps = {situation.steps for situation in self.situations}
        if set(self.problem) != problems or not steps <= set(range(1, len(self.steps) + 1)):
            cause = f"a fit with situations must cover {len(RobotProblem)} problems and all steps, got others"
            raise WrongSize(cause, hint="Run python -m train.situations again.")

    def chance(
        self, support: Support, certainty: int | None, problem: str | None = None, steps: int | None = None
    ) -> float:
        """Return P(right); where something is not given, the mean over the study's situations and certainties.

        A fit without situations leaves problem and steps out.

        Raises:
            UnknownName: There is no such problem.
            OutOfRange: The steps are not a whole number from 1.
        """
        if problem is not None and problem not in tuple(RobotProblem):
            hint = "Name the first problem that holds, or leave it out."
            raise UnknownName.of("problem", f"'{problem}'", f"be one of {', '.join(RobotProblem)}", hint=hint)
        if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
            hint = "Count the steps to the goal, or leave them out."
            raise OutOfRange.of("steps", repr(steps), "be a whole number from 1", hint=hint)
        key = (support.key, certainty, problem, steps)
        if key not in self._known:
            weighed = list(self._weighed(*key))
            self._known[key] = math.fsum(n * p for n, p in weighed) / math.fsum(n for n, _ in weighed)
        return self._known[key]

    def marginal(self, certainty: int | None = None) -> float:
        """Return P(right) over all supports, as frequent as in the study, or P(right | certainty)."""
        among = CERTAINTIES if certainty is None else (certainty,)
        parts = [
            (self.certainties[support.key][CERTAINTIES.index(rating)], self.chance(support, rating))
            for support in SUPPORTS
            for rating in among
        ]
        return math.fsum(n * p for n, p in parts) / sum(n for n, _ in parts)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back. A fit without situations has the keys that it had in 0.1.0."""
        record: dict[str, Any] = {
            "level": dict(self.level),
            "certainty": list(self.certainty),
            "certainties": {key: list(counts) for key, counts in self.certainties.items()},
            "strength": self.strength,
        }
        if not self.situations:
            return record
        return record | {
            "problem": {str(problem): offset for problem, offset in self.problem.items()},
            "steps": list(self.steps),
            "situations": [
                {"problem": str(asked.problem), "steps": asked.steps, "certainties": list(asked.certainties)}
                for asked in self.situations
            ],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> KindFit:
        """The fit that `to_json` wrote."""
        return cls(
            level=dict(record["level"]),
            certainty=tuple(record["certainty"]),
            certainties={key: tuple(counts) for key, counts in record["certainties"].items()},
            strength=float(record["strength"]),
            problem={RobotProblem(problem): float(offset) for problem, offset in record.get("problem", {}).items()},
            steps=tuple(record.get("steps", ())),
            situations=tuple(
                AskedSituation(RobotProblem(asked["problem"]), int(asked["steps"]), tuple(asked["certainties"]))
                for asked in record.get("situations", ())
            ),
        )

    def _weighed(
        self, support: str, certainty: int | None, problem: str | None, steps: int | None
    ) -> Iterator[tuple[float, float]]:
        """Yield the weight of each certainty and situation that may be meant, and P(right) there."""
        steps = None if steps is None else min(steps, len(self.steps))
        meant = [
            asked for asked in self.situations if problem in (None, asked.problem) and steps in (None, asked.steps)
        ]
        for place, rating in enumerate(CERTAINTIES):
            if certainty not in (None, rating):
                continue
            log_odds = self.level[support] + self.certainty[place]
            weight = self.certainties[support][place] if certainty is None else 1
            everywhere = sum(asked.certainties[place] for asked in self.situations)
            for asked in meant:
                share = (asked.certainties[place] + HARDLY * sum(asked.certainties)) / everywhere
                yield weight * share, _chance(log_odds + self.problem[asked.problem] + self.steps[asked.steps - 1])
            if not meant:
                more = self.problem.get(problem or "", 0.0) + (self.steps[steps - 1] if steps else 0.0)
                yield weight, _chance(log_odds + more)

    @cached_property
    def _known(self) -> dict[tuple[str, int | None, str | None, int | None], float]:
        """Probabilities that were asked for; a decision asks for the same few again and again."""
        return {}


def _chance(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))
