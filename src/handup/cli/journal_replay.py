"""What `handup journal replay` shows: a timeline, then the state that it leads to."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from handup.cli.moments import clock, day, moment, near
from handup.cli.output import out, print_json, print_table
from handup.cli.retelling import shortened, tell
from handup.cli.saying import entries, say, working
from handup.core import body_of
from handup.desk.events import Asked, Enabled, Stopped
from handup.desk.projection import Comparison, compared
from handup.desk.record import Record, name_of
from handup.desk.state import DeskState, Fold
from handup.desk.status import Status
from handup.journal import Entry, Journal, JournalRepaired
from handup.recover.trail import Trail

MOST_RUNS = 20
"""So many runs are listed, the latest; the JSON has all of them."""
RUN_WIDTH = 12
"""So many letters of a run's name stand in the timeline."""
RUN_KINDS = "run."
ABOUT_ACTIONS = "act:"
"""How the steps begin that ask what became of an action."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to show.

    Args:
        run: Only this run, and stops and repairs, which concern all of them.
        until: The last entry to take in.
        last: List only so many entries; all where it is None.
    """

    run: str | None
    until: int
    last: int | None = None

    def lists(self, entry: Entry) -> bool:
        """Whether an entry belongs in the timeline."""
        return self.run in (None, entry.run) or isinstance(entry.event, Stopped | Enabled | JournalRepaired)


@dataclass(kw_only=True)
class Run:
    """What is known of a run."""

    name: str
    first_s: float
    last_s: float
    questions: int = 0
    asks_again_s: float | None = None
    trail: Trail = field(default_factory=Trail)

    @property
    def stands(self) -> str:
        """How it ended, or where it is."""
        attempt = self.trail.open_attempt
        if self.trail.ended is not None:
            return f"{self.trail.ended.outcome}: {shortened(self.trail.ended.reason)}"
        if self.trail.started is None:
            return "questions only"
        if attempt is not None and self.asks_again_s is not None:
            again = near(self.asks_again_s, day(self.last_s))
            return f"acts, outcome unknown; waits until {again} to ask again"
        if attempt is not None:
            return "acts, outcome unknown" if attempt.unknown else "acts, no outcome yet"
        return "not ended"

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        ended, attempt = self.trail.ended, self.trail.open_attempt
        return {
            "run": self.name,
            "first_s": self.first_s,
            "last_s": self.last_s,
            "questions": self.questions,
            "acts": len(self.trail.attempts),
            "open_action": attempt and attempt.id,
            "asks_again_s": attempt and self.asks_again_s,
            "outcome": ended and str(ended.outcome),
            "reason": ended and ended.reason,
        }


@dataclass(kw_only=True)
class Story:
    """What the replay has come to so far."""

    fold: Fold = field(default_factory=Fold)
    runs: dict[str, Run] = field(default_factory=dict)
    first_s: float | None = None
    stopped_s: float | None = None

    @property
    def state(self) -> DeskState:
        """The state of the desk by now."""
        return self.fold.state()

    def take(self, entry: Entry) -> str:
        """Take in one entry, and tell it in words."""
        self.fold.take(entry)
        if self.first_s is None:
            self.first_s = entry.at_s
        if isinstance(entry.event, Stopped | JournalRepaired):
            self.stopped_s = entry.at_s
        if entry.run:
            run = self.runs.setdefault(entry.run, Run(name=entry.run, first_s=entry.at_s, last_s=entry.at_s))
            run.last_s = entry.at_s
            run.questions += isinstance(entry.event, Asked)
            if entry.kind.startswith(RUN_KINDS):
                run.trail = run.trail.after(entry.event, entry.key)
        record = self.fold.records.get(entry.key)
        if entry.run and record is not None and record.step.startswith(ABOUT_ACTIONS):
            run.asks_again_s = _asks_again_s(run, record, entry.at_s)
        return tell(entry, None if record is None else record.question)


def _asks_again_s(run: Run, record: Record, at_s: float) -> float | None:
    """When a run asks again what became of an action, if a question about that has just ended; None otherwise."""
    settings = {} if run.trail.started is None else run.trail.started.record.get("settings", {})
    rest_s, most = settings.get("expired_s"), settings.get("max_unanswered", 0)
    return at_s + rest_s if record.ended and rest_s is not None and record.attempt < most else None


def show(journal: Journal, wanted: Wanted, *, as_json: bool) -> bool:
    """Replay, show it, and say whether the stored snapshot leads to the same state."""
    story = Story()
    listed: deque[tuple[Entry, str]] = deque(maxlen=wanted.last)
    streams = not as_json and wanted.last is None
    lines = _Lines(len(str(wanted.until)))
    if streams and wanted.until:
        _show_head(journal, wanted)
    with working("replaying", wanted.until, quiet=streams and out.is_terminal) as tell_done:
        for entry in journal.read(limit=wanted.until):
            words = story.take(entry)
            tell_done(entry.seq)
            if wanted.lists(entry) and streams:
                lines.show(entry, words)
            elif wanted.lists(entry):
                listed.append((entry, words))
        found = compared(journal, story.state)
    if as_json:
        print_json(_record(journal.store, wanted, story, listed, found))
        return found.same
    if not streams:
        _show_head(journal, wanted)
        for entry, words in listed:
            lines.show(entry, words)
    _show_state(story, wanted, found)
    return found.same


def _show_head(journal: Journal, wanted: Wanted) -> None:
    many = entries(wanted.until)
    only = "" if wanted.run is None else f", shown for run {shortened(wanted.run)}"
    say(f"{journal.store}: {many}{only}. Times are UTC.")


class _Lines:
    """The timeline, with a heading for each day."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self._day = ""

    def show(self, entry: Entry, words: str) -> None:
        """One entry in one line; cut at the edge of a terminal, whole in a file."""
        if (today := day(entry.at_s)) != self._day:
            self._day = today
            say(f"\n{today}")
        run = shortened(entry.run, RUN_WIDTH)
        line = f"{entry.seq:>{self._digits}}  {clock(entry.at_s)}  {run:<{RUN_WIDTH}}  {words}".rstrip()
        say(shortened_to(line, out.width) if out.is_terminal else line)


def shortened_to(line: str, width: int) -> str:
    """A line that fits."""
    return line if len(line) <= width else line[: width - 1] + "…"


def _show_state(story: Story, wanted: Wanted, found: Comparison) -> None:
    state, today = story.state, day(story.state.at_s)
    waiting = [each for each in state.waiting if wanted.run in (None, each.run)]
    say(f"\nAfter entry {state.seq}, {moment(state.at_s)}:" if state.seq else "There is no entry yet.")
    say(_stopped(story, today))
    say(f"Questions that wait: {len(waiting) or 'none'}.")
    if waiting:
        print_table(_questions(waiting, today))
    runs = [run for run in story.runs.values() if wanted.run in (None, run.name)]
    say(f"Runs: {len(runs) or 'none'}{_latest(len(runs))}.")
    if runs:
        print_table(_runs(runs[-MOST_RUNS:], today))
    say(_same(found, state.seq))


def _latest(count: int) -> str:
    return f", of which these are the latest {MOST_RUNS}" if count > MOST_RUNS else ""


def _stopped(story: Story, today: str) -> str:
    stop = story.state.stopped
    if stop is None:
        return "Stopped: no."
    why = f": {shortened(stop.why)}" if stop.why else ""
    since = near(story.stopped_s, today)
    return f"STOPPED by {shortened(name_of(stop.by))} at {since}{why}. It holds until a person enables the robot."


def _questions(waiting: list[Record], today: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("question", "status", "to", "since", "until", "deadline"):
        table.add_column(column, no_wrap=True)
    for each in waiting:
        who = each.by if each.status is Status.CLAIMED else each.turn
        since_s = each.opened_s if each.status in (Status.OPEN, Status.CLAIMED) else each.asked_s
        times = (near(since_s, today), near(each.until_s, today), near(each.deadline_s, today))
        table.add_row(plain(each.id), str(each.status), plain(name_of(who)), *times)
    return table


def _runs(runs: list[Run], today: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("run", "began", "last", "asked", "acted", "how it stands"):
        table.add_column(column, no_wrap=True, justify="right" if column in ("asked", "acted") else "left")
    for each in runs:
        times = (near(each.first_s, today), near(each.last_s, today))
        counts = (str(each.questions), str(len(each.trail.attempts)))
        table.add_row(plain(each.name), *times, *counts, plain(each.stands))
    return table


def plain(text: str) -> str:
    """A text in a cell, without markup."""
    return shortened(text).replace("[", "\\[")


def _same(found: Comparison, seq: int) -> str:
    if found.snapshot_seq is None:
        return "There is no snapshot to compare this with."
    tail = f"the snapshot at entry {found.snapshot_seq} and the {entries(seq - found.snapshot_seq)} after it"
    if found.snapshot_seq == seq:
        tail = f"the snapshot at entry {seq}"
    if found.same:
        return f"The same state comes from {tail}."
    return (
        f"NOT THE SAME: {tail} lead to another state ({', '.join(found.differs)}). "
        "The entries are the truth: keep the robot stopped, and report this with an export."
    )


def _record(
    store: str, wanted: Wanted, story: Story, listed: deque[tuple[Entry, str]], found: Comparison
) -> dict[str, Any]:
    state = story.state.to_json()
    waiting = [each.to_json() for each in story.state.waiting if wanted.run in (None, each.run)]
    return {
        "store": store,
        "run": wanted.run,
        "entries": story.state.seq,
        "first_s": story.first_s,
        "last_s": story.state.at_s if story.state.seq else None,
        "timeline": [
            {
                "seq": entry.seq,
                "at_s": entry.at_s,
                "run": entry.run,
                "key": entry.key,
                "kind": entry.kind,
                "words": words,
                "event": body_of(entry.event),
            }
            for entry, words in listed
        ],
        "stopped": state["stopped"] and {**state["stopped"], "at_s": story.stopped_s},
        "waiting": waiting,
        "runs": [run.to_json() for run in story.runs.values() if wanted.run in (None, run.name)],
        "snapshot_seq": found.snapshot_seq,
        "same": found.same,
        "differs": list(found.differs),
    }
