"""The server beside a meal: it gets no token before it has proved itself, knows nobody by itself, and ends with it."""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from handup.cli.harness import Leaving
from handup.client.child_server import ChildServer, is_free, known_to
from handup.core import CannotListen, ProcessLost
from handup.desk import Desk
from handup.journal import Journal
from handup.server import Access, ServerSettings, start
from handup.server.tokens import Paired
from tests.cli.sitting import Sitting, free_port, until


@contextmanager
def stranger(ask: str = "") -> Iterator[tuple[int, list[str]]]:
    """A program that is no server of ours: it keeps what it hears, and passes requests on to one where it can."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.path} {self.headers}")
            body = b'{"name": "plate", "id": "x", "proof": "0"}'
            if ask:
                with urlopen(f"{ask}{self.path}") as passed:
                    body = passed.read()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made.server_port, heard
        made.shutdown()


@pytest.fixture
def paired(tmp_path: Path) -> Paired:
    with Journal.open(tmp_path / "m.db") as journal:
        return Access(journal).robot_token("plate")


def test_a_stranger_on_the_port_gets_no_token(tmp_path: Path, paired: Paired) -> None:
    with stranger() as (port, heard), pytest.raises(CannotListen):
        ChildServer(str(tmp_path / "m.db"), known_to(paired.token, paired.grant.id), port=port, folder=tmp_path)
    assert heard
    assert not any(paired.token in each or "uthorization" in each for each in heard)


def test_a_stranger_who_passes_the_question_on_to_our_server_gets_no_token(tmp_path: Path, paired: Paired) -> None:
    with start(ServerSettings(store=str(tmp_path / "m.db"), port=0)) as server:
        assert known_to(paired.token, paired.grant.id)(server.url)
        with stranger(server.url) as (port, heard):
            assert not known_to(paired.token, paired.grant.id)(f"http://127.0.0.1:{port}")
    assert len(heard) == 1
    assert paired.token not in heard[0]


def test_a_server_of_another_store_is_not_ours(tmp_path: Path, paired: Paired) -> None:
    with start(ServerSettings(store=str(tmp_path / "other.db"), port=0)) as server:
        assert not known_to(paired.token, paired.grant.id)(server.url)


def test_it_introduces_nobody_and_its_log_is_its_owners(tmp_path: Path, paired: Paired) -> None:
    server = ChildServer(
        str(tmp_path / "m.db"), known_to(paired.token, paired.grant.id), port=free_port(), folder=tmp_path
    )
    try:
        server.wait()
        with Journal.open(tmp_path / "m.db") as journal, Desk(journal) as desk:
            assert desk.state.people == {}
            assert {each.kind for each in journal.read()} == {"access.granted"}
        for each in ("m.db.server.log", "m.db.server"):
            assert stat.S_IMODE((tmp_path / each).stat().st_mode) == 0o600
    finally:
        server.close()


def test_a_mistake_in_the_file_of_notices_is_told(
    tmp_path: Path, paired: Paired, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notify.yaml").write_text("[]", encoding="utf-8")
    monkeypatch.setenv("HANDUP_NOTIFY", str(tmp_path / "notify.yaml"))
    server = ChildServer(
        str(tmp_path / "m.db"), known_to(paired.token, paired.grant.id), port=free_port(), folder=tmp_path
    )
    try:
        with pytest.raises(
            ProcessLost, match=r"did not start: [^:]*notify\.yaml:1: the file must be a map, got a list"
        ):
            server.wait()
    finally:
        server.close()


def test_when_the_terminal_is_closed_robot_and_server_end(tmp_path: Path) -> None:
    with Sitting(tmp_path, "--bites", "1") as sitting:
        assert sitting.reach("moving") or sitting.robot.poll() is None
        sitting.robot.send_signal(signal.SIGHUP)
        assert sitting.robot.wait(30) == 128 + signal.SIGHUP
        until(lambda: is_free(sitting.port))


def test_under_nohup_it_goes_on() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Leaving().listening():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
