"""One browser, one server and one bench for each worker; everything is settled between two tests."""

from __future__ import annotations

import asyncio
from asyncio import events
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.page.bench import bench, bench_url
from tests.page.devices import Devices
from tests.page.site import SOON_MS, STATIC, Site, find_chromium

__all__ = ["bench", "bench_url"]


class Chromium:
    """A browser, and the event loop on which Playwright talks to it.

    While Playwright's loop counts as running, nobody else may run one in this thread. So it counts only while a test of
    this folder runs.
    """

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self.browser = self._playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        self.devices = Devices(self.browser)
        self.leave()

    def enter(self) -> None:
        """Let Playwright's loop count as running."""
        events._set_running_loop(self._loop)

    def leave(self) -> None:
        """Let no loop count as running."""
        events._set_running_loop(None)

    def close(self) -> None:
        self.enter()
        self.browser.close()
        self._playwright.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    if not (STATIC / "index.html").exists():
        pytest.fail("the page is not built; run: tools/build-page", pytrace=False)
    expect.set_options(timeout=SOON_MS)
    made = Chromium()
    yield made
    made.close()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Browser]:
    chromium.enter()
    yield chromium.browser
    chromium.leave()


@pytest.fixture
def devices(chromium: Chromium, browser: Browser) -> Devices:
    return chromium.devices


@pytest.fixture(scope="session")
def shared_site(tmp_path_factory: pytest.TempPathFactory, chromium: Chromium) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("page"), chromium.devices)
    yield made
    made.close()


@pytest.fixture
def site(shared_site: Site, browser: Browser) -> Iterator[Site]:
    shared_site.tidy()
    yield shared_site
    shared_site.tidy()
