"""A robot that serves a meal: words, signs and numbers of all that it says; nothing jumps or takes the focus."""

from __future__ import annotations

from itertools import product
from typing import Any

from playwright.sync_api import expect

from tests.page.axe import violations
from tests.page.bench import Bench
from tests.page.robots import CHAIN, DECISION, ITEMS, MEAL, PICTURE, SUMMED_UP, instead, state, view, without
from tests.page.site import Site

PHASES = {
    "looking": "Looking",
    "deciding": "Thinking",
    "asking": "Asking",
    "moving": "Moving",
    "holding": "Standing still",
    "resting": "Waiting",
    "done": "Finished",
    "stopped": "Stopped",
}
SIGHTS = (view(*MEAL), view(*MEAL, phase="holding"), view(PICTURE, SUMMED_UP, phase="done"))


def test_what_it_is_about_to_do_and_why_in_one_sentence(bench: Bench) -> None:
    bench.show(robot=view(*MEAL))
    words = "About to skewer the chicken — surest of all that is on the plate."
    expect(bench.of("doing")).to_have_text(words)
    expect(bench.page.get_by_role("heading", name="Bite 4 of 5")).to_be_visible()


def test_every_phase_has_words_and_a_sign(bench: Bench) -> None:
    for phase, words in PHASES.items():
        bench.show(robot=view(*MEAL, phase=phase))
        expect(bench.of("phase")).to_have_text(words)
        expect(bench.of("phase").locator("svg")).to_have_count(1)


def test_a_robot_that_is_not_heard_holds_whatever_it_said_last(bench: Bench) -> None:
    bench.show(robot=view(*MEAL))
    bench.page.locator(".stage-picture").wait_for()
    bench.show(robot=view(*MEAL, alive=False))
    expect(bench.of("phase")).to_have_text("The robot does not answer. It stands still.")
    expect(bench.of("panel-picture")).to_have_attribute("data-old", "true")
    expect(bench.of("doing")).to_be_empty()


def test_how_sure_each_module_is_in_words_number_and_bar(bench: Bench) -> None:
    bench.show(robot=view(CHAIN, DECISION))
    rows = bench.page.locator("[data-module]")
    said = ["fairly sure 83 %", "a person said so", "almost sure 97 %", "only guessing 32 %"]
    for row, words in zip(rows.all(), said, strict=True):
        expect(row).to_contain_text(words)
        expect(row.get_by_role("meter")).to_have_count(1)
    expect(rows.nth(3)).to_contain_text("asking about this")
    assert rows.nth(3).evaluate("each => parseFloat(getComputedStyle(each).borderTopWidth)") >= 3


def test_what_it_decided_names_the_module_as_people_know_it(bench: Bench) -> None:
    bench.show(robot=view(CHAIN, DECISION))
    decided = bench.of("panel-decision")
    expect(decided).to_contain_text("I ask (Fork)")
    expect(decided).to_contain_text("It is in doubt.")
    expect(decided).to_contain_text("70 % that it works")


def test_the_bites_say_how_they_went(bench: Bench) -> None:
    bench.show(robot=view(ITEMS))
    expect(bench.of("panel-items").get_by_role("heading")).to_have_text("Bites")
    bites = bench.page.locator(".item")
    words = ["got it", "lost", "not the right one", "now", "to come"]
    for bite, outcome in zip(bites.all(), words, strict=True):
        expect(bite).to_contain_text(outcome)
        expect(bite.locator("svg")).to_have_count(1)
    expect(bites.nth(1)).to_contain_text("3 tries, 2 questions")
    expect(bites.nth(3)).to_have_attribute("aria-current", "step")
    expect(bites.nth(4)).to_contain_text("Bite 5")


def test_an_old_picture_says_its_age_and_a_new_one_is_new(bench: Bench) -> None:
    bench.hold_clock()
    bench.show(robot=view(PICTURE))
    bench.page.locator(".stage-picture").wait_for()
    expect(bench.of("panel-picture")).to_have_attribute("data-old", "false")
    bench.run_for(5_100)
    expect(bench.of("panel-picture")).to_contain_text("Old picture: 5 s")
    bench.run_for(180_000)
    expect(bench.of("panel-picture")).to_contain_text("Old picture: 3 min")
    bench.show(robot=view({**PICTURE, "seq": 2}))
    bench.page.wait_for_function("() => document.querySelector('.stage-picture').src.includes('seq=2')")
    bench.run_for(100)
    expect(bench.of("panel-picture")).to_have_attribute("data-old", "false")


def test_a_picture_that_does_not_come_leaves_the_last_one_to_grow_old(bench: Bench) -> None:
    bench.hold_clock()
    bench.show(robot=view(PICTURE))
    bench.page.locator(".stage-picture").wait_for()
    bench.show(robot=view({**PICTURE, "name": "missing", "seq": 2}))
    bench.run_for(4_100)
    expect(bench.of("panel-picture")).to_contain_text("Old picture: 4 s")
    expect(bench.page.locator(".stage-picture")).to_have_attribute("src", "/api/v1/pictures/live/plate?seq=1")


def test_nothing_jumps_from_state_to_state(bench: Bench) -> None:
    bench.show(robot=view(*MEAL))
    bench.page.locator(".stage-picture").wait_for()
    places = """() => ['picture', 'chain', 'items']
        .map(each => document.querySelector(`[data-testid=panel-${each}]`).getBoundingClientRect().top)"""
    before = bench.page.evaluate(places)
    plain = {key: value for key, value in PICTURE.items() if key not in {"box", "points"}}
    for changed in (
        view(*MEAL, phase="holding"),
        view(*MEAL, doing="", why=""),
        view(*instead(MEAL, plain)),
        view(*instead(MEAL, {**PICTURE, "seq": 9})),
        view(*without(MEAL, "decision")),
    ):
        bench.show(robot=changed)
        assert bench.page.evaluate(places) == before


def test_it_takes_no_focus_and_holds_nothing_to_press(bench: Bench) -> None:
    bench.show(robot=view(*MEAL), buttons=[{"id": "mine", "words": "Mine"}])
    bench.of("mine").focus()
    for robot in SIGHTS:
        bench.show(robot=robot)
        expect(bench.of("mine")).to_be_focused()
    expect(bench.of("robot").locator("button, input, a, [tabindex]")).to_have_count(0)


def test_the_end_of_a_meal_is_summed_up(bench: Bench) -> None:
    bench.show(robot=view(SUMMED_UP, phase="done"))
    expect(bench.of("summary")).to_contain_text("4 of 5 bites")
    expect(bench.of("summary")).to_contain_text("6 tries, 3 questions.")


def test_a_state_with_nothing_but_a_phase_is_shown_without_a_picture_frame(bench: Bench) -> None:
    bare: dict[str, Any] = {"robot": "plate", "phase": "looking", "at_s": 0.0}
    bench.show(robot={"robot": "plate", "alive": True, "state": bare})
    expect(bench.of("phase")).to_have_text("Looking")
    expect(bench.page.get_by_role("heading", name="plate")).to_be_visible()
    expect(bench.page.locator(".stage, figure")).to_have_count(0)


def test_nothing_runs_over_the_side(bench: Bench) -> None:
    for width, text in product((320, 768, 1280, 1920), (100, 200)):
        bench.resize(width, text=text)
        for robot in SIGHTS:
            bench.show(robot=robot)
            assert not bench.overflows(), (width, text, robot)


def test_axe_finds_nothing(bench: Bench) -> None:
    for robot in SIGHTS:
        bench.show(robot=robot)
        bench.page.locator(".stage-picture").wait_for()
        assert violations(bench.page) == [], robot


def test_on_the_real_page_a_robot_s_state_is_seen(site: Site) -> None:
    with site.open() as look:
        site.show_state("plate", state(*instead(MEAL, {**PICTURE, "name": "tour/plate"}), at_s=1.0))
        look.sees("panel-items")
        expect(look.page.locator(".stage-picture")).to_be_visible()
        look.says("robot", "not the right one")
