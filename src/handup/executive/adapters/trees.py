"""py_trees both ways: a behaviour as an action, and a run as a behaviour."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, ClassVar

from handup.core import MissingExtra
from handup.executive.action import Aborted, Call, Done, Outcome, RobotAction, Working
from handup.executive.adapters.functions import declared
from handup.executive.events import Ending
from handup.executive.executive import Executive
from handup.executive.machine import Finished

try:
    from py_trees.behaviour import Behaviour
    from py_trees.common import Status
except ImportError:
    raise MissingExtra.of("trees", "A behaviour tree") from None

FAILURE, INVALID = "failure", "invalid"
"""Codes of a behaviour that failed, or gave no status, and named no code of its own."""


def behaviour_action(
    make: Callable[[Call], Behaviour],
    *,
    name: str,
    takes: Iterable[str] = (),
    gives: Iterable[str] = (),
    codes: Iterable[str] = (),
    repeatable: bool = False,
    results: Callable[[Any], Mapping[str, Any]] = lambda behaviour: {},
    every_s: float = 0.1,
) -> type[RobotAction]:
    """Make an action of a py_trees behaviour, or of the root of a whole tree.

    For each start one is made, set up with all below it, and ticked until it runs no more. Then it is shut down,
    as it is after a stop, which interrupts it. A costly connection is made outside and given to it by `make`.

    Its failures are named by `feedback_message`, of the behaviour that failed or else of the root: where it begins with
    one of `codes`, alone or before a colon (`no_plan: the goal is in collision`), that is the code; otherwise the code
    is `failure`. The message is what people read.

    Args:
        make: Function that makes the behaviour for a start: its inputs are in `call.goal`.
        name: Name in recipes.
        takes: Its inputs, with a `?` at the end of those that may be missing.
        gives: Its results.
        codes: Words with which its messages may begin.
        repeatable: True if it may be started again when nobody knows whether it had its effect.
        results: Function that reads the results from the behaviour once it succeeded.
        every_s: Seconds between two ticks.
    """
    return declared(
        _Ticked,  # type: ignore[type-abstract]  # the class that is made has a name and all else
        name,
        takes=takes,
        gives=gives,
        codes=(*codes, FAILURE, INVALID),
        repeatable=repeatable,
        about=None,
        _make=staticmethod(make),
        _results=staticmethod(results),
        _every_s=every_s,
    )


class _Ticked(RobotAction):
    """Action of a behaviour that is ticked once a turn."""

    _make: Callable[[Call], Behaviour]
    _results: Callable[[Any], Mapping[str, Any]]
    _every_s: ClassVar[float]

    def __init__(self) -> None:
        self._behaviour: Behaviour | None = None

    def start(self, call: Call) -> None:
        self._behaviour = self._make(call)
        self._behaviour.setup_with_descendants()

    def step(self) -> Generator[Working, None, Outcome]:
        behaviour = self._behaviour
        assert behaviour is not None, "start comes first"
        while True:
            behaviour.tick_once()
            if behaviour.status is not Status.RUNNING:
                break
            yield Working(self._every_s, behaviour.feedback_message or behaviour.name)
        self._behaviour = None
        try:
            done = behaviour.status is Status.SUCCESS
            return Done(results=self._results(behaviour)) if done else self._failed(behaviour)
        finally:
            _shut_down(behaviour)

    def stop(self) -> None:
        """Interrupt it, once."""
        behaviour, self._behaviour = self._behaviour, None
        if behaviour is not None:
            behaviour.stop(Status.INVALID)
            _shut_down(behaviour)

    def _failed(self, behaviour: Behaviour) -> Aborted:
        leaf = behaviour.tip() or behaviour
        message = leaf.feedback_message or behaviour.feedback_message
        first = message.split(":", 1)[0].strip()
        status = FAILURE if behaviour.status is Status.FAILURE else INVALID
        code = first if first in self.codes else status
        return Aborted(code=code, why=message or f"{leaf.name} gave {status}.", fields={"behaviour": leaf.name})


def _shut_down(behaviour: Behaviour) -> None:
    for part in behaviour.iterate():
        part.shutdown()


class TaskBehaviour(Behaviour):
    """Behaviour that runs a recipe: running while it goes on, a success if it is done, else a failure.

    A tick never waits: it takes one turn of the executive where one is due, by the executive's own clock. Steps that
    take no time are passed within one tick.

    If the tree interrupts it, what is under way is stopped and the run is left where it stands. The next round makes an
    executive anew: give its `Run` a journal and the same id, and it goes on from there; what became of the action that
    was cut off is sensed, repeated where that is allowed, or asked about. Without a journal it starts again.

    Args:
        name: Name of the behaviour.
        make: Function that makes an executive, with a `Run` of its own, for a round.

    Attributes:
        finished: How the last round ended; None before, and after an interruption.
    """

    def __init__(self, name: str, make: Callable[[], Executive]) -> None:
        super().__init__(name)
        self.finished: Finished | None = None
        self._make = make
        self._executive: Executive | None = None
        self._turns: Generator[Working, None, Finished] | None = None
        self._due_s = 0.0

    def initialise(self) -> None:
        """Make an executive."""
        self.finished = None
        self._executive = self._make()
        self._turns = self._executive.turns()
        self._due_s = self._executive.around.clock.now_s()

    def update(self) -> Status:
        """Take one turn, where one is due."""
        assert self._executive is not None
        assert self._turns is not None
        now_s = self._executive.around.clock.now_s()
        if now_s < self._due_s:
            return Status.RUNNING
        try:
            working = next(self._turns)
        except StopIteration as end:
            assert isinstance(end.value, Finished)
            self.finished = end.value
            self.feedback_message = f"{end.value.ending}: {end.value.reason}"
            return Status.SUCCESS if end.value.ending is Ending.DONE else Status.FAILURE
        self._due_s = now_s + working.for_s
        self.feedback_message = working.doing
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Stop what is under way. Safe twice."""
        turns, self._turns = self._turns, None
        if turns is not None:
            turns.close()
