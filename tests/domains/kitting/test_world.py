"""The kitting world by hand: what actions do, what chance may not do, and what survives a program's death."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting, IllegalCall, StoreUnavailable
from handup.domains.kitting import CAUSES, HallState, KittingWorld, rates
from handup.domains.kitting.causes import chance
from handup.domains.kitting.hall_state import CONTENTS, FETCHED, GEAR, MACHINED
from handup.executive.action import Aborted, Call, Done, NotStarted
from tests.domains.kitting.steps import Hands, only


def quiet(seed: int = 0, path: Path | None = None) -> KittingWorld:
    return KittingWorld(seed, rates=rates().without_faults(), path=path, drills=True)


def causes(world: KittingWorld) -> set[str]:
    return set(world.state.causes)


def mill(hands: Hands) -> None:
    hands.fetch(GEAR, "gears")
    hands.done("navigate", to="machine")
    hands.done("insert_gear", chuck=hands.done("detect_chuck")["chuck"])
    hands.done("start_machine")


def build(hands: Hands) -> None:
    hands.kit()
    mill(hands)
    for part in ("small_gear", "gearbox_bottom", "bolt", "bolt", "gearbox_top"):
        hands.fetch(part, FETCHED[part])
        hands.into_kit(part)
    hands.done("navigate", to="machine")
    hands.done("wait_machine")
    hands.done("retrieve_gear", chuck=hands.done("detect_chuck")["chuck"])
    hands.into_kit(MACHINED)
    hands.done("navigate", to="drop_off")
    hands.done("deliver_kit")


def test_a_complete_kit_counts_seven_points() -> None:
    world = quiet()
    build(Hands(world))
    assert (world.kits, world.points) == (1, 7)
    assert sorted(world.state.delivered[0][1]) == sorted(CONTENTS)


def test_a_kit_that_lacks_a_part_counts_nothing() -> None:
    hands = Hands(quiet())
    hands.kit()
    hands.fetch("bolt", "screw_bin")
    hands.into_kit("bolt")
    hands.done("navigate", to="drop_off")
    hands.done("deliver_kit")
    assert hands.world.points == 0


def test_a_kit_after_the_end_counts_nothing() -> None:
    state = HallState(seed=0, delivered=((2699.0, CONTENTS), (2701.0, CONTENTS)))
    assert state.complete_by(2700.0) == 1


def test_after_45_minutes_nothing_is_begun() -> None:
    hands = Hands(quiet())
    hands.world.clock.advance(2700.0)
    outcome = hands.do("look", pose="table")
    assert isinstance(outcome, Aborted)
    assert outcome.code == "time_up"
    assert hands.world.clock.now_s() == 2700.0


def test_the_machine_is_busy_for_120_seconds() -> None:
    hands = Hands(quiet())
    mill(hands)
    started_s = hands.world.clock.now_s()
    chuck = hands.done("detect_chuck")["chuck"]
    early = hands.do("retrieve_gear", chuck=chuck)
    assert isinstance(early, Aborted)
    assert early.code == "machine_busy"
    hands.done("wait_machine")
    assert hands.world.clock.now_s() == pytest.approx(started_s + 120.0)
    hands.done("retrieve_gear", chuck=chuck)
    assert hands.world.state.hand == MACHINED


def test_grasps_from_before_the_base_moved_close_on_air() -> None:
    hands = Hands(quiet())
    hands.done("navigate", to="screw_bin")
    grasps = hands.grasps("bolt")
    hands.done("reposition_base")
    hands.done("pick", object="bolt", grasps=grasps)
    empty = hands.do("verify_grasp", object="bolt")
    assert isinstance(empty, Aborted)
    assert empty.code == "empty_grasp"
    hands.done("pick", object="bolt", grasps=hands.grasps("bolt"))
    hands.done("verify_grasp", object="bolt")


@pytest.mark.parametrize(
    ("name", "goal", "code"),
    [
        ("place_in_kit", {"object": "bolt"}, "no_kit"),
        ("check_kit", {}, "no_kit"),
        ("deliver_kit", {}, "no_kit"),
        ("place_kit_on_robot", {}, "empty_hand"),
        ("put_back", {}, "empty_hand"),
        ("verify_grasp", {"object": "bolt"}, "empty_grasp"),
        ("insert_gear", {"chuck": {"scene": 0}}, "wrong_place"),
        ("retrieve_gear", {"chuck": {"scene": 0}}, "wrong_place"),
        ("start_machine", {}, "machine_empty"),
        ("wait_machine", {}, "machine_empty"),
        ("check_chuck", {}, "not_inserted"),
    ],
)
def test_what_cannot_be_done_gives_up_with_a_code(name: str, goal: dict[str, object], code: str) -> None:
    outcome = Hands(quiet()).do(name, **goal)
    assert isinstance(outcome, Aborted)
    assert outcome.code == code
    assert outcome.why.endswith(".")


def test_every_action_does_what_it_declares() -> None:
    for name, action in quiet().actions().items():
        assert action.name == name
        assert "time_up" in action.codes
        assert action.__doc__


def test_a_hand_that_is_full_picks_nothing_more() -> None:
    hands = Hands(quiet())
    hands.fetch("bolt", "screw_bin")
    outcome = hands.do("pick", object="bolt", grasps=hands.grasps("bolt"))
    assert isinstance(outcome, Aborted)
    assert outcome.code == "hand_full"


# -- chance ------------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_world() -> None:
    first, second = Hands(KittingWorld(5)), Hands(KittingWorld(5))
    for hands in (first, second):
        for to in ("gears", "machine", "gearboxes", "drop_off"):
            hands.do("navigate", to=to)
            hands.do("segment")
    assert first.world.state == second.world.state


def test_what_one_run_does_besides_changes_no_other_draw() -> None:
    """Paired runs see the same faults where they do the same things, whatever they do in between."""
    shaky = only("out_of_view", 0.5)
    seen: list[list[bool]] = []
    for besides in (0, 7):
        hands = Hands(KittingWorld(3, rates=shaky))
        found = []
        for to in ("gears", "gearboxes", "screw_bin") * 8:
            hands.done("navigate", to=to)
            found.append("out_of_view" in hands.world.state.causes)
            for _ in range(besides):
                hands.done("sweep_head")
        seen.append(found)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 2


@given(seed=st.integers(0, 10**9), what=st.text(max_size=20), count=st.integers(0, 10**6))
def test_chance_is_a_number_from_0_to_1(seed: int, what: str, count: int) -> None:
    assert 0.0 <= chance(seed, what, count) < 1.0


def test_chance_is_even() -> None:
    drawn = [chance(1, "evenly", each) for each in range(4000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.5, abs=0.02)
    assert sum(each < 0.1 for each in drawn) / len(drawn) == pytest.approx(0.1, abs=0.015)


def test_a_drill_comes_up_at_the_next_opportunity_and_once() -> None:
    hands = Hands(quiet())
    hands.world.inject("camera", "occlusion")
    assert causes(hands.world) == set()
    hands.done("segment")
    assert causes(hands.world) == {"occlusion"}
    assert hands.world.state.drills == ()


def test_drills_are_off_by_default() -> None:
    with pytest.raises(BadSetting, match="this world takes no drills"):
        KittingWorld(0).inject("camera", "occlusion")


def test_another_program_can_drill_a_world_that_runs(tmp_path: Path) -> None:
    running = Hands(quiet(0, tmp_path / "world.db"))
    running.done("look", pose="table")
    other = KittingWorld(path=tmp_path / "world.db")
    other.inject("camera", "occlusion")
    other.close()
    running.done("segment")
    assert causes(running.world) == {"occlusion"}
    running.done("sweep_head")
    running.done("raise_arm")
    running.done("segment")
    assert causes(running.world) == set(), "once"
    running.world.close()


def test_a_drill_needs_a_part_and_a_failure_of_it() -> None:
    world = quiet()
    with pytest.raises(BadSetting, match="nothing is known to fail at 'soul'"):
        world.inject("soul", "occlusion")
    with pytest.raises(BadSetting, match="the camera has no failure 'slip'") as refused:
        world.inject("camera", "slip")
    assert "occlusion" in refused.value.hint


# -- the death of a program --------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**31),
    causes=st.lists(st.sampled_from(sorted(CAUSES)), unique=True).map(tuple),
    tray=st.none() | st.lists(st.sampled_from(CONTENTS), max_size=6).map(tuple),
    now_s=st.floats(0.0, 3000.0),
)
def test_a_state_goes_to_json_and_back(
    seed: int, causes: tuple[str, ...], tray: tuple[str, ...] | None, now_s: float
) -> None:
    state = HallState(seed=seed, causes=causes, tray=tray, now_s=now_s, delivered=((1.0, CONTENTS),))
    assert HallState.from_json(state.to_json()) == state


def test_a_state_of_another_schema_or_without_a_field_is_refused() -> None:
    record = HallState(seed=1).to_json()
    with pytest.raises(BadRecord, match="schema of a kitting world must be 1, got 9"):
        HallState.from_json({**record, "schema": 9})
    del record["tray"]
    with pytest.raises(BadRecord, match="damaged"):
        HallState.from_json(record)


def test_the_world_survives_the_program(tmp_path: Path) -> None:
    hands = Hands(quiet(4, tmp_path / "world.db"))
    hands.kit()
    hands.fetch("bolt", "screw_bin")
    hands.world.close()
    again = KittingWorld(99, rates=rates().without_faults(), path=tmp_path / "world.db")
    assert again.state == hands.world.state
    assert again.state.seed == 4
    assert again.clock.now_s() == hands.world.clock.now_s()
    assert [each.action for each in again.effects] == ["navigate", "pick_kit", "place_kit_on_robot", "navigate", "pick"]
    again.close()


def test_a_world_goes_on_for_the_one_it_is_of_and_for_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    KittingWorld(4, path=path, whose="run-1 of this store").close()
    again = KittingWorld(path=path, whose="run-1 of this store", create=False)
    assert again.state.seed == 4
    again.close()
    for create in (True, False):
        with pytest.raises(BadRecord, match="is the one of another run"):
            KittingWorld(4, path=path, whose="run-1 of that store", create=create)


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_a_world_that_must_be_there_is_not_made(tmp_path: Path, left: str) -> None:
    path = tmp_path / "world.db"
    if left == "an empty file":
        path.touch()
    with pytest.raises(StoreUnavailable, match="is not there") as refused:
        KittingWorld(4, path=path, create=False)
    assert "begin a new run" in refused.value.hint


def test_a_world_on_disk_and_one_in_memory_are_the_same(tmp_path: Path) -> None:
    memory, disk = KittingWorld(7), KittingWorld(7, path=tmp_path / "world.db")
    for world in (memory, disk):
        hands = Hands(world)
        for to in ("gears", "machine", "gearboxes"):
            hands.do("navigate", to=to)
            hands.do("look", pose="table")
    assert memory.effects == disk.effects
    assert HallState.from_json(memory.state.to_json()) == HallState.from_json(disk.state.to_json())
    disk.close()


def test_a_start_that_never_reached_the_robot_did_nothing(tmp_path: Path) -> None:
    hands = Hands(quiet(0, tmp_path / "world.db"))
    hands.done("navigate", to="gears")
    hands.world.close()
    again = KittingWorld(path=tmp_path / "world.db")
    assert isinstance(again.actions()["pick"]().sense(Call(goal={}, number=2)), NotStarted)
    assert again.state == hands.world.state
    again.close()


def test_a_goal_under_way_stops_with_the_program_and_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    before = quiet(0, path)
    untouched = before.state
    action = before.actions()["navigate"]()
    action.start(Call(goal={"to": "machine"}, number=1))
    next(action.step())
    before.clock.advance(3.0)
    before.close()  # and that was that
    again = KittingWorld(path=path, rates=rates().without_faults())
    sensed = again.actions()["navigate"]().sense(Call(goal={"to": "machine"}, number=1))
    assert isinstance(sensed, NotStarted)
    assert again.state == untouched
    assert again.effects == ()
    again.close()


def test_a_lost_outcome_is_still_known_to_the_robot(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    hands = Hands(quiet(0, path))
    hands.kit()
    hands.world.close()
    again = KittingWorld(path=path)
    sensed = again.actions()["place_kit_on_robot"]().sense(Call(goal={}, number=hands.number))
    assert isinstance(sensed, Done)
    assert sensed.beliefs == {"holding": False, "in_kit": 0}
    assert again.actions()["pick_kit"]().sense(Call(goal={}, number=hands.number - 1)) is None
    again.close()


def test_effects_carry_their_call_and_whether_it_was_a_repeat() -> None:
    world = quiet()
    for number, again in ((1, False), (2, True)):
        action = world.actions()["raise_arm"]()
        action.start(Call(goal={}, number=number, again=again))
        for working in action.step():
            world.clock.advance(working.for_s)
    assert [(each.number, each.action, each.again) for each in world.effects] == [
        (1, "raise_arm", False),
        (2, "raise_arm", True),
    ]


def test_looking_touches_nothing_and_yet_nothing_is_repeatable() -> None:
    hands = Hands(quiet())
    hands.done("look", pose="table")
    hands.done("segment")
    assert hands.world.effects == ()
    actions = hands.world.actions()
    assert not any(each.repeatable for each in actions.values())


def test_a_goal_that_is_stopped_has_no_effect() -> None:
    world = quiet()
    action = world.actions()["navigate"]()
    action.start(Call(goal={"to": "machine"}, number=1))
    next(action.step())
    world.clock.advance(1.0)
    action.stop()
    action.stop()
    assert (world.state.base, world.state.goal, world.effects) == ("kits", None, ())
    assert action.sense(Call(goal={}, number=1)) == NotStarted()


def test_the_robot_does_one_thing_at_a_time() -> None:
    world = quiet()
    world.actions()["navigate"]().start(Call(goal={"to": "machine"}, number=1))
    with pytest.raises(IllegalCall, match="the robot is at navigate"):
        world.actions()["look"]().start(Call(goal={"pose": "table"}, number=2))


def test_a_station_that_is_not_there() -> None:
    with pytest.raises(BadSetting, match="there is no station 'moon'"):
        Hands(quiet()).do("navigate", to="moon")


def test_a_person_takes_a_cause_away() -> None:
    world = quiet()
    world.state = replace(world.state, causes=("wrong_part",), hand="bolt")
    assert world.fix("wrong_part")
    assert (world.state.causes, world.state.hand) == ((), "")
    assert not world.fix("wrong_part")
