"""Contract check of actions, which any author can run on their own class."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from copy import deepcopy
from typing import Any

from handup.core import BadRecord, ContractViolation
from handup.executive.action import Aborted, Call, Done, NotStarted, Outcome, RobotAction, Working, plain
from handup.executive.reader.values import NAME, WORD

METHODS: Mapping[str, tuple[int, str]] = {
    "start": (1, "def start(self, call: Call) -> None"),
    "step": (0, "def step(self) -> Generator[Working, None, Outcome]"),
    "stop": (0, "def stop(self) -> None"),
}
"""Methods that an action must have, with their numbers of arguments."""
OPTIONAL: Mapping[str, tuple[int, str]] = {
    "sense": (1, "def sense(self, call: Call) -> Outcome | NotStarted | None"),
    "modules": (1, "def modules(self, failure: Failure) -> ModuleGraph | None"),
}
"""Methods that it may have."""
LISTS = ("takes", "gives", "codes")
CAN_NAME = "Use a word that recipes and rules can name: letters, digits and '_', no digit first."
PLAIN = "Give None, truth, numbers, texts, lists and maps of these."


def check_action(
    make: Callable[[], RobotAction], calls: Iterable[Call] = (), *, most_turns: int = 100_000, turn_s: float = 0.5
) -> None:
    """Check an action against the contract that handup's own actions keep.

    Without `calls` nothing moves: only what the class declares is checked, and one instance is made. With them the
    action is really started, several times for each, and stopped half-way, so use a simulated robot or a free space.
    Time is not waited for: give calls under which it ends however fast its turns come, or leave them out.

    Args:
        make: The class, or a function that makes an instance, as it stands in `Around(actions=…)`.
        calls: Starts to try.
        most_turns: Most turns that it may take to end.
        turn_s: Most seconds that one turn may take, by the clock on the wall. A turn that blocks keeps monitors
            and a stop waiting.

    Raises:
        ContractViolation: Naming the action and the first thing that is wrong with it.
    """
    held = _Held(make, turn_s)
    held.check_words()
    held.check_methods()
    for call in calls:
        held.check_stop(call)
        held.check_end(call, most_turns)
        held.check_sense(call)


class _Held:
    """Action that is held against the contract."""

    def __init__(self, make: Callable[[], RobotAction], turn_s: float) -> None:
        self._make: Any = make
        self._turn_s = turn_s

    def _violation(self, what: str, hint: str) -> ContractViolation:
        name = getattr(self._make, "__name__", None) or type(self._make).__name__
        return ContractViolation(f"action {name} {what}", hint=hint)

    # -- what it says of itself --------------------------------------------------------------------------------------

    def check_words(self) -> None:
        make = self._make
        if not isinstance(getattr(make, "name", None), str) or not make.name:
            raise self._violation("has no name", "Give the class a ClassVar[str] called 'name'.")
        if not WORD.fullmatch(make.name):
            raise self._violation(f"is called {make.name!r}", CAN_NAME)
        for word in LISTS:
            names = getattr(make, word, None)
            if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
                hint = f"Give the class a tuple of texts called '{word}'."
                raise self._violation(f"says {names!r} for '{word}'", hint)
            bare = [name.removesuffix("?") if word == "takes" else name for name in names]
            if bad := [name for name in bare if not (WORD if word == "codes" else NAME).fullmatch(name)]:
                raise self._violation(f"has {bad[0]!r} in '{word}'", CAN_NAME)
            if len(set(bare)) < len(bare):
                raise self._violation(f"names something twice in '{word}'", "Name everything once.")
        if not isinstance(getattr(make, "repeatable", None), bool):
            hint = "Give it 'repeatable': True only if a second start after a power cut does no harm."
            raise self._violation("does not say whether it may be repeated", hint)

    def check_methods(self) -> None:
        try:
            inspect.signature(self._make).bind()
        except TypeError as error:
            hint = (
                "Make it without arguments; what it needs of the robot is bound before, and its inputs come with start."
            )
            raise self._violation(f"cannot be made without arguments ({error})", hint) from None
        action = self._make()
        for name, (arguments, how) in {**METHODS, **OPTIONAL}.items():
            method = getattr(action, name, None)
            if method is None and name in OPTIONAL:
                continue
            if not callable(method):
                raise self._violation(f"has no {name}()", f"Write: {how}.")
            try:
                inspect.signature(method).bind(*range(arguments))
            except TypeError as error:
                raise self._violation(f"has a {name}() with other arguments ({error})", f"Write: {how}.") from None
            if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
                hint = "Leave async out, or use as_action for an async function."
                raise self._violation(f"has an async {name}()", hint)

    # -- what it does ------------------------------------------------------------------------------------------------

    def check_stop(self, call: Call) -> None:
        """Stop it before it began, and half-way, each twice."""
        never, action = self._make(), self._make()
        steps = self._started(action, call)
        try:
            self._turn(steps)
        finally:
            for stopped in (action, action, never, never):
                self._timed("stop()", stopped.stop)
            steps.close()

    def check_end(self, call: Call, most_turns: int) -> None:
        """Let it work until it ends."""
        action, goal = self._make(), deepcopy(call.goal)
        steps = self._started(action, call)
        try:
            for _ in range(most_turns):
                working, outcome = self._turn(steps)
                if working is None:
                    break
            else:
                hint = "Let everything end, in an abort if need be."
                raise self._violation(f"goes on after {most_turns} turns", hint)
        finally:
            action.stop()
            action.stop()
        if call.goal != goal:
            raise self._violation("changes the goal that it is given", "Copy it before you change it.")
        self._check_outcome(outcome)

    def check_sense(self, call: Call) -> None:
        sense = getattr(self._make(), "sense", None)
        seen = None if sense is None else sense(call)
        if not isinstance(seen, Done | Aborted | NotStarted | None):
            raise self._violation(f"senses {seen!r}", "Return Done, Aborted, NotStarted or None from sense().")
        if isinstance(seen, Done | Aborted):
            self._check_outcome(seen)

    def _started(self, action: RobotAction, call: Call) -> Generator[Working, None, Outcome]:
        self._timed("start()", lambda: action.start(call))
        steps: object = action.step()
        if not isinstance(steps, Generator):
            hint = "Write step() with yield Working(...) while it goes on; 'yield from ()' where it never does."
            raise self._violation(f"gives {type(steps).__name__} for step()", hint)
        return steps

    def _turn(self, steps: Generator[Working, None, Outcome]) -> tuple[Working | None, object]:
        try:
            working = self._timed("a turn", lambda: next(steps))
        except StopIteration as end:
            return None, end.value
        if not isinstance(working, Working) or not 0.0 <= working.for_s < float("inf"):
            raise self._violation(f"yields {working!r}", "Yield Working(seconds), of zero or more.")
        return working, None

    def _timed(self, what: str, do: Callable[[], Any]) -> Any:
        since = time.monotonic()
        try:
            return do()
        finally:
            took_s = time.monotonic() - since
            if took_s > self._turn_s:
                raise self._violation(f"blocks: {what} took {took_s:.2f} s", "Yield Working(...) instead of waiting.")

    def _check_outcome(self, outcome: object) -> None:
        gives, codes = set(self._make.gives), self._make.codes
        match outcome:
            case Done():
                if missing := sorted(gives - set(outcome.results)):
                    raise self._violation(f"is done and does not give {', '.join(missing)}", "Give all of 'gives'.")
                if more := sorted(set(outcome.results) - gives):
                    raise self._violation(f"gives {', '.join(more)}, which it does not say", "Name it in 'gives'.")
                self._check_plain("results", outcome.results)
                self._check_plain("beliefs", outcome.beliefs)
            case Aborted():
                if outcome.code not in codes:
                    raise self._violation(f"aborts with {outcome.code!r}, which it does not say", "Name it in 'codes'.")
                self._check_plain("fields", outcome.fields)
            case _:
                raise self._violation(f"ends with {outcome!r}", "Return Done(...) or Aborted(...) from step().")

    def _check_plain(self, what: str, data: Mapping[str, Any]) -> None:
        try:
            plain(dict(data))
        except BadRecord as error:
            raise self._violation(f"has {what} that cannot be written down ({error.cause})", PLAIN) from None
