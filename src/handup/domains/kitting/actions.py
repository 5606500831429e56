"""Actions of the robot: each is one function on a `DrawnChance`, and one class with the interface of the executive."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from handup.domains.kitting.causes import CAUSES, DrawnChance, Hangs, modules_of
from handup.domains.kitting.hall_state import ALIKE, CONTENTS, FETCHED, GEAR, KIT, MACHINED
from handup.executive.action import Aborted, Call, Done, NotStarted, Outcome, Working
from handup.executive.failure import Failure
from handup.policy import ModuleGraph

if TYPE_CHECKING:
    from handup.domains.kitting.world import KittingWorld

Effect = Callable[[DrawnChance], Outcome]
TIME_UP = "time_up"
"""Code of everything that is begun after the end of the run."""


@dataclass(frozen=True, kw_only=True)
class ActionKind:
    """Declaration of an action, and its effect.

    Args:
        takes: Its inputs; one with a `?` at the end may be missing.
        gives: Its results.
        codes: Codes of its aborts.
        touches: True if it may change the world, so that its effects are counted.
        effect: Function that does its work.
    """

    takes: tuple[str, ...]
    gives: tuple[str, ...]
    codes: tuple[str, ...]
    touches: bool
    effect: Effect


KINDS: dict[str, ActionKind] = {}
"""All actions by name, in the order of the files."""


def primitive(
    *,
    takes: tuple[str, ...] = (),
    gives: tuple[str, ...] = (),
    codes: tuple[str, ...] = (),
    touches: bool = True,
) -> Callable[[Effect], Effect]:
    """Make an action of the robot from a function on a turn, under the function's name."""

    def known(effect: Effect) -> Effect:
        kind = ActionKind(takes=takes, gives=gives, codes=(*codes, TIME_UP), touches=touches, effect=effect)
        KINDS[effect.__name__] = kind
        return effect

    return known


def remedy(name: str, about: str, *, takes: tuple[str, ...] = (), touches: bool = True, moves: bool = False) -> None:
    """Make an action that only takes causes away; with `moves`, nothing is any more where it was seen."""

    def effect(turn: DrawnChance) -> Outcome:
        turn.remove()
        if moves:
            turn.moved()
        return Done()

    effect.__name__, effect.__doc__ = name, about
    primitive(takes=takes, touches=touches)(effect)


class Primitive:
    """One start of an action. The controllers take it on at `start` and do it at the end of its time.

    `actions_of` makes a class of this for every action of a world. None is `repeatable`: looks, too, ask chance
    here, and the controllers always know what became of the last start, so that nothing ever needs to be repeated.
    """

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    gives: ClassVar[tuple[str, ...]]
    repeatable: ClassVar[bool] = False
    codes: ClassVar[tuple[str, ...]]
    about: ClassVar[str]
    world: ClassVar[KittingWorld]

    def __init__(self) -> None:
        self._number: int | None = None
        self._lasts_s = 0.0

    def start(self, call: Call) -> None:
        """Hand the goal to the robot's controllers."""
        self._number = call.number
        self._lasts_s = self.world.accept(self.name, call)

    def step(self) -> Generator[Working, None, Outcome]:
        """Let its time pass, then see what became of it."""
        if self._lasts_s > 0.0:
            yield Working(self._lasts_s, self.about)
        assert self._number is not None, "an action is started before it steps"
        return self.world.finish(self._number)

    def stop(self) -> None:
        """Take the goal back from the controllers, where they are still at it."""
        if self._number is not None:
            self.world.cancel(self._number)

    def sense(self, call: Call) -> Outcome | NotStarted | None:
        """Ask the controllers what became of a start: they know how their last one ended."""
        return self.world.sensed(call.number)

    def modules(self, failure: Failure) -> ModuleGraph | None:
        """Return the modules behind the action, with their confidences; None for actions without modules."""
        return modules_of(self.name, self.world.state, self.world.rates)


def actions_of(world: KittingWorld) -> Mapping[str, type[Primitive]]:
    """Return all actions of the robot in this world, by name."""
    return {
        name: type(
            name,
            (Primitive,),
            {
                "__doc__": kind.effect.__doc__,
                "name": name,
                "takes": kind.takes,
                "gives": kind.gives,
                "codes": kind.codes,
                "about": name.replace("_", " "),
                "world": world,
            },
        )
        for name, kind in KINDS.items()
    }


HAND_FULL = Aborted(code="hand_full", why="There is something in the hand already.")
EMPTY_HAND = Aborted(code="empty_hand", why="There is nothing in the hand.")
NO_KIT = Aborted(code="no_kit", why="There is no kit on the robot.")
WRONG_PLACE = Aborted(code="wrong_place", why="The robot does not stand before the right table.")


@primitive(takes=("object", "grasps"), codes=("no_plan", "gripper_fault", "hand_full"))
def pick(turn: DrawnChance) -> Outcome:
    """Close the hand where a part was seen, and lift. `verify_grasp` tells whether anything is in it."""
    if turn.state.hand:
        return HAND_FULL
    ranked = turn.goal["grasps"]
    seen = dict(ranked[(turn.attempt - 1) % len(ranked)])  # another one each time
    fresh = seen["scene"] == turn.state.scene and seen["at"] == turn.state.base
    turn.come_up()
    turn.score("map", not (turn.has("stale_map") or turn.has("wedged_arm")))
    turn.score("grasp", fresh and not turn.has("shifted_part"))
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    beside = [turn.bites(CAUSES[cause]) for cause in ("shifted_part", "mislocalised")]
    if any(beside) or not fresh:
        turn.moved()  # the fingers pushed it
        return Done(beliefs={"holding": True})
    turn.remove()
    turn.change(hand=turn.state.percept[1])
    return Done(beliefs={"holding": True})


@primitive(takes=("object",), codes=("no_plan", "gripper_fault", "off_target", "empty_hand", "no_kit"))
def place_in_kit(turn: DrawnChance) -> Outcome:
    """Let go of a part above its compartment. Now and then it falls beside it."""
    state = turn.state
    if state.tray is None:
        return NO_KIT
    if state.hand in ("", KIT):
        return EMPTY_HAND
    turn.drop("beside_kit")  # the one before is gone; this is another part
    turn.come_up()
    if (spoiled := turn.spoiled()) is not None:
        turn.drop("beside_kit")
        return spoiled
    inside = () if turn.has("beside_kit") else (state.hand,)
    turn.change(tray=(*state.tray, *inside), expected=len(state.tray) + 1, hand="")
    return Done(beliefs={"holding": False})


@primitive(codes=("hand_full",))
def realign(turn: DrawnChance) -> Outcome:
    """Look at the part in the hand and turn the wrist so that it points where it should."""
    turn.remove()
    turn.score("alignment", not turn.has("misaligned_gear"))
    return Done()


@primitive(codes=("empty_hand", "gripper_fault"))
def put_back(turn: DrawnChance) -> Outcome:
    """Lay what is in the hand back on the table."""
    if turn.state.hand in ("", KIT):
        return EMPTY_HAND
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    turn.remove()
    turn.change(hand="")
    turn.moved()
    return Done(beliefs={"holding": False})


@primitive()
def open_gripper(turn: DrawnChance) -> Outcome:
    """Open the hand, whatever is in it: it falls."""
    turn.remove()
    turn.change(hand="")
    return Done(beliefs={"holding": False})


remedy("reset_gripper", "Start the gripper's driver anew. It keeps what it holds.")


@primitive(takes=("kit",), codes=("kit_not_held", "gripper_fault", "hand_full", "wrong_place"))
def pick_kit(turn: DrawnChance) -> Outcome:
    """Lift the uppermost kit by a taught motion."""
    if turn.state.hand:
        return HAND_FULL
    if turn.state.base != "kits":
        return WRONG_PLACE
    turn.come_up()
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    turn.change(hand=KIT)
    return Done(beliefs={"holding": True})


@primitive(codes=("empty_hand", "tray_full"))
def place_kit_on_robot(turn: DrawnChance) -> Outcome:
    """Set the kit down on the robot's tray."""
    if turn.state.hand != KIT:
        return EMPTY_HAND
    if turn.state.tray is not None:
        return Aborted(code="tray_full", why="There is a kit on the robot already.")
    turn.come_up()
    turn.change(tray=(), expected=0, noted=(), hand="", kits=turn.state.kits + 1)
    return Done(beliefs={"holding": False, "in_kit": 0})


remedy("straighten_kit", "Push at two sides of the kit until it lies along the tray.")


@primitive(takes=("slot?",), codes=("slot_taken", "off_table", "no_kit", "wrong_place"))
def deliver_kit(turn: DrawnChance) -> Outcome:
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
    if (spoiled := turn.spoiled()) is not None:
        fields = {"slot": slot, "free": slot + 1} if spoiled.code == "slot_taken" else {}
        return Aborted(code=spoiled.code, why=spoiled.why, fields=fields)
    turn.let_go(Hangs.KIT)
    turn.change(delivered=(*state.delivered, (turn.now_s, state.tray)), tray=None, expected=0, noted=(), slot=slot + 1)
    return Done(beliefs={"in_kit": 0, "delivered": len(state.delivered) + 1})


@primitive()
def discard_kit(turn: DrawnChance) -> Outcome:
    """Put away the kit on the robot and whatever is in the hand, to begin anew."""
    turn.remove()
    turn.let_go(Hangs.KIT)
    turn.change(tray=None, expected=0, noted=(), hand="")
    return Done(beliefs={"holding": False, "in_kit": 0})


MISSED = Aborted(code="missed_hole", why="The fingers do not meet the chuck.")


@primitive(takes=("chuck",), codes=("jammed", "missed_hole", "no_plan", "nothing_to_insert", "occupied", "wrong_place"))
def insert_gear(turn: DrawnChance) -> Outcome:
    """Push the gear into the chuck by force. The robot may take a failed insertion for a good one."""
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
    if (spoiled := turn.spoiled()) is not None or turn.goal["chuck"]["scene"] != state.scene:
        turn.drop("false_insertion")
        return spoiled or MISSED
    # The robot believes that the gear is in; it is in the hand still, or has fallen.
    if turn.has("false_insertion"):
        if turn.draw("falls") < turn.rates.seeing["gear_falls"]:
            turn.change(hand="")
        return Done(beliefs={"loaded": True})
    turn.change(hand="", loaded=True, busy_until_s=None)
    return Done(beliefs={"loaded": True, "holding": False})


@primitive(codes=("no_link", "machine_fault", "machine_empty"))
def start_machine(turn: DrawnChance) -> Outcome:
    """Start milling."""
    turn.come_up()
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    if not turn.state.loaded:
        return Aborted(code="machine_empty", why="The machine reports that its chuck is empty.")
    turn.change(busy_until_s=turn.now_s + turn.rates.machine_s)
    return Done()


@primitive(gives=("machine",), codes=("no_link",), touches=False)
def machine_status(turn: DrawnChance) -> Outcome:
    """Ask the machine what it is at: `empty`, `loaded`, `busy` or `done`."""
    turn.come_up()
    machine = turn.state.machine(turn.now_s)
    return turn.spoiled() or Done(results={"machine": machine}, beliefs={"loaded": machine != "empty"})


@primitive(codes=("no_link", "machine_empty"), touches=False)
def wait_machine(turn: DrawnChance) -> Outcome:
    """Stand before the machine until it is done."""
    turn.come_up()
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    if turn.state.machine(turn.now_s) != "done":
        return Aborted(code="machine_empty", why="The machine has nothing to be done with.")
    return Done()


@primitive(
    takes=("chuck",), codes=("missed_hole", "no_plan", "machine_busy", "nothing_there", "hand_full", "wrong_place")
)
def retrieve_gear(turn: DrawnChance) -> Outcome:
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
    if (spoiled := turn.spoiled()) is not None or turn.goal["chuck"]["scene"] != state.scene:
        return spoiled or MISSED
    turn.change(hand=MACHINED, loaded=False, busy_until_s=None)
    return Done(beliefs={"loaded": False, "holding": True})


remedy("reset_machine", "Let the machine open and close its chuck once.")
remedy("reconnect", "Set up the wireless link to the machine anew.", touches=False)


@primitive(takes=("to",), codes=("stuck", "blocked"))
def navigate(turn: DrawnChance) -> Outcome:
    """Drive to a station. Where the robot thinks it is there already, it stays as it stands."""
    to = str(turn.goal["to"])
    if to == turn.state.base:
        return Done(beliefs={"at": to})
    turn.come_up("stuck_base", "person_in_way")
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    turn.let_go(Hangs.VISIT)
    turn.change(base=to, visits=turn.state.visits + 1, scene=turn.state.scene + 1)
    turn.come_up("out_of_view", "out_of_reach", "mislocalised")
    turn.score("base", not turn.has("mislocalised"))
    turn.score("reach", not turn.has("out_of_reach"))
    return Done(beliefs={"at": to, "on_place": True})


@primitive(takes=("pose",), codes=("no_plan",))
def move_arm(turn: DrawnChance) -> Outcome:
    """Move the arm to a pose with a name. What it holds may slip."""
    part = turn.state.hand not in ("", "kit")
    if part:
        turn.drop("slip")  # the one before is gone; this is another part
    turn.come_up("stale_map", *(("slip",) if part else ()))
    if (spoiled := turn.spoiled()) is not None:
        if part:
            turn.drop("slip")
        return spoiled
    turn.change(arm=str(turn.goal["pose"]))
    if part and turn.has("slip"):
        turn.change(hand="")
    return Done()


@primitive(takes=("by_m?",))
def raise_arm(turn: DrawnChance) -> Outcome:
    """Lift the arm a little, without a plan: out of the picture and away from the ends of the joints."""
    turn.remove()
    turn.change(arm="raised")
    return Done()


remedy("reload_map", "Empty the obstacle map and fill it from the next clouds.")
remedy("sweep_head", "Look left, right, up and down, so that what lies outside one picture lies inside another.")
remedy(
    "reposition_base",
    "Back, aside and forward by a few centimetres. What was seen before is no longer where it was seen.",
    takes=("side?",),
    moves=True,
)
remedy("wiggle", "Turn left and right on the spot.", moves=True)
remedy("back_off", "Drive straight back, away from the table.", takes=("by_m?",), moves=True)


@primitive()
def localise(turn: DrawnChance) -> Outcome:
    """Find out anew where the base is, and drive the few centimetres that are missing."""
    turn.remove()
    turn.moved()
    if turn.has("mislocalised"):
        return Done()
    return Done(beliefs={"on_place": True})


@primitive(codes=("hand_full",))
def nudge_parts(turn: DrawnChance) -> Outcome:
    """Draw the closed gripper through parts that lie on top of each other."""
    if turn.state.hand:
        return Aborted(code="hand_full", why="There is something in the hand.")
    turn.remove()
    turn.moved()
    return Done()


SETTLE_S = 3.0
"""Seconds that a camera needs to come to rest; a person needs three times as long to step aside."""


@primitive(takes=("pose",), touches=False)
def look(turn: DrawnChance) -> Outcome:
    """Turn the head."""
    turn.come_up()
    turn.change(head=str(turn.goal["pose"]))
    turn.score("camera", not turn.has("shaking_camera"))
    return Done()


@primitive(takes=("seconds",), touches=False)
def wait(turn: DrawnChance) -> Outcome:
    """Stand still. Long enough, a shaking camera settles and people step aside."""
    seconds = float(turn.goal["seconds"])
    for cause, least_s in (("shaking_camera", SETTLE_S), ("person_in_way", 3 * SETTLE_S)):
        share = turn.rates.causes[cause].removed_by["wait"] if seconds >= least_s else 0.0
        if turn.has(cause) and turn.draw(f"removes/{cause}") < share:
            turn.drop(cause)
    return Done()


@primitive(gives=("clusters",), codes=("no_clusters",), touches=False)
def segment(turn: DrawnChance) -> Outcome:
    """Cut the cloud before the camera into clusters."""
    turn.come_up()
    turn.score("view", not (turn.has("occlusion") or turn.has("out_of_view")))
    return turn.spoiled() or Done(results={"clusters": {"scene": turn.state.scene, "at": turn.state.base}})


@primitive(takes=("object", "clusters"), gives=("candidates",), codes=("not_found",), touches=False)
def recognise(turn: DrawnChance) -> Outcome:
    """Find which cluster is the part. Parts that look alike are taken for each other now and then."""
    turn.come_up()
    part = str(turn.goal["object"])
    turn.score("pile", not turn.has("clutter"))
    turn.score("name", not turn.has("wrong_part"))
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    turn.change(percept=(part, ALIKE[part] if turn.has("wrong_part") else part))
    return Done(results={"candidates": [{"part": part, **dict(turn.goal["clusters"])}]})


@primitive(takes=("object", "candidates"), gives=("grasps",), codes=("no_grasps",), touches=False)
def calculate_grasps(turn: DrawnChance) -> Outcome:
    """Rank ways to grasp what was found. They are as old as the cloud that they come from."""
    if (spoiled := turn.spoiled()) is not None:
        return spoiled
    best = dict(turn.goal["candidates"][0])
    if best["scene"] == turn.state.scene:
        turn.remove()
    return Done(results={"grasps": [{**best, "rank": rank} for rank in range(3)]})


@primitive(takes=("object",), gives=("grasped",), codes=("empty_grasp", "wrong_part"), touches=False)
def verify_grasp(turn: DrawnChance) -> Outcome:
    """Look into the hand."""
    held = turn.state.hand
    if not held:
        return Aborted(code="empty_grasp", why="The hand is empty.", fields={"held": held})
    if held != turn.goal["object"]:
        return Aborted(code="wrong_part", why=f"The hand holds a {held}.", fields={"held": held})
    return Done(results={"grasped": True}, beliefs={"holding": True})


def detector(thing: str, about: str) -> None:
    """Make an action that finds a thing, and says in which scene it stands."""

    def effect(turn: DrawnChance) -> Outcome:
        if (spoiled := turn.spoiled()) is not None:
            return spoiled
        turn.remove()
        return Done(results={thing: {"scene": turn.state.scene}})

    effect.__name__, effect.__doc__ = f"detect_{thing}", about
    primitive(gives=(thing,), codes=("not_found",), touches=False)(effect)


detector("kit", "Find the uppermost kit of the stack.")
detector("chuck", "Find the machine's chuck, exact enough to put something into it.")


@primitive(gives=("contents",), codes=("missing_part", "no_kit"), touches=False)
def check_kit(turn: DrawnChance) -> Outcome:
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
def check_chuck(turn: DrawnChance) -> Outcome:
    """Look whether the gear is in the machine."""
    if not turn.state.loaded:
        return Aborted(code="not_inserted", why="The chuck is empty.", fields={"held": turn.state.hand})
    return Done(beliefs={"loaded": True})


@primitive(gives=("next", "object", "station"), touches=False)
def choose_next(turn: DrawnChance) -> Outcome:
    """Choose what to do next, by the time left, what the kit lacks and what the machine is at: the hook of a planner.

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
"""Least time that must be left to begin a kit, in seconds; a kit takes about 650 s when nothing goes wrong."""
