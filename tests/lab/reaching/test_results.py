"""What trials come to: units, the paper's rule, and who is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handup.core import BadSetting
from handup.lab.reaching.definition import Sitting
from handup.lab.reaching.results import Results, Where
from handup.lab.reaching.rows import AttemptRow
from handup.lab.reaching.studies import ALL, GOAL
from tests.lab.reaching.made_up import ATTEMPT, FAILED, results

CUP = Where(part=ALL, scene="S1", task="cup/top", user="stop-beside")


def by_method(sitting: Sitting, task: str, seed: int) -> tuple[AttemptRow, ...]:
    """The paper's policy fails twice for every third person, and at first for the next; others are a second slower."""
    if sitting.method != "paper":
        return (replace(ATTEMPT, time_s=21.0),)
    return ((FAILED, FAILED), (FAILED, ATTEMPT), (ATTEMPT,))[seed % 3]


@pytest.fixture(scope="module")
def found() -> Results:
    return results(by_method)


def test_by_the_papers_rule_who_fails_twice_is_left_out(found: Results) -> None:
    times = found.values("time_s", "paper", CUP)
    assert np.isnan(times).sum() == 4
    assert set(times[np.isfinite(times)]) == {20.0}
    assert found.means("paper", CUP, ["time_s"])["time_s"].value == pytest.approx(20.0)
    assert found.difference("time_s", "paper", "ho", CUP).units == 8
    assert found.difference("time_s", "paper", "ho", CUP).mean == pytest.approx(-1.0)


def test_without_it_nothing_is(found: Results) -> None:
    assert found.means("paper", CUP, ["total_s"])["total_s"].value == pytest.approx((200.0 + 120.0 + 20.0) / 3)
    assert found.difference("total_s", "paper", "ho", CUP).mean == pytest.approx(340.0 / 3 - 21.0)
    assert found.values("success", "paper", CUP).mean() == pytest.approx(2 / 3)
    assert found.values("first_success", "paper", CUP).mean() == pytest.approx(1 / 3)


def test_strategies_of_one_person_are_one_unit_and_scenes_are_not(found: Results) -> None:
    mixed = replace(CUP, user="mixed")
    assert len(found.values("total_s", "paper", mixed)) == 3 * 12
    assert found.difference("total_s", "paper", "ho", mixed).units == 12
    everywhere = Where(part=ALL)
    assert found.difference("total_s", "paper", "ho", everywhere).units == 14 * 12, (
        "cup/top of S1 and of U6 are two tasks"
    )


def test_nobody_fails_is_no_certainty(found: Results) -> None:
    where = Where(part=GOAL, scene="U22")
    assert found.alone("success", "assist", where).mean == 1.0
    low, high = found.alone("success", "assist", where).ci
    assert (low, high) == pytest.approx((36 / (36 + 1.96**2), 1.0), abs=1e-3)
    assert found.means("assist", where, ["success"])["success"].ci[0] == pytest.approx(low)


def test_a_ratio_is_over_pairs_and_of_none_is_none(found: Results) -> None:
    ratio = found.ratio("time_s", "paper", "ho", CUP)
    assert ratio is not None
    assert ratio.value == pytest.approx(20.0 / 21.0)
    assert found.ratio("predicted", "paper", "manual", CUP) is None, "alone, nobody predicts anything"


def test_shares_that_never_differ_are_not_known_to_be_equal(found: Results) -> None:
    equal = found.difference("success", "assist", "ho", CUP)
    assert (equal.mean, equal.p) == (0.0, 1.0)
    assert equal.ci == pytest.approx((-(1 - 12 / (12 + 1.96**2)), 1 - 12 / (12 + 1.96**2)), abs=1e-3)
    assert found.difference("total_s", "assist", "ho", CUP).ci == (0.0, 0.0), "only shares"
    worse = found.difference("success", "paper", "ho", CUP)
    assert worse.mean == pytest.approx(-1 / 3)
    assert worse.ci[0] <= -1 / 3 <= worse.ci[1]


def test_the_block_of_an_analysis_has_only_people_with_every_measure(found: Results) -> None:
    where = Where(part=ALL, scene="S1", user="stop-beside")
    assert found.block("time_s", ("manual", "ho", "paper"), where).shape == (8, 4, 3)
    assert found.block("total_s", ("manual", "ho", "paper"), where).shape == (12, 4, 3)


def test_methods_that_met_others_are_refused(found: Results) -> None:
    done = dict(found.done)
    first = next(iter(done))
    done[first] = done[first][1:]
    with pytest.raises(BadSetting, match="different people"):
        Results(found.study, found.size, done)
