"""What help is worth in seconds: how long a grasp takes with a move of the robot, and what one more moment of it gives.

No look-ahead has to be chosen: the unit is the person's time, and a question costs some of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handup.core import BadSetting
from handup.intent.pose import Pose, PoseArray
from handup.intent.rewards import after
from handup.intent.shipped import fitted
from handup.intent.stick import Joystick
from handup.intent.value import Array, View


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """How fast a person gets on. Speeds are fitted to simulated people alone (`python -m train.intent`).

    Args:
        push_m_s: Alone, on the whole way.
        turn_rad_s: Alone, turning.
        switch_s: To change between moving and turning.
        settles_s: So long it takes until the goal is plain without a question.
        aligned_rad: Less than this need not be turned.
        harm: By how much a second lost through the robot is worse than a second won.
        wrong_rad: So far a wrong turn goes before the person or the robot ends it.
        moment_s: What one more moment of a move gives is judged by this much of it.
    """

    push_m_s: float = field(default_factory=lambda: fitted("times", "push_m_s"))
    turn_rad_s: float = field(default_factory=lambda: fitted("times", "turn_rad_s"))
    switch_s: float = field(default_factory=lambda: fitted("times", "switch_s"))
    settles_s: float = field(default_factory=lambda: fitted("times", "settles_s"))
    aligned_rad: float = 0.15
    harm: float = 2.0
    wrong_rad: float = 0.4
    moment_s: float = 0.5

    def __post_init__(self) -> None:
        speeds = (self.push_m_s, self.turn_rad_s, self.aligned_rad, self.moment_s, self.harm)
        if not (
            all(0.0 < each < np.inf for each in speeds) and min(self.switch_s, self.settles_s, self.wrong_rad) >= 0.0
        ):
            raise BadSetting("a time of reaching is none", hint="Give speeds above 0 and times of at least 0.")

    def alone(self, metres: Array, radians: Array) -> Array:
        """For a person without help."""
        switching = self.switch_s * np.minimum(radians / self.aligned_rad, 1.0)
        return metres / self.push_m_s + radians / self.turn_rad_s + switching

    def to_grasp(self, view: View, velocities: Array, known: Array, alpha: float) -> Array:
        """How long it takes if nothing is asked: a row per velocity, a column per candidate.

        The robot keeps on with a velocity until the goal is plain, then goes for it. Turning goes on while the person
        moves, so what the robot turns the right way by then is saved.

        Args:
            view: The candidates as seen from here.
            velocities: What the robot may do.
            known: What it does for each candidate, once that is plain.
            alpha: How much of its velocity is added to the stick.
        """
        way = view.way[view.nearest] / np.maximum(view.metres, 1e-9)[:, None]
        turn = view.turn[view.nearest] / np.maximum(view.radians, 1e-9)[:, None]
        along, around = alpha * velocities[:, :3] @ way.T, alpha * velocities[:, 3:] @ turn.T
        speed = np.maximum(self.push_m_s + along, self.push_m_s / 2.0)
        first = np.minimum(view.metres / speed, self.settles_s)
        then = (view.metres - speed * first) / (self.push_m_s + alpha * np.einsum("ij,ij->i", known[:, :3], way))
        turned = np.clip(around * first, -self.wrong_rad, view.radians)
        turned = np.minimum(turned + then * alpha * np.einsum("ij,ij->i", known[:, 3:], turn), view.radians)
        stray = np.sqrt(np.maximum(np.square(alpha * velocities[:, 3:]).sum(axis=1)[:, None] - around**2, 0.0))
        left = np.hypot(view.radians - turned, np.minimum(stray * first, self.wrong_rad))
        finishing = left / self.turn_rad_s + self.switch_s * np.minimum(left / self.aligned_rad, 1.0)
        return np.asarray(first + then + finishing)

    def gains(
        self, view: View, poses: PoseArray, pose: Pose, stick: Joystick, velocities: Array, alpha: float
    ) -> Array:
        """Seconds that one moment of each velocity saves against no help, per candidate and an unlisted goal.

        The last row of the velocities is no help.
        """
        hand = np.array((*stick.linear, *stick.angular))
        there = self.alone(*after(pose, hand + alpha * velocities, self.moment_s, poses))
        saved = there[-1] - there
        moved = alpha * self.moment_s * velocities
        undo = (
            np.linalg.norm(moved[:, :3], axis=1) / self.push_m_s
            + np.linalg.norm(moved[:, 3:], axis=1) / self.turn_rad_s
        )
        table = np.column_stack([saved, -undo])
        return np.where(table < 0.0, self.harm * table, table)
