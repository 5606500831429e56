"""A robot's program for the kill test: `python -m tests.domains.kitting.program FOLDER [DIE_AT]`.

It dies by SIGKILL at its DIE_AT-th write to the world's file: an odd one before, an even one after it is written.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from handup.domains.kitting import State, World, rates
from handup.domains.kitting.running import LOOK_EVERY_S
from handup.domains.kitting.store import Effect, Store
from handup.domains.kitting.variants import recipes, variant
from handup.executive.around import Around
from handup.executive.executive import Executive
from handup.executive.run import Run
from handup.journal import Journal

RUN_S = 700.0
WAY = variant("full")
KEEP = Store.keep


def main(folder: Path, die_at: int) -> None:
    """Run, or go on with, one kit's work."""
    written = 0

    def keep(self: Store, state: State, effect: Effect | None = None) -> None:
        nonlocal written
        written += 1
        if written == die_at and die_at % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        KEEP(self, state, effect)
        if written == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    Store.keep = keep  # type: ignore[method-assign]
    world = World(8, rates=replace(rates(), run_s=RUN_S), path=folder / "world.db")
    with Journal.open(folder / "journal.db") as journal:
        run = Run(recipes(), WAY.recoveries(), settings=WAY.settings, book=journal, run="kits")
        around = Around(
            actions=world.actions(), clock=world.clock, monitors=world.monitors(), look_every_s=LOOK_EVERY_S
        )
        over = Executive(run, around).to_the_end()
        state: dict[str, Any] = {**world.state.to_json(), "last": None}
        beliefs = sorted((each.key, str(each.source), each.value) for each in run.machine.beliefs.assertions)
        end = {"ending": over.ending, "outputs": over.outputs, "state": state, "beliefs": beliefs, "writes": written}
        (folder / "end.json").write_text(json.dumps(end))
    world.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
