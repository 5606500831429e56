"""A whole meal in a real browser, opened by the link that the robot prints: by touch, by keys, by one switch."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cli.sitting import Sitting, until
from tests.page.hands import SCAN_MS, Finger, Hands, Keys, Switch, say

ALWAYS = "topo+query-for-all"
SHORT = ("--bites", "2", "--seed", "1", "--speed", "2", "--linger", "8", "--method", ALWAYS, "--json")
SETTINGS = {"scan": "auto", "scanMs": SCAN_MS, "scanKeys": [" "], "scanTap": False}
pytestmark = pytest.mark.slow


@contextmanager
def seated(browser: Browser, sitting: Sitting, **how: Any) -> Iterator[Page]:
    """A tablet at the table, paired by the link that was printed."""
    kept = how.pop("settings", None)
    context = browser.new_context(viewport={"width": 1180, "height": 820}, **how)
    context.set_default_timeout(15_000)
    if kept is not None:
        context.add_init_script(f"localStorage.setItem('handup.settings', {json.dumps(json.dumps(kept))})")
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


def served(sitting: Sitting) -> dict[str, Any]:
    assert sitting.robot.wait(60) == 0, sitting.said
    found: dict[str, Any] = json.loads(sitting.printed)
    return found


def test_a_meal_of_five_bites_by_touch(browser: Browser, tmp_path: Path) -> None:
    arguments = ("--plate", "thanksgiving", "--looks", "hard", "--seed", "3", "--speed", "2", "--linger", "8", "--json")
    with (
        Sitting(tmp_path, *arguments, "--method", ALWAYS, "--attempts", "2") as sitting,
        seated(browser, sitting, has_touch=True) as page,
    ):
        dine(page, sitting, Finger())
        record = served(sitting)
    assert len(record["bites"]) == 5
    assert record["queries"] == len(sitting.seen) >= 20
    assert record["got"] >= 4


def test_a_meal_by_keys(browser: Browser, tmp_path: Path) -> None:
    """Most guesses of the food are wrong, so everything is chosen and marked by keys."""
    with Sitting(tmp_path, *SHORT, "--faulty-detector") as sitting, seated(browser, sitting) as page:
        dine(page, sitting, Keys())
        record = served(sitting)
    assert (record["got"], record["queries"]) == (2, len(sitting.seen))


def test_a_meal_by_one_switch(browser: Browser, tmp_path: Path) -> None:
    with Sitting(tmp_path, *SHORT) as sitting, seated(browser, sitting, settings=SETTINGS) as page:
        dine(page, sitting, Switch())
        record = served(sitting)
    assert (record["got"], record["queries"]) == (2, len(sitting.seen))


def test_the_page_shows_the_meal_and_stop_ends_the_motion(browser: Browser, tmp_path: Path) -> None:
    with (
        Sitting(tmp_path, "--bites", "1", "--speed", "0.5", "--linger", "5", "--json") as sitting,
        seated(browser, sitting, has_touch=True) as page,
    ):
        meal = page.locator('[data-testid="meal"][data-phase="moving"]')
        until(lambda: sitting.answer() or sitting.phase() in {"moving", "deciding"})
        meal.wait_for()
        page.get_by_test_id("stop").tap()
        page.get_by_test_id("enable").wait_for()
        until(lambda: sitting.phase() == "stopped")
        page.get_by_test_id("enable").tap()
        page.get_by_test_id("enable-yes").tap()
        until(lambda: sitting.phase() != "stopped")
        dine(page, sitting, Finger())
        assert served(sitting)["bites"][0]["outcome"] == "recovered"
