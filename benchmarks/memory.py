"""How fast a memory finds the most similar correction, beside plain numpy: a product with every vector, and argmax.

The search alone (`VectorIndex.best`), and all that a module waits for: `Memory.recall` on a SQLite store. It looks
whether the journal has anything new, and makes a distribution of what it finds. Each correction has one of 20 labels.

All are asked the same in turn, in one run, on vectors in clusters (as an encoder makes them) and evenly spread (where
nothing can be learned from the others, the worst case); for inputs that are like a stored one, and for new ones. What
is found is compared. In turn also means that none finds its numbers in the cache, as in a robot that looks now and
then. Run it with `python -m benchmarks.memory`. Times are by the clock on the wall, so other programs lengthen the
slowest; the processor's time of the thread that asks stands beside. numpy has further threads, which it leaves out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import percentiles_ms
from handup.journal import Journal
from handup.lab.bench.harness import TimedCalls
from handup.memory import Embedding, Encoder, Memory, MemoryRemembered, MemorySettings, VectorIndex
from handup.memory.events import KEY
from handup.memory.index import Vector, to_text, unit

DIMENSION = 384
SIZES = (1_000, 10_000, 100_000)
THRESHOLD = 0.9
QUERIES = 500
WARM_UP = 5
CLUSTERS = 500
LABELS = tuple(f"food {number}" for number in range(20))
OURS, RECALL, PLAIN = "handup, the search", "handup, recall", "numpy, brute force"
ENCODER = Encoder("benchmark-1", DIMENSION, "0" * 64)
Search = Callable[[Vector], int | None]
PROMISE_MS = 5.0
err = Console(stderr=True)


@dataclass(frozen=True, kw_only=True)
class Searched:
    """How long a search takes, in milliseconds."""

    name: str
    vectors: str
    asked: str
    count: int
    p50_ms: float
    p99_ms: float
    cpu_p99_ms: float
    found: float
    same: bool


def stored(kind: str, count: int, random: np.random.Generator) -> NDArray[np.float32]:
    """Unit vectors: around centres, of which the first axes say most, or evenly spread."""
    rows = random.standard_normal((count, DIMENSION), dtype=np.float32)
    if kind == "clusters":
        axes = (1.0 + np.arange(DIMENSION, dtype=np.float32)) ** -0.5
        centres = random.standard_normal((CLUSTERS, DIMENSION), dtype=np.float32) * axes
        rows = centres[random.integers(CLUSTERS, size=count)] + 0.4 * rows * axes
    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def asked(kind: str, like: str, rows: NDArray[np.float32], random: np.random.Generator) -> Vector:
    """An input: a stored one that is slightly changed, or a new one of the same kind."""
    if like == "like one":
        noise = 0.2 / np.sqrt(DIMENSION) * random.standard_normal(DIMENSION)
        return unit(rows[random.integers(len(rows))] + noise, DIMENSION)
    return unit(stored(kind, 1, random)[0], DIMENSION)


def memory_of(rows: NDArray[np.float32], journal: Journal) -> Memory:
    """A memory that holds all of them, written at once: one by one each would be compared with those before."""
    with journal.writing() as pen:
        for key, row in enumerate(rows):
            made = MemoryRemembered(
                module="food",
                encoder=ENCODER.name,
                dimension=DIMENSION,
                digest=ENCODER.digest,
                by="Ana",
                whose=("Ana",),
                label=LABELS[key % len(LABELS)],
                embedding=to_text(unit(row, DIMENSION)),
            )
            pen.append(made, key=KEY)
    return Memory(journal, MemorySettings(threshold=THRESHOLD))


@contextmanager
def contenders_on(rows: NDArray[np.float32]) -> Iterator[dict[str, Search]]:
    """What is measured, each on the same vectors: what it finds is the number of one."""
    index = VectorIndex(DIMENSION)
    for key, row in enumerate(rows):
        index.add(key, unit(row, DIMENSION))
    table = np.array([index.vector(key) for key in range(len(rows))])

    def ours(query: Vector) -> int | None:
        match = index.best(query, THRESHOLD)
        return None if match is None else match.key

    def plain(query: Vector) -> int | None:
        products = table @ query
        best = int(products.argmax())
        return best if products[best] >= THRESHOLD else None

    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "memory.db") as journal:
        memory = memory_of(rows, journal)

        def recall(query: Vector) -> int | None:
            found = memory.recall("food", Embedding(query, ENCODER), LABELS)
            return None if found is None else found.memory.id - 1

        yield {OURS: ours, RECALL: recall, PLAIN: plain}


def measured(
    rows: NDArray[np.float32], contenders: dict[str, Search], kind: str, like: str, queries: int, seed: int
) -> Iterator[Searched]:
    """Ours and the plain search, in turn on the same inputs."""
    random = np.random.default_rng(seed)
    timed = {name: TimedCalls(time.thread_time) for name in contenders}
    for number in range(WARM_UP + queries):
        query = asked(kind, like, rows, random)
        for name, search in contenders.items():
            (timed[name] if number >= WARM_UP else TimedCalls()).call(partial(search, query))
    for name, calls in timed.items():
        p50_ms, p99_ms = percentiles_ms(calls.wall_s, 50, 99)
        yield Searched(
            name=name,
            vectors=kind,
            asked=like,
            count=len(rows),
            p50_ms=p50_ms,
            p99_ms=p99_ms,
            cpu_p99_ms=percentiles_ms(calls.processor_s, 99)[0],
            found=float(np.mean([key is not None for key in calls.results])),
            same=calls.results == timed[PLAIN].results,
        )


def measure(sizes: tuple[int, ...], queries: int, seed: int) -> list[Searched]:
    """All numbers."""
    cases = [(size, kind) for size in sizes for kind in ("clusters", "even")]
    rows: list[Searched] = []
    for size, kind in track(cases, "searching", console=err, transient=True, disable=not err.is_terminal):
        vectors = stored(kind, size, np.random.default_rng(seed))
        with contenders_on(vectors) as contenders:
            for like in ("like one", "new"):
                rows += measured(vectors, contenders, kind, like, queries, seed + 1)
    return rows


def table_of(rows: list[Searched]) -> Table:
    """Ours beside the plain search."""
    title = f"The most similar of n × {DIMENSION} at or above {THRESHOLD:g}, milliseconds"
    table = Table(title=title, title_justify="left", box=None)
    for column in ("n", "vectors", "asked", "", "p50", "p99", "p99, processor", "found", "same"):
        table.add_column(column, justify="left" if column in ("vectors", "asked", "") else "right", no_wrap=True)
    for each in rows:
        times = (f"{number:.2f}" for number in (each.p50_ms, each.p99_ms, each.cpu_p99_ms))
        named = (f"{each.count:,}", each.vectors, each.asked, each.name)
        table.add_row(*named, *times, f"{100 * each.found:.0f} %", "yes" if each.same else "NO")
    return table


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="how many vectors")
    parser.add_argument("--queries", type=int, default=QUERIES, help=f"how many inputs ({QUERIES})")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rows = measure(tuple(options.sizes), options.queries, options.seed)
    if options.json:
        sys.stdout.write(json.dumps([asdict(each) for each in rows], indent=2) + "\n")
        return
    console = Console(width=100, highlight=False)
    console.print(table_of(rows))
    for name in (OURS, RECALL):
        ours = [each for each in rows if each.name == name and each.count == max(options.sizes)]
        wall, cpu = max(each.p99_ms for each in ours), max(each.cpu_p99_ms for each in ours)
        console.print(f"\nSlowest p99 of {name} at {ours[0].count:,}: {wall:.2f} ms, {cpu:.2f} of the processor.")
    console.print(f"Promised at 100,000 × {DIMENSION}: {PROMISE_MS:g} ms.")


if __name__ == "__main__":
    main()
