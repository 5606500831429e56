"""The protocol for real participants: balanced orders, plates of their own, commands that the shell takes."""

from __future__ import annotations

import shlex
from collections import Counter
from itertools import pairwise

import pytest
from typer.main import get_command

from handup.cli.main import app
from handup.core import BadSetting
from handup.lab.meals.definition import MealStudy, Size
from handup.lab.meals.protocol import orders_of_arms, planned
from handup.lab.meals.studies import (
    FORGETS,
    FORGETS_NEW,
    HETEROGENEITY,
    MEMORY,
    METHODS,
    REMEMBERS,
    REMEMBERS_NEW,
    STUDIES,
)
from tests.cli.calls import assert_one_line_error, here


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_every_method_has_every_place_and_follows_every_other_equally_often(count: int) -> None:
    rows = orders_of_arms(count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    places = Counter((place, each) for row in rows for place, each in enumerate(row))
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(places) == count * count
    assert len(follows) == count * (count - 1)
    assert len(set(places.values())) == len(set(follows.values())) == 1


def test_no_plate_is_served_twice_and_their_order_turns() -> None:
    size = Size(seed=296_500)
    meals = [each for participant in range(1, 9) for each in planned(METHODS, participant, size)]
    assert len({each.order.seed for each in meals}) == len(meals) == 8 * 4 * 2
    first, fifth = planned(METHODS, 1, size), planned(METHODS, 5, size)
    assert [each.arm for each in first] == [each.arm for each in fifth]
    assert [each.order.plate for each in first[:2]] == ["savory salad", "thanksgiving"]
    assert [each.order.plate for each in fifth[:2]] == ["thanksgiving", "savory salad"]


def test_the_command_is_one_that_the_shell_takes() -> None:
    (meal, *_) = planned(HETEROGENEITY, 3, Size(seed=296_500))
    words = shlex.split(meal.command)
    assert words[:4] == ["handup", "meal", "--people", "page"]
    assert words[words.index("--plate") + 1] == "savory salad"
    assert words[words.index("--method") + 1] == meal.order.method
    assert "--faulty-detector" in words


def test_a_week_keeps_its_order_and_each_method_its_memory() -> None:
    size = Size(seed=296_500)
    first, fifth = planned(MEMORY, 1, size), planned(MEMORY, 5, size)
    assert len(first) == 4 * 7
    assert [(each.arm, each.order.plate) for each in first] == [(each.arm, each.order.plate) for each in fifth]
    stores: dict[str, set[str]] = {}
    for each in first:
        words = shlex.split(each.command)
        assert words[words.index("--kitchen") + 1] == "296500"
        stores.setdefault(each.arm, set()).add(words[words.index("--memory") + 1] if "--memory" in words else "none")
    assert stores == {
        **{label: {"none"} for label in (FORGETS, FORGETS_NEW)},
        REMEMBERS: {"participant-1-memory-2.db"},
        REMEMBERS_NEW: {"participant-1-memory-4.db"},
    }


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_each_line_says_whether_the_robot_remembers(study: MealStudy) -> None:
    remembering = {arm.label: arm.memory for arm in study.arms}
    meals = planned(study, 1, Size(seed=296_500))
    assert {each.arm for each in meals} == set(remembering)
    for each in meals:
        words = shlex.split(each.command)
        assert ("--memory" in words, "--no-memory" in words) == (remembering[each.arm], not remembering[each.arm])


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_the_command_line_takes_each_line(study: MealStudy) -> None:
    meal = get_command(app).commands["meal"]  # type: ignore[attr-defined]
    for each in planned(study, 1, Size(seed=296_500)):
        assert meal.make_context("meal", shlex.split(each.command)[2:]).params["seed"] == each.order.seed


def test_the_protocol_from_the_command_line() -> None:
    called = here("study", "protocol", "meal-home", "--participant", "2")
    assert called.code == 0
    lines = called.out.splitlines()
    assert len(lines) == 8
    assert all(line.startswith("handup meal --people page --plate 'mixed salad' --looks hard") for line in lines)
    assert_one_line_error(here("study", "protocol", "meal-home", "--participant", "0"), "participant 0")
    assert_one_line_error(here("study", "protocol", "structure"), "no study of meals 'structure'")


def test_nobody_has_no_protocol() -> None:
    with pytest.raises(BadSetting, match="participant 0"):
        planned(METHODS, 0, Size())
