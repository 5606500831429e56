"""Beans on a tray: nothing appears or is gone, the same again means the same, and only what the tools touch moves."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from handup.core import OutOfRange
from handup.domains.plate.beans import BeanEngine, BeanPhysics
from handup.domains.plate.clearing_world import ClearingWorld, PlateEngine
from handup.domains.plate.low_level import SIDE_M, aim_at, pixels_of
from handup.domains.plate.primitives import Aim, Floats, Moved, PlateFood, PlatePrimitive

SEED = 910_000
MIXED = (PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP, PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP)
MIDDLE = Aim(dense_m=(0.0, 0.0), far_m=(0.0, 0.0))
AGAIN = """
import json, sys
from handup.domains.plate.beans import BeanEngine
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.primitives import PlatePrimitive

world = ClearingWorld(BeanEngine(), seed=int(sys.argv[1]))
world.load(json.load(sys.stdin))
world.act(PlatePrimitive.GROUP)
world.act(PlatePrimitive.ACQUIRE)
json.dump(world.save(), sys.stdout)
"""


def world_of(seed: int = SEED) -> ClearingWorld:
    return ClearingWorld(BeanEngine(), seed=seed)


def full(seed: int = SEED) -> BeanEngine:
    """The engine of a full plate."""
    engine = BeanEngine()
    engine.lay(np.random.default_rng(seed))
    return engine


def laid(places_m: list[tuple[float, float]], turn: float = 0.0, engine: BeanEngine | None = None) -> BeanEngine:
    """An engine with beans at these places, lying flat along a direction, and none elsewhere."""
    engine = engine or BeanEngine()
    poses = np.zeros((engine.physics.beans, 7))
    poses[:, 0], poses[:, 2], poses[:, 3] = 2.0 + 0.05 * np.arange(len(poses)), 0.0055, 1.0
    for number, place in enumerate(places_m):
        poses[number] = [*place, 0.0055, math.cos(turn / 2.0), 0.0, 0.0, math.sin(turn / 2.0)]
    engine.restore({"poses": poses, "on": np.arange(len(poses)) < len(places_m)})
    return engine


def fifteenths(share: float) -> int:
    assert share * 15 == pytest.approx(round(share * 15), abs=1e-9)
    return round(share * 15)


def same(first: PlateEngine, second: PlateEngine) -> bool:
    return all(array.tobytes() == second.arrays()[name].tobytes() for name, array in first.arrays().items())


# A plate


def test_a_full_plate_lies_apart_and_at_rest_inside_the_walls() -> None:
    engine = full()
    poses = engine.arrays()["poses"]
    assert engine.left() == 1.0
    assert np.abs(poses[:, :2]).max() < engine.physics.tray_m
    assert poses[:, 2] == pytest.approx(engine.physics.bean_m[2] / 2.0, abs=0.002)


def test_another_seed_lays_another_plate() -> None:
    assert not same(world_of().engine, world_of(SEED + 1).engine)


def test_a_tray_without_room_for_its_beans_is_refused() -> None:
    with pytest.raises(OutOfRange, match="find room"):
        ClearingWorld(BeanEngine(BeanPhysics(spread_m=0.01)), seed=1)
    with pytest.raises(OutOfRange, match="spread_m"):
        BeanPhysics(spread_m=0.2)


# The books


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_what_is_taken_lost_and_left_is_the_whole_plate(seed: int) -> None:
    world = world_of(seed)
    taken = lost = 0
    while not world.over:
        before = fifteenths(world.engine.left())
        moved = world.act(MIXED[world.actions % 4]).moved
        assert not moved.unstable
        assert fifteenths(world.engine.left()) == before - fifteenths(moved.taken) - fifteenths(moved.lost)
        taken, lost = taken + fifteenths(moved.taken), lost + fifteenths(moved.lost)
    assert taken + lost + fifteenths(world.engine.left()) == 15
    assert taken > 0


def test_beans_that_no_tool_comes_near_stay_where_they_are() -> None:
    engine = laid([(-0.07, -0.07), (-0.07, 0.07), (0.07, -0.06)])
    before = engine.arrays()["poses"]
    for _ in range(4):
        assert engine.execute(PlatePrimitive.ACQUIRE, MIDDLE) == Moved()
        assert engine.execute(PlatePrimitive.GROUP, Aim(dense_m=(0.0, 0.0), far_m=(0.07, 0.07))) == Moved()
    after = engine.arrays()["poses"]
    assert after[:3, :2] == pytest.approx(before[:3, :2], abs=1e-6)
    assert after[:3, 2] == pytest.approx(before[:3, 2], abs=1e-4)  # they sink into the tray by a hair


def test_an_empty_plate_stays_empty() -> None:
    engine = laid([])
    assert [engine.execute(primitive, MIDDLE) for primitive in PlatePrimitive] == [Moved(), Moved()]
    assert engine.left() == 0.0
    assert engine.footprint().shape == (0, 2)


# The tools


@pytest.mark.parametrize("x_m", [-0.09, 0.0, 0.09])
def test_a_bean_between_spoon_and_pusher_is_picked_up_and_one_beside_them_is_not(x_m: float) -> None:
    engine = laid([(x_m, 0.0), (x_m, 0.05)])
    moved = engine.execute(PlatePrimitive.ACQUIRE, Aim(dense_m=(x_m, 0.0), far_m=(0.0, 0.0)))
    assert moved == Moved(taken=1 / 15)
    assert engine.arrays()["on"].tolist() == [False, True] + 13 * [False]
    assert engine.arrays()["poses"][1, :2] == pytest.approx([x_m, 0.05], abs=1e-4)


@pytest.mark.parametrize("turn", [0.0, 0.8, 2.5])
def test_a_push_brings_the_furthest_bean_to_the_densest_place(turn: float) -> None:
    far = np.array([0.08 * math.cos(turn), 0.08 * math.sin(turn)])
    engine = laid([(0.0, 0.0), (float(far[0]), float(far[1]))])
    moved = engine.execute(PlatePrimitive.GROUP, Aim(dense_m=(0.0, 0.0), far_m=(float(far[0]), float(far[1]))))
    first, second = engine.arrays()["poses"][:2, :2]
    assert moved == Moved()
    assert math.dist(first, second) < 0.03


def test_without_friction_on_the_spoon_a_bean_is_still_held_by_its_edges() -> None:
    engine = laid([(0.0, 0.0)], engine=BeanEngine(replace(BeanPhysics(), spoon_friction=0.01)))
    assert engine.execute(PlatePrimitive.ACQUIRE, MIDDLE).taken == 1 / 15


def test_a_push_with_nowhere_to_go_does_no_harm() -> None:
    engine = laid([(0.0, 0.0)])
    assert engine.execute(PlatePrimitive.GROUP, MIDDLE) == Moved()
    assert engine.left() == 1 / 15


def test_an_aim_beyond_the_tray_is_done_at_its_wall() -> None:
    engine = laid([(0.0, 0.0)])
    beyond = Aim(dense_m=(0.5, -0.5), far_m=(-3.0, 0.0))
    assert [engine.execute(primitive, beyond).unstable for primitive in PlatePrimitive] == [False, False]


# The same again


def test_the_same_seed_and_actions_give_the_same_plate() -> None:
    first, second = world_of(), world_of()
    assert [first.act(primitive) for primitive in MIXED] == [second.act(primitive) for primitive in MIXED]
    assert same(first.engine, second.engine)


def test_a_plate_that_was_saved_goes_on_in_another_process_as_if_nothing_had_happened() -> None:
    world = world_of()
    world.act(PlatePrimitive.ACQUIRE)
    saved = json.dumps(world.save())
    again = [sys.executable, "-c", AGAIN, str(SEED)]
    other = subprocess.run(again, input=saved, capture_output=True, check=True, text=True).stdout
    world.act(PlatePrimitive.GROUP)
    world.act(PlatePrimitive.ACQUIRE)
    assert json.loads(other) == world.save()


def test_a_copy_is_the_same_plate_and_independent() -> None:
    world = world_of()
    world.act(PlatePrimitive.GROUP)
    before, copy, chance = world.engine.arrays(), world.copy(), world.copy(noise_seed=7)
    moved = copy.act(PlatePrimitive.ACQUIRE)
    chance.act(PlatePrimitive.ACQUIRE)
    assert all((before[name] == array).all() for name, array in world.engine.arrays().items())
    assert not same(copy.engine, chance.engine)
    assert world.act(PlatePrimitive.ACQUIRE) == moved
    assert same(world.engine, copy.engine)


def test_arrays_of_other_beans_are_refused() -> None:
    engine = BeanEngine()
    with pytest.raises(ValueError, match="other beans"):
        engine.restore({"poses": np.zeros((3, 7)), "on": np.ones(3, dtype=np.bool_)})


# What goes wrong


def test_a_watcher_looks_on_some_thirty_times_a_second_and_changes_nothing() -> None:
    seen: list[float] = []
    plain, watched = world_of(), world_of()
    plain.act(PlatePrimitive.ACQUIRE)
    watched.act(PlatePrimitive.ACQUIRE, watcher=seen.append)
    assert 25 < len(seen) / seen[-1] < 35
    assert seen == sorted(seen)
    assert same(plain.engine, watched.engine)


def test_a_watcher_that_raises_leaves_the_plate_as_it_was() -> None:
    world, calm = world_of(), world_of()

    def stop(seconds: float) -> None:
        if seconds > 0.6:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        world.act(PlatePrimitive.ACQUIRE, watcher=stop)
    assert world.actions == 0
    assert same(world.engine, calm.engine)
    assert world.act(PlatePrimitive.ACQUIRE) == calm.act(PlatePrimitive.ACQUIRE)
    assert same(world.engine, calm.engine)


@pytest.mark.parametrize("what", ["not a number", "below the tray"])
def test_physics_that_goes_wrong_is_rolled_back(what: str) -> None:
    engine, calm = full(), full()

    def spoil(seconds: float) -> None:
        if seconds > 0.2:
            engine.data.qpos[14 + 2] = math.nan if what == "not a number" else -1.0
            engine.data.qvel[12:18] = 0.0

    assert engine.execute(PlatePrimitive.ACQUIRE, MIDDLE, spoil) == Moved(unstable=True)
    assert same(engine, calm)
    assert engine.execute(PlatePrimitive.ACQUIRE, MIDDLE) == calm.execute(PlatePrimitive.ACQUIRE, MIDDLE)
    assert same(engine, calm)


# Seen from above


def rasterised(engine: BeanEngine, pixels: int, grown: float = 1.0) -> Floats:
    """The share of each pixel's 25 sample points that a bean covers, by the plain equation of its ellipse."""
    poses, on = engine.arrays()["poses"], engine.arrays()["on"]
    steps = ((np.arange(5 * pixels) + 0.5) / (5 * pixels) - 0.5) * SIDE_M
    x, y = np.meshgrid(steps, -steps)
    covered = np.zeros(x.shape)
    for pose in poses[on]:
        turn = 2.0 * math.atan2(pose[6], pose[3])
        along = (x - pose[0]) * math.cos(turn) + (y - pose[1]) * math.sin(turn)
        across = (y - pose[1]) * math.cos(turn) - (x - pose[0]) * math.sin(turn)
        covered[(along / 0.009) ** 2 + (across / 0.006) ** 2 <= grown**2] = 1.0
    shares: Floats = covered.reshape(pixels, 5, pixels, 5).mean(axis=(1, 3))
    return shares


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.9])
def test_the_footprint_is_the_filled_outline_of_the_beans(turn: float) -> None:
    engine = laid([(0.0, 0.0), (0.031, -0.052), (-0.08, 0.09)], turn)
    mask = pixels_of(engine.footprint(), 128)
    assert mask[rasterised(engine, 128) > 0.4].all()
    assert not mask[rasterised(engine, 128, grown=1.06) == 0.0].any()


def test_the_footprint_has_no_gap_above_1_mm() -> None:
    points = laid([(0.0, 0.0)], 0.7).footprint()
    grid = np.stack(np.meshgrid(np.linspace(-0.009, 0.009, 91), np.linspace(-0.009, 0.009, 91)), axis=-1).reshape(-1, 2)
    turned = grid @ np.array([[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
    inside = grid[(turned[:, 0] / 0.009) ** 2 + (turned[:, 1] / 0.006) ** 2 <= 1.0]
    gaps = np.sqrt(((inside[:, None] - points[None]) ** 2).sum(axis=2)).min(axis=1)
    assert gaps.max() < 0.00072  # half the diagonal of a square of 1 mm


def test_a_bean_that_stands_on_its_end_is_seen_smaller() -> None:
    engine = laid([(0.0, 0.0)])
    arrays = engine.arrays()
    arrays["poses"][0, 2:] = [0.009, math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0]
    engine.restore(arrays)
    assert np.abs(engine.footprint()).max(axis=0) == pytest.approx([0.0055, 0.006], abs=1e-5)


def test_the_low_level_aims_at_the_cluster_and_pushes_the_straggler() -> None:
    engine = laid([(0.0, 0.0), (0.02, 0.0), (0.01, 0.015), (-0.09, -0.05)])
    aim = aim_at(pixels_of(engine.footprint()))
    assert aim is not None
    assert math.dist(aim.dense_m, (0.01, 0.005)) < 0.012
    assert math.dist(aim.far_m, (-0.09, -0.05)) < 0.012
    assert engine.food is PlateFood.BEANS
