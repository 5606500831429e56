"""`handup serve --notify`: people are told outside the page, once, whenever the server is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from handup.core import Limits, Person, Question
from handup.desk import Desk, Record
from handup.desk.events import NoticeBegun, NoticeEnded
from handup.journal import Journal
from tests.adapters.notify.servers import HOST, free_port, web
from tests.cli.calls import SRC, assert_one_line_error, here
from tests.deadlines import soon
from tests.desk.desks import answer

SETTINGS = """\
page: https://house.example
ntfy:
  url: http://127.0.0.1:{port}
  token_env: NTFY_TOKEN
  timeout_s: {timeout_s}
people:
  ana:
    ntfy: ana-7391
"""
TOKEN = "tk_a_secret_of_the_test"


class Home:
    """A store with a robot that asks, and a server that may be killed."""

    def __init__(self, folder: Path, port: int, timeout_s: float = 10.0) -> None:
        self.folder = folder
        self.store = str(folder / "home.db")
        (folder / "notify.yaml").write_text(SETTINGS.format(port=port, timeout_s=timeout_s))
        self.port = free_port()
        self._process: subprocess.Popen[str] | None = None

    def begin(self, *, until_up: bool = True) -> None:
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "handup", "serve", "--store", self.store, "--port", str(self.port), "--json"],
                env={
                    **os.environ,
                    "PYTHONPATH": str(SRC),
                    "NTFY_TOKEN": TOKEN,
                    "HANDUP_NOTIFY": str(self.folder / "notify.yaml"),
                },
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if until_up:
            soon(self.health)

    def end(self, sign: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(sign)
            self._process.communicate(timeout=30)
            self._process = None

    def health(self) -> dict[str, Any]:
        try:
            told: dict[str, Any] = httpx.get(f"http://{HOST}:{self.port}/api/v1/health").json()
        except httpx.TransportError:
            return {}
        return told

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        with Journal.open(self.store) as journal, Desk(journal, [Person(name="ana", limits=Limits(at_once=2))]) as desk:
            yield desk

    def ask(self, step: str = "food") -> Record:
        with self.desk() as desk:
            return desk.ask(Question("Is this a cherry tomato?"), run="meal", step=step)

    def events(self) -> list[Any]:
        with Journal.open(self.store, readonly=True) as journal:
            return [entry.event for entry in journal.read(run="told")]


@contextmanager
def home(folder: Path, port: int, **more: float) -> Iterator[Home]:
    made = Home(folder, port, **more)
    made.ask()
    try:
        yield made
    finally:
        made.end(signal.SIGKILL)


def test_a_killed_server_tells_nobody_twice_and_clears_what_was_answered(tmp_path: Path) -> None:
    with web() as phone, home(tmp_path, phone.port) as house:
        house.begin()
        soon(lambda: phone.posts)
        soon(lambda: house.health().get("notices") == "ok")
        house.end(signal.SIGKILL)
        house.begin()
        with house.desk() as desk:
            assert desk.reply(answer("meal/food/1", "ana")).accepted
        soon(lambda: len(phone.arrived) == 2)
        house.end(signal.SIGTERM)
        first, cleared = phone.arrived
        assert (first.path, first.headers["click"]) == ("/ana-7391", "https://house.example")
        assert first.headers["authorization"] == f"Bearer {TOKEN}"
        assert cleared.path.endswith("/clear")
        assert "tomato" not in str(phone.arrived)
        assert [type(event) for event in house.events()] == [NoticeBegun, NoticeEnded]
    assert TOKEN.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_server_killed_while_it_tells_does_not_tell_again(tmp_path: Path) -> None:
    with web() as phone, home(tmp_path, phone.port) as house:
        phone.act = lambda _: house.end(signal.SIGKILL)  # it has arrived, and nobody is left to hear so
        house.begin(until_up=False)
        soon(lambda: house._process is None)
        phone.act = None
        house.begin()
        house.ask("drink")  # what comes after it is told, so the first one would have been, too
        soon(lambda: len(phone.posts) == 2)
        assert [type(event) for event in house.events()][:2] == [NoticeBegun, NoticeBegun]


def test_a_failure_is_seen_in_health_and_in_the_journal_in_plain_words(tmp_path: Path) -> None:
    with home(tmp_path, free_port()) as house:
        house.begin()
        soon(lambda: house.health().get("notices") == "failing")
        (ended,) = [event for event in house.events() if isinstance(event, NoticeEnded)][:1]
        assert ended.why == "no connection to the server: Connection refused"
        house.end(signal.SIGTERM)


def test_a_server_ends_in_time_while_it_waits_for_another_one(tmp_path: Path) -> None:
    with web() as phone, home(tmp_path, phone.port, timeout_s=60.0) as house:
        go = threading.Event()
        phone.act = lambda _: go.wait(60.0)
        house.begin()
        soon(lambda: phone.posts)
        assert house._process is not None
        house._process.send_signal(signal.SIGTERM)
        assert house._process.wait(30) == 0
        go.set()


@pytest.mark.parametrize(
    ("text", "words"),
    [("ntfy: {url: http://127.0.0.1}\npeople: {ana: {nfty: a}}\n", ("notify.yaml:2", "Did you mean 'ntfy'?"))],
)
def test_a_mistake_in_the_file_is_told_before_anything_begins(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "notify.yaml").write_text(text)
    called = here("serve", "--store", str(tmp_path / "a.db"), "--port", "0", "--notify", str(tmp_path / "notify.yaml"))
    assert_one_line_error(called, *words, "HU103")
    assert not (tmp_path / "a.db").exists()
