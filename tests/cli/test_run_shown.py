"""What the page is told of a run while it waits for somebody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handup.core import ManualClock
from handup.domains.domain import SIMULATED, Workplace
from handup.domains.stage import RecipeTask, Stage
from handup.executive import Aborted, Run, RunSettings, Unseen
from handup.executive.human_help import SimulatedBystander
from handup.journal import Journal
from tests.executive.making import action, recipe, recipes
from tests.executive.robot import acting, by_name
from tests.fakes.panels import checked, numbers


class Link:
    """Keeps what it is told."""

    alive, stopped, stick = True, False, None

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def state(self, state: Mapping[str, Any], /) -> None:
        self.told.append(checked(state))

    def picture(self, name: str, picture: bytes, /) -> None:
        pass


def test_the_question_that_is_open_counts(tmp_path: Path) -> None:
    link, clock = Link(), ManualClock()
    actions = by_name(acting("wait", lambda call: Aborted(code="slip"), codes=("slip",)))
    settings = RunSettings(unseen=Unseen.ASK)
    stage = Stage(
        actions=actions, clock=clock, simulated=lambda machine: SimulatedBystander(lambda question: None, clock)
    )
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(recipes(recipe("main", action("wait"))), settings=settings, book=journal, run="run-1")
        task = RecipeTask(run, stage, Workplace(journal, "run-1", people=SIMULATED, link=link))
        while task.step() is not None:
            pass
        assert [(state["phase"], numbers(state)["questions"]) for state in link.told] == [("asking", 1)]
        assert task.view()["phase"] == "done"
