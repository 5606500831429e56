"""How fast the journal and the desk are, beside what the disk and a plain script can do.

Everything is measured in one run on one disk. An event counts only once it is durable, so the rate of a bare write
with `fdatasync` is the ceiling; a plain `sqlite3` script with the same settings is the fair alternative. Run it with
`python -m benchmarks.journal`; the numbers are medians over repeats, in a folder that is removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks import percentiles_ms
from benchmarks.bare import CONDITION, bare_sync, condition_handover, plain_script, woken
from benchmarks.server import Places, postgres_server
from handup.core import Person, Question, QuestionKind, Reply, ReplyKind, event
from handup.desk import Desk, replay
from handup.journal import Journal

REPEATS = 5
BATCH = 100
SECONDS = 30.0
"""About what the whole run takes."""
HANDOVERS = 400
DISK = "disk: 4 KiB appended, fdatasync"
err = Console(stderr=True)


@dataclass(frozen=True, kw_only=True)
class Rate:
    """So many a second of something, the median of some repeats."""

    name: str
    what: str
    per_s: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Latency:
    """How long something takes, in milliseconds."""

    name: str
    p50_ms: float
    p99_ms: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Contender:
    """Something to be measured: a step that does `each` things."""

    name: str
    step: Callable[[], object]
    each: int = 1
    what: str = "events/s"


def rates(contenders: Sequence[Contender], seconds: float) -> list[Rate]:
    """How often each can be done, in rounds, so that whatever else the machine does meets all of them alike."""
    found: dict[str, list[float]] = {each.name: [] for each in contenders}
    span_s = seconds / (REPEATS * len(contenders))
    for each in contenders:
        each.step()
    for _ in range(REPEATS):
        for each in contenders:
            done, start = 0, time.perf_counter()
            while not done or time.perf_counter() - start < span_s:
                each.step()
                done += each.each
            found[each.name].append(done / (time.perf_counter() - start))
    return [
        Rate(name=each.name, what=each.what, per_s=median(got), low=min(got), high=max(got))
        for each, got in zip(contenders, found.values(), strict=True)
    ]


@event("bench.answered", people=("by",), personal={"value": "by", "device": "by"})
@dataclass(frozen=True, kw_only=True)
class Said:
    """The fields of an answer, the event that matters most: a name and two personal values beside the chain."""

    by: str
    token: str
    value: str | None
    device: str | None
    latency_s: float


def an_event(number: int) -> Said:
    """An answer."""
    return Said(by="Ana", token=f"token-{number}", value="cherry tomato", device="tablet", latency_s=4.2)


def appending(journal: Journal, named: str) -> list[Contender]:
    """One event in a transaction, and a hundred."""
    numbers = count()

    def append(events: int) -> None:
        journal.append(*(an_event(next(numbers)) for _ in range(events)), run="bench", key="bench/food/1")

    return [
        Contender(name=f"{named}: journal.append, one event", step=partial(append, 1)),
        Contender(name=f"{named}: {BATCH} events in one transaction", step=partial(append, BATCH), each=BATCH),
    ]


def reading(journal: Journal, desk: Desk, named: str) -> list[Contender]:
    """Checking a journal, and rebuilding a desk's state from questions that were asked and answered."""
    return [
        Contender(name=f"{named}: verify", step=journal.verify, each=journal.head().seq, what="entries/s"),
        Contender(
            name=f"{named}: replay",
            step=lambda: replay(desk.journal.read()),
            each=desk.journal.head().seq,
            what="entries/s",
        ),
    ]


def handovers(desks: Mapping[str, Desk], path: Path, most: int, seconds: float) -> list[Latency]:
    """From a device's call of `reply` until the robot's thread is back from `wait`, in one process.

    In turn with the bare hand-over of a page that is synced and a condition that is notified.
    """
    spans: dict[str, list[float]] = {CONDITION: [], **{name: [] for name in desks}}
    run = f"bench-{time.time_ns()}"
    with bare_sync(path) as write:
        for name, desk in desks.items():
            until = time.perf_counter() + seconds / len(desks)
            for number in range(1, most + 1):
                spans[CONDITION].append(condition_handover(write))
                spans[name].append(answer_to_robot(desk, run, number))
                if time.perf_counter() > until and number > 2:
                    break
    return [
        latency(name if name == CONDITION else f"{name}: desk.reply to desk.wait", found)
        for name, found in spans.items()
    ]


def latency(name: str, spans_s: list[float]) -> Latency:
    """What a list of spans comes to."""
    p50_ms, p99_ms = percentiles_ms(spans_s, 50, 99)
    return Latency(name=name, p50_ms=p50_ms, p99_ms=p99_ms, count=len(spans_s))


def answer_to_robot(desk: Desk, run: str, number: int) -> float:
    """One question, asked and answered: the seconds from the reply to the robot."""
    question = Question("Which food is this?", QuestionKind.CHOICE, ("carrot", "cherry tomato"))
    id_ = desk.ask(question, run=run, step="food", attempt=number).id
    reply = Reply(question=id_, kind=ReplyKind.ANSWER, by="Ana", token=id_, value="cherry tomato", device="tablet")

    def wait() -> None:
        record = desk.wait(id_, 30.0)
        assert record is not None
        assert record.answer is not None

    return woken(wait, lambda: desk.reply(reply))


def measure(folder: Path, seconds: float, url: str | None) -> tuple[list[Rate], list[Latency]]:
    """All numbers, within about so many seconds."""
    people = [Person(name="Ana")]
    journals: dict[str, Journal] = {}
    desks: dict[str, Desk] = {}
    with ExitStack() as open_:
        places: dict[str, Places] = {"SQLite": lambda name: str(folder / f"{name}.db")}
        with told("starting PostgreSQL"):
            server = open_.enter_context(postgres_server(folder, url))
        if server is not None:
            places["PostgreSQL"] = server
        for named, place in places.items():
            journals[named] = open_.enter_context(Journal.open(place("events")))
            desks[named] = open_.enter_context(Desk(open_.enter_context(Journal.open(place("desk"))), people))
        plain = open_.enter_context(closing(sqlite3.connect(folder / "plain.db", isolation_level=None)))
        write = open_.enter_context(bare_sync(folder / "bare"))
        bare = [
            Contender(name=DISK, step=write),
            Contender(name="sqlite3: plain script, one row", step=plain_script(plain)),
        ]
        with told("writing"):
            written = [contender for named, journal in journals.items() for contender in appending(journal, named)]
            found = rates([*bare, *written], 0.35 * seconds)
        with told("answering"):
            spans = handovers(desks, folder / "handover", HANDOVERS, 0.4 * seconds)
        with told("reading"):
            read = [each for named in places for each in reading(journals[named], desks[named], named)]
            found += rates(read, 0.15 * seconds)
    return found, spans


@contextmanager
def told(words: str) -> Iterator[None]:
    """Say on stderr what is done."""
    with err.status(words) if err.is_terminal else nullcontext():
        yield


def rate_table(found: list[Rate]) -> Table:
    """Rates beside the bare rate of the disk."""
    table = Table(title="Durable events and reading, full sync, median of repeats", title_justify="left", box=None)
    for column in ("", "per second", "lowest", "highest", "of bare"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for each in found:
        share = f"{100 * each.per_s / found[0].per_s:.0f} %" if each.what != "entries/s" else ""
        table.add_row(f"{each.name}", *(f"{number:,.0f}" for number in (each.per_s, each.low, each.high)), share)
    return table


def latency_table(spans: list[Latency]) -> Table:
    """Latencies beside the bare hand-over."""
    table = Table(title="\nFrom the answer to the robot, milliseconds", title_justify="left", box=None)
    for column in ("", "p50", "p99", "count"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for each in spans:
        table.add_row(each.name, f"{each.p50_ms:.2f}", f"{each.p99_ms:.2f}", f"{each.count}")
    return table


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.journal", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--store", metavar="URL", help="a PostgreSQL database to fill; else a server is started")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"about how long ({SECONDS:g})")
    parser.add_argument("--folder", type=Path, default=Path(), help="on which disk (the present folder's)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix=".bench-journal-", dir=options.folder) as folder:
        found, spans = measure(Path(folder).resolve(), options.seconds, options.store)
    if options.json:
        numbers = {"rates": [asdict(each) for each in found], "latencies": [asdict(each) for each in spans]}
        sys.stdout.write(json.dumps(numbers, indent=2) + "\n")
        return
    console = Console(width=100, highlight=False)
    console.print(rate_table(found))
    console.print(latency_table(spans))


if __name__ == "__main__":
    main()
