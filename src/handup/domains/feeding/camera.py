"""The two cameras. The one overhead: rays between picture and plate, and the true best parameters.

The one at the fork: did I get it? A picture of the fork is compared with one of the empty fork. That errs, and its
errors are measured: it sees that there is something, not what, and in hard light it misses small or dark bites.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.arm import wait
from handup.domains.feeding.capture import Heap, scooped_ml
from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.scene import BLADE_HALF_WIDTH_M, Piece, PlateScene
from handup.domains.feeding.skills import Params, Skill

Floats = NDArray[np.float64]
SEEN = np.array([1, 1, 1, 0, 0, 0], np.uint8)
"""Groups of geometry that rays hit: what is seen, not the plain bodies that stand for it in the physics."""
DOWN = np.array([0.0, 0.0, -1.0])
SCOOP_Z_M = 0.006
FORK_PX = (96, 96)
"""Width and height of the picture of the fork."""
DIFFERENT = 26.0
"""Difference in its most different colour, of 255, from which on a pixel counts as different."""
MIDDLE, WIDTH = 0.024, 0.007
"""Share of different pixels at which the detector is undecided, and how fast it grows sure; fixed on tuning seeds."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing on the plate, as only the simulation knows it: for labels, oracles and measurements.

    Args:
        food: Name of the food.
        pixels: Number of its pixels that are seen.
        box: Left, top, right and bottom of these pixels, as fractions of the picture.
        best: Best parameters of each fitting skill, the best skill first.
        number: Number of the piece, or of the heap, counted on from the pieces' numbers.
    """

    food: str
    pixels: int
    box: tuple[float, float, float, float]
    best: Mapping[Skill, Params]
    number: int

    @property
    def skill(self) -> Skill:
        """Best skill."""
        return next(iter(self.best))


class Overhead:
    """Geometry of the overhead camera: the robot knows where its camera is.

    Args:
        scene: A compiled plate.
        aspect: Width divided by height of the picture.
    """

    def __init__(self, scene: PlateScene, aspect: float) -> None:
        module = mujoco()
        self._scene = scene
        self._place = np.array(scene.model.cam_pos[scene.overhead])
        axes = np.zeros(9)
        module.mju_quat2Mat(axes, scene.model.cam_quat[scene.overhead])
        self._axes = axes.reshape(3, 3)
        tangent = float(np.tan(np.radians(scene.model.cam_fovy[scene.overhead]) / 2.0))
        self._half = np.array([tangent * aspect, tangent])

    def ray(self, x: float, y: float) -> Floats:
        """Return the direction in which a point of the picture is seen."""
        direction: Floats = self._axes @ np.array([(2 * x - 1) * self._half[0], (1 - 2 * y) * self._half[1], -1.0])
        return direction

    def on_plane(self, x: float, y: float, z_m: float) -> Floats:
        """Return the place of a point of the picture at a height: x and y on the table, in m."""
        ray = self.ray(x, y)
        place: Floats = (self._place + ray * (z_m - self._place[2]) / ray[2])[:2]
        return place

    def height_seen(self, x: float, y: float) -> float:
        """Return the height of what is seen at a point of the picture, in m, as a depth camera gives it."""
        ray = self.ray(x, y)
        far, _ = self._hit(self._place, ray)
        return float((self._place + ray * far)[2]) if far >= 0.0 else 0.0

    def fractions(self, point_m: Floats) -> tuple[float, float]:
        """Return the point of the picture at which a point of the world is seen."""
        local = self._axes.T @ (point_m - self._place)
        x, y = local[:2] / -local[2] / self._half
        return float(x + 1.0) / 2.0, float(1.0 - y) / 2.0

    def table(self, skill: Skill, params: Params) -> tuple[Floats, Floats]:
        """Return the two points of a skill on the table."""
        x1, y1, x2, y2 = params.numbers
        z_m = SCOOP_Z_M if skill is Skill.SCOOP else self.height_seen((x1 + x2) / 2, (y1 + y2) / 2)
        return self.on_plane(x1, y1, z_m), self.on_plane(x2, y2, z_m)

    def params(self, first_m: Floats, second_m: Floats, z_m: float) -> Params:
        """Return the parameters for two points at a height."""
        return Params.within([*self.fractions(np.array([*first_m, z_m])), *self.fractions(np.array([*second_m, z_m]))])

    def top_at(self, at_m: Floats) -> float:
        """Return the height of the highest thing at a place, in m."""
        far, _ = self._hit(np.array([*at_m, 0.10]), DOWN)
        return 0.10 - far if far >= 0.0 else 0.0

    def _body_at(self, at_m: Floats) -> int:
        """Return the body of the highest thing at a place; 0 is the plate, the table or a heap."""
        far, geom = self._hit(np.array([*at_m, 0.10]), DOWN)
        return int(self._scene.model.geom_bodyid[geom]) if far >= 0.0 else 0

    def _hit(self, start: Floats, ray: Floats) -> tuple[float, int]:
        """Return how far along a ray something is met, below 0 where nothing is, and its geom."""
        geom = np.zeros(1, np.int32)
        far = mujoco().mj_ray(self._scene.model, self._scene.data, start, ray, SEEN, 1, self._scene.fork, geom)
        return float(far), int(geom[0])

    def best_for_piece(self, piece: Piece) -> dict[Skill, Params]:
        """Return lines along its long side through its middle; for scooping a way through it, from the rim inwards."""
        place = np.array(self._scene.data.xpos[piece.body])
        axes = np.array(self._scene.data.xmat[piece.body]).reshape(3, 3)
        reach = piece.half_m * np.hypot(axes[0], axes[1])
        longest = int(np.argmax(reach))
        side = axes[:2, longest] / max(float(np.hypot(*axes[:2, longest])), 1e-9)
        spot = self._clear_spot(piece, place[:2], side, reach)
        top = self.top_at(spot)
        best: dict[Skill, Params] = {}
        for skill in piece.food.skills:
            if skill is Skill.SCOOP:
                before, after = float(reach[longest]) + 0.012, 0.022
                # Along the piece from either end, or across it: the way with most room wins.
                ways = (side, -side, np.array([-side[1], side[0]]), np.array([side[1], -side[0]]))
                free = [self._room(piece, place[:2], way) for way in ways]
                way = ways[int(np.argmax(free))]
                best[skill] = self.params(place[:2] - before * way, place[:2] + after * way, SCOOP_Z_M)
            else:
                offset = float(reach[longest]) * side
                best[skill] = self.params(spot - offset, spot + offset, top)
        return best

    def _clear_spot(self, piece: Piece, middle: Floats, side: Floats, reach: Floats) -> Floats:
        """Return a spot on a piece where nothing lies upon it, near its middle: there the fork meets it alone."""
        across = np.array([-side[1], side[0]])
        length, width = sorted((float(extent) for extent in reach[:2]), reverse=True)
        shifts = [(a, b) for a in (0.0, -0.3, 0.3, -0.6, 0.6) for b in (0.0, -0.3, 0.3, -0.6, 0.6)]
        shifts.sort(key=lambda shift: float(np.hypot(shift[0] * length, shift[1] * width)))
        # Nearest to the middle first, so that the first spot without anything on it is the best.
        spots = [middle + a * length * side + b * width * across for a, b in shifts]
        tips = [off * across for off in (-0.0085, -0.0045, 0.0, 0.0045, 0.0085)]
        best, met = middle, -1
        for spot in spots:
            meets = sum(self._body_at(spot + tip) in {piece.body, 0} for tip in tips)
            meets = meets if self._body_at(spot) == piece.body else -1
            if meets > met:
                best, met = spot, meets
            if met == len(tips):
                break
        return best

    def _room(self, piece: Piece, at_m: Floats, way: Floats) -> float:
        """Return the distance of the nearest other piece from a fork's way, in m."""
        rooms = [0.1]
        for neighbour in self._scene.pieces:
            if neighbour.body != piece.body:
                off = np.array(self._scene.data.xpos[neighbour.body])[:2] - at_m
                along, aside = float(off @ way), float(abs(off[1] * way[0] - off[0] * way[1]))
                beyond = max(-0.05 - along, along - 0.03, 0.0)
                rooms.append(float(np.hypot(beyond, aside)) - float(neighbour.half_m[:2].max()))
        rooms.append(0.09 - float(np.hypot(*(at_m - 0.03 * way))))
        return min(rooms)

    def best_for_heap(self, heap: Heap) -> dict[Skill, Params]:
        """Return lines where the heap is thickest, along its strands; for scooping the way that gathers most."""
        x, y = heap.grid()
        inner = (slice(2, -2, 3), slice(2, -2, 3))
        spots = np.stack([x[inner].ravel(), y[inner].ravel()], axis=1)
        heights = np.array([heap.mean_height_m(spot, 0.013) for spot in spots])
        spot = spots[int(np.argmax(heights))]
        best: dict[Skill, Params] = {}
        for skill in heap.food.skills:
            if skill is Skill.SCOOP:
                best[skill] = self._best_sweep(heap, spots[np.argsort(-heights)[:12:3]])
            else:
                line = 0.018 * np.array([np.cos(heap.grain_rad), np.sin(heap.grain_rad)])
                best[skill] = self.params(spot - line, spot + line, self.top_at(spot))
        return best

    def _best_sweep(self, heap: Heap, spots: Floats) -> Params:
        def gathered(middle: Floats, angle: float) -> tuple[float, Floats, Floats]:
            half = 0.027 * np.array([np.cos(angle), np.sin(angle)])
            volume, _ = scooped_ml(heap, middle - half, middle + half, half_width_m=BLADE_HALF_WIDTH_M)
            return volume, middle - half, middle + half

        ways = [gathered(spot, angle) for spot in spots for angle in np.linspace(0.0, 2 * np.pi, 8, endpoint=False)]
        _, start, end = max(ways, key=lambda way: way[0])
        return self.params(start, end, SCOOP_Z_M)


@dataclass(frozen=True)
class Seen:
    """Verdict of the success detector.

    Args:
        ok: True if there is food on the fork.
        certainty: Certainty of that, from 0.5 to 1.
        share: Share of pixels that differ from the empty fork.
    """

    ok: bool
    certainty: float
    share: float


def compare(now: NDArray[np.uint8], empty: NDArray[np.uint8]) -> Seen:
    """Return the verdict from a picture of the fork and one of it empty. Exposure may differ between them."""
    image, blank = now.astype(np.float64), empty.astype(np.float64)
    # Exposures are compared at the left edge, which the food on a fork does not reach.
    edge = np.s_[:, : FORK_PX[0] // 8]
    gain = float(blank[edge].mean() / max(image[edge].mean(), 1.0))
    different = np.abs(image * gain - blank).max(axis=-1)
    smooth = (different + np.roll(different, 1, 0) + np.roll(different, 1, 1) + np.roll(different, (1, 1), (0, 1))) / 4
    share = float((smooth > DIFFERENT).mean())
    food = 1.0 / (1.0 + float(np.exp(-(share - MIDDLE) / WIDTH)))
    return Seen(food >= 0.5, max(food, 1.0 - food), share)


@contextmanager
def no_food(scene: PlateScene, *, flat: bool) -> Iterator[Any]:
    """Set up what the robot saw before the meal: the fork where it shows what it has, and no food anywhere.

    It comes from the model alone, so it is the same whenever it is asked for. Yields MuJoCo's data to be drawn; food is
    hidden until the block ends.

    Args:
        scene: The plate; put back afterwards.
        flat: True if the fork is held flat.
    """
    model, data = scene.model, mujoco().MjData(scene.model)
    wait(scene, data, flat=flat)
    mujoco().mj_forward(model, data)
    food = np.isin(model.geom_bodyid, [piece.body for piece in scene.pieces])
    food[[scene.load, *(mound.seen for mound in scene.mounds)]] = True
    kept = model.geom_rgba[food]
    model.geom_rgba[food, 3] = 0.0
    try:
        yield data
    finally:
        model.geom_rgba[food] = kept
