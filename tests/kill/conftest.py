"""Where episodes are played: a process to fork from, and stores, a fresh one for each seed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journal.postgres import Server
from tests.kill.episode import Report
from tests.kill.zygote import Job, Zygote

IN_MEMORY = Path("/dev/shm")
"""A file system in memory, where there is one: what SIGKILL leaves behind does not depend on the disk."""
Play = Callable[..., Report]


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    with Zygote() as running:
        yield running


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def play(request: pytest.FixtureRequest, zygote: Zygote) -> Play:
    """A function that plays a seed on a fresh store; with `dry`, an undisturbed episode goes before."""
    made: Server | None = request.getfixturevalue("server") if request.param == "postgres" else None

    def play_one(seed: int, *, dry: bool = False, every: bool = False, mutant: str = "") -> Report:
        in_memory = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="handup-kill-", dir=in_memory) as folder, ExitStack() as afterwards:
            stores = [_store(made, Path(folder), afterwards, name) for name in ("one", "two")[: 1 + dry]]
            job = Job(
                seed=seed,
                store=stores[0],
                folder=folder,
                dry_store=stores[1] if dry else "",
                every=every,
                mutant=mutant,
            )
            return zygote.play(job)

    return play_one


def _store(made: Server | None, folder: Path, afterwards: ExitStack, name: str) -> str:
    """A store that is not there yet, or an empty database that is gone afterwards."""
    if made is None:
        return str(folder / f"{name}.db")
    url = made.new_database()
    afterwards.callback(made.run, f"DROP DATABASE {url.rsplit('/', maxsplit=1)[1]} WITH (FORCE)")
    return url
