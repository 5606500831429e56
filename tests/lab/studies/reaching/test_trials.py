"""What the study of reaching consists of, how a trial becomes a row, and what is measured of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting, UnknownMethod
from handup.domains.reaching import SteeringHabit, User, episode, method, scene, scenes
from handup.intent import PRESETS, Paper
from handup.lab.engine.results import rows_of
from handup.lab.engine.study import Batch
from handup.lab.studies.reaching import trials
from handup.lab.studies.reaching.results import ReachingResults
from handup.lab.studies.reaching.study import STUDY
from handup.lab.studies.reaching.trials import FIRST_TRYING, LAST_SEED, MEASURES, PARTS, WITHOUT_RULE, at, helper
from tests.lab.studies.reaching.made_up import ATTEMPT, FAILED, results

MOST_TRIALS = 30_000
"""About three hours of one core."""
SEED = FIRST_TRYING + 700
CUP = at("stop-beside", "S1", "cup/top")


def test_every_scene_user_and_method_has_at_least_fifty_people() -> None:
    batches = STUDY.batches(STUDY.size())
    people = Counter[tuple[Any, ...]]()
    for batch in (batch for batch in batches if batch.place["part"] == "all"):
        people[batch.place["scene"], batch.place["user"], batch.arm] += batch.count
    assert len(people) == len(scenes()) * len(SteeringHabit) * len(PRESETS)
    assert min(people.values()) >= 50
    assert sum(batch.rows for batch in batches) <= MOST_TRIALS
    assert len({batch.config for batch in batches}) == len(batches)
    assert STUDY.cells == 14 * 3 * 9 + 3 * 3 + 14 * 7 + 14 * 5


def test_parts_share_no_seed_stay_within_the_study_and_mix_users_evenly() -> None:
    seeds = {name: range(part["seeds"][0], sum(part["seeds"])) for name, part in PARTS.items()}
    every = set().union(*seeds.values())
    assert sum(map(len, seeds.values())) == len(every)
    assert max(every) <= LAST_SEED < FIRST_TRYING
    for name in ("goal", "look-ahead"):
        users = [trials.user_of("mixed", seed) for seed in seeds[name]]
        assert {sum(user.strategy is each for user in users) for each in SteeringHabit} == {len(users) // 3}
        assert {(user.wrong_answer, user.missing_pose) for user in users} == {(0.05, 0.10)}


def test_seeds_for_trying_are_never_the_studys_own() -> None:
    size = STUDY.size(quick=True, seed=FIRST_TRYING)
    assert min(batch.first for batch in STUDY.batches(size)) >= FIRST_TRYING
    assert STUDY.command(STUDY.size(quick=True, seed=6000)) == "handup study run reaching --quick --seed 6000"
    assert STUDY.command(STUDY.size()) == "handup study run reaching"
    for wrong in (1, LAST_SEED, -5):
        with pytest.raises(BadSetting, match=f"seed must .* got {wrong}"):
            STUDY.size(seed=wrong)


def test_a_look_ahead_is_the_papers_policy_with_another_t() -> None:
    for seconds in trials.LOOK_AHEADS_S:
        found = helper(trials.of_look_ahead(seconds))
        assert isinstance(found, Paper)
        assert found.points.look_ahead_s == seconds
        assert found.name in PARTS["look-ahead"]["methods"]
    assert helper("paper") == PRESETS["paper"]
    with pytest.raises(UnknownMethod):
        helper("magic")


def test_a_row_is_what_the_trial_was_and_all_methods_meet_the_same_people() -> None:
    place = next(place for place in STUDY.places if place["scene"] == "S1" and place["user"] == "stop-over")
    made = {
        arm: list(rows_of(trials.make(Batch(study="reaching", arm=arm, place=place, first=SEED, count=1, rows=4))))
        for arm in ("manual", "paper")
    }
    assert len({tuple((row["task"], row["seed"], row["listed"]) for row in rows) for rows in made.values()}) == 1
    row, last = made["paper"][0], made["paper"][0]["attempts"][-1]
    again = episode(
        scene("S1"), row["task"], User(strategy=SteeringHabit.STOP_OVER), method("paper"), SEED, record=True
    )
    assert (row["seed"], row["listed"], len(row["attempts"])) == (SEED, again.listed, len(again.attempts))
    assert last["time_s"] == pytest.approx(again.attempts[-1].time_s, abs=1e-3)
    assert last["predicted"] == again.attempts[-1].predicted == (last["sure_of"] == row["task"])


def test_a_robot_that_was_surely_wrong_says_so() -> None:
    trial = episode(scene("S1"), "cup/top", User(strategy=SteeringHabit.STOP_OVER), method("manual"), SEED)
    beliefs: Any = ((0.1, 0.9, 0.0, 0.0), (0.8, 0.2, 0.0, 0.0), (0.1, 0.8, 0.1, 0.0))
    moments: Any = tuple(SimpleNamespace(belief=belief) for belief in beliefs)
    row = trials.attempt_row(replace(trial.first, predicted=False, moments=moments), scene("S1").goals.names, "cup/top")
    assert row["sure_of"] == "cup/side"
    assert row["wrongly_sure"] == pytest.approx(2 / 3, abs=1e-4)


@pytest.fixture(scope="module")
def found() -> ReachingResults:
    """The paper's policy fails twice for every third person, and at first for the next; others are a second slower."""
    trials = ((FAILED, FAILED), (FAILED, ATTEMPT), (ATTEMPT,))
    slower = ({**ATTEMPT, "time_s": 21.0},)
    return results(lambda batch, task, seed: trials[seed % 3] if batch.arm == "paper" else slower)


def test_by_the_papers_rule_who_fails_twice_is_left_out_and_without_it_nobody(found: ReachingResults) -> None:
    times = found.values("time_s", "paper", CUP)
    assert np.isnan(times).sum() == 4
    assert set(times[np.isfinite(times)]) == {20.0}
    assert found.difference("time_s", "paper", "ho", CUP).units == 8
    ratio = found.times("time_s", "paper", "ho", CUP)
    assert ratio is not None
    assert ratio.value == pytest.approx(20.0 / 21.0)
    assert found.times("predicted", "paper", "manual", CUP) is None, "alone, nobody predicts anything"
    assert found.block("time_s", at("stop-beside", "S1")).shape == (8, 4, 3)
    assert found.mean("total_s", "paper", CUP).value == pytest.approx((200.0 + 120.0 + 20.0) / 3)
    assert found.values("success", "paper", CUP).mean() == pytest.approx(2 / 3)
    assert found.values("first_success", "paper", CUP).mean() == pytest.approx(1 / 3)
    assert found.block("total_s", at("stop-beside", "S1")).shape == (12, 4, 3)
    alike = {measure.name: measure.alike for measure in MEASURES}
    assert all(alike[rule] == alike[without] for rule, without in WITHOUT_RULE.items()), "as near is as alike"


def test_strategies_of_one_person_are_one_unit_and_scenes_are_not(found: ReachingResults) -> None:
    mixed = at(name="S1", task="cup/top")
    assert len(found.values("total_s", "paper", mixed)) == 3 * 12
    assert found.difference("total_s", "paper", "ho", mixed).units == 12
    assert found.difference("total_s", "paper", "ho", at()).units == 14 * 12, "cup/top of S1 and of U6 are two tasks"
