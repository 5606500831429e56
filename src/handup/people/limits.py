"""When may a person be asked: at once, per hour, load per hour, quiet hours. Pure; the desk holds what does not fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from handup.core import Limits, QuietHours

HOUR_S = 3600.0
_ROUNDS = 32
"""Quiet times that follow one another without a gap for so long never end."""
_LAST_S = datetime(9990, 1, 1, tzinfo=UTC).timestamp()
"""Beyond the calendar nobody has quiet hours."""
_SLACK = 1e-9


@dataclass(frozen=True)
class Put:
    """A question that was put to a person.

    Args:
        at_s: When.
        load: Its query cost.
    """

    at_s: float
    load: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Whether one more question fits.

    Args:
        fits: Whether it does, now.
        from_s: From when it does if nothing else is put to the person until then: now or later; infinity where it
            never does. None where that depends on when they answer what is before them.
        why: What stands against it, for a person to read; empty where it fits.
    """

    fits: bool
    from_s: float | None
    why: str = ""

    @property
    def never(self) -> bool:
        """Whether no waiting helps."""
        return self.from_s == math.inf


def fit(limits: Limits, put: Iterable[Put], now_s: float, *, load: float = 0.0, before: int = 0) -> Fit:
    """Whether a question fits the limits of a person now, or else from when and why not.

    An hour is any 3600 seconds without its first moment: what was put exactly an hour ago no longer counts.

    Args:
        limits: How much they may be asked.
        put: What was put to them, oldest first; anything older than an hour may be left out.
        now_s: The time, in seconds since 1970 for the quiet hours to mean anything.
        load: The query cost of the question.
        before: How many questions are before them now.
    """
    counts = limits.per_hour is not None or limits.load_per_hour is not None
    recent = [each for each in put if each.at_s + HOUR_S > now_s] if counts else []
    from_s, why = now_s, ""
    if limits.per_hour is not None and len(recent) >= limits.per_hour:
        from_s = math.inf if limits.per_hour < 1 else recent[-limits.per_hour].at_s + HOUR_S
        why = f"no more than {limits.per_hour} an hour"
    if limits.load_per_hour is not None:
        lighter_s = _lighter_from(recent, limits.load_per_hour - load, now_s)
        if lighter_s > from_s:
            from_s, why = lighter_s, f"no more load than {limits.load_per_hour:g} an hour"
    quiet_s = quiet_until(limits.quiet, from_s)
    if quiet_s > from_s:
        from_s, why = quiet_s, why or "quiet hours"
    if limits.at_once < 1:
        return Fit(fits=False, from_s=math.inf, why="not asked at all")
    if from_s > now_s:
        return Fit(fits=False, from_s=from_s, why=why)
    if before >= limits.at_once:
        return Fit(fits=False, from_s=None, why=f"no more than {limits.at_once} at once")
    return Fit(fits=True, from_s=now_s)


def _lighter_from(recent: Sequence[Put], room: float, now_s: float) -> float:
    """From when the load of these leaves room."""
    if room < -_SLACK:
        return math.inf
    kept = 0.0
    for each in reversed(recent):
        kept += each.load
        if kept > room + _SLACK:
            return each.at_s + HOUR_S
    return now_s


def quiet_until(quiet: Sequence[QuietHours], now_s: float) -> float:
    """The first moment from `now_s` on that lies in no quiet time: `now_s` itself, or an end; infinity for never.

    Quiet times follow the clock on the wall through changes to and from summer time. A time that the clock skips is
    the moment of the change; of a time that it shows twice, quiet begins at the first and ends at the second.
    """
    at_s = now_s
    for _ in range(_ROUNDS):
        ends = [end for each in quiet if (end := _ends(each, at_s)) is not None]
        if not ends:
            return at_s
        at_s = max(ends)
    return math.inf


def _ends(quiet: QuietHours, now_s: float) -> float | None:
    """When the quiet time that holds now ends; None where none does."""
    if not abs(now_s) < _LAST_S:
        return None
    zone = ZoneInfo(quiet.zone)
    today = datetime.fromtimestamp(now_s, zone).date()
    start, end = time.fromisoformat(quiet.start), time.fromisoformat(quiet.end)
    over_night = 1 if end <= start else 0
    for back in (0, 1, 2):
        day = today - timedelta(days=back)
        from_s = _moment(day, start, zone, last=False)
        until_s = _moment(day + timedelta(days=over_night), end, zone, last=True)
        if from_s <= now_s < until_s:
            return until_s
    return None


def _moment(day: date, clock: time, zone: ZoneInfo, *, last: bool) -> float:
    """When the clock on the wall shows a time: the first or last such moment; where it skips it, the change."""
    first_s, second_s = (datetime.combine(day, clock, zone).replace(fold=fold).timestamp() for fold in (0, 1))
    if first_s <= second_s:
        return second_s if last else first_s
    low, high = second_s, first_s  # the change lies between the two
    before = datetime.fromtimestamp(low, zone).utcoffset()
    while high - low > 0.5:
        middle = (low + high) / 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return float(round(high))
