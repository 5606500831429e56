"""The scenes are those of the paper, and every grasp in them can be made."""

import dataclasses
import math

import numpy as np
import pytest

from handup.core import BadGoals, BadSetting
from handup.domains.reaching import scene, scenes
from handup.intent import Pose
from handup.intent.pose import rotated

COUNTS = {"S1": (3, 4, 4), "S2": (10, 18, 4), "U6": (4, 6, 3), "U22": (11, 22, 3)}
TABLE_IV = {
    "drill": {"top vertical", "side horizontal", "side vertical"},
    "apple": {"top vertical", "top horizontal"},
    "banana": {"top horizontal"},
    "plate": {"top vertical"},
    "scissors": {"top horizontal", "side vertical"},
    "spray cleaner": {"top vertical", "side vertical", "side horizontal"},
    "cup": {"top vertical", "top horizontal", "side horizontal"},
    "bottle": {"side horizontal"},
    "can": {"top vertical", "side horizontal"},
    "bowl": {"top vertical", "top horizontal"},
    "spoon": {"top vertical", "side vertical"},
}
SCENE_2 = {
    "cup": {"top horizontal", "side horizontal"},
    "chips can": {"side horizontal"},
    "meat can": {"side horizontal"},
    "scissors": {"top vertical", "side vertical"},
    "drill": {"top vertical", "side vertical", "side horizontal"},
    "bleach cleanser": {"side horizontal"},
    "spoon": {"top vertical", "side vertical", "side horizontal"},
    "bowl": {"top vertical", "top horizontal"},
    "banana": {"top horizontal"},
    "sugar box": {"top horizontal", "side horizontal"},
}
TASKS = {
    "S1": ("cup/top", "chips can/side", "bowl/top", "cup/side"),
    "S2": ("cup/top horizontal", "scissors/side vertical", "drill/side vertical", "spoon/top vertical"),
    "U6": ("bottle/side", "spoon/top", "cup/top"),
    "U22": ("bowl/top horizontal", "can/side horizontal", "drill/side vertical"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_objects_goals_and_tasks_are_as_many_as_in_the_paper(name: str) -> None:
    where = scene(name)
    assert (len(where.things), len(where.goals), len(where.tasks)) == COUNTS[name]
    assert where.tasks == TASKS[name]
    assert {each.name for each in where.things} == set(where.goals.objects)


@pytest.mark.parametrize(("name", "listed"), [("U22", TABLE_IV), ("S2", SCENE_2)])
def test_the_grasp_types_are_those_that_the_paper_lists(name: str, listed: dict[str, set[str]]) -> None:
    found: dict[str, set[str]] = {}
    for goal in scene(name).goals:
        found.setdefault(goal.object, set()).add(goal.grasp)
    assert found == listed


@pytest.mark.parametrize("name", COUNTS)
def test_the_hand_can_be_in_every_listed_pose_and_at_the_start(name: str) -> None:
    where = scene(name)
    assert where.is_free(where.start)
    assert all(where.is_free(pose) for goal in where.goals for pose in goal.poses)


@pytest.mark.parametrize("name", COUNTS)
def test_a_grasp_points_and_closes_as_its_name_says(name: str) -> None:
    for goal in scene(name).goals:
        for pose in goal.poses:
            ahead, closing = rotated(pose.rotation, (1.0, 0.0, 0.0)), rotated(pose.rotation, (0.0, 1.0, 0.0))
            assert abs(ahead[2] - (-1.0 if goal.grasp.startswith("top") else 0.0)) < 1e-9, goal.name
            if goal.grasp == "side vertical":
                assert abs(closing[2]) > 0.99
            elif goal.grasp == "side horizontal":
                assert abs(closing[2]) < 1e-9
            elif goal.grasp == "top horizontal":
                assert abs(closing[1]) > math.cos(math.radians(16))
            elif goal.grasp == "top vertical":
                assert abs(closing[0]) > math.cos(math.radians(16))


def test_a_level_side_grasp_needs_no_rotation_as_in_the_paper() -> None:
    for name, task in (("S1", "chips can/side"), ("U6", "bottle/side"), ("U22", "can/side horizontal")):
        where = scene(name)
        assert min(where.start.angle_rad(pose) for pose in where.goal(task).poses) < 1e-9


def test_the_bowl_of_the_complex_scene_is_the_nearest_task_and_the_drill_the_furthest() -> None:
    where = scene("U22")
    ways = [min(where.start.distance_m(pose) for pose in where.goal(task).poses) for task in where.tasks]
    assert ways == sorted(ways)


def test_the_things_do_not_stand_in_each_other() -> None:
    chance = np.random.default_rng(0)
    for where in scenes().values():
        for thing in where.things:
            others = dataclasses.replace(
                where, things=tuple(each for each in where.things if each is not thing), tasks=()
            )
            own = dataclasses.replace(where, things=(thing,), tasks=())
            x, y, _ = thing.boxes[0].middle if thing.boxes else thing.rings[0].middle
            points = chance.uniform((x - 0.15, y - 0.15, 0.001), (x + 0.15, y + 0.15, 0.26), (20_000, 3))
            inside = points[own.obstacles.distances(points) < 0.0]
            assert len(inside) > 20
            assert others.obstacles.distances(inside).min() > 0.0


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(BadSetting, match="S9"):
        scene("S9")
    with pytest.raises(BadSetting, match="teapot"):
        scene("S1").thing("teapot")
    with pytest.raises(BadGoals, match="teapot"):
        scene("S1").goal("teapot/top")


def test_a_scene_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadSetting, match="teapot/top"):
        dataclasses.replace(scene("S1"), tasks=("teapot/top",))
    with pytest.raises(BadSetting, match="starts inside"):
        dataclasses.replace(scene("S1"), start=Pose((0.5, -0.02, 0.0)))
