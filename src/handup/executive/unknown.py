"""An action of which nobody knows what became of it: look, repeat it where that is allowed, or ask; never guess."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol, runtime_checkable

from handup.core import ContractViolation
from handup.executive.action import Aborted, Action, Call, Done, NotStarted, Outcome, Working
from handup.executive.around import Around
from handup.executive.events import Asked, Became, Ending, Known, Stopped, Void
from handup.executive.hearing import hear
from handup.executive.machine import RunAction
from handup.executive.outcomes import acted
from handup.executive.people import Heard
from handup.executive.run import Run
from handup.recover.unknown import NOT_STARTED, WORKED, lost_question

LOST = "lost"
"""The code of an action that a person says did not work, after its outcome was lost."""


@runtime_checkable
class Senses(Protocol):
    """An action that can look what became of a start."""

    def sense(self, call: Call) -> Outcome | NotStarted | None:
        """What became of it, without moving; None where that cannot be told."""
        ...


def settle(run: Run, around: Around, stop: Callable[[], str | None]) -> Generator[Working, None, None]:
    """Find out what became of the action that was under way when the last program ended.

    1. The action looks itself, where it has a `sense`.
    2. It is started again, marked as such, where it is `repeatable`.
    3. A person is asked. Where there is nobody, or nobody answers, the run ends as `unanswered`.

    Args:
        run: The run.
        around: Actions, clock and people.
        stop: Why the run is to stop; None while it is not. Nobody is waited for after a stop.
    """
    command = run.machine.next()
    assert isinstance(command, RunAction)
    make = around.actions[command.action]
    now_s = around.clock.now_s
    action = make()
    if isinstance(action, Senses):
        seen = action.sense(Call(goal=command.goal, attempt=command.attempt, number=command.number))
        if seen is not None:
            _sensed(run, command, seen, now_s())
            return
    if getattr(make, "repeatable", False):
        run.tell(Void(number=command.number, why="repeatable"))
        run.flush()
        return
    heard = yield from _ask(run, around, command, stop)
    if (why := stop()) is not None:
        run.tell(Stopped(why=why, at_s=now_s()))
    elif heard is None or heard.value is None:
        run.tell(
            Stopped(why=f"Nobody could say what became of {command.path}.", ending=Ending.UNANSWERED, at_s=now_s())
        )
    elif heard.value == NOT_STARTED:
        run.tell(Void(number=command.number, why="not started", by=heard.by))
    else:
        outcome = Done() if heard.value == WORKED else Aborted(code=LOST, why="A person says that it did not work.")
        run.tell(acted(command.number, outcome, now_s(), Known.SAID, heard.by))
    run.flush()


def _sensed(run: Run, command: RunAction, seen: object, at_s: float) -> None:
    match seen:
        case NotStarted():
            run.tell(Void(number=command.number, why="not started"))
        case Done() | Aborted():
            run.tell(acted(command.number, seen, at_s, Known.SENSED))
        case _:
            raise _no_look(seen)
    run.flush()


def became(action: Action, call: Call) -> Became:
    """What became of a start that was interrupted and stopped. Nobody is asked: what failed is recovered from.

    Raises:
        ContractViolation: The action's `sense` gives something else than what it may.
    """
    match action.sense(call) if isinstance(action, Senses) else None:
        case None:
            return Became.UNKNOWN
        case NotStarted():
            return Became.NOT_STARTED
        case Done():
            return Became.DONE
        case Aborted():
            return Became.ABORTED
        case seen:
            raise _no_look(seen)


def _no_look(seen: object) -> ContractViolation:
    return ContractViolation(f"sense() gave {seen!r}", hint="Return Done, Aborted, NotStarted or None.")


def _ask(
    run: Run, around: Around, command: RunAction, stop: Callable[[], str | None]
) -> Generator[Working, None, Heard | None]:
    people = around.people
    if people is None or stop() is not None:
        return None
    what = command.action.replace("_", " ")
    goal = ", ".join(f"{name}: {value}" for name, value in command.goal.items())
    question = people.ask(lost_question(what, goal), f"act:{command.number}")
    run.asked(Asked(number=command.number, question=question, path=command.path, at_s=around.clock.now_s()))
    return (yield from hear(run, around, question, lambda: stop() is not None))
