"""The arm, which takes the fork from place to place through the simulation, and the fork at work.

The arm keeps its time. The fork pierces, winds and sweeps up, and lets go what its hold does not bear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.capture import CAPTURE, hold_n, scooped_ml, stuck, tine_depths_mm, wound
from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.scene import (
    BLADE_HALF_WIDTH_M,
    SHOW_M,
    STEP_S,
    TINE_GAP_M,
    TINE_LENGTH_M,
    TINES,
    TOUCH_BLADE,
    TOUCH_TINES,
    Mound,
    Piece,
    PlateScene,
)
from handup.domains.feeding.skills import SkillExecution

Floats = NDArray[np.float64]
STRIDE = 2
"""Physics steps between two looks at forces."""
FREE_M_S = 1.2
SCOOP_TILT = np.radians(22.0)
TOO_FAST = 100.0
"""Speed in m/s or rad/s that no piece of food reaches unless the physics went wrong."""
GLIDE_STRIDES = 40
HOVER_M, BOTTOM_M, LIFT_M = 0.052, 0.0022, 0.11
DOWN_M_S, SWEEP_M_S, CARRY_M_S = 0.16, 0.16, 0.9
LONGEST_SCOOP_M = 0.10
SHORTEST_SCOOP_M = 1e-6
"""Length below which a way has no direction; the fork then comes as it waits."""


class Unstable(Exception):
    """Raised when the physics went wrong; whoever runs it rolls back."""


class Arm:
    """Arm that moves the fork. Build one per execution.

    Args:
        scene: The plate; changed.
        each_stride: Called with the time that passed after every few steps: a film is made there.
    """

    def __init__(self, scene: PlateScene, each_stride: Callable[[float], None]) -> None:
        self._scene, self._model, self._data = scene, scene.model, scene.data
        self._module = mujoco()
        self._stride = each_stride
        self._glide: dict[int, tuple[Floats, Floats, int]] = {}
        self.seconds = 0.0

    def go(self, place: Floats, frame: Floats) -> None:
        """Go to a place from where it waits, empty: nothing else moves meanwhile, so only the film sees it."""
        start = self.place().copy()
        seconds = float(np.linalg.norm(place - start)) / FREE_M_S
        count = max(int(seconds / (STRIDE * STEP_S)), 2)
        for share in eased(count):
            lifted = start + share * (place - start) + np.array([0.0, 0.0, 0.04 * np.sin(np.pi * share)])
            self.jump(lifted, frame)

    def move(self, place: Floats, frame: Floats) -> None:
        """Be there after the next stride."""
        span = STRIDE * STEP_S
        velocity = np.zeros(6)
        # The fork is driven by its velocity, so that contacts feel a motion and no jump.
        velocity[:3] = np.clip((place - self.place()) / span, -1.0, 1.0)
        goal_quat, turning = np.zeros(4), np.zeros(3)
        self._module.mju_mat2Quat(goal_quat, frame.ravel())
        at = self._scene.fork_qpos
        self._module.mju_subQuat(turning, goal_quat, self._data.qpos[at + 3 : at + 7])
        velocity[3:] = turning / span
        # A piece that was scooped slides to its place in small steps: a jump would throw it off.
        for weld, (start, goal, done) in list(self._glide.items()):
            share = min((done + 1) / GLIDE_STRIDES, 1.0)
            self._model.eq_data[weld, 3:6] = start + share * (goal - start)
            self._glide[weld] = (start, goal, done + 1)
        self._data.qvel[self._scene.fork_dof : self._scene.fork_dof + 6] = velocity
        self._module.mj_step(self._model, self._data, STRIDE)
        self._data.qpos[at : at + 3], self._data.qpos[at + 3 : at + 7] = place, goal_quat
        self.seconds += span
        if not np.isfinite(self._data.qvel).all() or np.abs(self._data.qvel).max() > TOO_FAST:
            raise Unstable
        self._stride(self.seconds)

    def jump(self, place: Floats, frame: Floats) -> None:
        """Be there without physics: for an empty fork in the air."""
        at, dof = self._scene.fork_qpos, self._scene.fork_dof
        quat = np.zeros(4)
        self._module.mju_mat2Quat(quat, frame.ravel())
        self._data.qpos[at : at + 3], self._data.qpos[at + 3 : at + 7] = place, quat
        self._data.qvel[dof : dof + 6] = 0.0
        self.seconds += STRIDE * STEP_S
        self._stride(self.seconds)

    def touching(self, *, tines: bool, blade: bool) -> None:
        """Set what pieces feel of the fork: its tines, or the blade that they make when it is held flat."""
        self._model.geom_contype[list(self._scene.tines)] = TOUCH_TINES if tines else 0
        self._model.geom_contype[self._scene.blade] = TOUCH_BLADE if blade else 0

    def place(self) -> Floats:
        """Return the place of the tips."""
        place: Floats = self._data.qpos[self._scene.fork_qpos : self._scene.fork_qpos + 3]
        return place

    def axes(self) -> Floats:
        """Return the fork's axes as columns: along the row, out of its back, towards the handle."""
        axes = np.zeros(9)
        self._module.mju_quat2Mat(axes, self._data.qpos[self._scene.fork_qpos + 3 : self._scene.fork_qpos + 7])
        return axes.reshape(3, 3)

    def column(self, axis: int) -> Floats:
        """Return one of the fork's axes."""
        return self.axes()[:, axis]

    def tips(self) -> Floats:
        """Return the place of each tine's tip."""
        offsets = (np.arange(TINES) - (TINES - 1) / 2) * TINE_GAP_M
        return self.place() + offsets[:, None] * self.column(0)

    def weld(self, piece: Piece) -> None:
        """Fasten a piece to the fork as it lies now."""
        self._model.eq_data[piece.weld, :11] = self._relative(piece.body)
        self._data.eq_active[piece.weld] = 1

    def pull_n(self, piece: Piece) -> float:
        """Return how hard a fastened piece pulls, in N."""
        kinds = self._data.efc_type == int(self._module.mjtConstraint.mjCNSTR_EQUALITY)
        rows = np.flatnonzero(kinds & (self._data.efc_id == piece.weld))
        return float(np.linalg.norm(self._data.efc_force[rows[:3]])) if len(rows) else 0.0

    def _relative(self, body: int) -> Floats:
        """Return a weld's numbers for a body as it lies: anchor, place and turn in the fork's frame, torque scale."""
        module, fork = self._module, self._scene.fork
        inverse, back, turn, record = np.zeros(4), np.zeros(3), np.zeros(4), np.zeros(11)
        module.mju_negQuat(inverse, self._data.xquat[fork])
        module.mju_rotVecQuat(back, self._data.xpos[body] - self._data.xpos[fork], inverse)
        module.mju_mulQuat(turn, inverse, self._data.xquat[body])
        record[3:6], record[6:10], record[10] = back, turn, 0.02
        return record


def wait(scene: PlateScene, data: Any = None, *, flat: bool = False) -> None:
    """Put the fork where it waits, at rest, in the scene's data or in other data."""
    data = scene.data if data is None else data
    at, dof = scene.fork_qpos, scene.fork_dof
    quat = np.zeros(4)
    mujoco().mju_mat2Quat(quat, waiting_frame(0.0, flat=flat).ravel())
    data.qpos[at : at + 7] = [*SHOW_M, *quat]
    data.qvel[dof : dof + 6] = 0.0


def waiting_frame(angle: float, *, flat: bool) -> Floats:
    """Return how the fork is turned: upright or flat, along a direction; 0 is the one in which it waits."""
    return flat_frame(np.array([np.cos(angle), np.sin(angle)])) if flat else upright(angle)


def upright(angle: float) -> Floats:
    """Return a frame with the tines down and their row across a line of this direction."""
    sin, cos = float(np.sin(angle)), float(np.cos(angle))
    return np.array([[-sin, -cos, 0.0], [cos, -sin, 0.0], [0.0, 0.0, 1.0]])


def flat_frame(unit: Floats) -> Floats:
    """Return a frame with the tines forward along a direction and a little down, hollow side up."""
    x, y = float(unit[0]), float(unit[1])
    sin, cos = float(np.sin(SCOOP_TILT)), float(np.cos(SCOOP_TILT))
    return np.array([[-y, -sin * x, -cos * x], [x, -sin * y, -cos * y], [0.0, -cos, sin]])


def eased(count: int) -> Floats:
    """Return shares of a way, slow at both ends."""
    shares: Floats = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, count + 1) / count)
    return shares


@dataclass
class Load:
    """Load of the fork.

    Args:
        pieces: Index of each piece, and the pull in N that its hold bears.
        heap: Index of the heap that some of the load is from, or None.
        ml: Volume of that, in ml.
        smear: True if only a smear of it sticks.
    """

    pieces: dict[int, float] = field(default_factory=dict)
    heap: int | None = None
    ml: float = 0.0
    smear: bool = False


class Fork(Arm):
    """Fork at work: the motion of one execution. Build one per execution.

    Args:
        scene: The plate; changed.
        random: Generator of the arm's jitter, and of how well this piece holds.
        each_stride: Called with the simulated time after every few steps: a film is made there.
    """

    def __init__(self, scene: PlateScene, random: np.random.Generator, each_stride: Callable[[float], None]) -> None:
        super().__init__(scene, each_stride)
        self._luck = float(np.exp(random.normal(0.0, CAPTURE.luck)))
        self._shift = random.normal(0.0, CAPTURE.jitter_mm / 1000.0, 2)
        self._turn = float(np.radians(random.normal(0.0, CAPTURE.jitter_deg)))
        self._by_touch = {piece.touch: index for index, piece in enumerate(scene.pieces)}
        self._pierced: dict[int, None] = {}
        self._flat_now = False
        self.load = Load()
        self.broke = False

    def outcome(self) -> SkillExecution:
        """Return what came of the execution."""
        pieces = [self._scene.pieces[index] for index in self.load.pieces]
        pieces.sort(key=lambda piece: -float(self._model.body_mass[piece.body]))
        names = [piece.food.name for piece in pieces]
        if self.load.heap is not None and not self.load.smear:
            names.append(self._scene.mounds[self.load.heap].heap.food.name)
        missed = "the hold broke" if self.broke else "a smear" if self.load.heap is not None else "nothing held"
        return SkillExecution(
            picked=names[0] if names else None,
            also=tuple(name for name in dict.fromkeys(names) if name != names[0]),
            seconds=self.seconds,
            reason=f"{names[0]} on the fork" if names else missed,
        )

    # The three skills

    def skewer(self, first_m: Floats, second_m: Floats) -> None:
        """Go straight down at the midpoint, the row of tines across the line; then up."""
        at, angle = self._aim(first_m, second_m)
        self.go(np.array([*at, HOVER_M]), upright(angle))
        self._down(at, angle, CAPTURE.guard_n)
        self._hold(1.0)
        tips = self.tips()
        self._from_heaps(lambda mound: stuck(mound.heap, tips), at, 0.012, 6.0)
        self._away(angle, flat=False)

    def twirl(self, first_m: Floats, second_m: Floats) -> None:
        """Go gently down at the midpoint, the row of tines across the strands; turn twice; then go up."""
        at, angle = self._aim(first_m, second_m)
        self.go(np.array([*at, HOVER_M]), upright(angle))
        self._down(at, angle, CAPTURE.twirl_guard_n)
        height = float(self._data.qpos[self._scene.fork_qpos + 2])
        for turned in np.linspace(0.0, 4.0 * np.pi, 120):
            self.move(np.array([*at, height]), upright(angle + turned))
        self._hold(CAPTURE.torn)
        self._from_heaps(lambda mound: wound(mound.heap, at, angle), at, 0.017, 9.0)
        self._away(angle, flat=False)

    def scoop(self, first_m: Floats, second_m: Floats) -> None:
        """Sweep flat along the line, from the first point to the second; then go up, hollow side up."""
        turn = np.array([[np.cos(self._turn), -np.sin(self._turn)], [np.sin(self._turn), np.cos(self._turn)]])
        way = turn @ (second_m - first_m)
        length = float(np.hypot(*way))
        # A way that is too long for the arm is shortened around its middle.
        way = way * min(1.0, LONGEST_SCOOP_M / max(length, 1e-9))
        start = (first_m + second_m) / 2 - way / 2 + self._shift
        end = start + way
        unit = way / min(length, LONGEST_SCOOP_M) if length > SHORTEST_SCOOP_M else turn[:, 0]
        frame = flat_frame(unit)
        self._flat_now = True
        self.touching(tines=False, blade=True)
        self.go(np.array([*(start - 0.012 * unit), 0.035]), frame)
        for share in np.linspace(0.0, 1.0, 20):
            low = (1.0 - share) * 0.035 + share * BOTTOM_M
            self.move(np.array([*(start - (1.0 - share) * 0.012 * unit), low]), frame)
        gathered = [scooped_ml(mound.heap, start, end, half_width_m=BLADE_HALF_WIDTH_M) for mound in self._scene.mounds]
        slipped: set[int] = set()
        steps = max(int(float(np.hypot(*way)) / SWEEP_M_S / (STRIDE * STEP_S)), 2)
        for share in np.linspace(0.0, 1.0, steps):
            self.move(np.array([*(start + share * way), BOTTOM_M]), frame)
            self._board(slipped)
        self._gather(gathered, start, end)
        self._away(float(np.arctan2(unit[1], unit[0])), flat=True)

    # What holds

    def _aim(self, first_m: Floats, second_m: Floats) -> tuple[Floats, float]:
        at = (first_m + second_m) / 2 + self._shift
        line = second_m - first_m
        return at, float(np.arctan2(line[1], line[0])) + self._turn

    def _down(self, at: Floats, angle: float, guard_n: float) -> None:
        """Go down to the bottom, or until something presses harder than the guard allows. Firm tips go in."""
        frame = upright(angle)
        for height in np.arange(HOVER_M, BOTTOM_M, -DOWN_M_S * STRIDE * STEP_S):
            self.move(np.array([*at, height]), frame)
            pressed = self._pressed()
            for index, force in pressed.items():
                if force >= self._scene.pieces[index].food.pierce_n:
                    self._pierced[index] = None
                    touch = self._scene.pieces[index].touch  # which the fork passes through from now on
                    self._model.geom_conaffinity[touch] &= ~(TOUCH_TINES | TOUCH_BLADE)
            # What a tine has pierced no longer holds the fork up.
            if sum(force for index, force in pressed.items() if index not in self._pierced) > guard_n:
                return

    def _pressed(self) -> dict[int, float]:
        """Return the largest force of one tine on each piece that a tine touches, in N."""
        pairs = self._data.contact.geom
        if not len(pairs):
            return {}
        first, last = self._scene.tines[0], self._scene.tines[-1]
        forces: dict[int, float] = {}
        hits = np.flatnonzero(((pairs >= first) & (pairs <= last)).any(axis=1))
        force = np.zeros(6)
        for hit in hits:
            left, right = (int(geom) for geom in pairs[hit])
            index = self._by_touch.get(right if first <= left <= last else left)
            if index is not None:
                self._module.mj_contactForce(self._model, self._data, int(hit), force)
                forces[index] = max(forces.get(index, 0.0), float(force[0]))
        return forces

    def _hold(self, share: float) -> None:
        """Weld each pierced piece to the fork, with what its tines bear."""
        tips, row, along = self.tips(), self.column(0), self.column(2)
        for index in self._pierced:
            piece = self._scene.pieces[index]
            place, axes = self._data.xpos[piece.body], self._data.xmat[piece.body].reshape(3, 3)
            local = (tips - place) @ axes
            turned = {"row": row @ axes, "along": along @ axes}
            depths = tine_depths_mm(piece.food.shape, piece.half_m, local, turned["along"], length_m=TINE_LENGTH_M)
            bears = hold_n(piece.food, depths, local, **turned) * self._luck * share
            if bears > 0.0:
                self._weld(index, bears)

    def _weld(self, index: int, bears: float) -> None:
        self.weld(self._scene.pieces[index])
        self.load.pieces[index] = bears

    def _board(self, slipped: set[int]) -> None:
        """Let pieces that the flat fork runs into slide onto it, or stay before it, or go aside."""
        for index, piece in enumerate(self._scene.pieces):
            if index in self.load.pieces or index in slipped:
                continue
            local = (self._data.xpos[piece.body] - self.place()) @ self.axes()
            reach = piece.half_m[:2].mean()
            if -1.45 * reach < local[2] < 0.03 and abs(local[0]) < BLADE_HALF_WIDTH_M + reach and abs(local[1]) < 0.03:
                if self.load.pieces:  # there is room for one
                    slipped.add(index)
                    continue
                aside = min(abs(float(local[0])) / (BLADE_HALF_WIDTH_M + 0.3 * reach), 1.0)
                if piece.food.scoop * (1.0 - aside**2) * self._luck < CAPTURE.enough:
                    slipped.add(index)
                    continue
                self._model.geom_contype[piece.touch] = self._model.geom_conaffinity[piece.touch] = 0
                self._weld(index, CAPTURE.scoop_n)
                # Fastened, it glides to a place in the fork's frame while the fork moves on.
                goal_m = np.array([0.0, -float(piece.half_m[2]) - 0.003, 0.016])
                self._glide[piece.weld] = (self._model.eq_data[piece.weld, 3:6].copy(), goal_m, 0)

    def _from_heaps(self, score: Callable[[Mound], float], at: Floats, radius_m: float, ml: float) -> None:
        """Take from the heap under the fork if it sticks well enough."""
        for index, mound in enumerate(self._scene.mounds):
            reached = score(mound) * self._luck
            if reached >= CAPTURE.residue:
                share = 1.0 if reached >= CAPTURE.enough else 0.08
                taken = mound.heap.take(mound.heap.near(at, radius_m) * mound.heap.heights_m, ml * share)
                self._on_fork(index, taken, smear=reached < CAPTURE.enough or taken < CAPTURE.bite_ml)

    def _gather(self, gathered: list[tuple[float, Floats]], start: Floats, end: Floats) -> None:
        for index, (mound, (volume, amounts)) in enumerate(zip(self._scene.mounds, gathered, strict=True)):
            kept = volume if mound.heap.food.scoop >= CAPTURE.enough else 0.12 * volume
            enough = kept * self._luck >= 1.6 * CAPTURE.bite_ml
            if enough:
                taken = mound.heap.take(amounts, min(kept, CAPTURE.blade_ml))
                self._on_fork(index, taken, smear=taken < CAPTURE.bite_ml)
            elif volume > 0.3:
                mound.heap.push(start, end, half_width_m=BLADE_HALF_WIDTH_M, floor_m=0.002, share=0.4)
                self._on_fork(index, 0.4, smear=True)

    def _on_fork(self, index: int, ml: float, *, smear: bool) -> None:
        self._scene.show_heap(self._scene.mounds[index])
        if self.load.heap is None or (self.load.smear and not smear):
            self.load.heap, self.load.ml, self.load.smear = index, ml, smear
        show_load(self._scene, self.load, flat=self._flat_now)

    # How it moves

    def _away(self, angle: float, *, flat: bool) -> None:
        """Go up, and to the place where the fork shows what it has, turned as always there."""
        start = self.place().copy()
        top = np.array([start[0], start[1], LIFT_M])
        frame = waiting_frame(angle, flat=flat)
        for share in eased(48):
            self.move(start + share * (top - start), frame)
            self._check_holds()
        show = np.array(SHOW_M)
        count = int(float(np.linalg.norm(show - top)) / CARRY_M_S / (STRIDE * STEP_S)) + 24
        # Turn back the shorter way.
        back = (angle + np.pi) % (2.0 * np.pi) - np.pi
        for share in eased(count):
            frame = waiting_frame((1.0 - share) * back, flat=flat)
            if self.load.pieces:
                self.move(top + share * (show - top), frame)
                self._check_holds()
            else:
                self.jump(top + share * (show - top), frame)
        self.touching(tines=True, blade=False)
        for _ in range(12):
            self.move(show, frame)
        self._check_holds()

    def _check_holds(self) -> None:
        """Let go of what pulls harder than its hold bears."""
        for index in list(self.load.pieces):
            piece = self._scene.pieces[index]
            if self.pull_n(piece) > self.load.pieces[index]:
                self._data.eq_active[piece.weld] = 0
                self._model.geom_contype[piece.touch] = 1
                self._model.geom_conaffinity[piece.touch] |= 1
                del self.load.pieces[index]
                self.broke = True


def touchable(scene: PlateScene, load: Load) -> None:
    """Let all pieces but those on the fork be touched again, by the fork's tines and not by its blade."""
    scene.model.geom_contype[list(scene.tines)] = TOUCH_TINES
    scene.model.geom_contype[scene.blade] = 0
    for number, piece in enumerate(scene.pieces):
        carried = number in load.pieces
        scene.model.geom_contype[piece.touch] = int(not carried)
        scene.model.geom_conaffinity[piece.touch] = 0 if carried else 1 | TOUCH_TINES | TOUCH_BLADE


def show_load(scene: PlateScene, load: Load, *, flat: bool) -> None:
    """Draw what the fork carries of a heap: a lump, a smear or nothing."""
    model, geom = scene.model, scene.load
    if load.heap is None:
        model.geom_rgba[geom, 3] = 0.0
        return
    mound = scene.mounds[load.heap]
    radius = 0.0035 if load.smear else (3.0 * load.ml / (4.0 * np.pi)) ** (1.0 / 3.0) / 100.0
    model.geom_size[geom] = radius * (np.array([1.1, 0.65, 1.4]) if flat else np.array([1.1, 0.9, 1.1]))
    model.geom_rbound[geom] = 1.4 * radius
    model.geom_pos[geom] = [0.0, -0.7 * radius, 0.016] if flat else [0.0, 0.0, 0.010]
    model.geom_matid[geom] = mound.material
    model.geom_rgba[geom] = [*mound.colour, 1.0]
