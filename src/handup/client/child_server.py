"""Server in a process of its own: found or started, started again when it dies, ended when it is no longer needed.

For commands that drive a robot and need a page beside it. The server is a separate process, so that the page lives on
when the robot is killed; the next robot on the same store finds it again.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx

from handup.client.address import ServerAddress, check_proof
from handup.client.client import Client
from handup.core import CannotListen, HandupError, NotPaired, ProcessLost
from handup.journal.address import address_of
from handup.journal.files import PRIVATE

HOST, FIRST_PORT, MOST_PORTS = "127.0.0.1", 8765, 10
START_S, KNOWN_S = 60.0, 3.0
"""Longest times in seconds that a server may take to start, and a running one to know a new token or prove itself."""
LOOK_S = 0.2
SHORTEST_S, LONGEST_S = 0.2, 5.0
"""First and longest pause in seconds before a dead server is started again. It doubles until one lives for a while."""
LIVES_S = 10.0

Knows = Callable[[str], bool]
"""Test whether the server at an address works on our store: it proves that, and knows our token. Raises a `HandupError`
where nobody answers."""


class ChildServer:
    """The server of a store.

    Args:
        store: The store.
        knows: Test whether a server at an address works on this store.
        port: Port to use; where it is None, the first free one from 8765 on.
        folder: Folder for its log and its pictures, for a store that is no file.

    Raises:
        CannotListen: The port is taken by something else.
        ProcessLost: It ended while it started.
    """

    def __init__(self, store: str, knows: Knows, *, port: int | None = None, folder: Path) -> None:
        path = address_of(store).path
        self._store, self._knows, self._is_file = store, knows, path is not None
        self._base = folder / "store" if path is None else path
        self._process: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._over = threading.Event()
        self.port, self.found = self._choose(port)
        self.moved = port is None and self.port != FIRST_PORT
        if self.found:
            self._pid = self._noted()
        else:
            self._start()
        self._thread = threading.Thread(target=self._watch, name="handup child server", daemon=True)

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int | None:
        """Id of its process, where that is known."""
        return self._process.pid if self._process is not None else self._pid

    def wait(self) -> None:
        """Wait until it answers; from then on it is started again when it dies.

        Raises:
            ProcessLost: It ended while it started, or does not answer.
        """
        until = time.monotonic() + START_S
        while not self._answers():
            if self._process is not None and self._process.poll() is not None:
                raise ProcessLost(f"the server did not start: {self._last_words()}", hint=f"See {self._log}.")
            if time.monotonic() > until:
                raise ProcessLost("the server does not answer", hint=f"See {self._log}.")
            time.sleep(LOOK_S / 4)
        self._thread.start()

    def close(self) -> None:
        """End the server, if this or an earlier robot started it. Safe to call twice."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        elif self._pid is not None and _is_server(self._pid):
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)
        if self.pid is not None:
            self._note.unlink(missing_ok=True)
        self._process = self._pid = None

    # -- inside ------------------------------------------------------------------------------------------------------

    def _choose(self, port: int | None) -> tuple[int, bool]:
        """Return the port, and True where a server of our store listens there already."""
        for number in range(FIRST_PORT, FIRST_PORT + MOST_PORTS) if port is None else (port,):
            if is_free(number):
                return number, False
            if self._is_ours(number):
                return number, True
        if port is None:
            last = FIRST_PORT + MOST_PORTS - 1
            raise CannotListen(f"the ports from {FIRST_PORT} to {last} are taken", hint="Name a free one with --port.")
        raise CannotListen(f"port {port} is taken by another program", hint="Name another one with --port.")

    def _is_ours(self, port: int) -> bool:
        until = time.monotonic() + KNOWN_S
        while time.monotonic() < until:
            try:
                return self._knows(f"http://{HOST}:{port}")
            except NotPaired:  # the server may not have read the new token yet
                time.sleep(LOOK_S)
            except HandupError:
                return False
        return False

    def _answers(self) -> bool:
        try:
            return self._knows(self.url)
        except HandupError:
            return False

    @property
    def _log(self) -> Path:
        return self._base.with_name(f"{self._base.name}.server.log")

    @property
    def _note(self) -> Path:
        return self._base.with_name(f"{self._base.name}.server")

    def _start(self) -> None:
        command = [sys.executable, "-m", "handup", "serve", "--store", self._store, "--no-code"]
        command += ["--port", str(self.port)]
        if not self._is_file:
            command += ["--pictures", str(self._base.with_name(f"{self._base.name}.pictures"))]
        for file in (self._log, self._note):
            file.unlink(missing_ok=True)
            file.touch(mode=PRIVATE)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True
            )
        self._pid = None
        self._note.write_text(json.dumps({"pid": self._process.pid, "port": self.port}), encoding="utf-8")

    def _noted(self) -> int | None:
        """Return the process id of a server that an earlier robot started and did not end; None without one."""
        try:
            noted = json.loads(self._note.read_text(encoding="utf-8"))
            pid, port = int(noted["pid"]), int(noted["port"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return pid if port == self.port and _is_server(pid) else None

    def _watch(self) -> None:
        """Start the server again when it dies, with longer and longer pauses."""
        pause_s, began = SHORTEST_S, time.monotonic()
        while not self._over.wait(LOOK_S):
            if not self._is_dead():
                continue
            pause_s = SHORTEST_S if time.monotonic() - began > LIVES_S else min(2.0 * pause_s, LONGEST_S)
            if self._over.wait(pause_s):
                return
            began = time.monotonic()
            if is_free(self.port):
                self._start()

    def _is_dead(self) -> bool:
        return self._process.poll() is not None if self._process is not None else is_free(self.port)

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        written = [line.strip() for line in lines if line.strip()]
        return written[-1].removeprefix("handup: ")[:300] if written else "it said nothing"


def known_to(token: str, grant: str) -> Knows:
    """Return a test whether a server knows a robot's token.

    The server gets the token only after it has proved that it reads our store: any other program may listen there.

    Args:
        token: The token.
        grant: Id of the token.
    """

    def knows(url: str) -> bool:
        try:
            asyncio.run(check_proof(ServerAddress(url, token), grant, KNOWN_S))
        except (HandupError, httpx.HTTPError, TimeoutError):
            return False
        with Client(url, token, patience_s=0.0) as client:
            return bool(client.me().get("id") == grant)

    return knows


def is_free(port: int) -> bool:
    """Tell whether this program could listen on a port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            return False
    return True


def _is_server(pid: int) -> bool:
    """Tell whether a process is a server of handup, as far as the system shows it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"handup" in words and b"serve" in words
