"""Noodles on the feeding world's plate, with a fork that twirls them and a pusher that groups them.

Strands at rest are the whole state: each motion begins from rest, on a copy that takes the plate's place only if all
went well. Therefore a plate that was saved, copied or rolled back goes on bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handup.core import OutOfRange
from handup.domains.feeding.scene import FLAT_M, RIM_HEIGHT_M, RIM_M, TABLE_Z_M, TINE_GAP_M, TINE_LENGTH_M, TINES
from handup.domains.plate.clearing_world import Watcher
from handup.domains.plate.noodle_physics import FULL, STRETCH, NoodleNumbers, NoodleWork, stepper
from handup.domains.plate.primitives import Aim, Floats, Moved, PlateFood, PlatePrimitive, PlateShapes

HANDLE_M = (0.12, 0.006)
"""Length of the fork's handle and half its width, which are drawn and meet nothing."""


@dataclass(frozen=True, kw_only=True)
class NoodlePhysics:
    """Constants of noodles, plate and tools. Geometry and friction decide what is taken; there is no rule for it.

    Friction depends on step and sweeps, so these belong together: change one, and look at the slope and the rope again.

    Args:
        strands: Strands on a full plate; each stands for a few of the noodles of half a plate, 50 g.
        points: Points of a strand: 114 mm long, so that two turns wind most of it.
        link_m: Distance of its points: a link bends around two tines, not around one.
        radius_m: Half its thickness.
        stiffness: Share by which a sweep takes out a bend: boiled noodles stick out for one or two links.
        step_s: Time step: tools move less than a strand's radius in it.
        sweeps: Repairs of lengths, overlaps and ground in a step.
        stretch: Share to which a link may be too long after a step; noodles do not stretch.
        passes: Most repairs of lengths alone that bring it there.
        most_stretch: Share from which on the physics counts as broken.
        gravity_m_s2: Weight.
        friction: Of strands on strands: boiled starch is sticky.
        plate_friction: Of strands on the plate: a wet glaze.
        fork_friction: Of strands on fork and pusher: starch on steel.
        heavy: Extra mass of points that a tool holds. It carries the pull along a strand to the tool within three
            sweeps; at this value a strand over a tine slides where a rope does, from a ratio of e^(friction · π) on.
        damping_1_s: Rate at which speed is lost: limp, wet food hardly swings.
        most_speed_m_s: Speed that no point exceeds, so that nothing leaps when it is squeezed.
        most_push_m: Longest push of a sweep, for the same reason.
        sleep_m_s: Speed below which a strand falls asleep.
        sleep_s: Time for which it must be as slow.
        stir_m_s: Speed from which on a strand wakes those that it touches.
        touch_m: Gap up to which strands count as touching.
        reach_m: Gap up to which a step looks after a contact: ways of a step at the speed of tools.
        skin_m: Way that strands may go before pairs are looked for again.
        room: Pairs for which there is room, for each segment: well above the most that was seen.
        flat_m: Radius of the plate's flat part, as in the feeding world.
        rim_m: Radius of its rim.
        rim_height_m: Height of its rim.
        table_z_m: Height of the table.
        spread_m: Least and largest standard deviation of the strands' middles; each plate has another one between
            them. People serve noodles as a heap or strewn over the plate. A heap is to be twirled at once, and a
            strewn portion to be pushed together first. With 22 mm on each plate the first three actions were worth
            the same on all of them, and nobody had to look before these.
        inside_m: Radius within which strands are dropped.
        bend: Standard deviation of the change of a strand's bend from link to link, in rad: a wave or a loose curl.
        drop_m: Height from strand to strand when they are dropped.
        tines: Tines of the fork, as in the feeding world.
        tine_gap_m: Distance of their middles: between two of them there is 0.2 mm more than a strand needs. With more
            room strands slip through; with less none comes between.
        tine_length_m: Their length.
        tine_radius_m: Half their thickness.
        above_m: Gap between tips and plate: a hard tip does not scratch.
        belly_m: Gap between plate and tines that lie flat: a fork rides up on the strand beneath it.
        turns: Turns of a twirl.
        turn_rad_s: Speed of turning.
        tilt_rad: Final tilt, 80° of the handle and 15° of the tines' own curve: tips 5° up.
        tilt_rad_s: Speed of tilting.
        hover_m: Height from which tools come down: above all that lies on the plate.
        down_m_s: Speed of coming down.
        lift_m: Height of a lift: more than a strand's length, so that what hangs is clear of the plate.
        lift_m_s: Speed of lifting.
        hold_s: Wait at the top: what is let go is on the plate by then.
        clear_m: Height above which all of a strand must be, to be off the plate.
        pusher_m: Width of the pusher: a fork laid on its side, tines and shoulder, or a small spatula.
        pusher_radius_m: Half the thickness of each of its bars.
        pusher_bars: Bars, one on top of the other: as high as the food.
        behind_m: Distance behind the furthest food at which it comes down.
        short_m: Distance from the densest place at which it stops: half a bite.
        push_m_s: Speed of pushing.
        settle_s: Longest wait until all is at rest.
        stride: Steps between two looks of a watcher: some thirty a second.

    Raises:
        OutOfRange: There are no strands, fewer than three points on each, or a spread that ends before it begins.
    """

    strands: int = 18
    points: int = 20
    link_m: float = 0.006
    radius_m: float = 0.0015
    stiffness: float = 0.02
    step_s: float = 0.005
    sweeps: int = 3
    stretch: float = 0.006
    passes: int = 60
    most_stretch: float = 0.05
    gravity_m_s2: float = 9.81
    friction: float = 0.5
    plate_friction: float = 0.3
    fork_friction: float = 0.5
    heavy: float = 14.0
    damping_1_s: float = 4.0
    most_speed_m_s: float = 0.6
    most_push_m: float = 0.001
    sleep_m_s: float = 0.015
    sleep_s: float = 0.06
    stir_m_s: float = 0.02
    touch_m: float = 0.0005
    reach_m: float = 0.001
    skin_m: float = 0.0045
    room: int = 40
    flat_m: float = FLAT_M
    rim_m: float = RIM_M
    rim_height_m: float = RIM_HEIGHT_M
    table_z_m: float = TABLE_Z_M
    spread_m: tuple[float, float] = (0.015, 0.05)
    inside_m: float = 0.084
    bend: float = 0.072
    drop_m: float = 0.004
    tines: int = TINES
    tine_gap_m: float = TINE_GAP_M
    tine_length_m: float = TINE_LENGTH_M
    tine_radius_m: float = 0.0009
    above_m: float = 0.0005
    belly_m: float = 0.003
    turns: float = 2.0
    turn_rad_s: float = 6.0
    tilt_rad: float = math.radians(95.0)
    tilt_rad_s: float = 4.0
    hover_m: float = 0.02
    down_m_s: float = 0.15
    lift_m: float = 0.13
    lift_m_s: float = 0.3
    hold_s: float = 0.2
    clear_m: float = 0.01
    pusher_m: float = 0.07
    pusher_radius_m: float = 0.0035
    pusher_bars: int = 2
    behind_m: float = 0.012
    short_m: float = 0.012
    push_m_s: float = 0.15
    settle_s: float = 2.0
    stride: int = 7

    def __post_init__(self) -> None:
        if self.strands < 1:
            raise OutOfRange.of("strands", self.strands, "be at least 1", hint="Lay some noodles.")
        if self.points < 3:
            raise OutOfRange.of("points", self.points, "be at least 3", hint="Give a strand two links or more.")
        if not 0.0 <= self.spread_m[0] <= self.spread_m[1]:
            must = "be two lengths of at least 0, the smaller one first"
            raise OutOfRange.of("spread_m", self.spread_m, must, hint="Give the same length twice for a fixed one.")

    def numbers(self) -> NoodleNumbers:
        """Return what the physics reads."""
        slope = math.atan2(self.rim_height_m, self.rim_m - self.flat_m)
        return NoodleNumbers(
            length=self.link_m,
            radius=self.radius_m,
            stiffness=self.stiffness,
            step=self.step_s,
            sweeps=self.sweeps,
            stretch=self.stretch,
            passes=self.passes,
            gravity=self.gravity_m_s2,
            friction=self.friction,
            plate_friction=self.plate_friction,
            tool_friction=self.fork_friction,
            heavy=self.heavy,
            damping=math.exp(-self.damping_1_s * self.step_s),
            most_step=self.most_speed_m_s * self.step_s,
            most_push=self.most_push_m,
            sleep=self.sleep_m_s * self.step_s,
            sleep_steps=round(self.sleep_s / self.step_s),
            stir=self.stir_m_s * self.step_s,
            touch=self.touch_m,
            reach=self.reach_m,
            skin=self.skin_m,
            clear=self.clear_m,
            flat=self.flat_m,
            rim=self.rim_m,
            rim_sin=math.sin(slope),
            rim_cos=math.cos(slope),
            table=self.table_z_m,
            world=self.rim_m + 0.03,
        )


class Noodles:
    """Noodles on a plate.

    Args:
        physics: Constants; those of the studies where it is None.
        compiled: Whether the physics is compiled; by default, where numba is installed. The numbers are the same.

    Raises:
        MissingExtra: It is to be compiled, and numba is not there.
    """

    food = PlateFood.NOODLES

    def __init__(self, physics: NoodlePhysics | None = None, *, compiled: bool | None = None) -> None:
        self.physics = physics or NoodlePhysics()
        self._numbers = self.physics.numbers()
        self._advance = stepper(compiled=compiled)
        self._strands: Floats = np.zeros((0, self.physics.points, 3))
        self._seen: PlateShapes | None = None
        self._held = PlateShapes()
        self.steps = 0
        self.stretch = 0.0
        """Largest stretch of a link in all motions so far, as a share."""

    # Plate

    def lay(self, random: np.random.Generator) -> None:
        """Drop strands at random, each wound a little, and let them come to rest."""
        spread_m = random.uniform(*self.physics.spread_m)
        self._strands = np.stack([self._strand(random, number, spread_m) for number in range(self.physics.strands)])
        work = self._work(self._strands, np.zeros((0, 3)))
        self._settle(work, None, 0.0)
        self._strands = work.strands.copy()

    def _strand(self, random: np.random.Generator, number: int, spread_m: float) -> Floats:
        it = self.physics
        bend = np.cumsum(random.normal(0.0, it.bend, it.points - 1))
        heading = random.uniform(0.0, 2.0 * math.pi) + np.cumsum(bend)
        steps = it.link_m * np.stack((np.cos(heading), np.sin(heading)), axis=1)
        line = np.concatenate((np.zeros((1, 2)), np.cumsum(steps, axis=0)))
        line -= line.mean(axis=0)
        at = random.normal(0.0, spread_m, 2)
        while np.hypot(*(line + at).T).max() > it.inside_m:
            at *= 0.95
        height = np.full(it.points, it.radius_m + it.drop_m * (number + 1))
        return np.column_stack((line + at, height))

    def footprint(self) -> Floats:
        """Return points of the food seen from above, n × 2 in metres, no further apart than 1 mm."""
        it = self.physics
        flat = self._strands[..., :2]
        way = flat[:, 1:] - flat[:, :-1]
        aside = np.stack((-way[..., 1], way[..., 0]), axis=-1)
        aside /= np.hypot(aside[..., 0], aside[..., 1])[..., None] + 1e-9
        along = np.linspace(0.0, 1.0, math.ceil(it.link_m / 0.0009) + 1)
        across = np.linspace(-it.radius_m, it.radius_m, math.ceil(2.0 * it.radius_m / 0.0009) + 1)
        points = (
            flat[:, :-1, None, None]
            + along[:, None, None] * way[:, :, None, None]
            + across[:, None] * aside[:, :, None, None]
        )
        return points.reshape(-1, 2)

    @property
    def strands(self) -> Floats:
        """Points of the strands that are left, n × points × 3, as a copy."""
        return self._strands.copy()

    def shapes(self) -> PlateShapes:
        """Return strands and tools as they are now."""
        return self._seen or PlateShapes(strands=self.strands)

    def left(self) -> float:
        """Return the share of the full plate that is on it."""
        return len(self._strands) / self.physics.strands

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return everything that changes, as copies."""
        return {"strands": self._strands.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` returned."""
        self._strands = np.array(arrays["strands"], dtype=np.float64)

    def twin(self) -> Self:
        """Return another engine with the same constants, whose plate is nobody's yet: `restore` it."""
        engine = object.__new__(type(self))
        engine.__dict__.update(self.__dict__)
        return engine

    # Motions

    def execute(self, primitive: PlatePrimitive, aim: Aim, watcher: Watcher | None = None) -> Moved:
        """Do a primitive exactly at an aim, and let the food come to rest. What was picked up is gone afterwards."""
        it = self.physics
        twirls = primitive is PlatePrimitive.ACQUIRE
        path = self.path(primitive, aim)
        work = self._work(self._strands, path[0], it.tine_radius_m if twirls else it.pusher_radius_m)
        try:
            self._follow(work, path, watcher, 0.0)
            strands = work.strands
            hangs = strands[..., 2].min(axis=1) > it.clear_m if twirls else np.zeros(len(strands), np.bool_)
            rest = self._work(strands[~hangs], np.zeros((0, 3)))
            self._held = PlateShapes(strands=strands[hangs], tools=_outlines(path[-1], work.tool_radius))
            self._settle(rest, watcher, len(path) * it.step_s)
        finally:
            self._seen, self._held = None, PlateShapes()
        after = rest.strands
        lost = np.hypot(after[..., 0], after[..., 1]).mean(axis=1) > it.rim_m
        stretch = max(float(work.gauges[STRETCH]), float(rest.gauges[STRETCH]))
        self.stretch = max(self.stretch, stretch)
        full = work.gauges[FULL] or rest.gauges[FULL]
        out = not np.isfinite(strands).all() or not np.isfinite(after).all() or np.abs(strands).max(initial=0.0) > 1.0
        if out or full or not stretch <= it.most_stretch:
            return Moved(unstable=True)
        self._strands = after[~lost].copy()
        fell = int(np.count_nonzero(work.lifted & ~hangs)) if twirls else 0
        taken, gone = int(np.count_nonzero(hangs)), int(np.count_nonzero(lost))
        return Moved(taken=taken / it.strands, lost=gone / it.strands, dropped=fell / it.strands)

    def path(self, primitive: PlatePrimitive, aim: Aim) -> Floats:
        """Return the way of a tool: for each step its parts, two ends each, in metres."""
        return self._twirl(aim) if primitive is PlatePrimitive.ACQUIRE else self._push(aim)

    def _work(self, strands: Floats, tools: Floats, radius: float = 0.0) -> NoodleWork:
        return NoodleWork.of(strands, tools, radius, self.physics.room)

    def _follow(self, work: NoodleWork, path: Floats, watcher: Watcher | None, since_s: float) -> None:
        stride = self.physics.stride
        for start in range(0, len(path), stride):
            part = path[start : start + stride]
            self._advance(work, self._numbers, part)
            self.steps += len(part)
            if watcher is not None:
                self._seen = PlateShapes(
                    strands=np.concatenate((work.strands, self._held.strands.reshape(-1, *work.strands.shape[1:]))),
                    tools=_outlines(part[-1], work.tool_radius) or self._held.tools,
                )
                watcher(since_s + (start + len(part)) * self.physics.step_s)

    def _settle(self, work: NoodleWork, watcher: Watcher | None, since_s: float) -> None:
        it = self.physics
        path = np.zeros((it.stride, 0, 3))
        for number in range(math.ceil(it.settle_s / (it.stride * it.step_s))):
            if not work.awake.any():
                break
            self._follow(work, path, watcher, since_s + number * it.stride * it.step_s)

    def _ground(self, x: Floats, y: Floats) -> Floats:
        """Return the height of the plate under places."""
        it = self.physics
        slope = it.rim_height_m / (it.rim_m - it.flat_m)
        return np.clip((np.hypot(x, y) - it.flat_m) * slope, 0.0, it.rim_height_m)

    def _twirl(self, aim: Aim) -> Floats:
        """Return the way of the fork: down, turn, tilt with the tips on the plate, lift, hold."""
        it = self.physics
        step = it.step_s
        down = it.hover_m - it.down_m_s * step * np.arange(math.ceil(it.hover_m / (it.down_m_s * step)) + 1)
        turn = np.linspace(0.0, 2.0 * math.pi * it.turns, math.ceil(2.0 * math.pi * it.turns / (it.turn_rad_s * step)))
        tilt = np.linspace(0.0, it.tilt_rad, math.ceil(it.tilt_rad / (it.tilt_rad_s * step)))
        lift = np.minimum(
            it.lift_m_s * step * np.arange(math.ceil(it.lift_m / (it.lift_m_s * step) + it.hold_s / step)), it.lift_m
        )
        counts = [len(down), len(turn), len(tilt), len(lift)]
        height = np.concatenate((np.maximum(down, 0.0), np.zeros(counts[1] + counts[2]), lift))
        turned = np.repeat([0.0, 0.0, turn[-1], turn[-1]], counts)
        turned[counts[0] : counts[0] + counts[1]] = turn
        tilted = np.repeat([0.0, 0.0, 0.0, it.tilt_rad], counts)
        tilted[counts[0] + counts[1] : -counts[3]] = tilt
        return self._fork(aim, height, turned, tilted)

    def _fork(self, aim: Aim, height: Floats, turned: Floats, tilted: Floats) -> Floats:
        """Return the ends of tines and palm for heights above the plate, turns and tilts."""
        it = self.physics
        x, y = aim.dense_m
        # The handle goes down along the grain, to the side on which the middle of the plate lies.
        along = np.array([math.cos(aim.grain_rad), math.sin(aim.grain_rad)])
        if along @ (-x, -y) < 0.0:
            along = -along
        start = math.atan2(along[1], along[0])
        forward = np.stack((np.cos(start + turned), np.sin(start + turned)), axis=1)
        row = np.stack((-forward[:, 1], forward[:, 0]), axis=1)
        offsets = (np.arange(it.tines) - (it.tines - 1) / 2.0) * it.tine_gap_m
        tips = np.array([x, y]) + offsets[:, None] * row[:, None]
        roots = tips + (it.tine_length_m * np.sin(tilted))[:, None, None] * forward[:, None]
        rise = (it.tine_length_m * np.cos(tilted))[:, None]
        under = self._ground(tips[..., 0], tips[..., 1]).max(axis=1, keepdims=True)
        low = self._ground(roots[..., 0], roots[..., 1]).max(axis=1, keepdims=True)
        # Upright it stands on the plate; as it is laid down it rides up on what lies beneath it.
        flat = (1.0 - np.cos(tilted))[:, None]
        beneath = under + it.above_m + np.minimum(flat, 1.0) * (it.belly_m - it.above_m)
        tip_z = np.maximum(beneath, low + it.belly_m - rise) + it.tine_radius_m + height[:, None]
        ends = np.empty((len(height), it.tines, 2, 3))
        ends[:, :, 0, :2], ends[:, :, 1, :2] = tips, roots
        ends[:, :, 0, 2], ends[:, :, 1, 2] = tip_z, tip_z + rise
        return ends.reshape(len(height), -1, 3)

    def _push(self, aim: Aim) -> Floats:
        """Return the way of the pusher: down behind the furthest food, straight to the densest, up."""
        it = self.physics
        far, dense = np.array(aim.far_m), np.array(aim.dense_m)
        way = dense - far
        length = float(np.hypot(*way))
        unit = way / length if length > 1e-9 else np.array([1.0, 0.0])
        start = far - it.behind_m * unit
        run = max(length + it.behind_m - it.short_m, 0.0)
        step = it.push_m_s * it.step_s
        down = np.maximum(it.hover_m - step * np.arange(math.ceil(it.hover_m / step) + 1), 0.0)
        go = np.minimum(step * np.arange(math.ceil(run / step) + 1), run)
        height = np.concatenate((down, np.zeros(len(go)), down[::-1]))
        gone = np.concatenate((np.zeros(len(down)), go, np.full(len(down), run)))
        middle = start + gone[:, None] * unit
        half = 0.5 * it.pusher_m * np.array([-unit[1], unit[0]])
        ends = np.empty((len(height), it.pusher_bars, 2, 3))
        ends[:, :, 0, :2], ends[:, :, 1, :2] = (middle - half)[:, None], (middle + half)[:, None]
        ground = self._ground(ends[..., 0], ends[..., 1]).max(axis=(1, 2))
        base = ground + it.above_m + it.pusher_radius_m + height
        ends[..., 2] = (base[:, None] + 2.0 * it.pusher_radius_m * np.arange(it.pusher_bars))[..., None]
        return ends.reshape(len(height), -1, 3)


def _outlines(ends: Floats, radius: float) -> tuple[Floats, ...]:
    """Return outlines of the bars of a tool; tines have a shoulder and a handle, too, which meet nothing."""
    bars = ends.reshape(-1, 2, 3)
    outlines = [_outline(bar[0], bar[1], radius) for bar in bars]
    if len(bars) > 2:  # a fork
        roots = bars[:, 1]
        middle, along = roots.mean(axis=0), (bars[:, 1] - bars[:, 0]).mean(axis=0)
        handle = _outline(middle, middle + along / np.linalg.norm(along) * HANDLE_M[0], HANDLE_M[1])
        outlines += [_outline(roots[0], roots[-1], 2.0 * radius), handle]
    return tuple(outlines)


def _outline(start: Floats, end: Floats, radius: float) -> Floats:
    """Return the outline of a bar seen from above: a square where it stands upright."""
    way = (end - start)[:2]
    length = float(np.hypot(*way))
    unit = way / length if length > radius else np.array([1.0, 0.0])
    along, aside = np.array([*unit, 0.0]) * radius, np.array([-unit[1], unit[0], 0.0]) * radius
    return np.stack((start - along - aside, start - along + aside, end + along + aside, end + along - aside))
