"""How the simulated people steer: every constant with its reason, written down before any method was run.

Nothing here was fitted and nothing may be tuned until some method wins: a change is a new study. Everything is
*assumed*. A range is drawn from once per person, evenly.
"""

from __future__ import annotations

from enum import StrEnum

Range = tuple[float, float]


class SteeringHabit(StrEnum):
    """In which order a person brings the hand to the grasp. The paper saw the first and the last."""

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
"""Standard deviation of the deflection around what is meant, while pushing; tremor and an unsteady grip."""
NOISE_S = 0.3
"""How long that noise hangs together: a hand drifts, it does not flicker at 40 Hz."""
CROSS_TALK = 0.3
"""Parts of the wish below this share of the largest part are left out: people push along axes."""
SLOW_M, SLOW_RAD = 0.06, 0.4
"""From where on a person eases off, in proportion: about one second before arriving at full speed."""

# Attention
DELAY_S: Range = (0.20, 0.35)
"""From seeing to pushing: visual reaction times in tracking tasks."""
DECIDE_S = 0.05
"""How often a person makes up their mind anew; faster than the delay, so that it is the delay that counts."""
PAUSE_EVERY_S, PAUSE_S = 12.0, (0.4, 1.5)
"""How rarely (exponential) and how long a person stops to look."""
SLIP_EVERY_S, SLIP_S, SLIP_SIZE = 40.0, (0.2, 0.5), (0.5, 1.0)
"""How rarely the stick slips, for how long and how far, in a direction without meaning."""
SWITCH_S: Range = (0.6, 1.2)
"""To change the mode: find the button, press it, think anew. The published times are about a second."""
SEES_M, SEES_RAD = 0.003, 0.04
"""Standard deviation, in each axis, of how wrong a person sees the hand in an attempt, from about one metre away."""

# Where to go
STANDOFF_M: Range = (0.08, 0.13)
"""How far in front of, or above, the object a person stops to rotate: about two lengths of a finger."""
STOP_HEIGHT_M = 0.08
"""Nobody stops with a level hand lower than this: the wrist would scrape along the table."""
ASIDE_M = 0.02
"""Standard deviation of that place to the side."""
ARRIVED_M = 0.02
"""Near enough to a place on the way."""
PREGRASP_M = 0.09
"""From how far away the last straight way in begins."""
FUNNEL = 3.5
"""How much further back a person aims for each metre beside the straight way in."""
KEEP_HEIGHT_M = 0.15
"""Nobody lowers the hand before it is this near from the side: there may be things in between."""
TURN_RAD, TURNED_RAD = 0.15, 0.08
"""Rotation that is worth changing the mode for when it was planned, and rotation that is done."""
UPSET_RAD, NEAR_M = 0.35, 0.04
"""Rotation that makes a person change the mode again on the way in; nearer than this, what keeps the hand open does."""
CLOSE_M, CLOSE_RAD, CLOSE_S = 0.010, 0.10, 0.3
"""A person closes the hand when it seems this near for this long: two thirds of what the task allows."""
ADOPT_M = 0.05
"""A listed pose of the same goal that is nearer by this much is taken instead: nobody insists on one spot of a rim."""
RAD_AS_M = 0.15
"""What a radian is worth in metres: both take as long at a full push."""

# Trouble
LOOK_BACK_S, PROGRESS_M, PROGRESS_RAD = 0.5, 0.0015, 0.02
"""A push that brings less than this in this time makes a person push harder, by `HARDER`."""
HARDER = 0.25
STUCK_M, RETREAT_S = 0.002, 0.8
"""A full push that moves the hand less than this is a hand that is stuck: back and up for so long."""

# Answers and wishes
WRONG_ANSWER = 0.05
"""Share of questions that are answered wrongly: a slip of the button, or not listening."""
MISSING_POSE = 0.10
"""Share of trials in which the wanted pose is not in the robot's list; the paper names it as a cause of failures."""
SHIFT_M, TURN_BY_RAD = (0.015, 0.035), (0.15, 0.5)
"""How far such a pose lies from a listed one."""
PREFER_M = 0.03
"""Standard deviation of a person's taste among the listed poses, as metres of way."""
CHANGE_STRATEGY = 0.5
"""Chance that a person tries another strategy after a failed first attempt; "some participants" in the paper."""
