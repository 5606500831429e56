"""What the robot does at the milling machine: putting the gear in, starting, waiting, taking it out."""

from __future__ import annotations

from handup.domains.kitting.handling import HAND_FULL, WRONG_PLACE
from handup.domains.kitting.primitive import primitive
from handup.domains.kitting.state import GEAR, MACHINED
from handup.domains.kitting.turn import Turn
from handup.executive.action import Aborted, Done, Outcome

MISSED = Aborted(code="missed_hole", why="The fingers do not meet the chuck.")


@primitive(takes=("chuck",), codes=("jammed", "missed_hole", "no_plan", "nothing_to_insert", "occupied", "wrong_place"))
def insert_gear(turn: Turn) -> Outcome:
    """Push the gear into the chuck by force. The robot may take an insertion for good that is none."""
    state = turn.state
    if state.base != "machine":
        return WRONG_PLACE
    if state.hand != GEAR:
        return Aborted(code="nothing_to_insert", why="There is no gear in the hand.", fields={"held": state.hand})
    if state.loaded:
        return Aborted(code="occupied", why="There is a gear in the machine already.")
    turn.drop("false_insertion")  # this is another try
    turn.come_up()
    turn.score("approach", not turn.has("moved_approach"))
    turn.score("alignment", not turn.has("misaligned_gear"))
    spoiled = turn.spoiled()
    if spoiled is not None or turn.goal["chuck"]["scene"] != state.scene:
        turn.drop("false_insertion")
        return spoiled or MISSED
    if turn.has("false_insertion"):
        if turn.draw("falls") < turn.rates.seeing["gear_falls"]:
            turn.change(hand="")
        return Done(beliefs={"loaded": True})
    turn.change(hand="", loaded=True, busy_until_s=None)
    return Done(beliefs={"loaded": True, "holding": False})


@primitive(codes=("no_link", "machine_fault", "machine_empty"))
def start_machine(turn: Turn) -> Outcome:
    """Start milling."""
    turn.come_up()
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    if not turn.state.loaded:
        return Aborted(code="machine_empty", why="The machine reports that its chuck is empty.")
    turn.change(busy_until_s=turn.now_s + turn.rates.machine_s)
    return Done()


@primitive(gives=("machine",), codes=("no_link",), touches=False)
def machine_status(turn: Turn) -> Outcome:
    """Ask the machine what it is at: `empty`, `loaded`, `busy` or `done`."""
    turn.come_up()
    machine = turn.state.machine(turn.now_s)
    return turn.spoiled() or Done(results={"machine": machine}, beliefs={"loaded": machine != "empty"})


@primitive(codes=("no_link", "machine_empty"), touches=False)
def wait_machine(turn: Turn) -> Outcome:
    """Stand before the machine until it is done."""
    turn.come_up()
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    if turn.state.machine(turn.now_s) != "done":
        return Aborted(code="machine_empty", why="The machine has nothing to be done with.")
    return Done()


@primitive(
    takes=("chuck",), codes=("missed_hole", "no_plan", "machine_busy", "nothing_there", "hand_full", "wrong_place")
)
def retrieve_gear(turn: Turn) -> Outcome:
    """Take the gear out of the chuck."""
    state = turn.state
    if state.base != "machine":
        return WRONG_PLACE
    if state.hand:
        return HAND_FULL
    machine = state.machine(turn.now_s)
    if machine == "busy":
        return Aborted(code="machine_busy", why="The machine runs.")
    if machine != "done":
        return Aborted(code="nothing_there", why="There is no finished gear in the machine.")
    turn.come_up()
    turn.score("approach", not turn.has("moved_approach"))
    spoiled = turn.spoiled()
    if spoiled is not None or turn.goal["chuck"]["scene"] != state.scene:
        return spoiled or MISSED
    turn.change(hand=MACHINED, loaded=False, busy_until_s=None)
    return Done(beliefs={"loaded": False, "holding": True})


@primitive()
def reset_machine(turn: Turn) -> Outcome:
    """Let the machine open and close its chuck once."""
    turn.remove()
    return Done()


@primitive(touches=False)
def reconnect(turn: Turn) -> Outcome:
    """Set up the wireless link to the machine anew."""
    turn.remove()
    return Done()
