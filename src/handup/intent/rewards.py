"""What a move is worth for each goal, in the paper's points: nearness after a look-ahead, and not to work against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handup.core import BadSetting
from handup.intent.belief import Belief
from handup.intent.motion import Moves
from handup.intent.pose import Pose, PoseArray, exponential, product
from handup.intent.stick import Joystick
from handup.intent.value import Array, View


@dataclass(frozen=True, kw_only=True)
class Points:
    """The paper's reward.

    Args:
        look_ahead_s: T: so long the move and the present push last. What is asked depends on it more than on anything.
        beta: How fast nearness is rewarded.
        close_m: From here on rotation counts, too.
        opposing: Of a move that works against the stick.
        question: Of asking.
        reached: On top, where the pose reached is the goal's …
        reached_m: … within this …
        reached_rad: … and this.
        discount: γ.
    """

    look_ahead_s: float = 0.3
    beta: float = 8.0
    close_m: float = 0.1
    opposing: float = -5.0
    question: float = -5.0
    reached: float = 100.0
    reached_m: float = 0.015
    reached_rad: float = 0.15
    discount: float = 0.95

    def __post_init__(self) -> None:
        if not (0.0 < self.look_ahead_s < np.inf and self.beta > 0.0 and 0.0 < self.discount <= 1.0):
            raise BadSetting(
                "points look ahead by nothing", hint="Give look_ahead_s and beta above 0, 0 < discount ≤ 1."
            )

    def table(self, belief: Belief, view: View, pose: Pose, stick: Joystick, moves: Moves, alpha: float) -> Array:
        """One row per move, one column per candidate and a last one for an unlisted goal, which every move misses."""
        desired = belief.goals.poses.taken(view.nearest)
        both = np.array((*stick.linear, *stick.angular)) + alpha * moves.velocities
        metres, radians = after(pose, both, self.look_ahead_s, desired)
        table = -100.0 * (1.0 - np.exp2(-self.beta * metres))
        table -= np.where(metres <= self.close_m, 100.0 * radians / (2.0 * np.pi), 0.0)
        table += np.where((metres <= self.reached_m) & (radians <= self.reached_rad), self.reached, 0.0)
        table += np.where(moves.opposed(stick), self.opposing, 0.0)[:, None]
        return np.column_stack([table, table.min(axis=1)])


def after(pose: Pose, velocities: Array, seconds: float, poses: PoseArray) -> tuple[Array, Array]:
    """How far (metres, radians) each pose is after some time at each velocity: one row per velocity."""
    places = np.array(pose.position) + seconds * velocities[:, :3]
    apart = places[:, None, :] - poses.positions[None]
    metres = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    turns = [product(exponential((x, y, z)), pose.rotation) for x, y, z in (seconds * velocities[:, 3:]).tolist()]
    return metres, 2.0 * np.arccos(np.minimum(np.abs(np.array(turns) @ poses.rotations.T), 1.0))
