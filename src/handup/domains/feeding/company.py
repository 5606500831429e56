"""Those at the table while the robot eats: nobody who could see it, or somebody who watches and may say stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from handup.core import Value
from handup.desk import Channel, Desk
from handup.domains.feeding.seeing import Picture
from handup.domains.feeding.served import Bite
from handup.recover import Look

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal
    from handup.domains.feeding.policy import BitePolicy


class Company:
    """Company at the table, which a meal and its policies tell what they are at. This one is nobody.

    No time is spent on showing, and after a stop nobody waits. Override what somebody is to notice.

    Attributes:
        channels: Ways in which it hears that something is asked.
    """

    channels: Sequence[Channel] = ()

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """The meal begins, or goes on."""

    def guard(self, seconds: float) -> None:
        """As for `World.execute`: called all the time while the arm moves. It may wait, and may raise `Halted`."""

    def shown(self, name: str, picture: Picture) -> None:
        """A question about this picture comes next."""

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """A run of a bite begins, or goes on."""

    def looks(self, policy: BitePolicy) -> None:
        """The robot looks at the plate."""

    def thinks(self, policy: BitePolicy) -> None:
        """Every module has said what it thinks."""

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """The robot is about to act. Whoever is told may wait here, and may raise `Halted`."""

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """The robot has acted, and looked at the fork."""

    def over(self, bites: Sequence[Bite]) -> None:
        """One more bite is over."""

    def rest(self, until_s: float) -> None:
        """Somebody chews, until a time of the desk's clock."""

    def goes_on(self) -> bool:
        """Somebody said stop: wait until the robot is enabled, or say that it is not waited for."""
        return False
