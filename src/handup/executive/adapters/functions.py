"""A plain Python function, async or not, as an action."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, ClassVar

from handup.core import BadSetting, ContractViolation
from handup.executive.action import Aborted, Action, Call, Done, Outcome, Working
from handup.executive.adapters.background import SHARED, Background
from handup.executive.adapters.declaring import declared
from handup.executive.reading.values import WORD

FAULTS: Mapping[type[Exception], str] = {
    TimeoutError: "timeout",
    ConnectionError: "no_connection",
    OSError: "system_error",
}
"""What goes wrong in the world, and its code. The nearest base of an exception counts."""
CANCELLED = "cancelled"
"""The code of an async function that was cancelled by somebody else than the executive."""
CALL = "call"
"""A parameter of this name is no input: it is given the `Call`."""
MISTAKES = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError, ImportError, SyntaxError)
"""A program that is wrong. Never an abort: a recovery cannot mend it."""
MOST_WORDS = 300
_log = logging.getLogger("handup.executive")


def as_action(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    gives: Iterable[str] = (),
    codes: Iterable[str] = (),
    repeatable: bool = False,
    faults: Mapping[type[Exception], str] = FAULTS,
    every_s: float = 0.02,
    background: Background = SHARED,
) -> type[Action]:
    """Make an action of a function.

    Its parameters are the inputs; those with a default may be missing. One called `call` is given the `Call`, with the
    attempt and what is believed. It returns a mapping of results, None, or `Done(...)` or `Aborted(...)`.

    A plain function is called in one turn, so it must return soon. One that takes time is an *async* function: it runs
    on an event loop beside the executive, is looked at every so often, and is cancelled when the action is stopped. A
    stop does not wait for that: what must be made safe is done in its `finally`, at once. Its time is real, so give the
    executive a real clock.

    Args:
        function: It.
        name: What recipes call it; the function's own name where it is not given.
        gives: Its results.
        codes: Of the `Aborted` that it returns.
        repeatable: Whether it may be started again when nobody knows whether it had its effect.
        faults: Which exceptions are part of the work, and the code of each. All others mean that the program is wrong:
            they go up and end the run's program, as those of any action do.
        every_s: How often an async function is looked at.
        background: Where an async function runs.

    Raises:
        BadSetting: Its parameters cannot be inputs, or `faults` would hide mistakes of the program.
    """
    name = name or str(getattr(function, "__name__", ""))
    _check_faults(name, faults)
    inputs, told = _inputs(name, function)
    waits = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    own = (*codes, *faults.values(), *((CANCELLED,) if waits else ()))
    return declared(
        _Waiting if waits else _AtOnce,
        name,
        takes=inputs,
        gives=gives,
        codes=own,
        repeatable=repeatable,
        about=inspect.getdoc(function),
        _function=staticmethod(function),
        _told=told,
        _faults=dict(faults),
        _every_s=every_s,
        _background=background,
    )


class _Function:
    """What both kinds have in common."""

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    gives: ClassVar[tuple[str, ...]]
    repeatable: ClassVar[bool]
    codes: ClassVar[tuple[str, ...]]
    _function: ClassVar[Callable[..., Any]]
    _told: ClassVar[bool]
    _faults: ClassVar[Mapping[type[Exception], str]]
    _every_s: ClassVar[float]
    _background: ClassVar[Background]

    def __init__(self) -> None:
        self._given: dict[str, Any] = {}

    def start(self, call: Call) -> None:
        self._given = {**call.goal, CALL: call} if self._told else dict(call.goal)

    def stop(self) -> None:
        """Nothing is under way between its turns."""

    def _aborted(self, error: Exception) -> Aborted:
        kind = next(each for each in type(error).__mro__ if each in self._faults)
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Aborted(code=self._faults[kind], why=why[:MOST_WORDS], fields={"error": type(error).__name__})

    def _outcome(self, made: object) -> Outcome:
        match made:
            case Done() | Aborted():
                return made
            case None:
                return Done()
            case Mapping():
                return Done(results=dict(made))
        raise ContractViolation(
            f"the function behind the action '{self.name}' returned {type(made).__name__}",
            hint="Return a mapping of results by name, None, Done(...) or Aborted(...).",
        )


class _AtOnce(_Function):
    """A plain function."""

    def step(self) -> Generator[Working, None, Outcome]:
        yield from ()  # a generator of no turns
        try:
            made = self._function(**self._given)
        except tuple(self._faults) as error:
            return self._aborted(error)
        return self._outcome(made)


class _Waiting(_Function):
    """An async function."""

    def __init__(self) -> None:
        super().__init__()
        self._work: Future[Any] | None = None

    def start(self, call: Call) -> None:
        super().start(call)
        self._work = self._background.begin(self._run())

    async def _run(self) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(self._late)
        try:
            return await self._function(**self._given)
        except SystemExit as error:  # it would end the loop's thread, and nobody else
            raise ContractViolation(
                f"the function behind the action '{self.name}' ended the program ({error})",
                hint="Return Aborted(...) instead.",
            ) from error

    def _late(self, task: asyncio.Task[Any]) -> None:
        """Nobody asks for the result after a stop, so what went wrong then is logged."""
        if task.cancelling() and not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the action '%s' went wrong after it was stopped", self.name, exc_info=error)

    def step(self) -> Generator[Working, None, Outcome]:
        work = self._work
        assert work is not None, "start comes first"
        while not work.done():
            yield Working(self._every_s, self.name)
        if work.cancelled():
            return Aborted(code=CANCELLED, why="It was cancelled.")
        try:
            made = work.result()
        except tuple(self._faults) as error:
            return self._aborted(error)
        return self._outcome(made)

    def stop(self) -> None:
        """Cancel it, and do not wait for that."""
        if self._work is not None:
            self._work.cancel()


def _inputs(name: str, function: Callable[..., Any]) -> tuple[tuple[str, ...], bool]:
    """The inputs that a function's parameters are, and whether it wants the call."""
    if not WORD.fullmatch(name):
        raise BadSetting(f"an action cannot be called {name!r}", hint="Give as_action a name for it, a single word.")
    inputs, told = [], False
    for each in inspect.signature(function).parameters.values():
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            raise BadSetting(
                f"the parameter {each} of '{name}' has no name that a recipe could use",
                hint="Take each input by its own name.",
            )
        if each.name == CALL:
            told = True
        else:
            inputs.append(each.name if each.default is each.empty else f"{each.name}?")
    return tuple(inputs), told


def _check_faults(name: str, faults: Mapping[type[Exception], str]) -> None:
    for kind, code in faults.items():
        hidden = [each.__name__ for each in MISTAKES if issubclass(each, kind)]
        if hidden or not issubclass(kind, Exception):
            raise BadSetting(
                f"faults of the action '{name}' has {kind.__name__}, which would hide mistakes of the program",
                hint="Name the exceptions that mean that the work failed, such as TimeoutError.",
            )
        if not isinstance(code, str) or not code:
            raise BadSetting(f"faults of the action '{name}' gives {kind.__name__} no code", hint="Give it a word.")
