"""Noodles: strands keep their length, nothing appears or is gone, friction is the textbook's, loops equal arrays."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from handup.core import OutOfRange
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.noodle_physics import STRETCH, NoodleWork, advance, has_compiler, stepper
from handup.domains.plate.noodles import NoodlePhysics, Noodles
from handup.domains.plate.primitives import Aim, Floats, Moved, PlateFood, PlatePrimitive

SEED = 910_000
SMALL = NoodlePhysics(strands=3, points=11, spread_m=(0.01, 0.01), turns=1.0, lift_m=0.08, hold_s=0.15)
"""A plate on which the physics in NumPy is quick."""
MIDDLE = Aim(dense_m=(0.0, 0.0), far_m=(0.05, 0.0))
ASIDE = Aim(dense_m=(0.06, -0.04), far_m=(0.06, 0.04))
AGAIN = """
import json, sys
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.noodles import NoodlePhysics, Noodles
from handup.domains.plate.primitives import PlatePrimitive

engine = Noodles(NoodlePhysics(**json.loads(sys.argv[2])), compiled=False)
world = ClearingWorld(engine, seed=int(sys.argv[1]))
world.load(json.load(sys.stdin))
world.act(PlatePrimitive.GROUP)
json.dump(world.save(), sys.stdout)
"""


def engine_of(physics: NoodlePhysics = SMALL) -> Noodles:
    return Noodles(physics, compiled=False)


def world_of(seed: int = SEED, physics: NoodlePhysics = SMALL) -> ClearingWorld:
    return ClearingWorld(engine_of(physics), seed=seed)


def laid(strands: list[Floats], physics: NoodlePhysics = SMALL) -> Noodles:
    engine = engine_of(physics)
    engine.restore({"strands": np.array(strands).reshape(-1, physics.points, 3)})
    return engine


def straight(physics: NoodlePhysics, middle: tuple[float, float, float], turn: float = 0.0) -> Floats:
    """A straight strand that lies level."""
    along = physics.link_m * (np.arange(physics.points) - (physics.points - 1) / 2.0)
    ways = (np.cos(turn) * along, np.sin(turn) * along, np.zeros(physics.points))
    strand: Floats = np.array(middle) + np.stack(ways, axis=1)
    return strand


def same(first: ClearingWorld, second: ClearingWorld) -> bool:
    one, other = first.engine.arrays(), second.engine.arrays()
    return all(array.tobytes() == other[name].tobytes() for name, array in one.items())


def work_of(physics: NoodlePhysics, strand: Floats, tools: Floats) -> NoodleWork:
    return NoodleWork.of(strand[None], tools, physics.tine_radius_m, physics.room)


def moved(physics: NoodlePhysics, work: NoodleWork, steps: int) -> Floats:
    """Ways of the strand's points while the tools stand still."""
    before = work.strands.copy()
    tools = work.points[len(work.velocity) :]
    advance(work, physics.numbers(), np.repeat(tools[None], steps, axis=0))
    ways: Floats = (work.strands - before)[0]
    return ways


# A plate


def test_a_full_plate_lies_at_rest_on_the_plate() -> None:
    world = world_of()
    strands = world.engine.arrays()["strands"]
    assert world.food is PlateFood.NOODLES
    assert world.engine.left() == 1.0
    assert np.hypot(strands[..., 0], strands[..., 1]).max() < SMALL.rim_m
    assert strands[..., 2].min() > 0.9 * SMALL.radius_m
    links = np.linalg.norm(np.diff(strands, axis=1), axis=2)
    assert links == pytest.approx(SMALL.link_m, rel=SMALL.stretch)


def test_another_seed_lays_another_plate() -> None:
    assert not same(world_of(), world_of(SEED + 1))


def test_portions_are_heaps_or_strewn() -> None:
    def wide_m(spread_m: tuple[float, float], seed: int) -> float:
        strands = world_of(seed, replace(SMALL, strands=8, spread_m=spread_m, settle_s=0.0)).engine.arrays()["strands"]
        return float(np.hypot(*strands.mean(axis=1)[:, :2].T).mean())

    heaps, strewn = ([wide_m((spread, spread), SEED + seed) for seed in range(3)] for spread in (0.002, 0.04))
    assert max(heaps) < 0.02 < min(strewn)
    with pytest.raises(OutOfRange, match="smaller one first"):
        NoodlePhysics(spread_m=(0.03, 0.02))


def test_the_footprint_has_no_gaps_and_is_as_wide_as_the_strands() -> None:
    points = laid([straight(SMALL, (0.0, 0.0, 0.0015))]).footprint()
    assert points[:, 0].max() - points[:, 0].min() == pytest.approx(SMALL.link_m * (SMALL.points - 1))
    assert points[:, 1].max() - points[:, 1].min() == pytest.approx(2.0 * SMALL.radius_m)
    assert np.diff(np.unique(points[:, 0].round(6))).max() <= 0.001
    assert np.diff(np.unique(points[:, 1].round(6))).max() <= 0.001


def test_an_empty_plate_stays_empty() -> None:
    engine = laid([])
    assert [engine.execute(primitive, MIDDLE) for primitive in PlatePrimitive] == [Moved(), Moved()]
    assert engine.left() == 0.0
    assert engine.footprint().shape == (0, 2)


# The books


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_what_is_taken_lost_and_left_is_the_whole_plate(seed: int) -> None:
    world = world_of(seed)
    gone = 0.0
    for primitive in (PlatePrimitive.GROUP, PlatePrimitive.ACQUIRE, PlatePrimitive.ACQUIRE):
        outcome = world.act(primitive)
        assert not outcome.moved.unstable
        assert outcome.moved.lost == 0.0
        gone += outcome.moved.taken + outcome.moved.lost
        assert gone + world.engine.left() == pytest.approx(1.0)


def test_noodles_that_no_tool_comes_near_stay_where_they_are() -> None:
    engine = laid([straight(SMALL, (-0.05, y, 0.0015), turn=0.3) for y in (-0.03, 0.0, 0.03)])
    before = engine.strands
    for primitive in PlatePrimitive:
        assert engine.execute(primitive, ASIDE) == Moved()
    assert engine.strands == pytest.approx(before, abs=2e-4)


# The same again


def test_the_same_seed_and_actions_give_the_same_plate_also_after_loading_it_elsewhere() -> None:
    first, second = world_of(), world_of()
    first.act(PlatePrimitive.ACQUIRE)
    second.load(json.loads(json.dumps(first.save())))
    call = [sys.executable, "-c", AGAIN, str(SEED), json.dumps(asdict(SMALL))]
    elsewhere = subprocess.run(call, input=json.dumps(first.save()), capture_output=True, text=True, check=True)
    first.act(PlatePrimitive.GROUP)
    second.act(PlatePrimitive.GROUP)
    assert same(first, second)
    assert json.loads(elsewhere.stdout) == first.save()


def test_a_copy_goes_its_own_way() -> None:
    world = world_of()
    before = world.save()
    twin = world.copy(noise_seed=5)
    assert same(world, twin)
    twin.act(PlatePrimitive.ACQUIRE)
    assert world.save() == before
    assert not same(world, twin)


@pytest.mark.skipif(not has_compiler(), reason="needs the extra 'fast'")
def test_compiled_physics_gives_the_same_numbers() -> None:
    physics = replace(SMALL, strands=4)
    arrays, loops = world_of(SEED, physics), ClearingWorld(Noodles(physics, compiled=True), seed=SEED)
    for primitive in (PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP):
        assert arrays.act(primitive) == loops.act(primitive)
        assert same(arrays, loops)


def test_without_a_word_the_quickest_physics_is_taken() -> None:
    assert stepper(compiled=False) is advance
    assert (stepper() is advance) is not has_compiler()


# Friction and contact


@pytest.mark.parametrize(("degrees", "slides"), [(-3.0, False), (3.0, True)])
def test_a_strand_slides_on_a_slope_from_the_angle_of_friction_on(degrees: float, slides: bool) -> None:
    slope = math.atan(SMALL.plate_friction) + math.radians(degrees)
    cone = replace(SMALL, strands=1, flat_m=0.0, rim_m=0.2, rim_height_m=0.2 * math.tan(slope))
    middle = 0.1 * np.array([math.cos(slope), math.sin(slope)])
    along = cone.link_m * (np.arange(cone.points) - 5.0)
    x, z = middle[0] + along * math.cos(slope), middle[1] + along * math.sin(slope)
    aside = cone.radius_m * np.array([-math.sin(slope), math.cos(slope)])
    strand = np.stack((x + aside[0], np.zeros(cone.points), z + aside[1]), axis=1)
    way = float(np.linalg.norm(moved(cone, work_of(cone, strand, np.zeros((0, 3))), 100), axis=1).mean())
    assert (way > 0.01) is slides
    assert slides or way < 0.0005


def draped(physics: NoodlePhysics, right: int) -> Floats:
    """A strand over a bar that lies along y, 20 cm up, with so many links on the right."""
    reach = physics.radius_m + physics.tine_radius_m
    along = physics.link_m * (np.arange(physics.points) - right)
    turn = np.clip(along / reach, -math.pi / 2.0, math.pi / 2.0)
    down = np.abs(along) - np.abs(turn) * reach
    return np.stack((reach * np.sin(turn), np.zeros_like(turn), 0.2 + reach * np.cos(turn) - down), axis=1)


@pytest.mark.parametrize(("right", "friction", "slides"), [(4, 0.5, False), (2, 0.5, True), (4, 0.1, True)])
def test_a_strand_over_a_tine_slides_from_the_ratio_of_its_ends_on_that_ropes_have(
    right: int, friction: float, slides: bool
) -> None:
    physics = NoodlePhysics(fork_friction=friction)
    ratio = (physics.points - 1 - right) / right
    assert (ratio > math.exp(friction * math.pi)) is slides
    bar = np.array([[0.0, -0.05, 0.2], [0.0, 0.05, 0.2]])
    work = work_of(physics, draped(physics, right), bar)
    moved(physics, work, 40)
    assert (abs(float(moved(physics, work, 120)[0, 2])) > 0.02) is slides


def test_tines_wind_strands_without_stretching_them_or_passing_through() -> None:
    engine = engine_of()
    engine.lay(np.random.default_rng(SEED + 2))
    path = engine.path(PlatePrimitive.ACQUIRE, Aim(dense_m=(0.0, 0.0), far_m=(0.0, 0.0), grain_rad=0.7))
    work = NoodleWork.of(engine.strands, path[0], SMALL.tine_radius_m, SMALL.room)
    landing = math.ceil(SMALL.hover_m / (SMALL.down_m_s * SMALL.step_s)) + 20  # tines may come down on a strand
    advance(work, SMALL.numbers(), path[:landing])
    nearest = math.inf
    for start in range(landing, len(path), 3):
        advance(work, SMALL.numbers(), path[start : start + 3])
        nearest = min(nearest, float(gaps(work).min()))
    assert nearest > 0.5 * (SMALL.radius_m + SMALL.tine_radius_m)
    assert 0.0 < work.gauges[STRETCH] <= 0.02


def gaps(work: NoodleWork) -> Floats:
    """Distances of the middle lines of tines and strands, by looking closely at many places on both."""
    share = np.linspace(0.0, 1.0, 13)[:, None]
    tools = work.points[len(work.velocity) :].reshape(-1, 2, 3)
    fine = np.linspace(0.0, 1.0, 73)[:, None]
    on_tools = ((1.0 - fine) * tools[:, None, 0] + fine * tools[:, None, 1]).reshape(-1, 3)
    first, second = work.strands[:, :-1].reshape(-1, 1, 3), work.strands[:, 1:].reshape(-1, 1, 3)
    on_strands = ((1.0 - share) * first + share * second).reshape(-1, 3)
    squares = (on_strands**2).sum(1)[:, None] + (on_tools**2).sum(1) - 2.0 * on_strands @ on_tools.T
    distances: Floats = np.sqrt(np.maximum(squares, 0.0))
    return distances


# When something goes wrong


class Enough(Exception):
    """Somebody who looks on has seen enough."""


def test_a_watcher_that_raises_leaves_the_plate_as_it_was() -> None:
    world = world_of()
    before = world.save()
    seen: list[float] = []

    def watch(seconds: float) -> None:
        seen.append(seconds)
        if seconds > 1.0:
            raise Enough

    with pytest.raises(Enough):
        world.act(PlatePrimitive.ACQUIRE, watcher=watch)
    assert world.save() == before
    assert seen == sorted(seen)
    assert 28 <= len(seen) <= 31


def test_physics_that_goes_wrong_is_rolled_back() -> None:
    engine = laid([straight(SMALL, (0.0, 0.0, 0.0015))], replace(SMALL, strands=1, most_stretch=0.0))
    before = engine.strands
    assert engine.execute(PlatePrimitive.ACQUIRE, MIDDLE) == Moved(unstable=True)
    assert engine.strands.tobytes() == before.tobytes()
    broken: dict[str, Any] = {"strands": np.where(np.arange(3) == 2, np.nan, before)}
    engine.restore(broken)
    assert engine.execute(PlatePrimitive.GROUP, MIDDLE).unstable
