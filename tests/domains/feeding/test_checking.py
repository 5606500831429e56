"""The checker finds nothing wrong with what keeps the contract, and names every breach of what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from handup.core import Box, ContractViolation
from handup.domains.feeding import Params, PlateWorld, Skill
from handup.domains.feeding.assembled import check_modules, violations
from handup.domains.feeding.module_outputs import Aimed, Chosen, Found, NamedFood, Picture
from handup.domains.feeding.modules import Modules

RGB: Picture = np.full((12, 16, 3), 90, np.uint8)
MIDDLE = Params(0.4, 0.5, 0.6, 0.5)


class Sound:
    """Modules that keep the contract; each test spoils one of them."""

    foods: Any = ("chicken", "peas")

    def name(self, rgb: Picture) -> Any:
        return NamedFood("peas", {"peas": 0.9, "chicken": 0.2})

    def find(self, rgb: Picture, label: str) -> Any:
        return Found((Box(left=0.1, top=0.1, right=0.3, bottom=0.3),), (0.7,))

    def choose(self, rgb: Picture, label: str, box: Box) -> Any:
        return Chosen(Skill.SCOOP, {Skill.SCOOP: 0.8, Skill.SKEWER: 0.1, Skill.TWIRL: 0.1})

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Any:
        return Aimed(MIDDLE, 1e-4, (MIDDLE,) * 16)


def told(modules: object) -> list[str]:
    return [str(each) for each in violations(modules, RGB)]


def test_the_shipped_networks_keep_the_contract() -> None:
    with PlateWorld("noodles", seed=2, size=(320, 240)) as world:
        check_modules(Modules.load(), world.view().rgb)


def test_sound_modules_are_not_complained_of() -> None:
    assert told(Sound()) == []


def test_missing_methods_and_foods_are_all_named() -> None:
    found = told(object())
    assert [each.split()[0] for each in found] == ["all", "M1", "M2", "M3", "M4"]


@pytest.mark.parametrize("foods", [None, (), ["chicken"], ("peas", "peas"), ("peas",), ("", "peas"), (3, 4)])
def test_foods_are_a_tuple_of_labels_each_once(foods: Any) -> None:
    sees = Sound()
    sees.foods = foods
    assert [each.where for each in violations(sees, RGB)] == ["all"]


class Writes(Sound):
    def find(self, rgb: Picture, label: str) -> Any:
        rgb[:] = 0
        return super().find(rgb, label)


class Forgets(Sound):
    def name(self, rgb: Picture) -> Any:
        return NamedFood("peas", {"peas": 0.9})


class Disordered(Sound):
    def choose(self, rgb: Picture, label: str, box: Box) -> Any:
        return Chosen(Skill.SCOOP, {Skill.SKEWER: 0.1, Skill.SCOOP: 0.8, Skill.TWIRL: 0.1})


class WorstFirst(Sound):
    def find(self, rgb: Picture, label: str) -> Any:
        one, two = Box(left=0, top=0, right=0.1, bottom=0.1), Box(left=0.5, top=0.5, right=0.7, bottom=0.7)
        return Found((one, two), (0.1, 0.9))


class Picky(Sound):
    def find(self, rgb: Picture, label: str) -> Any:
        if label == "chicken":
            raise KeyError(label)
        return super().find(rgb, label)


class Restless(Sound):
    def __init__(self) -> None:
        self.random = np.random.default_rng(1)

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Any:
        return Aimed(MIDDLE, float(self.random.random()), (MIDDLE,))


class OneSkill(Sound):
    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Any:
        if skill is Skill.TWIRL:
            raise ValueError("I never learnt that")
        return super().aim(rgb, box, skill, seed=seed)


class Bare(Sound):
    def name(self, rgb: Picture) -> Any:
        return {"peas": 0.9}


class Sure(Sound):
    def choose(self, rgb: Picture, label: str, box: Box) -> Any:
        return Chosen(Skill.SCOOP, dict.fromkeys(Skill, 1.0))


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (Writes, "M2 changes the picture"),
        (Forgets, "M1 leaves options out"),
        (Disordered, "M3 leaves options out, or has not the best first"),
        (WorstFirst, "M2 leaves options out, or has not the best first"),
        (Picky, "M2 raises KeyError ('chicken') when given the picture, chicken"),
        (Restless, "M4 says two things with one seed"),
        (OneSkill, "M4 raises ValueError (I never learnt that)"),
        (Bare, "M1 gives a dict. Give a NamedFood, or use assemble."),
        (Sure, "M3 gives probabilities that add up to 3"),
    ],
)
def test_a_breach_is_named_once_and_explained(spoilt: type[Sound], said: str) -> None:
    [found] = told(spoilt())
    assert found.startswith(said)
    with pytest.raises(ContractViolation, match=f"{spoilt.__name__} breaks the contract of the four modules: .1. M"):
        check_modules(spoilt(), RGB)


def test_the_callers_picture_stays_as_it_is_whatever_a_module_does() -> None:
    mine = RGB.copy()
    violations(Writes(), mine)
    assert (mine == RGB).all()


def test_several_breaches_are_told_together() -> None:
    class Both(Writes, Restless):
        pass

    found = told(Both())
    assert len(found) == 2
    with pytest.raises(ContractViolation) as refused:
        check_modules(Both(), RGB)
    assert "(2) M4" in str(refused.value)
    assert "\n" not in str(refused.value)
