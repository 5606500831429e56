"""A person at the stick: limits, one mode at a time, the three strategies, and what a robot's part does to it."""

import math

import pytest

from handup.core import BadSetting
from handup.domains.reaching import AttemptEnding, Mode, ReachRun, Rules, SteeringHabit, User, scene, scenes
from handup.domains.reaching.drawn_person import Wish, person_of, wish_of
from handup.domains.reaching.scenes import CONTROL_S, STICK_M_S, STICK_RAD_S
from handup.domains.reaching.stick_user import velocity
from handup.domains.reaching.trial import PLAN_S
from handup.intent.pose import STILL

STEADY = {"wrong_answer": 0.0, "missing_pose": 0.0}


def begin(
    name: str, task: str, strategy: SteeringHabit, seed: int = 5001, rules: Rules | None = None
) -> tuple[ReachRun, Wish]:
    where, user, terms = scene(name), User(strategy=strategy, **STEADY), rules or Rules()
    wish = wish_of(where, task, user, seed)
    person = person_of(where, task, user, seed, 0, steps=terms.steps, questions=terms.questions)
    return ReachRun(where, wish, person, terms), wish


@pytest.mark.parametrize("strategy", SteeringHabit)
def test_the_stick_keeps_its_limits_and_does_one_thing_at_a_time(strategy: SteeringHabit) -> None:
    for name, where in scenes().items():
        run, _ = begin(name, where.tasks[0], strategy)
        modes = set()
        while not run.over:
            stick = run.stick
            assert max(map(abs, stick.linear)) <= STICK_M_S + 1e-12
            assert max(map(abs, stick.angular)) <= STICK_RAD_S + 1e-12
            assert stick.linear == STILL or stick.angular == STILL
            modes |= {"moving"} if stick.linear != STILL else {"turning"} if stick.angular != STILL else set()
            run.go()
        assert modes == {"moving", "turning"} or where.tasks[0] == "bottle/side"


def test_what_is_pushed_in_a_mode_is_a_velocity_of_that_mode() -> None:
    assert velocity(Mode.TRANSLATE, (1.0, -0.5, 0.0)) == ((STICK_M_S, -STICK_M_S / 2, 0.0), STILL)
    assert velocity(Mode.ROTATE, (9.0, -0.5, 0.0)) == (STILL, (STICK_RAD_S, -STICK_RAD_S / 2, 0.0))


def turned_at(strategy: SteeringHabit, seed: int) -> tuple[ReachRun, Wish, tuple[float, float, float]]:
    """Where the hand was when it was turned half of the way."""
    run, wish = begin("S1", "cup/top", strategy, seed)
    half = run.pose.angle_rad(wish.pose) / 2
    while run.pose.angle_rad(wish.pose) > half:
        run.go()
    return run, wish, run.hand.position


@pytest.mark.parametrize("seed", range(5000, 5005))
def test_each_strategy_turns_the_hand_where_its_name_says(seed: int) -> None:
    start = scene("S1").start.position
    _, _, first = turned_at(SteeringHabit.ROTATE_FIRST, seed)
    assert math.dist(first, start) < 0.03
    _, wish, beside = turned_at(SteeringHabit.STOP_BESIDE, seed)
    x, y, z = wish.pose.position
    assert 0.05 < x - beside[0] < 0.16 and abs(y - beside[1]) < 0.09 and beside[2] - z < 0.06
    _, wish, over = turned_at(SteeringHabit.STOP_OVER, seed)
    x, y, z = wish.pose.position
    assert math.dist(over[:2], (x, y)) < 0.09 and 0.06 < over[2] - z < 0.2


def test_a_hand_that_the_robot_brings_there_is_closed_without_a_push_more() -> None:
    run, wish = begin("S1", "bowl/top", SteeringHabit.STOP_BESIDE)
    while not run.over:
        way, turn = run.pose.twist_to(wish.pose)
        high = (way[0], way[1], way[2] + 0.15 if math.hypot(way[0], way[1]) > 0.02 else way[2])
        run.go(tuple(4 * each for each in high), tuple(4 * each for each in turn))  # type: ignore[arg-type]
    alone, _ = begin("S1", "bowl/top", SteeringHabit.STOP_BESIDE)
    while not alone.over:
        alone.go()
    assert run.ending is AttemptEnding.GRASPED and run.at_s < 0.7 * alone.at_s
    assert run.result(None).mode_changes < 2


def test_opposition_is_counted_by_the_rule_of_the_paper() -> None:
    run, _ = begin("S1", "cup/side", SteeringHabit.STOP_BESIDE)
    while not run.over and run.at_s < 5.0:
        a, b, c = run.stick.linear
        run.go((-a, -b, -c))
    helped, _ = begin("S1", "cup/side", SteeringHabit.STOP_BESIDE)
    while not helped.over and helped.at_s < 5.0:
        helped.go(helped.stick.linear)
    assert run.result(None).opposing > 0.5 and helped.result(None).opposing < 0.1


def test_a_question_takes_its_time_and_the_hand_stands_still() -> None:
    run, _ = begin("S1", "cup/top", SteeringHabit.STOP_BESIDE)
    for _ in range(20):
        run.go()
    before, at_s = run.pose, run.at_s
    assert run.asked((True, False), True) is True
    assert run.pose == before and run.at_s == pytest.approx(at_s + 2.8)
    run.go()
    assert run.at_s == pytest.approx(at_s + 2.8 + PLAN_S)


def test_wrong_answers_are_answers_but_not_the_right_one() -> None:
    where, user = scene("S1"), User(strategy=SteeringHabit.STOP_OVER, wrong_answer=1.0)
    wish = wish_of(where, "cup/top", user, 5000)
    run = ReachRun(where, wish, person_of(where, "cup/top", user, 5000, 0, steps=Rules().steps, questions=30))
    given = [run.asked(("a", "b", "c"), "b") for _ in range(20)]
    assert set(given) == {"a", "c"}
    assert run.asked(("b",), "b") == "b"
    assert run.result(None).wrong_answers == 20


def test_it_ends_when_the_time_is_up() -> None:
    run, _ = begin("U22", "drill/side vertical", SteeringHabit.STOP_BESIDE, rules=Rules(limit_s=5.0))
    while not run.over:
        run.go()
    assert run.ending is AttemptEnding.TOO_LATE and run.at_s == pytest.approx(5.0)


def test_a_robot_that_pulls_away_is_pushed_against() -> None:
    """Close to the grasp a person pushes gently; a steady pull there makes them push harder."""
    run, wish = begin("S1", "cup/side", SteeringHabit.STOP_BESIDE)
    hardest = 0.0
    while not run.over and run.at_s < 40.0:
        near = run.pose.distance_m(wish.pose) < 0.05
        run.go((-0.05, 0.0, 0.0) if near else STILL)
        hardest = max(hardest, abs(run.stick.linear[0])) if near else hardest
    assert hardest > 0.7 * STICK_M_S


def test_joystick_input_is_the_sum_over_control_steps() -> None:
    run, _ = begin("S1", "cup/side", SteeringHabit.STOP_BESIDE)
    pushed = 0.0
    while not run.over:
        pushed += sum(map(abs, run._pushed))
        run.go()
    total = run.result(None).joystick_input
    assert total == pytest.approx(4 * pushed, rel=0.1)
    assert total <= 3 * run.at_s / CONTROL_S


def test_rules_that_cannot_be_are_refused() -> None:
    for wrong in ({"limit_s": 0.0}, {"question_s": -1.0}, {"alpha": 2.0}, {"limit_s": math.nan}):
        with pytest.raises(BadSetting):
            Rules(**wrong)
