"""The protocol for real participants: balanced orders, plates of their own, commands that the shell takes."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import pairwise

import pytest

from handup.cli.main import command_of
from handup.core import BadSetting
from handup.lab.studies.meals.studies import (
    FORGETS,
    FORGETS_NEW,
    MEMORY,
    METHODS,
    REMEMBERS,
    REMEMBERS_NEW,
    Planned,
    orders_of_arms,
    planned,
)
from handup.lab.studies.meals.study import MealStudy
from tests.lab.studies.meals.made_up import STUDIES


def meals_of(study: MealStudy, participant: int) -> tuple[Planned, ...]:
    return planned(study, participant, study.size(seed=296_500))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_every_method_has_every_place_and_follows_every_other_equally_often(count: int) -> None:
    rows = orders_of_arms(count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    places = Counter((place, arm) for row in rows for place, arm in enumerate(row))
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(places) == count * count
    assert len(follows) == count * (count - 1)
    assert len(set(places.values())) == len(set(follows.values())) == 1


def test_no_plate_is_served_twice_and_their_order_turns() -> None:
    meals = [meal for participant in range(1, 9) for meal in meals_of(METHODS, participant)]
    assert len({meal.order.seed for meal in meals}) == len(meals) == 8 * 4 * 2
    first, fifth = meals_of(METHODS, 1), meals_of(METHODS, 5)
    assert [meal.arm for meal in first] == [meal.arm for meal in fifth]
    assert [meal.order.plate for meal in first[:2]] == ["savory salad", "thanksgiving"]
    assert [meal.order.plate for meal in fifth[:2]] == ["thanksgiving", "savory salad"]
    with pytest.raises(BadSetting, match=r"participant must .* got 0"):
        meals_of(METHODS, 0)


def test_a_week_keeps_its_order_and_each_method_its_memory() -> None:
    first, fifth = meals_of(MEMORY, 1), meals_of(MEMORY, 5)
    assert len(first) == 4 * 7
    assert [(meal.arm, meal.order.plate) for meal in first] == [(meal.arm, meal.order.plate) for meal in fifth]
    assert {meal.order.kitchen for meal in first} == {296_500}
    assert {(meal.arm, meal.memory) for meal in first} == {
        *((arm, "") for arm in (FORGETS, FORGETS_NEW)),
        (REMEMBERS, "participant-1-memory-2.db"),
        (REMEMBERS_NEW, "participant-1-memory-4.db"),
    }


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_the_command_line_takes_each_line(study: MealStudy) -> None:
    command = command_of("meal")
    meals = meals_of(study, 1)
    assert {meal.arm for meal in meals} == set(study.arms)
    for meal in meals:
        words = shlex.split(meal.command)
        assert words[:4] == ["handup", "meal", "--people", "page"]
        assert ("--memory" in words) == study.robot(meal.arm).memory != ("--no-memory" in words)
        given = command.make_context("meal", words[2:]).params
        assert all(given[name] == getattr(meal.order, name) for name in ("seed", "plate", "method"))
        assert given["faulty_detector"] == study.faulty
