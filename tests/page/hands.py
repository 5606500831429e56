"""How people answer on the page: with a finger, with keys, or with one switch. Each is told only what to say."""

from __future__ import annotations

from typing import Protocol

from playwright.sync_api import Page

from handup.core import Box, Point, Value
from handup.desk import Record

GRID = (4, 3)
ZOOMS = 2
SCAN_MS = 800
CAREFUL = """
    window.wanted = window.pressed = null;
    const look = (event) => {
        if (window.wanted === null || event.key !== ' ') return;
        if (event.type === 'keydown') {
            const marked = document.querySelector(`[data-testid="${window.wanted}"][data-scan-now]`);
            const label = document.querySelector('[data-testid="scan-mark"]')?.dataset.label ?? 'Stop';
            window.pressed = marked && label !== 'Stop' ? marked.dataset.scanNow : null;
        }
        if (window.pressed === null) event.stopImmediatePropagation();
    };
    for (const type of ['keydown', 'keyup']) window.addEventListener(type, look, true);
"""
"""A script for a page that `Switch` uses: a press that comes when the mark has gone on, perhaps to Stop, is none."""
BY_HAND = f"""{CAREFUL}
    const later = window.setTimeout.bind(window), never = window.clearTimeout.bind(window);
    window.moveMark = null;
    window.setTimeout = (act, ms, ...more) => ms === {SCAN_MS} ? (window.moveMark = act, -1) : later(act, ms, ...more);
    window.clearTimeout = (timer) => timer === -1 ? (window.moveMark = null) : never(timer);
"""
"""The same where nobody waits for the mark: `Switch` moves it."""
MARKED = """async (testid) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const drawn = () => frame().then(frame).then(() => new Promise((done) => setTimeout(done)));
    window.wanted = testid;
    const end = performance.now() + 60000;
    for (await drawn(); performance.now() < end; await drawn()) {
        if (document.querySelector(`[data-testid="${testid}"][data-scan-now]`)) return;
        window.moveMark?.();
    }
    throw new Error(`the mark never came to ${testid}`);
}"""


class Hands(Protocol):
    """One way to use the page."""

    def press(self, page: Page, testid: str) -> None:
        """A button."""
        ...

    def mark(self, page: Page, places: list[Point]) -> None:
        """Places on the picture, one after the other."""
        ...


def say(page: Page, hands: Hands, record: Record, value: Value) -> None:
    """Answer the question that is on the screen, and send it."""
    question = record.question
    if question.guess is not None and question.guess == value and not isinstance(value, bool):
        hands.press(page, "guess-yes")
    else:
        if question.guess is not None and not isinstance(question.guess, bool):
            hands.press(page, "guess-other")
        if isinstance(value, Box):
            hands.mark(page, [Point(value.left, value.top), Point(value.right, value.bottom)])
        elif isinstance(value, tuple):
            hands.mark(page, list(value))
        elif isinstance(value, bool):
            hands.press(page, f"option-{int(not value)}")
        else:
            hands.press(page, f"option-{question.options.index(str(value))}")
    hands.press(page, "send")


class Finger:
    """Touch alone."""

    def press(self, page: Page, testid: str) -> None:
        page.get_by_test_id(testid).tap()

    def mark(self, page: Page, places: list[Point]) -> None:
        page.locator(".stage-picture").first.wait_for()
        for each in places:
            surface = page.get_by_test_id("picture")
            surface.scroll_into_view_if_needed()
            shown = surface.bounding_box()
            assert shown is not None
            page.touchscreen.tap(shown["x"] + each.x * shown["width"], shown["y"] + each.y * shown["height"])


class Keys:
    """Keys alone: digits where there are some, else Tab until it is reached."""

    def press(self, page: Page, testid: str) -> None:
        button = page.get_by_test_id(testid)
        button.wait_for()
        key = button.get_attribute("data-key")
        if key is not None:
            page.keyboard.press(key)
            return
        for _ in range(80):
            if page.evaluate("document.activeElement?.dataset?.testid") == testid:
                page.keyboard.press("Enter")
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"no key leads to {testid}")

    def mark(self, page: Page, places: list[Point]) -> None:
        if page.get_by_test_id("by-number").count():
            self.press(page, "by-number")
        for each in places:
            for number in fields_to(each):
                page.get_by_test_id(f"candidate-{number}").wait_for()
                page.keyboard.press("1234567890-="[number - 1])


class Switch:
    """One switch alone: the space bar, pressed when the mark is where it should be. The page has `CAREFUL`."""

    def press(self, page: Page, testid: str) -> None:
        for _ in range(60):  # into its group, if it is in one; then itself
            page.evaluate(MARKED, testid)
            page.keyboard.press(" ")
            if page.evaluate("window.pressed") == "control":
                return
        raise AssertionError(f"the mark never stayed on {testid}")

    def mark(self, page: Page, places: list[Point]) -> None:
        if page.get_by_test_id("by-number").count():
            self.press(page, "by-number")
        for each in places:
            for number in fields_to(each):
                self.press(page, f"candidate-{number}")


def fields_to(place: Point) -> list[int]:
    """The numbered fields that lead to a place: each but the last enlarges the picture."""
    columns, rows = GRID
    left, top, size = 0.0, 0.0, 1.0
    numbers = []
    for _ in range(ZOOMS + 1):
        column = min(max(int((place.x - left) / size * columns), 0), columns - 1)
        row = min(max(int((place.y - top) / size * rows), 0), rows - 1)
        numbers.append(row * columns + column + 1)
        x, y = left + (column + 0.5) / columns * size, top + (row + 0.5) / rows * size
        size /= min(GRID)
        left, top = (min(1.0 - size, max(0.0, at - size / 2)) for at in (x, y))
    return numbers
