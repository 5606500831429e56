"""Studies of meals as data: everybody eats the same plates with everybody, and seeds are where they should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from handup.core import BadSetting, QuestionKind, UnknownMethod
from handup.lab.meals.definition import PARTICIPANTS, Arm, MealStudy, Size
from handup.lab.meals.participants import Participant, participants
from handup.lab.meals.studies import HETEROGENEITY, HOME, METHODS, STUDIES, meal_study
from handup.people import PROFILES, Care, Role
from tests.lab.meals.made_up import PAIRED


def test_three_studies_are_the_papers_and_one_is_a_week() -> None:
    assert list(STUDIES) == ["meal-methods", "meal-heterogeneity", "meal-home", "meal-memory"]
    assert METHODS.plates == ("savory salad", "thanksgiving")
    assert set(HETEROGENEITY.plates) == {"savory salad"}
    assert HETEROGENEITY.faulty
    assert set(HOME.plates) == {"mixed salad"}
    assert all(study.bites == 5 for study in STUDIES.values())
    assert [len(study.plates) for study in STUDIES.values()] == [2, 2, 2, 7]
    assert PARTICIPANTS >= 40


@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_every_arm_has_the_same_people_with_the_same_plates(study: MealStudy) -> None:
    served: dict[Arm, list[object]] = {}
    for sitting in study.sittings(Size(participants=14)):
        plates = [(each.plate, each.looks, each.seed, each.faulty, each.kitchen) for each in sitting.orders]
        served.setdefault(sitting.arm, []).append((sitting.participant, plates))
    assert set(served) == set(study.arms)
    for first, *others in study.menus:
        assert others
        assert all(served[each] == served[first] for each in others)


def test_no_two_meals_of_any_study_share_a_plate() -> None:
    seeds = Counter(
        order.seed
        for study in STUDIES.values()
        for sitting in study.sittings(Size())
        if sitting.arm is study.arms[0]
        for order in sitting.orders
    )
    assert max(seeds.values()) == 1
    assert min(seeds) >= 300_000


def test_a_quick_run_has_the_first_plate_of_everybody_with_the_same_seed() -> None:
    whole = {each.config: each for each in PAIRED.sittings(Size(participants=3))}
    quick = list(PAIRED.sittings(Size(participants=3, quick=True)))
    assert len(quick) == len(whole)
    assert all(part.orders == all_of.orders[:1] for part, all_of in zip(quick, whole.values(), strict=True))
    assert not {each.config for each in quick} & set(whole)


def test_a_seed_of_ones_own_and_other_looks_are_other_meals() -> None:
    usual = next(PAIRED.sittings(Size(participants=2)))
    moved = next(PAIRED.sittings(Size(participants=2, seed=296_000)))
    easy = next(PAIRED.sittings(Size(participants=2, looks="easy")))
    assert [each.seed for each in moved.orders] == [296_000, 296_001]
    assert easy.orders[0].looks == "easy"
    assert len({usual.config, moved.config, easy.config}) == 3
    assert usual.orders[0].looks == "hard"


def test_every_twelve_participants_have_every_care_with_every_hand() -> None:
    twelve = [(each.care, each.motor) for each in participants(12)]
    assert set(twelve) == {(care, motor) for care in Care for motor in PROFILES}


@pytest.mark.parametrize(("care", "right"), [(Care.HURRIED, 0.80), (Care.USUAL, 0.90), (Care.CAREFUL, 0.97)])
def test_skill_levels_are_the_assumed_ones(care: Care, right: float) -> None:
    person = Participant(number=0, care=care, motor="tremor").person
    assert person.answers.chance(Role.RESIDENT, QuestionKind.CHOICE).probability == right
    assert person.motor is PROFILES["tremor"]


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(BadSetting, match="1 participants"):
        Size(participants=1)
    with pytest.raises(BadSetting, match="looks"):
        Size(looks="strange")
    with pytest.raises(BadSetting, match="seed"):
        Size(seed=-1)
    with pytest.raises(BadSetting, match="compares nothing"):
        replace(PAIRED, arms=(Arm(method="troubleshoot"), Arm(method="troubleshoot")))
    with pytest.raises(BadSetting, match="plate 'stones'"):
        replace(PAIRED, plates=("stones",))
    with pytest.raises(BadSetting, match="more plates than others"):
        replace(PAIRED, arms=(*PAIRED.arms, Arm(method="troubleshoot", short="three", plates=("noodles",) * 3)))
    with pytest.raises(BadSetting, match="motor profile 'wings'"):
        Participant(number=0, care=Care.USUAL, motor="wings")
    with pytest.raises(BadSetting, match="'meal-lunch'"):
        meal_study("meal-lunch")
    with pytest.raises(UnknownMethod):
        next(replace(PAIRED, arms=(Arm(method="guess"), Arm(method="troubleshoot"))).sittings(Size()))
