"""How fast the plate is: a picture, a skill, a labelled rendering, each beside what MuJoCo needs; the four networks.

Run it with `python -m benchmarks.feeding`. Wall times depend on the machine and on who else works on it; the ratio to
the plain alternative tells more.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from handup.core import Box
from handup.domains.feeding import EASY, HARD, PlateWorld, Skill
from handup.domains.feeding.gl import Renderer, mujoco
from handup.domains.feeding.modules import Modules
from handup.lab.bench.harness import TimedCalls

PLATES = {"savory salad": Skill.SKEWER, "thanksgiving": Skill.SCOOP, "noodles": Skill.TWIRL}


def timed(do: Callable[[], object], times: int, before: Callable[[int], object] = lambda _: None) -> str:
    """Return median wall time and processor time of a call in ms; other programs hardly change the second."""
    timed = TimedCalls()
    for number in range(times):
        before(number)
        timed.call(do)
    return f"{1000 * timed.wall:.0f} ({1000 * timed.processor:.0f})"


def empty_scene() -> tuple[Any, Any]:
    """A table, a lamp, a camera: the least that can be drawn, with shadows as fine as ours."""
    text = """<mujoco><visual><global offwidth="640" offheight="480"/>
    <quality offsamples="0" shadowsize="1536"/></visual><worldbody><light pos="0 0 1"/>
    <geom type="plane" size="1 1 .1"/><camera name="c" pos="0 0 .56"/></worldbody></mujoco>"""
    model = mujoco().MjModel.from_xml_string(text)
    data = mujoco().MjData(model)
    mujoco().mj_forward(model, data)
    return model, data


def pictures(times: int) -> Table:
    """Frames of 640 × 480 with depth and camera noise."""
    model, data = empty_scene()
    eye = Renderer(model)
    plain = timed(lambda: eye.rgb(data, 0, (640, 480), depth=True), times)
    eye.close()
    table = Table(
        "plate", "looks", "frame", "empty scene", "limit", title="640 × 480, colour and depth: ms (processor ms)"
    )
    for name in PLATES:
        for looks in (EASY, HARD):
            with PlateWorld(name, seed=1, looks=looks) as world:
                world.view()
                table.add_row(name, looks.name, timed(world.view, times), plain, "60")
    return table


def skills(times: int) -> Table:
    """A whole skill beside bare physics steps of the same simulated time on the same plate."""
    table = Table(
        "skill", "plate", "skill", "simulated, s", "bare steps", "limit", title="One skill: ms (processor ms)"
    )
    for name, skill in PLATES.items():
        with PlateWorld(name, seed=1) as world:
            item = next(each for each in world.truth() if skill in each.best)
            start = world.save()
            whole = timed(
                partial(world.execute, skill, item.best[skill]), times,
                partial(lambda world, start, number: world.load({**start, "executions": number}), world, start),
            )  # fmt: skip
            world.load(start)
            seconds = world.execute(skill, item.best[skill]).seconds
            world.load(start)
            bare = timed(partial(world.idle, seconds), times)
            table.add_row(skill, name, whole, f"{seconds:.1f}", bare, "200")
    return table


def labelled(count: int) -> Table:
    """Fresh plates with picture and truth: what a training set costs."""
    table = Table(
        "size", "fresh plate with labels", "labels of a plate that is there", title="Renderings: ms (processor ms)"
    )
    for size in ((640, 480), (320, 240)):
        seeds = iter(range(count))

        def fresh(size: tuple[int, int] = size, seeds: Iterator[int] = seeds) -> None:
            with PlateWorld("random", seed=next(seeds), size=size) as world:
                world.view()
                world.truth()

        with PlateWorld("random", seed=1, size=size) as world:
            again = timed(lambda world=world: (world.view(), world.truth()), count)  # type: ignore[misc]
        table.add_row(f"{size[0]} × {size[1]}", timed(fresh, count), again)
    return table


def networks(times: int) -> Table:
    """Each of the four networks on one picture, on one thread."""
    table = Table("picture", "M1", "M2", "M3", "M4", "all four", "limit", title="Networks: ms (processor ms)")
    modules = Modules.load()
    for size in ((640, 480), (320, 240)):
        with PlateWorld("savory salad", seed=1, size=size) as world:
            rgb, item = world.view().rgb, world.truth()[0]
        box = Box(**dict(zip(("left", "top", "right", "bottom"), item.box, strict=True)))
        each: list[Callable[[], object]] = [
            partial(modules.name, rgb),
            partial(modules.find, rgb, item.food),
            partial(modules.choose, rgb, item.food, box),
            partial(modules.aim, rgb, box, item.skill, seed=1),
        ]
        together = timed(lambda each=each: [do() for do in each], times)  # type: ignore[misc]
        table.add_row(f"{size[0]} × {size[1]}", *(timed(do, times) for do in each), together, "60")
    return table


def main() -> None:
    """Print the four tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    console = Console()
    for table in (each(arguments.times) for each in (pictures, skills, labelled, networks)):
        console.print(table)


if __name__ == "__main__":
    main()
