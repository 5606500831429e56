"""The contract of actions, as a check that any author can run on their own class."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from copy import deepcopy
from typing import Any

from handup.core import BadRecord, ContractViolation
from handup.executive.action import Aborted, Action, Call, Done, NotStarted, Outcome, Working, plain
from handup.executive.reading.values import NAME, WORD

METHODS: Mapping[str, tuple[int, str]] = {
    "start": (1, "def start(self, call: Call) -> None"),
    "step": (0, "def step(self) -> Generator[Working, None, Outcome]"),
    "stop": (0, "def stop(self) -> None"),
}
"""What an action must have, with how many arguments."""
OPTIONAL: Mapping[str, tuple[int, str]] = {
    "sense": (1, "def sense(self, call: Call) -> Outcome | NotStarted | None"),
    "modules": (1, "def modules(self, failure: Failure) -> ModuleGraph | None"),
}
"""What it may have."""
LISTS = ("takes", "gives", "codes")
CAN_NAME = "Use a word that recipes and rules can name: letters, digits and '_', no digit first."
PLAIN = "Give None, truth, numbers, texts, lists and maps of these."


def check_action(
    make: Callable[[], Action], calls: Iterable[Call] = (), *, most_turns: int = 100_000, turn_s: float = 0.5
) -> None:
    """Hold an action against the contract that handup's own keep.

    Without `calls` nothing moves: only what the class says of itself is looked at, and one is made. With them the
    action is really started, several times for each, and stopped half-way, so use a simulated robot or a free space.
    Time is not waited for: give calls under which it ends however fast its turns come, or leave them out.

    Args:
        make: The class, or what makes one, as it stands in `Around(actions=…)`.
        calls: Starts to try.
        most_turns: So many turns it may take to end.
        turn_s: So many seconds one turn may take at most, by the clock on the wall. A turn that blocks keeps monitors
            and a stop waiting.

    Raises:
        ContractViolation: Naming the action and the first thing that is wrong with it.
    """
    _check_words(make)
    _check_methods(make)
    for call in calls:
        _check_stop(make, call, turn_s)
        _check_end(make, call, most_turns, turn_s)
        _check_sense(make, call)


# -- what it says of itself ------------------------------------------------------------------------------------------


def _check_words(make: Callable[[], Action]) -> None:
    if not isinstance(getattr(make, "name", None), str) or not make.name:  # type: ignore[attr-defined]
        raise _violation(make, "has no name", "Give the class a ClassVar[str] called 'name'.")
    if not WORD.fullmatch(make.name):  # type: ignore[attr-defined]
        raise _violation(make, f"is called {make.name!r}", CAN_NAME)  # type: ignore[attr-defined]
    for word in LISTS:
        given = getattr(make, word, None)
        if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
            raise _violation(make, f"says {given!r} for '{word}'", f"Give the class a tuple of texts called '{word}'.")
        bare = [each.removesuffix("?") if word == "takes" else each for each in given]
        if bad := [each for each in bare if not (WORD if word == "codes" else NAME).fullmatch(each)]:
            raise _violation(make, f"has {bad[0]!r} in '{word}'", CAN_NAME)
        if len(set(bare)) < len(bare):
            raise _violation(make, f"names something twice in '{word}'", "Name everything once.")
    if not isinstance(getattr(make, "repeatable", None), bool):
        raise _violation(
            make,
            "does not say whether it may be repeated",
            "Give it 'repeatable': True only if a second start after a power cut does no harm.",
        )


def _check_methods(make: Callable[[], Action]) -> None:
    try:
        inspect.signature(make).bind()
    except TypeError as error:
        hint = "Make it without arguments; what it needs of the robot is bound before, and its inputs come with start."
        raise _violation(make, f"cannot be made without arguments ({error})", hint) from None
    action = make()
    for name, (arguments, how) in {**METHODS, **OPTIONAL}.items():
        method = getattr(action, name, None)
        if method is None and name in OPTIONAL:
            continue
        if not callable(method):
            raise _violation(make, f"has no {name}()", f"Write: {how}.")
        try:
            inspect.signature(method).bind(*range(arguments))
        except TypeError as error:
            raise _violation(make, f"has a {name}() with other arguments ({error})", f"Write: {how}.") from None
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise _violation(make, f"has an async {name}()", "Leave async out, or use as_action for an async function.")


# -- what it does ----------------------------------------------------------------------------------------------------


def _check_stop(make: Callable[[], Action], call: Call, turn_s: float) -> None:
    """Stopped before it began, and half-way, each twice."""
    never = make()
    action = make()
    steps = _started(make, action, call, turn_s)
    try:
        _turn(make, steps, turn_s)
    finally:
        for each in (action, action, never, never):
            _timed(make, "stop()", each.stop, turn_s)
        steps.close()


def _check_end(make: Callable[[], Action], call: Call, most_turns: int, turn_s: float) -> None:
    action, goal = make(), deepcopy(call.goal)
    steps = _started(make, action, call, turn_s)
    try:
        outcome: object = None
        for _ in range(most_turns):
            working, outcome = _turn(make, steps, turn_s)
            if working is None:
                break
        else:
            raise _violation(make, f"goes on after {most_turns} turns", "Let everything end, in an abort if need be.")
    finally:
        action.stop()
        action.stop()
    if call.goal != goal:
        raise _violation(make, "changes the goal that it is given", "Copy it before you change it.")
    _check_outcome(make, outcome)


def _check_sense(make: Callable[[], Action], call: Call) -> None:
    sense = getattr(make(), "sense", None)
    seen = None if sense is None else sense(call)
    if not isinstance(seen, Done | Aborted | NotStarted | None):
        raise _violation(make, f"senses {seen!r}", "Return Done, Aborted, NotStarted or None from sense().")
    if isinstance(seen, Done | Aborted):
        _check_outcome(make, seen)


def _started(
    make: Callable[[], Action], action: Action, call: Call, turn_s: float
) -> Generator[Working, None, Outcome]:
    _timed(make, "start()", lambda: action.start(call), turn_s)
    steps: object = action.step()
    if not isinstance(steps, Generator):
        hint = "Write step() with yield Working(...) while it goes on; 'yield from ()' where it never does."
        raise _violation(make, f"gives {type(steps).__name__} for step()", hint)
    return steps


def _turn(
    make: Callable[[], Action], steps: Generator[Working, None, Outcome], turn_s: float
) -> tuple[Working | None, object]:
    try:
        working = _timed(make, "a turn", lambda: next(steps), turn_s)
    except StopIteration as end:
        return None, end.value
    if not isinstance(working, Working) or not 0.0 <= working.for_s < float("inf"):
        raise _violation(make, f"yields {working!r}", "Yield Working(seconds), of zero or more.")
    return working, None


def _timed(make: Callable[[], Action], what: str, do: Callable[[], Any], turn_s: float) -> Any:
    since = time.monotonic()
    try:
        return do()
    finally:
        took_s = time.monotonic() - since
        if took_s > turn_s:
            raise _violation(make, f"blocks: {what} took {took_s:.2f} s", "Yield Working(...) instead of waiting.")


def _check_outcome(make: Callable[[], Action], outcome: object) -> None:
    match outcome:
        case Done():
            missing = sorted(set(_of(make, "gives")) - set(outcome.results))
            if missing:
                raise _violation(make, f"is done and does not give {', '.join(missing)}", "Give all of 'gives'.")
            more = sorted(set(outcome.results) - set(_of(make, "gives")))
            if more:
                raise _violation(make, f"gives {', '.join(more)}, which it does not say", "Name it in 'gives'.")
            _check_plain(make, "results", outcome.results)
            _check_plain(make, "beliefs", outcome.beliefs)
        case Aborted():
            if outcome.code not in _of(make, "codes"):
                raise _violation(make, f"aborts with {outcome.code!r}, which it does not say", "Name it in 'codes'.")
            _check_plain(make, "fields", outcome.fields)
        case _:
            raise _violation(make, f"ends with {outcome!r}", "Return Done(...) or Aborted(...) from step().")


def _check_plain(make: Callable[[], Action], what: str, data: Mapping[str, Any]) -> None:
    try:
        plain(dict(data))
    except BadRecord as error:
        raise _violation(make, f"has {what} that cannot be written down ({error.cause})", PLAIN) from None


def _of(make: Callable[[], Action], word: str) -> tuple[str, ...]:
    return tuple(getattr(make, word))


def _violation(make: Callable[[], Action], what: str, hint: str) -> ContractViolation:
    name = getattr(make, "__name__", None) or type(make).__name__
    return ContractViolation(f"action {name} {what}", hint=hint)
