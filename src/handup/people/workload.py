"""Workload: what a question costs, how load adds up over recent ones and leaks away. A cost model for sessions.

    q0 = b + a_d[hard] + a_r[box or points] + a_s[distracted]                       clipped to [.02, 1]
    on an answer  F ← F + ρ q0        between  F ← F e^(−Δt/τ)        q(t) = s_person q0 + g F

The core paper's own coefficients are not published. The defaults meet every number that is, and are *illustrative*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from handup.core import BadRecord, BadSetting, Burden, BurdenKind, HandupError, Question
from handup.core.checks import check_number
from handup.core.fields import OneOf, check_rules

SCHEMA = 1
LEAST_COST, MOST_COST = 0.02, 1.0
ILLUSTRATIVE = "illustrative"
SOMEBODY = "somebody"
"""Whoever answers where no name is given."""
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
    """How much thought an answer takes."""

    EASY = "easy"
    HARD = "hard"


class Response(StrEnum):
    """What the person's hand has to do."""

    CHOICE = "choice"
    """Pick, say or type something: every kind of question but those on an image."""
    BOX = "box"
    """Point at places on an image: a box, or points."""


class Distraction(StrEnum):
    """What else the person is doing."""

    NONE = "none"
    DISTRACTED = "distracted"


@dataclass(frozen=True)
class Features:
    """A question as the workload model sees it.

    Args:
        difficulty: Easy or hard.
        response: Choosing, or pointing on an image.
        distraction: Whether something else asks for the person's attention.
    """

    difficulty: Annotated[Difficulty, OneOf(Difficulty, "difficulty")] = Difficulty.EASY
    response: Annotated[Response, OneOf(Response, "response")] = Response.CHOICE
    distraction: Annotated[Distraction, OneOf(Distraction, "distraction")] = Distraction.NONE

    def __post_init__(self) -> None:
        check_rules(self, "a question", BadSetting)

    @classmethod
    def of(
        cls,
        question: Question,
        *,
        difficulty: Difficulty = Difficulty.EASY,
        distraction: Distraction = Distraction.NONE,
    ) -> Features:
        """The features of a question; what its kind does not tell is given."""
        return cls(difficulty, Response.BOX if question.rule.on_image else Response.CHOICE, distraction)

    @property
    def flags(self) -> tuple[bool, bool, bool]:
        """Hard, on an image, distracted: what adds to the base cost."""
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
    """Coefficients of workload.

    Args:
        b: Cost of an easy choice, undisturbed.
        a_d: What a hard question adds.
        a_r: What pointing on an image adds.
        a_s: What distraction adds.
        rho: ρ, how much of a question's base cost stays as load when it is answered.
        tau_s: τ, the time in which load falls to 1/e, in seconds.
        g: How much load makes questions cost more.
        rho_failed: ρ_f, load that an attempt adds by failing.
        rho_wait: Load that each second of waiting for the robot adds.
        practice: Share of the base cost that practice takes away in the end; 0: no learning.
        practice_answers: So many answers take away half of that.
        most_load: Load does not rise above this.
        people: s_person of those who differ; 1 for everybody else.
        evidence: Where the numbers come from: `illustrative`, or what a fit says.
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
        people = {str(who): _within(f"s of '{who}'", s, 0.0, 100.0) for who, s in dict(self.people).items()}
        object.__setattr__(self, "people", MappingProxyType(people))

    def base(self, features: Features) -> float:
        """q0: what a question costs somebody rested."""
        # Rounded far below any meaning, so that .24 + .10 is .34 and the mean of the paper's four is .32 exactly.
        return min(max(round(math.fsum((self.b, *self._extra(features))), 12), LEAST_COST), MOST_COST)

    def _extra(self, features: Features) -> list[float]:
        return [each for each, on in zip((self.a_d, self.a_r, self.a_s), features.flags, strict=True) if on]

    def s(self, person: str) -> float:
        """s_person."""
        return self.people.get(person, 1.0)

    def leaked(self, load: float, seconds: float) -> float:
        """What is left of a load after some time; time does not run backwards."""
        return load * math.exp(-max(seconds, 0.0) / self.tau_s)

    def added(self, load: float, more: float) -> float:
        """A load with something added, within its limit."""
        return min(load + more, self.most_load)

    def from_waiting(self, seconds: float) -> float:
        """What some seconds of waiting leave as load at their end: some of it has leaked away meanwhile."""
        return self.rho_wait * self.tau_s * -math.expm1(-max(seconds, 0.0) / self.tau_s)

    def practised(self, answers: int) -> float:
        """The factor on the base cost after so many answers: 1 without learning."""
        return 1.0 - self.practice * (1.0 - math.pow(0.5, answers / self.practice_answers))

    def with_mean(self, mean: float, questions: Mapping[str, Features]) -> WorkloadModel:
        """The same with b solved so that questions cost so much on average.

        Raises:
            BadSetting: No b from 0 to 1 does, or clipping gets in the way.
        """
        extra = [sum(self._extra(features)) for features in questions.values()]
        solved = replace(self, b=mean - math.fsum(extra) / len(extra))
        found = math.fsum(solved.base(each) for each in questions.values()) / len(extra)
        if abs(found - mean) > 1e-9:
            raise BadSetting(f"no b gives a mean cost of {mean:g}", hint="Make the other coefficients smaller.")
        return solved

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {each.name: getattr(self, each.name) for each in fields(self)}
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
    """The load of one person.

    Args:
        load: F, as it was …
        at_s: … at this time.
        answers: How many questions the person has answered.
    """

    load: float = 0.0
    at_s: float = -math.inf
    answers: int = 0

    def __post_init__(self) -> None:
        timed = isinstance(self.at_s, int | float) and self.at_s < math.inf
        if not (math.isfinite(self.load) and self.load >= 0.0 and timed):
            raise BadSetting(f"a load is {self.load} at {self.at_s} s", hint="Give a load of at least 0 and a time.")
        if not isinstance(self.answers, int) or self.answers < 0:
            raise BadSetting(f"answers is {self.answers!r}", hint="Give a whole number of at least 0.")


RESTED = PersonLoad()


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Costs q_i(t) of the questions of one policy, and the load of everybody who answers them.

    Immutable: `after` gives the next one. Pass it to `Session(…, costs=workload)`; the session tells it what happens
    and holds the present one in `session.costs`, ready for the next episode.

    Args:
        costs: q0 of the question about each module, in the policy's order.
        model: The coefficients.
        person: Who would be asked, and sees attempts fail.
        loads: Everybody's load; who is missing is rested.

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
        costs = tuple(float(each) for each in self.costs)
        if not costs or not all(0.0 <= each < math.inf for each in costs):
            raise BadSetting(f"base costs are {list(costs)}", hint="Give one number of at least 0 per module.")
        object.__setattr__(self, "costs", costs)
        object.__setattr__(self, "loads", MappingProxyType(dict(self.loads)))

    @classmethod
    def of(
        cls, questions: Iterable[Features], model: WorkloadModel | None = None, *, person: str = SOMEBODY
    ) -> Workload:
        """The workload of questions that are known by their features, in the policy's order."""
        chosen = model or WorkloadModel()
        return cls(costs=tuple(chosen.base(each) for each in questions), model=chosen, person=person)

    def asking(self, person: str) -> Workload:
        """The same, when somebody else would be asked. Everybody's load stays their own."""
        return replace(self, person=person)

    def load(self, now_s: float, person: str | None = None) -> float:
        """F of a person now."""
        found = self.loads.get(self.person if person is None else person, RESTED)
        return self.model.leaked(found.load, now_s - found.at_s)

    def query_costs(self, now_s: float) -> tuple[float, ...]:
        """q_i(t) for the person who would be asked."""
        found = self.loads.get(self.person, RESTED)
        factor = self.model.s(self.person) * self.model.practised(found.answers)
        extra = self.model.g * self.load(now_s)
        return tuple(factor * cost + extra for cost in self.costs)

    def after(self, burden: Burden) -> Workload:
        """The workload after something happened."""
        match burden.kind:
            case BurdenKind.ANSWERED if burden.module is not None:
                return self.answered(burden.module, now_s=burden.now_s, by=burden.by)
            case BurdenKind.FAILED:
                return self._borne(self.person, self.model.rho_failed, burden.now_s)
            case BurdenKind.WAITED:
                return self._borne(self.person, self.model.from_waiting(burden.waited_s), burden.now_s)
            case _:
                raise BadSetting("an answer to no question", hint="Name the module.")

    def answered(self, module: int, *, now_s: float, by: str | None = None) -> Workload:
        """After an answer about a module; its load is the answerer's."""
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
            "loads": {who: asdict(load) for who, load in self.loads.items() if math.isfinite(load.at_s)},
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
                loads={str(who): PersonLoad(**each) for who, each in record["loads"].items()},
            )


def check_record(record: object, kind: str) -> None:
    """Refuse what is no record of this kind and schema.

    Raises:
        BadRecord: Naming what it is.
    """
    if not isinstance(record, Mapping) or record.get("kind") != kind:
        raise BadRecord(f"this is no record of a {kind}", hint="Give a file that handup wrote.")
    if record.get("schema") != SCHEMA:
        raise BadRecord(f"the {kind} has schema {record.get('schema')!r}", hint=f"This version reads {SCHEMA}.")


@contextmanager
def refusing_damage(kind: str) -> Iterator[None]:
    """Turn whatever a damaged record runs into into one named error."""
    try:
        yield
    except BadRecord:
        raise
    except DAMAGE as error:
        cause = error.cause if isinstance(error, HandupError) else str(error) or type(error).__name__
        raise BadRecord(f"the {kind} is damaged ({cause})", hint="Go back to the last good one.") from error


def _within(name: str, value: object, low: float, high: float) -> float:
    number = check_number(name, value, error=BadSetting)
    if not low <= number <= high:
        raise BadSetting(f"{name} is {number:g}", hint=f"Give a number from {low:g} to {high:g}.")
    return number
