"""A table with a cup and a bowl, and sticks that people might push: for all tests of this room."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from handup.intent import Goal, Goals, Joystick, Pose

DOWN = (0.0, math.pi / 2, 0.0)
START = Pose((0.0, 0.0, 0.3))
CUP_TOP = Goal("cup", "top", (Pose.turned((0.40, 0.00, 0.12), DOWN), Pose.turned((0.38, 0.02, 0.12), DOWN)))
CUP_SIDE = Goal("cup", "side", (Pose((0.36, 0.00, 0.08)), Pose.turned((0.40, 0.05, 0.08), (0.0, 0.0, -1.2))))
BOWL_TOP = Goal("bowl", "top", (Pose.turned((0.20, 0.40, 0.10), DOWN),))
CAN_SIDE = Goal("can", "side", (Pose((0.30, -0.30, 0.10)),))
TABLE = Goals((CUP_TOP, CUP_SIDE, BOWL_TOP, CAN_SIDE))

pushes = st.floats(-0.06, 0.06)
turns = st.floats(-0.4, 0.4)
moving = st.builds(Joystick, st.tuples(pushes, pushes, pushes))
turning = st.builds(Joystick, st.just((0.0, 0.0, 0.0)), st.tuples(turns, turns, turns))
sticks = st.one_of(st.just(Joystick()), moving, turning)
places = st.builds(
    Pose.turned,
    st.tuples(st.floats(-0.1, 0.6), st.floats(-0.5, 0.5), st.floats(0.0, 0.5)),
    st.tuples(turns, st.floats(-1.6, 1.6), turns),
)


def towards(pose: Pose, goal: Goal, *, speed: float = 0.06) -> Joystick:
    """A push straight at the first pose of a goal."""
    way, _ = pose.twist_to(goal.poses[0])
    length = max(math.hypot(*way), 1e-9)
    x, y, z = (each / length * speed for each in way)
    return Joystick((x, y, z))
