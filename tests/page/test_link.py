"""Reload, restart, no network, a second tablet: the question and the half-made answer stay.

The network is cut until the page says so: `test_nothing_depends_on_how_long` makes the clock of the page run thirty
seconds, and the soak run waits them.
"""

from __future__ import annotations

import time

from playwright.sync_api import expect

from handup.desk import Status
from tests.deadlines import RESTART_S
from tests.page.site import Site


def test_a_reload_keeps_the_half_made_answer(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("action")
        look.press("guess-other", "option-1")
        look.page.reload()
        look.question(asked)
        expect(look.of("option-1")).to_have_attribute("aria-pressed", "true")
        look.press("resume-1")
        look.page.reload()
        look.press("send")
        told = site.told(asked.id)
        assert told.status is Status.ANSWERED


def test_a_reload_keeps_words_and_one_corner(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("text")
        look.of("text").fill("half a wo")
        look.page.reload()
        expect(look.of("text")).to_have_value("half a wo")
        site.desk.withdraw(asked.id, "enough")
        site.ask("box")
        look.press("guess-other")
        look.of("picture").click(position={"x": 80, "y": 80})
        look.says("mark-1", "not set yet")
        look.page.reload()
        look.says("mark-1", "not set yet")
        expect(look.of("mark-0")).not_to_contain_text("not set yet")


def test_another_device_of_the_same_person_has_the_draft(site: Site) -> None:
    with site.open() as first:
        asked = site.ask("text")
        with first.page.expect_response(lambda found: "/drafts/" in found.url and found.request.method == "PUT"):
            first.of("text").fill("soup of")
        with site.open() as second:
            second.question(asked)
            expect(second.of("text")).to_have_value("soup of")


def test_a_restart_under_an_open_page_is_over_within_five_seconds(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("choice")
        look.press("option-1")
        site.end()
        look.sees("stale")
        look.press("send")
        look.says("sent", "kept on this device")
        site.begin()
        began = time.monotonic()
        told = site.told(asked.id)
        assert time.monotonic() - began <= RESTART_S
        assert told.answer is not None
        assert told.answer.value == "cherry tomato"
        look.says("notice", "your answer counts")
        look.sees_not("stale")


def test_without_a_network_nothing_is_lost(site: Site) -> None:
    with site.open(url=site.wired) as look:
        asked = site.ask("text")
        look.question(asked)
        site.wire.cut()
        look.says("stale", "What you see may be old")
        look.of("text").fill("soup")
        look.press("send")
        look.says("sent", "kept on this device")
        site.wire.mend()
        told = site.told(asked.id)
        assert told.answer is not None
        assert told.answer.value == "soup"
        look.sees_not("stale")
        look.sees("waiting")


def test_nothing_depends_on_how_long(site: Site) -> None:
    with site.open(url=site.wired) as look:
        asked = site.ask("choice")
        look.question(asked)
        look.page.clock.install()
        site.wire.cut()
        look.press("option-0", "send")
        for _ in range(30):
            look.page.clock.run_for(1000)
        look.sees("sent")
        site.wire.mend()
        for _ in range(20):
            look.page.clock.run_for(1000)
            look.page.wait_for_timeout(50)
            if site.desk.record(asked.id) != asked:
                break
        told = site.told(asked.id)
        assert told.status is Status.ANSWERED


def test_an_unsent_answer_can_be_taken_back(site: Site) -> None:
    with site.open(url=site.wired) as look:
        asked = site.ask("choice")
        look.press("option-0")
        site.wire.cut()
        look.sees("stale")
        look.press("send", "undo", "undo", "option-2")
        site.wire.mend()
        look.sees_not("stale")
        look.press("send")
        told = site.told(asked.id)
        assert told.answer is not None
        assert told.answer.value == "lettuce"


def test_two_tablets_race_and_the_other_is_told(site: Site) -> None:
    with site.open() as one, site.open("ben") as other:
        asked = site.ask("choice")
        one.press("option-0")
        other.press("answer-now", "option-1")
        one.press("send")
        other.says("notice", "ana answered")
        told = site.told(asked.id)
        assert told.answer is not None
        assert told.answer.value == "chicken"
        other.sees_not("send")


def test_the_slower_of_two_that_were_sent_is_told_that_it_did_not_count(site: Site) -> None:
    with site.open(url=site.wired) as slow, site.open() as fast:
        asked = site.ask("choice")
        slow.press("option-2")
        site.wire.cut()
        slow.press("send")
        slow.sees("sent")
        fast.press("option-0", "send")
        told = site.told(asked.id)
        site.wire.mend()
        slow.says("notice", "already answered")
        slow.says("notice", "lettuce")
        assert told.answer is not None
        assert told.answer.value == "chicken"


def test_a_question_that_is_taken_back_leaves_with_a_word(site: Site) -> None:
    with site.open() as look:
        asked = site.ask("choice")
        look.question(asked)
        site.desk.withdraw(asked.id, "I found it myself")
        look.says("notice", "I found it myself")
        look.sees("waiting")
