"""Progress of a run at the terminal: a line for everything that matters, and the step under way."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.status import Status
from rich.text import Text

from handup.cli.journal_lines import shortened
from handup.cli.output import err
from handup.executive import events
from handup.executive.machine import Machine
from handup.executive.recovery import Recovery
from handup.executive.run_view import what_failed

LONG = 100
"""Most letters of a reason that a line shows."""


class RunProgress:
    """Printer of a run's progress on stderr; at a terminal the step under way stands below the lines.

    Args:
        machine: Machine of the run.
        quiet: Whether to print nothing.
        steps: Whether to print a line for each step, too.
        typing: Whether a person types here; then nothing moves below the lines.
        origin_s: Time that the lines count from.
    """

    def __init__(
        self, machine: Machine, *, quiet: bool, steps: bool, typing: bool = False, origin_s: float = 0.0
    ) -> None:
        self._machine = machine
        self._quiet, self._steps = quiet, steps
        self._origin_s, self._now_s = origin_s, 0.0
        self._failed = ""
        shown = err.is_terminal and not quiet and not typing
        self._status = Status("beginning", console=err) if shown else None

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def told(self, event: events.Entry) -> None:
        """Print the line of an event. Hears every event of the run."""
        at_s = getattr(event, "at_s", None)
        if isinstance(at_s, int | float):
            self._now_s = max(self._now_s, float(at_s) - self._origin_s)
        if isinstance(event, events.Begun) and self._status is not None:
            again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
            self._status.update(Text(f"{clock(self._now_s)} {event.path}{again}"))
        if self._quiet:
            return
        if self._failed and not self._ended_by(event):
            self._print(self._failed)
        # A failure is held back by one event: a rule that ends the run as done makes it no failure to tell of.
        self._failed = self._line(event) if isinstance(event, events.Failed) else ""
        if not self._failed:
            self._print(self._line(event))

    def _print(self, line: str) -> None:
        if line:
            err.print(Text(f"{clock(self._now_s)} {line}"), soft_wrap=True)

    def _ended_by(self, event: events.Entry) -> bool:
        """Return whether the event is of a rule that ends the run as done."""
        named = event.recovery if isinstance(event, events.Recovering | events.Recovered) else ""
        rule = next((rule for rule in self._rules() if rule.name == named), None)
        return rule is not None and all(branch.ends is events.Ending.DONE for branch in rule.branches)

    def _line(self, event: events.Entry) -> str:  # noqa: PLR0911 - a table
        match event:
            case events.Begun() if self._steps:
                again = f", attempt {event.attempt}" if event.attempt > 1 else ""
                return f"  · {event.path}{again}"
            case events.Failed():
                failure = event.failure
                times = failure.levels[-1].aborts
                often = f", {times} times now" if times > 1 else ""
                where = f"{failure.levels[-1].task}: {what_failed(failure)}{often}"
                return f"✗ {where}. {shortened(failure.why, LONG)}"
            case events.Recovered() if self._ended_by(event):
                return ""
            case events.Recovering():
                about = next((rule.about for rule in self._rules() if rule.name == event.recovery), "")
                words = f"{event.recovery}{f': {shortened(about, LONG)}' if about else ''}"
                return f"■ {words}" if self._ended_by(event) else f"  ↺ {words}"
            case events.Recovered(helped=False):
                return f"  ↺ {event.recovery} did not help"
            case events.Recovered():
                return f"  → {event.hint}{f' at {event.level}' if event.level else ''}"
            case events.TaskAsked():
                about = f"about {event.module}" if event.module else "how to go on"
                return f"? asks {about}"
            case events.TaskAnswered():
                return f"  {event.by or 'somebody'} says: {shortened(event.said or '', LONG)}"
            case _:
                return _seldom(event)

    def _rules(self) -> list[Recovery]:
        return [rule.recovery for rule in self._machine.program.rules]


def _seldom(event: events.Entry) -> str:  # noqa: PLR0911 - a table
    match event:
        case events.TaskUnanswered():
            return "  nobody answered"
        case events.TaskPrinted():
            return f"“{shortened(event.message, LONG)}”"
        case events.TaskStopped():
            return f"STOP: {shortened(event.why, LONG)}"
        case events.Resumed():
            return "goes on where it was"
        case events.Void():
            return f"  what was cut off had no effect ({event.why})"
        case events.ActionEnded(known="sensed"):
            return f"  what was cut off: the robot looked, and it {'worked' if event.ok else 'failed'}"
        case events.Reloaded():
            return "the files were read anew"
        case events.ReloadRefused():
            lines = (f"  {problem}" for problem in event.problems)
            return "\n".join(("the files are wrong, and the old ones hold:", *lines))
        case _:
            return ""


def clock(seconds: float) -> str:
    """Return a time of a run in minutes and seconds."""
    whole = int(seconds)
    return f"{whole // 60:02}:{whole % 60:02}"
