"""Company at the table while the robot eats: nobody who could see it, or a person who watches and may say stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from handup.core import Value
from handup.desk import Channel, Desk
from handup.domains.feeding.meal_result import Bite
from handup.domains.feeding.module_outputs import Picture
from handup.recover import Look

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal
    from handup.domains.feeding.policy import BitePolicy


class Company:
    """Company at the table, which hears what a meal and its policies do. This one is nobody.

    No time is spent on showing, and after a stop nobody waits. Override what somebody is to notice.

    Attributes:
        channels: Ways in which it hears of questions.
    """

    channels: Sequence[Channel] = ()

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """Hear that the meal begins, or goes on."""

    def guard(self, seconds: float) -> None:
        """Guard a motion, as for `World.execute`: called often while the arm moves. May wait, or raise `Halted`."""

    def shown(self, name: str, picture: Picture) -> None:
        """Hear that a question about this picture comes next."""

    def begins(self, policy: BitePolicy, name: str, number: int) -> None:
        """Hear that a run of a bite begins, or goes on."""

    def looks(self, policy: BitePolicy) -> None:
        """Hear that the robot looks at the plate."""

    def thinks(self, policy: BitePolicy) -> None:
        """Hear that every module has said what it thinks."""

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """Hear that the robot is about to act. May wait here, or raise `Halted`."""

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """Hear that the robot has acted, and looked at the fork."""

    def over(self, bites: Sequence[Bite]) -> None:
        """Hear that one more bite is over."""

    def rest(self, until_s: float) -> None:
        """Let the person chew, until a time of the desk's clock."""

    def goes_on(self) -> bool:
        """Wait after a stop until the robot is enabled, and return True; return False if it is not waited for."""
        return False
