"""A trial from beginning to end: a person, what helps them, and a hand, paired by the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from handup.core import UnknownMethod, Value
from handup.domains.reaching.drawn_person import SteeringPerson, User, Wish, person_of, wish_of
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.trial import PAPER, PLAN_S, Moment, ReachAttempt, ReachRun, Rules, Trial
from handup.intent import Ask, Assistant, Command, Goals, Helper, Joystick, Pose
from handup.intent.assistant import PRESETS
from handup.intent.pose import STILL

PERSON = "person"
"""Whom robots ask in a trial."""
ATTEMPTS = 2
SURE = 0.7
"""What the paper takes for a prediction."""


class Robot(Protocol):
    """What helps during one attempt. `handup.intent.Assistant` is one; so may be a class of your own."""

    @property
    def belief(self) -> Mapping[str, float]:
        """The chance of each goal, by name; empty where it has no opinion."""
        ...

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        """What to do until the next plan, `dt` seconds after the last one."""
        ...

    def answer(self, value: Value, by: str) -> None:
        """What the person answered."""
        ...

    def again(self) -> Robot:
        """What helps the same person in a second attempt; it may remember how they drive and what they bore."""
        ...


@dataclass(frozen=True)
class Method:
    """A way of helping, by name.

    Args:
        name: In tables.
        begin: Makes the robot for a first attempt, from the goals of the scene and α.
    """

    name: str
    begin: Callable[[Goals, float], Robot]


def helped_by(helper: Helper) -> Method:
    """A method out of a helper with settings of your own. How often it asks is its own affair: that is measured."""
    return Method(
        helper.name, lambda goals, alpha: Assistant(goals, helper, person=PERSON, most_questions=None, alpha=alpha)
    )


def methods() -> Mapping[str, Method]:
    """All methods by name: the helpers of `handup.intent`, a person alone (`manual`) among them."""
    return {name: helped_by(each) for name, each in PRESETS.items()}


def method(name: str) -> Method:
    """The method of this name.

    Raises:
        UnknownMethod: There is none.
    """
    if name not in PRESETS:
        raise UnknownMethod(f"no method is called '{name}'", hint=f"Known: {', '.join(PRESETS)}.")
    return helped_by(PRESETS[name])


def episode(
    scene: Scene, task: str, user: User, method: Method, seed: int, *, rules: Rules = PAPER, record: bool = False
) -> Trial:
    """Let a simulated person do a task; a failed first attempt gives a second one.

    The same arguments give the same trial, and a seed is the same person with the same slips for all methods.

    Args:
        scene: Where.
        task: Name of the goal, such as `cup/top`.
        user: What kind of person.
        method: What helps them.
        seed: Of chance.
        rules: The terms.
        record: Whether to keep what happened at each plan.

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
        said = robot.step(run.pose, run.stick, PLAN_S)
        linear, angular = (STILL, STILL) if isinstance(said, Ask) else (said.linear, said.angular)
        if record:
            why = said.question.prompt if isinstance(said, Ask) else said.why
            moments.append(run.moment(linear, angular, why, tuple(robot.belief.values())))
        if isinstance(said, Ask):
            robot.answer(run.asked(said.about.answers, said.about.true_answer(wish.goal)), by=PERSON)
        run.go(linear, angular, gives_way=not isinstance(said, Ask) and said.gives_way)
    belief = robot.belief
    return run.result(belief.get(wish.goal, 0.0) > SURE if belief else None, tuple(moments))
