"""Monitors: they see most of what is wrong, and nothing between two actions."""

from __future__ import annotations

from dataclasses import replace

from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.hall_state import HallState
from handup.domains.kitting.world import holding, loaded, on_place
from handup.executive.action import Call
from handup.executive.monitors import Sees

QUIET = rates().without_faults()


def test_most_offsets_of_the_base_show() -> None:
    seen = [on_place(HallState(seed=seed, causes=("mislocalised",)), QUIET, 0.0) for seed in range(800)]
    assert 0.81 < 1.0 - sum(seen) / len(seen) < 0.89
    assert all(on_place(HallState(seed=seed), QUIET, 0.0) for seed in range(50))


def test_most_slips_show() -> None:
    seen = [holding(HallState(seed=seed, causes=("slip",)), QUIET, 0.0) for seed in range(800)]
    assert 0.92 < 1.0 - sum(seen) / len(seen) < 0.98
    assert not holding(HallState(seed=1), QUIET, 0.0)
    assert holding(HallState(seed=1, hand="bolt"), QUIET, 0.0)


def test_a_monitor_is_mistaken_now_and_then() -> None:
    alarms = sum(not on_place(HallState(seed=1), rates(), float(at_s)) for at_s in range(20_000))
    assert 20 < alarms < 64


def test_the_machine_says_nothing_while_the_link_is_down() -> None:
    assert loaded(HallState(seed=1, loaded=True), QUIET, 0.0) is True
    assert loaded(HallState(seed=1, loaded=True, causes=("lost_link",)), QUIET, 0.0) is None


def test_monitors_look_while_the_robot_is_at_something() -> None:
    world = KittingWorld(0, rates=QUIET)
    monitor = next(each for each in world.monitors() if each.name == "loaded")
    assert list(monitor.look(0.0)) == []
    world.actions()["look"]().start(Call(goal={"pose": "table"}, number=1))
    assert list(monitor.look(0.0)) == [Sees(key="loaded", value=False)]
    world.state = replace(world.state, causes=("lost_link",))
    assert list(monitor.look(0.0)) == []
