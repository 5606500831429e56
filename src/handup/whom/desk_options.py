"""Options in which people have the limits and abilities that a desk knows, and the questions that it put to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from handup.core import Costs, Person
from handup.people import Put
from handup.people.limits import Busy
from handup.when import DecisionMoment
from handup.whom.hard_limits import PersonNow
from handup.whom.options import Options


class PeopleState(Protocol):
    """People of a desk at one moment, by name, as a `DeskState` has them."""

    @property
    def people(self) -> Mapping[str, Person]:
        """People who can be asked, as last introduced or set up at the page."""

    @property
    def put(self) -> Mapping[str, tuple[Put, ...]]:
        """Questions put to each of them in the last hour."""

    @property
    def before(self) -> Mapping[str, int]:
        """Number of questions before each of them now."""

    @property
    def busy(self) -> Mapping[str, Busy]:
        """Since and until when people are busy, for those who said so."""


class DeskOfPeople(Protocol):
    """A desk on this machine, as far as `DeskOptions` needs it."""

    @property
    def state(self) -> PeopleState:
        """Its state now."""


def at_desk(helper: PersonNow, state: PeopleState) -> PersonNow:
    """Return a person with the limits, abilities, questions and busy times that a desk knows.

    Level, place, consent and the load of the day stay as they are: a desk does not know them. A person whom the desk
    does not know stays unchanged.
    """
    name = helper.name
    if name not in state.people:
        return helper
    return replace(
        helper,
        person=state.people[name],
        put=tuple(state.put.get(name, ())),
        before=state.before.get(name, 0),
        busy=state.busy.get(name),
    )


@dataclass(frozen=True)
class DeskOptions:
    """Options of a run whose people are looked up at a desk at every decision.

    Args:
        options: The options, with what is known of the people beside the desk.
        desk: The desk of the run.

    Example:
        `handup.run(policy, "joint", desk, options=DeskOptions(Options(people=…), desk))`
    """

    options: Options
    desk: DeskOfPeople

    def costs_at(self, moment: DecisionMoment) -> Costs:
        """Return the costs of a moment, with the questions that are allowed now, as far as the desk knows."""
        state = self.desk.state
        people = tuple(at_desk(helper, state) for helper in self.options.people)
        return replace(self.options, people=people).costs_at(moment)
