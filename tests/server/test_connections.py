"""Connections that say nothing keep nobody out, and are closed."""

from __future__ import annotations

import contextlib
import json
import socket as sockets
import time
from pathlib import Path

import httpx
from websockets.sync.client import connect

from handup.client import link_protocol
from handup.client.address import ServerAddress
from handup.server import Bounds, ServerSettings, start
from tests.server.houses import PEOPLE


def test_half_a_request_keeps_nobody_out_and_is_closed_in_time(tmp_path: Path) -> None:
    bounds = Bounds(connections=4, head_s=1.0)
    with start(ServerSettings(store=str(tmp_path / "h.db"), port=0, people=PEOPLE, bounds=bounds)) as server:
        half = [sockets.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
        for each in half:
            each.sendall(b"POST /api/v1/stop HTTP/1.1\r\nHost: 127")
            each.settimeout(10.0)
        headers = {"Authorization": f"Bearer {server.token('ana')}"}
        assert httpx.get(f"{server.url}/api/v1/health", timeout=10).status_code == 200
        assert httpx.post(f"{server.url}/api/v1/stop", headers=headers, timeout=10).json()["stopped"]
        for each in half:
            with contextlib.suppress(ConnectionResetError):
                assert each.recv(1) == b""
            each.close()


def test_a_live_socket_outlives_the_time_that_a_request_may_take(tmp_path: Path) -> None:
    bounds = Bounds(body_s=0.3)
    settings = ServerSettings(store=str(tmp_path / "h.db"), port=0, people=PEOPLE, bounds=bounds)
    with (
        start(settings) as server,
        connect(**link_protocol.how(ServerAddress(server.url, server.token("ana")))) as socket,
    ):
        until, number, heard = time.monotonic() + 4 * bounds.body_s, 0, ""
        while time.monotonic() < until:
            number += 1
            socket.send(link_protocol.beat(number))
            heard = json.loads(socket.recv(timeout=10))["type"]
            time.sleep(0.1)  # as often as the server takes it
        assert heard == "beat"
