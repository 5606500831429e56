"""Goals: an object and a grasp, named once each, with at least one pose."""

from __future__ import annotations

import pytest

from handup.core import BadGoals, BadPose
from handup.intent import Assistant, Goal, Goals, Pose

HERE, THERE = Pose((0.0, 0.0, 0.0)), Pose((0.1, 0.0, 0.2))
CUP_TOP, CUP_SIDE = Goal("cup", "top", (HERE, THERE)), Goal("cup", "side", (THERE,))
BOWL = Goal("bowl", "top", (HERE,))


def test_goals_know_their_objects_grasps_and_poses() -> None:
    goals = Goals((CUP_TOP, CUP_SIDE, BOWL))
    assert goals.names == ("cup/top", "cup/side", "bowl/top")
    assert goals.objects == ("cup", "bowl")
    assert goals.grasps == ("top", "side")
    assert goals.first_pose == (0, 2, 3, 4)
    assert goals.poses.positions[2].tolist() == [0.1, 0.0, 0.2]
    assert [each.name for each in goals] == list(goals.names)
    assert goals[goals.index("cup/side")] is CUP_SIDE
    assert Goals.from_json(goals.to_json()) == goals


def test_a_goal_without_poses_is_refused() -> None:
    with pytest.raises(BadGoals, match=r"'cup/top' must have poses, got 0.*HU113"):
        Goal("cup", "top", ())
    with pytest.raises(BadGoals, match="must have `Pose` objects"):
        Goal("cup", "top", ((0.0, 0.0, 0.0),))  # type: ignore[arg-type]
    for wrong in (None, 3, HERE, "here"):
        with pytest.raises(BadGoals, match="'cup/top' has for poses"):
            Goal("cup", "top", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", " cup", "cup\n", 3])
def test_a_name_that_cannot_be_said_is_refused(name: str) -> None:
    with pytest.raises(BadGoals, match="object of a goal"):
        Goal(name, "top", (HERE,))


def test_no_goals_and_two_of_one_name_are_refused() -> None:
    with pytest.raises(BadGoals, match="at least one, got none"):
        Goals(())
    with pytest.raises(BadGoals, match="different names, got 'cup/top' twice"):
        Goals((CUP_TOP, BOWL, CUP_TOP))
    with pytest.raises(BadGoals, match="must be known, got 'mug/top'"):
        Goals((CUP_TOP,)).index("mug/top")
    with pytest.raises(BadGoals, match="different names, got 'cup/top' twice"):
        Goals((CUP_TOP, Goal("Cup", "Top", (THERE,))))


@pytest.mark.parametrize("wrong", [None, 3, "cup/top", [1, 2], [None], [0]])
def test_what_is_no_list_of_goals_is_refused(wrong: object) -> None:
    with pytest.raises(BadGoals):
        Goals.of(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadGoals):
        Goals(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadGoals):
        Assistant(wrong)  # type: ignore[arg-type]


def test_damaged_records_are_refused() -> None:
    for wrong in ({}, {"object": "cup", "grasp": "top"}, 3, {"object": "cup", "grasp": "top", "poses": 3}):
        with pytest.raises(BadGoals):
            Goal.from_json(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadGoals):
        Goals.from_json({})
    with pytest.raises(BadPose):
        Goal.from_json({"object": "cup", "grasp": "top", "poses": [{"position": [0.0, 0.0, float("nan")]}]})
