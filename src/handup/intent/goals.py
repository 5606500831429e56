"""What a person may be reaching for: an object and a way to grasp it, with the poses that do so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from handup.core import BadGoals
from handup.core.checks import check_list, check_name
from handup.intent.pose import Pose, PoseArray

MAX_GOALS = 1_000
MAX_POSES = 1_000
"""Of one goal."""
MAX_WORD = 100


@dataclass(frozen=True)
class Goal:
    """An object and a way to grasp it.

    Args:
        object: Its name, as a person would say it: "cup".
        grasp: The way, as it follows "from the" or "with a": "top", "side".
        poses: Gripper poses that grasp it so. Which of them is meant is open; the nearest counts.

    Raises:
        BadGoals: It has no pose, or too many, or a name that cannot be said.
    """

    object: str
    grasp: str
    poses: tuple[Pose, ...]

    def __post_init__(self) -> None:
        for name in ("object", "grasp"):
            check_name(f"{name} of a goal", getattr(self, name), MAX_WORD, error=BadGoals)
        poses = check_list(f"what goal '{self.name}' has for poses", self.poses, MAX_POSES, error=BadGoals)
        if not poses:
            raise BadGoals(f"goal '{self.name}' has {len(poses)} poses", hint=f"Give it 1 to {MAX_POSES}.")
        if not all(isinstance(each, Pose) for each in poses):
            raise BadGoals(f"goal '{self.name}' has something that is no pose", hint="Give `Pose` objects.")
        object.__setattr__(self, "poses", poses)

    @property
    def name(self) -> str:
        """`object/grasp`, different for each goal of a scene."""
        return f"{self.object}/{self.grasp}"

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"object": self.object, "grasp": self.grasp, "poses": [each.to_json() for each in self.poses]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Goal:
        """The goal that `to_json` wrote.

        Raises:
            BadGoals: It is none.
            BadPose: One of its poses is none.
        """
        try:
            poses = tuple(Pose.from_json(each) for each in record["poses"])
            return cls(record["object"], record["grasp"], poses)
        except (KeyError, TypeError, IndexError) as error:
            raise BadGoals(f"this is no goal ({error})", hint="Give object, grasp and poses.") from error


@dataclass(frozen=True)
class Goals:
    """All goals of a scene, in a fixed order.

    Args:
        goals: At least one, each with a name of its own.

    Raises:
        BadGoals: There are none, too many, something that is none, or two of one name, large letters or small.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        goals = check_list("what there is for goals", self.goals, MAX_GOALS, error=BadGoals)
        if not all(isinstance(each, Goal) for each in goals):
            raise BadGoals("there is something that is no goal", hint="Give `Goal` objects.")
        if not goals:
            raise BadGoals("there are no goals", hint="Give at least one object with one way to grasp it.")
        names = [each.name.casefold() for each in goals]
        if twice := next((each.name for each, name in zip(goals, names, strict=True) if names.count(name) > 1), None):
            raise BadGoals(f"two goals are called '{twice}'", hint="Put all poses of one grasp into one goal.")
        object.__setattr__(self, "goals", goals)

    @classmethod
    def of(cls, goals: Iterable[Goal]) -> Goals:
        """The goals of a list.

        Raises:
            BadGoals: As of `Goals`.
        """
        return cls(check_list("what there is for goals", goals, MAX_GOALS, error=BadGoals))

    def __len__(self) -> int:
        return len(self.goals)

    def __iter__(self) -> Iterator[Goal]:
        return iter(self.goals)

    def __getitem__(self, index: int) -> Goal:
        return self.goals[index]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the goals, in order."""
        return tuple(each.name for each in self.goals)

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The objects, each once, in order."""
        return tuple(dict.fromkeys(each.object for each in self.goals))

    @cached_property
    def grasps(self) -> tuple[str, ...]:
        """The ways to grasp, each once, in order."""
        return tuple(dict.fromkeys(each.grasp for each in self.goals))

    def index(self, name: str) -> int:
        """Where a goal of this name is.

        Raises:
            BadGoals: Nowhere.
        """
        if name not in self.names:
            raise BadGoals(f"no goal is called '{name}'", hint=f"Known: {', '.join(self.names)}.")
        return self.names.index(name)

    @cached_property
    def poses(self) -> PoseArray:
        """The poses of all goals, one after the other."""
        return PoseArray.of(pose for goal in self.goals for pose in goal.poses)

    @cached_property
    def first_pose(self) -> tuple[int, ...]:
        """In which row of `poses` those of each goal begin, and where they all end."""
        return tuple(int(each) for each in np.cumsum([0, *(len(goal.poses) for goal in self.goals)]))

    def to_json(self) -> list[dict[str, Any]]:
        """Plain records; `from_json` reads them back."""
        return [each.to_json() for each in self.goals]

    @classmethod
    def from_json(cls, records: object) -> Goals:
        """The goals that `to_json` wrote.

        Raises:
            BadGoals: They are none.
        """
        if not isinstance(records, list):
            raise BadGoals("these are no goals", hint="Give a list of goals.")
        return cls(tuple(Goal.from_json(each) for each in records))
