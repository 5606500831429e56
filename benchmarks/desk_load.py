"""A full house at one server: 200 robots, 50 people, a question per robot every ten seconds.

How long an answer takes from the person to the robot, whether one is lost, and what the server needs for it. Server and
crowd are two processes on this machine; a bare relay (`benchmarks.relay`) serves the same crowd in the same run. Run it
with `python -m benchmarks.desk_load`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks import percentiles_ms
from benchmarks.crowd import Crowd, Seen, at_relay, at_server
from benchmarks.server import free_port
from handup.core import Limits, Person, Role
from handup.journal import Journal
from handup.server import Access, ServerSettings, serve

PASS_MS = 150.0
"""What spec 03 asks of the 99th percentile from answer to robot."""
START_S = 60.0
AT_ONCE = 1000
"""Nobody's own limit holds a question back here."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """What one server did with a crowd. Times in milliseconds, memory in MiB, CPU in shares of one core."""

    name: str
    questions: int
    answers: int
    lost: int
    reconnected: int
    shown_p50_ms: float
    shown_p99_ms: float
    p50_ms: float
    p99_ms: float
    longest_ms: float
    memory_mib: tuple[float, float, float]
    cpu: float
    crowd_cpu: float


def people_of(count: int) -> tuple[Person, ...]:
    """The people of the house."""
    return tuple(Person(name=f"person-{number}", limits=Limits(at_once=AT_ONCE)) for number in range(count))


def tokens(store: Path, robots: int, people: tuple[Person, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Everybody's tokens."""
    with Journal.open(store) as journal:
        access = Access(journal)
        of_robots = {name: access.robot_token(name).token for name in (f"robot-{each}" for each in range(robots))}
        codes = {each.name: access.make_code(each.name, Role.RESIDENT)[0] for each in people}
        return of_robots, {name: access.pair(code, "bench").token for name, code in codes.items()}


@contextmanager
def process(*command: str, health: str) -> Iterator[int]:
    """A server in a process of its own, by its id, once it answers."""
    with subprocess.Popen([sys.executable, "-m", *command], env=os.environ) as server:
        try:
            until = time.monotonic() + START_S
            while True:
                try:
                    if httpx.get(health, trust_env=False).status_code == 200:
                        break
                except httpx.TransportError:
                    if server.poll() is not None or time.monotonic() > until:
                        raise
                time.sleep(0.05)
            yield server.pid
        finally:
            server.kill()


def memory_mib(pid: int) -> float:
    """How much memory a process has just now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_s(pid: int) -> float:
    """How much time a process has worked."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measured(name: str, pid: int, crowd: Crowd, serving: Coroutine[None, None, None], seen: Seen) -> Load:
    """What a server does while a crowd is with it."""
    work = asyncio.create_task(serving)
    await seen.ready.wait()
    began_s, worked_s, own_s = time.monotonic(), cpu_s(pid), time.process_time()
    memory = []
    for share in (0.1, 0.5, 1.0):
        await asyncio.sleep(max(0.0, began_s + share * crowd.seconds - time.monotonic()))
        memory.append(memory_mib(pid))
    span_s = time.monotonic() - began_s
    worked_s, own_s = cpu_s(pid) - worked_s, time.process_time() - own_s
    await work
    shown = percentiles_ms(seen.spans_s("asked", "shown"), 50, 99)
    answers = percentiles_ms(seen.spans_s("replied", "told"), 50, 99, 100)
    return Load(
        name=name,
        questions=len(seen.asked),
        answers=len(seen.told),
        lost=seen.lost,
        reconnected=max(0, seen.connections - len(crowd.robots) - len(crowd.people)),
        shown_p50_ms=shown[0],
        shown_p99_ms=shown[1],
        p50_ms=answers[0],
        p99_ms=answers[1],
        longest_ms=answers[2],
        memory_mib=(memory[0], memory[1], memory[2]),
        cpu=worked_s / span_s,
        crowd_cpu=own_s / span_s,
    )


def measure(folder: Path, options: argparse.Namespace) -> list[Load]:
    """The server of handup, then the bare relay."""
    store, found = folder / "house.db", []
    robots, people = tokens(store, options.robots, people_of(options.people))
    crowd = Crowd(
        robots=robots,
        people=people,
        audience=min(options.audience, options.people),
        every_s=options.every,
        seconds=options.seconds,
    )
    port = free_port()
    serving = ("benchmarks.desk_load", "--serve", str(store), str(port), "--people", str(options.people))
    with process(*serving, health=f"http://127.0.0.1:{port}/api/v1/health") as pid:
        url, seen = f"http://127.0.0.1:{port}", Seen()
        found.append(asyncio.run(measured("handup serve", pid, crowd, at_server(crowd, url, seen), seen)))
    port = free_port()
    relay = ("benchmarks.relay", str(folder / "answers"), str(port))
    with process(*relay, health=f"http://127.0.0.1:{port}/health") as pid:
        seen = Seen()
        found.append(asyncio.run(measured("bare relay, fdatasync", pid, crowd, at_relay(crowd, port, seen), seen)))
    return found


def table_of(found: list[Load], options: argparse.Namespace) -> Table:
    """The numbers."""
    title = (
        f"{options.robots} robots × {options.people} people, a question per robot every {options.every:g} s to "
        f"{min(options.audience, options.people)} people, {options.seconds:g} s"
    )
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("", no_wrap=True)
    for each in found:
        table.add_column(each.name, justify="right", no_wrap=True)
    rows: dict[str, Callable[[Load], str]] = {
        "questions asked, answered, lost": lambda each: f"{each.questions}, {each.answers}, {each.lost}",
        "sockets that were lost and made again": lambda each: f"{each.reconnected}",
        "answer to robot, p50 ms": lambda each: f"{each.p50_ms:.1f}",
        f"answer to robot, p99 ms (to pass: {PASS_MS:g})": lambda each: f"{each.p99_ms:.1f}",
        "answer to robot, longest ms": lambda each: f"{each.longest_ms:.1f}",
        "question to screen, p50 ms": lambda each: f"{each.shown_p50_ms:.1f}",
        "question to screen, p99 ms": lambda each: f"{each.shown_p99_ms:.1f}",
        "server memory at start, middle, end, MiB": lambda each: ", ".join(f"{mib:.0f}" for mib in each.memory_mib),
        "server CPU, share of a core": lambda each: f"{100 * each.cpu:.0f} %",
        "crowd CPU, share of a core": lambda each: f"{100 * each.crowd_cpu:.0f} %",
    }
    for name, shown in rows.items():
        table.add_row(name, *(shown(each) for each in found))
    return table


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.desk_load", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each server is used (60)")
    parser.add_argument("--robots", type=int, default=200, help="how many robots (200)")
    parser.add_argument("--people", type=int, default=50, help="how many people (50)")
    parser.add_argument("--audience", type=int, default=5, help="so many may answer a question (5)")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two questions of a robot (10)")
    parser.add_argument("--folder", type=Path, default=Path(), help="on which disk (the present folder's)")
    parser.add_argument("--serve", nargs=2, metavar=("STORE", "PORT"), help=argparse.SUPPRESS)
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    options = parser().parse_args(arguments)
    if options.serve is not None:
        store, port = options.serve
        serve(ServerSettings(store=store, port=int(port), people=people_of(options.people)))
        return
    with tempfile.TemporaryDirectory(prefix=".bench-load-", dir=options.folder) as folder:
        found = measure(Path(folder).resolve(), options)
    if options.json:
        sys.stdout.write(json.dumps([asdict(each) for each in found], indent=2) + "\n")
        return
    Console(width=100, highlight=False).print(table_of(found, options))


if __name__ == "__main__":
    main()
