"""What the robot does with its hand: parts and kits."""

from __future__ import annotations

from handup.domains.kitting.causes import CAUSES, Hangs
from handup.domains.kitting.primitive import primitive
from handup.domains.kitting.state import KIT
from handup.domains.kitting.turn import Turn
from handup.executive.action import Aborted, Done, Outcome

HAND_FULL = Aborted(code="hand_full", why="There is something in the hand already.")
EMPTY_HAND = Aborted(code="empty_hand", why="There is nothing in the hand.")
NO_KIT = Aborted(code="no_kit", why="There is no kit on the robot.")
WRONG_PLACE = Aborted(code="wrong_place", why="The robot does not stand before the right table.")


@primitive(takes=("object", "grasps"), codes=("no_plan", "gripper_fault", "hand_full"))
def pick(turn: Turn) -> Outcome:
    """Close the hand where a part was seen, and lift. Whether anything is in it, `verify_grasp` says."""
    if turn.state.hand:
        return HAND_FULL
    ranked = turn.goal["grasps"]
    seen = dict(ranked[(turn.attempt - 1) % len(ranked)])  # another one each time
    fresh = seen["scene"] == turn.state.scene and seen["at"] == turn.state.base
    turn.come_up()
    turn.score("map", not (turn.has("stale_map") or turn.has("wedged_arm")))
    turn.score("grasp", fresh and not turn.has("shifted_part"))
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    beside = [turn.bites(CAUSES[each]) for each in ("shifted_part", "mislocalised")]
    if any(beside) or not fresh:
        turn.moved()  # the fingers pushed it
        return Done(beliefs={"holding": True})
    turn.remove()
    turn.change(hand=turn.state.percept[1])
    return Done(beliefs={"holding": True})


@primitive(takes=("object",), codes=("no_plan", "gripper_fault", "off_target", "empty_hand", "no_kit"))
def place_in_kit(turn: Turn) -> Outcome:
    """Let go of a part above its compartment. Now and then it falls beside it."""
    state = turn.state
    if state.tray is None:
        return NO_KIT
    if state.hand in ("", KIT):
        return EMPTY_HAND
    turn.drop("beside_kit")  # the one before is gone; this is another part
    turn.come_up()
    spoiled = turn.spoiled()
    if spoiled is not None:
        turn.drop("beside_kit")
        return spoiled
    inside = () if turn.has("beside_kit") else (state.hand,)
    turn.change(tray=(*state.tray, *inside), expected=len(state.tray) + 1, hand="")
    return Done(beliefs={"holding": False})


@primitive(codes=("hand_full",))
def realign(turn: Turn) -> Outcome:
    """Look at the part in the hand and turn the wrist so that it points where it should."""
    turn.remove()
    turn.score("alignment", not turn.has("misaligned_gear"))
    return Done()


@primitive(codes=("empty_hand", "gripper_fault"))
def put_back(turn: Turn) -> Outcome:
    """Lay what is in the hand back on the table."""
    if turn.state.hand in ("", KIT):
        return EMPTY_HAND
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.remove()
    turn.change(hand="")
    turn.moved()
    return Done(beliefs={"holding": False})


@primitive()
def open_gripper(turn: Turn) -> Outcome:
    """Open the hand, whatever is in it: it falls."""
    turn.remove()
    turn.change(hand="")
    return Done(beliefs={"holding": False})


@primitive()
def reset_gripper(turn: Turn) -> Outcome:
    """Start the gripper's driver anew. It keeps what it holds."""
    turn.remove()
    return Done()


@primitive(takes=("kit",), codes=("kit_not_held", "gripper_fault", "hand_full", "wrong_place"))
def pick_kit(turn: Turn) -> Outcome:
    """Lift the uppermost kit by a taught motion."""
    if turn.state.hand:
        return HAND_FULL
    if turn.state.base != "kits":
        return WRONG_PLACE
    turn.come_up()
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.change(hand=KIT)
    return Done(beliefs={"holding": True})


@primitive(codes=("empty_hand", "tray_full"))
def place_kit_on_robot(turn: Turn) -> Outcome:
    """Set the kit down on the robot's tray."""
    if turn.state.hand != KIT:
        return EMPTY_HAND
    if turn.state.tray is not None:
        return Aborted(code="tray_full", why="There is a kit on the robot already.")
    turn.come_up()
    turn.change(tray=(), expected=0, noted=(), hand="", kits=turn.state.kits + 1)
    return Done(beliefs={"holding": False, "in_kit": 0})


@primitive()
def straighten_kit(turn: Turn) -> Outcome:
    """Push at two sides of the kit until it lies along the tray."""
    turn.remove()
    return Done()


@primitive(takes=("slot?",), codes=("slot_taken", "off_table", "no_kit", "wrong_place"))
def deliver_kit(turn: Turn) -> Outcome:
    """Set the kit down on the drop-off table, at the next place or the one that was given."""
    state = turn.state
    if state.tray is None:
        return NO_KIT
    if state.base != "drop_off":
        return WRONG_PLACE
    slot = int(turn.goal.get("slot", state.slot))
    if slot != state.slot:
        turn.drop("taken_slot")
        turn.change(slot=slot)
    else:
        turn.come_up()
    spoiled = turn.spoiled()
    if spoiled is not None:
        fields = {"slot": slot, "free": slot + 1} if spoiled.code == "slot_taken" else {}
        return Aborted(code=spoiled.code, why=spoiled.why, fields=fields)
    turn.let_go(Hangs.KIT)
    turn.change(delivered=(*state.delivered, (turn.now_s, state.tray)), tray=None, expected=0, noted=(), slot=slot + 1)
    return Done(beliefs={"in_kit": 0, "delivered": len(state.delivered) + 1})


@primitive()
def discard_kit(turn: Turn) -> Outcome:
    """Put away the kit on the robot and whatever is in the hand, to begin anew."""
    turn.remove()
    turn.let_go(Hangs.KIT)
    turn.change(tray=None, expected=0, noted=(), hand="")
    return Done(beliefs={"holding": False, "in_kit": 0})
