"""The arm: takes the fork from place to place through the simulation, and keeps its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.gl import mujoco
from handup.domains.feeding.scene import (
    SHOW_M,
    STEP_S,
    TINE_GAP_M,
    TINES,
    TOUCH_BLADE,
    TOUCH_TINES,
    Piece,
    Scene,
)

Floats = NDArray[np.float64]
STRIDE = 2
"""Physics steps between two looks at forces."""
FREE_M_S = 1.2
SCOOP_TILT = np.radians(22.0)
TOO_FAST = 100.0
"""m/s or rad/s that no piece of food reaches unless the physics went wrong."""
GLIDE_STRIDES = 40


class Unstable(Exception):
    """The physics went wrong; whoever runs it rolls back."""


class Arm:
    """Moves the fork. Build one per execution.

    Args:
        scene: The plate; changed.
        each_stride: Called with the time that passed after every few steps: a film is made there.
    """

    def __init__(self, scene: Scene, each_stride: Callable[[float], None]) -> None:
        self._scene, self._model, self._data = scene, scene.model, scene.data
        self._module = mujoco()
        self._stride = each_stride
        self._glide: dict[int, tuple[Floats, Floats, int]] = {}
        self.seconds = 0.0

    def go(self, place: Floats, frame: Floats) -> None:
        """There from where it waits, empty: nothing else moves meanwhile, so only the film sees it."""
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
        velocity[:3] = np.clip((place - self.place()) / span, -1.0, 1.0)
        goal_quat, turning = np.zeros(4), np.zeros(3)
        self._module.mju_mat2Quat(goal_quat, frame.ravel())
        at = self._scene.fork_qpos
        self._module.mju_subQuat(turning, goal_quat, self._data.qpos[at + 3 : at + 7])
        velocity[3:] = turning / span
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
        """What of the fork pieces feel: its tines, or the blade that they make when it is held flat."""
        self._model.geom_contype[list(self._scene.tines)] = TOUCH_TINES if tines else 0
        self._model.geom_contype[self._scene.blade] = TOUCH_BLADE if blade else 0

    def place(self) -> Floats:
        """Where the tips are."""
        place: Floats = self._data.qpos[self._scene.fork_qpos : self._scene.fork_qpos + 3]
        return place

    def axes(self) -> Floats:
        """The fork's axes as columns: along the row, out of its back, towards the handle."""
        axes = np.zeros(9)
        self._module.mju_quat2Mat(axes, self._data.qpos[self._scene.fork_qpos + 3 : self._scene.fork_qpos + 7])
        return axes.reshape(3, 3)

    def column(self, axis: int) -> Floats:
        """One of its axes."""
        return self.axes()[:, axis]

    def tips(self) -> Floats:
        """Each tine's tip."""
        offsets = (np.arange(TINES) - (TINES - 1) / 2) * TINE_GAP_M
        return self.place() + offsets[:, None] * self.column(0)

    def weld(self, piece: Piece) -> None:
        """Fasten a piece to the fork as it lies now."""
        self._model.eq_data[piece.weld, :11] = self._relative(piece.body)
        self._data.eq_active[piece.weld] = 1

    def draw_in(self, piece: Piece, goal_m: Floats) -> None:
        """Let a fastened piece glide to a place in the fork's frame while the fork moves on."""
        self._glide[piece.weld] = (self._model.eq_data[piece.weld, 3:6].copy(), goal_m, 0)

    def pull_n(self, piece: Piece) -> float:
        """How hard a fastened piece pulls."""
        kinds = self._data.efc_type == int(self._module.mjtConstraint.mjCNSTR_EQUALITY)
        rows = np.flatnonzero(kinds & (self._data.efc_id == piece.weld))
        return float(np.linalg.norm(self._data.efc_force[rows[:3]])) if len(rows) else 0.0

    def let_go(self, piece: Piece) -> None:
        """Unfasten a piece."""
        self._data.eq_active[piece.weld] = 0

    def _relative(self, body: int) -> Floats:
        """A weld's numbers for a body as it lies now: anchor, place and turn in the fork's frame, torque scale."""
        module, fork = self._module, self._scene.fork
        inverse, back, turn, record = np.zeros(4), np.zeros(3), np.zeros(4), np.zeros(11)
        module.mju_negQuat(inverse, self._data.xquat[fork])
        module.mju_rotVecQuat(back, self._data.xpos[body] - self._data.xpos[fork], inverse)
        module.mju_mulQuat(turn, inverse, self._data.xquat[body])
        record[3:6], record[6:10], record[10] = back, turn, 0.02
        return record


def wait(scene: Scene, data: Any = None, *, flat: bool = False) -> None:
    """Put the fork where it waits, at rest; in other data than the scene's, where some is given."""
    data = scene.data if data is None else data
    at, dof = scene.fork_qpos, scene.fork_dof
    quat = np.zeros(4)
    mujoco().mju_mat2Quat(quat, waiting_frame(0.0, flat=flat).ravel())
    data.qpos[at : at + 7] = [*SHOW_M, *quat]
    data.qvel[dof : dof + 6] = 0.0


def waiting_frame(angle: float, *, flat: bool) -> Floats:
    """How the fork is turned: upright or flat, along a direction; 0 where it waits."""
    return flat_frame(np.array([np.cos(angle), np.sin(angle)])) if flat else upright(angle)


def upright(angle: float) -> Floats:
    """Tines down, their row across a line of this direction."""
    sin, cos = float(np.sin(angle)), float(np.cos(angle))
    return np.array([[-sin, -cos, 0.0], [cos, -sin, 0.0], [0.0, 0.0, 1.0]])


def flat_frame(unit: Floats) -> Floats:
    """Tines forward along a direction and a little down, hollow side up."""
    x, y = float(unit[0]), float(unit[1])
    sin, cos = float(np.sin(SCOOP_TILT)), float(np.cos(SCOOP_TILT))
    return np.array([[-y, -sin * x, -cos * x], [x, -sin * y, -cos * y], [0.0, -cos, sin]])


def eased(count: int) -> Floats:
    """Shares of a way, slow at both ends."""
    shares: Floats = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, count + 1) / count)
    return shares
