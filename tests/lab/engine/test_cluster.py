"""Rows made on a real Dask cluster on loopback are those that one process makes; its failures end in one line."""

from __future__ import annotations

import gc
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadSetting, MissingExtra, ProcessLost
from handup.lab.engine import StudyProgress, here, processes, run_study, study_of
from handup.lab.engine.cluster import cluster
from handup.lab.engine.runner import Workers
from tests import outside
from tests.lab.engine import coins

SECONDS = 0.05
"""How long a batch takes: 40 batches leave time to kill a worker among them."""
WORKER = "worker --nthreads 1 --no-nanny"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with coins.installed(tmp_path_factory.mktemp("package"), seconds=SECONDS) as folder:
        yield folder


@contextmanager
def started(
    folder: Path, scheduler: Path, workers: Sequence[Path], options: Sequence[str] = ()
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start a scheduler and its workers, each with the package of a folder; end them by their ids."""
    dask = [sys.executable, "-m", "dask"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    found = ["--scheduler-file", str(scheduler)]
    made: list[subprocess.Popen[bytes]] = []
    try:
        for package, words in [(folder, "scheduler --port 0"), *((each, WORKER) for each in workers)]:
            command = [*dask, *words.split(), "--host", "127.0.0.1", "--no-dashboard", *found, *options]
            made.append(subprocess.Popen(command, env=outside.environment(package), cwd=scheduler.parent, **quiet))
        yield made
    finally:
        for process in reversed(made):
            process.kill()
            process.wait()


def address_of(scheduler: Path, workers: int) -> str:
    """Return the address of a scheduler when all of its workers are there."""
    from distributed import Client

    while not (text := scheduler.read_text(encoding="utf-8") if scheduler.exists() else "").endswith("}"):
        time.sleep(0.02)
    address: str = json.loads(text)["address"]
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)
    return address


def rows(folder: Path) -> dict[str, bytes]:
    """Return every kept file by name."""
    return {path.name: path.read_bytes() for path in sorted((folder / "rows" / "coins").glob("*.json"))}


def run(folder: Path, workers: Workers, watch: Any = lambda _: None) -> dict[str, bytes]:
    study = study_of("coins")
    run_study(study, study.size(), out=folder, workers=workers, watch=watch)
    return rows(folder)


def test_the_same_rows_from_one_process_two_and_a_cluster_that_loses_a_worker(package: Path, tmp_path: Path) -> None:
    alone = run(tmp_path / "one", here)
    assert len(alone) == 40
    assert run(tmp_path / "two", processes(2)) == alone
    with cluster("local:1", study_of("coins")) as workers:
        assert run(tmp_path / "local", workers) == alone
    scheduler = tmp_path / "scheduler.json"
    with started(package, scheduler, [package, package]) as (_, first, second):
        address = address_of(scheduler, 2)
        with cluster(address, study_of("coins")) as workers:
            assert run(tmp_path / "cluster", workers) == alone
        done: list[int] = []

        def watch(step: StudyProgress) -> None:
            if step.done >= 30 and not done:
                assert step.done < step.total
                first.kill()
                done.append(step.done)

        with cluster(address, study_of("coins")) as workers:
            assert run(tmp_path / "killed", workers, watch) == alone
        assert done
        assert second.poll() is None


def test_a_worker_with_other_code_is_refused_by_name_and_nothing_is_written(package: Path, tmp_path: Path) -> None:
    other = coins.install(tmp_path / "other", seconds=SECONDS, twist="\nCHANCES['bent'] = 0.9\n")
    scheduler = tmp_path / "scheduler.json"
    with started(package, scheduler, [other]):
        address = address_of(scheduler, 1)
        words = r"the worker at tcp://127.0.0.1:\d+ has other code: code \w+ instead of"
        with pytest.raises(BadSetting, match=words), cluster(address, study_of("coins")) as there:
            run(tmp_path / "out", there)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def certificates(tmp_path: Path) -> Iterator[list[str]]:
    """Make a certificate, set it for clients, and return the options of Dask that name it."""
    import dask

    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=handup", "-days", "2"]
    subprocess.run([*made, "-keyout", key, "-out", cert], check=True, capture_output=True)
    named = {"ca-file": cert, "client.cert": cert, "client.key": key}
    with dask.config.set({f"distributed.comm.tls.{name}": path for name, path in named.items()}):
        yield ["--protocol", "tls", "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]


# A client that loses its scheduler in the middle of a reconnection leaves that socket to the garbage collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")
def test_a_scheduler_that_dies_is_one_line_and_the_run_goes_on_elsewhere(
    package: Path, tmp_path: Path, certificates: list[str]
) -> None:
    scheduler = tmp_path / "scheduler.json"
    study = study_of("coins")
    with started(package, scheduler, [package], certificates) as (first, _):
        address = address_of(scheduler, 1)
        assert address.startswith("tls://127.0.0.1:")

        def watch(step: StudyProgress) -> None:
            if step.done >= 30:
                first.kill()

        with (
            pytest.raises(ProcessLost, match=f"the scheduler at {address} is gone"),
            cluster(address, study) as workers,
        ):
            run(tmp_path / "out", workers, watch)
    kept = len(rows(tmp_path / "out"))
    assert 0 < kept < 40
    steps: list[StudyProgress] = []
    assert len(run(tmp_path / "out", here, steps.append)) == 40
    assert len(steps) == 1 + 40 - kept, "only what was missing is made"
    gc.collect()


def test_nobody_at_the_address_is_one_line_at_once_and_nothing_is_written(package: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "handup", "study", "run", "coins", "--cluster", address]
        told: dict[str, Any] = {"capture_output": True, "text": True, "env": outside.environment(package)}
        done = subprocess.run(command, cwd=tmp_path, check=False, **told)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"handup: no scheduler answers at {address} ([Errno ")  # refused, and not waited for
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("address", ["192.0.2.1:8786", "http://127.0.0.1:1", "local:0", "local:many", ""])
def test_an_address_that_is_none_is_refused(package: Path, address: str) -> None:
    with pytest.raises(BadSetting, match="--cluster must"), cluster(address, study_of("coins")):
        pass


def test_without_certificates_the_message_says_where_they_belong(package: Path) -> None:
    with pytest.raises(BadSetting, match="COMM__TLS__CA_FILE"), cluster("tls://192.0.2.1:8786", study_of("coins")):
        pass


def test_without_the_extra_the_message_has_the_install_command(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match="\\[cluster\\]"), cluster("local:1", study_of("coins")):
        pass
