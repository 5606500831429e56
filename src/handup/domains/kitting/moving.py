"""What the robot does to move itself: its base, its arm, its head; and what frees them when they do not."""

from __future__ import annotations

from handup.domains.kitting.causes import Hangs
from handup.domains.kitting.primitive import primitive
from handup.domains.kitting.turn import Turn
from handup.executive.action import Aborted, Done, Outcome


@primitive(takes=("to",), codes=("stuck", "blocked"))
def navigate(turn: Turn) -> Outcome:
    """Drive to a station. Where the robot thinks it is there already, it stays as it stands."""
    to = str(turn.goal["to"])
    if to == turn.state.base:
        return Done(beliefs={"at": to})
    turn.come_up("stuck_base", "person_in_way")
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.let_go(Hangs.VISIT)
    turn.change(base=to, visits=turn.state.visits + 1, scene=turn.state.scene + 1)
    turn.come_up("out_of_view", "out_of_reach", "mislocalised")
    turn.score("base", not turn.has("mislocalised"))
    turn.score("reach", not turn.has("out_of_reach"))
    return Done(beliefs={"at": to, "on_place": True})


@primitive(takes=("pose",), codes=("no_plan",))
def move_arm(turn: Turn) -> Outcome:
    """Move the arm to a pose with a name. What it holds may slip."""
    part = turn.state.hand not in ("", "kit")
    if part:
        turn.drop("slip")  # the one before is gone; this is another part
    turn.come_up("stale_map", *(("slip",) if part else ()))
    spoiled = turn.spoiled()
    if spoiled is not None:
        if part:
            turn.drop("slip")
        return spoiled
    turn.change(arm=str(turn.goal["pose"]))
    if part and turn.has("slip"):
        turn.change(hand="")
    return Done()


@primitive(takes=("by_m?",))
def raise_arm(turn: Turn) -> Outcome:
    """A short motion upwards, without a plan: out of the picture and away from the ends of the joints."""
    turn.remove()
    turn.change(arm="raised")
    return Done()


@primitive()
def reload_map(turn: Turn) -> Outcome:
    """Empty the obstacle map and fill it from the next clouds."""
    turn.remove()
    return Done()


@primitive()
def sweep_head(turn: Turn) -> Outcome:
    """Look left, right, up and down, so that what lies outside one picture lies inside another."""
    turn.remove()
    return Done()


@primitive(takes=("side?",))
def reposition_base(turn: Turn) -> Outcome:
    """Back, aside and forward by a few centimetres. What was seen before is no longer where it was seen."""
    turn.remove()
    turn.moved()
    return Done()


@primitive()
def wiggle(turn: Turn) -> Outcome:
    """Turn left and right on the spot."""
    turn.remove()
    turn.moved()
    return Done()


@primitive(takes=("by_m?",))
def back_off(turn: Turn) -> Outcome:
    """Drive straight back, away from the table."""
    turn.remove()
    turn.moved()
    return Done()


@primitive()
def localise(turn: Turn) -> Outcome:
    """Find out anew where the base is, and drive the few centimetres that are missing."""
    turn.remove()
    turn.moved()
    if turn.has("mislocalised"):
        return Done()
    return Done(beliefs={"on_place": True})


@primitive(codes=("hand_full",))
def nudge_parts(turn: Turn) -> Outcome:
    """Draw the closed gripper through parts that lie on top of each other."""
    if turn.state.hand:
        return Aborted(code="hand_full", why="There is something in the hand.")
    turn.remove()
    turn.moved()
    return Done()
