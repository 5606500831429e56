"""Meshes of the foods and the plate: vertices, faces and texture coordinates from a few formulas. Metres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mesh:
    """Triangles with texture coordinates.

    Args:
        vertices: n × 3.
        faces: m × 3, counter-clockwise from outside.
        texcoords: n × 2.
    """

    vertices: Floats
    faces: NDArray[np.int32]
    texcoords: Floats


def item_mesh(shape: str, half_m: Floats, random: np.random.Generator) -> Mesh:
    """The mesh of one piece of food, a little different each time.

    Args:
        shape: One of the table's item shapes.
        half_m: Half its length, width and height.
        random: Where the differences come from.
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
    """A plate as a turned profile: flat middle, a step, a raised rim. Its flat top is at z = 0."""
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
    coords = points[:, :2] / (2.0 * rim_m) + 0.5
    return Mesh(points, _grid_faces(len(profile), around + 1), coords)


def _rounded(up_power: float, turn_power: float, *, rings: int, around: int) -> Mesh:
    """A ball (powers 1), a rounded cylinder (up towards 0) or a rounded box (both) of half sizes 1."""
    up, turn = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, rings + 1), np.linspace(-np.pi, np.pi, around + 1))
    cos_up, sin_up = (np.sign(each) * np.abs(each) ** up_power for each in (np.cos(up), np.sin(up)))
    cos_turn, sin_turn = (np.sign(each) * np.abs(each) ** turn_power for each in (np.cos(turn), np.sin(turn)))
    points = np.stack([cos_up * cos_turn, cos_up * sin_turn, sin_up], axis=-1).reshape(-1, 3)
    coords = np.stack([turn / (2 * np.pi) + 0.5, up / np.pi + 0.5], axis=-1).reshape(-1, 2)
    return Mesh(points, _grid_faces(around + 1, rings + 1), coords)


def _leaf(half_m: Floats, random: np.random.Generator) -> Mesh:
    """A crumpled sheet, seen from both sides."""
    count = 12
    across = np.linspace(-1.0, 1.0, count)
    x, y = (each.ravel() for each in np.meshgrid(across, across, indexing="ij"))
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
    """A bent tube with pointed ends."""
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
    """A crown of small balls on a stem. The stem's texture coordinates lie in the lower half."""
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
    starts = np.cumsum([0] + [len(each.vertices) for each in parts[:-1]])
    return Mesh(
        np.concatenate([each.vertices for each in parts]),
        np.concatenate([each.faces + start for each, start in zip(parts, starts, strict=True)]).astype(np.int32),
        np.concatenate([each.texcoords for each in parts]),
    )


def _waves(points: Floats, random: np.random.Generator) -> Floats:
    """Smooth bumps over a surface, between about -1 and 1; the same where the points are the same."""
    total = np.zeros(len(points))
    for scale in (2.0, 3.0, 4.5):
        direction = random.normal(size=3)
        total += np.sin(points @ direction * scale + random.uniform(0.0, 2.0 * np.pi))
    return total / 2.0


def _grid_faces(rows: int, columns: int) -> NDArray[np.int32]:
    """Two triangles for each cell of a grid whose points lie row by row."""
    start = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.stack([start, start + columns, start + 1], axis=-1)
    second = np.stack([start + 1, start + columns, start + columns + 1], axis=-1)
    return np.concatenate([first, second]).astype(np.int32)
