"""Pictures of a plate that is being cleared, as the feeding world's camera overhead sees it. Needs the extra `sim`.

Table, plate, lamp, clutter, camera and its noise are those of the feeding world. Strands are drawn as capsules and
beans as ellipsoids; beans lie on their tray. A robot can learn by itself where food is: there the picture differs from
one of the empty plate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

from handup.core.files import shipped_data, shipped_records
from handup.domains.feeding.camera import Overhead
from handup.domains.feeding.gl import Renderer, mujoco
from handup.domains.feeding.looks import Hsv, Looks, colour_in, exposed
from handup.domains.feeding.scene import TABLE_Z_M, build
from handup.domains.plate.clearing_world import PlateEngine
from handup.domains.plate.low_level import GRAIN_M, SIDE_M
from handup.domains.plate.primitives import Floats, Mask, PlateFood

Pixels = NDArray[np.uint8]
SIZE = (320, 240)
"""Width and height of a picture in px."""
FOOD_Z_M = 0.004
"""Height at which food is looked for: about the middle of a thin layer."""
DIFFERENT = 20.0
"""Difference in brightness from the empty plate, of 255, from which on a pixel counts as food, as in the paper."""
FINE = 2
"""Places looked at along each side of a pixel of a square."""
LOOKS: Mapping[str, Looks] = shipped_records(Looks, shipped_data(__file__, "data/looks.yaml"))
EASY, HARD = LOOKS["easy"], LOOKS["hard"]
COLOURS: Mapping[tuple[PlateFood, str], tuple[Hsv, ...]] = {
    (PlateFood.NOODLES, "easy"): (
        ((38.0, 54.0), (0.15, 0.55), (0.75, 0.98)),
        ((38.0, 54.0), (0.15, 0.55), (0.75, 0.98)),
        ((8.0, 32.0), (0.45, 0.85), (0.60, 0.90)),
        ((60.0, 80.0), (0.30, 0.60), (0.50, 0.80)),
    ),
    (PlateFood.NOODLES, "hard"): (
        ((20.0, 36.0), (0.25, 0.42), (0.50, 0.70)),
        ((340.0, 360.0), (0.35, 0.60), (0.55, 0.75)),
    ),
    (PlateFood.BEANS, "easy"): (((0.0, 360.0), (0.55, 0.95), (0.45, 0.95)),),
    (PlateFood.BEANS, "hard"): (((0.0, 360.0), (0.10, 0.45), (0.50, 0.90)),),
}
"""Colours of a food in each look: of noodles one for the plate, of jelly beans one for each."""
SAUCES: Mapping[str, Hsv] = {
    "easy": ((5.0, 30.0), (0.60, 0.90), (0.45, 0.85)),
    "hard": ((70.0, 100.0), (0.50, 0.80), (0.25, 0.45)),
}
CABLE_POINTS = 24


class PlateCamera:
    """Camera over one laid table; it photographs any plate of one food on it. Close it, or use it in a `with` block.

    Args:
        engine: Physics of the food, for its sizes.
        seed: Source of the look, and of the camera's noise.
        looks: Distribution from which the look is drawn.
        size: Width and height of pictures in px.

    Raises:
        MissingExtra: MuJoCo is not installed.
        NoPictures: OpenGL is missing.
    """

    def __init__(self, engine: PlateEngine, *, seed: int, looks: Looks = EASY, size: tuple[int, int] = SIZE) -> None:
        self.food, self.seed, self.size = engine.food, seed, size
        random = np.random.default_rng((seed, 21))
        self.look = looks.draw(random)
        self._drawn = _StrandShapes(engine) if self.food is PlateFood.NOODLES else _BeanShapes(engine)
        self._colours = self._food_colours(looks.name, random)
        self._sauce = colour_in(SAUCES[looks.name], random) if random.random() < 0.5 else None
        self._patches = random.uniform(-0.1, 0.1, (3, 2))
        cables = _cables(random) if self.look.clutter else []

        def more(spec: Any) -> None:
            if self.food is PlateFood.BEANS:
                self._tray(spec, engine)
            for start, end, rgba in cables:
                spec.worldbody.add_geom(
                    type=mujoco().mjtGeom.mjGEOM_CAPSULE, size=[0.002, 0, 0], fromto=[*start, *end], rgba=rgba,
                    contype=0, conaffinity=0,
                )  # fmt: skip
            for number in range(self._drawn.most):
                spec.worldbody.add_geom(
                    name=f"food {number}", type=self._drawn.kind, size=self._drawn.size, rgba=[0, 0, 0, 0],
                    contype=0, conaffinity=0,
                )  # fmt: skip

        self._scene = build([], [], self.look, random, table=random, more=more)
        model = self._scene.model
        self._food = np.array([model.geom(f"food {number}").id for number in range(self._drawn.most)])
        model.geom_sameframe[self._food] = 0
        self._overhead = Overhead(self._scene, size[0] / size[1])
        mujoco().mj_forward(model, self._scene.data)
        self._eye = Renderer(model)

    def __enter__(self) -> PlateCamera:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the graphics memory."""
        self._eye.close()

    def picture(self, engine: PlateEngine | None, *, shot: int = 0) -> Pixels:
        """Return what the camera sees, height × width × 3.

        Args:
            engine: The food; None for the empty plate.
            shot: Number of the picture: each has noise of its own.
        """
        self._show(engine)
        colours = self._eye.rgb(self._scene.data, self._scene.overhead, self.size)
        return exposed(colours, self.look, np.random.default_rng((self.seed, 22, shot)))

    def labels(self, engine: PlateEngine) -> Mask:
        """Return where food is truly seen, height × width. Only the simulation knows it."""
        self._show(engine)
        return np.isin(self._eye.labels(self._scene.data, self._scene.overhead, self.size), self._food)

    def square(
        self, picture: NDArray[Any], pixels: int, *, side_m: float = SIDE_M, at_m: Floats | None = None
    ) -> Pixels:
        """Return a square of the table, seen straight from above: pixels × pixels × channels.

        Args:
            picture: Picture of this camera, of colours or of one number from 0 to 255.
            pixels: Side of the square in px.
            side_m: Side of the square on the table.
            at_m: Middle of the square on the table; the middle of the plate where it is left out.
        """
        x, y = np.zeros(2) if at_m is None else at_m
        steps = ((np.arange(FINE * pixels) + 0.5) / (FINE * pixels) - 0.5) * side_m
        columns, rows = np.meshgrid(x + steps, y - steps)
        seen = self._homography() @ np.stack([columns.ravel(), rows.ravel(), np.ones(columns.size)])
        places = [seen[1] / seen[2] * self.size[1] - 0.5, seen[0] / seen[2] * self.size[0] - 0.5]
        channels = np.atleast_3d(picture).astype(np.float32)
        cut = np.stack(
            [map_coordinates(channels[..., channel], places, order=1) for channel in range(channels.shape[2])], axis=1
        )
        shown: Pixels = np.rint(cut.reshape(pixels, FINE, pixels, FINE, -1).mean(axis=(1, 3))).astype(np.uint8)
        return shown

    def _homography(self) -> Floats:
        """Return the matrix that takes places at the food's height, as x, y, 1, to fractions of the picture."""
        corners = np.array([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])
        rows = []
        for x, y in corners:
            right, down = self._overhead.fractions(np.array([x, y, FOOD_Z_M]))
            rows += [
                [x, y, 1, 0, 0, 0, -right * x, -right * y, -right],
                [0, 0, 0, x, y, 1, -down * x, -down * y, -down],
            ]
        solution: Floats = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
        return solution

    def _show(self, engine: PlateEngine | None) -> None:
        """Put the food into the model, and hide what is not there."""
        model = self._scene.model
        model.geom_rgba[self._food, 3] = 0.0
        if engine is not None:
            places, quats, sizes, numbers = self._drawn.poses(engine)
            shown = self._food[: len(places)]
            model.geom_pos[shown], model.geom_quat[shown], model.geom_size[shown] = places, quats, sizes
            model.geom_rgba[shown, :3], model.geom_rgba[shown, 3] = self._tints(places, numbers), 1.0
        mujoco().mj_kinematics(model, self._scene.data)

    def _food_colours(self, name: str, random: np.random.Generator) -> Floats:
        options = COLOURS[self.food, name]
        if self.food is PlateFood.NOODLES:
            colour = np.array(colour_in(options[int(random.integers(len(options)))], random))
            return np.clip(colour * random.normal(1.0, 0.04, (self._drawn.pieces, 1)), 0.0, 1.0)
        return np.array([colour_in(options[0], random) for _ in range(self._drawn.pieces)])

    def _tints(self, places: Floats, numbers: NDArray[np.int64]) -> Floats:
        """Return the colour of each part of the food: its own, or that of the sauce where there is some."""
        colours = self._colours[numbers]
        if self._sauce is None:
            return colours
        away = np.linalg.norm(places[:, None, :2] - self._patches, axis=2).min(axis=1)
        share = 0.8 * np.exp(-((away / 0.035) ** 2))[:, None]
        mixed: Floats = (1.0 - share) * colours + share * np.array(self._sauce)
        return mixed

    def _tray(self, spec: Any, engine: Any) -> None:
        """Put a tray with walls in the place of the plate."""
        box = mujoco().mjtGeom.mjGEOM_BOX
        spec.delete(spec.geom("plate"))
        half, wall = engine.physics.tray_m, engine.physics.wall_m / 2.0
        china = {"type": box, "material": "china", "contype": 0, "conaffinity": 0}
        spec.worldbody.add_geom(name="plate", size=[half, half, 0.002], pos=[0, 0, -0.002], **china)
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            size = [0.002 if x else half + 0.004, 0.002 if y else half + 0.004, wall]
            spec.worldbody.add_geom(size=size, pos=[x * (half + 0.002), y * (half + 0.002), wall], **china)


class _StrandShapes:
    """Strands, as a capsule for each link."""

    def __init__(self, engine: Any) -> None:
        it = engine.physics
        self.kind, self.pieces = mujoco().mjtGeom.mjGEOM_CAPSULE, it.strands
        self.most, self.size = it.strands * (it.points - 1), [it.radius_m, it.link_m / 2.0, 0.0]

    def poses(self, engine: PlateEngine) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
        """Return places, quaternions, sizes and numbers of strands."""
        strands = engine.arrays()["strands"]
        starts, ends = strands[:, :-1].reshape(-1, 3), strands[:, 1:].reshape(-1, 3)
        way = ends - starts
        length = np.linalg.norm(way, axis=1)
        x, y, z = (way / np.maximum(length, 1e-9)[:, None]).T
        quats = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
        quats[np.linalg.norm(quats, axis=1) < 1e-6] = [0.0, 1.0, 0.0, 0.0]
        sizes = np.stack([np.full_like(length, self.size[0]), length / 2.0, np.zeros_like(length)], axis=1)
        numbers = np.repeat(np.arange(len(strands)), strands.shape[1] - 1)
        return (starts + ends) / 2.0, quats / np.linalg.norm(quats, axis=1)[:, None], sizes, numbers


class _BeanShapes:
    """Beans, as ellipsoids."""

    def __init__(self, engine: Any) -> None:
        it = engine.physics
        self.kind, self.pieces, self.most = mujoco().mjtGeom.mjGEOM_ELLIPSOID, it.beans, it.beans
        self.size = [axis / 2.0 for axis in it.bean_m]

    def poses(self, engine: PlateEngine) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
        """Return places, quaternions, sizes and numbers of beans."""
        arrays = engine.arrays()
        numbers = np.nonzero(arrays["on"])[0]
        poses = arrays["poses"][numbers]
        return poses[:, :3], poses[:, 3:], np.tile(self.size, (len(numbers), 1)), numbers


def difference(full: Pixels, empty: Pixels) -> Mask:
    """Return where a picture differs from one of the empty plate: the paper's labels that cost nobody's time."""
    weights = np.array([0.299, 0.587, 0.114], np.float32)
    different: Mask = np.abs(full.astype(np.float32) @ weights - empty.astype(np.float32) @ weights) > DIFFERENT
    return different


def true_grain(strands: Floats, at_m: tuple[float, float], half_m: float = GRAIN_M) -> tuple[float, float]:
    """Return the mean direction of strands around a place, from 0 to π, and how much they agree, from 0 to 1.

    Args:
        strands: Points, n × points × 3, as `Noodles.strands` has them.
        at_m: The place.
        half_m: Half the side of the square that is looked at.
    """
    starts, ends = strands[:, :-1, :2].reshape(-1, 2), strands[:, 1:, :2].reshape(-1, 2)
    near = (np.abs((starts + ends) / 2.0 - np.array(at_m)) <= half_m).all(axis=1)
    way = (ends - starts)[near]
    length = np.linalg.norm(way, axis=1)
    # A strand and its opposite are one direction, so twice the angle is averaged.
    doubled = complex(np.sum(length * np.exp(2j * np.arctan2(way[:, 1], way[:, 0])))) if len(way) else 0j
    return (math.atan2(doubled.imag, doubled.real) / 2.0) % math.pi, abs(doubled) / max(float(length.sum()), 1e-9)


def _cables(random: np.random.Generator) -> list[tuple[list[float], list[float], list[float]]]:
    """Return up to two cables beside the plate, as links with their colours: thin and bent as noodles, but no food."""
    links = []
    for _ in range(int(random.integers(0, 3))):
        side, grey = float(random.choice([-1.0, 1.0])), float(random.choice([0.1, 0.9]))
        heading = random.uniform(0.0, 2.0 * math.pi) + np.cumsum(random.normal(0.0, 0.4, CABLE_POINTS))
        line = np.cumsum(0.012 * np.stack([np.cos(heading), np.sin(heading)], axis=1), axis=0)
        line += np.array([side * 0.16, 0.0]) - line.mean(axis=0)
        beside = np.abs(line[:, 0]) > 0.13
        for number in range(CABLE_POINTS - 1):
            if beside[number] and beside[number + 1]:
                start, end = ([*map(float, line[at]), TABLE_Z_M + 0.002] for at in (number, number + 1))
                links.append((start, end, [grey, grey, grey, 1.0]))
    return links
