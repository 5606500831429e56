"""When a robot trusts what it hears: every case, without waiting for any."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handup.client.link_protocol import REMEMBERED, Pulse
from handup.core import ManualClock


def pulse_of() -> tuple[Pulse, ManualClock]:
    clock = ManualClock(1000.0)
    return Pulse(1.0, clock.now_s), clock


def test_nobody_is_there_at_first() -> None:
    pulse, _ = pulse_of()
    assert not pulse.fresh


def test_a_beat_is_good_for_as_long_as_it_says_and_no_longer() -> None:
    pulse, clock = pulse_of()
    pulse.hear({"heard": pulse.send()})
    clock.advance(0.999)
    assert pulse.fresh
    clock.advance(0.001)
    assert not pulse.fresh


def test_a_beat_that_was_held_up_is_as_old_as_the_number_in_it() -> None:
    pulse, clock = pulse_of()
    number = pulse.send()
    clock.advance(5.0)
    pulse.send()
    pulse.hear({"heard": number})
    assert pulse.age_s == 5.0
    assert not pulse.fresh


def test_a_number_that_was_never_sent_and_junk_are_not_trusted() -> None:
    pulse, _ = pulse_of()
    pulse.send()
    for junk in (7, None, "1", 1.5, [1], True and 99):
        pulse.hear({"heard": junk})
    assert not pulse.fresh


def test_once_a_server_repeats_numbers_its_other_beats_say_nothing() -> None:
    pulse, clock = pulse_of()
    pulse.hear({"heard": pulse.send()})
    clock.advance(2.0)
    pulse.hear({"at_s": 5.0})
    assert not pulse.fresh


def test_a_server_that_repeats_nothing_is_dated_by_what_comes_in() -> None:
    pulse, clock = pulse_of()
    clock.advance(2.0)
    pulse.hear({"at_s": 5.0})
    assert pulse.fresh


def test_a_connection_is_as_old_as_its_beginning() -> None:
    pulse, clock = pulse_of()
    began_s = clock.now_s()
    clock.advance(1.5)
    pulse.connected(began_s)
    assert pulse.age_s == 1.5
    pulse.connected(clock.now_s())
    assert pulse.age_s == 0.0
    pulse.forget()
    assert not pulse.fresh


@given(st.lists(st.tuples(st.sampled_from(["send", "deliver", "pass"]), st.floats(0.0, 3.0)), max_size=200))
def test_however_beats_are_held_up_it_is_never_trusted_longer_than_it_was_there(
    steps: list[tuple[str, float]],
) -> None:
    """The server hears at once and answers by a road that may hold anything up; it dies with the last `send`."""
    pulse, clock = pulse_of()
    road: list[int] = []
    there_s = -1e9
    for what, seconds in steps:
        if what == "send":
            road.append(pulse.send())
            there_s = clock.now_s()
        elif what == "deliver" and road:
            pulse.hear({"heard": road.pop(0)})
        clock.advance(seconds)
        if pulse.fresh:
            assert clock.now_s() - there_s < 1.0
    assert len(pulse._sent) <= REMEMBERED
