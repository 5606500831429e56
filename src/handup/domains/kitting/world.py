"""The simulated FetchIt: the door to the kitting world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from handup.core import BadSetting, IllegalCall, ManualClock
from handup.domains.kitting.actions import KINDS, TIME_UP, Primitive, actions_of
from handup.domains.kitting.causes import CAUSES, REMEDIED, Turn, cause_of, chance
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.rates import rates as usual
from handup.domains.kitting.state import Effect, Goal, State, Store
from handup.executive.action import Aborted, Call, Done, NotStarted, Outcome
from handup.executive.monitors import Fault, Monitor, Sees

LASTS = "lasts"


class World:
    """Tables, parts, a milling machine and a mobile robot whose failures have hidden causes.

    Use it with the executive: `World(7).actions()` are its primitives, `clock` is its time. The robot's controllers
    live here: they take on a goal, stop where they are when the program that asked has died, and remember how the
    last one ended. So nothing is ever done twice.

    Args:
        seed: All chance comes from it.
        rates: How long things take and what goes wrong; the world's own where not given.
        path: A file to live in; nothing is kept without one. A world that is kept there goes on, with its own seed.
        drills: Whether failures may be injected. Off by default; a world that was made with it keeps it.
        whose: Whose world it is, such as the name of a run. A file that holds another one's is refused.
        create: Whether to begin a world where the file holds none. Without it, it must be there.

    Raises:
        BadSetting: The seed is negative.
        StoreUnavailable, BadRecord: The file cannot be used, is not there, or holds another one's world.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        rates: Rates | None = None,
        path: Path | None = None,
        drills: bool = False,
        whose: str = "",
        create: bool = True,
    ) -> None:
        if seed < 0:
            raise BadSetting(f"seed is {seed}", hint="Give a whole number of at least 0.")
        self.rates = rates or usual()
        self.state = State(seed=seed, drilled=drills)
        self._store = None if path is None else Store(path, create=create)
        if self._store is not None:
            if create and self._store.load() is None:
                self._store.begin(self.state, whose)
            self.state = self._store.go_on(whose)
        self.clock = ManualClock(self.state.now_s)
        self.starts: Counter[str] = Counter()
        self._effects: list[Effect] = []

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Everything that has touched the world, with the call it came from."""
        return tuple(self._effects) if self._store is None else self._store.effects()

    @property
    def kits(self) -> int:
        """Complete kits, delivered in time."""
        return self.state.complete_by(self.rates.run_s)

    @property
    def points(self) -> int:
        """What they count."""
        return self.kits * self.rates.points

    def actions(self) -> Mapping[str, type[Primitive]]:
        """The robot's primitives, by name."""
        return actions_of(self)

    def monitors(self) -> tuple[Monitor, ...]:
        """What looks on beside the task: the base's place, the hand, the machine."""
        return monitors_of(self)

    def inject(self, part: str, failure: str) -> None:
        """A drill: let something go wrong at its next opportunity. Another program may do this while the task runs.

        Args:
            part: Where, such as `camera`.
            failure: The hidden cause, such as `occlusion`.

        Raises:
            BadSetting: There is no such part, or no such failure of it, or this world takes no drills.
        """
        cause = cause_of(part, failure)
        if not self.state.drilled:
            raise BadSetting("this world takes no drills", hint="Make it with drills=True.")
        if self._store is None:
            self._keep(replace(self.state, drills=_with(self.state.drills, cause.name)))
        else:
            self._store.drill(cause.name)

    def fix(self, cause: str) -> bool:
        """A person takes away a cause with their hands, and a wrong part with it. Gives whether it was there."""
        there = cause in self.state.causes
        if there:
            turn = Turn(self.state, self.rates, "fix", {}, now_s=self.clock.now_s())
            turn.drop(cause)
            if cause == "wrong_part":
                turn.change(hand="")
            self._keep(turn.ended)
        return there

    @property
    def sights(self) -> tuple[str, ...]:
        """What somebody in the hall would see to be wrong. The robot is not told."""
        return tuple(CAUSES[each].words for each in self.state.causes)

    def helped(self, about: str, help_: Callable[[World], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Let somebody simulated help, once: what they did and what they said are kept together.

        Args:
            about: What they help with. Asked about the same once more, as after a kill, they say the same.
            help_: What they do, in a world to try it in, and say.
        """
        if self.state.helped.get("about") != about:
            trial = World(rates=self.rates)
            trial.state, trial.clock = self.state, ManualClock(self.clock.now_s())
            said = help_(trial)
            self._keep(replace(trial.state, helped={"about": about, **said}))
        return {key: value for key, value in self.state.helped.items() if key != "about"}

    def take_from_hand(self) -> None:
        """A person takes what is in the hand."""
        turn = Turn(self.state, self.rates, "fix", {}, now_s=self.clock.now_s())
        turn.change(hand="")
        self._keep(turn.ended)

    def accept(self, name: str, call: Call) -> float:
        """The controllers take on a goal; gives how long it will take, in seconds.

        Raises:
            IllegalCall: They are at another one.
        """
        now_s = self.clock.now_s()
        if self.state.goal is not None:
            raise IllegalCall(f"the robot is at {self.state.goal.action}", hint="Stop that first, or sense it.")
        turn = Turn(self.state, self.rates, name, call.goal, call.attempt, now_s)
        lasts_s = 0.0 if now_s >= self.rates.run_s else self._duration(turn)
        goal = Goal(
            number=call.number,
            action=name,
            goal=dict(call.goal),
            attempt=call.attempt,
            again=call.again,
            started_s=now_s,
            lasts_s=lasts_s,
        )
        self.starts[name] += 1
        new = () if self._store is None else self._store.drills()
        self._keep(replace(self.state, now_s=now_s, goal=goal, drills=_with(self.state.drills, *new)))
        return lasts_s

    def finish(self, number: int) -> Outcome:
        """The goal's time has passed: what became of it.

        Raises:
            IllegalCall: The controllers are not at it.
        """
        goal = self.state.goal
        if goal is None or goal.number != number:
            raise IllegalCall(f"the robot is not at call {number}", hint="Start it first.")
        kind = KINDS[goal.action]
        turn = Turn(self.state, self.rates, goal.action, goal.goal, goal.attempt, self.clock.now_s())
        outcome: Outcome
        if goal.started_s >= self.rates.run_s:
            outcome = Aborted(code=TIME_UP, why="The time of the run is up.")
        else:
            turn.draw(LASTS)  # counted only now: a start that is taken back leaves no trace
            outcome = _dealt_with(goal.action, kind.effect(turn))
        code = outcome.code if isinstance(outcome, Aborted) else ""
        effect = Effect(number=number, action=goal.action, again=goal.again, at_s=turn.now_s, code=code)
        self._keep(
            replace(turn.ended, goal=None, last={"number": number, **_plain(outcome)}), effect if kind.touches else None
        )
        return outcome

    def cancel(self, number: int) -> None:
        """Take a goal back: it leaves no trace. Where it is over already, nothing happens."""
        goal = self.state.goal
        if goal is not None and goal.number == number:
            self._keep(replace(self.state, goal=None, now_s=self.clock.now_s()))

    def sensed(self, number: int) -> Outcome | NotStarted | None:
        """What became of a start whose outcome was lost. A goal that they were at when the program died has stopped."""
        goal = self.state.goal
        if goal is not None and goal.number == number:
            self._keep(replace(self.state, goal=None))
            return NotStarted()
        last = self.state.last
        if last.get("number") == number:
            return _outcome(last)
        return NotStarted() if number > int(last.get("number", -1)) else None

    def close(self) -> None:
        """Let go of the file, where there is one. Safe to call twice."""
        if self._store is not None:
            self._store.close()

    def _keep(self, state: State, effect: Effect | None = None) -> None:
        if self._store is not None:
            self._store.keep(state, effect)
        elif effect is not None:
            self._effects.append(effect)
        self.state = state

    def _duration(self, turn: Turn) -> float:
        given = turn.goal.get("seconds")
        if turn.action == "wait":
            return max(0.0, float(given or 0.0))
        varies = 1.0 + self.rates.spread * (2.0 * turn.draw(LASTS) - 1.0)
        if turn.action == "navigate":
            to = str(turn.goal["to"])
            if to not in self.rates.stations:
                raise BadSetting(f"there is no station '{to}'", hint=f"Choose among: {', '.join(self.rates.stations)}.")
            return 0.5 if to == turn.state.base else varies * self.rates.way_s(turn.state.base, to)
        lasts_s = varies * self.rates.durations_s[turn.action]
        if turn.action == "wait_machine" and turn.state.busy_until_s is not None:
            return max(lasts_s, turn.state.busy_until_s - turn.now_s)
        return lasts_s


def _with(drills: tuple[str, ...], *new: str) -> tuple[str, ...]:
    return tuple(sorted({*drills, *new})) if new else drills


def _dealt_with(action: str, outcome: Outcome) -> Outcome:
    """Whatever was said to be wrong with a module is over once something was done about it."""
    modules = REMEDIED.get(action)
    if modules is None or isinstance(outcome, Aborted):
        return outcome
    return replace(outcome, beliefs={**dict.fromkeys(modules, False), **outcome.beliefs})


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {"done": isinstance(outcome, Done), **asdict(outcome)}


def _outcome(record: Mapping[str, Any]) -> Outcome:
    kind: type[Outcome] = Done if record["done"] else Aborted
    return kind(**{field.name: record[field.name] for field in fields(kind)})


See = Callable[[State, Rates, float], bool | None]
"""What a monitor sees at a time: true, false, or nothing."""


@dataclass(frozen=True)
class Watcher:
    """A monitor of the world: it holds the belief of its name, as long as it sees anything."""

    codes: ClassVar[tuple[str, ...]] = ()
    name: str
    see: See
    world: World

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """Say what it sees, while the robot is at something: between two actions nothing has settled yet."""
        if self.world.state.goal is None:
            return ()
        seen = self.see(self.world.state, self.world.rates, now_s)
        return () if seen is None else (Sees(key=self.name, value=seen),)


def on_place(state: State, rates: Rates, now_s: float) -> bool:
    """Laser against map: whether the base stands where the robot thinks. Most offsets show, all the time."""
    if "mislocalised" in state.causes:
        return chance(state.seed, f"base_monitor/{state.visits}") >= rates.seeing["base_monitor"]
    return not _mistaken("base", state, rates, now_s)


def holding(state: State, rates: Rates, now_s: float) -> bool:
    """The width of the gripper: whether anything is in it. Now and then it does not show that a part has slipped."""
    if _mistaken("gripper", state, rates, now_s):
        return not state.hand
    if state.hand or "slip" not in state.causes:
        return bool(state.hand)
    return chance(state.seed, f"gripper_monitor/{state.handled}") >= rates.seeing["gripper_monitor"]


def loaded(state: State, rates: Rates, now_s: float) -> bool | None:
    """What the machine says of its chuck; nothing while the link is down."""
    return None if "lost_link" in state.causes else state.loaded


def _mistaken(which: str, state: State, rates: Rates, now_s: float) -> bool:
    return chance(state.seed, f"false_alarm/{which}/{round(10 * now_s)}") < rates.seeing["false_alarm"]


def monitors_of(world: World) -> tuple[Monitor, ...]:
    """All monitors of a world, by the belief that each holds."""
    return (Watcher("on_place", on_place, world), Watcher("holding", holding, world), Watcher("loaded", loaded, world))
