"""Pictures of a plate: tools are seen only while they move, and every mark is where it belongs."""

from __future__ import annotations

import numpy as np
import pytest

from handup.domains.plate.clearing_world import PlateEngine
from handup.domains.plate.engines import engine_of
from handup.domains.plate.noodles import NoodlePhysics, Noodles
from handup.domains.plate.plate_picture import DENSE, FAR, SIZE, plate_picture
from handup.domains.plate.primitives import Aim, Floats, PlatePrimitive
from tests.domains.plate.toy import ToyEngine

AIM = Aim(dense_m=(0.0, 0.05), far_m=(-0.06, -0.06))


class Halt(Exception):
    """A stop in the middle of a motion."""


@pytest.mark.parametrize("food", ["beans", "noodles"])
def test_tools_are_seen_while_they_move_also_if_a_motion_was_stopped(food: str) -> None:
    engine: PlateEngine = Noodles(NoodlePhysics(strands=2)) if food == "noodles" else engine_of(food)
    engine.lay(np.random.default_rng(1))
    before = engine.shapes()
    seen: list[list[Floats]] = []

    def halt(seconds: float) -> None:
        seen.append([tool.copy() for tool in engine.shapes().tools])
        if len(seen) == 8:
            raise Halt

    assert before.tools == ()
    with pytest.raises(Halt):
        engine.execute(PlatePrimitive.GROUP, AIM, halt)
    assert all(tools for tools in seen)
    assert not np.array_equal(seen[0][0], seen[-1][0]), "the tool moves"
    after = engine.shapes()
    assert after.tools == ()
    assert np.array_equal(before.pieces, after.pieces)
    assert np.array_equal(before.strands, after.strands)


def test_rings_are_around_the_places_and_an_arrow_goes_with_a_push() -> None:
    engine = ToyEngine(points=np.array([[0.0, 0.05]]), full=1)
    pushed, bitten = (plate_picture(engine, AIM, plan) for plan in (PlatePrimitive.GROUP, PlatePrimitive.ACQUIRE))
    assert pushed.shape == (SIZE[1], SIZE[0], 3)
    left = slice(0, SIZE[1])  # the plate itself, without the words beside it
    blue, green = (
        [np.argwhere((picture[:, left] == colour).all(axis=2)) for picture in (pushed, bitten)]
        for colour in (FAR, DENSE)
    )
    assert len(blue[0]) > 50
    assert len(blue[1]) == 0, "a bite marks no other place"
    middle = (green[1].min(axis=0) + green[1].max(axis=0)) / 2.0
    assert middle == pytest.approx([SIZE[1] * (0.5 - 0.05 / 0.275), SIZE[1] / 2], abs=2.0)
