"""Looks of a plate: lamps, colours, clutter, the camera's place and noise. Two distributions that share nothing.

`EASY` is what the robot's networks learn from. `HARD` has other colours of every food, other lamps, tables and plates,
clutter, and plates that somebody has already eaten from. They are read from `data/looks.yaml`; a test checks that they
do not overlap.
"""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handup.core import OutOfRange, UnknownName
from handup.core.files import shipped_data, shipped_records
from handup.domains.feeding.foods import Food, Range

Hsv = tuple[Range, Range, Range]
Rgb = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Lamp:
    """Family of lamps.

    Args:
        azimuth_deg: Direction in which it stands, counted from the picture's right.
        elevation_deg: Height at which it stands. Low ones cast long shadows.
        colour: Hue in degrees, saturation and value of its light.
        ambient: Share of light that comes from everywhere.
    """

    azimuth_deg: Range
    elevation_deg: Range
    colour: Hsv
    ambient: Range


@dataclass(frozen=True, kw_only=True)
class Looks:
    """Distribution over looks.

    Args:
        name: `easy` or `hard`: the colours of the food table that are taken.
        lamps: Lamps, one of them drawn.
        tables: Colours of the table, one of them drawn.
        plates: Colours of the plate, one of them drawn.
        clutter: Number of things that lie about and are no food.
        eaten: Share of the plate that is gone already.
        camera_mm: Standard deviation of the camera's place; the robot knows where it is.
        camera_deg: Standard deviation of its angles.
        noise: Standard deviation of a pixel, of 255.
        gain: Exposure of the camera.
        tint: Standard deviation of its white balance.
    """

    name: str
    lamps: tuple[Lamp, ...]
    tables: tuple[Hsv, ...]
    plates: tuple[Hsv, ...]
    clutter: tuple[int, int] = (0, 0)
    eaten: Range = (0.0, 0.0)
    camera_mm: float = 5.0
    camera_deg: float = 0.4
    noise: float = 2.0
    gain: Range = (0.95, 1.05)
    tint: float = 0.01

    def __post_init__(self) -> None:
        if self.name not in {"easy", "hard"}:
            must = "be easy or hard"
            raise UnknownName.of("name of looks", repr(self.name), must, hint="Choose one: the food table has these.")
        if not 0.0 <= self.eaten[0] <= self.eaten[1] <= 0.8:
            raise OutOfRange.of("eaten share", self.eaten, "be a range within 0 and 0.8", hint="Give such a range.")

    def draw(self, random: np.random.Generator) -> DrawnLook:
        """Draw one look."""
        lamp = self.lamps[int(random.integers(len(self.lamps)))]
        return DrawnLook(
            azimuth_deg=_uniform(random, lamp.azimuth_deg),
            elevation_deg=_uniform(random, lamp.elevation_deg),
            light=colour_in(lamp.colour, random),
            ambient=_uniform(random, lamp.ambient),
            table=colour_in(self.tables[int(random.integers(len(self.tables)))], random),
            plate=colour_in(self.plates[int(random.integers(len(self.plates)))], random),
            clutter=int(random.integers(self.clutter[0], self.clutter[1] + 1)),
            eaten=_uniform(random, self.eaten),
            camera_m=_three(random.normal(0.0, self.camera_mm / 1000.0, 3)),
            camera_deg=_three(random.normal(0.0, self.camera_deg, 3)),
            noise=self.noise,
            gain=_uniform(random, self.gain),
            tint=_three(1.0 + random.normal(0.0, self.tint, 3)),
        )

    def food_colour(self, food: Food, random: np.random.Generator) -> Rgb:
        """Draw one colour of a food."""
        return colour_in(food.colours(self.name), random)


@dataclass(frozen=True)
class Kitchen:
    """One home: its lamp, table, china, camera and groceries look the same at every meal.

    Counts, places, clutter, what is eaten already, where the camera hangs and its noise are each meal's own.

    Args:
        looks: Looks that homes may have.
        number: Number of the home.
    """

    looks: Looks
    number: int

    def draw(self, random: np.random.Generator) -> DrawnLook:
        """Draw the look of one meal in this home."""
        meal, home = self.looks.draw(random), self.looks.draw(self.random("look"))
        return replace(home, clutter=meal.clutter, eaten=meal.eaten, camera_m=meal.camera_m, camera_deg=meal.camera_deg)

    def food_colour(self, food: Food, random: np.random.Generator) -> Rgb:
        """Return the colour that a food always has here."""
        return self.looks.food_colour(food, self.random(food.name))

    def random(self, what: str) -> np.random.Generator:
        """Return a generator that is the same at every meal in this home, for one purpose."""
        return np.random.default_rng((self.number, 6, zlib.crc32(what.encode())))


@dataclass(frozen=True, kw_only=True)
class DrawnLook:
    """One drawn look; the fields are those of `Looks` and `Lamp`."""

    azimuth_deg: float
    elevation_deg: float
    light: Rgb
    ambient: float
    table: Rgb
    plate: Rgb
    clutter: int
    eaten: float
    camera_m: Rgb
    camera_deg: Rgb
    noise: float
    gain: float
    tint: Rgb


def exposed(colours: NDArray[np.uint8], look: DrawnLook, random: np.random.Generator) -> NDArray[np.uint8]:
    """Return a picture with a look's exposure, white balance and noise."""
    noise = look.noise * random.standard_normal(colours.shape[:2], dtype=np.float32)[..., None]
    balance = (look.gain * np.array(look.tint)).astype(np.float32)
    seen: NDArray[np.uint8] = np.clip(colours * balance + noise, 0.0, 255.0).astype(np.uint8)
    return seen


def colour_in(box: Hsv, random: np.random.Generator) -> Rgb:
    """Draw a colour within ranges of hue (degrees), saturation and value."""
    hue, saturation, value = (_uniform(random, limits) for limits in box)
    return colorsys.hsv_to_rgb((hue % 360.0) / 360.0, saturation, value)


def _uniform(random: np.random.Generator, limits: Range) -> float:
    return float(random.uniform(*limits))


def _three(numbers: Sequence[float] | np.ndarray) -> Rgb:
    first, second, third = (float(number) for number in numbers)
    return first, second, third


LOOKS: Mapping[str, Looks] = shipped_records(Looks, shipped_data(__file__, "data/looks.yaml"))
EASY, HARD = LOOKS["easy"], LOOKS["hard"]


def looks_of(looks: Looks | str) -> Looks:
    """Return the looks of this name, or the looks themselves.

    Raises:
        UnknownName: There are none.
    """
    if isinstance(looks, Looks):
        return looks
    if looks not in LOOKS:
        raise UnknownName.of("looks", repr(looks), f"be one of {', '.join(LOOKS)}", hint="Choose one of them.")
    return LOOKS[looks]
