"""A robot's program for the kill tests, for a process of its own. It ends when the run is over."""

from __future__ import annotations

import json
import time
from pathlib import Path

from handup.core import ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Executive,
    NotStarted,
    Outcome,
    RobotAction,
    Run,
    RunSettings,
    Watch,
)
from handup.journal import Journal, WallClock
from tests.executive.making import action, choice, loop, op, recipe, recipes, rule, task
from tests.executive.robot import Ground, acting, by_name

PARTS = 8
LID = 100
LAST = ("close", "push")
"""What the kill tests wait for: time enough to be killed behind it."""
MAIN = recipes(
    recipe(
        "main",
        op("assign", ["n"], value=0),
        op("assign", ["total"], value=0),
        loop(
            f"var.n < {PARTS}",
            op("increment", name="n"),
            task("part", ["weight"], n="var.n"),
            op("increment", ["total"], value="var.total", by="var.weight"),
            choice("var.n % 3 == 0", [action("deliver", n="var.n")]),
            most=100,
        ),
        action("close", n=LID),
        var=["n", "total"],
    ),
    recipe(
        "part",
        action("look", ["seen"], n="params.n"),
        action("pick", ["weight"], n="params.n", seen="var.seen"),
        action("place", n="params.n"),
        params=["n"],
        var=["weight"],
    ),
)
RULES = [
    rule("wait", "**/pick", action("wait"), codes=["slip"], limit=3),
    rule("look_again", "**/place", action("wait"), codes=["off"], resume=ResumeHint.PREVIOUS, limit=3),
    rule("still_open", "main/contradiction", action("push", n=LID), contradiction="close"),
]


def world(folder: Path) -> dict[str, type[RobotAction]]:
    """What it does depends on what was done before, as in a real world: the third of everything fails."""
    ground = Ground(folder / "world.jsonl")

    def acts(name: str, code: str = "") -> type[RobotAction]:
        def does(call: Call) -> Outcome:
            time.sleep(0.002)
            before = sum(each["does"] == name and each["n"] == call.goal["n"] for each in ground.effects())
            fails = bool(code) and call.goal["n"] % 3 == 0 and before == 0
            ground.effect(name, call, n=call.goal["n"], ok=not fails)
            time.sleep(0.05 if name in LAST else 0.002)
            return outcome(name, call.goal["n"], fails)

        def outcome(name: str, n: int, fails: bool) -> Outcome:
            if fails:
                return Aborted(code=code)
            return Done(results={"weight": 10 * n} if name == "pick" else {}, beliefs={name: n})

        def sense(call: Call) -> Outcome | NotStarted:
            found = ground.happened(call.number)
            return NotStarted() if found is None else outcome(name, found["n"], not found["ok"])

        gives = ("weight",) if name == "pick" else ()
        takes = ("n", "seen") if name == "pick" else ("n",)
        return acting(name, does, takes=takes, gives=gives, codes=(code,) if code else (), sense=sense, lasts_s=0.002)

    def look(call: Call) -> Outcome:
        ground.effect("look", call, n=call.goal["n"], ok=True)
        return Done(results={"seen": call.goal["n"]})

    return by_name(
        acts("pick", "slip"),
        acts("place", "off"),
        acts("deliver"),
        acts("close"),
        acts("push"),
        acting("look", look, takes=("n",), gives=("seen",), repeatable=True, lasts_s=0.001),
        acting("wait", repeatable=True),
    )


def lid(folder: Path) -> int:
    """What a monitor sees: it is shut once it was pushed, whatever the script says."""
    return LID if any(each["does"] == "push" for each in Ground(folder / "world.jsonl").effects()) else 0


def main(folder: Path) -> None:
    with Journal.open(folder / "journal.db") as journal:
        run = Run(MAIN, RULES, book=journal, run="kits", settings=RunSettings(batch=6))
        around = Around(
            actions=world(folder),
            clock=WallClock(),
            monitors=[Watch("lit", lambda now_s: True), Watch("close", lambda now_s: lid(folder))],
        )
        finished = Executive(run, around).to_the_end()
        beliefs = dict(run.machine.beliefs.values)
        said = {"ending": finished.ending, "outputs": dict(finished.outputs), "beliefs": beliefs}
        (folder / "end.json").write_text(json.dumps(said, sort_keys=True))
