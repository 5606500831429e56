"""`handup run --people page` without a browser: a stop that never waits, a kill, and a server that dies."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.client import Client
from handup.client.child_server import is_free
from handup.core import Role
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import here
from tests.cli.sitting import free_port, until
from tests.cli.test_run import KITTING, process, world_of
from tests.fakes.panels import panel

PERSON = "ana"


@pytest.fixture
def order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("USER", PERSON)
    port = str(free_port())
    yield (
        *KITTING,
        "--people",
        "page",
        "--no-browser",
        "--no-wait",
        "--linger",
        "0",
        "--port",
        port,
        "--store",
        "s.db",
    )


def codes(tmp_path: Path) -> list[str]:
    """The links to the page that were printed."""
    return re.findall(r"#code=\S+", (tmp_path / "err").read_text(encoding="utf-8"))


def person(tmp_path: Path, port: str) -> Client:
    until(lambda: codes(tmp_path), timeout_s=120.0)
    client = Client(f"http://127.0.0.1:{port}", patience_s=0.5)
    with Journal.open(tmp_path / "s.db") as journal:
        code, _ = Access(journal).make_code(PERSON, Role.RESIDENT)
    client.pair(code, "a test")
    return client


def test_a_stop_ends_it_and_what_was_under_way_is_taken_back(tmp_path: Path, order: tuple[str, ...]) -> None:
    robot = process(tmp_path, *order, "--speed", "0.2", "--steps")
    with person(tmp_path, order[order.index("--port") + 1]) as client:
        state = until(lambda: next((robot.state for robot in client.robots() if robot.state), None))
        assert panel(state, "steps")["steps"][0]["name"] == "build_kits"
        until(lambda: "·" in (tmp_path / "err").read_text(encoding="utf-8"))
        client.stop("too close")
        assert robot.wait(30) == 1
    assert "run-1: stopped after" in (tmp_path / "out").read_text(encoding="utf-8")
    before = world_of(tmp_path / "s.db")
    assert before[0].goal is None
    again = here("run", "--resume", "--store", "s.db")
    assert (again.code, again.out.split(" after ")[0]) == (1, "run-1: stopped")
    assert "It stays over, and nothing moves. To begin a new one, leave out --resume." in again.err
    assert world_of(tmp_path / "s.db") == before


def test_killed_it_goes_on_with_the_same_page(tmp_path: Path, order: tuple[str, ...]) -> None:
    port = order[order.index("--port") + 1]
    robot = process(tmp_path, *order, "--speed", "30", "--steps")
    with person(tmp_path, port) as client:
        until(lambda: "fill_kit" in (tmp_path / "err").read_text(encoding="utf-8"))
        robot.kill()
        robot.wait()
        again = process(tmp_path, *order, "--speed", "30", "--resume")
        until(lambda: "Goes on with run-1" in (tmp_path / "err").read_text(encoding="utf-8"), timeout_s=120.0)
        until(lambda: len(codes(tmp_path)) == 2, timeout_s=120.0)
        until(lambda: any(each.alive for each in client.robots()))
        again.send_signal(signal.SIGTERM)
        assert again.wait(60) == 128 + signal.SIGTERM
    until(lambda: is_free(int(port)))  # whoever went on ends the server that the killed one had started
    _, effects = world_of(tmp_path / "s.db")
    assert not any(each.again for each in effects)
    assert len({each.number for each in effects}) == len(effects)
