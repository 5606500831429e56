"""A plate at the page: what is seen of it on a tablet."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.domains.plate.test_task import PUSH, watched
from tests.fakes.table import Notebook
from tests.page.axe import violations
from tests.page.bench import Bench


def test_a_tablet_shows_the_plate_the_choice_and_what_happened(bench: Bench, tmp_path: Path) -> None:
    wire = Notebook()
    watched(tmp_path / "p.db", wire, lambda record: PUSH)
    moving = next(state for state in wire.states if state["phase"] == "moving")
    bench.show(robot={"robot": "fork", "alive": True, "last_s": 0.0, "state": moving})
    expect(bench.of("doing")).to_have_text("Pushing the beans together.")
    plate = bench.page.locator(".stage-picture")
    plate.wait_for()
    shown = plate.bounding_box()
    assert shown is not None
    assert shown["width"] > 450, "the plate takes about half of a tablet"
    expect(bench.page.locator("[data-module=choice]")).to_contain_text("push them together first")
    expect(bench.page.locator("[data-module=choice]")).to_contain_text("a person said so")
    expect(bench.of("panel-numbers")).to_contain_text("still to get, if I take a bite now")
    assert not bench.overflows()
    assert violations(bench.page) == []
    bench.show(robot={"robot": "fork", "alive": True, "last_s": 0.0, "state": wire.states[-1]})
    expect(bench.of("entry").last).to_contain_text("1. Pushed beans together. You had said so.")
