"""`handup reach` at the page as a user has it: the command in a process of its own, and a person who pushes a stick."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from websockets.sync.client import connect

from handup.client import Client, link_protocol
from handup.core import HandupError, Role
from handup.domains.reaching.page_drive import NAME
from handup.journal import Journal
from handup.server import Access
from tests.cli.sitting import ROOT, free_port, until
from tests.deadlines import STILL_S
from tests.fakes.panels import panel

QUICK = ("--no-browser", "--no-wait", "--linger", "0")


class Reaching:
    """One attempt; close it, and its processes are gone.

    Args:
        folder: Where it is kept.
        arguments: Of `handup reach`.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.store = folder, folder / "handup-reach" / "reach.db"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "handup", "reach", *QUICK, "--port", str(self.port), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self.robot = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        until(lambda: self.link or self.robot.poll() is not None)
        assert self.robot.poll() is None, self.said
        self.client = self.device()

    def device(self) -> Client:
        """Another device of the person, with a pace of its own."""
        client = Client(self.url, patience_s=0.5)
        client.pair(self.code(), "a test")
        return client

    def code(self) -> str:
        """Return a new code that pairs one device of the person."""
        with Journal.open(self.store) as journal:
            code, _ = Access(journal).make_code(NAME, Role.RESIDENT)
        return code

    @property
    def said(self) -> str:
        return (self.folder / "err").read_text(encoding="utf-8")

    @property
    def link(self) -> str:
        """Where the page is; empty until the robot says so."""
        return str((re.findall(r"http://\S+#code=\S+", self.said) or [""])[-1])

    def state(self) -> dict[str, Any]:
        """What the page shows of the robot; empty where it says nothing yet."""
        found = self.client.robots()
        return dict(found[0].state or {}) if found else {}

    def until(self, what: Callable[[], Any], *, timeout_s: float = 20.0) -> Any:
        """Wait until something is so; what it gives. Ten looks a second leave a person's pace to spare."""
        limit = time.monotonic() + timeout_s
        while time.monotonic() < limit:
            with suppress(HandupError):
                if found := what():
                    return found
            time.sleep(0.1)
        raise AssertionError(f"it did not come to pass: {self.state()} {self.said}")

    def hand(self) -> list[float]:
        """Where the hand is."""
        return list(self.scene()["hand"][:3])

    def scene(self) -> dict[str, Any]:
        """The table and the hand, as the page shows them."""
        return panel(self.state(), "scene")

    def over(self, timeout_s: float = 30.0) -> dict[str, Any]:
        """The record, once the robot has ended."""
        assert self.robot.wait(timeout_s) == 0, self.said
        found: dict[str, Any] = json.loads((self.folder / "out").read_text(encoding="utf-8"))
        return found

    def crash(self) -> None:
        """The robot is gone from one moment to the next, and its server with it."""
        self.robot.kill()
        self.robot.wait()
        self.close()

    def close(self) -> None:
        self.client.close()
        if self.robot.poll() is None:
            self.robot.terminate()
            try:
                self.robot.wait(15)
            except subprocess.TimeoutExpired:
                self.robot.kill()
                self.robot.wait()
        with suppress(OSError, IndexError):
            noted = self.store.with_name("reach.db.server").read_text(encoding="utf-8")
            os.kill(int(re.findall(r'"pid": (\d+)', noted)[0]), signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HasDevices(Protocol):
    """A robot at a page to which a person has devices."""

    def device(self) -> Client:
        """Return another one, which is let in."""
        ...


class Stick:
    """A page that pushes, as far as the server can tell: what `push` holds is sent ten times a second."""

    def __init__(self, reaching: HasDevices) -> None:
        self.push: tuple[float, float, float] | None = None
        self.mode, self.closing, self.late_s = "translate", False, 0.0
        self.refused: list[str] = []
        self._over = threading.Event()
        self._stack = ExitStack()
        client = self._stack.enter_context(reaching.device())
        self._socket = self._stack.enter_context(connect(**link_protocol.how(client.address)))
        self._told_s = 0.0
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._send)]
        for each in self._threads:
            each.start()

    def _listen(self) -> None:
        with suppress(*link_protocol.FAILS):
            while not self._over.is_set():
                frame = link_protocol.read(self._socket.recv())
                self._told_s = float(frame.get("at_s") or frame.get("now_s") or self._told_s)
                if frame.get("type") == "error":
                    self.refused.append(str(frame["error"]["code"]))

    def _send(self) -> None:
        with suppress(*link_protocol.FAILS):
            for number in range(10**6):
                if self._over.wait(0.1):
                    return
                if number % 3 == 0:
                    self._socket.send(link_protocol.frame("beat"))
                if self.push is not None and self._told_s:
                    how = {"robot": "hand", "mode": self.mode, "push": self.push, "close": self.closing}
                    self._socket.send(link_protocol.frame("stick", **how, heard_s=self._told_s - self.late_s))

    def close(self) -> None:
        self._over.set()
        self._stack.close()
        for each in self._threads:
            each.join(5)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def rests(reaching: Reaching) -> bool:
    """Whether the hand stands still for a while."""
    before = reaching.hand()
    time.sleep(STILL_S)
    return reaching.hand() == before
