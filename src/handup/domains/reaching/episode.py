"""A trial from beginning to end: a person, a method and a hand, paired by the seed."""

from __future__ import annotations

from handup.domains.reaching.methods import PERSON, Method, Robot
from handup.domains.reaching.people import Person, User, Wish, person_of, wish_of
from handup.domains.reaching.running import PAPER, PLAN_S, Rules, Run
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.trial import Attempt, Moment, Trial
from handup.intent import Ask
from handup.intent.pose import STILL

ATTEMPTS = 2
SURE = 0.7
"""What the paper takes for a prediction."""


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
    attempts: list[Attempt] = []
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


def _attempt(scene: Scene, wish: Wish, person: Person, robot: Robot, rules: Rules, record: bool) -> Attempt:
    run = Run(scene, wish, person, rules)
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
