"""Studies of meals as data: all eat the same plates with all, seeds are where they should be, as was published."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from examples import meal_tables
from handup.core import BadSetting, QuestionKind, Role, UnknownMethod
from handup.lab.engine import Batch, Verdict
from handup.lab.engine.registry import study_of
from handup.lab.studies.meals.meal_rows import participant, person
from handup.lab.studies.meals.studies import FORGETS, FORGETS_NEW, MEMORY, METHODS, REMEMBERS, REMEMBERS_NEW
from handup.lab.studies.meals.study import MealStudy, Menu
from handup.people import PROFILES, Care
from tests.lab.studies.meals.made_up import PAIRED, STUDIES


def orders(batch: Batch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(batch.decides)["orders"]
    return found


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_study_is_announced_and_every_arm_has_the_same_people_with_the_same_plates(study: MealStudy) -> None:
    assert study_of(study.name) is study
    served: dict[str, list[object]] = {arm: [] for arm in study.arms}
    for batch in study.batches(study.size(participants=14)):
        keys = ("plate", "looks", "seed", "faulty", "kitchen", "bites")
        served[batch.arm].append((batch.first, [tuple(order[key] for key in keys) for order in orders(batch)]))
        assert batch.rows == len(orders(batch))
    for first, *others in map(study.arms_at, study.places):
        assert others and all(served[arm] == served[first] for arm in others)
    for bar in (bar for claim in study.claims for bar in claim.bars):
        assert any({bar.arm, bar.than} <= set(study.arms_at(menu)) for menu in study.places)


def test_no_two_meals_of_any_study_share_a_plate() -> None:
    seeds = Counter(
        order["seed"]
        for study in STUDIES.values()
        for batch in study.batches(study.size())
        if batch.arm == study.arms[0]
        for order in orders(batch)
    )
    assert max(seeds.values()) == 1
    assert min(seeds) >= 300_000


def test_a_quick_run_has_six_people_and_their_first_plate_but_a_week_is_a_week() -> None:
    whole, quick = (PAIRED.batches(PAIRED.size(quick=quick)) for quick in (False, True))
    assert (len(whole), len(quick)) == (2 * 48, 2 * 6)
    assert [orders(part) for part in quick] == [orders(batch)[:1] for batch in whole[:12]]
    assert {batch.rows for batch in MEMORY.batches(MEMORY.size(quick=True))} == {7}


def test_seed_looks_and_memory_name_a_batch() -> None:
    sizes = (PAIRED.size(), PAIRED.size(quick=True), PAIRED.size(seed=296_000), PAIRED.size(looks="easy"))
    configs = {PAIRED.batches(size)[0].config for size in sizes}
    assert len(configs) == len(sizes)
    forgets, remembers = MEMORY.batches(MEMORY.size())[:2]
    assert orders(forgets) == orders(remembers)
    assert forgets.decides != remembers.decides


def test_a_week_has_two_plates_in_turn_and_a_new_menu_two_others_from_day_four_on() -> None:
    served = {batch.arm: orders(batch) for batch in MEMORY.batches(MEMORY.size(participants=2)) if batch.first == 1}
    same, new = served[REMEMBERS], served[REMEMBERS_NEW]
    assert [order["plate"] for order in same] == ["savory salad", "thanksgiving"] * 3 + ["savory salad"]
    assert new[:3] == same[:3]
    assert [order["plate"] for order in new[3:]] == ["mixed salad", "noodles"] * 2
    assert (served[FORGETS], served[FORGETS_NEW]) == (same, new)
    assert [order["seed"] for order in new] == [order["seed"] for order in same] == list(range(330_007, 330_014))
    batches = MEMORY.batches(MEMORY.size(participants=5))
    kitchens = {(batch.first, order["kitchen"]) for batch in batches for order in orders(batch)}
    assert len(kitchens) == len({kitchen for _, kitchen in kitchens}) == 5, "everybody has one of their own"
    assert {order["kitchen"] for batch in METHODS.batches(METHODS.size()) for order in orders(batch)} == {None}


def test_every_twelve_participants_have_every_care_with_every_hand_and_skill_is_the_assumed_one() -> None:
    assert {participant(number) for number in range(12)} == {(care, motor) for care in Care for motor in PROFILES}
    right = {Care.HURRIED: 0.80, Care.USUAL: 0.90, Care.CAREFUL: 0.97}
    for number in range(12):
        care, motor = participant(number)
        assert person(number).answers.chance(Role.RESIDENT, QuestionKind.CHOICE).probability == right[care]
        assert person(number).motor is PROFILES[motor]


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(BadSetting, match="plate 'stones'"):
        replace(PAIRED, places=(Menu(plates=("stones",)),))
    with pytest.raises(BadSetting, match="of one length"):
        replace(PAIRED, places=(*PAIRED.places, Menu(plates=("noodles",) * 3)))
    with pytest.raises(UnknownMethod):
        replace(PAIRED, arms=("guess", "troubleshoot")).batches(PAIRED.size())


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_record_is_of_the_study_as_it_is_defined(study: MealStudy) -> None:
    record = meal_tables.record(study.name)
    assert record["command"] == study.command(study.size())
    assert list(record["measures"]) == [triage["arm"] for triage in record["triage"]] == list(study.arms)
    assert len(record["claims"]) == len(study.claims)
    for told, claim in zip(record["claims"], study.claims, strict=True):
        assert (told["name"], told["source"], told["text"]) == (claim.name, claim.source, claim.text)
        assert told["why"] == (claim.untold or claim.note(Verdict(told["verdict"]))) != ""
        assert list(told["numbers"]) == [study.label(bar) for bar in claim.bars]
    for triage in record["triage"]:
        assert sum(cause["bites"] for cause in triage["causes"]) == triage["lost"], "every lost bite has one cause"
