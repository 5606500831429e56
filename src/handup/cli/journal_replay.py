"""Output of `handup journal replay`: a timeline, then the state that it leads to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from handup.cli.journal_lines import shortened, tell
from handup.cli.output import (
    clock,
    day,
    entries,
    moment,
    near,
    out,
    picked,
    plain_table,
    print_json,
    print_table,
    say,
    working,
)
from handup.core import body_of
from handup.desk.events import Asked, Enabled, Stopped
from handup.desk.projection import ReplayComparison, compared
from handup.desk.question_state import DeskState, Fold
from handup.desk.record import Record, name_of
from handup.desk.status import Status
from handup.journal import Entry, Journal, JournalRepaired
from handup.recover.run_record import Trail

MOST_RUNS = 20
"""Most runs that are listed, the latest ones; the JSON has all of them."""
RUN_WIDTH = 12
"""Letters of a run's name in the timeline."""
RUN_KINDS = "run."
ABOUT_ACTIONS = "act:"
"""Prefix of the names of steps whose questions ask what became of an action."""


@dataclass(kw_only=True)
class ReplayedRun:
    """Findings of the replay about one run."""

    name: str
    first_s: float
    last_s: float
    questions: int = 0
    asks_again_s: float | None = None
    trail: Trail = field(default_factory=Trail)

    @property
    def stands(self) -> str:
        """Ending of the run, or its present state, in words."""
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
        """Return a plain record."""
        ended, attempt = self.trail.ended, self.trail.open_attempt
        return {
            "run": self.name,
            **picked(self, "first_s", "last_s", "questions"),
            "acts": len(self.trail.attempts),
            "open_action": attempt and attempt.id,
            "asks_again_s": attempt and self.asks_again_s,
            "outcome": ended and str(ended.outcome),
            "reason": ended and ended.reason,
        }


@dataclass(kw_only=True)
class Story:
    """State of the replay so far. Where `only` names a run, that one alone is shown."""

    only: str | None
    fold: Fold = field(default_factory=Fold)
    runs: dict[str, ReplayedRun] = field(default_factory=dict)
    first_s: float | None = None
    stopped_s: float | None = None

    @property
    def state(self) -> DeskState:
        """State of the desk by now."""
        return self.fold.state()

    @property
    def waiting(self) -> list[Record]:
        """Questions that wait, of the runs that are shown."""
        return [record for record in self.state.waiting if self.only in (None, record.run)]

    @property
    def shown(self) -> list[ReplayedRun]:
        """Runs that are shown."""
        return [run for run in self.runs.values() if self.only in (None, run.name)]

    def told(self, entries: Iterable[Entry], progress: Callable[[int], None]) -> Iterator[tuple[Entry, str]]:
        """Take in entries, and yield those of the timeline in words: stops and repairs concern all runs."""
        for entry in entries:
            words = self.take(entry)
            progress(entry.seq)
            if self.only in (None, entry.run) or isinstance(entry.event, Stopped | Enabled | JournalRepaired):
                yield entry, words

    def take(self, entry: Entry) -> str:
        """Take in one entry, and return what happened in words."""
        self.fold.take(entry)
        if self.first_s is None:
            self.first_s = entry.at_s
        if isinstance(entry.event, Stopped | JournalRepaired):
            self.stopped_s = entry.at_s
        if entry.run:
            run = self.runs.setdefault(entry.run, ReplayedRun(name=entry.run, first_s=entry.at_s, last_s=entry.at_s))
            run.last_s = entry.at_s
            run.questions += isinstance(entry.event, Asked)
            if entry.kind.startswith(RUN_KINDS):
                run.trail = run.trail.after(entry.event, entry.key)
        record = self.fold.records.get(entry.key)
        if entry.run and record is not None and record.step.startswith(ABOUT_ACTIONS):
            run.asks_again_s = _asks_again_s(run, record, entry.at_s)
        return tell(entry, None if record is None else record.question)


def _asks_again_s(run: ReplayedRun, record: Record, at_s: float) -> float | None:
    """Return the time at which a run asks again what became of an action; None if no such question has just ended."""
    settings = {} if run.trail.started is None else run.trail.started.record.get("settings", {})
    rest_s, most = settings.get("expired_s"), settings.get("max_unanswered", 0)
    return at_s + rest_s if record.ended and rest_s is not None and record.attempt < most else None


def show(journal: Journal, run: str | None, until: int, last: int | None, *, as_json: bool) -> bool:
    """Replay a journal, print it, and return whether the stored snapshot leads to the same state.

    Args:
        journal: Undamaged journal.
        run: Name of the run to show, with stops and repairs; None shows all.
        until: Number of the last entry to take in.
        last: Number of entries to list; None lists all.
        as_json: Print a record instead of lines.
    """
    story = Story(only=run)
    listed: deque[tuple[Entry, str]] = deque(maxlen=last)
    streams = not as_json and last is None
    only = "" if run is None else f", shown for run {shortened(run)}"
    head = f"{journal.store}: {entries(until)}{only}. Times are UTC."
    with working("replaying", until, quiet=streams and out.is_terminal) as progress:
        timeline = story.told(journal.read(limit=until), progress)
        if streams:
            if until:
                say(head)
            _show_timeline(timeline, until)
        else:
            listed.extend(timeline)
        found = compared(journal, story.state)
    if as_json:
        print_json(_record(journal.store, story, listed, found))
        return found.same
    if not streams:
        say(head)
        _show_timeline(listed, until)
    _show_state(story, found)
    return found.same


def _show_timeline(timeline: Iterable[tuple[Entry, str]], until: int) -> None:
    """Print each entry in one line, cut at the edge of a terminal, whole in a file; and a heading for each day."""
    digits, shown_day = len(str(until)), ""
    for entry, words in timeline:
        if (today := day(entry.at_s)) != shown_day:
            shown_day = today
            say(f"\n{today}")
        run = shortened(entry.run, RUN_WIDTH)
        line = f"{entry.seq:>{digits}}  {clock(entry.at_s)}  {run:<{RUN_WIDTH}}  {words}".rstrip()
        too_long = out.is_terminal and len(line) > out.width
        say(line[: out.width - 1] + "…" if too_long else line)


def _show_state(story: Story, found: ReplayComparison) -> None:
    state, today = story.state, day(story.state.at_s)
    say(f"\nAfter entry {state.seq}, {moment(state.at_s)}:" if state.seq else "There is no entry yet.")
    say(_stopped(story, today))
    waiting, runs = story.waiting, story.shown
    say(f"Questions that wait: {len(waiting) or 'none'}.")
    if waiting:
        columns = ("question", "status", "to", "since", "until", "deadline")
        table = plain_table(*columns, padding=(0, 2, 0, 0))
        for record in waiting:
            who = record.by if record.status is Status.CLAIMED else record.turn
            since_s = record.opened_s if record.status in (Status.OPEN, Status.CLAIMED) else record.asked_s
            times = (near(at_s, today) for at_s in (since_s, record.until_s, record.deadline_s))
            table.add_row(_plain(record.id), str(record.status), _plain(name_of(who)), *times)
        print_table(table)
    latest = f", of which these are the latest {MOST_RUNS}" if len(runs) > MOST_RUNS else ""
    say(f"Runs: {len(runs) or 'none'}{latest}.")
    if runs:
        columns = ("run", "began", "last", "asked", "acted", "how it stands")
        table = plain_table(*columns, right=("asked", "acted"), padding=(0, 2, 0, 0))
        for run in runs[-MOST_RUNS:]:
            counts = (str(run.questions), str(len(run.trail.attempts)))
            times = (near(at_s, today) for at_s in (run.first_s, run.last_s))
            table.add_row(_plain(run.name), *times, *counts, _plain(run.stands))
        print_table(table)
    say(_same(found, state.seq))


def _stopped(story: Story, today: str) -> str:
    stop = story.state.stopped
    if stop is None:
        return "Stopped: no."
    why = f": {shortened(stop.why)}" if stop.why else ""
    since = near(story.stopped_s, today)
    return f"STOPPED by {shortened(name_of(stop.by))} at {since}{why}. It holds until a person enables the robot."


def _plain(text: str) -> str:
    """Return a text for a cell of a table, with its brackets escaped."""
    return shortened(text).replace("[", "\\[")


def _same(found: ReplayComparison, seq: int) -> str:
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


def _record(store: str, story: Story, listed: deque[tuple[Entry, str]], found: ReplayComparison) -> dict[str, Any]:
    state = story.state
    stopped = state.to_json()["stopped"]
    timeline = [
        {**picked(entry, "seq", "at_s", "run", "key", "kind"), "words": words, "event": body_of(entry.event)}
        for entry, words in listed
    ]
    return {
        "store": store,
        "run": story.only,
        "entries": state.seq,
        "first_s": story.first_s,
        "last_s": state.at_s if state.seq else None,
        "timeline": timeline,
        "stopped": stopped and {**stopped, "at_s": story.stopped_s},
        "waiting": [record.to_json() for record in story.waiting],
        "runs": [run.to_json() for run in story.shown],
        "snapshot_seq": found.snapshot_seq,
        "same": found.same,
        "differs": list(found.differs),
    }
