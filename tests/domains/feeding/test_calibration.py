"""Calibration sets as in the paper's C.1, and the shipped calibrators."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from examples import feeding_meals
from examples.feeding_meals import COLUMNS, METHODS, Row, interval, tables
from handup.core import BadRecord, BadSetting, Box
from handup.domains.feeding import PlateWorld, calibration
from handup.domains.feeding.calibration import FILE, KINDS, SIZES, Rows
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.module_outputs import Chosen, Found, Picture
from handup.domains.feeding.modules import Modules, folder_of, networks_in
from handup.domains.feeding.order import MealTerms, Order
from handup.domains.feeding.truth import MODULES, LossCause, box_of
from tests.fakes.feeding import Oracle

DOCS = Path(__file__).parents[3] / "docs" / "feeding"
EMPTY = Box(left=0.0, top=0.0, right=0.05, bottom=0.05)


class Eager(Oracle):
    """Finds all of the food that M1 names, and something where nothing is; for `tofu` it finds the green beans."""

    def find(self, rgb: Picture, label: str) -> Found:
        meant = "green beans" if label == "tofu" else label
        boxes = (*(box_of(each) for each in self.world.truth() if each.food == meant), EMPTY)
        return Found(boxes, (self.score,) * (len(boxes) - 1) + (0.2,))

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        self.calls[f"choose {label}"] += 1
        return super().choose(rgb, label, box)


def test_every_box_for_the_label_of_each_food_is_a_row_and_only_valid_ones_go_on_under_that_label() -> None:
    rows = Rows()
    with PlateWorld("thanksgiving", seed=1, size=(320, 240)) as world:
        eager = Eager(world, label="tofu")
        rows.add(world, eager)
        pieces = [each.food for each in world.truth()]
    foods = sorted(set(pieces))
    assert foods == ["chicken", "green beans", "mashed potatoes"]
    assert [(entry.truth, entry.prediction.top, entry.substituted) for entry in rows.foods] == [
        ("chicken", "chicken", False),
        ("green beans", "tofu", True),
        ("mashed potatoes", "cherry tomatoes", True),
    ], "M1 names tofu, chicken and cherry tomatoes"
    valid = pieces.count("chicken") + pieces.count("green beans")
    assert [right for _, right in rows.boxes].count(True) == valid
    assert [score for score, right in rows.boxes if not right] == [0.2] * 3, "one beside each"
    assert len(rows.skills) == len(rows.aims) == valid
    assert eager.calls["choose tofu"] == pieces.count("green beans"), "the label is M1's, the box holds the food"
    assert eager.calls["choose chicken"] == pieces.count("chicken")
    assert eager.calls["choose green beans"] == 0
    assert rows.plates == {"food": [1] * 3, "box": [1] * (valid + 3), "skill": [1] * valid, "params": [1] * valid}


def test_a_set_of_some_size_is_taken_evenly_from_all_plates() -> None:
    rows = Rows()
    for seed in (1, 2):
        with PlateWorld("thanksgiving", seed=seed, size=(320, 240)) as world:
            rows.add(world, Oracle(world))
            rows.add(world, Oracle(world, blind=True))
    assert len(rows.foods) == len(rows.plates["food"]) == 12
    assert len(rows.boxes) < len(rows.foods)
    small = dict.fromkeys(MODULES, 2)
    assert {module: len(sample) for module, sample in rows.samples(small).items()} == small
    rows.boxes = [(0.1 * place, True) for place in range(6)]
    assert rows.samples(small)["box"].raw.tolist() == pytest.approx([0.0, 0.3])
    assert len(rows.samples()["box"]) == 6
    assert rows.full(small)
    assert not rows.full(small, least=1), "none is wrong"
    assert not rows.full()
    with pytest.raises(BadSetting, match="Add plates"):
        rows.samples(SIZES)


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_calibrators_were_fitted_on_sets_of_the_papers_sizes(kind: str) -> None:
    found = calibration.load(kind)
    assert {module: found[module].to_json()["data"]["n"] for module in MODULES} == dict(SIZES)
    for module in ("food", "box", "skill"):
        assert all(0.0 <= found[module].probability(float(score)) <= 1.0 for score in np.linspace(0.0, 1.0, 21))
    assert found["params"].probability(1e-6) >= found["params"].probability(1e-2)
    assert calibration.highest_score(calibration.load("scaled")) > 0.5


def test_unknown_calibrators_are_refused() -> None:
    with pytest.raises(BadSetting, match="kind of calibrators must be one of"):
        calibration.load("guess")


# -- which networks ----------------------------------------------------------------------------------------------------


def test_calibrators_of_other_networks_are_refused_in_one_line(tmp_path: Path) -> None:
    with folder_of() as shipped:
        for path in shipped.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    assert calibration.load(folder=tmp_path).keys() == set(MODULES)
    with (tmp_path / "aim.onnx").open("ab") as file:
        file.write(b"0")
    with pytest.raises(BadRecord, match="calibrators are of the networks") as refused:
        calibration.load(folder=tmp_path)
    assert networks_in(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)
    record = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    del record["networks"]
    (tmp_path / FILE).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(BadRecord, match="cannot be read"):
        calibration.load(folder=tmp_path)


def test_all_published_numbers_are_of_the_shipped_networks() -> None:
    networks = networks_in()
    calibration.load()
    models = json.loads((DOCS / "models.json").read_text(encoding="utf-8"))
    assert models["networks"][str(models["shipped"])] == networks, "run train.feeding.evaluate again"
    assert {row.networks for row in feeding_meals.read()} == {networks}, "eat again: examples.feeding_meals"


def test_meals_of_other_networks_do_not_count_as_eaten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules, eaten = Modules.load(), []

    def fake(order: Order, modules: Modules, calibrators: object) -> Served:
        eaten.append((modules.networks, order.seed))
        return Served(order=order, terms=MealTerms(networks=modules.networks), bites=(), seconds=0.0)

    monkeypatch.setattr(feeding_meals, "ROWS", tmp_path / "meals.csv")
    monkeypatch.setattr(feeding_meals, "meal", fake)
    for networks in ("old", "old", "new"):
        modules.networks = networks
        feeding_meals.run(feeding_meals.orders(2, 0, ["hard"], list(METHODS)[:1]), modules, {})
    first = feeding_meals.FIRST_SEED
    assert eaten == [(networks, seed) for networks in ("old", "new") for seed in (first, first + 1)]


def test_the_tables_of_many_meals_count_each_lost_bite_once() -> None:
    never = next(iter(METHODS))
    rows = [
        Row("n", "hard", "noodles", seed, never, 3, 4, 1, 0, 9, 0.0, 5.0, (str(LossCause.FOOD), str(LossCause.BOX)))
        for seed in range(4)
    ]
    assert [Row.read(dict(zip(COLUMNS, each.cells(), strict=True))) for each in rows] == rows
    text = "\n".join(tables(rows))
    assert "| hard | alone | 4 | 3.00 (3.00–3.00) | 4.00 | 1.00 | 0.00 | 9.00 | 0.00 | 5.00 |" in text
    assert "| hard | alone | 8 of 20 | 4 | 4 | 0 | 0 | 0 | 0 | 0 |" in text
    low, mean, high = sorted(interval([3.0, 5.0, 4.0, 4.0]))
    assert low < mean < high
