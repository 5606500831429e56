"""Habits of the simulated people at the stick: every constant with its reason, from before any method was run.

Nothing here was fitted and nothing may be tuned until some method wins: a change is a new study. Everything is
*assumed*. A range is drawn from once per person, evenly.
"""

from __future__ import annotations

from enum import StrEnum

Range = tuple[float, float]


class SteeringHabit(StrEnum):
    """Orders in which a person brings the hand to the grasp. The paper saw the first and the last."""

    STOP_BESIDE = "stop-beside"
    """Translate to a place in front of the object, rotate there, close in."""
    STOP_OVER = "stop-over"
    """Translate to a place above the object, rotate there, close in."""
    ROTATE_FIRST = "rotate-first"
    """Rotate where the hand starts, then translate all the way."""


# The stick
CRUISE: Range = (0.6, 1.0)
"""Deflection on the way: few people hold a stick at its stop all the time."""
FINE = 0.2
"""Least deflection that a person makes on purpose: below it the dead band is near and little happens."""
DEAD_BAND = 0.1
"""Deflection without effect, as on common joysticks."""
NOISE: Range = (0.05, 0.15)
"""Standard deviation of a deflection around the one that is meant, while pushing; tremor and an unsteady grip."""
NOISE_S = 0.3
"""Time for which that noise hangs together, in seconds: a hand drifts, it does not flicker at 40 Hz."""
CROSS_TALK = 0.3
"""Share of the largest part of a push; smaller parts are left out, since people push along axes."""
SLOW_M, SLOW_RAD = 0.06, 0.4
"""Distances at which a person begins to ease off, in proportion: about one second before arriving at full speed."""

# Attention
DELAY_S: Range = (0.20, 0.35)
"""Delay from seeing to pushing: visual reaction times in tracking tasks."""
DECIDE_S = 0.05
"""Time between two decisions; shorter than the delay, so that it is the delay that counts."""
PAUSE_EVERY_S, PAUSE_S = 12.0, (0.4, 1.5)
"""Mean time (exponential) between two pauses in which a person looks, and their length."""
SLIP_EVERY_S, SLIP_S, SLIP_SIZE = 40.0, (0.2, 0.5), (0.5, 1.0)
"""Mean time between two slips of the stick, their length and their size, in a direction without meaning."""
SWITCH_S: Range = (0.6, 1.2)
"""Time to change the mode: find the button, press it, think anew. The published times are about a second."""
SEES_M, SEES_RAD = 0.003, 0.04
"""Standard deviation, in each axis, of a person's error in seeing the hand, from about one metre away."""

# Where to go
STANDOFF_M: Range = (0.08, 0.13)
"""Distance in front of, or above, the object at which a person stops to rotate: about two lengths of a finger."""
STOP_HEIGHT_M = 0.08
"""Least height at which a person stops with a level hand: lower, the wrist would scrape along the table."""
ASIDE_M = 0.02
"""Standard deviation of that place to the side."""
ARRIVED_M = 0.02
"""Distance that is near enough to a place on the way."""
PREGRASP_M = 0.09
"""Distance at which the last straight way in begins."""
FUNNEL = 3.5
"""Metres that a person aims further back for each metre beside the straight way in."""
KEEP_HEIGHT_M = 0.15
"""Distance from the side above which nobody lowers the hand: there may be things in between."""
TURN_RAD, TURNED_RAD = 0.15, 0.08
"""Rotation that is worth changing the mode for when it was planned, and rotation that is done."""
UPSET_RAD, NEAR_M = 0.35, 0.04
"""Rotation that makes a person change the mode again on the way in; nearer than this, `CLOSE_RAD` does."""
CLOSE_M, CLOSE_RAD, CLOSE_S = 0.010, 0.10, 0.3
"""Distances at which a person closes the hand after this time: two thirds of what the task allows."""
ADOPT_M = 0.05
"""Distance by which another listed pose of the goal must be nearer to be taken instead: nobody insists on one spot."""
RAD_AS_M = 0.15
"""Metres that a radian is worth: both take as long at a full push."""

# Trouble
LOOK_BACK_S, PROGRESS_M, PROGRESS_RAD = 0.5, 0.0015, 0.02
"""Time, and progress in it: a push that brings less makes a person push harder, by `HARDER`."""
HARDER = 0.25
STUCK_M, RETREAT_S = 0.002, 0.8
"""Motion at a full push below which a hand is stuck, and the time of going back and up then."""

# Answers and wishes
WRONG_ANSWER = 0.05
"""Share of questions that are answered wrongly: a slip of the button, or not listening."""
MISSING_POSE = 0.10
"""Share of trials in which the wanted pose is not in the robot's list; the paper names it as a cause of failures."""
SHIFT_M, TURN_BY_RAD = (0.015, 0.035), (0.15, 0.5)
"""Distance and turn of such a pose from a listed one."""
PREFER_M = 0.03
"""Standard deviation of a person's taste among the listed poses, as metres of way."""
CHANGE_STRATEGY = 0.5
"""Chance that a person tries another strategy after a failed first attempt; "some participants" in the paper."""
