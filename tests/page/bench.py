"""Parts of the page on their own in a real browser, under the server's content policy and on the test's own clock."""

from __future__ import annotations

import http.server
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from handup.cli.touring import picture
from tests.page.site import AXE, ROOT

WEB = ROOT / "web"
POLICY = "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; connect-src 'self'"
BUILD = ("node", "node_modules/vite/bin/vite.js", "build", "--config", "bench/vite.config.ts", "--logLevel", "warn")
PLATE = {"width": 640, "height": 480}


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
        if not self.path.startswith("/pictures/"):
            super().do_GET()
        elif "missing" in self.path and "try=" not in self.path:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.end_headers()
            self.wfile.write(picture("tour/plate"))


@pytest.fixture(scope="session")
def bench_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("bench")
    subprocess.run([*BUILD, "--outDir", str(folder)], cwd=WEB, check=True, timeout=120)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Bench:
    """A page that shows what a plan says."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    def show(self, **plan: Any) -> None:
        self.page.evaluate("plan => window.bench.show(plan)", plan)

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

    def violations(self) -> list[str]:
        """What axe-core finds wrong."""
        with_axe = "window.axe !== undefined"
        if not self.page.evaluate(with_axe):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "() => window.axe.run(document, {runOnly: ['wcag2a','wcag2aa','wcag21aa','wcag22aa']})"
        )
        return [f"{each['id']}: {node['html'][:120]}" for each in found["violations"] for node in each["nodes"]]

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

    def overflows(self) -> bool:
        """Whether a person would have to scroll sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.fixture
def bench(browser: Browser, bench_url: str, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A bench; `@pytest.mark.parametrize("bench", [{...}], indirect=True)` sets how its browser is made."""
    how = {"viewport": {"width": 1024, "height": 768}, "reduced_motion": "reduce", **getattr(request, "param", {})}
    context = browser.new_context(**how)
    context.set_default_timeout(5000)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(bench_url)
    page.wait_for_function("window.bench")
    yield Bench(page, bench_url)
    context.close()
    assert problems == []
