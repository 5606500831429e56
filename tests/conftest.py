"""Settings of all tests: examples of property tests, the stores to test on, and what may be skipped."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy: the threads of several workers only wait for each other

# ruff: noqa: E402
import signal
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.journal.postgres import database, server

__all__ = ["database", "server"]

EXAMPLES = 30
SOAK_EXAMPLES = 40 * EXAMPLES
MAY_SKIP = (
    "no shared data",
    "could not import 'torch'",
    "could not import 'onnx'",
    "needs a pseudo-terminal",
    "looks at processes the way Linux shows them",
)
"""Beginnings of the reasons for which a test may be skipped. Any other skipped test fails, so that none gets lost."""

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("soak", settings.get_profile("ci"), derandomize=False, max_examples=SOAK_EXAMPLES)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, and what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the place of a store that is not there yet: each test runs on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    return str(request.getfixturevalue("database"))


@pytest.hookimpl(tryfirst=True)  # before the tests are chosen by their markers
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that start a PostgreSQL server."""
    for item in items:
        if isinstance(item, pytest.Function) and {"database", "server"} & set(item.fixturenames):
            item.add_marker(pytest.mark.postgres)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a test that was skipped for an unknown reason into a failed test."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(MAY_SKIP):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} must not be skipped for: {reason}. Run it, or add to MAY_SKIP."
    return report
