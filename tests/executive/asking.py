"""A robot that must be told two things, for the kill tests.

The lamp is off and the angle is wrong; the camera is fine. Nobody answers the question with the given prompt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handup.core import Clock, Person, Question, QuestionKind
from handup.desk import Desk, Record
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Executive,
    NotStarted,
    Outcome,
    PeopleAtDesk,
    RobotAction,
    Run,
    RunSettings,
    Unseen,
)
from handup.executive.beliefs import BeliefSource
from handup.journal import Journal, WallClock
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, recipe, recipes, rule
from tests.executive.robot import Ground, acting, by_name
from tests.recover.house import Household

CAMERA, LAMP, ANGLE = "Is my camera clean?", "Is the lamp on?", "At which angle should I grasp?"
SAYS: dict[str, Any] = {CAMERA: True, LAMP: False, ANGLE: 90.0}
MAIN = recipes(recipe("main", action("look"), action("grasp", ["got"], angle=10), var=["got"]))
RULES = [
    rule("wipe", "**/grasp", action("wipe"), belief="beliefs.camera == false"),
    rule("light", "**/grasp", action("switch_on"), belief="beliefs.lamp == false"),
]
ASK = RunSettings(unseen=Unseen.ASK, questions=5, batch=4)


def graph(camera: float = 0.6, lamp: float = 0.7, angle: float = 0.8) -> ModuleGraph:
    """The modules behind a grasp: the less sure one is asked about first."""
    return ModuleGraph.chain(
        [
            Module("camera", camera, question=Question(CAMERA, QuestionKind.YES_NO, guess=True)),
            Module("lamp", lamp, question=Question(LAMP, QuestionKind.YES_NO, guess=True)),
            Module("angle", angle, question=Question(ANGLE, QuestionKind.NUMBER, low=0, high=180)),
        ]
    )


def robot(path: Path, modules: ModuleGraph) -> dict[str, type[RobotAction]]:
    """What it can do. What it did stands in a file."""
    ground = Ground(path)

    def lit() -> bool:
        return any(each["does"] == "switch_on" for each in ground.effects())

    def grasped(angle: float, lamp: bool) -> Outcome:
        return Done(results={"got": angle}) if lamp and angle == 90 else Aborted(code="slip", why="It slipped.")

    def grasp(call: Call) -> Outcome:
        outcome = grasped(call.goal["angle"], lit())
        ground.effect("grasp", call, angle=call.goal["angle"], lit=lit())
        return outcome

    def switch_on(call: Call) -> Outcome:
        ground.effect("switch_on", call)
        return Done()

    def sensed(call: Call) -> Outcome | NotStarted:
        found = ground.happened(call.number)
        if found is None:
            return NotStarted()
        return Done() if found["does"] == "switch_on" else grasped(found["angle"], found["lit"])

    return by_name(
        acting("look", repeatable=True),
        acting("wipe", repeatable=True),
        acting("switch_on", switch_on, sense=sensed),
        acting(
            "grasp",
            grasp,
            takes=("angle",),
            gives=("got",),
            codes=("slip",),
            sense=sensed,
            modules=lambda self, failure: modules,
        ),
    )


def live(
    folder: Path, journal: Journal, clock: Clock, *, silent: Sequence[str] = (), modules: ModuleGraph | None = None
) -> Executive:
    """One program, from a journal and what the robot did; not begun yet."""

    def says(record: Record, desk: Desk) -> Any:
        prompt = record.question.prompt
        return None if prompt in silent else SAYS[prompt]

    desk = Desk(journal, [Person(name="Maya")], channels=[Household(says)])
    run = Run(MAIN, RULES, settings=ASK, book=journal, run="r")
    actions = robot(folder / "world.jsonl", modules or graph())
    return Executive(run, Around(actions=actions, clock=clock, people=PeopleAtDesk(desk, "r", 60.0), look_every_s=0.01))


def came_to(executive: Executive) -> dict[str, Any]:
    """Run to the end: how it ended, with what, and what is believed then."""
    finished = executive.to_the_end()
    said = {each.key: each.value for each in executive.machine.beliefs.assertions if each.source is BeliefSource.PERSON}
    return {"ending": str(finished.ending), "outputs": dict(finished.outputs), "said": said}


def main(folder: Path, silent: Sequence[str]) -> None:
    clock = WallClock()
    with Journal.open(folder / "journal.db", clock=clock) as journal:
        end = came_to(live(folder, journal, clock, silent=silent))
    (folder / "end.json").write_text(json.dumps(end))
