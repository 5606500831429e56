"""The view of a task: the tree with its attempts, why the robot recovers, what it believes; and a whole run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from handup.core import Question, QuestionKind
from handup.journal import Journal
from tests.cli.sitting import ROOT, free_port, until
from tests.page.axe import violations
from tests.page.bench import Bench
from tests.page.robots import RUN, STEPS, TIMELINE, state, view
from tests.page.site import Site

QUESTION = Question("I cannot pick. How shall I go on?", QuestionKind.CHOICE, ("Try again", "Stop"))
SAID: dict[str, Any] = {
    "title": "Build kits",
    "doing": "jog arm",
    "why": "recovery “jog the arm”, because of this: pick failed (no_plan).",
}
SIGHTS = (
    view(*RUN, **SAID),
    *(view(*RUN, **SAID, phase=phase) for phase in ("asking", "holding", "done")),
    view({**STEPS, "steps": []}, {**TIMELINE, "entries": []}, **SAID),
)


def test_the_tree_has_the_present_step_attempts_and_the_recovery_in_its_place(bench: Bench) -> None:
    bench.show(robot=view(*RUN, **SAID))
    here = bench.page.locator("[aria-current=step]")
    expect(here).to_have_count(1)
    expect(here).to_contain_text("jog arm")
    steps = bench.of("step")
    expect(steps).to_have_count(len(STEPS["steps"]))
    expect(steps.nth(3)).to_contain_text("failed 2 times; tried fresh map ×1")
    expect(steps.nth(4)).to_contain_text("Recovery: jog the arm")
    nested = bench.page.locator(".steps ul ul ul ul ul [data-testid=step]")
    expect(nested).to_have_count(1)
    expect(nested).to_contain_text("jog arm")


def test_every_status_is_said_and_not_only_drawn(bench: Bench) -> None:
    bench.show(robot=view(*RUN, **SAID))
    said = ["now", "done", "now", "failed", "now", "now", "to come", "to come"]
    for step, words in zip(bench.of("step").all(), said, strict=True):
        expect(step).to_contain_text(f"{words}: ")
        expect(step.locator("svg")).to_have_count(1)


def test_what_it_does_why_and_what_happened(bench: Bench) -> None:
    bench.show(robot=view(*RUN, **SAID))
    expect(bench.of("phase")).to_have_text("Recovering")
    expect(bench.of("doing")).to_contain_text("Jog arm — recovery “jog the arm”, because of this: pick failed")
    entries = bench.of("entry")
    expect(entries.nth(0)).to_contain_text("01:02")
    expect(entries.nth(1)).to_contain_text("The planner finds no way.")
    numbers = bench.of("panel-numbers")
    expect(numbers).to_contain_text("1 kit, 7 points.")
    expect(numbers.get_by_role("definition")).to_have_text(["30", "2", "61.23 s"])


def test_a_contradiction_stands_first_and_says_who_says_what(bench: Bench) -> None:
    bench.show(robot=view(*RUN, **SAID))
    first = bench.of("belief").nth(0)
    expect(first).to_have_attribute("data-belief", "on_place")
    expect(first).to_contain_text("on place false monitor, 85 %")
    expect(first).to_contain_text("script holds: true")
    expect(bench.of("belief").nth(1)).to_contain_text("gears script")


def test_a_robot_that_is_not_heard_holds(bench: Bench) -> None:
    bench.show(robot=view(*RUN, alive=False))
    expect(bench.of("phase")).to_have_text("The robot does not answer. It stands still.")
    expect(bench.of("doing")).to_be_empty()


def test_it_takes_no_focus_and_holds_nothing_to_press(bench: Bench) -> None:
    bench.show(robot=view(*RUN, **SAID), buttons=[{"id": "mine", "words": "Mine"}])
    bench.of("mine").focus()
    for robot in SIGHTS:
        bench.show(robot=robot)
        expect(bench.of("mine")).to_be_focused()
    expect(bench.of("robot").locator("button, input, a, [tabindex]")).to_have_count(0)


def test_nothing_runs_over_the_side(bench: Bench) -> None:
    for width, text in product((320, 1280), (100, 200)):
        bench.resize(width, text=text)
        for robot in SIGHTS:
            bench.show(robot=robot)
            assert not bench.overflows(), (width, text, robot)


def test_axe_finds_nothing(bench: Bench) -> None:
    for robot in SIGHTS:
        bench.show(robot=robot)
        assert violations(bench.page) == [], robot


def test_on_the_real_page_the_task_stands_below_a_question_about_it(site: Site) -> None:
    site.show_state("plate", state(*RUN, **SAID))
    with site.open() as look:
        look.says("robot", "Build kits")
        record = site.ask(QUESTION)
        look.question(record)
        look.sees("panel-steps")
        site.tidy()


def test_a_run_is_watched_asks_and_goes_on(tmp_path: Path, browser: Browser) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("format: 1\nrecoveries: []\n", encoding="utf-8")
    recipe = tmp_path / "r.yaml"
    recipe.write_text(
        "format: 1\nmain_task:\n  steps:\n  - {action: navigate, params: {to: gears}}\n"
        "  - {op: check_value, params: {value: 1, equals: 2}}\n  - {action: look, params: {pose: the gears}}\n",
        encoding="utf-8",
    )
    order = ("r.yaml", "--recoveries", "rules.yaml", "--world", "kitting", "--people", "page", "--store", "s.db")
    command = [sys.executable, "-m", "handup", "run", *order, "--no-browser", "--linger", "3"]
    command += ["--port", str(free_port()), "--speed", "20"]
    said = tmp_path / "err"
    with said.open("wb") as err, (tmp_path / "out").open("wb") as out:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        robot = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=out, stderr=err)
    context = browser.new_context(viewport={"width": 1180, "height": 820})
    try:
        [link] = until(lambda: re.findall(r"http://\S+#code=\S+", said.read_text(encoding="utf-8")), timeout_s=120.0)
        page = context.new_page()
        page.goto(link)
        question = page.get_by_test_id("question")
        expect(question).to_contain_text("I cannot check value. How shall I go on?", timeout=60_000)
        expect(page.get_by_test_id("robot")).to_contain_text("check value failed (check failed)")
        expect(page.locator("[data-status=asking]")).to_contain_text("check value")
        page.get_by_test_id("guess-other").click()
        page.get_by_text("I did this step myself").click()
        page.get_by_test_id("send").click()
        expect(page.get_by_test_id("phase")).to_have_text("Finished", timeout=60_000)
        assert robot.wait(60) == 0, said.read_text(encoding="utf-8")
    finally:
        context.close()
        if robot.poll() is None:
            robot.terminate()
            robot.wait(30)
    with Journal.open(tmp_path / "s.db", readonly=True) as journal:
        assert journal.verify().ok
    assert "1 question" in (tmp_path / "out").read_text(encoding="utf-8")
