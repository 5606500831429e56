"""A robot that fetches medicine at night, in a pharmacy where things go wrong: the world of the tutorial."""

from __future__ import annotations

from random import Random

from handup.executive import Aborted, Done, Outcome, RobotAction
from handup.executive.adapters import as_action

SHELF, COUNTER = "shelf", "counter"
STICKS, MIXED_UP, GLARE, FALLS, CART = 0.25, 0.15, 0.25, 0.2, 0.1
"""How often a drawer sticks, a wrong box lies in it, a label glares, a box falls on the way, a cart is in the way."""


class NightRobot:
    """Drives between the shelf and the counter, with one box on its tray.

    Each fault has a cause that is not told, and that stays until something is done about it.

    Args:
        seed: Of everything by chance.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.at = COUNTER
        self.tray: str | None = None
        self.delivered: list[str] = []
        self._sticks = self._loose = self._glares = self._blocked = False

    @property
    def scale_g(self) -> float:
        """What the scale under the tray shows."""
        return 0.0 if self.tray is None else 80.0

    def actions(self) -> dict[str, type[RobotAction]]:
        """What it can do, by name."""
        made = (
            as_action(self.drive, codes=["blocked"]),
            as_action(self.open_drawer, codes=["stuck"]),
            as_action(self.load),
            as_action(self.read_label, codes=["unreadable", "wrong_box"]),
            as_action(self.put_down),
            as_action(self.shake_drawer),
            as_action(self.turn_box),
            as_action(self.put_back),
        )
        return {each.name: each for each in made}

    def drive(self, to: str) -> Outcome:
        """Drive; sometimes a cart is in the way, and sometimes a box falls down without a sound."""
        self._blocked = not self._blocked and self._happens(CART)
        if self._blocked:
            return Aborted(code="blocked", why="A cart stands in the way.")
        if self.at != to and self._happens(FALLS):
            self.tray = None
        self.at = to
        return Done()

    def open_drawer(self, of: str) -> Outcome:
        """Open a drawer; one that sticks goes on sticking."""
        self._sticks = self._sticks or (not self._loose and self._happens(STICKS))
        self._loose = False
        return Aborted(code="stuck", why=f"The drawer of {of} does not move.") if self._sticks else Done()

    def shake_drawer(self) -> None:
        """Shake the drawer loose."""
        self._sticks, self._loose = False, True

    def load(self, box: str) -> Outcome:
        """Put a box on the tray; sometimes another one lies in its drawer."""
        self.tray = "another box" if self._happens(MIXED_UP) else box
        self._glares = self._happens(GLARE)
        return Done(beliefs={"loaded": True})

    def read_label(self, box: str) -> Outcome:
        """Read what is on the tray; not where the lamp shines on it."""
        if self._glares:
            return Aborted(code="unreadable", why="The label glares.", fields={"lamp": "left"})
        if self.tray != box:
            return Aborted(code="wrong_box", why=f"This is not {box}.")
        return Done()

    def turn_box(self, away_from: str) -> None:
        """Turn the box, away from a lamp."""
        self._glares = False

    def put_back(self) -> Outcome:
        """Put what is on the tray back into the drawer."""
        self.tray = None
        return Done(beliefs={"loaded": False})

    def put_down(self) -> Outcome:
        """Put what is on the tray on the counter."""
        if self.tray is not None:
            self.delivered.append(self.tray)
        self.tray = None
        return Done(beliefs={"loaded": False})

    def _happens(self, chance: float) -> bool:
        return self._random.random() < chance
