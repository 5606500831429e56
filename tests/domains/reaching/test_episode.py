"""Whole trials: people reach their goals alone, seeds pair them, and a failed attempt gives a second."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from handup.core import BadGoals, UnknownMethod
from handup.domains.reaching import (
    AttemptEnding,
    Method,
    Rules,
    SteeringHabit,
    User,
    episode,
    helped_by,
    method,
    methods,
    scene,
    scenes,
)
from handup.domains.reaching.episode import PERSON
from handup.intent import Ask, Asking, Assist, Assistant, Command, Goals, Joystick, Pose
from handup.intent.goal_questions import about_goal, ask
from handup.intent.paper import Paper

MANUAL = method("manual")
CELLS = [(name, task) for name, where in scenes().items() for task in where.tasks]


class Quiz:
    """Asks about the goals in turn and notes what it hears; never moves."""

    def __init__(self, goals: Goals) -> None:
        self.goals, self.heard, self.steps = goals, list[object](), 0

    @property
    def belief(self) -> Mapping[str, float]:
        return dict.fromkeys(self.goals.names, 0.0) | {self.goals.names[0]: 0.9}

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        self.steps += 1
        if len(self.heard) < len(self.goals) and self.steps % 10 == 0:
            chances = np.full(len(self.goals) + 1, 1.0 / (len(self.goals) + 1))
            return ask(about_goal(self.goals, len(self.heard)), chances, why="a test")
        return Command()

    def answer(self, value: object, by: str) -> None:
        self.heard.append(value)

    def again(self) -> "Quiz":
        return Quiz(self.goals)


@pytest.mark.parametrize(("name", "task"), CELLS)
@pytest.mark.parametrize("strategy", SteeringHabit)
def test_people_reach_their_goals_alone(name: str, task: str, strategy: SteeringHabit) -> None:
    trials = [episode(scene(name), task, User(strategy=strategy), MANUAL, seed) for seed in range(5000, 5004)]
    assert sum(each.success for each in trials) == 4
    assert sum(each.first.success for each in trials) >= 3
    assert all(each.first.questions == 0 and each.first.opposing == 0.0 for each in trials)


@pytest.mark.parametrize("name", ["manual", "paper"])
def test_the_same_arguments_give_the_same_trial(name: str) -> None:
    user = User(strategy=SteeringHabit.STOP_OVER)
    one = episode(scene("S2"), "spoon/top vertical", user, method(name), 5003, record=True)
    assert one == episode(scene("S2"), "spoon/top vertical", user, method(name), 5003, record=True)
    assert one != episode(scene("S2"), "spoon/top vertical", user, method(name), 5004, record=True)


def test_a_method_that_adds_nothing_is_manual() -> None:
    where, user = scene("S1"), User(strategy=SteeringHabit.ROTATE_FIRST)
    plain = episode(where, "cup/top", user, MANUAL, 5002)
    again = episode(where, "cup/top", user, Method("manual", Silent), 5002)
    assert plain == again


class Silent:
    def __init__(self, goals: Goals, alpha: float) -> None:
        self.belief: Mapping[str, float] = {}

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        assert dt == pytest.approx(0.1)
        return Command()

    def answer(self, value: object, by: str) -> None:
        raise AssertionError

    def again(self) -> "Silent":
        return self


def test_questions_are_answered_truthfully_cost_time_and_are_counted() -> None:
    where, user = scene("S1"), User(strategy=SteeringHabit.STOP_BESIDE, wrong_answer=0.0)
    asking: list[Quiz] = []

    def begin(goals: Goals, alpha: float) -> Quiz:
        asking.append(Quiz(goals))
        return asking[-1]

    trial = episode(where, "cup/side", user, Method("quiz", begin), 5000, record=True)
    plain = episode(where, "cup/side", user, MANUAL, 5000)
    assert asking[0].heard == [name == "cup/side" for name in where.goals.names]
    assert trial.first.questions == 4 and trial.first.wrong_answers == 0
    assert trial.first.time_s == pytest.approx(plain.first.time_s + 4 * 2.8, abs=2.0)
    assert trial.first.predicted is False and plain.first.predicted is None
    still = [each for each in trial.first.moments if each.why.endswith("?")]
    assert len(still) == 4 and all(len(each.belief) == 4 for each in still)


def test_a_failed_attempt_gives_a_second_and_only_one() -> None:
    user, short = User(strategy=SteeringHabit.STOP_BESIDE), Rules(limit_s=5.0)
    trials = [
        episode(scene("U22"), "drill/side vertical", user, MANUAL, seed, rules=short) for seed in range(5000, 5012)
    ]
    assert all(len(each.attempts) == 2 and not each.success and each.counted is None for each in trials)
    assert {each.attempts[1].strategy for each in trials} == {SteeringHabit.STOP_BESIDE, SteeringHabit.ROTATE_FIRST}
    assert all(each.first.ending is AttemptEnding.TOO_LATE for each in trials)
    assert all(each.total_s == pytest.approx(10.0) for each in trials)


def test_a_second_attempt_goes_on_with_what_is_known_of_the_person() -> None:
    first: list[Assistant] = []

    def begin(goals: Goals, alpha: float) -> Assistant:
        first.append(Noted(goals, "assist", alpha=alpha))
        return first[0]

    class Noted(Assistant):
        def again(self) -> Assistant:
            second.append(super().again())
            return second[0]

    second: list[Assistant] = []
    user, short = User(strategy=SteeringHabit.STOP_BESIDE), Rules(limit_s=5.0)
    trial = episode(scene("U22"), "drill/side vertical", user, Method("noted", begin), 5302, rules=short)
    assert len(trial.attempts) == 2 and len(first) == len(second) == 1
    assert second[0].state.now_s > first[0].state.now_s >= 4.9, "one clock"
    assert second[0].state.pace.seconds > first[0].state.pace.seconds > 1.0, "and one pace"


class Outside:
    """No helper of ours: adds nothing, counts its plans, and makes another one for a second attempt."""

    def __init__(self, made: "list[Outside]") -> None:
        self.belief: Mapping[str, float] = {}
        self.plans, self.made = 0, made
        made.append(self)

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        self.plans += 1
        return Command()

    def answer(self, value: object, by: str) -> None:
        raise AssertionError

    def again(self) -> "Outside":
        return Outside(self.made)


@pytest.mark.parametrize(("limit_s", "plans"), [(5.0, [50, 50]), (100.0, [pytest.approx(120, abs=50)])])
def test_a_method_of_ones_own_is_asked_for_another_after_a_failure_only(limit_s: float, plans: list[object]) -> None:
    made: list[Outside] = []
    own = Method("outside", lambda goals, alpha: Outside(made))
    user, rules = User(strategy=SteeringHabit.STOP_BESIDE), Rules(limit_s=limit_s)
    trial = episode(scene("S1"), "chips can/side", user, own, 5001, rules=rules)
    assert trial.success is (len(plans) == 1)
    assert [each.plans for each in made] == plans, "each helps in its own attempt"


def test_the_measured_attempt_is_the_one_that_succeeded() -> None:
    user = User(strategy=SteeringHabit.STOP_BESIDE)
    trial = episode(scene("S1"), "cup/side", user, MANUAL, 5000)
    assert trial.counted is trial.attempts[0] and trial.total_s == trial.first.time_s
    row = trial.to_json()
    assert row["method"] == "manual" and row["success"] is True and row["time_s"] == trial.first.time_s


def test_moments_are_kept_when_asked_for_ten_a_second() -> None:
    user = User(strategy=SteeringHabit.STOP_BESIDE)
    trial = episode(scene("S1"), "chips can/side", user, method("ho"), 5001, record=True)
    assert episode(scene("S1"), "chips can/side", user, method("ho"), 5001).first.moments == ()
    moments = trial.first.moments
    assert len(moments) == pytest.approx(trial.first.time_s * 10, abs=1.5)
    assert all(sum(each.belief) == pytest.approx(1.0) for each in moments)
    assert all(b.at_s > a.at_s for a, b in pairwise(moments))


@pytest.mark.parametrize("name", [each for each in methods() if each != "manual"])
def test_every_method_runs_and_keeps_the_measures_in_range(name: str) -> None:
    user = User(strategy=SteeringHabit.STOP_BESIDE)
    trial = episode(scene("U6"), "cup/top", user, method(name), 5000, rules=Rules(limit_s=20.0))
    for each in trial.attempts:
        assert 0.0 < each.time_s <= 23.0 and 0.0 <= each.opposing <= 1.0 and each.joystick_input >= 0.0
        assert each.predicted is not None


@pytest.mark.parametrize(("name", "task"), [("S1", "cup/top"), ("U22", "drill/side vertical")])
@pytest.mark.parametrize("strategy", SteeringHabit)
def test_ours_opposes_nobody_at_any_control_step(name: str, task: str, strategy: SteeringHabit) -> None:
    """Plans come at 10 Hz, the stick lives at 40 Hz: what was planned gives way in between."""
    trial = episode(scene(name), task, User(strategy=strategy), method("assist"), 5300)
    assert [each.opposing for each in trial.attempts] == [0.0] * len(trial.attempts)


@pytest.mark.parametrize("strategy", SteeringHabit)
def test_ours_asks_a_bounded_number_of_questions_even_where_they_are_nearly_free(strategy: SteeringHabit) -> None:
    """Of people who want a pose of their own, answer wrongly now and then, and so push against what they said."""
    eager = helped_by(replace(Assist(), question_s=0.3, load_s=0.0))
    user = User(strategy=strategy, wrong_answer=0.3, missing_pose=1.0)
    trial = episode(scene("U22"), "can/side horizontal", user, eager, 5302)
    assert 0 < max(each.questions for each in trial.attempts) <= 10


def test_what_is_published_is_held_until_the_next_plan() -> None:
    user = User(strategy=SteeringHabit.STOP_BESIDE)
    held = episode(scene("S1"), "cup/top", user, Method("pull", lambda goals, alpha: Pull(False)), 5001)
    gave = episode(scene("S1"), "cup/top", user, Method("pull", lambda goals, alpha: Pull(True)), 5001)
    assert held.first.opposing > 0.05
    assert gave.first.opposing == 0.0


class Pull:
    """Always to the left, giving way or not."""

    def __init__(self, gives_way: bool) -> None:
        self.belief: Mapping[str, float] = {}
        self._command = Command((0.0, 0.03, 0.0), why="left", gives_way=gives_way)

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        return self._command

    def answer(self, value: object, by: str) -> None:
        raise AssertionError

    def again(self) -> "Pull":
        return self


def test_the_load_of_being_asked_is_the_persons() -> None:
    robots: list[Assistant] = []

    def begin(goals: Goals, alpha: float) -> Assistant:
        robot = helped_by(Paper(name="mine", asking=Asking.ENTROPY, entropy=0.05)).begin(goals, alpha)
        assert isinstance(robot, Assistant)
        assert robot.state.workload.person == PERSON, "also before the first answer"
        robots.append(robot)
        return robot

    trial = episode(
        scene("U22"), "can/side horizontal", User(strategy=SteeringHabit.STOP_BESIDE), Method("mine", begin), 5001
    )
    workload = robots[0].state.workload
    assert trial.first.questions > 1
    assert workload.person == PERSON and workload.loads[PERSON].answers == trial.first.questions
    assert robots[0].most_questions is None, "how often a method asks is measured, not bounded"


def test_a_helper_with_settings_of_its_own_is_a_method() -> None:
    assert helped_by(Paper(name="mine", right=0.9)).name == "mine"


def test_unknown_names_are_named() -> None:
    with pytest.raises(UnknownMethod, match="telepathy"):
        method("telepathy")
    with pytest.raises(BadGoals, match="teapot"):
        episode(scene("S1"), "teapot/top", User(strategy=SteeringHabit.STOP_BESIDE), MANUAL, 5000)
