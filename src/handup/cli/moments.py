"""Times as people read them, all in UTC, so that what two machines say can be compared."""

from __future__ import annotations

from datetime import UTC, datetime


def day(at_s: float) -> str:
    """The date."""
    return _told(at_s, "%Y-%m-%d")


def clock(at_s: float) -> str:
    """The time of day."""
    return _told(at_s, "%H:%M:%S")


def moment(at_s: float) -> str:
    """Date and time of day."""
    return _told(at_s, "%Y-%m-%d %H:%M:%S")


def near(at_s: float | None, today: str) -> str:
    """The time of day, with the date where that is another day's; empty where there is no time."""
    if at_s is None:
        return ""
    return clock(at_s) if day(at_s) == today else _told(at_s, "%Y-%m-%d %H:%M")


def _told(at_s: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(at_s, UTC).strftime(form)
    except (OverflowError, ValueError, OSError):
        return f"{at_s:.3g} s"
