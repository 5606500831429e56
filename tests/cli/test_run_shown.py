"""What the page is told of a run while it waits for somebody."""

from __future__ import annotations

from typing import Any, cast

from handup.cli.run_page import Shown
from handup.client import RobotLink
from handup.core import ManualClock
from handup.domains.stage import Stage
from handup.executive import Aborted, Around, Executive, Run, Settings, Unseen
from handup.executive.people import Bystander
from tests.executive.making import action, recipe, recipes
from tests.executive.robot import acting, by_name
from tests.fakes.panels import checked, numbers


class Link:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def state(self, state: dict[str, Any]) -> None:
        self.told.append(checked(state))


def test_the_question_that_is_open_counts() -> None:
    run = Run(recipes(recipe("main", action("wait"))), settings=Settings(unseen=Unseen.ASK))
    link, clock = Link(), ManualClock()
    actions = by_name(acting("wait", lambda call: Aborted(code="slip"), codes=("slip",)))
    shown = Shown(cast(RobotLink, link), run.machine, Stage(actions=actions, clock=clock))
    run.follow(shown.told)
    seen: list[dict[str, Any]] = []

    def asked(question: object) -> None:
        seen.append(link.told[-1])

    around = Around(actions=actions, clock=clock, people=Bystander(asked, clock))
    Executive(run, around, watch=shown.changed).to_the_end()
    assert [(state["phase"], numbers(state)["questions"]) for state in seen] == [("asking", 1)]
