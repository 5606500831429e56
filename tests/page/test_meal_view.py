"""The meal view: what a robot says about itself in words, signs and numbers; nothing jumps or takes the focus."""

from __future__ import annotations

from itertools import product
from typing import Any

import httpx
from playwright.sync_api import expect

from tests.page.axe import violations
from tests.page.bench import Bench
from tests.page.site import Site

CHAIN = [
    {"module": "food", "label": "Food", "says": "chicken", "confidence": 0.83, "by": "robot", "asking": False},
    {"module": "box", "label": "Place", "says": "in the middle", "confidence": None, "by": "person", "asking": False},
    {"module": "skill", "label": "Skill", "says": "skewer", "confidence": 0.97, "by": "robot", "asking": False},
    {"module": "params", "label": "Fork", "says": "along it", "confidence": 0.32, "by": "robot", "asking": True},
]
ITEMS = [
    {"number": 1, "label": "chicken", "outcome": "got", "attempts": 1, "queries": 0},
    {"number": 2, "label": "cherry tomato", "outcome": "lost", "attempts": 3, "queries": 2},
    {"number": 3, "label": "lettuce", "outcome": "wrong", "attempts": 1, "queries": 0},
    {"number": 4, "label": "chicken", "outcome": "now", "attempts": 1, "queries": 1},
    {"number": 5, "label": "", "outcome": "later", "attempts": 0, "queries": 0},
]
STATE: dict[str, Any] = {
    "robot": "plate",
    "phase": "moving",
    "title": "Bite 4 of 5",
    "doing": "about to skewer the chicken",
    "why": "surest of all that is on the plate",
    "at_s": 0.0,
    "picture": "live/plate",
    "picture_seq": 1,
    "overlay": {
        "box": {"left": 0.3, "top": 0.3, "right": 0.45, "bottom": 0.5},
        "points": [{"x": 0.33, "y": 0.42}, {"x": 0.43, "y": 0.38}],
    },
    "chain": CHAIN,
    "decision": {"action": "ask", "module": "params", "reason": "it is in doubt", "reliability": 0.7},
    "items": ITEMS,
}
PHASES = {
    "looking": "Looking at the plate",
    "deciding": "Thinking",
    "asking": "Asking",
    "moving": "Moving",
    "holding": "The robot holds: no contact",
    "resting": "Resting",
    "done": "The meal is over",
    "stopped": "Stopped",
}
SUMMARY = {"got": 4, "of": 5, "queries": 3, "attempts": 6}
SIGHTS: tuple[dict[str, Any], ...] = ({}, {"phase": "holding"}, {"phase": "done", "summary": SUMMARY})


def robot(alive: bool = True, **change: Any) -> dict[str, Any]:
    return {"robot": "plate", "alive": alive, "last_s": 0.0, "state": {**STATE, **change}}


def test_what_it_is_about_to_do_and_why_in_one_sentence(bench: Bench) -> None:
    bench.show(robot=robot())
    words = "About to skewer the chicken — surest of all that is on the plate."
    expect(bench.of("intent")).to_have_text(words)
    expect(bench.page.get_by_role("heading", name="Bite 4 of 5")).to_be_visible()


def test_every_phase_has_words_and_a_sign(bench: Bench) -> None:
    for phase, words in PHASES.items():
        bench.show(robot=robot(phase=phase))
        expect(bench.of("phase")).to_have_text(words)
        expect(bench.of("phase").locator("svg")).to_have_count(1)


def test_a_robot_that_is_not_heard_holds_whatever_it_said_last(bench: Bench) -> None:
    bench.show(robot=robot())
    bench.page.locator(".stage-picture").wait_for()
    bench.show(robot=robot(alive=False))
    expect(bench.of("phase")).to_have_text("The robot does not answer. It holds.")
    expect(bench.of("plate")).to_have_attribute("data-old", "true")
    expect(bench.of("intent")).to_be_empty()


def test_how_sure_each_module_is_in_words_number_and_bar(bench: Bench) -> None:
    bench.show(robot=robot())
    rows = bench.page.locator("[data-module]")
    said = ["fairly sure 83 %", "a person said so", "almost sure 97 %", "only guessing 32 %"]
    for row, words in zip(rows.all(), said, strict=True):
        expect(row).to_contain_text(words)
        expect(row.get_by_role("meter")).to_have_count(1)
    expect(rows.nth(3)).to_contain_text("asking about this")
    assert rows.nth(3).evaluate("each => parseFloat(getComputedStyle(each).borderTopWidth)") >= 3
    expect(bench.of("meal")).to_contain_text("70 % that this bite works")


def test_the_bites_say_how_they_went(bench: Bench) -> None:
    bench.show(robot=robot())
    bites = bench.page.locator(".bite")
    words = ["got it", "lost", "wrong food", "now", "to come"]
    for bite, outcome in zip(bites.all(), words, strict=True):
        expect(bite).to_contain_text(outcome)
        expect(bite.locator("svg")).to_have_count(1)
    expect(bites.nth(1)).to_contain_text("3 tries, 2 questions")
    expect(bites.nth(3)).to_have_attribute("aria-current", "step")


def test_an_old_picture_says_its_age_and_a_new_one_is_new(bench: Bench) -> None:
    bench.hold_clock()
    bench.show(robot=robot())
    bench.page.locator(".stage-picture").wait_for()
    expect(bench.of("plate")).to_have_attribute("data-old", "false")
    bench.run_for(5_100)
    expect(bench.of("plate")).to_contain_text("Old picture: 5 s")
    bench.run_for(180_000)
    expect(bench.of("plate")).to_contain_text("Old picture: 3 min")
    bench.show(robot=robot(picture_seq=2))
    bench.page.wait_for_function("() => document.querySelector('.stage-picture').src.includes('seq=2')")
    bench.run_for(100)
    expect(bench.of("plate")).to_have_attribute("data-old", "false")


def test_a_picture_that_does_not_come_leaves_the_last_one_to_grow_old(bench: Bench) -> None:
    bench.hold_clock()
    bench.show(robot=robot())
    bench.page.locator(".stage-picture").wait_for()
    bench.show(robot=robot(picture="missing", picture_seq=2))
    bench.run_for(4_100)
    expect(bench.of("plate")).to_contain_text("Old picture: 4 s")
    expect(bench.page.locator(".stage-picture")).to_have_attribute("src", "/pictures/live/plate?seq=1")


def test_nothing_jumps_from_state_to_state(bench: Bench) -> None:
    bench.show(robot=robot())
    bench.page.locator(".stage-picture").wait_for()
    places = (
        "() => ['.plate', '.chain', '.bites'].map(each => document.querySelector(each).getBoundingClientRect().top)"
    )
    before = bench.page.evaluate(places)
    for change in (
        {"phase": "holding"},
        {"doing": "", "why": ""},
        {"overlay": None},
        {"picture_seq": 9},
        {"decision": None},
    ):
        bench.show(robot=robot(**change))
        assert bench.page.evaluate(places) == before


def test_it_takes_no_focus_and_holds_nothing_to_press(bench: Bench) -> None:
    bench.show(robot=robot(), buttons=[{"id": "mine", "words": "Mine"}])
    bench.of("mine").focus()
    for change in SIGHTS:
        bench.show(robot=robot(**change))
        expect(bench.of("mine")).to_be_focused()
    expect(bench.of("meal").locator("button, input, a, [tabindex]")).to_have_count(0)


def test_the_end_of_a_meal_is_summed_up(bench: Bench) -> None:
    bench.show(robot=robot(phase="done", summary=SUMMARY))
    expect(bench.of("summary")).to_contain_text("4 of 5 bites")
    expect(bench.of("summary")).to_contain_text("6 tries, 3 questions.")


def test_a_state_with_nothing_but_a_phase_is_shown(bench: Bench) -> None:
    bench.show(robot={"robot": "plate", "alive": True, "state": {"robot": "plate", "phase": "looking", "at_s": 0.0}})
    expect(bench.of("phase")).to_have_text("Looking at the plate")
    expect(bench.of("plate")).to_contain_text("No picture yet.")


def test_nothing_runs_over_the_side(bench: Bench) -> None:
    for width, text in product((320, 768, 1280, 1920), (100, 200)):
        bench.resize(width, text=text)
        for change in SIGHTS:
            bench.show(robot=robot(**change))
            assert not bench.overflows(), (width, text, change)


def test_axe_finds_nothing(bench: Bench) -> None:
    for change in SIGHTS:
        bench.show(robot=robot(**change))
        bench.page.locator(".stage-picture").wait_for()
        assert violations(bench.page) == [], change


def test_on_the_real_page_a_robot_s_state_is_seen(site: Site) -> None:
    token = site.access.robot_token("plate").token
    with site.open() as look:
        put = httpx.put(
            f"{site.url}/api/v1/robots/plate/state",
            json={**STATE, "picture": "tour/plate", "at_s": 1.0},
            headers={"Authorization": f"Bearer {token}"},
        )
        assert put.status_code == 204, put.text
        look.sees("meal")
        expect(look.page.locator(".plate .stage-picture")).to_be_visible()
        look.says("meal", "wrong food")
