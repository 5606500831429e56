"""Simulated FetchIt robot: the door to the kitting world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from handup.core import ConflictingSettings, IllegalCall, ManualClock, OutOfRange, UnknownName
from handup.domains.kitting.actions import KINDS, TIME_UP, Primitive, actions_of
from handup.domains.kitting.causes import CAUSES, REMEDIED, DrawnChance, cause_of, chance
from handup.domains.kitting.hall_state import ControllerGoal, Effect, HallState, WorldFile
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.rates import rates as usual
from handup.executive.action import Aborted, Call, Done, NotStarted, Outcome
from handup.executive.monitors import Monitor, Watch

LASTS = "lasts"


class KittingWorld:
    """Tables, parts, a milling machine and a mobile robot whose failures have hidden causes.

    Use it with the executive: `KittingWorld(7).actions()` are its primitives, `clock` is its time. The robot's
    controllers live here: they take on a goal, stop where they are when the program that asked has died, and remember
    how the last one ended. So nothing is ever done twice.

    Args:
        seed: Source of all chance.
        rates: Durations and probabilities; None for the world's own.
        path: File to live in; without one nothing is kept. A world that is kept there goes on, with its own seed.
        drills: True to allow that failures are injected. A world that was made with it keeps it.
        whose: Owner of the world, such as the name of a run. A file with another owner's world is refused.
        create: True to begin a world if the file holds none. If False, it must be there.

    Raises:
        OutOfRange: The seed is negative.
        StoreUnavailable, BadRecord: The file cannot be used, is not there, or holds another owner's world.
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
            raise OutOfRange.of("seed", seed, "be at least 0", hint="Give a whole number of at least 0.")
        self.rates = rates or usual()
        self.state = HallState(seed=seed, drilled=drills)
        self._store = None if path is None else WorldFile(path, create=create)
        if self._store is not None:
            if create and self._store.load() is None:
                self._store.begin(self.state, whose)
            self.state = self._store.go_on(whose)
        self.clock = ManualClock(self.state.now_s)
        self.starts: Counter[str] = Counter()
        self._effects: list[Effect] = []

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Everything that has touched the world, each with the call that it came from."""
        return tuple(self._effects) if self._store is None else self._store.effects()

    @property
    def kits(self) -> int:
        """Complete kits, delivered in time."""
        return self.state.complete_by(self.rates.run_s)

    @property
    def points(self) -> int:
        """Points for these kits."""
        return self.kits * self.rates.points

    def actions(self) -> Mapping[str, type[Primitive]]:
        """Return the robot's primitives, by name."""
        return actions_of(self)

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors beside the task, of the base's place, the hand and the machine, by their beliefs."""
        monitors = {"on_place": on_place, "holding": holding, "loaded": loaded}
        return tuple(Watch(name, partial(self._seen, see)) for name, see in monitors.items())

    def inject(self, part: str, failure: str) -> None:
        """Leave a drill: let something go wrong at its next opportunity. Another program may do so while the task runs.

        Args:
            part: Part of the robot or the world, such as `camera`.
            failure: Name of the hidden cause, such as `occlusion`.

        Raises:
            UnknownName: There is no such part, or no such failure of it.
            ConflictingSettings: This world takes no drills.
        """
        cause = cause_of(part, failure)
        if not self.state.drilled:
            raise ConflictingSettings("this world takes no drills", hint="Make it with drills=True.")
        if self._store is None:
            self._keep(replace(self.state, drills=_with(self.state.drills, cause.name)))
        else:
            self._store.drill(cause.name)

    def fix(self, cause: str) -> bool:
        """Take away a cause, and a wrong part with it, as the hands of a person do. Return whether it was there."""
        was_there = cause in self.state.causes
        if was_there:
            turn = DrawnChance(self.state, self.rates, "fix", {}, now_s=self.clock.now_s())
            turn.drop(cause)
            if cause == "wrong_part":
                turn.change(hand="")
            self._keep(turn.ended)
        return was_there

    @property
    def sights(self) -> tuple[str, ...]:
        """Words for everything that somebody in the hall would see to be wrong. The robot is not told."""
        return tuple(CAUSES[cause].words for cause in self.state.causes)

    def helped(self, about: str, help_: Callable[[KittingWorld], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Let somebody simulated help, once: what they did and what they said are kept together.

        Args:
            about: Subject of the help. Asked about the same once more, as after a kill, they say the same.
            help_: Function that does what they do, in a world to try it in, and returns what they say.
        """
        if self.state.helped.get("about") != about:
            # What they do happens in a copy first: state and answer are then kept in one write.
            trial = KittingWorld(rates=self.rates)
            trial.state, trial.clock = self.state, ManualClock(self.clock.now_s())
            answer = help_(trial)
            self._keep(replace(trial.state, helped={"about": about, **answer}))
        return {key: value for key, value in self.state.helped.items() if key != "about"}

    def take_from_hand(self) -> None:
        """Take what is in the hand, as a person does."""
        turn = DrawnChance(self.state, self.rates, "fix", {}, now_s=self.clock.now_s())
        turn.change(hand="")
        self._keep(turn.ended)

    def accept(self, name: str, call: Call) -> float:
        """Let the controllers take on a goal; return how long it will take, in seconds.

        Raises:
            IllegalCall: They are at another goal.
        """
        now_s = self.clock.now_s()
        if self.state.goal is not None:
            raise IllegalCall(f"the robot is at {self.state.goal.action}", hint="Stop that first, or sense it.")
        turn = DrawnChance(self.state, self.rates, name, call.goal, call.attempt, now_s)
        lasts_s = 0.0 if now_s >= self.rates.run_s else self._duration(turn)
        goal = ControllerGoal(
            number=call.number,
            action=name,
            goal=dict(call.goal),
            attempt=call.attempt,
            again=call.again,
            started_s=now_s,
            lasts_s=lasts_s,
        )
        self.starts[name] += 1
        # Drills that another program has left in the file since the last action.
        new = () if self._store is None else self._store.drills()
        self._keep(replace(self.state, now_s=now_s, goal=goal, drills=_with(self.state.drills, *new)))
        return lasts_s

    def finish(self, number: int) -> Outcome:
        """End a goal whose time has passed; return what became of it.

        Raises:
            IllegalCall: The controllers are not at this goal.
        """
        goal = self.state.goal
        if goal is None or goal.number != number:
            raise IllegalCall(f"the robot is not at call {number}", hint="Start it first.")
        kind = KINDS[goal.action]
        turn = DrawnChance(self.state, self.rates, goal.action, goal.goal, goal.attempt, self.clock.now_s())
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
        """Take a goal back: it leaves no trace. One that is over already stays as it is."""
        goal = self.state.goal
        if goal is not None and goal.number == number:
            self._keep(replace(self.state, goal=None, now_s=self.clock.now_s()))

    def sensed(self, number: int) -> Outcome | NotStarted | None:
        """Return what became of a start whose outcome was lost. One that was under way has stopped."""
        goal = self.state.goal
        if goal is not None and goal.number == number:
            self._keep(replace(self.state, goal=None))
            return NotStarted()
        last = self.state.last
        if last.get("number") == number:
            return _outcome(last)
        return NotStarted() if number > int(last.get("number", -1)) else None

    def close(self) -> None:
        """Let go of the file, if there is one. Safe to call twice."""
        if self._store is not None:
            self._store.close()

    def _seen(self, see: See, now_s: float) -> bool | None:
        """Return what a monitor sees while the robot is at something: between two actions nothing has settled yet."""
        return None if self.state.goal is None else see(self.state, self.rates, now_s)

    def _keep(self, state: HallState, effect: Effect | None = None) -> None:
        if self._store is not None:
            self._store.keep(state, effect)
        elif effect is not None:
            self._effects.append(effect)
        self.state = state

    def _duration(self, turn: DrawnChance) -> float:
        seconds = turn.goal.get("seconds")
        if turn.action == "wait":
            return max(0.0, float(seconds or 0.0))
        varies = 1.0 + self.rates.spread * (2.0 * turn.draw(LASTS) - 1.0)
        if turn.action == "navigate":
            to = str(turn.goal["to"])
            if to not in self.rates.stations:
                raise UnknownName(
                    f"there is no station '{to}'", hint=f"Choose among: {', '.join(self.rates.stations)}."
                )
            return 0.5 if to == turn.state.base else varies * self.rates.way_s(turn.state.base, to)
        lasts_s = varies * self.rates.durations_s[turn.action]
        if turn.action == "wait_machine" and turn.state.busy_until_s is not None:
            return max(lasts_s, turn.state.busy_until_s - turn.now_s)
        return lasts_s


def _with(drills: tuple[str, ...], *new: str) -> tuple[str, ...]:
    return tuple(sorted({*drills, *new})) if new else drills


def _dealt_with(action: str, outcome: Outcome) -> Outcome:
    """Clear what was said to be wrong with a module, once something was done about it."""
    modules = REMEDIED.get(action)
    if modules is None or isinstance(outcome, Aborted):
        return outcome
    return replace(outcome, beliefs={**dict.fromkeys(modules, False), **outcome.beliefs})


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {"done": isinstance(outcome, Done), **asdict(outcome)}


def _outcome(record: Mapping[str, Any]) -> Outcome:
    kind: type[Outcome] = Done if record["done"] else Aborted
    return kind(**{field.name: record[field.name] for field in fields(kind)})


See = Callable[[HallState, Rates, float], bool | None]
"""Function that returns what a monitor sees at a time: true, false, or None for nothing."""


def on_place(state: HallState, rates: Rates, now_s: float) -> bool:
    """Return whether laser and map agree on where the base stands. Most offsets show, all the time."""
    if "mislocalised" in state.causes:
        return chance(state.seed, f"base_monitor/{state.visits}") >= rates.seeing["base_monitor"]
    return not _mistaken("base", state, rates, now_s)


def holding(state: HallState, rates: Rates, now_s: float) -> bool:
    """Return whether the gripper is open as if something were in it. Now and then it misses that a part has slipped."""
    if _mistaken("gripper", state, rates, now_s):
        return not state.hand
    if state.hand or "slip" not in state.causes:
        return bool(state.hand)
    return chance(state.seed, f"gripper_monitor/{state.handled}") >= rates.seeing["gripper_monitor"]


def loaded(state: HallState, rates: Rates, now_s: float) -> bool | None:
    """Return what the machine reports of its chuck; None while the link is down."""
    return None if "lost_link" in state.causes else state.loaded


def _mistaken(which: str, state: HallState, rates: Rates, now_s: float) -> bool:
    return chance(state.seed, f"false_alarm/{which}/{round(10 * now_s)}") < rates.seeing["false_alarm"]
