"""When may a person be asked: hours, loads, quiet times, against brute force."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
from hypothesis import given

from handup.core import Limits, QuietHours
from handup.people.limits import HOUR_S, Put, fit, quiet_until


def at(text: str, zone: str = "UTC", fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def test_nothing_stands_against_a_first_question() -> None:
    found = fit(Limits(per_hour=1, load_per_hour=1.0), (), 50.0, load=1.0)
    assert (found.fits, found.from_s, found.why) == (True, 50.0, "")


def test_who_has_a_question_before_them_is_not_asked_another() -> None:
    found = fit(Limits(), (), 0.0, before=1)
    assert (found.fits, found.from_s) == (False, None)
    assert fit(Limits(at_once=2), (), 0.0, before=1).fits


def test_so_many_an_hour_and_no_more_until_the_first_is_an_hour_ago() -> None:
    put = (Put(0.0), Put(100.0))
    found = fit(Limits(per_hour=2), put, 200.0)
    assert (found.fits, found.from_s, found.why) == (False, 3600.0, "no more than 2 an hour")
    assert fit(Limits(per_hour=2), put, 3600.0).fits


def test_load_adds_up_over_an_hour() -> None:
    put = (Put(0.0, 0.5), Put(100.0, 0.3), Put(200.0, 0.2))
    found = fit(Limits(load_per_hour=1.0), put, 300.0, load=0.6)
    assert (found.fits, found.from_s) == (False, 3700.0)


def test_a_question_with_more_load_than_an_hour_may_bring_never_fits() -> None:
    assert fit(Limits(load_per_hour=1.0), (), 0.0, load=1.5).never


def test_quiet_hours_past_midnight() -> None:
    quiet = (QuietHours(start="22:00", end="07:00", zone="Europe/Berlin"),)
    zone = "Europe/Berlin"
    assert quiet_until(quiet, at("2025-01-10T21:59:59", zone)) == at("2025-01-10T21:59:59", zone)
    assert quiet_until(quiet, at("2025-01-10T22:00", zone)) == at("2025-01-11T07:00", zone)
    assert quiet_until(quiet, at("2025-01-11T06:59", zone)) == at("2025-01-11T07:00", zone)
    assert quiet_until(quiet, at("2025-01-11T07:00", zone)) == at("2025-01-11T07:00", zone)


def test_a_night_in_which_the_clock_is_changed_is_an_hour_shorter_or_longer() -> None:
    quiet = (QuietHours(start="22:00", end="07:00", zone="Europe/Berlin"),)
    for evening, hours in (("2025-03-29T22:00", 8), ("2025-10-25T22:00", 10)):
        start = at(evening, "Europe/Berlin")
        assert quiet_until(quiet, start) - start == hours * HOUR_S


def test_a_time_that_the_clock_skips_is_the_moment_of_the_change() -> None:
    zone = "Europe/Berlin"
    change = at("2025-03-30T01:00")
    begins = (QuietHours(start="02:30", end="05:00", zone=zone),)
    assert quiet_until(begins, change - 1) == change - 1
    assert quiet_until(begins, change) == at("2025-03-30T05:00", zone)
    ends = (QuietHours(start="01:00", end="02:30", zone=zone),)
    assert quiet_until(ends, change - 1) == change


def test_of_a_time_that_the_clock_shows_twice_quiet_begins_at_the_first_and_ends_at_the_second() -> None:
    zone = "Europe/Berlin"
    first, second = at("2025-10-26T02:30", zone), at("2025-10-26T02:30", zone, fold=1)
    assert second - first == HOUR_S
    assert quiet_until((QuietHours(start="01:00", end="02:30", zone=zone),), first) == second
    assert quiet_until((QuietHours(start="02:30", end="04:00", zone=zone),), first) == at("2025-10-26T04:00", zone)


def test_quiet_times_in_a_row_are_one() -> None:
    quiet = (QuietHours(start="20:00", end="23:00"), QuietHours(start="23:00", end="06:00"))
    assert quiet_until(quiet, at("2025-01-10T20:30")) == at("2025-01-11T06:00")


def test_quiet_all_day_is_never() -> None:
    quiet = (QuietHours(start="00:00", end="12:00"), QuietHours(start="12:00", end="00:00"))
    assert quiet_until(quiet, at("2025-01-10T20:30")) == math.inf
    assert fit(Limits(quiet=quiet), (), at("2025-01-10T20:30")).never


def in_quiet(quiet: QuietHours, now_s: float) -> bool:
    """By the clock on the wall, minute by minute; right on days without a change."""
    wall = datetime.fromtimestamp(now_s, ZoneInfo(quiet.zone)).strftime("%H:%M")
    if quiet.start < quiet.end:
        return quiet.start <= wall < quiet.end
    return wall >= quiet.start or wall < quiet.end


clocks = st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.sampled_from((0, 15, 30, 59)))
zones = st.sampled_from(("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia"))


@given(start=clocks, end=clocks, zone=zones, minute=st.integers(0, 8 * 24 * 60))
def test_quiet_until_is_what_looking_minute_by_minute_finds(start: str, end: str, zone: str, minute: int) -> None:
    if start == end:
        return
    quiet = QuietHours(start=start, end=end, zone=zone)
    now_s = datetime(2025, 1, 5, tzinfo=UTC).timestamp() + 60.0 * minute
    expected = now_s
    while in_quiet(quiet, expected):
        expected += 60.0
    assert quiet_until((quiet,), now_s) == expected


puts = st.lists(st.tuples(st.floats(0.0, 9000.0), st.sampled_from((0.0, 0.1, 0.25, 0.5))), max_size=12)


@given(
    put=puts,
    more=st.floats(0.0, 4000.0),
    load=st.sampled_from((0.0, 0.1, 0.5)),
    per_hour=st.none() | st.integers(1, 4),
    load_per_hour=st.none() | st.sampled_from((0.5, 0.6, 1.0)),
)
def test_from_s_is_the_first_moment_at_which_no_hour_is_too_full(
    put: list[tuple[float, float]], more: float, load: float, per_hour: int | None, load_per_hour: float | None
) -> None:
    done = [Put(*each) for each in sorted(put)]
    now_s = max((each.at_s for each in done), default=0.0) + more
    limits = Limits(per_hour=per_hour, load_per_hour=load_per_hour)

    def allowed(at_s: float) -> bool:
        within = [each for each in done if each.at_s + HOUR_S > at_s]
        heavy = math.fsum([load, *(each.load for each in within)])
        return (per_hour is None or len(within) < per_hour) and (load_per_hour is None or heavy <= load_per_hour + 1e-9)

    moments = sorted({now_s, *(each.at_s + HOUR_S for each in done if each.at_s + HOUR_S > now_s)})
    expected = next(each for each in moments if allowed(each))
    found = fit(limits, done, now_s, load=load)
    assert found.from_s == expected
    assert found.fits == (expected == now_s)
