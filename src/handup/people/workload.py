"""Workload: the cost of a question, and the load that recent questions leave and that fades. A cost model for sessions.

    q0 = b + a_d[hard] + a_r[box or points] + a_s[distracted]                       clipped to [.02, 1]
    on an answer  F ← F + ρ q0        between  F ← F e^(−Δt/τ)        q(t) = s_person q0 + g F

The core paper's own coefficients are not published. The defaults agree with every published number, and are
*illustrative*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from handup.core import BadRecord, Burden, BurdenKind, HandupError, MissingSetting, OutOfRange, Question, UnknownName
from handup.core.checks import check_number, shown
from handup.core.fields import OneOf, check_rules

SCHEMA = 1
LEAST_COST, MOST_COST = 0.02, 1.0
ILLUSTRATIVE = "illustrative"
SOMEBODY = "somebody"
"""Name of the person who answers where no name is given."""
RANGES: Mapping[str, tuple[float, float]] = {
    "b": (0.0, 1.0),
    "a_d": (-1.0, 1.0),
    "a_r": (-1.0, 1.0),
    "a_s": (-1.0, 1.0),
    "rho": (0.0, 100.0),
    "tau_s": (1e-3, 1e9),
    "g": (0.0, 100.0),
    "rho_failed": (0.0, 100.0),
    "rho_wait": (0.0, 100.0),
    "practice": (0.0, 1.0),
    "practice_answers": (1e-3, 1e9),
    "most_load": (0.0, 1e6),
}
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, HandupError)


class Difficulty(StrEnum):
    """Amount of thought that an answer takes."""

    EASY = "easy"
    HARD = "hard"


class Response(StrEnum):
    """Task of the person's hand."""

    CHOICE = "choice"
    """Pick, say or type something: every kind of question except those on an image."""
    BOX = "box"
    """Point at places on an image: a box, or points."""


class Distraction(StrEnum):
    """State of the person's attention."""

    NONE = "none"
    DISTRACTED = "distracted"


@dataclass(frozen=True)
class Features:
    """Features of a question that determine its cost.

    Args:
        difficulty: Easy or hard.
        response: Choosing, or pointing on an image.
        distraction: Distracted, if something else asks for the person's attention.
    """

    difficulty: Annotated[Difficulty, OneOf(Difficulty, "difficulty")] = Difficulty.EASY
    response: Annotated[Response, OneOf(Response, "response")] = Response.CHOICE
    distraction: Annotated[Distraction, OneOf(Distraction, "distraction")] = Distraction.NONE

    def __post_init__(self) -> None:
        check_rules(self, "a question", UnknownName)

    @classmethod
    def of(
        cls,
        question: Question,
        *,
        difficulty: Difficulty = Difficulty.EASY,
        distraction: Distraction = Distraction.NONE,
    ) -> Features:
        """Return the features of a question. Difficulty and distraction do not follow from its kind: give them."""
        return cls(difficulty, Response.BOX if question.rule.on_image else Response.CHOICE, distraction)

    @property
    def flags(self) -> tuple[bool, bool, bool]:
        """Three truth values that raise the base cost: hard, on an image, distracted."""
        return (
            self.difficulty is Difficulty.HARD,
            self.response is Response.BOX,
            self.distraction is Distraction.DISTRACTED,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain record: keyword arguments for the same features."""
        return {name: str(value) for name, value in asdict(self).items()}


BITE: Mapping[str, Features] = {
    "M1": Features(),
    "M2": Features(response=Response.BOX),
    "M3": Features(),
    "M4": Features(Difficulty.HARD, Response.BOX),
}
"""The core paper's four bite-acquisition modules (its appendix E): food, box, skill, parameters."""


@dataclass(frozen=True, kw_only=True)
class WorkloadModel:
    """Coefficients of workload. The range of each is in `RANGES`.

    Args:
        b: Cost of an easy choice without distraction.
        a_d: Added cost of a hard question.
        a_r: Added cost of pointing on an image.
        a_s: Added cost of distraction.
        rho: ρ, the load that an answer adds, as a multiple of the question's base cost.
        tau_s: τ, the seconds in which load falls to 1/e.
        g: Added cost of a question per unit of load.
        rho_failed: ρ_f, the load that a failed attempt adds.
        rho_wait: Load that each second of waiting for the robot adds.
        practice: Share of the base cost that practice takes away in the end; 0 for no learning.
        practice_answers: Number of answers after which half of that is gone.
        most_load: Largest load.
        people: s_person, the factor on a person's costs, by name; 1 for everybody else.
        evidence: Source of the numbers: `illustrative`, or the data of a fit.
    """

    b: float = 0.24
    a_d: float = 0.12
    a_r: float = 0.10
    a_s: float = 0.15
    rho: float = 1.0
    tau_s: float = 120.0
    g: float = 0.15
    rho_failed: float = 0.0
    rho_wait: float = 0.0
    practice: float = 0.0
    practice_answers: float = 5.0
    most_load: float = 10.0
    people: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ILLUSTRATIVE

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            object.__setattr__(self, name, _within(name, getattr(self, name), low, high))
        people = {str(name): _within(f"s of '{name}'", s, 0.0, 100.0) for name, s in dict(self.people).items()}
        object.__setattr__(self, "people", MappingProxyType(people))

    def base(self, features: Features) -> float:
        """Return q0, the cost of a question for a rested person."""
        # Rounded far below any meaning, so that .24 + .10 is .34 and the mean of the paper's four is .32 exactly.
        return min(max(round(math.fsum((self.b, *self._extra(features))), 12), LEAST_COST), MOST_COST)

    def _extra(self, features: Features) -> list[float]:
        return [cost for cost, on in zip((self.a_d, self.a_r, self.a_s), features.flags, strict=True) if on]

    def s(self, person: str) -> float:
        """Return s_person, the factor on a person's costs."""
        return self.people.get(person, 1.0)

    def leaked(self, load: float, seconds: float) -> float:
        """Return the rest of a load after some seconds; negative seconds count as none."""
        return load * math.exp(-max(seconds, 0.0) / self.tau_s)

    def added(self, load: float, more: float) -> float:
        """Return the sum of two loads, at most `most_load`."""
        return min(load + more, self.most_load)

    def from_waiting(self, seconds: float) -> float:
        """Return the load that some seconds of waiting leave at their end, when part of it has faded already."""
        return self.rho_wait * self.tau_s * -math.expm1(-max(seconds, 0.0) / self.tau_s)

    def practised(self, answers: int) -> float:
        """Return the factor on the base cost after a number of answers: 1 without learning."""
        return 1.0 - self.practice * (1.0 - math.pow(0.5, answers / self.practice_answers))

    def with_mean(self, mean: float, questions: Mapping[str, Features]) -> WorkloadModel:
        """Return the model with b chosen so that these questions have this mean cost.

        Raises:
            OutOfRange: No b from 0 to 1 gives this mean within the limits of a cost.
        """
        extra = [sum(self._extra(features)) for features in questions.values()]
        solved = replace(self, b=mean - math.fsum(extra) / len(extra))
        reached = math.fsum(solved.base(features) for features in questions.values()) / len(extra)
        if abs(reached - mean) > 1e-9:
            hint = "Make the other coefficients smaller."
            raise OutOfRange.of("the mean cost", f"{mean:g}", f"be within reach (b gives {reached:g})", hint=hint)
        return solved

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"schema": SCHEMA, "kind": "workload-model", **record, "people": dict(self.people)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> WorkloadModel:
        """The model that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        check_record(record, "workload-model")
        with refusing_damage("workload-model"):
            return cls(**{name: value for name, value in record.items() if name not in ("schema", "kind")})


@dataclass(frozen=True)
class PersonLoad:
    """Load of one person at a time.

    Args:
        load: F at the time `at_s`, 0 or more.
        at_s: Time in seconds.
        answers: Number of questions that the person has answered.
    """

    load: float = 0.0
    at_s: float = -math.inf
    answers: int = 0

    def __post_init__(self) -> None:
        timed = isinstance(self.at_s, int | float) and self.at_s < math.inf
        if not (math.isfinite(self.load) and self.load >= 0.0 and timed):
            must, got = "be at least 0 at a finite time", f"{self.load} at {self.at_s} s"
            raise OutOfRange.of("a load", got, must, hint="Give a load and a time in seconds.")
        if not isinstance(self.answers, int) or self.answers < 0:
            raise OutOfRange.of("answers", repr(self.answers), "be a whole number of at least 0", hint="Count them.")


RESTED = PersonLoad()


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Costs q_i(t) of the questions of one policy, and the load of each person who answers them.

    It is immutable: `after` returns the next one. Pass it to `Session(…, costs=workload)`; the session updates it and
    holds the present one in `session.costs`, ready for the next episode.

    Args:
        costs: q0 of the question about each module, in the policy's order, 0 or more.
        model: The coefficients.
        person: Name of the person who would be asked, and who sees attempts fail.
        loads: Load of each person by name; a person who is missing is rested.

    Example:
        >>> from handup.people import BITE, Workload
        >>> maya = Workload.of(BITE.values(), person="Maya")
        >>> [round(cost, 2) for cost in maya.query_costs(now_s=0.0)]
        [0.24, 0.34, 0.24, 0.46]
        >>> tired = maya.answered(3, now_s=20.0)
        >>> [round(cost, 3) for cost in tired.query_costs(now_s=20.0)]
        [0.309, 0.409, 0.309, 0.529]
    """

    costs: tuple[float, ...]
    model: WorkloadModel = field(default_factory=WorkloadModel)
    person: str = SOMEBODY
    loads: Mapping[str, PersonLoad] = field(default_factory=dict)

    def __post_init__(self) -> None:
        costs = tuple(float(cost) for cost in self.costs)
        if not costs or not all(0.0 <= cost < math.inf for cost in costs):
            raise OutOfRange.of("base costs", list(costs), "be finite and at least 0", hint="Give one per module.")
        object.__setattr__(self, "costs", costs)
        object.__setattr__(self, "loads", MappingProxyType(dict(self.loads)))

    @classmethod
    def of(
        cls, questions: Iterable[Features], model: WorkloadModel | None = None, *, person: str = SOMEBODY
    ) -> Workload:
        """Return the workload of questions given by their features, in the policy's order."""
        chosen = model or WorkloadModel()
        return cls(costs=tuple(chosen.base(features) for features in questions), model=chosen, person=person)

    def asking(self, person: str) -> Workload:
        """Return the same workload with another person to ask. Each person's load stays as it is."""
        return replace(self, person=person)

    def load(self, now_s: float, person: str | None = None) -> float:
        """Return F of a person now, by default of the person who would be asked."""
        last = self.loads.get(self.person if person is None else person, RESTED)
        return self.model.leaked(last.load, now_s - last.at_s)

    def query_costs(self, now_s: float) -> tuple[float, ...]:
        """Return q_i(t) of each module's question for the person who would be asked."""
        last = self.loads.get(self.person, RESTED)
        factor = self.model.s(self.person) * self.model.practised(last.answers)
        extra = self.model.g * self.load(now_s)
        return tuple(factor * cost + extra for cost in self.costs)

    def after(self, burden: Burden) -> Workload:
        """Return the workload after an answer, a failed attempt or a wait."""
        match burden.kind:
            case BurdenKind.ANSWERED if burden.module is not None:
                return self.answered(burden.module, now_s=burden.now_s, by=burden.by)
            case BurdenKind.FAILED:
                return self._borne(self.person, self.model.rho_failed, burden.now_s)
            case BurdenKind.WAITED:
                return self._borne(self.person, self.model.from_waiting(burden.waited_s), burden.now_s)
            case _:
                raise MissingSetting("an answer must name its module, got none", hint="Give its index in the policy.")

    def answered(self, module: int, *, now_s: float, by: str | None = None) -> Workload:
        """Return the workload after an answer about a module, whose load goes to the person who answered."""
        person = self.person if by is None else by
        return self._borne(person, self.model.rho * self.costs[module], now_s, answers=1)

    def _borne(self, person: str, more: float, now_s: float, *, answers: int = 0) -> Workload:
        before = self.loads.get(person, RESTED)
        load = self.model.added(self.model.leaked(before.load, now_s - before.at_s), more)
        after = PersonLoad(load, max(now_s, before.at_s), before.answers + answers)
        return replace(self, loads={**self.loads, person: after})

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "kind": "workload",
            "costs": list(self.costs),
            "model": self.model.to_json(),
            "person": self.person,
            "loads": {name: asdict(load) for name, load in self.loads.items() if math.isfinite(load.at_s)},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Workload:
        """The workload that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        check_record(record, "workload")
        with refusing_damage("workload"):
            return cls(
                costs=tuple(record["costs"]),
                model=WorkloadModel.from_json(record["model"]),
                person=str(record["person"]),
                loads={str(name): PersonLoad(**load) for name, load in record["loads"].items()},
            )


def check_record(record: object, kind: str) -> None:
    """Raise `BadRecord` unless a record is of this kind and schema."""
    if not isinstance(record, Mapping) or record.get("kind") != kind:
        raise BadRecord(f"the record must be of a {kind}, got {shown(record)}", hint="Give a file that handup wrote.")
    if record.get("schema") != SCHEMA:
        hint = "Use the version of handup that wrote it."
        raise BadRecord(f"the {kind} must have schema {SCHEMA}, got {record.get('schema')!r}", hint=hint)


@contextmanager
def refusing_damage(kind: str) -> Iterator[None]:
    """Turn every error that a damaged record can cause in the block into `BadRecord`."""
    try:
        yield
    except BadRecord:
        raise
    except DAMAGE as error:
        cause = error.cause if isinstance(error, HandupError) else str(error) or type(error).__name__
        raise BadRecord(f"the {kind} is damaged ({cause})", hint="Use an earlier copy of the record.") from error


def _within(name: str, value: object, low: float, high: float) -> float:
    number = check_number(name, value, error=OutOfRange)
    if not low <= number <= high:
        raise OutOfRange.of(name, f"{number:g}", f"lie between {low:g} and {high:g}", hint="Change it.")
    return number
