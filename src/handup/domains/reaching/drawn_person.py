"""Simulated person who steers, with their own speed, delay and noise, and the chance events of one attempt.

Everything is drawn before the hand moves and by the seed alone, so that all methods meet the same person and the same
slips at the same moments.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from handup.core import BadSetting, UnknownName
from handup.core.checks import check_count, check_share
from handup.domains.reaching import steering_habits
from handup.domains.reaching.scenes import CONTROL_HZ, CONTROL_S, Scene
from handup.domains.reaching.steering_habits import Range, SteeringHabit
from handup.intent import Pose
from handup.intent.pose import Vector, exponential, product

REACHED_M, REACHED_RAD = 0.015, 0.15
"""Distance and angle within which a closing hand holds a grasp."""
TRIES = 200
"""Most poses beside the list that are looked at before one of the list is taken after all."""


@dataclass(frozen=True, kw_only=True)
class User:
    """A kind of simulated person.

    Args:
        strategy: Way in which they bring the hand to the grasp.
        wrong_answer: Share of questions that they answer wrongly.
        missing_pose: Share of trials in which they want a pose that the robot does not know.
        change_strategy: Chance that they try another strategy after a failed attempt.

    Raises:
        BadSetting: A share outside of 0 to 1.
    """

    strategy: SteeringHabit
    wrong_answer: float = steering_habits.WRONG_ANSWER
    missing_pose: float = steering_habits.MISSING_POSE
    change_strategy: float = steering_habits.CHANGE_STRATEGY

    def __post_init__(self) -> None:
        if self.strategy not in tuple(SteeringHabit):
            names = ", ".join(SteeringHabit)
            raise UnknownName.of("strategy", repr(self.strategy), f"be one of {names}", hint="Use one of these.")
        object.__setattr__(self, "strategy", SteeringHabit(self.strategy))
        for name in ("wrong_answer", "missing_pose", "change_strategy"):
            check_share(name, getattr(self, name), error=BadSetting)


@dataclass(frozen=True)
class Wish:
    """The grasp that a person has in mind.

    Args:
        goal: Name of the goal.
        pose: The pose they have in mind.
        accepted: The poses that they would close the hand in.
        listed: Whether the robot knows the pose.
    """

    goal: str
    pose: Pose
    accepted: tuple[Pose, ...]
    listed: bool

    def is_reached(self, pose: Pose) -> bool:
        """Return whether a hand that closes in this pose holds the wanted grasp."""
        return any(
            pose.distance_m(grasp) <= REACHED_M and pose.angle_rad(grasp) <= REACHED_RAD for grasp in self.accepted
        )


@dataclass(frozen=True, kw_only=True)
class SteeringPerson:
    """One person in one attempt, as chance draws them. Units and reasons stand in `steering_habits`."""

    strategy: SteeringHabit
    cruise: float
    noise: float
    delay: int
    """Delay between seeing and pushing, in control steps."""
    switch: int
    """Time to change the mode, in control steps."""
    misplaced: Vector
    misturned: Vector
    standoff_m: float
    aside_m: float
    trembling: list[list[float]]
    """One deflection per control step, along three axes."""
    pausing: list[bool]
    slipping: list[Vector | None]
    answering: list[float | None]
    """For each question, None for a right answer, else the choice among the wrong answers, from 0 to 1."""


def wish_of(scene: Scene, task: str, user: User, seed: int) -> Wish:
    """Return what a person of this seed has in mind; the same for all methods and attempts.

    Raises:
        BadGoals: The task is no goal of the scene.
        BadSetting: The seed is below 0.
    """
    goal = scene.goal(task)
    chance = _chance(scene, task, seed, 0)
    taste = chance.normal(0.0, steering_habits.PREFER_M, len(goal.poses))
    ways = [
        scene.start.distance_m(pose) + steering_habits.RAD_AS_M * scene.start.angle_rad(pose) for pose in goal.poses
    ]
    listed = goal.poses[int(np.argmin(np.array(ways) + taste))]
    if chance.random() < user.missing_pose:
        for _ in range(TRIES):
            # Rejected while the hand would touch something there, or while the robot's list has the grasp already.
            pose = _beside(listed, chance)
            if scene.is_free(pose) and not Wish(task, pose, goal.poses, True).is_reached(pose):
                return Wish(task, pose, (pose,), False)
    return Wish(task, listed, goal.poses, True)


def strategy_of(scene: Scene, task: str, user: User, seed: int, attempt: int) -> SteeringHabit:
    """Return the habit of an attempt, counted from 0. A change is to turning first, or from that to stopping beside."""
    if attempt == 0 or _chance(scene, task, seed, 1).random() >= user.change_strategy:
        return user.strategy
    return SteeringHabit.STOP_BESIDE if user.strategy is SteeringHabit.ROTATE_FIRST else SteeringHabit.ROTATE_FIRST


def person_of(
    scene: Scene, task: str, user: User, seed: int, attempt: int, *, steps: int, questions: int
) -> SteeringPerson:
    """Return the person of a seed in an attempt.

    Args:
        scene: The scene.
        task: Name of the goal.
        user: Kind of person.
        seed: Seed of chance; with scene and task it decides everything.
        attempt: Counted from 0.
        steps: Most control steps that an attempt has.
        questions: Most questions that they may be asked.
    """
    # `who` stays the same in all attempts, `what` is drawn anew: the same person meets other slips.
    who, what = _chance(scene, task, seed, 2), _chance(scene, task, seed, 10 + attempt)
    keep = math.exp(-CONTROL_S / steering_habits.NOISE_S)
    white = what.normal(0.0, math.sqrt(1.0 - keep * keep), (steps, 3))
    pausing = np.zeros(steps, dtype=bool)
    for begin, end in _spells(what, steps, steering_habits.PAUSE_EVERY_S, steering_habits.PAUSE_S):
        pausing[begin:end] = True
    slipping: list[Vector | None] = [None] * steps
    for begin, end in _spells(what, steps, steering_habits.SLIP_EVERY_S, steering_habits.SLIP_S):
        way = what.normal(size=3)
        x, y, z = (way / np.linalg.norm(way) * what.uniform(*steering_habits.SLIP_SIZE)).tolist()
        slipping[begin:end] = [(x, y, z)] * (end - begin)
    misplaced, misturned = what.normal(0.0, steering_habits.SEES_M, 3), what.normal(0.0, steering_habits.SEES_RAD, 3)
    return SteeringPerson(
        strategy=strategy_of(scene, task, user, seed, attempt),
        cruise=who.uniform(*steering_habits.CRUISE),
        noise=who.uniform(*steering_habits.NOISE),
        delay=max(1, round(who.uniform(*steering_habits.DELAY_S) * CONTROL_HZ)),
        switch=max(1, round(who.uniform(*steering_habits.SWITCH_S) * CONTROL_HZ)),
        standoff_m=who.uniform(*steering_habits.STANDOFF_M),
        aside_m=who.normal(0.0, steering_habits.ASIDE_M),
        misplaced=(misplaced[0], misplaced[1], misplaced[2]),
        misturned=(misturned[0], misturned[1], misturned[2]),
        trembling=_hanging_together(white.T.tolist(), keep),
        pausing=pausing.tolist(),
        slipping=slipping,
        answering=[which if slip < user.wrong_answer else None for slip, which in what.random((questions, 2)).tolist()],
    )


def _chance(scene: Scene, task: str, seed: int, part: int) -> np.random.Generator:
    seed = check_count("a seed", seed, least=0, error=BadSetting)
    return np.random.default_rng([seed, zlib.crc32(f"{scene.name}/{task}".encode()), part])


def _hanging_together(white: list[list[float]], keep: float) -> list[list[float]]:
    """Return noise of which each step keeps a share of the one before, axis by axis; one row per step."""
    axes = (accumulate(axis, lambda before, new: new + keep * before) for axis in white)
    return [list(step) for step in zip(*axes, strict=True)]


def _spells(chance: np.random.Generator, steps: int, every_s: float, lasts_s: Range) -> list[tuple[int, int]]:
    """Return the begins and ends of something that happens now and then, in control steps."""
    spells: list[tuple[int, int]] = []
    at = chance.exponential(every_s) * CONTROL_HZ
    while at < steps:
        end = min(steps, int(at) + max(1, round(chance.uniform(*lasts_s) * CONTROL_HZ)))
        spells.append((int(at), end))
        at = end + chance.exponential(every_s) * CONTROL_HZ
    return spells


def _beside(pose: Pose, chance: np.random.Generator) -> Pose:
    """Return a pose near another one, moved and turned a little."""
    way, axis = chance.normal(size=3), chance.normal(size=3)
    way *= chance.uniform(*steering_habits.SHIFT_M) / np.linalg.norm(way)
    axis *= chance.uniform(*steering_habits.TURN_BY_RAD) / np.linalg.norm(axis)
    x, y, z = (old + step for old, step in zip(pose.position, way.tolist(), strict=True))
    a, b, c = axis.tolist()
    return Pose((x, y, z), product(exponential((a, b, c)), pose.rotation))
