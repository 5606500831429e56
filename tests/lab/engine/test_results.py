"""Rows looked up and averaged by unit: against plain loops; missing values, shares, conditions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.confidence.metrics import wilson
from handup.core import BadSetting
from handup.lab.engine import Bar, Batch, Results, Study, columns_of, where
from handup.lab.engine.claims import Measure
from handup.lab.engine.stats import difference
from tests.lab.engine.made_up import results, study

Table = list[list[float | None]]
"""By unit, the values of its rows; None where one is missing."""


TIME = Measure(name="time", label="time", of=lambda row: math.nan if row["time"] is None else row["time"])


def trials(tables: dict[str, Table]) -> Results[Study]:
    """Return results whose units have several rows, some without a value."""
    made_up = replace(study(tables), measures=(TIME,), unit=("person",), order=("person", "trial"))
    made = {
        Batch(study="trials", arm=arm, rows=sum(map(len, table))): columns_of(
            {"person": person, "trial": trial, "time": value}
            for person, values in reversed(list(enumerate(table)))
            for trial, value in enumerate(values)
        )
        for arm, table in tables.items()
    }
    return Results(made_up, made_up.size(), made)


values = st.one_of(st.none(), st.integers(-20, 20).map(float))
tables = st.lists(st.lists(st.tuples(values, values), min_size=1, max_size=3), min_size=1, max_size=6)


@given(tables)
def test_a_difference_is_of_rows_that_both_arms_have_averaged_by_unit(pairs: list[list[tuple[float, float]]]) -> None:
    found = trials({"a": [[a for a, _ in unit] for unit in pairs], "b": [[b for _, b in unit] for unit in pairs]})
    both = [[(a, b) for a, b in unit if a is not None and b is not None] for unit in pairs]
    ours = [float(np.mean([a for a, _ in unit])) for unit in both if unit]
    theirs = [float(np.mean([b for _, b in unit])) for unit in both if unit]
    if ours:
        assert found.difference("time", "a", "b") == difference(np.array(ours), np.array(theirs))


@given(tables)
def test_a_mean_is_over_rows_and_leaves_out_what_is_missing(pairs: list[list[tuple[float, float]]]) -> None:
    found = trials({"a": [[a for a, _ in unit] for unit in pairs]})
    there = [a for unit in pairs for a, _ in unit if a is not None]
    if there:
        estimate = found.mean("time", "a")
        assert estimate.value == pytest.approx(np.mean(there))
        assert estimate.ci[0] <= estimate.value <= estimate.ci[1]
        assert list(found.means(("time",), "a")) == ["time"]
    else:
        assert found.means(("time",), "a") == {}


def test_conditions_choose_rows_by_a_value_or_by_several() -> None:
    found = trials({"a": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    assert found.values("time", "a").tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "sorted, whatever order they came in"
    assert found.values("time", "a", where(trial=1)).tolist() == [2.0, 4.0, 6.0]
    assert found.values("time", "a", where(person=(0, 2), trial=0)).tolist() == [1.0, 5.0]
    assert found.count() == 3


def test_where_all_units_are_equal_a_share_still_has_doubt() -> None:
    found = results(study("ab"), {"a": [1.0] * 40, "b": [1.0] * 40})
    assert found.mean("won", "a").ci == pytest.approx((wilson(40, 40)[0], 1.0))
    assert found.difference("won", "a", "b").ci[0] < 0.0 < found.difference("won", "a", "b").ci[1]
    assert found.mean("speed", "a").ci == (1.0, 1.0)


def test_a_bar_may_compare_with_another_place_or_with_a_number() -> None:
    found = trials({"a": [[1.0, 4.0], [3.0, 6.0]]})
    first, second = where(trial=0), where(trial=1)
    gap = found.of_bar(Bar(measure="time", arm="a", where=second, elsewhere=first, by=0.0))
    assert (gap.mean, gap.more) == (3.0, 2)
    assert found.of_bar(Bar(measure="time", arm="a", where=first, by=1.0)).mean == 2.0
    half = found.difference("time", "a", "a", times=0.5)
    assert half.mean == pytest.approx(3.5 / 2)


def test_arms_with_other_units_are_refused() -> None:
    with pytest.raises(BadSetting, match="different units"):
        trials({"a": [[1.0]], "b": [[1.0], [2.0]]})
