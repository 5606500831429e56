"""Textures of the foods as small pictures in shades around white: the colour itself comes from the piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Picture = NDArray[np.uint8]
Shades = NDArray[np.float64]
SIZE = 96
HEAP_SIZE = 256


def texture(name: str, random: np.random.Generator, *, grain_deg: float = 0.0) -> Picture:
    """A picture to multiply a food's colour with.

    Args:
        name: One of the table's textures.
        random: Where its details come from.
        grain_deg: The direction of strands.
    """
    if name in {"strands", "shreds"}:
        return _strands(random, grain_deg, carrot=name == "shreds")
    if name in {"cream", "grains", "pellets"}:
        return _heap(name, random)
    shade = 0.90 + 0.10 * _noise(random, SIZE, 6.0)
    rgb = np.repeat(shade[..., None], 3, axis=-1)
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    if name == "fibres":
        fibres = gaussian_filter(random.normal(size=(SIZE, SIZE)), (0.8, 5.0), mode="wrap")
        brown = np.clip(1.6 * _noise(random, SIZE, 7.0) - 0.1, 0.0, 1.0)[..., None]
        rgb = (0.95 + 0.035 * fibres / fibres.std())[..., None] * (1.0 - brown * np.array([0.26, 0.42, 0.52]))
    elif name == "seeds":
        rgb = _dotted(rgb, random, 16, 0.030, (0.16, 0.10, 0.08))
    elif name == "pips":
        rgb = _dotted(rgb, random, 60, 0.016, (1.0, 0.95, 0.55))
    elif name == "veins":
        ribs = np.abs(y - 0.5) < 0.018
        side = (np.abs(((x + np.abs(y - 0.5) * 0.8) * 6) % 1.0 - 0.5) < 0.07) & (np.abs(y - 0.5) < 0.42)
        pale = gaussian_filter((ribs | side).astype(float), 0.8)[..., None]
        rgb = rgb * (0.86 + 0.14 * np.clip(_noise(random, SIZE, 3.0), -1, 1))[..., None] + 0.22 * pale
    elif name == "rings":
        radius = np.hypot(x - 0.5, y - 0.5)
        rgb *= (0.86 + 0.16 * (np.abs(radius - 0.17) > 0.03))[..., None]
    elif name == "core":
        radius, angle = np.hypot(x - 0.5, y - 0.5), np.arctan2(y - 0.5, x - 0.5)
        pips = (np.abs(radius - 0.10) < 0.035) & (np.cos(3 * angle) > 0.25)
        rgb = np.where(pips[..., None], np.array([0.50, 0.40, 0.28]), rgb * (1.0 - 0.12 * (radius < 0.2))[..., None])
    elif name == "bumps":
        rgb *= (0.74 + 0.36 * np.clip(_noise(random, SIZE, 1.2), -1, 1))[..., None]
        rgb = np.where((y < 0.5)[..., None], np.array([1.5, 1.28, 1.6]) * 0.95, rgb)
    elif name == "fine":
        rgb *= (0.97 + 0.05 * np.clip(_noise(random, SIZE, 1.0), -1, 1))[..., None]
    return _picture(rgb)


def wood(random: np.random.Generator) -> Picture:
    """A table top: planks or weave."""
    lines = gaussian_filter(random.normal(size=(128, 128)), (0.8, 24.0), mode="wrap")
    return _picture(np.repeat((0.92 + 0.06 * lines / lines.std())[..., None], 3, axis=-1))


def heap_relief(shape: str, random: np.random.Generator, cells: int, *, grain_deg: float) -> Shades:
    """The fine relief of a heap, between about -1 and 1: waves, grains, balls, curds or strands."""
    if shape == "strands":
        ridges = _strand_field(random, cells, grain_deg, count=90, width=0.55)
        return 2.0 * ridges - 1.0
    if shape == "pellets":
        return _balls(random, cells, count=260, radius=1.9)
    spread = {"smooth": 3.2, "grains": 0.8, "curds": 1.8}[shape]
    return np.clip(_noise(random, cells, spread), -1.5, 1.5)


def _heap(name: str, random: np.random.Generator) -> Picture:
    if name == "cream":
        return _picture(np.repeat((0.93 + 0.05 * _noise(random, HEAP_SIZE, 8.0))[..., None], 3, axis=-1))
    if name == "pellets":
        return _picture(
            np.repeat((0.74 + 0.24 * _balls(random, HEAP_SIZE, count=420, radius=8.0))[..., None], 3, axis=-1)
        )
    shade = np.full((HEAP_SIZE, HEAP_SIZE), 0.80)
    for _ in range(2600):
        cx, cy, angle = random.uniform(0, HEAP_SIZE), random.uniform(0, HEAP_SIZE), random.uniform(0, np.pi)
        steps = np.linspace(-3.4, 3.4, 9)
        rows = (cy + steps * np.sin(angle)).astype(int) % HEAP_SIZE
        columns = (cx + steps * np.cos(angle)).astype(int) % HEAP_SIZE
        tone = random.uniform(0.90, 1.0)
        shade[rows, columns] = tone
        shade[(rows + 1) % HEAP_SIZE, columns] = tone - 0.10
    return _picture(np.repeat(shade[..., None], 3, axis=-1))


def _strands(random: np.random.Generator, grain_deg: float, *, carrot: bool) -> Picture:
    ridges = _strand_field(random, HEAP_SIZE, grain_deg, count=330, width=1.7)
    rgb = np.repeat((0.56 + 0.44 * ridges)[..., None], 3, axis=-1)
    if carrot:
        orange = _strand_field(random, HEAP_SIZE, grain_deg, count=34, width=1.6)[..., None] > 0.55
        rgb = np.where(orange, rgb * np.array([1.08, 0.62, 0.30]), rgb)
    return _picture(rgb)


def _strand_field(random: np.random.Generator, cells: int, grain_deg: float, *, count: int, width: float) -> Shades:
    """Long waving lines, most of them along one direction; later ones lie on top."""
    field = np.zeros((cells, cells))
    steps = np.linspace(-0.5, 0.5, 4 * cells // 3)
    for index in range(count):
        angle = np.radians(grain_deg + random.normal(0.0, 9.0))
        length, bend, wave = random.uniform(0.4, 1.1), random.normal(0.0, 0.12), random.uniform(0.0, 2 * np.pi)
        along = steps * length
        aside = bend * np.cos(2 * np.pi * steps + wave) * 0.6
        cx, cy = random.uniform(-0.05, 1.05, 2)
        x = (cx + along * np.cos(angle) - aside * np.sin(angle)) * cells
        y = (cy + along * np.sin(angle) + aside * np.cos(angle)) * cells
        tone = 0.62 + 0.38 * (index / count)
        reach = int(np.ceil(width * 1.6))
        for off in range(-reach, reach + 1):
            px = (x - off * np.sin(angle)).astype(int)
            py = (y + off * np.cos(angle)).astype(int)
            inside = (px >= 0) & (px < cells) & (py >= 0) & (py < cells)
            field[py[inside], px[inside]] = tone * max(0.0, 1.0 - 0.75 * (abs(off) / (width * 1.6)) ** 2)
    return field


def _balls(random: np.random.Generator, cells: int, *, count: int, radius: float) -> Shades:
    y, x = np.mgrid[0:cells, 0:cells]
    field = np.zeros((cells, cells))
    for cx, cy in random.uniform(0, cells, (count, 2)):
        low_y, high_y = int(max(cy - radius, 0)), int(min(cy + radius + 1, cells))
        low_x, high_x = int(max(cx - radius, 0)), int(min(cx + radius + 1, cells))
        far = ((x[low_y:high_y, low_x:high_x] - cx) ** 2 + (y[low_y:high_y, low_x:high_x] - cy) ** 2) / radius**2
        ball = np.sqrt(np.clip(1.0 - far, 0.0, 1.0))
        field[low_y:high_y, low_x:high_x] = np.where(far < 1.0, ball, field[low_y:high_y, low_x:high_x])
    return field


def _dotted(rgb: Shades, random: np.random.Generator, count: int, radius: float, colour: tuple[float, ...]) -> Shades:
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    for cx, cy in random.uniform(0.04, 0.96, (count, 2)):
        near = ((x - cx) ** 2 + ((y - cy) * 0.6) ** 2) < radius**2
        rgb = np.where(near[..., None], np.array(colour), rgb)
    return rgb


def _noise(random: np.random.Generator, size: int, spread: float) -> Shades:
    """Smooth noise of standard deviation 0.5."""
    field = gaussian_filter(random.normal(size=(size, size)), spread, mode="wrap")
    scaled: Shades = 0.5 * field / field.std()
    return scaled


def _picture(rgb: Shades) -> Picture:
    return np.ascontiguousarray(np.clip(rgb * 255.0, 0.0, 255.0).astype(np.uint8))
