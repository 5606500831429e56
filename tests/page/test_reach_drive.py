"""A hand driven in a real browser: by keys, by touch, by a gamepad and by one switch; remapped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.cli.reaching import Reaching, rests
from tests.deadlines import READ_S
from tests.page.axe import violations
from tests.page.devices import Devices
from tests.page.site import SOON_MS

GAMEPAD = """
window.pad = {index: 0, connected: true, axes: [0, 0, 0, 0], mapping: "standard", id: "test",
  buttons: Array.from({length: 16}, () => ({pressed: false, value: 0, touched: false}))};
navigator.getGamepads = () => [window.pad];
"""
AT_ONCE = """async () => {
  document.querySelector('[data-testid="change-up"]').click();
  await new Promise((done) => setTimeout(done));
  window.pad.buttons[3] = {pressed: true, value: 1};
}"""
APART = """() => [...document.querySelectorAll(".drawn")].map((drawn) => {
  const [words, drawing] = ["figcaption", "svg"].map((each) => drawn.querySelector(each).getBoundingClientRect());
  return words.right <= drawing.left || words.bottom <= drawing.top;
})"""
CHANGES = """() => {
  window.said = {doing: [], aloud: []};
  for (const [name, log] of Object.entries(window.said)) {
    const node = document.querySelector(`[data-testid="${name}"]`);
    const watch = () => log.at(-1)?.[1] === node.textContent || log.push([performance.now() / 1000, node.textContent]);
    new MutationObserver(watch).observe(node, {characterData: true, childList: true, subtree: true});
  }
}"""
MISSED = "The hand is open again — There was nothing to hold."
BLOCKED = "Standing still — Something is in the way: the table."
PHONE: ViewportSize = {"width": 390, "height": 844}
SCAN = {"scan": "auto", "scanMs": 800, "scanKeys": [" "], "scanTap": False}


@contextmanager
def seated(devices: Devices, reaching: Reaching, script: str = "", *, shows: str = "panel-scene") -> Iterator[Page]:
    """Lend a tablet that has opened the page of the robot."""
    how = {"viewport": {"width": 1180, "height": 820}, "reduced_motion": "reduce"}
    with devices.take(f"{reaching.url}/api/v1/health", SOON_MS, **how) as device:
        page = device.page
        if script:
            page.add_init_script(script)
        page.goto(f"{reaching.url}/#code={reaching.code()}")
        page.get_by_test_id(shows).wait_for()
        yield page


@pytest.fixture(scope="module")
def reaching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reaching]:
    """A hand that only follows, for all tests that leave it in the air."""
    with Reaching(tmp_path_factory.mktemp("manual"), "--method", "manual", "--task", "cup/top") as made:
        yield made


def test_keys_and_fingers_push_and_letting_go_stops(devices: Devices, reaching: Reaching) -> None:
    with seated(devices, reaching) as page:
        start = reaching.hand()
        expect(page.get_by_role("heading", name="Take the cup (top grasp)")).to_be_visible()
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        page.keyboard.down("ArrowLeft")
        reaching.until(lambda: reaching.hand()[1] > start[1] + 0.02)
        expect(page.get_by_test_id("push-left")).to_have_attribute("data-pushed", "true")
        page.keyboard.up("ArrowLeft")
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        assert rests(reaching)
        page.keyboard.press("m")
        expect(page.get_by_test_id("push-forward")).to_contain_text("Tip down")
        down = page.get_by_test_id("push-forward").bounding_box()
        assert down is not None
        page.mouse.move(down["x"] + 20, down["y"] + 20)
        page.mouse.down()
        reaching.until(lambda: reaching.scene()["hand"][5] > 0.05)
        page.mouse.up()
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        assert rests(reaching)


def since(words: str, said: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return what was said from some words on."""
    return said[[heard for _, heard in said].index(words) :]


def test_what_did_not_work_stays_to_be_read_and_is_said_aloud(devices: Devices, tmp_path: Path) -> None:
    with (
        Reaching(tmp_path, "--method", "manual") as reaching,
        seated(devices, reaching) as page,
    ):
        doing, aloud = page.get_by_test_id("doing"), page.get_by_test_id("aloud")
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        expect(aloud).to_have_attribute("role", "status")
        expect(aloud).to_have_text("")  # what it does all the time is not read out
        page.evaluate(CHANGES)
        page.get_by_test_id("close-hand").click()
        expect(doing).to_contain_text("nothing to hold")
        page.keyboard.down("x")
        expect(doing).to_have_text(BLOCKED)
        expect(aloud).to_have_text(BLOCKED)
        said = page.evaluate("window.said")
        # On a busy machine the robot may first have said that nobody steers.
        doing_since, aloud_since = (since(MISSED, said[name]) for name in ("doing", "aloud"))
        assert [words for _, words in doing_since] == [MISSED, "Only following you.", BLOCKED]
        assert [words for _, words in aloud_since if words] == [MISSED, BLOCKED]
        (missed_s, _), (next_s, _), _ = doing_since
        assert next_s - missed_s > READ_S, "and nothing took its place, though the hand moves"
        expect(page.get_by_test_id("phase")).to_have_text("Standing still")
        page.keyboard.up("x")
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        expect(doing).to_contain_text("in the way")
        page.keyboard.down("w")
        expect(page.get_by_test_id("phase")).to_have_text("Moving")
        expect(doing).to_have_text("Only following you.")
        expect(aloud).to_have_text("")
        page.keyboard.up("w")


def test_a_gamepad_drives_and_is_remapped_for_this_person_on_this_device(devices: Devices, reaching: Reaching) -> None:
    with seated(devices, reaching, GAMEPAD) as page:
        start = reaching.hand()
        page.evaluate("window.pad.axes[1] = -1")
        reaching.until(lambda: reaching.hand()[0] > start[0] + 0.02)
        page.evaluate("window.pad.axes[1] = 0")
        page.get_by_test_id("controls").click()
        page.get_by_test_id("change-up").click()
        page.keyboard.press("s")
        expect(page.get_by_test_id("refused")).to_contain_text("taken")
        page.evaluate(AT_ONCE)  # quicker than the next picture
        expect(page.get_by_test_id("input-up")).to_contain_text("button 4")
        page.evaluate("window.pad.buttons[3] = {pressed: false, value: 0}")
        page.get_by_test_id("change-close").click()
        page.keyboard.press("k")
        expect(page.get_by_test_id("input-close")).to_contain_text("key K")
        kept = json.loads(page.evaluate("localStorage.getItem('handup.drive.you')"))
        assert (kept["pads"]["up"], kept["keys"]["close"]) == ({"button": 3}, "k")
        page.reload()
        page.get_by_test_id("panel-scene").wait_for()
        page.evaluate("window.pad.buttons[3] = {pressed: true, value: 1}")
        reaching.until(lambda: reaching.hand()[2] > start[2] + 0.02)
        page.evaluate("window.pad.buttons[3] = {pressed: false, value: 0}")
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        page.keyboard.press("k")
        expect(page.get_by_test_id("doing")).to_contain_text("nothing to hold")


def is_left_of(reaching: Reaching, y: float) -> bool:
    """Return whether the hand is further left than that, in metres."""
    return reaching.hand()[1] > y


def test_a_tap_moves_as_long_as_taps_do_and_the_other_way_ends_it(devices: Devices, tmp_path: Path) -> None:
    """On a hand of its own, which nobody has driven before."""
    with (
        Reaching(tmp_path, "--method", "manual") as reaching,
        seated(devices, reaching) as page,
    ):
        left = reaching.hand()[1]
        for by in ("finger", "key"):
            if by == "finger":
                page.get_by_test_id("push-left").click()
            else:
                page.keyboard.press("ArrowLeft", delay=20)
            reaching.until(partial(is_left_of, reaching, left))
            expect(page.get_by_test_id("phase")).to_have_text("Waiting")
            assert rests(reaching)
            before, left = left, reaching.hand()[1]
            assert 0.0 < left - before < 0.06, "for a moment, and only for that"
        start = reaching.hand()
        page.keyboard.press("ArrowLeft", delay=20)
        page.keyboard.down("ArrowRight")
        reaching.until(lambda: reaching.hand()[1] < start[1] - 0.02)
        page.keyboard.up("ArrowRight")


def test_digits_stay_answers_and_who_thinks_nothing_shows_no_bars(devices: Devices, reaching: Reaching) -> None:
    with seated(devices, reaching) as page:
        expect(page.get_by_test_id("hand-above")).to_be_visible()
        expect(page.get_by_test_id("panel-goals")).to_have_count(0)
        page.get_by_test_id("controls").click()
        page.get_by_test_id("change-forward").click()
        page.keyboard.press("1")
        expect(page.get_by_test_id("refused")).to_contain_text("taken")
        expect(page.get_by_test_id("input-forward")).to_contain_text("key ↑")


def test_one_switch_moves_the_hand_step_by_step(devices: Devices, reaching: Reaching) -> None:
    script = f"localStorage.setItem('handup.settings', {json.dumps(json.dumps(SCAN))})"
    with seated(devices, reaching, script) as page:
        start = reaching.hand()
        mark = page.get_by_test_id("scan-mark")
        for words in ("Move", "Left"):
            expect(mark).to_have_attribute("data-label", re.compile(f"^{words}"))
            page.keyboard.press(" ")
        reaching.until(lambda: reaching.hand()[1] > start[1] + 0.015)
        expect(page.get_by_test_id("phase")).to_have_text("Waiting")
        assert rests(reaching), "for a moment only"


def look_over(page: Page) -> None:
    """See that axe-core finds nothing in either scheme, that everything fits and that words lie beside drawings."""
    assert violations(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert all(page.evaluate(APART)), "words in a drawing"


def test_nothing_is_wrong_for_axe_and_everything_fits(devices: Devices, reaching: Reaching) -> None:
    with seated(devices, reaching) as page:
        page.set_viewport_size(PHONE)
        look_over(page)
        page.get_by_test_id("controls").click()
        page.get_by_test_id("sheet").wait_for()
        look_over(page)
