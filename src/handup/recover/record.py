"""A session as one plain record: what it was made of and everything it was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from handup.core import BadRecord, CostModel, HandupError
from handup.people import Workload
from handup.policy import ModuleGraph
from handup.recover.events import EVENTS, Event, event_to_json
from handup.recover.settings import Settings
from handup.when import Strategy, settings_in_force, strategy

SCHEMA = 1
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, ValidationError, HandupError)
"""What a record runs into that `to_json` did not write."""


@dataclass(frozen=True)
class Stored:
    """What a session is rebuilt from.

    Args:
        graph: The policy.
        method: The strategy.
        settings: Weights and limits.
        own_costs: Whether it had a cost model of its own, which no record holds, unless it is …
        workload: … a workload, as it was at the start.
        own_availability: Whether it kept to limits on when to ask, which no record holds.
        events: What it was told, oldest first.
    """

    graph: ModuleGraph
    method: Strategy
    settings: Settings
    own_costs: bool
    workload: Workload | None
    own_availability: bool
    events: list[Event]

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "policy": self.graph.to_json(),
            "method": self.method.name,
            "method_settings": settings_in_force(self.method),
            "settings": self.settings.timed(len(self.graph)).to_json(),
            "own_costs": self.own_costs,
            **({} if self.workload is None else {"workload": self.workload.to_json()}),
            "own_availability": self.own_availability,
            "events": [event_to_json(event) for event in self.events],
        }

    def costs_from(self, given: CostModel | None) -> CostModel | None:
        """The cost model that the session started with: the one given, or the workload that the record holds.

        Raises:
            BadRecord: There is none though the session had one, or the one given is another one.
        """
        if given is None and self.own_costs and self.workload is None:
            raise BadRecord("the session had a cost model of its own", hint="Pass it: from_json(…, costs=model).")
        if given is not None and self.workload is not None and given != self.workload:
            raise BadRecord(
                "the session started with another workload",
                hint="Pass none: the record holds it, and the session finds the present one by itself.",
            )
        return self.workload if given is None else given

    @classmethod
    def from_json(cls, record: Mapping[str, Any], method: Strategy | None = None) -> Stored:
        """What `to_json` wrote.

        Raises:
            BadRecord: It is damaged or of a newer schema.
        """
        schema = record.get("schema") if isinstance(record, Mapping) else None
        if schema != SCHEMA:
            raise BadRecord(f"the record has schema {schema!r}", hint=f"This version of handup reads schema {SCHEMA}.")
        with refusing_damage():
            graph = ModuleGraph.from_json(record["policy"])
            return cls(
                graph=graph,
                method=method or strategy(record["method"], **record["method_settings"]),
                settings=settings_of(record),
                own_costs=bool(record["own_costs"]),
                workload=None if record.get("workload") is None else Workload.from_json(record["workload"]),
                own_availability=bool(record["own_availability"]),
                events=EVENTS.validate_python(record["events"]),
            )


def settings_of(record: Mapping[str, Any]) -> Settings:
    """Return the settings of a record, with the horizon that was the default when it was written."""
    settings = Settings(**record["settings"])
    if settings.horizon is None:  # written when two executions for each module were the default
        return replace(settings, horizon=2.0 * len(record["policy"]["modules"]) * settings.act_time)
    return settings


@contextmanager
def refusing_damage() -> Iterator[None]:
    """Turn whatever a damaged record runs into into one named error."""
    try:
        yield
    except BadRecord:
        raise
    except DAMAGE as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadRecord(f"the record is damaged ({first})", hint="Go back to the last good one.") from error
