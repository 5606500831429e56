"""A whole meal in a real browser, opened by the link that the robot prints: by touch, by keys, by one switch."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from handup.domains.feeding.attempt_record import HaltedAct
from tests.cli.sitting import Sitting, until
from tests.page.hands import BY_HAND, SCAN_MS, Finger, Hands, Keys, Switch, say

ALWAYS = "topo+query-for-all"
MEAL = ("--speed", "20", "--linger", "600", "--method", ALWAYS, "--json")
SETTINGS = {"scan": "auto", "scanMs": SCAN_MS, "debounceMs": 0, "scanKeys": [" "], "scanTap": False}
BITES = [1, pytest.param(2, marks=pytest.mark.soak)]


@contextmanager
def seated(browser: Browser, sitting: Sitting, **how: Any) -> Iterator[Page]:
    """A tablet at the table, paired by the link that was printed."""
    kept, script = how.pop("settings", None), how.pop("script", "")
    context = browser.new_context(viewport={"width": 1180, "height": 820}, reduced_motion="reduce", **how)
    context.set_default_timeout(15_000)
    if kept is not None:
        context.add_init_script(f"localStorage.setItem('handup.settings', {json.dumps(json.dumps(kept))})")
    if script:
        context.add_init_script(script)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if sitting.url not in request.url else None)
    page.goto(sitting.link)
    try:
        yield page
        assert problems == []
        assert [each for each in outside if not each.startswith(("data:", "blob:", "ws://127.0.0.1"))] == []
    finally:
        context.close()


def dine(page: Page, sitting: Sitting, hands: Hands, timeout_s: float = 600.0) -> None:
    """Answer whatever comes on the screen until the meal is over."""
    limit = time.monotonic() + timeout_s
    while not page.get_by_test_id("summary").is_visible():
        assert time.monotonic() < limit, sitting.said
        shown = page.get_by_test_id("question")
        id_ = shown.get_attribute("data-question") if shown.is_visible() else None
        record = next((each for each in sitting.client.waiting() if each.id == id_), None)
        if record is None:
            page.wait_for_timeout(50)
            continue
        say(page, hands, record, sitting.diner.answer_to(record))
        expect(page.locator(f'[data-question="{id_}"]')).to_have_count(0)
        sitting.seen.append(record.id)


def served(page: Page, sitting: Sitting) -> dict[str, Any]:
    """Return the record of a meal whose end the page has shown; nobody waits until the page is taken away."""
    page.get_by_test_id("summary").wait_for()
    until(lambda: "The page stays for another" in sitting.said)
    sitting.robot.send_signal(signal.SIGINT)
    assert sitting.robot.wait(60) == 0, sitting.said
    found: dict[str, Any] = json.loads(sitting.printed)
    return found


@pytest.mark.parametrize("bites", [1, pytest.param(5, marks=pytest.mark.soak)])
def test_a_meal_by_touch(browser: Browser, tmp_path: Path, bites: int) -> None:
    plate = ("--plate", "thanksgiving", "--looks", "hard", "--seed", "3", "--attempts", "2", "--bites", str(bites))
    with Sitting(tmp_path, *MEAL, *plate) as sitting, seated(browser, sitting, has_touch=True) as page:
        dine(page, sitting, Finger())
        record = served(page, sitting)
    assert len(record["bites"]) == bites
    assert record["queries"] == len(sitting.seen) >= 4 * bites
    assert record["got"] >= 0.8 * bites


@pytest.mark.parametrize("bites", BITES)
def test_a_meal_by_keys(browser: Browser, tmp_path: Path, bites: int) -> None:
    """Most guesses of the food are wrong, so everything is chosen and marked by keys."""
    order = ("--bites", str(bites), "--seed", "1", "--faulty-detector")
    with Sitting(tmp_path, *MEAL, *order) as sitting, seated(browser, sitting) as page:
        dine(page, sitting, Keys())
        record = served(page, sitting)
    assert (record["got"], record["queries"]) == (bites, len(sitting.seen))


@pytest.mark.parametrize("bites", BITES)
def test_a_meal_by_one_switch(browser: Browser, tmp_path: Path, bites: int) -> None:
    order = ("--bites", str(bites), "--seed", "1")
    with (
        Sitting(tmp_path, *MEAL, *order) as sitting,
        seated(browser, sitting, settings=SETTINGS, script=BY_HAND) as page,
    ):
        dine(page, sitting, Switch())
        record = served(page, sitting)
    assert (record["got"], record["queries"]) == (bites, len(sitting.seen))


def test_the_page_shows_the_meal_and_stop_ends_the_motion(browser: Browser, tmp_path: Path) -> None:
    """The arm moves so slowly that a busy machine has the time to see the motion and to press Stop in it."""
    with (
        Sitting(tmp_path, "--bites", "1", "--speed", "0.1", "--wait", "--json") as sitting,
        seated(browser, sitting, has_touch=True) as page,
    ):
        assert sitting.reach("moving")
        page.locator('[data-testid="robot"][data-phase="moving"]').wait_for()
        page.get_by_test_id("stop").tap()
        page.get_by_test_id("enable").wait_for()
        until(lambda: sitting.phase() == "stopped")
        assert [type(entry.event) for entry in sitting.entries()].count(HaltedAct) == 1
        page.get_by_test_id("enable").tap()
        page.get_by_test_id("enable-yes").tap()
        until(lambda: sitting.phase() not in {"stopped", "gone"})
