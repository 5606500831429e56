"""Boxes and points on a picture: by touch, numbered fields, nudges and keys; on any screen, with any text size."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import expect

from handup.core import Box, Joining, Point, Question, QuestionKind
from tests.page.axe import violations
from tests.page.bench import Bench
from tests.page.hands import fields_to
from tests.page.site import Site

BOX: dict[str, Any] = {"id": "q1", "prompt": "Where is the chicken?", "kind": "box", "options": [], "image": "plate"}
GUESS = {"left": 0.3, "top": 0.3, "right": 0.45, "bottom": 0.5}
ENDS = ("one end of the long side", "the other end")
SCREENS = ((320, 640, 1), (320, 640, 3), (768, 1024, 2), (1280, 800, 1), (1920, 1080, 1.5))
"""Width and height in px, and how many pixels make a px."""
STATES: tuple[tuple[str, ...], ...] = (
    (),
    ("by-number",),
    ("candidate-6",),
    ("good-enough",),
    ("candidate-8", "good-enough"),
)
"""What is pressed, one after the other, until a box is whole."""
ABOVE = """() => {
    const [stage, bar] = ['.placing-picture > .stage', '.bottom'].map((each) => document.querySelector(each));
    return stage.getBoundingClientRect().bottom <= bar.getBoundingClientRect().top + 1;
}"""
"""Whether the picture ends above the bar at the bottom."""
PLACES = [(0.1, 0.9), (0.5, 0.5), (0.377, 0.251), (0.99, 0.012)]


def points(marks: tuple[str, ...] = ENDS, **more: Any) -> dict[str, Any]:
    return {"id": "q2", "prompt": "Where?", "kind": "points", "options": [], "image": "plate", "marks": marks, **more}


def loaded(bench: Bench) -> None:
    bench.page.locator(".stage-picture").first.wait_for()


def test_a_tap_is_the_place_under_the_finger_on_any_screen(bench: Bench) -> None:
    marks = tuple(f"mark {number}" for number in range(len(PLACES)))
    for screen, text in product(SCREENS, (100, 200)):
        bench.resize(*screen, text=text)
        bench.show(question=points(marks, id=f"{screen} {text}"))
        loaded(bench)
        for x, y in PLACES:
            bench.tap(x, y)
        shown = bench.of("picture").bounding_box()
        assert shown is not None
        assert shown["width"] / shown["height"] == pytest.approx(4 / 3, abs=0.02)
        for point, (x, y) in zip(bench.value, PLACES, strict=True):
            assert point["x"] == pytest.approx(x, abs=1 / shown["width"] + 1e-4), (screen, text)
            assert point["y"] == pytest.approx(y, abs=1 / shown["height"] + 1e-4), (screen, text)


def test_a_tap_is_the_place_under_the_finger_at_any_page_zoom(bench: Bench) -> None:
    for page_zoom in (0.5, 2):
        bench.page.evaluate("zoom => { document.body.style.zoom = zoom }", page_zoom)
        bench.show(question=points(id=f"zoom {page_zoom}"))
        loaded(bench)
        bench.tap(0.25, 0.75)
        assert bench.half[0]["x"] == pytest.approx(0.25, abs=0.005), page_zoom
        assert bench.half[0]["y"] == pytest.approx(0.75, abs=0.005), page_zoom


def test_a_box_is_whole_with_its_second_corner_in_whatever_order_they_come(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.tap(0.6, 0.7)
    assert bench.value is None
    assert bench.half["left"] == bench.half["right"]
    bench.tap(0.2, 0.4)
    assert bench.value == pytest.approx({"left": 0.2, "top": 0.4, "right": 0.6, "bottom": 0.7}, abs=0.005)


def test_a_press_counts_when_it_is_lifted_and_only_over_the_picture(bench: Bench) -> None:
    bench.show(question=BOX)
    loaded(bench)
    shown = bench.of("picture").bounding_box()
    assert shown is not None
    mouse = bench.page.mouse
    mouse.move(shown["x"] + 50, shown["y"] + 50)
    mouse.down()
    assert bench.half is None
    mouse.move(5, 5)
    mouse.up()
    assert bench.half is None


def test_a_further_tap_changes_nothing_until_a_corner_is_chosen(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.tap(0.2, 0.2)
    bench.tap(0.4, 0.4)
    before = bench.value
    bench.tap(0.9, 0.9)
    assert bench.value == before
    bench.press("mark-0")
    bench.tap(0.1, 0.15)
    assert bench.value == pytest.approx({**before, "left": 0.1, "top": 0.15}, abs=0.005)


def test_the_chosen_corner_is_nudged_in_three_step_sizes(bench: Bench) -> None:
    for step, share in enumerate((0.005, 0.02, 0.08)):
        bench.show(question={**BOX, "id": f"step {step}"})
        bench.tap(0.3, 0.3)
        bench.tap(0.6, 0.6)
        before = bench.value
        bench.press(f"step-{step}", "nudge-right", "nudge-down")
        after = {**before, "right": before["right"] + share, "bottom": before["bottom"] + share}
        assert bench.value == pytest.approx(after, abs=1e-4)
        bench.press("mark-0", "nudge-left", "nudge-up")
        after |= {"left": before["left"] - share, "top": before["top"] - share}
        assert bench.value == pytest.approx(after, abs=1e-4)


def test_nudges_stay_on_the_picture_and_corners_apart(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.tap(0.95, 0.05)
    bench.tap(0.5, 0.5)
    bench.press("mark-0", "step-2", "nudge-right", "nudge-up", "nudge-right")
    assert bench.value["right"] == 1
    assert bench.value["top"] == 0
    bench.press("mark-1", "step-1")
    for _ in range(40):
        bench.press("nudge-right")
    assert bench.value["right"] - bench.value["left"] >= 0.01
    expect(bench.page.locator(".placing-says")).to_contain_text("too close")


def test_a_box_can_be_made_by_nudges_alone(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.press("nudge-left", "nudge-left", "nudge-up")
    assert bench.half["left"] == pytest.approx(0.48)
    bench.press("mark-1", "nudge-right", "nudge-right", "step-2", "nudge-down")
    assert bench.value == pytest.approx({"left": 0.48, "top": 0.48, "right": 0.52, "bottom": 0.58})


def test_the_guess_is_drawn_named_and_can_be_started_from(bench: Bench) -> None:
    bench.show(question={**BOX, "guess": GUESS})
    loaded(bench)
    expect(bench.page.locator(".drawing.is-guessed")).to_have_count(1)
    expect(bench.page.get_by_text("robot's guess", exact=True)).to_be_visible()
    bench.press("from-guess")
    assert bench.value == GUESS
    bench.press("mark-1", "nudge-left")
    assert bench.value == pytest.approx({**GUESS, "right": 0.43})


def test_three_choices_of_a_numbered_field_reach_any_place(bench: Bench) -> None:
    for x, y in ((0.05, 0.05), (0.31, 0.62), (0.5, 0.5), (0.66, 0.34), (0.98, 0.97)):
        bench.show(question=points(id=f"{x} {y}"))
        loaded(bench)
        bench.press("by-number")
        for number in fields_to(Point(x, y)):
            bench.press(f"candidate-{number}")
        assert bench.half[0]["x"] == pytest.approx(x, abs=0.015)
        assert bench.half[0]["y"] == pytest.approx(y, abs=0.02)


def test_one_can_go_back_from_an_enlarged_field_or_take_its_middle(bench: Bench) -> None:
    bench.show(question=points())
    loaded(bench)
    bench.press("by-number", "candidate-6", "zoom-out", "candidate-7", "good-enough")
    assert bench.half[0]["x"] == pytest.approx(0.625)
    assert bench.half[0]["y"] == pytest.approx(0.5)


def test_number_keys_choose_fields_after_the_first_shows_them(bench: Bench) -> None:
    bench.show(question=points())
    loaded(bench)
    for key in ("5", "=", "1", "0"):
        bench.page.keyboard.press(key)
    assert bench.half is not None
    expect(bench.of("mark-1")).to_have_attribute("aria-pressed", "true")


BOX_KEYS = ["ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowUp", "Enter", "ArrowRight", "Shift+ArrowDown", "ArrowRight"]
KEYED_BOX = {"left": 0.42, "top": 0.42, "right": 0.52, "bottom": 0.58}
ALL_AT_ONCE = """async (keys) => {
    const picture = document.querySelector('[data-testid="picture"]');
    for (const each of keys) {
        const key = each.replace('Shift+', '');
        if (key === 'Enter') picture.click();
        else picture.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: key !== each, bubbles: true }));
        for (let turn = 0; turn < 20; turn++) await new Promise((done) => queueMicrotask(done));
    }
}"""


def test_keys_alone_make_a_box(bench: Bench) -> None:
    bench.show(question=BOX)
    loaded(bench)
    bench.of("picture").focus()
    for key in BOX_KEYS:
        bench.page.keyboard.press(key)
    assert bench.value == pytest.approx(KEYED_BOX, abs=0.03)
    assert bench.page.evaluate("document.activeElement.dataset.testid") == "picture"


def test_keys_that_come_quicker_than_the_screen_is_drawn_are_all_heard(bench: Bench) -> None:
    bench.show(question=BOX)
    loaded(bench)
    bench.page.evaluate(ALL_AT_ONCE, BOX_KEYS)
    assert bench.value == pytest.approx(KEYED_BOX, abs=0.03)


def test_the_place_is_told_in_words(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.tap(0.3, 0.2)
    status = bench.page.get_by_role("status")
    expect(status).to_contain_text("left of the middle, upper third (30 % across, 20 % down)")
    expect(status).to_contain_text("2 of 2: the opposite corner")
    expect(bench.of("mark-0")).to_contain_text("left of the middle, upper third")


def test_without_its_picture_the_question_says_so_and_can_be_answered(bench: Bench) -> None:
    bench.show(question={**BOX, "image": "missing", "guess": GUESS})
    expect(bench.page.get_by_role("alert")).to_contain_text("cannot be shown")
    bench.press("by-number", "candidate-1", "good-enough", "candidate-7", "good-enough", "nudge-left")
    assert bench.value is not None
    bench.press("picture-again")
    loaded(bench)
    expect(bench.page.get_by_role("alert")).to_have_count(0)


def test_what_is_drawn_between_two_points_is_what_the_question_says(bench: Bench) -> None:
    for joined, curves, heads in ((None, 0, 3), (Joining.ARROW, 0, 2), (Joining.AROUND, 2, 1)):
        bench.show(question=points(id=f"joined {joined}", joined=joined))
        bench.tap(0.3, 0.3)
        bench.tap(0.6, 0.6)
        drawn = bench.page.locator(".placing-picture .drawing-ink").get_attribute("d") or ""
        assert drawn.count("A") == curves
        assert drawn.count("M") == heads


def test_each_mark_can_be_gone_back_to(bench: Bench) -> None:
    bench.show(question=points(("first", "second", "third")))
    expect(bench.of("mark-1")).to_be_disabled()
    for share in (0.2, 0.4, 0.6):
        bench.tap(share, share)
    bench.press("mark-1")
    bench.tap(0.4, 0.8)
    assert [each["y"] for each in bench.value] == pytest.approx([0.2, 0.8, 0.6], abs=0.005)
    bench.press("start-over")
    assert bench.value is None
    expect(bench.page.get_by_role("status")).to_contain_text("1 of 3: first")


def test_undo_clears_it_and_a_half_made_answer_comes_back(bench: Bench) -> None:
    bench.show(question=BOX)
    bench.tap(0.2, 0.2)
    half = bench.half
    bench.tap(0.4, 0.4)
    bench.press("undo")
    expect(bench.page.locator(".pin")).to_have_count(0)
    bench.show(question={**BOX, "id": "another"}, half=half)
    expect(bench.page.get_by_role("status")).to_contain_text("2 of 2")
    bench.tap(0.5, 0.6)
    assert bench.value == pytest.approx({"left": 0.2, "top": 0.2, "right": 0.5, "bottom": 0.6}, abs=0.005)


def test_nothing_to_press_is_small_and_nothing_runs_over_the_side(bench: Bench) -> None:
    for screen, text in product(SCREENS, (100, 200)):
        bench.resize(*screen, text=text)
        bench.show(question={**BOX, "id": f"{screen} {text}", "guess": GUESS})
        loaded(bench)
        for presses in STATES:
            bench.press(*presses)
            assert bench.small() == [], (screen, text, presses)
            assert not bench.overflows(), (screen, text, presses)


def test_axe_finds_nothing(bench: Bench) -> None:
    bench.show(question={**BOX, "guess": GUESS})
    loaded(bench)
    for presses in STATES:
        bench.press(*presses)
        assert violations(bench.page) == [], presses


def test_on_the_real_page_a_box_by_touch_reaches_the_desk(site: Site) -> None:
    with site.open(has_touch=True) as look:
        for width in (320, 1280):
            look.page.set_viewport_size({"width": width, "height": 800})
            asked = site.ask(Question("Where is it?", QuestionKind.BOX, image="tour/plate"))
            look.question(asked)
            look.page.locator(".stage-picture").first.wait_for()
            surface = look.of("picture")
            for x, y in ((0.6, 0.55), (0.71, 0.67)):
                surface.scroll_into_view_if_needed()
                shown = surface.bounding_box()
                assert shown is not None
                look.page.touchscreen.tap(shown["x"] + x * shown["width"], shown["y"] + y * shown["height"])
            look.press("send")
            told = site.told(asked.id)
            assert told.answer is not None
            box = told.answer.value
            assert isinstance(box, Box)
            off = [box.left - 0.6, box.top - 0.55, box.right - 0.71, box.bottom - 0.67]
            assert max(map(math.fabs, off)) < 0.006


def test_the_focus_is_never_lost_while_fields_are_chosen_by_keys(bench: Bench) -> None:
    bench.show(question=BOX)
    loaded(bench)
    bench.of("by-number").focus()
    focused = "() => document.activeElement.dataset.testid"
    for _ in range(4):
        bench.page.keyboard.press("Enter")
        assert bench.page.evaluate(focused) == "candidate-1"
    bench.of("start-over").focus()
    bench.page.keyboard.press("Enter")
    assert bench.page.evaluate(focused) == "candidate-1"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1280, 800)])
def test_on_the_real_page_a_whole_box_is_seen_whole_before_it_is_sent(site: Site, width: int, height: int) -> None:
    before = site.ask("box")
    with site.open(viewport={"width": width, "height": height}) as look:
        look.question(before)
        site.desk.withdraw(before.id, "the plate was moved")
        look.sees("notice")  # it takes room from the picture until it is closed
        look.question(site.ask("box"))
        look.press("guess-other", "from-guess")
        look.sees("send")
        expect(look.page.locator(".placing-picture > .stage")).to_be_in_viewport(ratio=0.99)
        look.page.wait_for_function(ABOVE)
