"""Beans on a walled tray: rigid bodies in MuJoCo, a spoon and a concave pusher that move them by contact alone.

Needs the extra `sim`. Between two actions all beans are at rest, so their poses are the whole state: each motion begins
from a cleared solver, and a plate that was saved, copied or rolled back goes on bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handup.core import OutOfRange
from handup.domains.feeding.gl import mujoco
from handup.domains.plate.clearing_world import Watcher
from handup.domains.plate.primitives import Aim, Floats, Mask, Moved, PlateFood, PlatePrimitive, PlateShapes

PARKED_M = 1.5
"""Distance at which beans lie that are off the tray."""
TRIES = 1000
"""Places that are drawn for one plate before it is begun anew."""
PLATES = 20
"""Plates that are begun before the tray is called too full."""
CLEAR_M = 0.001
"""Height of tools above what they move on."""
THICK_M = 0.003
"""Thickness of walls and sheets, as contacts feel it."""
HANDLE_M = (0.11, 0.008)
"""Length and width of handles, which are drawn and meet nothing."""
OUTLINE = 20
"""Points of a bean's outline."""


@dataclass(frozen=True, kw_only=True)
class BeanPhysics:
    """Constants of beans, tray and tools. Geometry and friction decide what is picked up; there is no rule for it.

    Those that decide whether pushing is worth while were set on tuning plates, seeds 910,000 to 910,031: spread, spoon,
    pusher and reach.

    Args:
        beans: Beans on a full plate: what the paper calls half full.
        bean_m: Full axes of a bean: a large jelly bean.
        bean_kg: Its mass: 1.24 cm³ of candy of 1.3 g/cm³.
        rolling: Damping of a bean's turning in N·m·s: an ellipsoid has none of a bean's flats and dents. One that rolls
            as fast as the tools go stops after half a centimetre.
        friction: Of beans on beans, tray and pusher: wax on metal or plastic, .3 to .4.
        spoon_friction: Of beans on the polished steel of the spoon.
        tray_m: Half the inner side of the tray, so that tray and walls just fill the mask.
        wall_m: Height of its walls, one bean: a bean that is pushed against one stays, one that is squeezed up may fall
            over it.
        spread_m: Half the side of the square over which beans are strewn: all of the tray that has room for a bean.
            The sparser the plate, the fewer beans there are in a scoop, and the more there is to gain by pushing.
        apart_m: Least distance between strewn beans: they are strewn, not heaped.
        spoon_m: Length and width of the spoon's bowl: a tablespoon at its tip, two beans wide.
        spoon_depth_m: Height of the spoon's edges: nearly one bean.
        spoon_slope: Rise of the spoon's floor towards the handle on the tray, in rad: the angle at which the paper's
            spoon is mounted. At 12° its back came down on beans behind it, which shot out.
        spoon_tilt: Fall of the floor towards the handle when it is lifted, in rad: more than friction holds, so that
            beans slide to the back.
        pusher_m: Width of the pusher's back, and of its mouth, which funnels into the spoon's width. With a mouth of
            44 mm, wider than any spoon, each push brought so many beans that nobody had to look before pushing.
        wing_m: Distance by which the pusher's wings reach forward: a third of a bean, so that beans do not roll off.
        reach_m: Distance of either tool from the aim when they come down: two arms come no nearer to each other.
        meet_m: Distance between lip and pusher at which the spoon stops, and the pusher goes on: just over a bean.
        cover_m: Distance behind the lip to which the pusher follows: half a bean.
        back_m: Distance behind the furthest food at which the pusher comes down: half a bean, and room for error.
        stop_m: Distance from the densest place at which the pusher's back stops: what it pushes has arrived.
        land_m: Height over the tray from which tools come down: just over a bean.
        lift_m: Height to which the spoon is lifted, over that at which it has tilted. What was higher had been lifted.
        lift_m_s: Speed of that: what is in the spoon lies still.
        step_s: Time step: less than half the time constant of contacts, as MuJoCo asks for.
        stride: Steps between two looks of a watcher: some thirty a second.
        speed_m_s: Speed of tools: 0.25 mm a step, so that no bean is run through.
        settle: Most strides until all is at rest.
        rest_m_s: Speed below which a bean is at rest: it would roll on for less than a millimetre.
        stiff_s: Time constant of contacts, three steps: beans feel hard, and squeezed ones do not shoot out.
    """

    beans: int = 15
    bean_m: tuple[float, float, float] = (0.018, 0.012, 0.011)
    bean_kg: float = 0.0016
    rolling: float = 2e-6
    friction: float = 0.35
    spoon_friction: float = 0.2
    tray_m: float = 0.112
    wall_m: float = 0.012
    spread_m: float = 0.1
    apart_m: float = 0.015
    spoon_m: tuple[float, float] = (0.045, 0.030)
    spoon_depth_m: float = 0.010
    spoon_slope: float = math.radians(30.0)
    spoon_tilt: float = math.radians(20.0)
    pusher_m: tuple[float, float] = (0.022, 0.028)
    wing_m: float = 0.006
    reach_m: float = 0.020
    meet_m: float = 0.020
    cover_m: float = 0.006
    back_m: float = 0.014
    stop_m: float = 0.012
    land_m: float = 0.012
    lift_m: float = 0.032
    lift_m_s: float = 0.25
    step_s: float = 0.002
    stride: int = 16
    speed_m_s: float = 0.125
    settle: int = 40
    rest_m_s: float = 0.005
    stiff_s: float = 0.006

    def __post_init__(self) -> None:
        if not 0.0 < self.spread_m <= self.tray_m - self.bean_m[0] / 2.0:
            must = "be above 0, and leave room for a bean before the walls"
            raise OutOfRange.of("spread_m", self.spread_m, must, hint="Give a smaller spread or a larger tray.")


class _Broken(Exception):
    """Raised when the physics went wrong."""


class BeanEngine:
    """Physics of a plate of beans.

    Args:
        physics: Its constants.

    Raises:
        MissingExtra: MuJoCo is not installed.
    """

    food = PlateFood.BEANS

    def __init__(self, physics: BeanPhysics | None = None) -> None:
        self.physics = physics or BeanPhysics()
        self.model = _model(self.physics)
        self.data = mujoco().MjData(self.model)
        self._poses = _parked(self.physics)
        self._on = np.zeros(self.physics.beans, dtype=np.bool_)
        self._lifted = self._on.copy()
        self._moving = False
        self.steps = 0

    # The plate

    def lay(self, random: np.random.Generator) -> None:
        """Strew a full plate of beans, and let them come to rest."""
        c = self.physics
        for _ in range(PLATES):
            places, turns = _strewn(c, random), random.uniform(0.0, math.pi, c.beans)
            if len(places) < c.beans:
                continue
            self._poses, self._on = np.zeros((c.beans, 7)), np.ones(c.beans, dtype=np.bool_)
            self._poses[:, :2], self._poses[:, 2] = places, c.bean_m[2]
            self._poses[:, 3], self._poses[:, 6] = np.cos(turns), np.sin(turns)
            if not self._done(iter(()), None).unstable and self._on.all():
                return
        raise OutOfRange.of("beans", c.beans, "find room on the tray", hint="Give fewer, or a larger spread_m.")

    def footprint(self) -> Floats:
        """Return points of the beans seen from above, n × 2 in metres, no further apart than 1 mm."""
        flat: Floats = self._from_above(self._poses[self._on], _disc(max(self.physics.bean_m) / 2.0)).reshape(-1, 2)
        return flat

    def _from_above(self, poses: Floats, disc: Floats) -> Floats:
        """Return for each bean the places, seen from above, of points of a disc of radius 1."""
        # Seen from above an ellipsoid is an ellipse; the square root of its matrix turns a disc of radius 1 into it.
        spread = _matrices(poses[:, 3:])[:, :2] * (np.array(self.physics.bean_m) / 2.0)
        width, axes = np.linalg.eigh(spread @ spread.transpose(0, 2, 1))
        root = axes * np.sqrt(width)[:, None, :]
        places: Floats = np.einsum("bij,pj->bpi", root, disc) + poses[:, None, :2]
        return places

    def shapes(self) -> PlateShapes:
        """Return beans and tools as they are now."""
        poses = (self._beans() if self._moving else self._poses)[self._on]
        angles = np.linspace(0.0, 2.0 * math.pi, OUTLINE, endpoint=False)
        flat = self._from_above(poses, np.stack((np.cos(angles), np.sin(angles)), axis=1))
        pieces = np.concatenate((flat, np.broadcast_to(poses[:, None, 2:3], (*flat.shape[:2], 1))), axis=2)
        if not self._moving:
            return PlateShapes(pieces=pieces)
        at = self.data.qpos[:14].reshape(2, 7)
        turns = _matrices(at[:, 3:])
        bed, handle, pusher, shaft = _outlines(self.physics)
        spoon = tuple(part @ turns[0].T + at[0, :3] for part in (bed, handle))
        return PlateShapes(
            pieces=pieces, beds=spoon, tools=tuple(part @ turns[1].T + at[1, :3] for part in (pusher, shaft))
        )

    def left(self) -> float:
        """Return the share of the beans that is on the tray."""
        return int(self._on.sum()) / self.physics.beans

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return where the beans lie, and which of them are on the tray."""
        return {"poses": self._poses.copy(), "on": self._on.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` returned.

        Raises:
            ValueError: They are of another number of beans.
        """
        poses, on = arrays["poses"], arrays["on"]
        if poses.shape != self._poses.shape or on.shape != self._on.shape or not np.isfinite(poses).all():
            raise ValueError("the arrays are of other beans")
        self._poses, self._on = poses.copy(), on.copy()

    def twin(self) -> Self:
        """Return another engine with the same constants, whose plate is to be restored."""
        return type(self)(self.physics)

    # Motions

    def execute(self, primitive: PlatePrimitive, aim: Aim, watcher: Watcher | None = None) -> Moved:
        """Scoop or push exactly at an aim, and let the beans come to rest. What is in the spoon is gone afterwards."""
        motion = self._scoop(aim) if primitive is PlatePrimitive.ACQUIRE else self._push(aim)
        return self._done(motion, watcher)

    def _done(self, motion: Iterator[tuple[Floats, Floats]], watcher: Watcher | None) -> Moved:
        """Take the tools through a motion, wait until all is at rest, and look what is where.

        Until then nothing of the plate changes but MuJoCo's own record, which the next motion clears.
        """
        module, data = mujoco(), self.data
        module.mj_resetData(self.model, data)
        data.qpos[:14], data.qpos[14:] = _AWAY, self._poses.ravel()
        self._lifted = np.zeros_like(self._on)
        self._moving = True
        try:
            for spoon, pusher in motion:
                self._stride(spoon, pusher, watcher)
            for _ in range(self.physics.settle):
                self._stride(data.qpos[:7].copy(), data.qpos[7:14].copy(), watcher)
                if self._at_rest():
                    break
            return self._taken_over()
        except _Broken:
            return Moved(unstable=True)
        finally:
            self._moving = False

    def _stride(self, spoon: Floats, pusher: Floats, watcher: Watcher | None) -> None:
        """Let both tools be at these poses after one stride. They have velocity, so that contacts feel a motion."""
        module, data, c = mujoco(), self.data, self.physics
        for tool, goal in enumerate((spoon, pusher)):
            at, velocity = data.qpos[7 * tool : 7 * tool + 7], data.qvel[6 * tool : 6 * tool + 6]
            module.mju_subQuat(turning := np.zeros(3), goal[3:], at[3:])
            velocity[:3] = (goal[:3] - at[:3]) / (c.stride * c.step_s)
            velocity[3:] = turning / (c.stride * c.step_s)
        module.mj_step(self.model, data, c.stride)
        self.steps += c.stride
        if not np.isfinite(data.qpos).all() or any(warning.number for warning in data.warning):
            raise _Broken
        self._lifted |= self._beans()[:, 2] > c.lift_m
        if watcher is not None:
            watcher(float(data.time))

    def _jump(self, spoon: Floats, pusher: Floats) -> None:
        """Put both tools somewhere in the air, where they meet nothing."""
        self.data.qpos[:7], self.data.qpos[7:14] = spoon, pusher

    def _beans(self) -> Floats:
        beans: Floats = self.data.qpos[14:].reshape(-1, 7)
        return beans

    def _in_spoon(self) -> Mask:
        """Return which beans the spoon has lifted."""
        beans, (length, width) = self._beans(), self.physics.spoon_m
        local = (beans[:, :3] - self.data.qpos[:3]) @ _matrices(self.data.qpos[None, 3:7])[0]
        above = (local[:, 0] > 0.0) & (local[:, 0] < length) & (np.abs(local[:, 1]) < width / 2.0) & (local[:, 2] > 0.0)
        lifted: Mask = self._on & above & (beans[:, 2] > self.physics.lift_m)
        return lifted

    def _at_rest(self) -> bool:
        """Return whether all beans sleep but those in the spoon, which leave the plate."""
        moving = self.data.qvel[12:].reshape(-1, 6).any(axis=1)
        return not (moving & ~self._in_spoon()).any()

    def _taken_over(self) -> Moved:
        """Take over where the beans lie now, without those that are in the spoon or off the tray.

        Raises:
            _Broken: A bean is below the tray.
        """
        c, beans = self.physics, self._beans()
        if (beans[:, 2] < 0.0).any():
            raise _Broken
        taken = self._in_spoon()
        lost = self._on & ~taken & (np.abs(beans[:, :2]).max(axis=1) > c.tray_m)
        dropped = self._on & self._lifted & ~taken & ~lost
        self._on = self._on & ~taken & ~lost
        self._poses = np.where(self._on[:, None], beans, _parked(c))
        shares = [int(group.sum()) / c.beans for group in (taken, lost, dropped)]
        return Moved(taken=shares[0], lost=shares[1], dropped=shares[2])

    def _scoop(self, aim: Aim) -> Iterator[tuple[Floats, Floats]]:
        """Yield poses of spoon and pusher: close in on the densest place from both sides, tilt, lift."""
        c = self.physics
        x, y = np.clip(aim.dense_m, -c.tray_m, c.tray_m).tolist()
        # The spoon comes from the middle of the tray: on the other side there is a wall where it would lie.
        side, yaw = (-1.0, math.pi) if x > 0.0 else (1.0, 0.0)
        inside = c.tray_m - THICK_M

        def poses(lip_m: float, gap_m: float, slope: float, up_m: float = 0.0) -> tuple[Floats, Floats]:
            spoon = _pose((x + side * lip_m, y, CLEAR_M + up_m), yaw=yaw, pitch=-slope)
            # Once the pusher is past the lip it slides on the spoon's floor.
            height_m = 2.0 * CLEAR_M + up_m + max(-gap_m, 0.0) * math.sin(slope)
            back_m = min(max(x + side * (lip_m - gap_m), -inside), inside)
            return spoon, _pose((back_m, y, height_m), yaw=yaw)

        apart, lip, rise = 2.0 * c.reach_m, c.meet_m / 2.0, c.spoon_m[0] * math.sin(c.spoon_tilt)
        turn = c.spoon_slope + c.spoon_tilt
        self._jump(*poses(c.reach_m, apart, c.spoon_slope, c.land_m))
        for share in self._shares(c.land_m):
            yield poses(c.reach_m, apart, c.spoon_slope, (1.0 - share) * c.land_m)
        for share in self._shares(c.reach_m - lip):
            gap = apart + share * (c.meet_m - apart)
            yield poses(gap / 2.0, gap, c.spoon_slope)
        for share in self._shares(c.meet_m + c.cover_m):
            yield poses(lip, c.meet_m - share * (c.meet_m + c.cover_m), c.spoon_slope)
        for share in self._shares(turn * c.spoon_m[0]):
            yield poses(lip, -c.cover_m, c.spoon_slope - share * turn, share * rise)
        _, held = poses(lip, -c.cover_m, -c.spoon_tilt, rise)
        for share in self._shares(c.lift_m, c.lift_m_s):
            spoon, _ = poses(lip, -c.cover_m, -c.spoon_tilt, rise + share * c.lift_m)
            yield spoon, held

    def _push(self, aim: Aim) -> Iterator[tuple[Floats, Floats]]:
        """Yield poses of a push that takes the furthest food to the densest place."""
        c = self.physics
        far, dense = np.clip([aim.far_m, aim.dense_m], -c.tray_m, c.tray_m)
        length = float(np.hypot(*(dense - far)))
        unit = (dense - far) / length if length > CLEAR_M else np.array([1.0, 0.0])
        yaw, inside = math.atan2(unit[1], unit[0]), c.tray_m - THICK_M
        start = np.clip(far - c.back_m * unit, -inside, inside)
        end = start + max(float((dense - start) @ unit) - c.stop_m, 0.0) * unit
        spoon = _AWAY[:7]

        def pose(place: Floats, up_m: float = 0.0) -> Floats:
            return _pose((float(place[0]), float(place[1]), CLEAR_M + up_m), yaw=yaw)

        self._jump(spoon, pose(start, c.land_m))
        for share in self._shares(c.land_m):
            yield spoon, pose(start, (1.0 - share) * c.land_m)
        for share in self._shares(float(np.hypot(*(end - start)))):
            yield spoon, pose(start + share * (end - start))
        for share in self._shares(c.land_m):
            yield spoon, pose(end - share * THICK_M * unit, share * c.land_m)

    def _shares(self, way_m: float, speed_m_s: float | None = None) -> Floats:
        """Return shares of a way, one for each stride; at both ends the tools go at half their speed."""
        c = self.physics
        count = max(2, math.ceil(way_m / ((speed_m_s or c.speed_m_s) * c.stride * c.step_s)) + 1)
        speeds = np.ones(count)
        speeds[[0, -1]] = 0.5
        shares: Floats = np.cumsum(speeds) / speeds.sum()
        return shares


# The model


@cache
def _model(c: BeanPhysics) -> Any:
    """Return the compiled tray. It never changes, so all engines with the same constants share it."""
    module = mujoco()
    kinds, spec = module.mjtGeom, module.MjSpec()
    option = spec.option
    option.timestep, option.iterations, option.ls_iterations = c.step_s, 6, 6
    option.cone = module.mjtCone.mjCONE_PYRAMIDAL
    option.disableflags |= int(module.mjtDisableBit.mjDSBL_AUTORESET)
    option.enableflags |= int(module.mjtEnableBit.mjENBL_SLEEP)
    option.sleep_tolerance = c.rest_m_s
    still = {"contype": 1, "conaffinity": 2, "friction": [c.friction, 0.005, 0.0001]}
    spec.worldbody.add_geom(name="tray", type=kinds.mjGEOM_PLANE, size=[3, 3, 0.1], **still)
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        long = c.tray_m + 2.0 * THICK_M
        spec.worldbody.add_geom(
            type=kinds.mjGEOM_BOX,
            size=[THICK_M if x else long, THICK_M if y else long, c.wall_m / 2.0],
            pos=[x * (c.tray_m + THICK_M), y * (c.tray_m + THICK_M), c.wall_m / 2.0],
            **still,
        )
    _spoon(spec, c, kinds)
    _pusher(spec, c, kinds)
    for number in range(c.beans):
        body = spec.worldbody.add_body(name=f"bean {number}")
        body.add_freejoint()
        body.add_geom(
            name=f"bean {number}", type=kinds.mjGEOM_ELLIPSOID, size=[axis / 2.0 for axis in c.bean_m],
            mass=c.bean_kg, contype=2, conaffinity=3, condim=3, friction=[c.friction, 0.005, 0.0001],
            solref=[c.stiff_s, 1.0], rgba=[0.75, 0.15, 0.2, 1.0],
        )  # fmt: skip
    model = spec.compile()
    model.dof_damping[:] = 0.0
    damping = model.dof_damping[12:].reshape(-1, 6)
    damping[:, 3:] = c.rolling
    return model


def _tool(spec: Any, name: str) -> Any:
    """Return a body so heavy that beans do not slow it; it is driven by its velocity."""
    body = spec.worldbody.add_body(
        name=name, gravcomp=1.0, explicitinertial=True, mass=5.0, inertia=[0.05, 0.05, 0.05],
        sleep=mujoco().mjtSleepPolicy.mjSLEEP_NEVER,
    )  # fmt: skip
    body.add_freejoint()
    return body


def _spoon(spec: Any, c: BeanPhysics, kinds: Any) -> None:
    """Add the spoon: lip at the origin, floor along x towards the handle."""
    (length, width), depth = c.spoon_m, c.spoon_depth_m
    body = _tool(spec, "spoon")
    steel = {
        "type": kinds.mjGEOM_BOX, "contype": 1, "conaffinity": 2, "priority": 1,
        "friction": [c.spoon_friction, 0.005, 0.0001], "rgba": [0.7, 0.72, 0.75, 1.0], "solref": [c.stiff_s, 1.0],
    }  # fmt: skip
    # The floor's underside is below the tray at the lip; tools and tray do not touch.
    body.add_geom(size=[length / 2.0, width / 2.0, THICK_M / 2.0], pos=[length / 2.0, 0.0, -THICK_M / 2.0], **steel)
    for side in (-1.0, 1.0):
        body.add_geom(
            size=[length / 2.0, THICK_M / 2.0, depth / 2.0],
            pos=[length / 2.0, side * (width + THICK_M) / 2.0, depth / 2.0 - CLEAR_M], **steel,
        )  # fmt: skip
    body.add_geom(size=[THICK_M / 2.0, width / 2.0, depth], pos=[length + THICK_M / 2.0, 0.0, depth - CLEAR_M], **steel)


def _pusher(spec: Any, c: BeanPhysics, kinds: Any) -> None:
    """Add the pusher: middle of its back at the origin, mouth along x."""
    back, mouth = c.pusher_m
    body = _tool(spec, "pusher")
    sheet = {
        "type": kinds.mjGEOM_BOX, "contype": 1, "conaffinity": 2,
        "friction": [c.friction, 0.005, 0.0001], "rgba": [0.2, 0.4, 0.45, 1.0], "solref": [c.stiff_s, 1.0],
    }  # fmt: skip
    height = c.bean_m[0] / 2.0
    body.add_geom(size=[THICK_M / 2.0, back / 2.0, height], pos=[-THICK_M / 2.0, 0.0, height], **sheet)
    out = (mouth - back) / 2.0
    long, turn = math.hypot(out, c.wing_m), math.atan2(out, c.wing_m)
    for side in (-1.0, 1.0):
        body.add_geom(
            size=[long / 2.0, THICK_M / 2.0, height],
            pos=[c.wing_m / 2.0 - THICK_M / 2.0, side * (back + out) / 2.0, height],
            quat=[math.cos(turn / 2.0), 0.0, 0.0, side * math.sin(turn / 2.0)], **sheet,
        )  # fmt: skip


@cache
def _outlines(c: BeanPhysics) -> tuple[Floats, ...]:
    """Return outlines of the spoon's bowl and handle, and of the pusher and its handle, each from its own origin."""
    (length, width), (back, mouth), (long, wide), thick = c.spoon_m, c.pusher_m, HANDLE_M, THICK_M
    high = c.bean_m[0]
    bowl = [(0.0, -0.42, 0.0), (0.1, -0.5, 0.0), (1.0, -0.5, 0.0), (1.0, 0.5, 0.0), (0.1, 0.5, 0.0), (0.0, 0.42, 0.0)]
    edge = [(c.wing_m, mouth / 2.0), (c.wing_m, mouth / 2.0 + thick), (-thick, back / 2.0 + thick)]
    inside = [(0.0, back / 2.0)]
    pusher = [*inside, *edge, *((x, -y) for x, y in (*reversed(edge), *inside))]
    return (
        np.array(bowl) * (length, width, 1.0),
        _handle(0.9 * length, long, wide, c.spoon_depth_m),
        np.array([(x, y, high) for x, y in pusher]),
        _handle(-thick, -long, wide, high, rise_m=long / 2.0),
    )


def _handle(from_m: float, long_m: float, wide_m: float, high_m: float, *, rise_m: float = 0.0) -> Floats:
    """Return the outline of a handle along x."""
    ends = [(from_m, -1.0, high_m), (from_m + long_m, -1.0, high_m + rise_m)]
    return np.array([*ends, *((x, -side, z) for x, side, z in reversed(ends))]) * (1.0, wide_m / 2.0, 1.0)


def _pose(place_m: tuple[float, float, float], *, yaw: float = 0.0, pitch: float = 0.0) -> Floats:
    """Return place and quaternion: first pitched about y, then turned about z."""
    cy, sy, cp, sp = math.cos(yaw / 2.0), math.sin(yaw / 2.0), math.cos(pitch / 2.0), math.sin(pitch / 2.0)
    return np.array([*place_m, cy * cp, -sy * sp, cy * sp, sy * cp])


_AWAY = np.concatenate([_pose((0.4, 0.0, 0.3)), _pose((-0.4, 0.0, 0.3))])
"""Poses of spoon and pusher where they are in nobody's way."""


@cache
def _parked(c: BeanPhysics) -> Floats:
    """Return poses at rest far from the tray, n × 7."""
    poses = np.zeros((c.beans, 7))
    poses[:, 0] = PARKED_M + 2.0 * c.bean_m[0] * np.arange(c.beans)
    poses[:, 2], poses[:, 3] = c.bean_m[2] / 2.0, 1.0
    return poses


def _strewn(c: BeanPhysics, random: np.random.Generator) -> Floats:
    """Return places of beans all over the tray, none upon another."""
    places: list[Floats] = []
    for _ in range(TRIES):
        place = random.uniform(-c.spread_m, c.spread_m, 2)
        if all(math.dist(place, before) >= c.apart_m for before in places):
            places.append(place)
        if len(places) == c.beans:
            break
    return np.array(places)


@cache
def _disc(radius_m: float) -> Floats:
    """Return points that fill a disc of radius 1, at most 1 mm apart once it is as large as a bean."""
    steps = math.ceil(radius_m * 1000.0)
    rings = [np.zeros((1, 2))]
    for ring in range(1, steps + 1):
        angles = np.linspace(0.0, 2.0 * math.pi, math.ceil(2.0 * math.pi * ring * radius_m * 1000.0 / steps), False)
        rings.append(np.stack([np.cos(angles), np.sin(angles)], axis=1) * ring / steps)
    return np.concatenate(rings)


def _matrices(quats: Floats) -> Floats:
    """Return the matrices of quaternions, n × 3 × 3."""
    w, x, y, z = quats.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)
