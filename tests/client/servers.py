"""A real server in a process of its own, to be killed, paused and started again on the same store and port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from handup.client import Client
from handup.core import ReplyKind, Role
from handup.journal import Journal
from handup.server.tokens import Access
from tests.deadlines import soon

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
START_S = 90.0
"""A busy machine takes its time."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """One server; ana is a resident, ben a caregiver. A proxy may stand before it, at the port `front`."""

    def __init__(self, folder: Path, **bounds: float) -> None:
        self.store = folder / "house.db"
        self.port, self.front = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._bounds = json.dumps(bounds)
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        with Journal.open(self.store) as journal:
            access = Access(journal)
            self.robot = access.robot_token("plate").token
            self.tokens = {
                name: access.pair(access.make_code(name, role)[0], "test").token
                for name, role in (("ana", Role.RESIDENT), ("ben", Role.CAREGIVER))
            }
            self.code = access.make_code("ana", Role.RESIDENT)[0]

    def start(self) -> None:
        given = (self.store, self.port, self.front, self._bounds)
        command = [sys.executable, "-m", "tests.client.child", *map(str, given)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=log, stderr=log)
        soon(self._answers, START_S)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        try:
            return httpx.get(f"{self.url}/api/v1/health", timeout=1.0, trust_env=False, verify=False).status_code == 200
        except httpx.TransportError:
            return False

    def recover(self) -> None:
        """Whatever a test did to it: running, and not stopped."""
        if self._process is None:
            self.start()
        self.resume()
        with Client(self.url, self.tokens["ana"], patience_s=START_S) as ana:
            if ana.health()["status"] == "stopped":
                ana.enable()
            for each in ana.waiting():
                ana.reply(each.id, ReplyKind.LET_ROBOT_TRY)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
