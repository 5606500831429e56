"""A question over a hand that is driven, in a real browser: everything stays in sight, a gamepad answers and stops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.cli.reaching import Reaching, rests
from tests.page.devices import Devices
from tests.page.test_reach_drive import GAMEPAD, PHONE, look_over, seated

TABLET: ViewportSize = {"width": 1180, "height": 820}
PAD = f"""{GAMEPAD}
window.looks = window.skippedMs = 0;
navigator.getGamepads = () => {{ window.looks += 1; return [window.pad]; }};
const now = performance.now.bind(performance);
performance.now = () => now() + window.skippedMs;
"""
"""A gamepad that counts how often it is looked at, and a clock that can be put forward."""
LOOKS = 12
"""Looks at the gamepad after which everything that listens to it has looked: each does so every 50 ms."""
SEEN = ("panel-goals", "mode", "panel-scene", "hand-above", "ghost-above")


def asked(page: Page) -> Locator:
    """Pushed until it asks; the question."""
    page.keyboard.down("ArrowUp")
    question = page.get_by_test_id("question")
    question.wait_for()
    page.keyboard.up("ArrowUp")
    return question


def looked(page: Page) -> None:
    """Wait until the page has seen how the gamepad is now."""
    page.wait_for_function("looks => window.looks >= looks", arg=page.evaluate("window.looks") + LOOKS)


def pressed(page: Page, button: int) -> None:
    page.evaluate(f"window.pad.buttons[{button}] = {{pressed: true, value: 1}}")
    looked(page)
    page.evaluate(f"window.pad.buttons[{button}] = {{pressed: false, value: 0}}")
    looked(page)
    page.evaluate("window.skippedMs += 500")  # a second press that comes too soon is taken for trembling


@pytest.mark.parametrize("scene", [pytest.param("S1", marks=pytest.mark.soak), "U22"])
def test_it_is_a_banner_and_what_it_is_about_stays_in_sight(devices: Devices, tmp_path: Path, scene: str) -> None:
    with (
        Reaching(tmp_path, "--method", "entropy", "--scene", scene) as reaching,
        seated(devices, reaching) as page,
    ):
        question = asked(page)
        for screen in (TABLET, PHONE):
            page.set_viewport_size(screen)
            least = page.locator(".footer").bounding_box()
            assert least is not None
            for part in (
                question.locator("#prompt"),
                question.get_by_role("button").first,
                *(page.get_by_test_id(name) for name in SEEN),
            ):
                expect(part).to_be_visible()
                box = part.bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= least["y"] + 1, f"{part} lies under the footer"
            look_over(page)
        expect(page.get_by_test_id("mode")).to_contain_text("Move")
        for button in page.get_by_test_id("stick").get_by_role("button", include_hidden=True).all():
            expect(button).to_be_disabled()


def test_a_gamepad_answers_and_stops(devices: Devices, tmp_path: Path) -> None:
    with (
        Reaching(tmp_path, "--method", "entropy") as reaching,
        seated(devices, reaching, PAD) as page,
    ):
        page.evaluate("window.pad.axes[1] = -1; window.pad.buttons[3] = {pressed: true, value: 1}")
        question = page.get_by_test_id("question")
        question.wait_for()
        looked(page)
        expect(page.get_by_test_id("send")).to_have_count(0)  # what was down when it came up is no answer
        page.evaluate("window.pad.axes[1] = 0; window.pad.buttons[3] = {pressed: false, value: 0}")
        first = question.get_attribute("data-question") or ""
        looked(page)
        pressed(page, 2)
        expect(page.locator(".says")).to_contain_text("No")
        pressed(page, 3)
        expect(page.locator(".says")).to_contain_text("Yes")
        assert reaching.client.waiting(), "nothing goes out by one press"
        pressed(page, 3)
        expect(page.locator(f'[data-question="{first}"]')).to_have_count(0)
        record = reaching.until(lambda: reaching.client.record(first))
        assert (record.status, record.answer.value) == ("answered", True)
        pressed(page, 9)
        page.get_by_test_id("enable").wait_for()
        reaching.until(lambda: reaching.state()["phase"] == "stopped")


def test_a_gamepad_stops_in_a_question_and_reaches_every_reply(devices: Devices, tmp_path: Path) -> None:
    with (
        Reaching(tmp_path, "--method", "entropy") as reaching,
        seated(devices, reaching, PAD) as page,
    ):
        asked(page)
        for _ in range(3):  # yes, no, then what can always be said
            page.evaluate("window.pad.axes[0] = 1")
            looked(page)
            page.evaluate("window.pad.axes[0] = 0; window.skippedMs += 500")
            looked(page)
        expect(page.get_by_test_id("not-now")).to_be_focused()
        pressed(page, 3)
        expect(page.locator(".says")).to_contain_text("Not now")
        pressed(page, 9)
        page.get_by_test_id("enable").wait_for()
        reaching.until(lambda: reaching.state()["phase"] == "stopped")


def test_not_now_is_heard_and_stop_is_as_everywhere(devices: Devices, tmp_path: Path) -> None:
    with (
        Reaching(tmp_path, "--method", "entropy", "--scene", "U22") as reaching,
        seated(devices, reaching) as page,
    ):
        question = asked(page)
        page.get_by_test_id("not-now").click()
        page.get_by_test_id("send").click()
        expect(question).to_have_count(0)
        start = reaching.hand()
        page.keyboard.down("ArrowUp")
        reaching.until(lambda: reaching.hand()[0] > start[0] + 0.05)
        page.keyboard.up("ArrowUp")
        assert question.count() == 0, "asked again at once"
        page.get_by_test_id("stop").click()
        page.get_by_test_id("enable").wait_for()
        reaching.until(lambda: reaching.state()["phase"] == "stopped")


@pytest.mark.soak
def test_after_a_crash_in_a_question_the_attempt_goes_on_with_it(devices: Devices, tmp_path: Path) -> None:
    with Reaching(tmp_path, "--method", "entropy") as reaching, seated(devices, reaching) as page:
        number = asked(page).get_attribute("data-question") or ""
        page.wait_for_timeout(500)
        before = reaching.scene()
        reaching.crash()
    with Reaching(tmp_path, "--method", "entropy") as reaching, seated(devices, reaching, shows="question") as page:
        question = page.get_by_test_id("question")
        assert question.get_attribute("data-question") == number
        expect(page.get_by_test_id("hand-above")).to_be_visible()
        after = reaching.scene()
        assert (after["hand"], after["goals"]) == (before["hand"], before["goals"])
        question.get_by_role("button", name=re.compile("^.?Yes")).click()
        page.get_by_test_id("send").click()
        expect(page.locator(f'[data-question="{number}"]')).to_have_count(0)
        reaching.until(lambda: reaching.scene()["goals"] != before["goals"])
        assert rests(reaching), "nobody pushes"
