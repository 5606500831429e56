"""Whole runs: named ends, paired seeds, helpers."""

from __future__ import annotations

import pytest

from handup.core import BadSetting
from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.kitting_run import run_in, run_once
from handup.domains.kitting.variants import VARIANTS, variant
from handup.executive.events import Ending
from tests.domains.kitting.steps import only


@pytest.mark.parametrize("name", VARIANTS)
def test_every_run_ends_in_a_named_way_within_the_time(name: str) -> None:
    for seed in range(3):
        result = run_once(seed, name)
        assert result.ending in set(Ending)
        assert result.reason
        assert result.points == 7 * result.kits
        assert result.ended_s < 2700.0 + 700.0, "at most one answer or one wait after the end"
        found = result.measures
        assert bool(found.interventions) == bool(found.questions) or result.ending is not Ending.DONE
        assert (found.starts, found.units) == (sum(result.starts.values()), result.kits)
        assert found.time_s == pytest.approx(result.ended_s)


def test_a_storm_of_faults_ends_too() -> None:
    for name in ("full", "restart", "half + bystander", "operator"):
        result = run_once(1, name, rates=rates().times(8.0))
        assert result.ending in set(Ending)


def test_the_same_seed_gives_the_same_run() -> None:
    assert run_once(11, "full") == run_once(11, "full")
    assert run_once(11, "half + operator") == run_once(11, "half + operator")


def test_paired_runs_share_their_faults_until_they_part() -> None:
    """The first failure of a seed is the same, whatever is done about it."""
    for seed in range(5):
        alone = run_once(seed, "none")
        (first,) = alone.failures
        assert first in run_once(seed, "restart").failures
        assert first in run_once(seed, "no beliefs").failures


def test_rules_build_kits_where_nothing_else_does() -> None:
    seeds = range(6)
    assert sum(run_once(seed, "full").kits for seed in seeds) > 2 * sum(
        run_once(seed, "restart").kits for seed in seeds
    )
    assert sum(run_once(seed, "retry").kits for seed in seeds) < len(seeds)


def test_a_bystander_gets_a_robot_without_rules_going() -> None:
    alone, helped = run_once(3, "none"), run_once(3, "bystander")
    assert alone.measures.questions == 0
    assert helped.measures.interventions > 1
    assert helped.measures.help_s > 0.0
    assert helped.ended_s > alone.ended_s


def test_a_drill_goes_wrong_once() -> None:
    quiet = rates().without_faults()
    drilled = run_once(0, "full", rates=quiet, drills=[("machine", "lost_link")])
    assert drilled.failures == {"start_machine:no_link": 1}
    assert drilled.recoveries == {"connect_anew": 1}
    with pytest.raises(BadSetting, match="the machine has no failure"):
        run_once(0, "full", drills=[("machine", "slip")])


def test_a_world_can_be_run_by_hand_first() -> None:
    world = KittingWorld(0, rates=rates().without_faults(), drills=True)
    world.inject("camera", "occlusion")
    assert run_in(world, variant("full")).recoveries == {"arm_out_of_the_picture": 1}


def test_what_rules_get_over_and_what_they_do_not() -> None:
    alone = run_once(7, "none").measures
    assert (alone.failures, alone.unresolved) == (1, 1)
    full = run_once(7, "full").measures
    assert full.failures > 5
    assert full.unresolved == 0
    retried = run_once(7, "retry").measures
    assert retried.failures == retried.unresolved > 1, "running a step again is no rule"


def test_a_failure_that_people_were_asked_about_is_one_that_the_rules_did_not_get_over() -> None:
    helped = run_once(3, "bystander").measures
    assert 0 < helped.unresolved <= helped.failures
    assert helped.unresolved >= helped.interventions - 1, "one may be inside a recovery, or the end"


def test_the_end_of_the_time_is_no_fault() -> None:
    late = next(result for seed in range(20) if (result := run_once(seed, "full")).ended_s > 2700.0)
    assert (late.ending, late.reason) == (Ending.DONE, "The time is up; after 45 minutes there is nothing more to do.")
    assert (late.measures.unresolved, late.measures.interventions, late.measures.availability) == (0, 0, 1.0)
    assert not any("time_up" in each for each in late.failures)
    assert "time_is_up" not in late.recoveries


def test_a_run_that_breaks_off_stands_still_for_the_rest_of_its_time() -> None:
    found = run_once(7, "none")
    assert found.ending is not Ending.DONE
    assert found.measures.interventions == 1
    assert found.ended_s + found.measures.lost_s == pytest.approx(2700.0)
    assert found.measures.availability == pytest.approx(found.ended_s / 2700.0)


def test_with_nobody_there_a_machine_that_does_not_close_ends_the_run_honestly() -> None:
    """Going on could break it: the one failure after which the robot does not even begin another kit."""
    broken = only("machine_fault", 1.0)
    found = run_once(0, "full", rates=broken)
    assert found.ending is Ending.FAILED
    assert found.recoveries == {"reset_the_machine": 4, "leave_the_machine_alone": 1}
    assert (found.measures.interventions, found.measures.unresolved) == (1, 1)
    asked = run_once(0, "full + bystander", rates=broken)
    assert asked.measures.questions > 0, "with somebody there, they are asked"
    assert "leave_the_machine_alone" not in asked.recoveries
