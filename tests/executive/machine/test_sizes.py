"""What a few lines of a recipe can make is bounded, whatever they do with it: a run fails by name, and at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadExpression, ResumeHint
from handup.executive.events import Ending
from handup.executive.language import parse, values
from handup.executive.language.values import MAX_LEVELS, MAX_PARTS, bounded
from handup.executive.machine import Machine
from handup.executive.recipe import OpStep, Step
from handup.executive.run_settings import RunSettings, Unseen
from tests.executive.making import Script, action, drive, loop, op, recipe, recipes, rule, task

USES: dict[str, list[Step]] = {
    "an output": [],
    "said": [op("print", message="var.x")],
    "a reason": [op("abort", why="var.x")],
    "of a task": [task("inner", given="var.x")],
    "of an action": [action("look", at="var.x")],
}


def grown(value: str) -> list[Step]:
    again = OpStep(name="assign", params={"value": parse(value)}, var=("x",))
    return [op("assign", var=["x"], value=[1]), loop("true", again, most=40 if value == "[var.x, var.x]" else 200)]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("value", ["[var.x, var.x]", "[var.x]"])
def test_what_doubles_or_deepens_fails_before_it_is_too_much(value: str, use: str) -> None:
    main = recipe("main", *grown(value), *USES[use], var=["x"])
    machine = Machine(recipes(main, recipe("inner", params=["given"])), settings=RunSettings(unseen=Unseen.EXIT))
    finished, _ = drive(machine, Script())
    assert finished.failure is not None
    assert (finished.failure.code, finished.failure.leaf) == ("bad_expression", "assign")
    assert len(str(finished.failure)) < 10 * MAX_PARTS


def test_a_recovery_cannot_make_more_of_a_failure_than_a_recipe() -> None:
    doubles = rule(
        "doubles",
        "**",
        OpStep(name="assign", params={"value": parse("[failure.goal, failure.goal]")}, var=("x",)),
        resume=ResumeHint.NEXT,
        limit=100,
    )
    main = recipe(
        "main",
        op("assign", var=["x"], value=[1]),
        loop("true", op("check_value", var=["x"], value="var.x", equals=0), most=60),
        action("look", at="var.x"),
    )
    finished, _ = drive(Machine(recipes(main), [doubles]), Script())
    assert finished.ending is not Ending.DONE
    assert len(str(finished)) < 10 * MAX_PARTS


def test_counting_stays_finite() -> None:
    main = recipe("main", op("assign", var=["x"], value=1e308), op("increment", name="x", by=1e308))
    finished, _ = drive(Machine(recipes(main)), Script())
    assert finished.failure is not None
    assert finished.failure.code == "bad_expression"


def test_why_is_short_however_much_was_compared() -> None:
    finished, _ = drive(Machine(recipes(recipe("main", op("check_value", value=["a" * 900] * 9, equals=1)))), Script())
    assert finished.failure is not None
    assert len(finished.failure.why) < 200


data = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4),
    max_leaves=30,
)


@given(data, st.integers(0, 40), st.integers(1, 6))
def test_bounds_are_those_of_a_plain_count(value: object, parts: int, levels: int) -> None:
    def counted(each: object) -> int:
        below = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        return (len(each) if isinstance(each, (str, list, dict)) else 0) + sum(map(counted, below))

    def deep(each: object) -> int:
        below = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        return 1 + max(map(deep, below), default=0)

    fits = counted(value) <= parts and deep(value) <= levels
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "MAX_PARTS", parts)
        patch.setattr(values, "MAX_LEVELS", levels)
        try:
            assert bounded("x", value) is value
            assert fits
        except BadExpression:
            assert not fits


def test_what_is_large_but_bounded_goes_through() -> None:
    cloud = [[0.1, 0.2, 0.3]] * (MAX_PARTS // 4 - 1)
    assert bounded("cloud", cloud) is cloud
    deep: list[object] = []
    for _ in range(MAX_LEVELS - 1):
        deep = [deep]
    assert bounded("deep", deep) is deep
