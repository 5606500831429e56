"""A stop throws away nothing that was begun: the robot asks again, and it stands there, and is not sent by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Route, expect

from handup.cli.page import TOUR
from handup.core import Box
from handup.desk import Record, Status
from tests.page.site import Look, Site

QUICK = {"sendAfter": 3}
LONGER_MS = 4500
"""So long a countdown of three seconds would be over."""


def restart(site: Site, look: Look, kind: str) -> Record:
    """Stopped, let go on, and asked again as another run of the robot asks."""
    look.press("stop")
    look.sees("stopped")
    assert site.is_stopped()
    look.press("enable", "enable-yes")
    look.sees("waiting")
    again = site.ask(kind)
    look.question(again)
    return again


def is_open(site: Site, asked: Record) -> bool:
    record = site.desk.record(asked.id)
    return record is not None and record.status is Status.OPEN


def begin_words(look: Look) -> None:
    look.of("text").fill("half a wo")


def has_words(look: Look) -> None:
    expect(look.of("text")).to_have_value("half a wo")
    look.says("send", "Send")


def begin_corner(look: Look) -> None:
    look.press("guess-other")
    look.of("picture").click(position={"x": 80, "y": 80})
    look.says("mark-1", "not set yet")


def has_corner(look: Look) -> None:
    look.says("mark-1", "not set yet")
    expect(look.of("mark-0")).not_to_contain_text("not set yet")
    look.sees_not("send")


def begin_choice(look: Look) -> None:
    look.press("option-1")


def has_choice(look: Look) -> None:
    expect(look.of("option-1")).to_have_attribute("aria-pressed", "true")
    look.sees("send")


HALVES: dict[str, tuple[Callable[[Look], None], Callable[[Look], None]]] = {
    "text": (begin_words, has_words),
    "box": (begin_corner, has_corner),
    "points": (begin_corner, has_corner),
    "choice": (begin_choice, has_choice),
}


@pytest.mark.parametrize("kind", ["text", "box", pytest.param("points", marks=pytest.mark.soak), "choice"])
def test_what_was_begun_stands_where_the_robot_asks_again(site: Site, kind: str) -> None:
    begin, stands = HALVES[kind]
    with site.open() as look:
        look.question(site.ask(kind))
        begin(look)
        again = restart(site, look, kind)
        stands(look)
        look.says("notice", "before the stop")
        look.page.reload()
        look.question(again)
        stands(look)
        assert is_open(site, again)


def test_a_countdown_ends_with_the_stop_and_does_not_begin_again(site: Site) -> None:
    with site.open() as look:
        look.page.evaluate(f"localStorage.setItem('handup.settings', '{json.dumps(QUICK)}')")
        look.page.clock.install()
        look.page.reload()
        look.question(site.ask("choice"))
        look.press("option-1")
        look.sees("wait")
        again = restart(site, look, "choice")
        has_choice(look)
        look.sees_not("wait")
        look.page.clock.run_for(LONGER_MS)
        assert is_open(site, again)
        look.press("send")
        told = site.told(again.id)
        assert told.answer is not None
        assert told.answer.value == "cherry tomato"


def test_nothing_goes_out_after_a_stop_that_does_not_get_through(site: Site) -> None:
    with site.open(url=site.wired) as look:
        look.page.evaluate(f"localStorage.setItem('handup.settings', '{json.dumps(QUICK)}')")
        look.page.clock.install()
        look.page.reload()
        counting = site.ask("choice")
        look.question(counting)
        look.press("option-1")
        look.sees("wait")
        site.wire.cut()
        look.press("stop")
        look.sees("stop-failing")
        look.sees_not("wait")
        look.page.clock.run_for(LONGER_MS)
        look.sees_not("sent")
        site.wire.mend()
        look.sees("stopped")
        record = site.desk.record(counting.id)
        assert record is not None
        assert record.status is Status.WITHDRAWN


def test_an_answer_that_was_sent_and_did_not_get_through_is_called_back(site: Site) -> None:
    with site.open(url=site.wired) as look:
        asked = site.ask("choice")
        look.question(asked)
        look.press("option-1")
        site.wire.cut()
        look.sees("stale")
        look.press("send")
        look.sees("sent")
        look.press("stop")
        look.sees_not("sent")
        look.page.wait_for_timeout(500)  # until the browser's network process has called it back, too
        site.wire.mend()
        look.sees("stopped")
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is Status.WITHDRAWN
        expect(look.of("stop")).not_to_contain_text("Stopping")  # it is written, and not sent again
        look.press("enable", "enable-yes")
        look.sees("waiting")
        again = site.ask("choice")
        look.question(again)
        has_choice(look)
        assert is_open(site, again)


def test_a_page_that_was_away_during_stop_and_enable_has_it_too(site: Site) -> None:
    with site.open(url=site.wired) as look:
        look.question(site.ask("text"))
        begin_words(look)
        site.wire.cut()
        site.desk.stop("ben")
        site.desk.enable("ben")
        look.sees("stale")
        site.wire.mend()
        look.sees("waiting")
        look.question(site.ask("text"))
        has_words(look)


def test_another_question_gets_nothing_of_it(site: Site) -> None:
    with site.open() as look:
        look.question(site.ask("text"))
        begin_words(look)
        look.press("stop", "enable", "enable-yes")
        look.sees("waiting")
        look.question(site.ask(replace(TOUR["text"], prompt="What shall I cook?")))
        expect(look.of("text")).to_have_value("")


def test_a_question_that_was_taken_back_without_a_stop_leaves_nothing(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("text")
        look.question(asked)
        begin_words(look)
        site.desk.withdraw(asked.id, "I know it now")
        look.sees("waiting")
        look.question(site.ask("text"))
        expect(look.of("text")).to_have_value("")


def test_a_permission_is_given_anew(site: Site) -> None:
    with site.open() as look:
        look.question(site.ask("permission"))
        look.press("option-0")
        restart(site, look, "permission")
        expect(look.of("option-0")).to_have_attribute("aria-pressed", "false")
        look.sees_not("send")


def test_a_yes_to_an_old_guess_is_no_yes_to_a_new_one(site: Site) -> None:
    """It is shown as what it was: the box that was there then, beside the new guess."""
    with site.open() as look:
        asked = site.ask("box")
        look.question(asked)
        look.press("guess-yes", "stop", "enable", "enable-yes")
        look.sees("waiting")
        other = Box(left=0.1, top=0.1, right=0.3, bottom=0.3)
        again = site.ask(replace(TOUR["box"], guess=other))
        look.question(again)
        look.sees("picture")
        look.sees_not("guess-yes")
        look.press("send")
        told = site.told(again.id)
        assert told.answer is not None
        assert told.answer.value == asked.question.guess


def test_it_is_put_there_though_the_end_of_the_old_question_is_heard_of_late(site: Site) -> None:
    with site.open(url=site.wired) as look:
        asked = site.ask("text")
        look.question(asked)
        begin_words(look)
        site.wire.cut()
        site.desk.stop("ben")
        site.desk.enable("ben")
        again = site.ask("text")
        late: list[Route] = []

        def hold(route: Route) -> None:
            late.append(route)

        look.page.route(f"**/api/v1/questions/{asked.id}", hold)
        site.wire.mend()
        look.question(again)
        expect(look.of("text")).to_have_value("")
        while not late:
            look.page.wait_for_timeout(20)
        late[0].abort()  # and only the second try gets through
        look.page.unroute_all()
        has_words(look)
        assert is_open(site, again)
