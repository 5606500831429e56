"""The simulated feeding robot: plates of food in a physics simulation, a camera, a fork and three skills.

`PlateWorld` takes a `Skill` with its `Params` and gives a `SkillExecution`. Needs the extra `sim`.
"""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.domains.feeding.camera import Item, Seen
from handup.domains.feeding.film import Film
from handup.domains.feeding.foods import PLATES, Food, Plate, food, foods, plate, random_plate
from handup.domains.feeding.looks import EASY, HARD, LOOKS, Looks
from handup.domains.feeding.skills import Params, Skill, SkillExecution
from handup.domains.feeding.world import PlateView, PlateWorld

__all__ = [
    "EASY",
    "HARD",
    "LOOKS",
    "PLATES",
    "Film",
    "Food",
    "Item",
    "Looks",
    "Params",
    "Plate",
    "PlateView",
    "PlateWorld",
    "Seen",
    "Skill",
    "SkillExecution",
    "food",
    "foods",
    "plate",
    "random_plate",
]

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
