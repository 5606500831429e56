"""Parts of the page on their own in a real browser, under the server's content policy and on the test's own clock."""

from __future__ import annotations

import fcntl
import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from handup.cli.page import picture
from tests.page.devices import Devices
from tests.page.site import ROOT

WEB = ROOT / "web"
POLICY = "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; connect-src 'self'"
BUILD = ("node", "node_modules/vite/bin/vite.js", "build", "--config", "bench/vite.config.ts", "--logLevel", "warn")
PLATE = {"width": 640, "height": 480}
CLOCK = """() => {
    let now = performance.now(), last = 0;
    const timers = new Map();
    const set = (act, ms, every) => { timers.set(++last, { act, at: now + ms, every }); return last; };
    const turn = () => new Promise((done) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done();
        port2.postMessage(null);
    });
    performance.now = () => now;
    window.setTimeout = (act, ms = 0) => set(act, ms);
    window.setInterval = (act, ms) => set(act, ms, ms);
    window.requestAnimationFrame = (act) => set(() => act(now), 16);
    window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = (id) => timers.delete(id);
    window.runFor = async (ms) => {
        const end = now + ms;
        for (await turn(); ; await turn()) {
            const due = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
            if (!due) break;
            const [id, timer] = due;
            now = Math.max(now, timer.at);
            if (timer.every) timer.at = now + timer.every;
            else timers.delete(id);
            timer.act();
        }
        now = end;
    };
}"""
"""A clock of the page that stands still until a test lets it run.

Playwright's own stays in the context, which nobody could use afterwards, and runs on while a busy machine is late.
"""


class _Files(http.server.SimpleHTTPRequestHandler):
    """The built bench, and pictures: every name is the plate, but those that say that they are missing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def handle(self) -> None:
        with suppress(ConnectionError):  # a page that is closed waits for nothing
            super().handle()

    def do_GET(self) -> None:
        if not self.path.startswith("/api/v1/pictures/"):
            super().do_GET()
        elif "missing" in self.path and "try=" not in self.path:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.end_headers()
            self.wfile.write(picture("tour/plate"))


def built(factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built bench. The first worker builds it, the others wait."""
    together = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    folder = together / "bench"
    with (together / "bench.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            subprocess.run([*BUILD, "--outDir", str(folder)], cwd=WEB, check=True, timeout=120)
    return folder


@pytest.fixture(scope="session")
def bench_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = built(tmp_path_factory)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Bench:
    """A page that shows what a plan says."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self._held = False
        self._screen: CDPSession | None = None

    def hold_clock(self) -> None:
        """Let time stand still, but for `run_for`."""
        self.page.evaluate(CLOCK)
        self._held = True

    def run_for(self, ms: float) -> None:
        """Let so much time pass at once."""
        self.page.evaluate("ms => window.runFor(ms)", ms)

    def show(self, **plan: Any) -> None:
        self.page.evaluate("plan => window.bench.show(plan)", plan)
        if self._held:
            self.run_for(20)  # until it is drawn
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)
        if self._held:
            self.run_for(20)  # so is what came meanwhile

    def of(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    def press(self, *testids: str) -> None:
        for each in testids:
            self.of(each).click()

    @property
    def value(self) -> Any:
        """The whole answer; None while it is not whole."""
        return self.page.evaluate("window.bench.value")

    @property
    def half(self) -> Any:
        return self.page.evaluate("window.bench.half")

    @property
    def log(self) -> list[str]:
        """Buttons that were pressed, and words that were spoken."""
        return list(self.page.evaluate("window.bench.log"))

    def tap(self, x: float, y: float) -> None:
        """Press and lift at this share of the picture."""
        surface = self.of("picture")
        surface.scroll_into_view_if_needed()
        shown = surface.bounding_box()
        assert shown is not None
        self.page.mouse.click(shown["x"] + x * shown["width"], shown["y"] + y * shown["height"])

    def small(self, least: int = 48) -> list[str]:
        """Controls that are smaller than they may be, in px."""
        return list(
            self.page.evaluate(
                """least => [...document.querySelectorAll('button, input, a, select')]
                    .map(each => [each.dataset.testid ?? each.outerHTML.slice(0, 60), each.getBoundingClientRect()])
                    .filter(([, box]) => box.width > 0 && (box.width < least - 0.5 || box.height < least - 0.5))
                    .map(([name, box]) => `${name}: ${box.width} × ${box.height}`)""",
                least,
            )
        )

    def resize(self, width: int, height: int = 800, scale: float = 1.0, text: int = 100) -> None:
        """Turn the screen into another one: width and height in px, the pixels in one of them, text in percent."""
        if self._screen is None:
            self._screen = self.page.context.new_cdp_session(self.page)
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self._screen.send("Emulation.setDeviceMetricsOverride", metrics)
        self.page.evaluate("percent => { document.documentElement.style.fontSize = `${percent}%` }", text)

    def overflows(self) -> bool:
        """Whether a person would have to scroll sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.fixture
def bench(devices: Devices, bench_url: str) -> Iterator[Bench]:
    how = {"viewport": {"width": 1024, "height": 768}, "reduced_motion": "reduce"}
    with devices.take(f"{bench_url}api/v1/pictures/plate", 5000, **how) as device:
        device.page.goto(bench_url)
        device.page.wait_for_function("window.bench")
        yield Bench(device.page, bench_url)
