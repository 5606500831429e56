"""Runs of a study: make rows here, in processes or on a cluster, store each batch at once, write the folder."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from handup.core import BadSetting, HandupError, ProcessLost
from handup.core.files import write_whole
from handup.lab.engine.judge import JudgedClaim
from handup.lab.engine.report import Drawing, Report, Section
from handup.lab.engine.results import Columns, Results
from handup.lab.engine.store import RowStore
from handup.lab.engine.study import Batch, Size, Study

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class StudyProgress:
    """Progress of a run: number of rows `done`, including those of earlier runs, and share of the work, 0 to 1."""

    done: int
    total: int
    share: float
    note: str | None = None


Watcher = Callable[[StudyProgress], None]


@dataclass(frozen=True)
class Refusal:
    """An error that a person can do something about, as another process reports it."""

    cause: str
    hint: str


Made = Iterator[tuple[int, Columns | Refusal]]
"""Numbers of batches, each with its rows or the reason why it cannot be made."""
Workers = Callable[[Study, Size, Sequence[Batch], Sequence[int]], Made]
"""Function that makes the batches of the given numbers and yields each as it is done, in any order."""


def here(study: Study, size: Size, batches: Sequence[Batch], numbers: Sequence[int]) -> Made:
    """Make batches in this process, one after the other."""
    for number in numbers:
        yield number, make(study.make, batches[number])


def processes(jobs: int) -> Workers:
    """Return workers that are processes of this machine, which end with this one."""

    def work(study: Study, size: Size, batches: Sequence[Batch], numbers: Sequence[int]) -> Made:
        chosen = [batches[number] for number in numbers]
        for place, made in in_processes(partial(make, study.make), chosen, min(jobs, len(chosen))):
            yield numbers[place], made

    return work


def in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Iterator[tuple[int, R]]:
    """Yield positions of tasks and their results, as they are completed.

    Args:
        work: Function of a module, so that other processes can import it.
        tasks: Arguments of the calls.
        jobs: Number of processes.
    """
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_follow, initargs=(reader,))
    all_done = False
    try:
        with _inherited():
            running = {pool.submit(work, task): number for number, task in enumerate(tasks)}
        for future in as_completed(running):
            yield running[future], future.result()
        all_done = True
    except BrokenProcessPool:
        raise ProcessLost(
            "a process of the run was ended from outside, perhaps for want of memory",
            hint="Give the same command again, with fewer --jobs if it happens twice; what was done is kept.",
        ) from None
    finally:
        if not all_done:
            writer.close()
        pool.shutdown(cancel_futures=True)
        writer.close()
        reader.close()


def _follow(reader: Connection) -> None:
    """Prepare a new process: leave interrupts to the first process, and end when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        reader.poll(None)  # returns when the first process closes its end, or dies
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _inherited() -> Iterator[None]:
    """Let processes that start within inherit one thread each, as there is one for every core, and blocked interrupts.

    Interrupts stay blocked until the processes ignore them themselves.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def make(work: Callable[[Batch], Columns], batch: Batch) -> Columns | Refusal:
    """Make the rows of a batch; an error of ours comes back as a refusal, any other names the batch."""

    def name_batch(kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            error.add_note(f"while making {batch.label}")

    try:
        with ExitStack() as stack:
            stack.push(name_batch)
            return work(batch)
    except HandupError as error:
        return Refusal(error.cause, error.hint)


def make_rows(
    study: Study, size: Size, store: RowStore, *, workers: Workers = here, watch: Watcher = lambda _: None
) -> dict[Batch, Columns]:
    """Return the rows of all batches: those that the store has, and the others made and kept.

    Args:
        study: Study to run.
        size: Size of the run.
        store: Store of the rows; the caller must hold its `lock`.
        workers: Function that makes rows.
        watch: Called after each batch.

    Raises:
        BadSetting: A batch cannot be made; the message names it.
        KeyboardInterrupt: The run was stopped; finished batches are kept.
    """
    batches = study.batches(size)
    total, effort = sum(batch.rows for batch in batches), sum(batch.effort for batch in batches)
    made: dict[Batch, Columns] = {}

    def tell(note: str | None = None) -> None:
        done = sum(batch.effort for batch in made)
        watch(StudyProgress(sum(batch.rows for batch in made), total, done / effort if effort else 1.0, note))

    for batch in batches:
        columns, note = store.find(batch) if batch.is_reusable else (None, None)
        if columns is not None:
            made[batch] = columns
        if note is not None:
            tell(note)
    tell()
    # The longest first, so that the other processes do not wait for one of them in the end.
    missing = sorted((n for n, batch in enumerate(batches) if batch not in made), key=lambda n: -batches[n].effort)
    for number, done in workers(study, size, batches, missing) if missing else ():
        batch = batches[number]
        if isinstance(done, Refusal):
            raise BadSetting(f"{batch.label} cannot be made: {done.cause}", hint=done.hint)
        made[batch] = store.save(batch, done)
        tell()
    return {batch: made[batch] for batch in batches}


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyOutcome:
    """Outcome of a run: its folder, rows, judged claims, the content of `study.json`, and sections of the report."""

    folder: Path
    results: Results[Any]
    judged: tuple[JudgedClaim, ...]
    record: Mapping[str, Any]
    sections: tuple[Section, ...]

    @property
    def study(self) -> Study:
        """Study that was run."""
        study: Study = self.results.study
        return study

    @property
    def report(self) -> Path:
        """Path of the HTML report."""
        return self.folder / "report.html"


def run_study(
    study: Study,
    size: Size | None = None,
    *,
    out: Path = Path("studies"),
    workers: Workers = here,
    watch: Watcher = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> StudyOutcome:
    """Run a study, or the rest of a stopped run, and write its folder.

    Args:
        study: Study to run.
        size: Size of the run; by default the study's own size.
        out: Folder in which a folder with the study's name is made.
        workers: Function that makes rows: `here`, `processes(jobs)`, or `handup.lab.engine.cluster.cluster(address)`.
        watch: Called after each batch.
        now: Function that returns the time shown in the report.

    Raises:
        MissingExtra: The figures cannot be drawn; raised before anything is run.
        BadSetting: Another run is at work in the folder, or a batch cannot be made.
    """
    from handup.lab.engine import figures  # noqa: F401, PLC0415 - drawing is an extra, missed before hours of work

    size = size or study.size()
    stamp = study.stamp()
    store = RowStore(out, study.store_name or study.name, stamp)
    with store.lock():
        results = study.results(size, make_rows(study, size, store, workers=workers, watch=watch))
        judged = study.judge(results)
        made_at = now()
        record = {
            "name": study.name,
            "command": study.command(size),
            "evidence": study.evidence,
            **({"assumed": study.assumed} if study.assumed else {}),
            # Paths of data are private to this machine; rows have a digest of the content instead.
            **{name: value for name, value in size.to_json().items() if name not in study.paths},
            "versions": dict(stamp),
            "made_at": made_at.isoformat(timespec="seconds"),
            **study.record(results, judged),
        }
        drawings = tuple(study.figures(results, judged))
        sections = tuple(study.sections(results, judged, drawings))
        outcome = StudyOutcome(
            folder=out / study.name, results=results, judged=judged, record=record, sections=sections
        )
        _write(outcome, drawings, made_at)
    return outcome


def _write(outcome: StudyOutcome, drawings: Sequence[Drawing], made_at: datetime) -> None:
    study, results, folder = outcome.study, outcome.results, outcome.folder
    stamp = outcome.record["versions"]
    facts = {
        "Evidence": f"{study.evidence}; {study.assumed} assumed" if study.assumed else study.evidence,
        "In the paper": study.figure,
        **study.facts(results),
        "Made": made_at.strftime("%d %B %Y, %H:%M %Z"),
        "With": ", ".join(f"{name} {number}" for name, number in stamp.items()),
        "Again": f"`{study.command(results.size)}`",
    }
    judged = outcome.judged
    claims = [Section("Claim by claim", study.claim_tables(judged))] if judged else []
    verdicts = [Section("Do the claims hold?", study.verdicts(judged))] if judged else []
    reading = [Section("How to read this", (study.reading,))] if study.reading else []
    page = Report(
        title=study.title,
        question=study.question,
        answer=study.answer(results, judged),
        facts=facts,
        sections=(*verdicts, *outcome.sections, *claims, *reading),
    )
    files: dict[str, str | bytes | Iterable[str]] = dict(study.files(results, stamp))
    files["study.json"] = json.dumps(outcome.record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    for drawing in drawings:
        files[f"{drawing.name}.svg"], files[f"{drawing.name}.png"] = drawing.svg, drawing.png
    files["report.md"], files["report.html"] = page.markdown(), page.html()
    for name, content in files.items():
        write_whole(folder / name, content)
