"""Panels of any robot: all at once, ones that the page does not know, and ones whose code does not come through."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Route, ViewportSize, expect

from handup.core.panels import PANELS
from tests.page.axe import violations
from tests.page.bench import Bench
from tests.page.robots import CHAIN, DECISION, EVERYTHING, ITEMS, NUMBERS, PICTURE, RUN, SCENE, state, view
from tests.page.site import Look, Site
from tests.page.test_states import measured

TABLET: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
MOMENT_MS = 50
GAUGE = {"panel": "gauge", "version": 1, "level": 0.4}
VIEWS = re.compile(r"/assets/[A-Z]\w*-")
OLDER = "This page is older than the robot: reload it."
OVERLAPS = """() => {
    const all = [...document.querySelectorAll(
        '.robot-head, .robot-doing, .robot-asked, .robot-stage > *, .robot-side > *, .robot-foot > *')];
    const boxes = all.map((each) => [each.dataset.testid ?? each.className, each.getBoundingClientRect()]);
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap(([name, a], at) => boxes.slice(at + 1)
        .filter(([, b]) => over(a, b)).map(([other]) => `${name} and ${other}`));
}"""
OUTSIDE = """() => [...document.querySelectorAll('.robot *')].filter((each) => {
    const holder = each.closest('.tile, figure, .drawn');
    if (!holder || each.closest('.unseen, svg, .stage')) return false;
    const [box, around] = [each.getBoundingClientRect(), holder.getBoundingClientRect()];
    return box.right > around.right + 1 || box.left < around.left - 1 || box.bottom > around.bottom + 1;
}).map((each) => each.outerHTML.slice(0, 120))"""


def put(site: Site, *panels: dict[str, Any], **more: Any) -> None:
    site.show_robot(**{**state(*panels, **more), "robot": "tour"})


def test_there_is_one_of_every_panel() -> None:
    assert {panel["panel"] for panel in EVERYTHING} == set(PANELS)


def test_all_panels_at_once_fit_at_every_size(bench: Bench) -> None:
    for width, text in product((320, 390, 768, 1280, 1920), (100, 200)):
        bench.resize(width, text=text)
        bench.show(robot=view(*EVERYTHING))
        bench.page.locator(".stage-picture").wait_for()
        assert not bench.overflows(), (width, text)
        assert bench.page.evaluate(OVERLAPS) == [], (width, text)
        assert bench.page.evaluate(OUTSIDE) == [], (width, text)
        assert bench.small() == [], (width, text)


def test_axe_finds_nothing_in_all_panels_at_once(bench: Bench) -> None:
    for width in (PHONE["width"], TABLET["width"]):
        bench.resize(width)
        for robot in (view(*EVERYTHING), view(GAUGE, *RUN), view(CHAIN, DECISION, NUMBERS, alive=False)):
            bench.show(robot=robot)
            assert violations(bench.page) == [], width


def test_panels_stand_in_the_order_in_which_the_robot_sends_them(bench: Bench) -> None:
    for panels in (EVERYTHING, EVERYTHING[::-1]):
        bench.show(robot=view(*panels))
        for slot, names in (("stage", ("picture", "scene", "steps")), ("side", ("chain", "beliefs", "numbers"))):
            shown = bench.page.locator(f".robot-{slot} [data-testid^=panel-]").all()
            order = [str(each.get_attribute("data-testid")).removeprefix("panel-") for each in shown]
            sent = [panel["panel"] for panel in panels if panel["panel"] in names]
            assert [name for name in order if name in names] == sent


def test_two_panels_of_one_type_are_both_shown_and_have_names_of_their_own(bench: Bench) -> None:
    bench.show(robot=view(PICTURE, {**PICTURE, "name": "live/hand", "caption": "The hand"}, NUMBERS, NUMBERS))
    expect(bench.of("panel-picture")).to_have_count(2)
    expect(bench.page.get_by_role("region", name="In numbers")).to_have_count(2)
    assert violations(bench.page) == []


def test_a_robot_without_a_picture_has_no_frame_of_one(bench: Bench) -> None:
    bench.resize(TABLET["width"])
    bench.show(robot=view(CHAIN, DECISION, NUMBERS, ITEMS))
    expect(bench.page.locator(".stage, .robot-stage, img")).to_have_count(0)
    tops = [bench.of(f"panel-{name}").bounding_box() for name in ("chain", "decision", "numbers")]
    assert len({box["y"] for box in tops if box}) == 1, "side by side"
    assert bench.page.evaluate(OVERLAPS) == []


def test_nothing_says_meal_unless_the_robot_does(bench: Bench) -> None:
    plain = [{**PICTURE, "caption": ""}, {"panel": "items", "items": [{"number": 1, "outcome": "wrong"}]}]
    for phase in ("looking", "done"):
        bench.show(robot=view(*plain, title="A shelf", doing="", why="", phase=phase))
        words = bench.of("robot").inner_text().lower()
        assert not {"plate", "meal", "bite", "food", "fork"} & set(words.split())


@pytest.mark.parametrize("newer", [GAUGE, {**CHAIN, "version": 2}], ids=["type", "version"])
def test_a_panel_that_it_does_not_know_is_left_out_and_loading_anew_is_offered_once(bench: Bench, newer: Any) -> None:
    robot = view(PICTURE, newer, ITEMS)
    bench.show(robot=robot)
    expect(bench.of("unknown")).to_contain_text(OLDER)
    expect(bench.of("panel-items")).to_be_visible()
    expect(bench.of("panel-chain")).to_have_count(0)
    with bench.page.expect_navigation():
        bench.press("reload")
    bench.page.wait_for_function("window.bench")
    bench.show(robot=robot)
    expect(bench.of("unknown")).to_have_text("This page cannot show everything that the robot sends.")
    expect(bench.of("reload")).to_have_count(0)
    bench.show(robot=view(PICTURE, ITEMS))
    expect(bench.of("unknown")).to_have_count(0)


def test_a_panel_that_breaks_takes_no_other_with_it_and_comes_back(bench: Bench) -> None:
    bench.show(robot=view({"panel": "chain", "links": None}, NUMBERS))
    expect(bench.page.get_by_text("that this page cannot show")).to_be_visible()
    expect(bench.of("panel-numbers")).to_be_visible()
    bench.show(robot=view(CHAIN, NUMBERS))
    expect(bench.of("panel-chain")).to_be_visible()


def test_code_that_does_not_come_through_is_said_and_tried_again(bench: Bench) -> None:
    tries: list[Route] = []

    def cut(route: Route) -> None:
        tries.append(route)
        route.abort()

    bench.hold_clock()
    bench.page.route("**/Chain-*.js", cut)
    bench.show(robot=view(PICTURE, CHAIN, NUMBERS))
    missing = bench.page.get_by_text("does not come through. I keep trying.")
    expect(missing).to_be_visible()
    expect(bench.of("panel-numbers")).to_be_visible()
    for pause_ms in (500, 1000):
        with bench.page.expect_event("requestfailed"):
            bench.run_for(pause_ms + MOMENT_MS)
        bench.run_for(MOMENT_MS)  # until that is drawn
    assert len(tries) == 3, "again, but not all the time"
    bench.page.unroute("**/Chain-*.js")
    bench.run_for(2000 + MOMENT_MS)
    expect(bench.of("panel-chain")).to_be_visible()
    expect(missing).to_have_count(0)


def test_while_code_comes_its_place_is_kept(bench: Bench) -> None:
    bench.resize(TABLET["width"])
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    bench.page.route("**/Picture-*.js", keep)
    with bench.page.expect_request("**/Picture-*.js"):  # it is fetched when it is first shown
        bench.page.evaluate("plan => window.bench.show(plan)", {"robot": view(PICTURE, CHAIN, ITEMS)})
    expect(bench.of("panel-items")).to_be_visible()
    before = bench.of("panel-items").bounding_box()
    waiting[0].continue_()
    bench.page.locator(".stage-picture").wait_for()
    after = bench.of("panel-items").bounding_box()
    assert before and after and abs(before["y"] - after["y"]) < 150


@pytest.mark.parametrize("screen", [TABLET, PHONE], ids=["tablet", "phone"])
def test_on_the_real_page_all_panels_at_once(site: Site, screen: ViewportSize) -> None:
    put(site, *EVERYTHING[1:], {**PICTURE, "name": "tour/plate"})
    with site.open(viewport=screen) as look:
        look.sees("panel-items")
        look.page.locator(".stage-picture").wait_for()
        expect(look.page.locator("[data-testid^=panel-]")).to_have_count(len(EVERYTHING) + 1)  # a scene has goals
        look_over(look)


@pytest.mark.parametrize("screen", [TABLET, PHONE], ids=["tablet", "phone"])
def test_on_the_real_page_a_question_stands_over_all_panels(site: Site, screen: ViewportSize) -> None:
    put(site, *EVERYTHING[1:], {**PICTURE, "name": "tour/plate"}, phase="asking")
    with site.open(viewport=screen) as look:
        look.question(site.ask("yes-no"))
        look.sees("panel-items")
        expect(look.page.locator("#prompt")).to_be_in_viewport()
        expect(look.of("stop")).to_be_in_viewport(ratio=1)
        look_over(look)
        look.press("option-0", "send")
        look.sees_not("question")
        look.sees("phase")


def look_over(look: Look) -> None:
    """See that nothing lies over another, that nothing is cut or runs over the side, and that axe-core agrees."""
    assert look.page.evaluate(OVERLAPS) == []
    assert look.page.evaluate(OUTSIDE) == []
    assert [wrong for wrong in measured(look) if "too wide" in wrong or "cut" in wrong] == []
    assert violations(look.page, "best-practice") == []


def test_code_that_does_not_come_through_keeps_nobody_from_stop_or_a_question(site: Site) -> None:
    put(site, SCENE, NUMBERS)
    with site.open() as look:
        look.page.route(VIEWS, lambda route: route.abort())
        look.page.reload()
        expect(look.page.get_by_text("does not come through").first).to_be_visible()
        look.question(site.ask("yes-no"))
        look.press("option-0")
        look.sees("send")
        look.press("stop")
        look.sees("stopped")
        assert site.is_stopped()
        look.page.unroute(VIEWS)
        look.press("enable", "enable-yes")
        look.sees("hand-above")
