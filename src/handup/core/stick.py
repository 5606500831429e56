"""Stick with which a person steers a robot, as pages send it and robots receive it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Stick:
    """Position of the stick at one moment.

    Args:
        by: Name of the person.
        device: Name of their device.
        mode: `translate` or `rotate`.
        push: Deflection along three axes, each from -1 to 1.
        close: Whether they press to close the hand.
        heard_s: Time in seconds at which it arrived, by `time.monotonic`.
    """

    by: str
    device: str
    mode: str
    push: tuple[float, float, float]
    close: bool
    heard_s: float

    @property
    def idle(self) -> bool:
        """True where the stick is at rest and nothing is pressed."""
        return not (any(self.push) or self.close)
