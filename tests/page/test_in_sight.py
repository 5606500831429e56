"""What must stay in sight, and what must go: notices of safety, Send with large text, thanks that are over."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.page.site import Look, Site

PHONE = {"width": 390, "height": 844}
SHOTS = os.environ.get("HANDUP_SHOTS")


def shot(look: Look, name: str) -> None:
    """For whoever wants to look: HANDUP_SHOTS=FOLDER."""
    if SHOTS:
        look.page.screenshot(path=f"{SHOTS}/{name}.png")


def set_up(look: Look, **settings: Any) -> None:
    kept = json.dumps(json.dumps(settings))
    look.page.evaluate(f"localStorage.setItem('handup.settings', {kept})")
    look.page.reload()


@pytest.mark.parametrize("text", [pytest.param(100, marks=pytest.mark.soak), 200])
def test_a_stop_that_failed_is_said_in_sight_wherever_the_page_is_scrolled(site: Site, text: int) -> None:
    with site.open(url=site.wired, viewport=PHONE) as look:
        set_up(look, text=text)
        look.question(site.ask("choice"))
        site.wire.cut()
        try:
            look.of("option-2").scroll_into_view_if_needed()
            look.of("stop").dispatch_event("pointerdown", {"button": 0})
            expect(look.of("stop-failing")).to_be_in_viewport(ratio=0.9)
            expect(look.of("stop")).to_be_in_viewport(ratio=1)
            shot(look, f"stop-failing-{text}")
        finally:
            site.wire.mend()
        look.sees("stopped")


def test_with_large_text_send_and_undo_stay_and_the_page_does_not_jump(site: Site) -> None:
    with site.open(viewport=PHONE) as look:
        set_up(look, text=200)
        look.question(site.ask("choice"))
        look.of("option-2").scroll_into_view_if_needed()
        before = look.of("option-2").bounding_box()
        look.press("option-2")
        for each in ("send", "undo", "stop"):
            expect(look.of(each)).to_be_in_viewport(ratio=1)
        after = look.of("option-2").bounding_box()
        shot(look, "send-200")
        assert before is not None
        assert after is not None
        assert abs(before["y"] - after["y"]) < PHONE["height"] / 2
        look.page.mouse.wheel(0, -5000)
        expect(look.of("send")).to_be_in_viewport(ratio=1)


def test_thanks_go_with_the_next_question(site: Site) -> None:
    with site.open() as look:
        look.question(site.ask("yes-no"))
        look.press("option-0", "send")
        look.says("notice", "Thank you")
        look.question(site.ask("choice"))
        look.sees_not("notice")


@pytest.mark.parametrize("step", ["permission", "physical"])
def test_what_needs_a_person_is_not_left_to_the_robot(site: Site, step: str) -> None:
    with site.open() as look:
        look.question(site.ask(step))
        look.sees("someone-else")
        look.sees_not("let-robot-try")
        look.press("someone-else")
        look.says("send", "Send")
        expect(look.page.locator(".says")).to_contain_text("If nobody else can be asked, I decide by myself.")


def test_the_plate_is_shown_while_stopped_and_who_stopped_is_told_that_it_goes_on(site: Site) -> None:
    site.show_robot()
    with site.open(viewport=PHONE) as look:
        look.sees("waiting")
        look.press("stop")
        look.sees("stopped")
        look.sees("panel-picture")
        look.page.locator(".stage-picture").wait_for()
        shot(look, "stopped")
        assert site.is_stopped()
        site.desk.enable("ben")
        look.says("notice", "Somebody let the robot go on again.")


def test_one_switch_has_one_mark_and_send_comes_right_after_stop(site: Site) -> None:
    with site.open() as look:
        set_up(look, scan="step", scanKeys=["ArrowRight", " "])
        look.question(site.ask("choice"))
        look.press("option-0")  # a tap presses what it touches, unless it was set otherwise
        look.sees("send")
        look.page.keyboard.press("Tab")
        marked = look.page.locator("[data-scan-now]")
        for _ in range(20):
            expect(marked.first).to_be_attached()
            if marked.first.get_attribute("data-testid") == "stop":
                break
            look.keys("ArrowRight")
            look.page.wait_for_timeout(350)
        look.page.wait_for_timeout(350)
        look.keys("ArrowRight")
        expect(look.of("send")).to_have_attribute("data-scan-now", "control")
        shot(look, "one-switch")
        outline = look.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "none"


def test_a_pairing_that_ended_says_so(site: Site) -> None:
    with site.open(None) as look:
        look.sees("pairing")
        look.sees_not("pairing-ended")
    with site.open() as look:
        look.sees("help")
        look.context.clear_cookies()
        look.page.reload()
        look.says("pairing-ended", "pairing has ended")
