"""A server in a process of its own on a store of its own, the robot's side of it, and browsers that look at it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from benchmarks.page import find_chromium as installed_chromium
from handup.cli.page import PICTURES, PLATE, TOUR, picture
from handup.core import Person, Question, Role
from handup.desk import Desk, Record
from handup.journal import Journal
from handup.server import Access
from tests.page.devices import Devices

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "handup" / "server" / "static"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PEOPLE = (Person(name="ana"), Person(name="ben", role=Role.CAREGIVER))
SOON_MS = 15_000
JPEG = {"Content-Type": "image/jpeg"}
_NUMBERS = count(1)


def find_chromium() -> str:
    """Return the browser of the tests, or fail."""
    found = installed_chromium()
    if found is None:
        pytest.fail("no Chromium here; run: apt-get install chromium-headless-shell", pytrace=False)
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Wire:
    """A wire to the server that can be cut: while it is, bytes vanish and nobody is told, as without a network."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._whole = threading.Event()
        self._whole.set()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def is_cut(self) -> bool:
        return not self._whole.is_set()

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        """New connections go through again; those from before are dead."""
        old, self._open = self._open, []
        self._whole.set()
        for each in old:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        self._listener.close()
        self.mend()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._open.append(near)
                if not self._whole.is_set():
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                self._open.append(far)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if self._whole.is_set():
                    other.sendall(data)
            other.shutdown(socket.SHUT_WR)


class Site:
    """The server, and a desk on the same store that asks as a robot would."""

    def __init__(self, folder: Path, devices: Devices) -> None:
        self.folder = folder
        self.store = str(folder / "page.db")
        self.devices = devices
        self.port = free_port()
        self.wire = Wire(self.port)
        self.journal = Journal.open(self.store)
        self.desk = Desk(self.journal, PEOPLE)
        self.access = Access(self.journal)
        self._process: subprocess.Popen[bytes] | None = None
        self._shows_robot = False
        self.begin()
        token = self.access.robot_token("tour").token
        self.robot = httpx.Client(
            base_url=f"{self.url}/api/v1", verify=False, headers={"Authorization": f"Bearer {token}"}
        )
        self.put_pictures()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def wired(self) -> str:
        return f"http://127.0.0.1:{self.wire.port}"

    def begin(self) -> None:
        command = [sys.executable, "-m", "handup", "serve", "--store", self.store, "--port", str(self.port), "--json"]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--origin", self.wired], stdout=subprocess.PIPE, stderr=log, cwd=ROOT
            )
        assert self._process.stdout is not None
        first = self._process.stdout.readline()
        if not first:
            pytest.fail((self.folder / "server.log").read_text(), pytrace=False)
        assert json.loads(first)["url"] == self.url
        for _ in range(200):
            with suppress(httpx.TransportError):
                httpx.get(f"{self.url}/api/v1/health", verify=False).raise_for_status()
                return
            threading.Event().wait(0.02)
        pytest.fail((self.folder / "server.log").read_text())

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(10)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def close(self) -> None:
        self.robot.close()
        self.end(signal.SIGTERM)
        self.wire.close()
        self.desk.close()
        self.journal.close()

    def put_pictures(self) -> None:
        for name in PICTURES:
            found = self.robot.put(f"/pictures/{name}", content=picture(name), headers=JPEG)
            assert found.status_code == 204, found.text

    def token(self, person: str = "ana") -> str:
        role = next(each.role for each in PEOPLE if each.name == person)
        code, _ = self.access.make_code(person, role)
        return self.access.pair(code, "test").token

    def ask(self, asked: str | Question) -> Record:
        question = TOUR[asked] if isinstance(asked, str) else asked
        return self.desk.ask(question, run=f"run-{next(_NUMBERS)}", step="step")

    def told(self, id_: str, timeout_s: float = 5.0) -> Record:
        """The question once it is settled."""
        record = self.desk.wait(id_, timeout_s)
        assert record is not None, "nothing came"
        return record

    def is_stopped(self) -> bool:
        """Whether the store holds a stop, or soon does: sockets are told before it is written."""
        for _ in range(100):
            if self.desk.stopped:
                return True
            threading.Event().wait(0.02)
        return False

    def is_busy(self, wanted: bool | None = None, person: str = "ana") -> bool:
        """Whether a person says that they are busy; once they say what is wanted, if they do so soon."""
        for _ in range(100 if wanted is not None else 1):
            busy = self.desk.state.is_busy(person, self.desk.now_s())
            if busy is wanted:
                break
            threading.Event().wait(0.02 if wanted is not None else 0.0)
        return busy

    def show_robot(self, **state: Any) -> None:
        """Show a robot on the page until the test is over."""
        self._shows_robot = True
        plate = {"panel": "picture", "name": PLATE}
        told = {"robot": "tour", "phase": "moving", "at_s": time.time(), "panels": [plate], **state}
        assert self.robot.put("/robots/tour/state", json=told).status_code == 204

    def show_state(self, robot: str, told: dict[str, Any]) -> None:
        """Show the state of another robot, which comes with a token of its own, until the test is over."""
        self._shows_robot = True
        headers = {"Authorization": f"Bearer {self.access.robot_token(robot).token}"}
        put = httpx.put(f"{self.url}/api/v1/robots/{robot}/state", json=told, headers=headers)
        assert put.status_code == 204, put.text

    def tidy(self) -> None:
        """Let the server run and the wire be whole; let nothing wait, no stop hold, nobody be busy, no robot show."""
        if self.wire.is_cut:
            self.wire.mend()
        if self._shows_robot:
            self.end()  # a state is shown as long as the server runs
            self._shows_robot = False
        if self._process is None:
            self.begin()
        if self.desk.stopped:
            self.desk.enable("ana")
        for name in self.desk.state.busy:
            self.desk.back(name)
        self.desk.introduce(*PEOPLE, by="ana")  # as on the page: it undoes what a test set up there
        for each in self.desk.pending():
            self.desk.withdraw(each.id, "the test is over")

    @contextmanager
    def open(self, person: str | None = "ana", *, url: str | None = None, **how: Any) -> Iterator[Look]:
        """A device of its own: its cookie, its storage, its page."""
        how.setdefault("viewport", {"width": 1024, "height": 768})
        how.setdefault("reduced_motion", "reduce")
        address = url or self.url
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        with self.devices.take(f"{origin}/api/v1/health", SOON_MS, **how) as device:
            look = Look(device.page)
            if person is not None:
                cookie = {"name": f"handup-{self.port}", "value": self.token(person), "url": address}
                device.page.context.add_cookies([cookie])  # type: ignore[list-item]
            look.page.goto(address)
            try:
                yield look
            finally:
                device.spoiled = look.spoiled


class Look:
    """A page and short words for what people do with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.spoiled = False

    @property
    def context(self) -> BrowserContext:
        """The context of the page. What a test changes there stays, so nobody uses it afterwards."""
        self.spoiled = True
        return self.page.context

    def of(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    def begin_anew(self, site: Site) -> None:
        """Nothing waits; the page is loaded again, with another token: one person does not load it so often."""
        site.tidy()
        self.page.context.add_cookies([{"name": f"handup-{site.port}", "value": site.token(), "url": site.url}])
        self.page.goto(site.url)

    def press(self, *testids: str) -> None:
        for each in testids:
            self.of(each).click()

    def keys(self, *keys: str) -> None:
        for each in keys:
            self.page.keyboard.press(each)

    def sees(self, testid: str) -> None:
        expect(self.of(testid)).to_be_visible()

    def sees_not(self, testid: str) -> None:
        expect(self.of(testid)).to_have_count(0)

    def question(self, record: Record) -> None:
        """The question is on the screen."""
        self.page.locator(f'[data-question="{record.id}"]').wait_for()

    def says(self, testid: str, words: str) -> None:
        expect(self.of(testid)).to_contain_text(words)
