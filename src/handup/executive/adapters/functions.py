"""Functions as actions: plain ones at once, async ones on an event loop beside the executive."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import logging
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Any, ClassVar, TypeVar
from weakref import WeakSet

from handup.core import BadSetting, ContractViolation, IllegalCall
from handup.executive.action import Aborted, Action, Call, Done, Outcome, Working
from handup.executive.reading.values import WORD


class Background:
    """An event loop in a thread of its own, started with the first action.

    All actions that share it share one loop, so a client that belongs to a loop can be used by all of them. It is
    closed when the program ends, or earlier by `close`, or at the end of a `with` block.

    Args:
        close_s: When it is closed, what is still under way is cancelled, and has so many seconds to make safe.
    """

    def __init__(self, *, close_s: float = 2.0) -> None:
        self._close_s = close_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._begun: WeakSet[Future[Any]] = WeakSet()

    def begin(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Begin some work and give what will hold its result. Cancelling that cancels the work.

        Raises:
            IllegalCall: It was closed.
        """
        try:
            begun: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._started())
        except IllegalCall:
            work.close()
            raise
        self._begun.add(begun)
        return begun

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise IllegalCall("an action began after its event loop was closed", hint="Close it after the run.")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_run, args=(self._loop,), name="handup-actions", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop

    def close(self) -> None:
        """Cancel what is under way and end the loop. Safe twice."""
        with self._lock:
            loop, thread, closed, self._closed = self._loop, self._thread, self._closed, True
        if loop is None or thread is None or closed:
            return
        atexit.unregister(self.close)
        ending = asyncio.run_coroutine_threadsafe(_cancelled(self._close_s), loop)
        ending.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
        thread.join(2.0 * self._close_s)
        for each in list(self._begun):
            each.cancel()  # of those that did not end: nobody may wait for them any longer

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """What the thread does."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _cancelled(within_s: float) -> None:
    """Cancel everything else on this loop, and let it make safe."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    if others:
        await asyncio.wait(others, timeout=within_s)


SHARED = Background()
"""For those who bring none of their own."""


B = TypeVar("B")


def declared(
    base: type[B],
    name: str,
    *,
    takes: Iterable[str],
    gives: Iterable[str],
    codes: Iterable[str],
    repeatable: bool,
    about: str | None,
    **more: Any,
) -> type[B]:
    """Make a class of actions with a name of its own.

    The arguments are those of the functions that make actions; `more` is what the base needs to know.

    Raises:
        BadSetting: A list is one text.
    """
    lists = {"takes": takes, "gives": gives, "codes": codes}
    for word, given in lists.items():
        if isinstance(given, str):
            raise BadSetting(f"{word} of the action '{name}' is the text {given!r}", hint="Give a tuple of texts.")
    body = {word: tuple(dict.fromkeys(given)) for word, given in lists.items()}
    return type(name, (base,), {"name": name, "repeatable": repeatable, "__doc__": about, **body, **more})


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


class _Function(Action):
    """What both kinds have in common."""

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
