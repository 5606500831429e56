"""Functions as actions: plain ones run at once, async ones on an event loop beside the executive."""

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

from handup.core import ContractViolation, IllegalCall, Malformed, MissingSetting
from handup.executive.action import Aborted, Call, Done, Outcome, RobotAction, Working
from handup.executive.reader.values import WORD


class Background:
    """An event loop in a thread of its own, started with the first action.

    All actions that share it share one loop, so a client that belongs to a loop can be used by all of them. It is
    closed when the program ends, or earlier by `close`, or at the end of a `with` block.

    Args:
        close_s: Seconds that cancelled work has to make safe when the loop is closed.
    """

    def __init__(self, *, close_s: float = 2.0) -> None:
        self._close_s = close_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._begun: WeakSet[Future[Any]] = WeakSet()

    def begin(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Begin some work, and return the future of its result. Cancelling that cancels the work.

        Raises:
            IllegalCall: The loop was closed.
        """
        try:
            begun: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._started())
        except IllegalCall:
            # A coroutine that never runs must be closed, or Python warns of it.
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
            # Marked as closed under the lock, so that no action can start the loop again.
            loop, thread, closed, self._closed = self._loop, self._thread, self._closed, True
        if loop is None or thread is None or closed:
            return
        # Everything on the loop is cancelled there, and only then is the loop stopped.
        atexit.unregister(self.close)
        ending = asyncio.run_coroutine_threadsafe(_cancelled(self._close_s), loop)
        ending.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
        thread.join(2.0 * self._close_s)
        for future in list(self._begun):
            future.cancel()  # of those that did not end: nobody may wait for them any longer

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped, then close it."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _cancelled(within_s: float) -> None:
    """Cancel everything else on this loop, and let it make safe."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=within_s)


SHARED = Background()
"""Event loop of actions that bring none of their own."""


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
        Malformed: A list is one text.
    """
    lists = {"takes": takes, "gives": gives, "codes": codes}
    for word, names in lists.items():
        if isinstance(names, str):
            raise Malformed.of(f"{word} of action '{name}'", repr(names), "be a tuple of texts", hint="Give a tuple.")
    body = {word: tuple(dict.fromkeys(names)) for word, names in lists.items()}
    return type(name, (base,), {"name": name, "repeatable": repeatable, "__doc__": about, **body, **more})


FAULTS: Mapping[type[Exception], str] = {
    TimeoutError: "timeout",
    ConnectionError: "no_connection",
    OSError: "system_error",
}
"""Codes of what goes wrong in the world. The nearest base of an exception counts."""
CANCELLED = "cancelled"
"""Code of an async function that was cancelled by somebody other than the executive."""
CALL = "call"
"""Name of a parameter that is no input: it is given the `Call`."""
MISTAKES = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError, ImportError, SyntaxError)
"""Exceptions of a program that is wrong. Never an abort: a recovery cannot mend it."""
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
) -> type[RobotAction]:
    """Make an action of a function.

    Its parameters are the inputs; those with a default may be missing. One called `call` is given the `Call`, with the
    attempt and what is believed. It returns a mapping of results, None, or `Done(...)` or `Aborted(...)`.

    A plain function is called in one turn, so it must return soon. One that takes time is an *async* function: it runs
    on an event loop beside the executive, is looked at every so often, and is cancelled when the action is stopped. A
    stop does not wait for that: what must be made safe is done in its `finally`, at once. Its time is real, so give the
    executive a real clock.

    Args:
        function: The function.
        name: Name in recipes; None for the function's own name.
        gives: Its results.
        codes: Codes of the `Aborted` that it returns.
        repeatable: True if it may be started again when nobody knows whether it had its effect.
        faults: Exceptions that are part of the work, with the code of each. All others mean that the program is wrong:
            they go up and end the run's program, as those of any action do.
        every_s: Seconds between two looks at an async function.
        background: Event loop for an async function.

    Raises:
        Malformed: Its parameters cannot be inputs, or `faults` would hide mistakes of the program.
        MissingSetting: `faults` gives an exception no code.
    """
    name = name or str(getattr(function, "__name__", ""))
    _check_faults(name, faults)
    inputs, wants_call = _inputs(name, function)
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
        _wants_call=wants_call,
        _faults=dict(faults),
        _every_s=every_s,
        _background=background,
    )


class _Function(RobotAction):
    """Common part of plain and async functions."""

    _function: ClassVar[Callable[..., Any]]
    _wants_call: ClassVar[bool]
    _faults: ClassVar[Mapping[type[Exception], str]]
    _every_s: ClassVar[float]
    _background: ClassVar[Background]

    def __init__(self) -> None:
        self._arguments: dict[str, Any] = {}

    def start(self, call: Call) -> None:
        self._arguments = {**call.goal, CALL: call} if self._wants_call else dict(call.goal)

    def stop(self) -> None:
        """Do nothing: between its turns nothing is under way."""

    def _aborted(self, error: Exception) -> Aborted:
        kind = next(base for base in type(error).__mro__ if base in self._faults)
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Aborted(code=self._faults[kind], why=why[:MOST_WORDS], fields={"error": type(error).__name__})

    def _outcome(self, work: Callable[[], object]) -> Outcome:
        try:
            result = work()
        except tuple(self._faults) as error:
            return self._aborted(error)
        match result:
            case Done() | Aborted():
                return result
            case None:
                return Done()
            case Mapping():
                return Done(results=dict(result))
        raise ContractViolation(
            f"the function behind the action '{self.name}' returned {type(result).__name__}",
            hint="Return a mapping of results by name, None, Done(...) or Aborted(...).",
        )


class _AtOnce(_Function):
    """Action of a plain function."""

    def step(self) -> Generator[Working, None, Outcome]:
        yield from ()  # a generator of no turns
        return self._outcome(lambda: self._function(**self._arguments))


class _Waiting(_Function):
    """Action of an async function."""

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
            return await self._function(**self._arguments)
        except SystemExit as error:  # it would end the loop's thread, and nobody else
            raise ContractViolation(
                f"the function behind the action '{self.name}' ended the program ({error})",
                hint="Return Aborted(...) instead.",
            ) from error

    def _late(self, task: asyncio.Task[Any]) -> None:
        """Log what goes wrong after a stop, since nobody asks for the result then."""
        if task.cancelling() and not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the action '%s' went wrong after it was stopped", self.name, exc_info=error)

    def step(self) -> Generator[Working, None, Outcome]:
        work = self._work
        assert work is not None, "start comes first"
        while not work.done():
            yield Working(self._every_s, self.name)
        if work.cancelled():
            return Aborted(code=CANCELLED, why="It was cancelled.")
        return self._outcome(work.result)

    def stop(self) -> None:
        """Cancel it, and do not wait for that."""
        if self._work is not None:
            self._work.cancel()


def _inputs(name: str, function: Callable[..., Any]) -> tuple[tuple[str, ...], bool]:
    """Return the inputs of a function, and whether it takes the call."""
    if not WORD.fullmatch(name):
        hint = "Give as_action a name for it."
        raise Malformed.of("the name of an action", repr(name), "be a single word", hint=hint)
    inputs, wants_call = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise Malformed(
                f"each parameter of '{name}' must have a name that a recipe can use, got {parameter}",
                hint="Take each input by its own name.",
            )
        if parameter.name == CALL:
            wants_call = True
        else:
            inputs.append(parameter.name if parameter.default is parameter.empty else f"{parameter.name}?")
    return tuple(inputs), wants_call


def _check_faults(name: str, faults: Mapping[type[Exception], str]) -> None:
    for kind, code in faults.items():
        hidden = [mistake.__name__ for mistake in MISTAKES if issubclass(mistake, kind)]
        if hidden or not issubclass(kind, Exception):
            raise Malformed(
                f"faults of action '{name}' must not name what hides mistakes of the program, got {kind.__name__}",
                hint="Name the exceptions that mean that the work failed, such as TimeoutError.",
            )
        if not isinstance(code, str) or not code:
            must = f"give {kind.__name__} a code"
            raise MissingSetting.of(f"faults of action '{name}'", repr(code), must, hint="Give a word.")
