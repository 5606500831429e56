"""Trial from beginning to end: a person, the robot that helps them, and a hand, paired by the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from handup.core import Value
from handup.domains.reaching.drawn_person import SteeringPerson, User, Wish, person_of, wish_of
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.trial import PAPER, PLAN_S, Moment, ReachAttempt, ReachRun, Rules, Trial
from handup.intent import Ask, Assistant, Command, Goals, Helper, Joystick, Pose
from handup.intent.assistant import PRESETS, helper_of
from handup.intent.pose import STILL

PERSON = "person"
"""Name of the person whom robots ask in a trial."""
ATTEMPTS = 2
SURE = 0.7
"""Probability from which the paper counts a guess as a prediction."""


class Robot(Protocol):
    """Helper during one attempt. `handup.intent.Assistant` is one; a class of your own may be another."""

    @property
    def belief(self) -> Mapping[str, float]:
        """The chance of each goal, by name; empty where it has no opinion."""
        ...

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        """Return what to do until the next plan, `dt` seconds after the last one."""
        ...

    def answer(self, value: Value, by: str) -> None:
        """Take in the person's answer."""
        ...

    def again(self) -> Robot:
        """Return the helper of the same person in a second attempt; it may remember their habits and their load."""
        ...


@dataclass(frozen=True)
class Method:
    """A way of helping, by name.

    Args:
        name: Name in tables.
        begin: Makes the robot for a first attempt, from the goals of the scene and α.
    """

    name: str
    begin: Callable[[Goals, float], Robot]


def helped_by(helper: Helper) -> Method:
    """Return a method for a helper with settings of your own. It may ask as often as it likes: that is measured."""
    return Method(
        helper.name, lambda goals, alpha: Assistant(goals, helper, person=PERSON, most_questions=None, alpha=alpha)
    )


def methods() -> Mapping[str, Method]:
    """Return all methods by name: the helpers of `handup.intent`, a person alone (`manual`) among them."""
    return {name: helped_by(helper) for name, helper in PRESETS.items()}


def method(name: str) -> Method:
    """Return the method of this name.

    Raises:
        UnknownMethod: There is none.
    """
    return helped_by(helper_of(name))


def episode(
    scene: Scene, task: str, user: User, method: Method, seed: int, *, rules: Rules = PAPER, record: bool = False
) -> Trial:
    """Let a simulated person do a task; a failed first attempt gives a second one.

    The same arguments give the same trial, and a seed is the same person with the same slips for all methods.

    Args:
        scene: The scene.
        task: Name of the goal, such as `cup/top`.
        user: Kind of person.
        method: The help that they get.
        seed: Seed of chance.
        rules: The terms.
        record: Whether to keep the state at each plan.

    Raises:
        BadGoals: The task is no goal of the scene.
        BadSetting: The seed is below 0.
    """
    wish = wish_of(scene, task, user, seed)
    attempts: list[ReachAttempt] = []
    robot = method.begin(scene.goals, rules.alpha)
    while len(attempts) < ATTEMPTS and not (attempts and attempts[-1].success):
        person = person_of(scene, task, user, seed, len(attempts), steps=rules.steps, questions=rules.questions)
        robot = robot.again() if attempts else robot
        attempts.append(_attempt(scene, wish, person, robot, rules, record))
    return Trial(
        scene=scene.name,
        task=task,
        strategy=user.strategy,
        method=method.name,
        seed=seed,
        listed=wish.listed,
        attempts=tuple(attempts),
    )


def _attempt(
    scene: Scene, wish: Wish, person: SteeringPerson, robot: Robot, rules: Rules, record: bool
) -> ReachAttempt:
    run = ReachRun(scene, wish, person, rules)
    moments: list[Moment] = []
    while not run.over:
        command = robot.step(run.pose, run.stick, PLAN_S)
        linear, angular = (STILL, STILL) if isinstance(command, Ask) else (command.linear, command.angular)
        if record:
            why = command.question.prompt if isinstance(command, Ask) else command.why
            moments.append(run.moment(linear, angular, why, tuple(robot.belief.values())))
        if isinstance(command, Ask):
            robot.answer(run.asked(command.about.answers, command.about.true_answer(wish.goal)), by=PERSON)
        run.go(linear, angular, gives_way=not isinstance(command, Ask) and command.gives_way)
    belief = robot.belief
    return run.result(belief.get(wish.goal, 0.0) > SURE if belief else None, tuple(moments))
