"""Plain policies and oracles, on plates without physics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.low_level import PIXELS, SIDE_M
from handup.domains.plate.oracles import (
    ALONE,
    PlateTree,
    clear_fairly,
    clear_knowing,
    opening_values,
    ranked_letters,
)
from handup.domains.plate.policies import (
    LETTERS,
    TUNED,
    FixedSequence,
    HullThreshold,
    PeakThreshold,
    PlatePolicy,
    PlateSight,
    PushRule,
    RandomChoice,
    clear,
    cleared,
    hull_cm2,
    peak,
    push_gain_cm2,
)
from handup.domains.plate.primitives import PlatePrimitive
from tests.domains.plate.toy import ToyEngine

ACQUIRE, GROUP = PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP


def world(seed: int = 5, full: int = 30) -> ClearingWorld:
    return ClearingWorld(ToyEngine(full=full), seed=seed)


def done_by(policy: PlatePolicy, seed: int = 5) -> list[PlatePrimitive]:
    return [outcome.primitive for outcome in clear(world(seed), policy)]


def test_fixed_sequences_go_on_acquiring() -> None:
    assert done_by(FixedSequence("gag"))[:5] == [GROUP, ACQUIRE, GROUP, ACQUIRE, ACQUIRE]
    assert set(done_by(FixedSequence())) == {ACQUIRE}


def test_chance_is_the_seed_s() -> None:
    assert done_by(RandomChoice(1)) == done_by(RandomChoice(1))
    drawn = [done for seed in range(60) for done in done_by(RandomChoice(seed, share=0.25))]
    assert drawn.count(GROUP) / len(drawn) == pytest.approx(0.25, abs=0.08)


def test_thresholds_look_at_the_plate_and_end_with_an_acquisition() -> None:
    wide, narrow = HullThreshold(0.0), HullThreshold(1e9)
    assert done_by(wide)[:-1].count(ACQUIRE) == 0 or len(done_by(wide)) < 8
    assert done_by(wide)[-1] is ACQUIRE
    assert set(done_by(narrow)) == {ACQUIRE}
    assert set(done_by(PeakThreshold(0.0))) == {ACQUIRE}
    assert done_by(PeakThreshold(1.1, most=2)).count(GROUP) == 2


def test_hull_and_peak() -> None:
    mask = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    assert hull_cm2(mask) == peak(mask) == 0.0
    mask[10:21, 30:41] = True
    assert hull_cm2(mask) == pytest.approx((10 * 100 * SIDE_M / PIXELS) ** 2)
    assert 0.8 < peak(mask) <= 1.0
    mask[:] = False
    mask[3, 3:9] = True
    assert hull_cm2(mask) == 0.0, "a line has no area"


def test_a_push_gains_what_it_brings_to_the_pile_and_costs_an_action() -> None:
    mask = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    mask[29:35, 29:35] = True
    pixel_cm2 = (100.0 * SIDE_M / PIXELS) ** 2
    assert push_gain_cm2(mask, 3, 0.02) == pytest.approx(0.0), "a pile is one bite, with a push before it or without"
    assert push_gain_cm2(mask, 1, 0.02) == pytest.approx(-36 * pixel_cm2), "nothing is taken after the last action"
    mask[31:33, 45:47], mask[31:33, 57:59] = True, True
    assert push_gain_cm2(mask, 2, 0.02) == pytest.approx(4 * pixel_cm2), "two loners in one way"
    assert push_gain_cm2(mask, 3, 0.02) == pytest.approx(0.0), "three bites take all"


def test_the_push_rule_groups_above_its_gain_and_never_last() -> None:
    always, never = PushRule(-1e9, most=3), PushRule(1e9)
    assert done_by(always).count(GROUP) == 3
    assert done_by(PushRule(-1e9))[-1] is ACQUIRE
    assert set(done_by(never)) == {ACQUIRE}


@pytest.mark.parametrize("after", [None, FixedSequence()])
@pytest.mark.parametrize("actions", [0, 5])
def test_a_ranking_has_the_values_of_plain_roll_outs(actions: int, after: PlatePolicy | None) -> None:
    for seed in range(4):
        plate = world(seed)
        plate.actions = actions
        ranked = ranked_letters(plate, draws=6, after=after)
        assert plate.actions == actions
        assert sorted(value.opening for value in ranked) == ["a", "g"]
        usual = (after or TUNED[plate.food]["peak threshold"]).choose(
            PlateSight(masks=(plate.mask(),), done=(), left=3)
        )
        assert ranked[0].mean >= ranked[1].mean or LETTERS[ranked[0].opening] is usual
        for value in ranked:
            policy = after or TUNED[plate.food]["peak threshold"]
            assert value.draws in (3, 6)
            assert (value,) == opening_values(plate, draws=value.draws, openings=[value.opening], after=policy)


def test_the_last_action_is_an_acquisition() -> None:
    plate = world()
    plate.actions = plate.food.actions - 1
    assert [value.opening for value in ranked_letters(plate)] == ["a"]


def test_a_ranking_begins_with_what_many_plain_roll_outs_find_best() -> None:
    missed = []
    for seed in range(8):
        plain = opening_values(world(seed), draws=40, openings="ag")
        many = {value.opening: value.mean for value in plain}
        missed.append(max(many.values()) - many[ranked_letters(world(seed), draws=12, after=ALONE)[0].opening])
    assert np.mean(missed) < 0.01


def test_a_tree_plays_what_policies_play_and_simulates_it_once() -> None:
    for seed in range(4):
        tree = PlateTree(world(seed))
        for policy in (FixedSequence("gag"), HullThreshold(150.0), RandomChoice(seed), PushRule(0.5)):
            outcomes = clear(world(seed), policy)
            letters = tree.letters(policy)
            assert letters == "".join(outcome.primitive.value[0] for outcome in outcomes)
            assert tree.taken(letters) == pytest.approx(cleared(outcomes))
        assert tree.node("ga").world is tree.node("ga").world
    assert tree.node("").world.actions == 0


def test_the_value_of_an_opening_is_that_of_playing_it() -> None:
    plate = world()
    values = opening_values(plate, draws=3, openings=("a", "g", "ggg"))
    assert [value.opening for value in values] == ["a", "g", "ggg"]
    assert plate.actions == 0
    silent = ClearingWorld(ToyEngine(), seed=5)
    silent.noise = type(silent.noise)(place_m=0.0, turn_rad=0.0)
    for value in opening_values(silent, draws=2):
        played = silent.copy()
        assert value.mean == pytest.approx(cleared(clear(played, FixedSequence(value.opening))))
        assert value.error == pytest.approx(0.0)
    silent.actions = 7
    assert [value.opening for value in opening_values(silent, draws=1)] == ["a", "g"]


def test_the_clairvoyant_finds_the_best_sequence_of_all() -> None:
    plate = world(8, full=12)
    plate.actions = plate.food.actions - 4
    best = 0.0
    for letters in product("ag", repeat=4):
        played = plate.copy()
        best = max(best, cleared(tuple(played.act(GROUP if letter == "g" else ACQUIRE) for letter in letters)))
    assert clear_knowing(plate, beam=16) == pytest.approx(best)
    assert clear_knowing(plate, beam=1) <= best + 1e-12


def test_the_fair_oracle_is_worth_more_than_acquiring_alone() -> None:
    gains = []
    for seed in range(12):
        alone = cleared(clear(world(seed), FixedSequence()))
        gains.append(cleared(clear_fairly(world(seed), draws=4, after=ALONE)) - alone)
    assert np.mean(gains) > 0.02


def test_sight_is_the_present_mask() -> None:
    mask = world().mask()
    assert PlateSight(masks=(~mask, mask), done=(ACQUIRE,), left=3).mask is mask
