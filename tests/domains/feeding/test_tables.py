"""Foods, plates and looks: the data is sound, and easy and hard share nothing."""

import itertools

import numpy as np
import pytest

from handup.core import BadSetting
from handup.domains.feeding import EASY, HARD, PLATES, Params, Plate, Skill, food, foods, plate, random_plate
from handup.domains.feeding.foods import Range


def apart(one: tuple[Range, ...], two: tuple[Range, ...]) -> bool:
    """Whether two boxes have no point in common."""
    return any(a[1] < b[0] or b[1] < a[0] for a, b in zip(one, two, strict=True))


def test_some_foods_fit_two_skills_and_every_skill_is_needed() -> None:
    assert any(len(each.skills) > 1 for each in foods().values())
    assert {each.skills[0] for each in foods().values()} == set(Skill)


def test_no_food_has_a_colour_that_is_easy_and_hard() -> None:
    assert [name for name, each in foods().items() if not apart(each.easy, each.hard)] == []


def test_easy_and_hard_share_no_lamp_table_or_plate() -> None:
    for one, two in itertools.product(EASY.lamps, HARD.lamps):
        assert apart((one.azimuth_deg, one.elevation_deg), (two.azimuth_deg, two.elevation_deg))
        assert apart(one.colour, two.colour)
    assert all(apart(one, two) for one, two in itertools.product(EASY.tables, HARD.tables))
    assert all(apart(one, two) for one, two in itertools.product(EASY.plates, HARD.plates))


def test_the_papers_plates_are_there() -> None:
    assert set(PLATES["savory salad"].pieces) == {"chicken", "lettuce", "cherry tomatoes"}
    assert set(PLATES["thanksgiving"].pieces) == {"chicken", "green beans", "mashed potatoes"}
    assert set(PLATES["mixed salad"].pieces) == {"watermelon", "cantaloupe", "honeydew", "green beans"}


def test_random_plates_follow_their_seed_and_hold_what_they_must() -> None:
    assert random_plate(3) == random_plate(3)
    assert len({tuple(random_plate(seed).pieces) for seed in range(20)}) > 10
    assert all("peas" in random_plate(seed, must="peas").pieces for seed in range(10))


def test_a_plate_serves_within_its_range() -> None:
    served = [PLATES["savory salad"].served(np.random.default_rng(seed)) for seed in range(20)]
    assert {each["chicken"] for each in served} == {5, 6}


@pytest.mark.parametrize(
    "make",
    [
        lambda: plate("soup"),
        lambda: food("gravel"),
        lambda: Plate("none", {}),
        lambda: Plate("two heaps of peas", {"peas": (1, 2)}),
        lambda: Params(0.1, 0.2, 1.3, 0.4),
        lambda: Params(0.1, float("nan"), 0.3, 0.4),
    ],
)
def test_what_cannot_be_is_refused(make: object) -> None:
    with pytest.raises(BadSetting):
        make()  # type: ignore[operator]


def test_predictions_are_brought_into_the_picture() -> None:
    assert Params.within([-0.2, 0.5, 1.4, 0.1]) == Params(0.0, 0.5, 1.0, 0.1)
