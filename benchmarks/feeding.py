"""How fast the plate is: a picture, a skill, a labelled rendering; each beside what MuJoCo needs at the least.

Run it with `python -m benchmarks.feeding`. Wall times depend on the machine and on who else works on it; the ratio to
the plain alternative tells more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from handup.domains.feeding import EASY, HARD, Skill, World
from handup.domains.feeding.gl import Eye, mujoco

PLATES = {"savory salad": Skill.SKEWER, "thanksgiving": Skill.SCOOP, "noodles": Skill.TWIRL}


def milliseconds(do: Callable[[], object], times: int) -> float:
    """Median wall time of a call."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        do()
        taken.append(1000.0 * (time.perf_counter() - start))
    return median(taken)


def empty_scene() -> tuple[Any, Any]:
    """A table, a lamp, a camera: the least that can be drawn."""
    text = """<mujoco><visual><global offwidth="640" offheight="480"/></visual><worldbody><light pos="0 0 1"/>
    <geom type="plane" size="1 1 .1"/><camera name="c" pos="0 0 .56"/></worldbody></mujoco>"""
    model = mujoco().MjModel.from_xml_string(text)
    data = mujoco().MjData(model)
    mujoco().mj_forward(model, data)
    return model, data


def pictures(times: int) -> Table:
    """Frames of 640 × 480 with depth and camera noise."""
    model, data = empty_scene()
    eye = Eye(model)
    plain = milliseconds(lambda: eye.rgb(data, 0, (640, 480), depth=True), times)
    eye.close()
    table = Table(
        "plate", "looks", "frame, ms", "empty scene, ms", "limit, ms", title="640 × 480, colour and depth (median)"
    )
    for name in PLATES:
        for looks in (EASY, HARD):
            with World(name, seed=1, looks=looks) as world:
                world.view()
                table.add_row(name, looks.name, f"{milliseconds(world.view, times):.0f}", f"{plain:.0f}", "60")
    return table


def skills(times: int) -> Table:
    """A whole skill beside bare physics steps of the same simulated time on the same plate."""
    table = Table(
        "skill", "plate", "skill, ms", "simulated, s", "bare steps, ms", "limit, ms", title="One skill (median)"
    )
    for name, skill in PLATES.items():
        with World(name, seed=1) as world:
            item = next(each for each in world.truth() if skill in each.best)
            start, seconds = world.save(), 0.0
            taken = []
            for number in range(times):
                world.load({**start, "executions": number})
                began = time.perf_counter()
                seconds = world.execute(skill, item.best[skill]).seconds
                taken.append(1000.0 * (time.perf_counter() - began))
            world.load(start)
            bare = milliseconds(partial(world.idle, seconds), times)
            table.add_row(skill, name, f"{median(taken):.0f}", f"{seconds:.1f}", f"{bare:.0f}", "200")
    return table


def labelled(count: int) -> Table:
    """Fresh plates with picture and truth: what a training set costs."""
    table = Table("size", "fresh plate with labels, ms", "same plate, new view, ms", title="Labelled renderings")
    for size in ((640, 480), (320, 240)):
        fresh, again = [], []
        for seed in range(count):
            start = time.perf_counter()
            with World("random", seed=seed, size=size) as world:
                world.view()
                items = world.truth()
                fresh.append(1000.0 * (time.perf_counter() - start))
                if items:
                    world.execute(items[0].skill, items[0].best[items[0].skill])
                    world.clear_tool()
                start = time.perf_counter()
                world.view()
                world.truth()
                again.append(1000.0 * (time.perf_counter() - start))
        table.add_row(f"{size[0]} × {size[1]}", f"{np.median(fresh):.0f}", f"{np.median(again):.0f}")
    return table


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    console = Console()
    for table in (pictures(arguments.times), skills(arguments.times), labelled(arguments.times)):
        console.print(table)


if __name__ == "__main__":
    main()
