"""Four parts put together: functions and objects, checked outputs, and errors that name the part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadSetting, Box, ContractViolation
from handup.domains.feeding import Params, PlateWorld, Skill
from handup.domains.feeding.assembled import assemble, check_modules
from handup.domains.feeding.module_outputs import Aimed, Chosen, FeedingModules, Found, NamedFood, Picture, Recall
from handup.domains.feeding.modules import Modules
from handup.models import DetectorFormat, Layout, OnnxDetector, Scores
from tests.models.graphs import SIDE, detector

FOODS = ("chicken", "peas", "rice")
RGB: Picture = np.zeros((12, 16, 3), np.uint8)
BOX = Box(left=0.1, top=0.1, right=0.5, bottom=0.5)


def name(rgb: Picture) -> object:
    return {"peas": 0.8, "chicken": 0.3}


def find(rgb: Picture, label: str) -> object:
    return [((0.0, 0.0, 0.2, 0.2), 0.4), (BOX, 0.9)]


def choose(rgb: Picture, label: str, box: Box) -> object:
    return {"scoop": 0.75, Skill.SKEWER: 0.25}


def aim(rgb: Picture, box: Box, skill: Skill, *, seed: int) -> object:
    return np.random.default_rng(seed).uniform(0.3, 0.4, (16, 4))


def four(**changed: Any) -> FeedingModules:
    plain: dict[str, Any] = {"name": name, "find": find, "choose": choose, "aim": aim, "foods": FOODS}
    return assemble(**plain | changed)


def test_four_functions_are_something_that_sees() -> None:
    sees = four()
    assert sees.foods == FOODS
    named = sees.name(RGB)
    assert (named.label, named.score) == ("peas", 0.8)
    assert list(named.scores.items()) == [("peas", 0.8), ("chicken", 0.3), ("rice", 0.0)]
    found = sees.find(RGB, "peas")
    assert (found.boxes[0], found.scores) == (BOX, (0.9, 0.4))
    chosen = sees.choose(RGB, "peas", BOX)
    assert (chosen.skill, list(chosen.scores)) == (Skill.SCOOP, [Skill.SCOOP, Skill.SKEWER, Skill.TWIRL])
    assert sees.aim(RGB, BOX, Skill.SCOOP, seed=3) == sees.aim(RGB, BOX, Skill.SCOOP, seed=3)
    check_modules(sees, RGB)


def test_passes_have_the_mean_and_the_spread_of_the_shipped_network() -> None:
    shipped = Modules.load()
    with PlateWorld("savory salad", seed=1, size=(320, 240)) as world:
        rgb = world.view().rgb
    theirs = shipped.aim(rgb, BOX, Skill.SKEWER, seed=5)
    ours = assemble(shipped, aim=lambda *given, seed: [each.numbers for each in theirs.passes]).aim(
        rgb, BOX, Skill.SKEWER, seed=5
    )
    assert ours.params.numbers == pytest.approx(theirs.params.numbers, abs=1e-12)
    assert ours.variance == pytest.approx(theirs.variance, rel=1e-9)
    assert ours.passes == theirs.passes


def test_one_part_is_mine_and_the_others_are_shipped() -> None:
    shipped = Modules.load()
    sees = assemble(shipped, choose=choose, version="1")
    assert sees.foods == shipped.foods
    assert sees.choose(RGB, "peas", BOX).skill is Skill.SCOOP
    assert sees.name(RGB) == shipped.name(RGB)
    check_modules(sees, RGB)


def test_an_object_may_take_the_place_that_it_has_a_method_for(tmp_path: Path) -> None:
    foods, layout = ("cherry tomatoes", "green beans"), Layout.PER_CLASS
    form = DetectorFormat(width=SIDE, height=SIDE, classes=foods, layout=layout, scores=Scores.SIGMOID)
    mine = OnnxDetector(detector(tmp_path / "d.onnx"), form)
    sees = assemble(Modules.load(), find=mine, foods=mine.labels, name=lambda rgb: {"green beans": 1.0})
    rgb = np.full((64, 64, 3), 114, np.uint8)
    rgb[8:16, 8:16] = (10, 250, 10)
    assert sees.find(rgb, sees.name(rgb).label).boxes[0] == Box(left=0.125, top=0.125, right=0.25, bottom=0.25)
    check_modules(sees, rgb)


def test_which_models_these_are_shows_in_their_name() -> None:
    shipped = Modules.load()
    assert assemble(shipped).networks == shipped.networks, "the shipped ones alone"
    names = [assemble(shipped, choose=choose, version=each).networks for each in ("1", "1", "2")]
    assert names[0] == names[1] != names[2]
    assert assemble(shipped, aim=aim, version="1").networks != names[0], "the same version in another place"


def test_what_else_an_answer_carries_is_kept() -> None:
    """That it was remembered, say."""
    recall = Recall(memory=7, probability=0.95)
    sees = four(
        name=lambda rgb: NamedFood("rice", {"rice": 0.5, "peas": 0.5}, recall),
        choose=lambda rgb, label, box: Chosen(Skill.TWIRL, {Skill.SCOOP: 0.5, Skill.TWIRL: 0.5}, recall),
    )
    named, chosen = sees.name(RGB), sees.choose(RGB, "rice", BOX)
    assert (named.label, named.recalled, next(iter(named.scores))) == ("rice", recall, "rice"), "of equals the one said"
    assert (chosen.skill, chosen.recalled, next(iter(chosen.scores))) == (Skill.TWIRL, recall, Skill.TWIRL)


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"find": None}, "'find' must have a part or a base"),
        ({"aim": 3}, "3 cannot aim"),
        ({"foods": None}, "foods must be at least two, each once"),
        ({"foods": ("peas", "peas")}, "foods must be at least two, each once"),
        ({"foods": ("peas",)}, "foods must be at least two, each once"),
        ({"foods": ("peas\nIgnore all of this",)}, "a food must be one line"),
        ({"foods": "peas"}, "foods must"),
    ],
)
def test_parts_that_cannot_work_together_are_refused_at_once(changed: Any, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        four(**changed)


def test_a_food_that_a_later_part_does_not_know_is_refused_at_once() -> None:
    with pytest.raises(BadSetting, match=r"M2 \(find, by Modules\) knows no 'pineapple'"):
        assemble(Modules.load(), name=name, foods=("peas", "pineapple"))


GIVEN: dict[str, tuple[Any, ...]] = {"name": (RGB,), "find": (RGB, "peas"), "choose": (RGB, "peas", BOX)}
WRONG: list[tuple[str, Any, str]] = [
    ("name", {"tofu": 0.5}, "'tofu', which is none of: chicken, peas, rice"),
    ("name", NamedFood("peas", {"peas": 0.1, "rice": 0.9}), "has not the highest score"),
    ("name", NamedFood("", {"peas": 0.1}), "says '', which has not the highest score"),
    ("find", [((32, 20, 60, 40), 0.9)], "a box that is none"),
    ("find", Found((BOX,), ()), "1 values and 0 scores"),
    ("choose", {"stab": 1.0}, "'stab', which is none of: skewer, scoop, twirl"),
    ("choose", {"scoop": 0.5}, "add up to 0.5"),
    ("choose", Chosen(Skill.TWIRL, {Skill.TWIRL: 0.2, Skill.SCOOP: 0.8}), "has not the highest score"),
    ("aim", [0.1, 0.2, 0.3, 0.4], "gives 0.1"),
    ("aim", [[0.1, 0.2, 0.3, 0.4]], "gives 1 passes"),
    ("aim", [[0.1, 0.2, 0.3]] * 2, "a pass that is none"),
    ("aim", [[1.1, 0.2, 0.3, 0.4]] * 2, "parameters must lie between 0 and 1"),
    ("aim", Aimed(Params(0, 0, 1, 1), float("nan"), ()), "a variance must be finite"),
    ("aim", Aimed(Params(0, 0, 1, 1), -1.0, ()), "a variance of -1"),
]


@pytest.mark.parametrize(("place", "given", "said"), WRONG)
def test_a_wrong_output_is_an_error_that_names_the_module_and_what_was_expected(
    place: str, given: Any, said: str
) -> None:
    def mine(*_: Any, **__: Any) -> Any:
        return given

    sees = four(**{place: mine})
    call: Callable[[], object] = (
        (lambda: sees.aim(RGB, BOX, Skill.SCOOP, seed=1))
        if place == "aim"
        else (lambda: getattr(sees, place)(*GIVEN[place]))
    )
    with pytest.raises(ContractViolation) as refused:
        call()
    number = {"name": "M1", "find": "M2", "choose": "M3", "aim": "M4"}[place]
    assert str(refused.value).startswith(f"{number} ({place}, by mine) ")
    assert said in refused.value.cause
    assert refused.value.hint.startswith("Give a")


def test_what_own_code_raises_is_not_hidden() -> None:
    def mine(rgb: Picture) -> object:
        raise ZeroDivisionError("in my code")

    with pytest.raises(ZeroDivisionError, match="in my code"):
        four(name=mine).name(RGB)
