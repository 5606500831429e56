"""Goals of reaching: an object and a way to grasp it, with the gripper poses that do so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from handup.core import BadGoals
from handup.core.checks import check_list, check_name, shown
from handup.intent.pose import Pose, PoseArray

MAX_GOALS = 1_000
MAX_POSES = 1_000
"""Most poses of one goal."""
MAX_WORD = 100


@dataclass(frozen=True)
class Goal:
    """An object and a way to grasp it.

    Args:
        object: Name of the object, as a person would say it: "cup".
        grasp: Name of the grasp, as it follows "with a": "top", "side".
        poses: Gripper poses of this grasp, 1 to 1,000. The nearest counts, since any of them may be meant.

    Raises:
        BadGoals: It has no poses or too many, or a name is empty, too long or of several lines.
    """

    object: str
    grasp: str
    poses: tuple[Pose, ...]

    def __post_init__(self) -> None:
        for name in ("object", "grasp"):
            check_name(f"{name} of a goal", getattr(self, name), MAX_WORD, error=BadGoals)
        poses = check_list(f"what goal '{self.name}' has for poses", self.poses, MAX_POSES, error=BadGoals)
        if not poses:
            raise BadGoals(f"goal '{self.name}' must have poses, got 0", hint=f"Give it 1 to {MAX_POSES}.")
        if stray := [pose for pose in poses if not isinstance(pose, Pose)]:
            raise BadGoals(f"goal '{self.name}' must have `Pose` objects, got {shown(stray[0])}", hint="Give `Pose`s.")
        object.__setattr__(self, "poses", poses)

    @property
    def name(self) -> str:
        """`object/grasp`, different for each goal of a scene."""
        return f"{self.object}/{self.grasp}"

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"object": self.object, "grasp": self.grasp, "poses": [pose.to_json() for pose in self.poses]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Goal:
        """The goal that `to_json` wrote.

        Raises:
            BadGoals: It is no record of a goal.
            BadPose: One of its poses is no record of a pose.
        """
        try:
            poses = tuple(Pose.from_json(pose) for pose in record["poses"])
            return cls(record["object"], record["grasp"], poses)
        except (KeyError, TypeError, IndexError) as error:
            cause = f"a goal must have an object, a grasp and poses, got {shown(record)}"
            raise BadGoals(cause, hint="Give these three.") from error


@dataclass(frozen=True)
class Goals:
    """All goals of a scene, in a fixed order.

    Args:
        goals: The goals, 1 to 1,000, each with a name of its own.

    Raises:
        BadGoals: There are no goals, too many, something that is no goal, or two of one name in any case of letters.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        goals = check_list("the list of goals", self.goals, MAX_GOALS, error=BadGoals)
        if stray := [goal for goal in goals if not isinstance(goal, Goal)]:
            raise BadGoals(f"goals must be `Goal` objects, got {shown(stray[0])}", hint="Give `Goal` objects.")
        if not goals:
            raise BadGoals("goals must name at least one, got none", hint="Give at least one object with one grasp.")
        names = [goal.name.casefold() for goal in goals]
        if twice := next((goal.name for goal, name in zip(goals, names, strict=True) if names.count(name) > 1), None):
            hint = "Put all poses of one grasp into one goal."
            raise BadGoals(f"goals must have different names, got '{twice}' twice", hint=hint)
        object.__setattr__(self, "goals", goals)

    @classmethod
    def of(cls, goals: Iterable[Goal]) -> Goals:
        """The goals of a list.

        Raises:
            BadGoals: As of `Goals`.
        """
        return cls(check_list("the list of goals", goals, MAX_GOALS, error=BadGoals))

    def __len__(self) -> int:
        return len(self.goals)

    def __iter__(self) -> Iterator[Goal]:
        return iter(self.goals)

    def __getitem__(self, index: int) -> Goal:
        return self.goals[index]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the goals, in order."""
        return tuple(goal.name for goal in self.goals)

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The objects, each once, in order."""
        return tuple(dict.fromkeys(goal.object for goal in self.goals))

    @cached_property
    def grasps(self) -> tuple[str, ...]:
        """The ways to grasp, each once, in order."""
        return tuple(dict.fromkeys(goal.grasp for goal in self.goals))

    def index(self, name: str) -> int:
        """Return the index of the goal of this name.

        Raises:
            BadGoals: No goal has this name.
        """
        if name not in self.names:
            raise BadGoals(f"the name of a goal must be known, got '{name}'", hint=f"Known: {', '.join(self.names)}.")
        return self.names.index(name)

    @cached_property
    def poses(self) -> PoseArray:
        """The poses of all goals, one after the other."""
        return PoseArray.of(pose for goal in self.goals for pose in goal.poses)

    @cached_property
    def first_pose(self) -> tuple[int, ...]:
        """Row of `poses` at which those of each goal begin and, last, the number of rows."""
        return tuple(int(row) for row in np.cumsum([0, *(len(goal.poses) for goal in self.goals)]))

    def to_json(self) -> list[dict[str, Any]]:
        """Plain records; `from_json` reads them back."""
        return [goal.to_json() for goal in self.goals]

    @classmethod
    def from_json(cls, records: object) -> Goals:
        """The goals that `to_json` wrote.

        Raises:
            BadGoals: They are no list of goals.
        """
        if not isinstance(records, list):
            raise BadGoals(f"goals must be a list of records, got {shown(records)}", hint="Give a list of goals.")
        return cls(tuple(Goal.from_json(record) for record in records))
