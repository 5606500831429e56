"""Meshes of the foods and the plate from a few formulas, in metres, and textures of the foods as small pictures.

Textures have shades around white: the colour itself comes from the piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8]
SIZE, HEAP_SIZE = 96, 256
"""Sides of the textures of pieces and of heaps, in px."""


@dataclass(frozen=True)
class Mesh:
    """Triangles with texture coordinates.

    Args:
        vertices: n × 3.
        faces: m × 3, counter-clockwise from outside.
        texcoords: n × 2; none where it has one colour.
    """

    vertices: Floats
    faces: NDArray[np.int32]
    texcoords: Floats


def item_mesh(shape: str, half_m: Floats, random: np.random.Generator) -> Mesh:
    """Return the mesh of one piece of food, a little different each time.

    Args:
        shape: One of the table's item shapes.
        half_m: Half its length, width and height.
        random: Source of the differences.
    """
    if shape == "leaf":
        return _leaf(half_m, random)
    if shape == "bean":
        return _bean(half_m, random)
    if shape == "floret":
        return _floret(half_m, random)
    up, turn = {"chunk": (0.45, 0.45), "ball": (1.0, 1.0), "disc": (0.3, 1.0), "berry": (0.9, 0.9)}[shape]
    bumps = {"chunk": 0.12, "ball": 0.01, "disc": 0.02, "berry": 0.02}[shape]
    mesh = _rounded(up, turn, rings=8, around=14)
    points = mesh.vertices
    if shape == "berry":
        points[:, 1:] *= (1.0 - 0.42 * np.clip(points[:, :1], -0.3, 1.0) ** 2 * np.sign(points[:, :1] + 1e-9))[:, :1]
    coords = mesh.texcoords if shape == "ball" else points[:, :2] * 0.42 + 0.5 + 0.1 * points[:, 2:]
    points = points * (1.0 + bumps * _waves(points, random))[:, None]
    return Mesh(points * half_m, mesh.faces, coords)


def plate_mesh(flat_m: float, rim_m: float, height_m: float) -> Mesh:
    """Return a plate as a turned profile: flat middle, a step, a raised rim. Its flat top is at z = 0."""
    step = flat_m + 0.35 * (rim_m - flat_m)
    profile = np.array(
        [
            (0.0, 0.0), (0.6 * flat_m, 0.0), (flat_m, 0.0), (flat_m + 0.004, 0.0012), (step, 0.65 * height_m),
            (step + 0.003, 0.74 * height_m), (rim_m - 0.002, height_m), (rim_m, height_m - 0.001),
            (rim_m - 0.003, height_m - 0.003), (flat_m, -0.006), (0.0, -0.006),
        ]
    )  # fmt: skip
    around = 56
    angles = np.linspace(0.0, 2.0 * np.pi, around + 1)
    radius, up = profile[:, :1], np.repeat(profile[:, 1:], around + 1, axis=1)
    points = np.stack([radius * np.cos(angles), radius * np.sin(angles), up], axis=-1).reshape(-1, 3)
    return Mesh(points, _grid_faces(len(profile), around + 1), np.empty((0, 2)))


def _rounded(up_power: float, turn_power: float, *, rings: int, around: int) -> Mesh:
    """Return a ball (powers 1), a rounded cylinder (up towards 0) or a rounded box (both) of half sizes 1."""
    up, turn = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, rings + 1), np.linspace(-np.pi, np.pi, around + 1))
    cos_up, sin_up = (np.sign(part) * np.abs(part) ** up_power for part in (np.cos(up), np.sin(up)))
    cos_turn, sin_turn = (np.sign(part) * np.abs(part) ** turn_power for part in (np.cos(turn), np.sin(turn)))
    points = np.stack([cos_up * cos_turn, cos_up * sin_turn, sin_up], axis=-1).reshape(-1, 3)
    coords = np.stack([turn / (2 * np.pi) + 0.5, up / np.pi + 0.5], axis=-1).reshape(-1, 2)
    return Mesh(points, _grid_faces(around + 1, rings + 1), coords)


def _leaf(half_m: Floats, random: np.random.Generator) -> Mesh:
    """Return a crumpled sheet, seen from both sides."""
    count = 12
    across = np.linspace(-1.0, 1.0, count)
    x, y = (axis.ravel() for axis in np.meshgrid(across, across, indexing="ij"))
    # From a square to a disc, so that the grid has no corners.
    disc_x, disc_y = x * np.sqrt(1 - y * y / 2), y * np.sqrt(1 - x * x / 2)
    radius, angle = np.hypot(disc_x, disc_y), np.arctan2(disc_y, disc_x)
    phases = random.uniform(0.0, 2.0 * np.pi, 4)
    edge = 1.0 + 0.10 * np.sin(5 * angle + phases[0]) + 0.07 * np.sin(9 * angle + phases[1])
    ruffle = radius**2 * (np.sin(6 * angle + phases[2]) + 0.6 * np.sin(11 * angle + phases[3]))
    fold = np.sin(3.0 * disc_x + phases[0]) * np.cos(2.6 * disc_y + phases[1])
    height = 0.45 * fold + 0.5 * ruffle + 0.25 * radius**2 + 0.06 * random.normal(size=x.shape)
    top = np.stack([disc_x * edge, disc_y * edge, np.clip(height, -1.0, 1.6)], axis=-1) * half_m
    bottom = top - np.array([0.0, 0.0, 0.0007])
    faces = _grid_faces(count, count)
    coords = np.stack([disc_x, disc_y], axis=-1) / 2 + 0.5
    return Mesh(
        np.concatenate([top, bottom]),
        np.concatenate([faces, faces[:, ::-1] + len(top)]).astype(np.int32),
        np.concatenate([coords, coords]),
    )


def _bean(half_m: Floats, random: np.random.Generator) -> Mesh:
    """Return a bent tube with pointed ends."""
    along, around = 14, 10
    t = np.linspace(-1.0, 1.0, along)
    thick = np.sqrt(np.clip(1.0 - np.abs(t) ** 5, 0.0, 1.0)) * (1.0 + 0.07 * np.cos(14.0 * t))
    bend = random.uniform(0.3, 0.9) * half_m[1] * (1.0 - t * t)
    angles = np.linspace(0.0, 2.0 * np.pi, around)
    x = np.repeat(t[:, None] * half_m[0], around, axis=1)
    y = bend[:, None] - bend.mean() + half_m[1] * thick[:, None] * np.cos(angles)
    z = half_m[2] * thick[:, None] * np.sin(angles)
    coords = np.stack([np.repeat((t[:, None] + 1) / 2, around, 1), np.repeat(angles[None] / 7, along, 0)], axis=-1)
    faces = np.ascontiguousarray(_grid_faces(along, around)[:, ::-1])
    return Mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), faces, coords.reshape(-1, 2))


def _floret(half_m: Floats, random: np.random.Generator) -> Mesh:
    """Return a crown of small balls on a stem. The stem's texture coordinates lie in the lower half."""
    parts = []
    for index in range(9):
        angle, out = (index * 2.4, 0.0 if index == 0 else 0.52)
        at = np.array([0.28 + out * np.cos(angle) * 0.75, out * np.sin(angle), 0.25 + random.uniform(-0.1, 0.15)])
        ball = _rounded(1.0, 1.0, rings=5, around=8)
        points = ball.vertices * random.uniform(0.40, 0.50) * (1 + 0.10 * random.normal(size=(len(ball.vertices), 1)))
        parts.append(Mesh((points + at) * half_m, ball.faces, ball.texcoords * [1.0, 0.45] + [0.0, 0.52]))
    stem = _rounded(0.6, 0.6, rings=5, around=8)
    points = stem.vertices * [0.55, 0.24, 0.30] + [-0.5, 0.0, -0.25]
    parts.append(Mesh(points * half_m, stem.faces, stem.texcoords * [1.0, 0.45]))
    starts = np.cumsum([0] + [len(part.vertices) for part in parts[:-1]])
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]).astype(np.int32),
        np.concatenate([part.texcoords for part in parts]),
    )


def _waves(points: Floats, random: np.random.Generator) -> Floats:
    """Return smooth bumps over a surface, between about -1 and 1; the same where the points are the same."""
    total = np.zeros(len(points))
    for scale in (2.0, 3.0, 4.5):
        direction = random.normal(size=3)
        total += np.sin(points @ direction * scale + random.uniform(0.0, 2.0 * np.pi))
    return total / 2.0


def _grid_faces(rows: int, columns: int) -> NDArray[np.int32]:
    """Return two triangles for each cell of a grid whose points lie row by row."""
    start = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.stack([start, start + columns, start + 1], axis=-1)
    second = np.stack([start + 1, start + columns, start + columns + 1], axis=-1)
    return np.concatenate([first, second]).astype(np.int32)


def texture(name: str, random: np.random.Generator, *, grain_deg: float = 0.0) -> Picture:
    """Return a picture to multiply a food's colour with.

    Args:
        name: One of the table's textures.
        random: Source of its details.
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
    """Return the picture of a table top: planks or weave."""
    lines = gaussian_filter(random.normal(size=(128, 128)), (0.8, 24.0), mode="wrap")
    return _picture(np.repeat((0.92 + 0.06 * lines / lines.std())[..., None], 3, axis=-1))


def heap_relief(shape: str, random: np.random.Generator, cells: int, *, grain_deg: float) -> Floats:
    """Return the fine relief of a heap, between about -1 and 1: waves, grains, balls, curds or strands."""
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


def _strand_field(random: np.random.Generator, cells: int, grain_deg: float, *, count: int, width: float) -> Floats:
    """Return long waving lines, most of them along one direction; later ones lie on top."""
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


def _balls(random: np.random.Generator, cells: int, *, count: int, radius: float) -> Floats:
    y, x = np.mgrid[0:cells, 0:cells]
    field = np.zeros((cells, cells))
    for cx, cy in random.uniform(0, cells, (count, 2)):
        low_y, high_y = int(max(cy - radius, 0)), int(min(cy + radius + 1, cells))
        low_x, high_x = int(max(cx - radius, 0)), int(min(cx + radius + 1, cells))
        far = ((x[low_y:high_y, low_x:high_x] - cx) ** 2 + (y[low_y:high_y, low_x:high_x] - cy) ** 2) / radius**2
        ball = np.sqrt(np.clip(1.0 - far, 0.0, 1.0))
        field[low_y:high_y, low_x:high_x] = np.where(far < 1.0, ball, field[low_y:high_y, low_x:high_x])
    return field


def _dotted(rgb: Floats, random: np.random.Generator, count: int, radius: float, colour: tuple[float, ...]) -> Floats:
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    for cx, cy in random.uniform(0.04, 0.96, (count, 2)):
        near = ((x - cx) ** 2 + ((y - cy) * 0.6) ** 2) < radius**2
        rgb = np.where(near[..., None], np.array(colour), rgb)
    return rgb


def _noise(random: np.random.Generator, size: int, spread: float) -> Floats:
    """Return smooth noise of standard deviation 0.5."""
    field = gaussian_filter(random.normal(size=(size, size)), spread, mode="wrap")
    scaled: Floats = 0.5 * field / field.std()
    return scaled


def _picture(rgb: Floats) -> Picture:
    return np.ascontiguousarray(np.clip(rgb * 255.0, 0.0, 255.0).astype(np.uint8))
