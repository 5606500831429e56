"""Lays a table: draws sizes, colours and places of all foods of a plate, and builds it."""

from __future__ import annotations

import numpy as np

from handup.core import BadSetting
from handup.domains.feeding.foods import Food, food
from handup.domains.feeding.heap import Heap
from handup.domains.feeding.looks import Kitchen, Look, Looks, Rgb
from handup.domains.feeding.plates import Plate
from handup.domains.feeding.scene import FLAT_M, Laid, Scene, build

FEWEST_BITES = 7
"""A plate that is eaten from already still has so many pieces or spoonfuls."""
TRIES = 60


def serve(plate: Plate, looks: Looks, *, seed: int, kitchen: int | None) -> tuple[Look, Scene]:
    """One meal's look, and the plate as it is served with it.

    Args:
        plate: What is served.
        looks: How it may look.
        seed: What is this meal's own.
        kitchen: The home whose look it has; None: everything is this meal's own.
    """
    random = np.random.default_rng((seed, 1))
    home = None if kitchen is None else Kitchen(looks, kitchen)
    look = (home or looks).draw(random)
    laid, heaps = lay(plate, home or looks, look, random)
    return look, build(laid, heaps, look, random, table=random if home is None else home.random("table"))


def check_numbers(**numbers: int) -> None:
    """Refuse what no chance can come from.

    Raises:
        BadSetting: One is no whole number from 0 on.
    """
    for what, number in numbers.items():
        if not isinstance(number, int | np.integer) or number < 0:
            raise BadSetting(f"{what} is {number}", hint="Give a whole number from 0 on.")


def lay(
    plate: Plate, looks: Looks | Kitchen, look: Look, random: np.random.Generator
) -> tuple[list[Laid], list[tuple[Heap, Rgb]]]:
    """Heaps first, then the pieces around them, large before small. What nobody has room for is not served."""
    served = plate.served(random)
    heaps: list[tuple[Heap, Rgb]] = []
    taken: list[tuple[float, float, float, float]] = []
    for name in served:
        if food(name).heap:
            heap, radius = _heap(food(name), len(heaps), random)
            _half_eaten(heap, look.eaten, random)
            heaps.append((heap, looks.food_colour(heap.food, random)))
            taken.append((heap.x_m, heap.y_m, radius, 0.0))
    colours = {name: looks.food_colour(food(name), random) for name in served}
    pieces = [name for name, count in served.items() if not food(name).heap for _ in range(count)]
    pieces.sort(key=lambda name: -food(name).size_mm[0][1] * food(name).size_mm[1][1])
    laid = []
    for name in pieces:
        kind = food(name)
        half = np.array([random.uniform(*each) for each in kind.size_mm]) / 2000.0
        if kind.shape == "ball":
            half[:] = half.mean()
        spot = _spot(half, kind, taken, random)
        if spot is None:
            continue
        tint = np.clip(np.array(colours[name]) * random.normal(1.0, 0.03), 0.0, 1.0)  # lighter or darker, same hue
        at = (spot[0], spot[1], spot[2] + float(half[2]) + 0.002)
        colour = (float(tint[0]), float(tint[1]), float(tint[2]))
        laid.append(Laid(food=kind, half_m=half, at_m=at, yaw=spot[3], colour=colour))
    keep = max(FEWEST_BITES - 3 * len(heaps), round((1.0 - look.eaten) * len(laid)))
    kept = sorted(random.permutation(len(laid))[:keep]) if keep < len(laid) else range(len(laid))
    return [laid[index] for index in kept], heaps


def _heap(kind: Food, index: int, random: np.random.Generator) -> tuple[Heap, float]:
    """The first heap somewhere left of the middle, the second opposite."""
    radius = kind.size_mm[0][1] / 2000.0
    out = max(0.0, min(0.045, FLAT_M + 0.006 - radius))
    angle = random.uniform(0.0, 2.0 * np.pi) if index == 0 else np.pi + random.uniform(-0.3, 0.3)
    return Heap.served(kind, float(out * np.cos(angle)), float(out * np.sin(angle)), random), radius


def _half_eaten(heap: Heap, eaten: float, random: np.random.Generator) -> None:
    """Spoonfuls that somebody took before."""
    goal = (1.0 - eaten) * heap.served_ml
    for _ in range(12):
        if heap.volume_ml <= goal:
            break
        middle, angle = np.array([heap.x_m, heap.y_m]), random.uniform(0.0, 2.0 * np.pi)
        inwards = np.array([np.cos(angle), np.sin(angle)])
        aside = np.array([-inwards[1], inwards[0]]) * random.uniform(-0.4, 0.4) * heap.half_m
        start = middle + aside - heap.half_m * inwards
        _, amounts = heap.swept_ml(start, start + 0.045 * inwards, half_width_m=0.013, floor_m=0.002)
        heap.take(amounts, 9.0)


def _spot(
    half: np.ndarray, kind: Food, taken: list[tuple[float, float, float, float]], random: np.random.Generator
) -> tuple[float, float, float, float] | None:
    """A free place: x, y, height to drop from, yaw. Leaves may be lain upon; long pieces take room along them."""
    leaf, long = kind.shape == "leaf", kind.shape == "bean"
    lie_upon = float(half[2]) if leaf else 0.0
    for attempt in range(TRIES):
        radius = (FLAT_M - (0.55 * half[0] if long or leaf else half[0])) * np.sqrt(random.uniform(0.0, 1.0))
        angle, yaw = random.uniform(0.0, 2.0 * np.pi), random.uniform(0.0, np.pi)
        x, y = float(radius * np.cos(angle)), float(radius * np.sin(angle))
        along = np.linspace(-1.0, 1.0, 5) * (half[0] - half[1]) if long else np.zeros(1)
        discs = [
            (x + float(each * np.cos(yaw)), y + float(each * np.sin(yaw)),
             float(half[1] * 1.1 if long else half[:2].mean() * (0.72 if leaf else 1.08)), lie_upon)
            for each in along
        ]  # fmt: skip
        if any(np.hypot(px, py) > FLAT_M + 0.012 for px, py, _, _ in discs):
            continue
        squeeze = 1.0 - 0.25 * attempt / TRIES
        hit = [other for other in taken for each in discs
               if np.hypot(other[0] - each[0], other[1] - each[1]) < squeeze * (other[2] + each[2])]  # fmt: skip
        if all(other[3] > 0.0 for other in hit) and len({other[:2] for other in hit}) <= 1:
            taken.extend(discs)
            return x, y, 2.0 * max((other[3] for other in hit), default=0.0), yaw
    return None
