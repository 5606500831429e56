"""What the study of reaching consists of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.core import BadSetting, UnknownMethod
from handup.domains.reaching import Strategy, scenes
from handup.intent import PRESETS, Paper
from handup.lab.reaching.definition import FIRST_TRYING, LAST_SEED, LOOK_AHEADS_S, MIXED, Size, helper, of_look_ahead
from handup.lab.reaching.studies import ALL, GENTLE, GOAL, LOOK_AHEAD, REACHING

ENOUGH = 50
MOST_TRIALS = 30_000
"""About three hours of one core."""


def test_every_scene_task_user_and_method_has_at_least_fifty_people() -> None:
    cells: dict[tuple[str, str, str, str], int] = {}
    for sitting in REACHING.sittings(Size()):
        if sitting.part == ALL:
            for task in sitting.tasks:
                key = (sitting.scene, task, sitting.user, sitting.method)
                cells[key] = cells.get(key, 0) + sitting.seeds
    assert len(cells) == 14 * len(Strategy) * len(PRESETS)
    assert min(cells.values()) >= ENOUGH
    assert all(part.seeds >= ENOUGH for part in REACHING.parts)
    assert {key[0] for key in cells} == set(scenes())


def test_parts_share_no_seed_and_stay_within_the_study() -> None:
    seeds = [set(range(each.first_seed, each.first_seed + each.seeds)) for each in REACHING.parts]
    assert sum(map(len, seeds)) == len(set().union(*seeds))
    assert max(set().union(*seeds)) <= LAST_SEED < FIRST_TRYING
    with pytest.raises(BadSetting, match="reach too far"):
        replace(REACHING.main, first_seed=LAST_SEED)


def test_the_whole_study_is_one_that_people_run() -> None:
    assert sum(each.expected for each in REACHING.sittings(Size())) <= MOST_TRIALS


def test_every_look_ahead_meets_the_people_of_those_it_is_compared_with() -> None:
    part = REACHING.part(LOOK_AHEAD)
    assert part.methods == ("manual", "ho", "assist", *map(of_look_ahead, LOOK_AHEADS_S))
    assert part.seeds % len(Strategy) == 0, "as many people of each strategy"


def test_the_goals_condition_mixes_users_evenly_and_has_wrong_answers_and_missing_poses() -> None:
    sittings = [each for each in REACHING.sittings(Size()) if each.part == GOAL]
    assert {each.scene for each in sittings} == {"U22"}
    one = [each for each in sittings if each.method == "assist"]
    users = [each.user_of(seed) for each in one for seed in range(each.first_seed, each.first_seed + each.seeds)]
    assert {strategy: sum(u.strategy is strategy for u in users) for strategy in Strategy} == dict.fromkeys(
        Strategy, 65
    )
    assert {(each.wrong_answer, each.missing_pose) for each in users} == {(0.05, 0.10)}


def test_a_look_ahead_is_the_papers_policy_with_another_t() -> None:
    for seconds in LOOK_AHEADS_S:
        found = helper(of_look_ahead(seconds))
        assert isinstance(found, Paper)
        assert found.points.look_ahead_s == seconds
    assert helper("paper") == PRESETS["paper"]
    with pytest.raises(UnknownMethod):
        helper("magic")


def test_the_name_of_a_sitting_depends_on_everything_that_decides_its_rows() -> None:
    sittings = list(REACHING.sittings(Size()))
    assert len({each.config for each in sittings}) == len(sittings)
    first = sittings[0]
    for change in ({"first_seed": 7}, {"alpha": 0.3}, {"user": MIXED}, {"seeds": 3}, {"method": "manual"}):
        assert replace(first, **change).config != first.config, change


def test_seeds_for_trying_are_never_the_studys_own() -> None:
    tried = {each.first_seed for each in REACHING.sittings(Size(quick=True, seed=FIRST_TRYING))}
    assert min(tried) >= FIRST_TRYING
    for wrong in (1, LAST_SEED, -5):
        with pytest.raises(BadSetting):
            Size(seed=wrong)
    assert Size(quick=True, seed=6000).command(REACHING) == "handup study run reaching --quick --seed 6000"
    assert REACHING.part(GENTLE).alpha == 0.2
    with pytest.raises(BadSetting):
        REACHING.part("none")
