"""Who is at the table while the robot eats: nobody who could see it, or somebody who watches and may say stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from handup.core import Value
from handup.desk import Channel, Desk
from handup.domains.feeding.seeing import Picture
from handup.domains.feeding.served import Bite
from handup.recover import Look

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal
    from handup.domains.feeding.policy import BitePolicy


class Watcher(Protocol):
    """Somebody who is told what the policy of a bite is at."""

    def looks(self, policy: BitePolicy) -> None:
        """It looks at the plate."""
        ...

    def thinks(self, policy: BitePolicy) -> None:
        """Every module has said what it thinks."""
        ...

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """It is about to act. Whoever is told may wait here, and may raise `Halted`."""
        ...

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """It has acted, and looked at the fork."""
        ...


class Company(Watcher, Protocol):
    """Those at the table, and what a meal does for them beside eating."""

    @property
    def channels(self) -> Sequence[Channel]:
        """How it hears that something is asked."""
        ...

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """The meal begins, or goes on."""
        ...

    def guard(self, seconds: float) -> None:
        """As for `World.execute`: called all the time while the arm moves. It may wait, and may raise `Halted`."""
        ...

    def shown(self, name: str, picture: Picture) -> None:
        """A question about this picture comes next."""
        ...

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """A run of a bite begins, or goes on."""
        ...

    def over(self, bites: Sequence[Bite]) -> None:
        """One more bite is over."""
        ...

    def rest(self, until_s: float) -> None:
        """Somebody chews, until a time of the desk's clock."""
        ...

    def goes_on(self) -> bool:
        """Somebody said stop: wait until the robot is enabled, or say that it is not waited for."""
        ...


class Nobody:
    """Nobody sees it: no time is spent on showing, and after a stop nobody waits."""

    channels: Sequence[Channel] = ()

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """Nothing."""

    def guard(self, seconds: float) -> None:
        """Nothing."""

    def shown(self, name: str, picture: Picture) -> None:
        """Nothing."""

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Nothing."""

    def looks(self, policy: BitePolicy) -> None:
        """Nothing."""

    def thinks(self, policy: BitePolicy) -> None:
        """Nothing."""

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """Nothing."""

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Nothing."""

    def over(self, bites: Sequence[Bite]) -> None:
        """Nothing."""

    def rest(self, until_s: float) -> None:
        """Nothing."""

    def goes_on(self) -> bool:
        """No: what follows is stopped, too."""
        return False
