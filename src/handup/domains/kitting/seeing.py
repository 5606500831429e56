"""What the robot does to see: looking, finding parts and grasps, checking what it did."""

from __future__ import annotations

from handup.domains.kitting.primitive import primitive
from handup.domains.kitting.state import ALIKE, CONTENTS, FETCHED, MACHINED
from handup.domains.kitting.turn import Turn
from handup.executive.action import Aborted, Done, Outcome

SETTLE_S = 3.0
"""A camera needs so long to come to rest, and a person to step aside thrice that."""


@primitive(takes=("pose",), touches=False)
def look(turn: Turn) -> Outcome:
    """Turn the head."""
    turn.come_up()
    turn.change(head=str(turn.goal["pose"]))
    turn.score("camera", not turn.has("shaking_camera"))
    return Done()


@primitive(takes=("seconds",), touches=False)
def wait(turn: Turn) -> Outcome:
    """Stand still. Long enough, a shaking camera settles and people step aside."""
    seconds = float(turn.goal["seconds"])
    for cause, least_s in (("shaking_camera", SETTLE_S), ("person_in_way", 3 * SETTLE_S)):
        share = turn.rates.causes[cause].removed_by["wait"] if seconds >= least_s else 0.0
        if turn.has(cause) and turn.draw(f"removes/{cause}") < share:
            turn.drop(cause)
    return Done()


@primitive(gives=("clusters",), codes=("no_clusters",), touches=False)
def segment(turn: Turn) -> Outcome:
    """Cut the cloud before the camera into clusters."""
    turn.come_up()
    turn.score("view", not (turn.has("occlusion") or turn.has("out_of_view")))
    return turn.spoiled() or Done(results={"clusters": {"scene": turn.state.scene, "at": turn.state.base}})


@primitive(takes=("object", "clusters"), gives=("candidates",), codes=("not_found",), touches=False)
def recognise(turn: Turn) -> Outcome:
    """Find which cluster is the part. Parts that look alike are taken for each other now and then."""
    turn.come_up()
    wanted = str(turn.goal["object"])
    turn.score("pile", not turn.has("clutter"))
    turn.score("name", not turn.has("wrong_part"))
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.change(percept=(wanted, ALIKE[wanted] if turn.has("wrong_part") else wanted))
    return Done(results={"candidates": [{"part": wanted, **dict(turn.goal["clusters"])}]})


@primitive(takes=("object", "candidates"), gives=("grasps",), codes=("no_grasps",), touches=False)
def calculate_grasps(turn: Turn) -> Outcome:
    """Rank ways to grasp what was found. Grasps of an old cloud are grasps of an old cloud."""
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    best = dict(turn.goal["candidates"][0])
    if best["scene"] == turn.state.scene:
        turn.remove()
    return Done(results={"grasps": [{**best, "rank": rank} for rank in range(3)]})


@primitive(takes=("object",), gives=("grasped",), codes=("empty_grasp", "wrong_part"), touches=False)
def verify_grasp(turn: Turn) -> Outcome:
    """Look into the hand."""
    held = turn.state.hand
    if not held:
        return Aborted(code="empty_grasp", why="The hand is empty.", fields={"held": held})
    if held != turn.goal["object"]:
        return Aborted(code="wrong_part", why=f"The hand holds a {held}.", fields={"held": held})
    return Done(results={"grasped": True}, beliefs={"holding": True})


@primitive(gives=("kit",), codes=("not_found",), touches=False)
def detect_kit(turn: Turn) -> Outcome:
    """Find the uppermost kit of the stack."""
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.remove()
    return Done(results={"kit": {"scene": turn.state.scene}})


@primitive(gives=("chuck",), codes=("not_found",), touches=False)
def detect_chuck(turn: Turn) -> Outcome:
    """Find the machine's chuck, exact enough to put something into it."""
    spoiled = turn.spoiled()
    if spoiled is not None:
        return spoiled
    turn.remove()
    return Done(results={"chuck": {"scene": turn.state.scene}})


@primitive(gives=("contents",), codes=("missing_part", "no_kit"), touches=False)
def check_kit(turn: Turn) -> Outcome:
    """Compare the kit with what it should hold after the last placing."""
    if turn.state.tray is None:
        return Aborted(code="no_kit", why="There is no kit on the robot.")
    turn.change(noted=turn.state.tray)
    if len(turn.state.tray) < turn.state.expected:
        return Aborted(
            code="missing_part", why="The part is not in the kit.", fields={"contents": list(turn.state.tray)}
        )
    return Done(results={"contents": list(turn.state.tray)}, beliefs={"in_kit": len(turn.state.tray)})


@primitive(codes=("not_inserted",), touches=False)
def check_chuck(turn: Turn) -> Outcome:
    """Look whether the gear is in the machine."""
    if not turn.state.loaded:
        return Aborted(code="not_inserted", why="The chuck is empty.", fields={"held": turn.state.hand})
    return Done(beliefs={"loaded": True})


@primitive(gives=("next", "object", "station"), touches=False)
def choose_next(turn: Turn) -> Outcome:
    """The planner's hook: what to do next, by the time left, what the kit lacks and what the machine is at.

    Parts are fetched while the machine runs; the gear is taken out when it is done. Nothing is begun that cannot end
    in time: `stop` where even the shortest rest would come too late.
    """
    state, now_s = turn.state, turn.now_s
    if state.tray is None:
        enough = now_s + LEAST_KIT_S <= turn.rates.run_s
        return Done(results={"next": "kit" if enough else "stop", "object": "", "station": "kits"})
    missing = list(CONTENTS)
    for part in state.noted:
        if part in missing:
            missing.remove(part)
    machine = state.machine(now_s)
    fetch = next((part for part in FETCHED if part in missing), None)
    if MACHINED in missing and machine in ("empty", "loaded"):
        return Done(results={"next": "insert_gear", "object": "large_gear", "station": "gears"})
    if MACHINED in missing and (machine == "done" or fetch is None):
        return Done(results={"next": "retrieve_gear", "object": MACHINED, "station": "machine"})
    if fetch is not None:
        return Done(results={"next": "fetch", "object": fetch, "station": FETCHED[fetch]})
    return Done(results={"next": "deliver", "object": "", "station": "drop_off"})


LEAST_KIT_S = 560.0
"""A kit takes about 650 s when nothing goes wrong; with less time left than this none is begun."""
