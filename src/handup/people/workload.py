"""What questions cost a person now: load adds up over recent questions and leaks away. A cost model for sessions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting, Burden, BurdenKind
from handup.people.model import SCHEMA, Features, WorkloadModel, check_record, refusing_damage

SOMEBODY = "somebody"
"""Whoever answers where no name is given."""


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
        loads = {
            who: {"load": each.load, "at_s": each.at_s, "answers": each.answers}
            for who, each in self.loads.items()
            if math.isfinite(each.at_s)
        }
        return {
            "schema": SCHEMA,
            "kind": "workload",
            "costs": list(self.costs),
            "model": self.model.to_json(),
            "person": self.person,
            "loads": loads,
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
