"""What runs come to: pooled times, censoring, pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from handup.core import BadSetting
from handup.lab.recoveries import tables
from handup.lab.recoveries.definition import USUAL, Size
from handup.lab.recoveries.results import Results
from handup.lab.recoveries.rows import RunRow
from tests.lab.recoveries.made_up import FULL, NONE, ONE_DAY, ROW, TINY, results

BROKE = replace(
    ROW, kits=0, points=0, ending="failed", broke_off=True, ended_s=300.0, lost_s=2400.0, interventions=1, unresolved=1
)
ASKED = replace(ROW, ended_s=2700.0, waited_s=300.0, interventions=3, questions=4, unresolved=3)


def mixed(way: str, number: int) -> RunRow:
    if way == NONE:
        return BROKE
    return ASKED if number % 2 else ROW


def test_time_between_interventions_is_pooled_and_runs_without_one_add_their_time() -> None:
    found = results(mixed)
    # 12 runs of 2400 s without, 12 of 2400 nominal seconds with three each.
    assert found.ratio("mtbi_s", FULL, "usual").value == pytest.approx(24 * 2400.0 / 36)
    assert found.ratio("mtci_s", FULL, "usual").value == pytest.approx(100.0)
    assert found.ratio("availability", FULL, "usual").value == pytest.approx(24 * 2400 / (24 * 2400 + 12 * 300))
    low, high = found.ratio("mtbi_s", FULL, "usual").ci
    assert low < 1600.0 < high < math.inf


def test_a_run_that_broke_off_stands_still_for_the_rest_of_its_time() -> None:
    found = results(mixed)
    assert found.ratio("mtbi_s", NONE, "usual").value == pytest.approx(300.0)
    assert found.ratio("mtci_s", NONE, "usual").value == pytest.approx(2400.0)
    assert found.ratio("availability", NONE, "usual").value == pytest.approx(300 / 2700)
    assert found.mean("alone", NONE, "usual").value == 0.0


def test_without_an_intervention_the_time_is_censored_and_said_to_be() -> None:
    found = results(lambda way, number: ROW)
    assert math.isinf(found.ratio("mtbi_s", FULL, "usual").value)
    assert found.ratio("availability", FULL, "usual").value == 1.0
    row = tables.reliability(found, USUAL).rows[1]
    assert row[0] == FULL
    assert row[1] == "none in 16 h"
    assert row[2] == "–"


def test_with_very_few_interventions_the_interval_is_open_above() -> None:
    found = results(lambda way, number: ASKED if number == 0 else ROW)
    low, high = found.ratio("mtbi_s", FULL, "usual").ci
    assert math.isfinite(low)
    assert math.isinf(high)
    assert "∞" in tables.reliability(found, USUAL).rows[0][1]


def test_without_a_kit_there_are_no_recoveries_per_kit() -> None:
    found = results(mixed)
    assert math.isinf(found.ratio("recoveries_per_kit", NONE, "usual").value)
    assert found.ratio("recoveries_per_kit", FULL, "usual").value == pytest.approx(1.5)
    assert tables.reliability(found, USUAL).rows[0][4] == "no kit"
    idle = results(lambda way, number: replace(ROW, recoveries={}))
    assert idle.ratio("recoveries_per_kit", FULL, "usual").value == 0.0, "kits without any recovery"
    assert found.ratio("unresolved_share", NONE, "usual").value == pytest.approx(0.1)


def test_differences_are_of_pairs() -> None:
    found = results(lambda way, number: replace(ROW, kits=number % 3 + (way == FULL)))
    gap = found.difference("kits", FULL, NONE, "usual")
    assert (gap.mean, gap.ci) == (1.0, (1.0, 1.0)), "pairs differ by one, whatever the seed"
    assert found.availability_difference(FULL, NONE, "usual").value == 0.0


def test_ways_of_different_seeds_are_not_compared() -> None:
    found = results(lambda way, number: ROW)
    first, *others = found.done
    with pytest.raises(BadSetting, match="different seeds"):
        Results(found.study, found.size, {each: found.done[each] for each in others if each.way == first.way})


def test_json_has_no_infinity() -> None:
    found = results(lambda way, number: ROW).to_json()["usual"][FULL]
    assert found["mtbi_s"]["value"] is None
    assert found["endings"] == {"done": 24}
    assert found["rules"] == {"fresh_map": 72}


def test_shifts_cover_all_seeds_once_in_whole_pairs() -> None:
    shifts = list(TINY.shifts(Size(runs=60)))
    assert len(shifts) == 3 * 2 * 2
    for way in TINY.ways:
        for day in TINY.days:
            seeds = [
                seed
                for each in shifts
                if each.way == way and each.day == day
                for seed in range(each.first_seed, each.first_seed + each.expected)
            ]
            assert seeds == list(range(700, 760))
    assert {each.first_seed for each in shifts[:4]} == {700}, "a stopped run has whole pairs"


def test_another_setting_is_another_config() -> None:
    shifts = list(TINY.shifts(Size(runs=60)))
    assert len({each.config for each in shifts}) == len(shifts)
    assert next(ONE_DAY.shifts(Size(runs=60))).config == shifts[0].config, "what is the same is not run twice"


def test_a_hard_day_is_harder() -> None:
    usual, hard = (day.rates.causes["slip"].rate for day in TINY.days)
    assert hard == pytest.approx(3 * usual)
