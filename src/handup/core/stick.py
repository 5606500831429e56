"""The stick with which somebody steers a robot, as pages send it and robots hear it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Stick:
    """Push of the stick by somebody.

    Args:
        by: Who.
        device: On which device.
        mode: `translate` or `rotate`.
        push: Along three axes, each from -1 to 1.
        close: Whether they press to close the hand.
        heard_s: When it was heard, by `time.monotonic`.
    """

    by: str
    device: str
    mode: str
    push: tuple[float, float, float]
    close: bool
    heard_s: float

    @property
    def idle(self) -> bool:
        """True where it asks for nothing."""
        return not (any(self.push) or self.close)
