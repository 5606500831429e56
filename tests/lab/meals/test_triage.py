"""Failure triage adds up: on made-up bites, and on meals that were really eaten."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.core import BadRecord
from handup.desk import SkippingClock
from handup.domains.feeding.judging import Cause
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.served import Served
from handup.journal import Journal
from handup.lab.meals.blame import BLAMED, NO_MODULE, SUCCESS
from handup.lab.meals.definition import Sitting, Size
from handup.lab.meals.eating import eat, robot
from handup.lab.meals.results import Results
from handup.lab.meals.rows import BiteRow, MealRow
from handup.lab.meals.triage import triage
from tests.lab.meals.made_up import ONE, PAIRED, TWO, got, lost, results

SEED = 295_100


def test_causes_and_beliefs_sum_to_the_lost_bites() -> None:
    found = results(
        lambda label, who: (
            got(1),
            lost(2, cause="food", blamed=SUCCESS, wrong=True),
            lost(3, cause="detector", blamed=NO_MODULE, asked=("box", "food")),
            lost(4, cause="skill", blamed="box") if who % 2 else got(4),
            got(5),
        ),
        participants=10,
    )
    for each in triage(found):
        assert each.taken == 100
        assert each.total == 50 == sum(sum(row.values()) for row in each.confusion.values())
        assert {lost.cause: lost.bites for lost in each.lost if lost.bites} == {"food": 20, "skill": 10, "detector": 20}
        assert sum(lost.share.value for lost in each.lost) == pytest.approx(1.0)
        assert each.confusion["skill"]["box"] == 10
        assert each.agreed.value == pytest.approx(20 / 50)
        assert each.unseen.value == pytest.approx(20 / 50)
        # The robot saw thirty failures, and held the true cause .6 likely in the twenty where it blamed it.
        assert each.belief.value == pytest.approx((20 * 0.6 + 10 * 0.1) / 30)
        costs = {lost.cause: (lost.wrong, lost.questions, lost.attempts) for lost in each.lost}
        assert costs["food"] == (20, 0, 60)
        assert costs["detector"] == (0, 40, 60)
        assert next(lost.J_true for lost in each.lost if lost.cause == "food") == pytest.approx(20 * 6.5)


def test_a_share_has_an_interval_over_participants() -> None:
    found = results(lambda label, who: (lost(1, cause="food" if who % 2 else "box"),), participants=30)
    share = next(each.share for each in next(iter(triage(found))).lost if each.cause == "food")
    assert share.value == 0.5
    assert 0.25 < share.ci[0] < 0.4 < 0.6 < share.ci[1] < 0.75


def test_a_method_that_loses_nothing_has_nothing_to_share() -> None:
    one, _ = triage(results(lambda label, who: (got(1),), participants=4))
    assert (one.total, one.agreed.value) == (0, 0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"got": False},
        {"got": True, "cause": "food", "blamed": "food", "chances": (0.2,) * 5},
        {"got": False, "cause": "luck", "blamed": "food", "chances": (0.2,) * 5},
        {"got": False, "cause": "food", "blamed": "me", "chances": (0.2,) * 5},
    ],
)
def test_a_bite_without_exactly_one_cause_is_no_row(wrong: dict[str, object]) -> None:
    usual = {"bite": 1, "wrong": False, "attempts": 1, "asked": (), "workload": 0.0, "J": 1.0, "J_true": 1.0}
    with pytest.raises(BadRecord, match="its cause is"):
        BiteRow(**{**usual, **wrong})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def eaten() -> dict[Sitting, tuple[MealRow, ...]]:
    """Meals of hard plates, of which a robot that never asks loses some."""
    size = Size(participants=2, seed=SEED, quick=True)
    return {sitting: eat(sitting, robot()) for sitting in PAIRED.sittings(size)}


def served(sitting: Sitting, folder: Path) -> Served:
    """The same meal, eaten without the study."""
    with (
        Journal.open(folder / "meal.db", clock=SkippingClock()) as journal,
        Meal(sitting.orders[0], journal, modules=robot().modules) as table,
    ):
        return table.eat([table.simulated(sitting.participant.person)])


def test_on_real_meals_every_lost_bite_has_one_cause_and_one_belief(
    eaten: dict[Sitting, tuple[MealRow, ...]], tmp_path: Path
) -> None:
    found = Results(PAIRED, Size(participants=2, seed=SEED, quick=True), eaten)
    bites = [bite for meals in eaten.values() for meal in meals for bite in meal.bites_taken]
    assert any(not bite.got for bite in bites)
    for bite in bites:
        assert (bite.cause in tuple(Cause)) == (not bite.got) == (bite.blamed in BLAMED)
        assert bite.got or sum(bite.chances) == pytest.approx(1.0, abs=1e-5)
        assert bite.blamed != SUCCESS or bite.attempts == 1 or bite.cause == Cause.DETECTOR
    for each in triage(found):
        got_bites = sum(meal.measure("bites") for meal in found.meals(each.arm))
        assert each.total == each.taken - got_bites
        assert each.total == sum(sum(row.values()) for row in each.confusion.values())
    # What the study keeps is what the meal itself says.
    sitting = next(each for each in eaten if each.arm.label == TWO)
    plain = served(sitting, tmp_path)
    (row,) = eaten[sitting]
    counts = {str(cause): sum(bite.cause == cause for bite in row.bites_taken) for cause in Cause}
    assert counts == plain.triage
    assert [bite.J_true for bite in row.bites_taken] == [round(bite.true_objective, 6) for bite in plain.bites]
    assert row.measure("queries") == plain.to_json()["queries"]


def test_a_robot_that_never_asks_saw_its_wrong_bites_as_successes(eaten: dict[Sitting, tuple[MealRow, ...]]) -> None:
    for sitting, (row,) in eaten.items():
        assert sitting.arm.label in (ONE, TWO)
        for bite in row.bites_taken:
            if bite.wrong and bite.attempts == 1:
                assert bite.blamed == SUCCESS
