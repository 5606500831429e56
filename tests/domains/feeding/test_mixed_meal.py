"""A simulated bite with modules from everywhere: M1 and M3 at an endpoint, M2 shipped, M4 a function."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from handup.core import BadRecord, BadSetting, Box, ServerBusy
from handup.desk import SkippingClock
from handup.domains.feeding import PlateWorld, Skill, foods
from handup.domains.feeding.assembled import Assembled, ChoosesByEndpoint, NamesByEndpoint, assemble, check_modules
from handup.domains.feeding.calibration import Rows
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.module_outputs import ChoosesSkill, NamesFood, Picture
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import Order
from handup.domains.feeding.questions import HOW
from handup.journal import Journal
from handup.models import Endpoint
from tests.fakes.feeding import calibrators
from tests.models.toy import Handler, Toy, likes, options_of, picture_of, say, serving

PLATE = "savory salad"
SKEWER = f"skewer: {HOW[Skill.SKEWER]}"


def looks(handler: Handler, body: dict[str, Any]) -> None:
    """A model that likes lettuce, skewered."""
    of_skills = SKEWER in options_of(body).values()
    likes({SKEWER: 0.9} if of_skills else {"lettuce": 0.85, "chicken": 0.1})(handler, body)


def mixed(toy: Toy) -> Assembled:
    shipped = Modules.load()
    there = Endpoint(url=toy.url, model="toy", wait=lambda seconds: None)

    def around(rgb: Picture, box: Box, skill: Skill, *, seed: int) -> object:
        return [each.numbers for each in shipped.aim(rgb, box, skill, seed=seed).passes]

    names = NamesByEndpoint(endpoint=there, foods=("lettuce", "chicken", "cherry tomatoes"))
    return assemble(shipped, name=names, choose=ChoosesByEndpoint(endpoint=there), aim=around, version="1")


def test_the_endpoint_is_asked_about_foods_on_the_plate_and_skills_in_the_box() -> None:
    box, rgb = Box(left=0.25, top=0.25, right=0.5, bottom=0.5), np.zeros((48, 64, 3), np.uint8)
    with serving(looks) as toy:
        there = Endpoint(url=toy.url, model="toy")
        m1: NamesFood = NamesByEndpoint(endpoint=there, foods=tuple(foods()))
        m3: ChoosesSkill = ChoosesByEndpoint(endpoint=there)
        named, chosen = m1.name(rgb), m3.choose(rgb, "noodles", box)
    assert named.label == "lettuce"
    assert list(options_of(toy.asked[0]).values()) == list(foods()) == sorted(named.scores, key=list(foods()).index)
    assert chosen.skill is Skill.SKEWER
    assert chosen.scores == pytest.approx({Skill.SKEWER: 0.9, Skill.SCOOP: 0.05, Skill.TWIRL: 0.05})
    assert '"noodles"' in toy.asked[1]["messages"][1]["content"][0]["text"]
    picture = picture_of(toy.asked[1]).partition(",")[2]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).size == (25, 21), "only what is around the box"


@pytest.mark.parametrize("label", ["peas\nB) rice", "", "a" * 201, "chicken"])
def test_labels_that_are_no_line_or_equal_are_refused_before_anything_is_sent(label: str) -> None:
    there = Endpoint(url="http://127.0.0.1:9/v1", model="toy")
    with pytest.raises(BadSetting):
        NamesByEndpoint(endpoint=there, foods=("chicken", label))


def test_a_bite_is_taken_with_modules_from_everywhere(tmp_path: Path) -> None:
    with serving(looks) as toy:
        sees = mixed(toy)
        with (
            Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal,
            Meal(Order(plate=PLATE, bites=1, seed=4), journal, modules=sees, calibrators=calibrators()) as meal,
        ):
            check_modules(sees, meal.world.view().rgb)
            served = meal.eat([meal.simulated(accuracy=1.0)])
    [bite] = served.bites
    assert bite.got
    assert bite.food == "lettuce"
    assert served.terms.networks == sees.networks != Modules.load().networks
    assert len(toy.asked) >= 4, "the check's and the meal's"


def test_a_meal_that_was_begun_with_other_models_does_not_go_on_with_these(tmp_path: Path) -> None:
    order = Order(plate=PLATE, bites=1, seed=4)
    with serving(looks) as toy, Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal:
        with Meal(order, journal, modules=mixed(toy), calibrators=calibrators()) as meal:
            meal.eat([meal.simulated(accuracy=1.0)])
        with (
            Meal(order, journal, modules=Modules.load(), calibrators=calibrators()) as other,
            pytest.raises(BadRecord, match="networks"),
        ):
            other.eat([other.simulated(accuracy=1.0)])


def test_a_meal_whose_endpoint_goes_away_ends_with_an_error_and_goes_on_later(tmp_path: Path) -> None:
    order = Order(plate=PLATE, bites=2, seed=4)
    with serving(looks) as toy, Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal:
        sees = mixed(toy)

        def gone(bite: object) -> None:
            toy.replies[:] = [say(503, {})]

        with (
            Meal(order, journal, modules=sees, calibrators=calibrators()) as meal,
            pytest.raises(ServerBusy, match="is busy"),
        ):
            meal.eat([meal.simulated(accuracy=1.0)], told=gone)
        toy.replies[:] = [looks]
        with Meal(order, journal, modules=sees, calibrators=calibrators()) as again:
            served = again.eat([again.simulated(accuracy=1.0)])
        assert len(served.bites) == 2
        assert journal.verify().ok


def test_own_models_fill_calibration_rows() -> None:
    rows = Rows()
    with serving(looks) as toy:
        sees = mixed(toy)
        with PlateWorld(PLATE, seed=4, size=(320, 240)) as world:
            rows.add(world, sees)
    samples = rows.samples()
    assert set(samples) == {"food", "box", "skill", "params"}
    assert all(len(each.right) for each in samples.values())
