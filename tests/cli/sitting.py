"""A meal at the page as a user has it: the command in a process of its own, and a person played through the API."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from handup.client import Client
from handup.client.child_server import is_free
from handup.core import HandupError, Role, TooFast
from handup.desk import Record
from handup.domains.feeding.meal import NAME
from handup.journal import Journal
from handup.server import Access
from tests.fakes.diner import Diner

ROOT = Path(__file__).parents[2]
PLAIN = ("--plate", "savory salad", "--looks", "easy")
"""A meal in which nothing goes wrong by itself."""
LOOK_S = 0.1
"""Ten requests a second leave a person's pace to spare."""
QUICK = ("--people", "page", "--no-browser", "--no-wait", "--linger", "0", "--rest", "0", *PLAIN)


def free_port() -> int:
    """Return a port that nobody uses. Every worker has a range of its own, and begins in it where its number says."""
    worker = int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "0")) or 0)
    first = 20000 + 500 * worker
    return next(port for port in range(first + os.getpid() % 400, first + 500) if is_free(port))


def until(what: Callable[[], Any], *, timeout_s: float = 120.0) -> Any:
    """Wait until something is so; what it gives."""
    limit = time.monotonic() + timeout_s
    while time.monotonic() < limit:
        with suppress(HandupError):
            found = what()
            if found:
                return found
        time.sleep(LOOK_S)
    raise AssertionError(f"it did not come to pass: {what}")


class Sitting:
    """One meal. Robot processes come and go in it; close it, and all of them are gone.

    Args:
        folder: Where it is kept.
        arguments: Of `handup meal`.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.store = folder, folder / "handup-meals" / "meal.db"
        self.port = free_port()
        self._arguments = (*QUICK, "--port", str(self.port), *arguments)  # of an option given twice the last counts
        self._lives = 0
        self.seen: list[str] = []
        self.robot = self.start()
        self.client = Client(self.url, patience_s=0.5)
        until(lambda: self.link)
        with Journal.open(self.store) as journal:
            code, _ = Access(journal).make_code(NAME, Role.RESIDENT)
        self.client.pair(code, "a test")
        self.diner = Diner(self.store)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def said(self) -> str:
        """What the present robot has said on stderr."""
        return (self.folder / f"err-{self._lives}").read_text(encoding="utf-8")

    @property
    def link(self) -> str:
        """Where the present robot says that the page is; empty until it does."""
        return str((re.findall(r"http://\S+#code=\S+", self.said) or [""])[-1])

    @property
    def printed(self) -> str:
        return (self.folder / f"out-{self._lives}").read_text(encoding="utf-8")

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        """A robot, which finds what an earlier one left; `more` are arguments of its own."""
        self._lives += 1
        command = [sys.executable, "-m", "handup", "meal", *self._arguments, *more]
        with (
            (self.folder / f"out-{self._lives}").open("wb") as out,
            (self.folder / f"err-{self._lives}").open("wb") as err,
        ):
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
            self.robot = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=out, stderr=err)
        return self.robot

    def kill_robot(self) -> None:
        """As if the plug was pulled."""
        self.robot.kill()
        self.robot.wait()

    def server_pid(self) -> int:
        """The process of the server."""
        noted = self.store.with_name("meal.db.server").read_text(encoding="utf-8")
        return int(re.findall(r'"pid": (\d+)', noted)[0])

    def kill_server(self) -> None:
        os.kill(self.server_pid(), signal.SIGKILL)

    def phase(self) -> str:
        """What the page shows of the robot, or `gone`."""
        [robot] = self.client.robots() or [None]
        return "gone" if robot is None or not robot.alive else str((robot.state or {}).get("phase"))

    def state(self) -> dict[str, Any]:
        [robot] = self.client.robots()
        return dict(robot.state or {})

    def entries(self) -> list[Any]:
        """The journal, which is whole at any time."""
        with Journal.open(self.store, readonly=True) as journal:
            return list(journal.read())

    def answer(self) -> list[Record]:
        """Answer whatever is asked now, rightly."""
        waiting = list(self.client.waiting())
        for record in waiting:
            self.seen.append(record.id)
            self.client.answer(record.id, self.diner.answer_to(record))
        return waiting

    def reach(self, phase: str, timeout_s: float = 180.0) -> bool:
        """Answer until the robot is at something; False where the meal is over before."""
        limit = time.monotonic() + timeout_s
        while self.robot.poll() is None:
            assert time.monotonic() < limit, (phase, self.said)
            try:
                now = self.phase()
                if now == phase:
                    return True
                if now == "asking":
                    self.answer()
                time.sleep(LOOK_S)
            except TooFast:
                time.sleep(20 * LOOK_S)  # else looking at the phase would leave nothing for the answer, for ever
            except HandupError:
                time.sleep(LOOK_S)
        return False

    def finish(self, timeout_s: float = 300.0) -> int:
        """Answer until the robot has ended; its exit code."""
        limit = time.monotonic() + timeout_s
        while self.robot.poll() is None:
            assert time.monotonic() < limit, self.said
            with suppress(HandupError):
                self.answer()
            time.sleep(LOOK_S)
        return self.robot.returncode

    def close(self) -> None:
        self.diner.close()
        self.client.close()
        if self.robot.poll() is None:
            self.robot.terminate()
            try:
                self.robot.wait(15)
            except subprocess.TimeoutExpired:
                self.kill_robot()
        with suppress(OSError, IndexError):
            os.kill(self.server_pid(), signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
