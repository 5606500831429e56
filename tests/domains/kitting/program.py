"""Two programs of a robot for the kill tests, each for a process of its own.

Each dies by SIGKILL at its `die_at`-th write to the world's file: an odd one before, an even one after it is written;
never where `die_at` is 0. `build` makes kits. `look` takes parts from a table and puts them back, in a world in which
nothing goes wrong; there everything that only looks is repeatable, and its effects are counted, too.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from handup.domains.kitting import HallState, KittingWorld, rates
from handup.domains.kitting.actions import KINDS, Primitive
from handup.domains.kitting.hall_state import Effect, WorldFile
from handup.domains.kitting.kitting_run import LOOK_EVERY_S
from handup.domains.kitting.variants import recipes, variant
from handup.executive import Around
from handup.executive import run as run_file
from handup.executive.executive import Executive
from handup.executive.reader import parse_recipes
from handup.executive.run import Run
from handup.journal import Journal

RUN_S = 700.0
WAY = variant("full")
KEEP = WorldFile.keep
LOOKS = """\
format: 1
sort:
  var: [n]
  steps:
  - {op: assign, params: {value: 0}, var: [n]}
  - {action: navigate, params: {to: gears}}
  - loop:
      condition: "var.n < 4"
      body:
      - {action: look, params: {pose: table}}
      - {action: wait, params: {seconds: 1}}
      - {action: segment, var: [clusters]}
      - {action: recognise, params: {object: small_gear, clusters: var.clusters}, var: [candidates]}
      - {action: calculate_grasps, params: {object: small_gear, candidates: var.candidates}, var: [grasps]}
      - {action: pick, params: {object: small_gear, grasps: var.grasps}}
      - {action: verify_grasp, params: {object: small_gear}}
      - {action: put_back}
      - {op: increment, params: {value: var.n}, var: [n]}
"""
LOOKING = tuple(name for name, kind in KINDS.items() if not kind.touches)


def dies(die_at: int) -> list[int]:
    """Die at a write; gives how many there were, as the first item."""
    written = [0]

    def keep(self: WorldFile, state: HallState, effect: Effect | None = None) -> None:
        written[0] += 1
        if written[0] == die_at and die_at % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        KEEP(self, state, effect)
        if written[0] == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    WorldFile.keep = keep  # type: ignore[method-assign]
    return written


def build(folder: Path, die_at: int) -> None:
    """Run, or go on with, one kit's work."""
    written = dies(die_at)
    world = KittingWorld(8, rates=replace(rates(), run_s=RUN_S), path=folder / "world.db")
    with Journal.open(folder / "journal.db") as journal:
        run = Run(recipes(), WAY.recoveries(), settings=WAY.settings, book=journal, run="kits")
        around = Around(
            actions=world.actions(), clock=world.clock, monitors=world.monitors(), look_every_s=LOOK_EVERY_S
        )
        over = Executive(run, around).to_the_end()
        state: dict[str, Any] = {**world.state.to_json(), "last": None}
        beliefs = sorted((each.key, str(each.source), each.value) for each in run.machine.beliefs.assertions)
        end = {"ending": over.ending, "outputs": over.outputs, "state": state, "beliefs": beliefs, "writes": written[0]}
        (folder / "end.json").write_text(json.dumps(end))
    world.close()


def look(folder: Path, die_at: int) -> None:
    """Take parts and put them back, with looks that may be repeated."""
    written = dies(die_at)
    run_file.FLUSH_S = 3600.0  # what may be lost is lost, however slow this machine is
    KINDS.update({name: replace(KINDS[name], touches=True) for name in LOOKING})
    world = KittingWorld(8, rates=rates().without_faults(), path=folder / "world.db")
    if world.state.goal is not None:
        world.cancel(world.state.goal.number)  # it stopped with the program that died
    with Journal.open(folder / "journal.db") as journal:
        run = Run(parse_recipes({"looks.yaml": LOOKS}), book=journal, run="looks")
        over = Executive(run, Around(actions=repeatable(world.actions()), clock=world.clock)).to_the_end()
        end = {"ending": over.ending, "outputs": over.outputs, "writes": written[0]}
        (folder / "end.json").write_text(json.dumps(end))
    world.close()


def repeatable(actions: Mapping[str, type[Primitive]]) -> dict[str, type[Primitive]]:
    """The same actions; those that only look may be repeated."""
    return {name: type(name, (each,), {"repeatable": name in LOOKING}) for name, each in actions.items()}
