"""A server in a thread beside a program: TLS, its names, the end of it, and what may not be."""

from __future__ import annotations

import json
import socket as sockets
import sqlite3
import subprocess
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from handup.core import BadSetting, CannotListen, UnsafeHost
from handup.journal import Journal
from handup.server import Beats, Bounds, RunningServer, ServerSettings, create_app, start
from handup.server.running_server import listen
from tests.deadlines import soon
from tests.server.houses import CHOICE, PEOPLE

LATE_S = 30.0
"""Beyond this, something hangs; a busy machine takes long for what needs a moment."""


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2"]
    subprocess.run([*made, *named, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


def test_tls_and_a_cookie_that_never_goes_without_it(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    import ssl

    cert, key = certificate
    trusted = ssl.create_default_context(cafile=str(cert))
    settings = ServerSettings(
        store=str(tmp_path / "house.db"), host="0.0.0.0", port=0, people=PEOPLE, tls_cert=cert, tls_key=key
    )
    with start(settings) as server, httpx.Client(verify=trusted, base_url=f"{server.url}/api/v1") as client:
        assert server.url.startswith("https://127.0.0.1:")
        assert client.get("/health").json()["status"] == "ok"
        paired = client.post("/pair", json={"code": server.code("ana")}, headers={"Origin": server.url})
        assert "Secure" in paired.headers["set-cookie"].split("; ")
        assert client.get("/health", headers={"Host": f"evil.example:{server.port}"}).status_code == 403
        headers = {"Authorization": f"Bearer {paired.json()['token']}"}
        url = f"{server.url.replace('https', 'wss')}/api/v1/live"
        with connect(url, ssl=trusted, additional_headers=headers, origin=Origin(server.url)) as live:
            assert json.loads(live.recv())["type"] == "hello"
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{server.port}/api/v1/health")


def test_a_frame_beyond_the_limit_ends_its_socket_and_nothing_else(tmp_path: Path) -> None:
    from websockets.exceptions import ConnectionClosed

    with start(ServerSettings(store=str(tmp_path / "house.db"), port=0, people=PEOPLE)) as server:
        headers = {"Authorization": f"Bearer {server.token('ana')}"}
        url = f"{server.url.replace('http', 'ws')}/api/v1/live"
        with connect(url, additional_headers=headers) as live:
            live.send("x" * 70_000)
            with pytest.raises(ConnectionClosed):
                while True:
                    live.recv(timeout=10)
        assert httpx.get(f"{server.url}/api/v1/health").status_code == 200


def test_what_is_sent_goes_out_at_once() -> None:
    with listen(ServerSettings(port=0)) as listening, sockets.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == sockets.IPPROTO_TCP, "asyncio goes by this"
            assert accepted.getsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY) != 0


def test_it_ends_though_its_threads_wait_for_a_locked_store(tmp_path: Path) -> None:
    store, settings = tmp_path / "house.db", ServerSettings(port=0, people=PEOPLE)
    with (
        Journal.open(store, busy_timeout_s=10 * LATE_S) as journal,
        closing(sqlite3.connect(store, isolation_level=None)) as lock,
    ):
        server = RunningServer(create_app(journal, settings=settings), settings, listen(settings)).start()
        headers = {"Authorization": f"Bearer {server.robot_token('plate')}"}
        lock.execute("BEGIN IMMEDIATE")
        asked = {"question": CHOICE, "run": "meal", "step": "food"}

        def ask() -> None:
            with suppress(httpx.TransportError):
                httpx.post(f"{server.url}/api/v1/questions", json=asked, headers=headers, timeout=LATE_S)

        asking = threading.Thread(target=ask)
        asking.start()
        soon(lambda: server.service._queued)
        ending = threading.Thread(target=server.close)
        ending.start()
        ending.join(LATE_S)
        assert not ending.is_alive(), "its threads would wait ten times as long"
        asking.join(LATE_S)
        assert all(each.daemon for each in threading.enumerate() if "handup server" in each.name)
        lock.execute("ROLLBACK")


def test_it_ends_soon_though_the_store_is_locked_and_somebody_waits(tmp_path: Path) -> None:
    store = tmp_path / "house.db"
    server = start(ServerSettings(store=str(store), port=0, people=PEOPLE))
    headers = {"Authorization": f"Bearer {server.robot_token('plate')}"}
    client = httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=LATE_S)
    asked = client.post("/questions", json={"question": CHOICE, "run": "meal", "step": "food"}).json()
    statuses: list[int] = []

    def wait() -> None:
        statuses.append(client.get("/wait", params={"id": asked["id"], "timeout_s": 30}).status_code)

    waiting = threading.Thread(target=wait)
    waiting.start()
    soon(lambda: server.service._waiters)
    with closing(sqlite3.connect(store, isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        server.close()
        waiting.join(LATE_S)
        assert statuses == [204], "it is told to ask again"
        lock.execute("ROLLBACK")
    client.close()


def test_a_stop_that_could_not_be_written_is_written_before_it_ends(tmp_path: Path) -> None:
    store = tmp_path / "house.db"
    server = start(ServerSettings(store=str(store), port=0, people=PEOPLE))
    headers = {"Authorization": f"Bearer {server.token('ana')}"}
    with closing(sqlite3.connect(store, isolation_level=None, check_same_thread=False)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        assert httpx.post(f"{server.url}/api/v1/stop", headers=headers, timeout=LATE_S).status_code == 202
        free = threading.Timer(1.5, lock.execute, ["ROLLBACK"])
        free.start()
        server.close()
        free.join()
    with start(ServerSettings(store=str(store), port=0)) as again:
        assert httpx.get(f"{again.url}/api/v1/health").json()["status"] == "stopped"


def test_where_it_is() -> None:
    assert ServerSettings(port=1).url() == "http://127.0.0.1:1"
    assert ServerSettings(host="::1", port=1).url() == "http://[::1]:1"
    assert ServerSettings(host="0.0.0.0", insecure=True).url(7) == "http://127.0.0.1:7"


def test_what_may_not_be() -> None:
    for host in ("0.0.0.0", "::", "192.168.0.7", "robot.example", ""):
        with pytest.raises(UnsafeHost):
            ServerSettings(host=host)
    wrongs: tuple[dict[str, Any], ...] = ({"port": -1}, {"port": 70_000}, {"tls_cert": Path("a")}, {"origins": ("x",)})
    for wrong in wrongs:
        with pytest.raises(BadSetting):
            ServerSettings(**wrong)
    with pytest.raises(BadSetting):
        Bounds(body=0)
    with pytest.raises(BadSetting):
        Beats(beat_s=float("nan"))


def test_a_server_that_is_closed_leaves_its_port(tmp_path: Path) -> None:
    with start(ServerSettings(store=str(tmp_path / "house.db"), port=0)) as server:
        taken = ServerSettings(store=str(tmp_path / "other.db"), port=server.port)
        with pytest.raises(CannotListen):
            start(taken)
    with start(taken):
        pass
    assert not any(
        "handup server" in each.name and each.is_alive() for each in threading.enumerate() if not each.daemon
    )
