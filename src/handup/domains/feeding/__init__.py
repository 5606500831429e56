"""The simulated feeding robot: plates of food in a physics simulation, a camera, a fork and three skills.

`World` is the door; `Skill` and `Params` are what it is told, `Execution` is what comes of it. Needs the extra `sim`.
"""

from handup.domains.feeding.camera import Item, Seen
from handup.domains.feeding.film import Film
from handup.domains.feeding.foods import PLATES, Food, Plate, food, foods, plate, random_plate
from handup.domains.feeding.looks import EASY, HARD, LOOKS, Looks
from handup.domains.feeding.skills import Execution, Params, Skill
from handup.domains.feeding.world import View, World

__all__ = [
    "EASY",
    "HARD",
    "LOOKS",
    "PLATES",
    "Execution",
    "Film",
    "Food",
    "Item",
    "Looks",
    "Params",
    "Plate",
    "Seen",
    "Skill",
    "View",
    "World",
    "food",
    "foods",
    "plate",
    "random_plate",
]
