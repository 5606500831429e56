"""Router of a server, for questions that name nobody; and how a newly paired person becomes known to the desk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from handup.core import Person, Question, Role
from handup.desk import Desk
from handup.whom import InOrder


@dataclass(frozen=True)
class HouseRouter:
    """Router to the people of the server's file, in its order, and then to all others whom the store knows.

    Of those, people who have a device come first, and residents before everybody else.

    Args:
        with_devices: Function that returns the names of the people who have a device.
        named: Names of the people of the file, in order.
    """

    with_devices: Callable[[], Collection[str]]
    named: Sequence[str] = ()

    def audience(self, question: Question, people: Sequence[Person], now_s: float) -> tuple[str, ...]:
        """Return the names of the people who may answer, in order.

        Raises:
            UnknownName: The question names a person whom the desk does not know.
        """
        paired = self.with_devices()

        def place(person: Person) -> tuple[int, bool, bool]:
            # False sorts before True: people with a device first, and residents first among them.
            if person.name in self.named:
                return self.named.index(person.name), False, False
            return len(self.named), person.name not in paired, person.role is not Role.RESIDENT

        return InOrder().audience(question, sorted(people, key=place), now_s)


def introduce(desk: Desk, name: str, role: Role) -> None:
    """Let the desk ask a person from now on, unless it knows them already. Developers are never asked."""
    person = Person(name=name, role=role)
    if role is not Role.DEVELOPER and person.name not in desk.state.people:
        desk.introduce(person)
