"""Who steers, what they want, and that chance is the same for every method."""

import hashlib
import json
from types import ModuleType

import numpy as np
import pytest

from handup.core import BadGoals, BadSetting
from handup.domains.reaching import SteeringHabit, User, scene, scenes, steering_habits
from handup.domains.reaching.drawn_person import REACHED_M, REACHED_RAD, SteeringPerson, person_of, strategy_of, wish_of
from handup.domains.reaching.scenes import CONTROL_S

BESIDE = User(strategy=SteeringHabit.STOP_BESIDE)
FROZEN = "f7c8e3ab555f8532"
"""Digest of the constants in `steering_habits`. They are chosen once: another digest is another study."""


def person(seed: int, attempt: int = 0, user: User = BESIDE) -> SteeringPerson:
    return person_of(scene("S1"), "cup/top", user, seed, attempt, steps=4000, questions=36)


def test_the_habits_are_frozen() -> None:
    assert isinstance(steering_habits, ModuleType)
    numbers = {name: value for name, value in vars(steering_habits).items() if name.isupper()}
    assert hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:16] == FROZEN


def test_a_seed_is_one_person() -> None:
    assert person(5003) == person(5003)
    assert person(5003).trembling != person(5004).trembling


def test_the_strategy_changes_nothing_else_about_a_person() -> None:
    one, other = person(5005), person(5005, user=User(strategy=SteeringHabit.STOP_OVER))
    assert one.trembling == other.trembling and one.slipping == other.slipping and one.cruise == other.cruise


def test_another_attempt_is_the_same_person_with_other_slips() -> None:
    first, second = person(5006), person(5006, attempt=1)
    assert (first.cruise, first.delay, first.switch) == (second.cruise, second.delay, second.switch)
    assert first.trembling != second.trembling and first.misplaced != second.misplaced


def test_the_noise_has_its_size_and_hangs_together() -> None:
    noise = np.concatenate([np.array(person(seed).trembling) for seed in range(5000, 5010)])
    assert noise.std() == pytest.approx(1.0, abs=0.05)
    later = round(steering_habits.NOISE_S / CONTROL_S)
    assert np.corrcoef(noise[:-later, 0], noise[later:, 0])[0, 1] == pytest.approx(np.exp(-1.0), abs=0.06)
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 0.1


def test_pauses_slips_and_wrong_answers_are_as_rare_as_said() -> None:
    people = [person(seed) for seed in range(5000, 5060)]
    lasts = (steering_habits.PAUSE_S[0] + steering_habits.PAUSE_S[1]) / 2
    paused = np.mean([each.pausing for each in people])
    assert paused == pytest.approx(lasts / (lasts + steering_habits.PAUSE_EVERY_S), rel=0.15)
    slipped = np.mean([[each is not None for each in one.slipping] for one in people])
    assert 0.004 < slipped < 0.015
    wrong = np.mean([[each is not None for each in one.answering] for one in people])
    assert wrong == pytest.approx(steering_habits.WRONG_ANSWER, abs=0.015)


def test_a_tenth_of_the_wishes_is_not_in_the_list_and_those_can_be_had_too() -> None:
    missing = 0
    for where in scenes().values():
        for task in where.tasks:
            for seed in range(5000, 5040):
                wish = wish_of(where, task, BESIDE, seed)
                assert wish.goal == task and where.is_free(wish.pose) and wish.is_reached(wish.pose)
                near = [
                    wish.pose.distance_m(each) <= REACHED_M and wish.pose.angle_rad(each) <= REACHED_RAD
                    for each in where.goal(task).poses
                ]
                assert any(near) is wish.listed
                missing += not wish.listed
    assert missing / (14 * 40) == pytest.approx(steering_habits.MISSING_POSE, abs=0.04)


def test_nobody_and_everybody_may_want_what_is_not_listed() -> None:
    where = scene("S1")
    for share, listed in ((0.0, True), (1.0, False)):
        user = User(strategy=SteeringHabit.STOP_BESIDE, missing_pose=share)
        assert all(wish_of(where, "cup/top", user, seed).listed is listed for seed in range(5000, 5020))


def test_some_change_their_strategy_after_a_failure() -> None:
    where = scene("S1")
    for strategy in SteeringHabit:
        user = User(strategy=strategy)
        assert all(strategy_of(where, "cup/top", user, seed, 0) is strategy for seed in range(5000, 5020))
        changed = [strategy_of(where, "cup/top", user, seed, 1) is not strategy for seed in range(5000, 5200)]
        assert np.mean(changed) == pytest.approx(steering_habits.CHANGE_STRATEGY, abs=0.1)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadSetting, match="wrong_answer"):
        User(strategy=SteeringHabit.STOP_OVER, wrong_answer=1.5)
    with pytest.raises(BadSetting, match="sideways"):
        User(strategy="sideways")  # type: ignore[arg-type]
    with pytest.raises(BadGoals):
        wish_of(scene("S1"), "teapot/top", BESIDE, 5000)
    with pytest.raises(BadSetting, match="seed"):
        wish_of(scene("S1"), "cup/top", BESIDE, -1)
