"""Stop: first, on press, from everywhere, latched; and honest where it does not get through."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from handup.desk import Status
from tests.page.site import Site

FIRST = "[...document.querySelectorAll('button, input, a[href]')].findIndex(e => e.dataset.testid === 'stop')"


def test_it_acts_on_press_not_on_release(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("choice")
        look.question(asked)
        look.of("stop").hover()
        look.page.mouse.down()
        look.sees("stopped")
        assert site.is_stopped()
        look.page.mouse.up()
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is Status.WITHDRAWN


def test_by_a_letter(site: Site) -> None:
    with site.open() as look:
        look.question(site.ask("choice"))
        look.keys("s")
        look.sees("stopped")
        assert site.is_stopped()


def test_a_press_does_not_wait_for_one_from_before_the_page_was_loaded(site: Site) -> None:
    with site.open() as look:
        look.sees("waiting")
        kept = json.dumps({"token": "old", "store": "another"})
        look.page.evaluate("kept => localStorage.setItem('handup.stopping', kept)", kept)
        look.page.route("**/api/v1/me", lambda route: None)  # it is not known yet who is there
        look.page.reload()
        look.press("stop")
        assert site.is_stopped()


def test_f9_stops_while_typing_and_letters_do_not(site: Site) -> None:
    with site.open() as look:
        look.question(site.ask("text"))
        look.of("text").press_sequentially("sssss")
        assert not site.desk.stopped
        look.keys("F9")
        look.sees("stopped")


def test_it_is_first_and_in_sight_in_every_state(site: Site) -> None:
    with site.open() as look:
        look.sees("waiting")
        for presses in ((), ("help",), ("settings",), ("sheet-close",), ("guess-other", "option-0"), ("stop",)):
            look.press(*presses)
            expect(look.of("stop")).to_be_in_viewport(ratio=1)
            assert look.page.evaluate(FIRST) == 0
            look.sees("help")
            if presses == ("sheet-close",):
                look.question(site.ask("action"))


def test_to_go_on_takes_two_presses_at_two_places(site: Site) -> None:
    with site.open() as look:
        site.desk.stop("ben", "a noise")
        look.says("stopped", "ben")
        look.press("enable")
        assert site.desk.stopped
        look.press("enable-no")
        assert site.desk.stopped
        first = look.of("enable").bounding_box()
        look.press("enable")
        second = look.of("enable-yes").bounding_box()
        assert first is not None
        assert second is not None
        middle = (first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
        inside = second["x"] <= middle[0] <= second["x"] + second["width"] and (
            second["y"] <= middle[1] <= second["y"] + second["height"]
        )
        assert not inside, "a double tap would let it go on"
        look.press("enable-yes")
        look.sees("waiting")
        assert not site.desk.stopped


def test_escape_never_lets_it_go_on(site: Site) -> None:
    with site.open() as look:
        site.desk.stop("ben")
        look.press("enable")
        look.keys("Escape", "Escape")
        look.sees("stopped")
        assert site.is_stopped()


def test_a_stop_that_does_not_get_through_says_so_and_keeps_trying(site: Site) -> None:
    with site.open(url=site.wired) as look:
        look.question(site.ask("choice"))
        site.wire.cut()
        look.press("stop")
        look.says("stop-failing", "Use the robot's own button")
        assert not site.desk.stopped
        site.wire.mend()
        look.sees("stopped")
        look.sees_not("stop-failing")
        assert site.is_stopped()


def test_a_stop_survives_a_reload_of_the_page(site: Site) -> None:
    with site.open(url=site.wired) as look:
        look.sees("waiting")
        site.wire.cut()
        look.press("stop")
        look.sees("stop-failing")
        site.wire.mend()
        look.page.reload()
        look.sees("stopped")
        assert site.is_stopped()
