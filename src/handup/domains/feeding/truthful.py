"""What somebody would answer who sees the plate and knows how to eat: for simulated people."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from handup.core import Box, Value
from handup.domains.feeding.camera import Item
from handup.domains.feeding.foods import food
from handup.domains.feeding.judging import SAME_BOX, box_of, item_at, points_of
from handup.domains.feeding.peaks import overlap
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.world import World


def right_answer(
    world: World, module: str, said: Mapping[str, Value], tried: Collection[int | None] = frozenset()
) -> Value:
    """A right answer to the question about a module. Where the robot's food, box or skill is right, it is that one.

    Args:
        world: The plate as it is.
        module: `food`, `box`, `skill` or `params`.
        said: What the robot's modules say; earlier answers among them.
        tried: Items that were tried in vain: a sensible person points at another piece, or names another food.
    """
    items = world.truth()
    fresh = tuple(each for each in items if each.number not in tried or food(each.food).heap) or items
    match module:
        case "food":
            return _food(world, fresh, said.get("food"))
        case "box":
            return _box(fresh, said.get("food"), said.get("box"))
        case "skill":
            item = _meant(items, said)
            return said["skill"] if item is None or Skill(str(said["skill"])) in item.best else str(item.skill)
        case _:
            return _points(_meant(items, said), said)


def nothing_left(world: World) -> bool:
    """Whether no skill could pick anything any more: no piece is seen, and no heap holds a bite."""
    left = world.left()
    return not any(not food(each.food).heap or left[each.food] >= 1.0 for each in world.truth())


def _food(world: World, items: tuple[Item, ...], guess: Value | None) -> Value:
    """A food that is seen, and of which there is a bite: the robot's, or what there is most of."""
    left, seen = world.left(), {each.food for each in items}
    foods = [name for name in left if name in seen and left[name] >= 1.0] or sorted(seen) or list(left)
    return guess if guess in foods else max(foods, key=lambda name: left[name])


def _box(items: tuple[Item, ...], label: Value | None, guess: Value | None) -> Value:
    """The piece of the named food that the robot means, or the one that is seen best; of what is there, if none is."""
    named = [each for each in items if each.food == label] or list(items)
    if isinstance(guess, Box):
        meant = item_at(named, guess)
        if meant is not None and overlap(box_of(meant), guess) >= SAME_BOX:
            return guess
    if not named:
        return guess if guess is not None else Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
    return box_of(max(named, key=lambda each: each.pixels))


def _points(item: Item | None, said: Mapping[str, Value]) -> Value:
    """The best points: whoever taps, taps where they would go themselves."""
    if item is None:
        return said["params"]
    return points_of(item.best.get(Skill(str(said["skill"])), item.best[item.skill]))


def _meant(items: tuple[Item, ...], said: Mapping[str, Value]) -> Item | None:
    """What is in the robot's box: of the named food if possible."""
    box = said["box"]
    assert isinstance(box, Box)
    return item_at([each for each in items if each.food == said.get("food")], box) or item_at(items, box)
