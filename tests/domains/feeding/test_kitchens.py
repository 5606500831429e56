"""Kitchens: what stays the same in one home from meal to meal, what does not, and that without one nothing changed."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadRecord, BadSetting
from handup.domains.feeding import EASY, HARD, PLATES, PlateWorld, food
from handup.domains.feeding.household import next_meal, terms_of
from handup.domains.feeding.looks import Kitchen
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.order import MealOrdered, MealTerms, Order, begin
from handup.domains.feeding.scene import lay, serve
from handup.domains.runs import end_task
from handup.journal import Journal
from tests.fakes.feeding import Oracle, calibrators

SMALL = (160, 120)
MEALS_OWN = {"clutter", "eaten", "camera_m", "camera_deg"}
HOME = 267_000
BEFORE_KITCHENS = {
    ("savory salad", 3, "easy"): "20c19839988bc056",
    ("thanksgiving", 7, "hard"): "3967ded2dd54f1ab",
    ("noodles", 11, "hard"): "4fa7a8e6577ebe19",
}
"""A hash of the look and of all that was laid, from before there were kitchens."""


def laid_of(plate: str, seed: int, looks: str) -> str:
    """What is drawn for a plate in no kitchen."""
    random = np.random.default_rng((seed, 1))
    of = HARD if looks == "hard" else EASY
    look = of.draw(random)
    pieces, heaps = lay(PLATES[plate], of, look, random)
    told: list[Any] = [asdict(look)]
    told += [[each.food.name, each.half_m.tolist(), list(each.at_m), each.yaw, list(each.colour)] for each in pieces]
    told += [[heap.food.name, heap.heights_m.tolist(), list(colour)] for heap, colour in heaps]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("plate", "seed", "looks"), BEFORE_KITCHENS)
def test_without_a_kitchen_everything_is_drawn_as_before(plate: str, seed: int, looks: str) -> None:
    assert laid_of(plate, seed, looks) == BEFORE_KITCHENS[plate, seed, looks]
    of = HARD if looks == "hard" else EASY
    look, scene = serve(PLATES[plate], of, seed=seed, kitchen=None)
    assert look == of.draw(np.random.default_rng((seed, 1)))
    with PlateWorld(plate, seed=seed, looks=looks, size=SMALL) as world:
        assert world.look == look and len(scene.pieces) == len(world._scene.pieces)
        assert set(world.save()["of"]) == {"plate", "pieces", "seed", "looks"}


@pytest.mark.parametrize("looks", [EASY, HARD])
def test_in_one_home_only_what_is_a_meals_own_differs(looks: object) -> None:
    of = HARD if looks is HARD else EASY
    home, next_door = Kitchen(of, HOME), Kitchen(of, HOME + 20)
    monday, tuesday = (asdict(home.draw(np.random.default_rng(seed))) for seed in (1, 2))
    other = asdict(next_door.draw(np.random.default_rng(1)))
    assert {name for name in monday if monday[name] != tuesday[name]} == MEALS_OWN - (
        {"eaten", "clutter"} if of is EASY else set()
    )
    assert {name for name in monday if monday[name] != other[name]} >= {"light", "table", "plate", "gain", "tint"}
    assert {name for name in monday if monday[name] != other[name]}.isdisjoint(MEALS_OWN)
    chicken = food("chicken")
    colours = {each.food_colour(chicken, np.random.default_rng(seed)) for each in (home, next_door) for seed in (1, 2)}
    assert len(colours) == 2


def test_meals_at_home_lie_differently_and_foods_keep_their_colours() -> None:
    def colours(seed: int, kitchen: int) -> tuple[dict[str, np.ndarray], list[float]]:
        with PlateWorld("savory salad", seed=seed, looks=HARD, size=SMALL, kitchen=kitchen) as world:
            model, pieces = world._scene.model, world._scene.pieces
            names = {each.food.name for each in pieces}
            seen = {
                name: np.mean([model.geom_rgba[each.seen][:3] for each in pieces if each.food.name == name], axis=0)
                for name in names
            }
            return seen, world.save()["state"]

    (one, state), (two, other), (away, _) = colours(1, HOME), colours(2, HOME), colours(1, HOME + 20)
    assert state != other
    for name, colour in one.items():
        assert colour == pytest.approx(two[name], rel=0.08)
    assert any(colour != pytest.approx(away[name], rel=0.08) for name, colour in one.items())


def test_a_plate_is_saved_with_its_kitchen() -> None:
    with PlateWorld("noodles", seed=5, looks=HARD, size=SMALL, kitchen=HOME) as world:
        record, seen = world.save(), world.view().rgb
    with PlateWorld("noodles", seed=5, looks=HARD, size=SMALL, kitchen=HOME) as again:
        again.load(record)
        assert np.array_equal(again.view().rgb, seen)
    for other in (HOME + 1, None):
        with PlateWorld("noodles", seed=5, looks=HARD, size=SMALL, kitchen=other) as world:
            assert not np.array_equal(world.view().rgb, seen)
            with pytest.raises(BadRecord, match="must be of this world"):
                world.load(record)


def test_no_kitchen_has_a_number_below_0() -> None:
    with pytest.raises(BadSetting, match="kitchen must be a whole number from 0 on, got -1"):
        PlateWorld("noodles", seed=5, kitchen=-1)


def test_an_order_keeps_its_kitchen_and_goes_on_only_there(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "m.db") as journal:
        assert next_meal(journal, Order(kitchen=3), MealTerms()).order.kitchen == 3
        assert next_meal(journal, Order(kitchen=3), MealTerms()).goes_on
        with pytest.raises(BadRecord, match="kitchen 3, not 4"):
            next_meal(journal, Order(kitchen=4), MealTerms())
        with pytest.raises(BadRecord, match="kitchen 3, not not set"):
            next_meal(journal, Order(), MealTerms())


def test_all_meals_of_a_store_may_be_in_one_home(tmp_path: Path) -> None:
    """The home is that of the first meal; later plates are others, and an unfinished one stays where it is."""
    with Journal.open(tmp_path / "m.db") as journal:
        old = next_meal(journal, Order(seed=3), MealTerms()).order
        assert next_meal(journal, Order(seed=3), MealTerms(), own_kitchen=True).order.kitchen is None, "it goes on"
        end_task(journal, old.name, {})
        served = []
        for _ in range(3):
            served.append(next_meal(journal, Order(seed=3), MealTerms(), own_seed=True, own_kitchen=True).order)
            assert next_meal(journal, Order(seed=3), MealTerms(), own_seed=True, own_kitchen=True).goes_on
            end_task(journal, served[-1].name, {})
        assert [(each.seed, each.kitchen) for each in served] == [(4, 4), (5, 4), (6, 4)]
        named = next_meal(journal, Order(seed=3, kitchen=9), MealTerms(), own_seed=True).order
        assert named.kitchen == 9


def test_the_terms_of_a_meal_that_goes_on_are_known(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "m.db") as journal:
        assert terms_of(journal) is None
        terms = MealTerms(memory=True, memory_store="home.db")
        order = next_meal(journal, Order(), terms).order
        assert terms_of(journal) == terms
        assert terms_of(journal, new=True) is None
        end_task(journal, order.name, {})
        assert terms_of(journal) is None
        assert terms_of(journal, again=True) == terms


def test_an_order_without_a_kitchen_is_written_as_before_and_an_old_one_goes_on(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "m.db") as journal:
        begin(journal, Order(), MealTerms())
        [entry] = journal.read()
        assert isinstance(entry.event, MealOrdered)
        assert "kitchen" not in entry.event.order
        begin(journal, Order(), MealTerms())
        with pytest.raises(BadRecord, match="kitchen not set, not 1"):
            begin(journal, Order(kitchen=1), MealTerms())


def test_a_meal_is_eaten_in_its_kitchen(tmp_path: Path) -> None:
    order = Order(kitchen=HOME, looks="hard")
    with (
        Journal.open(tmp_path / "m.db") as journal,
        Meal(order, journal, modules=Oracle(PlateWorld.__new__(PlateWorld)), calibrators=calibrators()) as meal,
    ):
        assert meal.world.kitchen == HOME
