"""Limits on asking a person: questions at once, questions and load per hour, quiet hours, and being busy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from handup.core import Limits, QuietHours

HOUR_S = 3600.0
BUSY = "they are busy"
_ROUNDS = 32
"""Number of quiet times without a gap between them after which they count as never ending."""
_LAST_S = datetime(9990, 1, 1, tzinfo=UTC).timestamp()
"""Last moment that the calendar can compute; after it there are no quiet hours."""
_SLACK = 1e-9
"""Load by which a sum may pass its limit, as sums of floats are not exact."""


@dataclass(frozen=True)
class Put:
    """Question that was put to a person.

    Args:
        at_s: Time in seconds.
        load: Query cost of the question.
    """

    at_s: float
    load: float = 0.0


@dataclass(frozen=True)
class Busy:
    """A person's statement that they are busy and not to be asked.

    Args:
        since_s: Time at which they said it, in seconds.
        until_s: Time from which they may be asked again; None where that is when they say that they are back.
    """

    since_s: float
    until_s: float | None = None

    def holds(self, now_s: float) -> bool:
        """Return True as long as they are not to be asked."""
        return self.until_s is None or now_s < self.until_s


@dataclass(frozen=True, kw_only=True)
class QuestionFit:
    """Result of checking one more question against a person's limits.

    Args:
        fits: True if it may be put to the person now.
        from_s: Time from which it may be, if nothing else is put to the person until then; infinity for never. None
            where it depends on when they answer the questions before them, or say that they are back.
        why: The limit that stands against it, for a person to read; empty where it fits.
    """

    fits: bool
    from_s: float | None
    why: str = ""

    @property
    def never(self) -> bool:
        """True if no waiting helps."""
        return self.from_s == math.inf


def fit(
    limits: Limits,
    put: Iterable[Put],
    now_s: float,
    *,
    load: float = 0.0,
    before: int = 0,
    busy: Busy | None = None,
) -> QuestionFit:
    """Check whether a question fits the limits of a person now, or else from when and why not.

    A question that was put exactly 3600 seconds ago no longer counts for the last hour.

    Args:
        limits: Limits of the person.
        put: Questions put to them, oldest first; those older than an hour may be left out.
        now_s: Present time, in seconds since 1970, which the quiet hours need.
        load: Query cost of the question.
        before: Number of questions before them now.
        busy: Their word that they are busy; None where they said nothing, or are back.
    """
    if busy is not None and busy.holds(now_s):
        # Questions before them are left out: they may be answered by then. Without an end, only "never" is certain.
        later = fit(limits, put, now_s if busy.until_s is None else busy.until_s, load=load)
        from_s = later.from_s if later.never or busy.until_s is not None else None
        return QuestionFit(fits=False, from_s=from_s, why=BUSY)
    counts = limits.per_hour is not None or limits.load_per_hour is not None
    recent = [question for question in put if question.at_s + HOUR_S > now_s] if counts else []
    from_s, why = now_s, ""
    if limits.per_hour is not None and len(recent) >= limits.per_hour:
        from_s = math.inf if limits.per_hour < 1 else recent[-limits.per_hour].at_s + HOUR_S
        why = f"no more than {limits.per_hour} an hour"
    if limits.load_per_hour is not None:
        lighter_s = _lighter_from(recent, limits.load_per_hour - load, now_s)
        if lighter_s > from_s:
            from_s, why = lighter_s, f"no more load than {limits.load_per_hour:g} an hour"
    # Last, since the moment at which the other limits allow it may lie in a quiet time.
    quiet_s = quiet_until(limits.quiet, from_s)
    if quiet_s > from_s:
        from_s, why = quiet_s, why or "quiet hours"
    if limits.at_once < 1:
        return QuestionFit(fits=False, from_s=math.inf, why="not asked at all")
    if from_s > now_s:
        return QuestionFit(fits=False, from_s=from_s, why=why)
    if before >= limits.at_once:
        return QuestionFit(fits=False, from_s=None, why=f"no more than {limits.at_once} at once")
    return QuestionFit(fits=True, from_s=now_s)


def _lighter_from(recent: Sequence[Put], room: float, now_s: float) -> float:
    """Return the time from which the load of these questions leaves room."""
    if room < -_SLACK:
        return math.inf
    # From the newest back: the first question that no longer fits beside the newer ones has to be an hour old.
    kept = 0.0
    for question in reversed(recent):
        kept += question.load
        if kept > room + _SLACK:
            return question.at_s + HOUR_S
    return now_s


def quiet_until(quiet: Sequence[QuietHours], now_s: float) -> float:
    """Return the first moment from `now_s` on that lies in no quiet time; infinity for never.

    Quiet times follow the clock on the wall through changes to and from summer time. A time that the clock skips is
    the moment of the change; of a time that it shows twice, quiet begins at the first and ends at the second.
    """
    at_s = now_s
    for _ in range(_ROUNDS):
        ends = [end for hours in quiet if (end := _ends(hours, at_s)) is not None]
        if not ends:
            return at_s
        at_s = max(ends)
    return math.inf


def _ends(quiet: QuietHours, now_s: float) -> float | None:
    """Return the end of the quiet time that `now_s` lies in, or None."""
    if not abs(now_s) < _LAST_S:
        return None
    zone = ZoneInfo(quiet.zone)
    today = datetime.fromtimestamp(now_s, zone).date()
    start, end = time.fromisoformat(quiet.start), time.fromisoformat(quiet.end)
    over_night = 1 if end <= start else 0
    # Quiet nights that began before today may still last.
    for back in (0, 1, 2):
        day = today - timedelta(days=back)
        from_s = _moment(day, start, zone, last=False)
        until_s = _moment(day + timedelta(days=over_night), end, zone, last=True)
        if from_s <= now_s < until_s:
            return until_s
    return None


def _moment(day: date, clock: time, zone: ZoneInfo, *, last: bool) -> float:
    """Return the first or last moment at which the clock on the wall shows a time; where it skips it, the change."""
    # A skipped time has its two readings in reverse order: with the new offset (fold=1) it is the earlier one.
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
