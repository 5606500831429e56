"""Calibration sets as in the paper's C.1, and the shipped calibrators."""

from __future__ import annotations

import numpy as np
import pytest

from examples.feeding_meals import COLUMNS, METHODS, Row, interval, tables
from handup.core import BadSetting
from handup.domains.feeding import World, calibration
from handup.domains.feeding.calibration import KINDS, SIZES, Rows
from handup.domains.feeding.judging import MODULES, Cause
from tests.fakes.feeding import Oracle


def test_a_plate_gives_a_row_for_each_food_and_only_valid_boxes_go_on() -> None:
    rows = Rows()
    with World("thanksgiving", seed=1, size=(320, 240)) as world:
        rows.add(world, Oracle(world, label="tofu"))
        foods = {each.food for each in world.truth()}
        rows.add(world, Oracle(world, blind=True))
    assert [entry.truth for entry in rows.foods[: len(foods)]] == sorted(foods)
    assert any(entry.substituted for entry in rows.foods)
    assert len(rows.boxes) == len(rows.skills) == len(rows.aims) == len(foods)
    assert all(right for _, right in rows.boxes)
    small = dict.fromkeys(MODULES, 3)
    assert {module: len(sample) for module, sample in rows.samples(small).items()} == small
    assert rows.full(small)
    assert not rows.full()
    with pytest.raises(BadSetting, match="Add plates"):
        rows.samples()


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_calibrators_were_fitted_on_sets_of_the_papers_sizes(kind: str) -> None:
    found = calibration.load(kind)
    assert {module: found[module].to_json()["data"]["n"] for module in MODULES} == dict(SIZES)
    for module in ("food", "box", "skill"):
        assert all(0.0 <= found[module].probability(float(score)) <= 1.0 for score in np.linspace(0.0, 1.0, 21))
    assert found["params"].probability(1e-6) >= found["params"].probability(1e-2)
    assert calibration.highest_score(calibration.load("scaled")) > 0.5


def test_unknown_calibrators_are_refused() -> None:
    with pytest.raises(BadSetting, match="no calibrators"):
        calibration.load("guess")


def test_the_tables_of_many_meals_count_each_lost_bite_once() -> None:
    never = next(iter(METHODS))
    rows = [
        Row("hard", "noodles", seed, never, 3, 4, 1, 0, 9, 0.0, 5.0, (str(Cause.FOOD), str(Cause.BOX)))
        for seed in range(4)
    ]
    assert [Row.read(dict(zip(COLUMNS, each.cells(), strict=True))) for each in rows] == rows
    text = "\n".join(tables(rows))
    assert "| hard | alone | 4 | 3.00 (3.00–3.00) | 4.00 | 1.00 | 0.00 | 9.00 | 0.00 | 5.00 |" in text
    assert "| hard | alone | 8 of 20 | 4 | 4 | 0 | 0 | 0 | 0 | 0 |" in text
    low, mean, high = sorted(interval([3.0, 5.0, 4.0, 4.0]))
    assert low < mean < high
