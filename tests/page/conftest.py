"""One browser and one server for each module, everything settled between two tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.page.site import SOON_MS, STATIC, Site, find_chromium


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """A browser on a machine that is busy with other things may be late once: then one more try, told at the end."""
    for each in items:
        if each.path.is_relative_to(Path(__file__).parent):
            each.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not longer than its module: while it lives, its thread is taken for an event loop, and no other may run there."""
    if not (STATIC / "index.html").exists():
        pytest.fail("the page is not built; run: tools/build-page", pytrace=False)
    expect.set_options(timeout=SOON_MS)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield made
        made.close()


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("page"), browser)
    yield made
    made.close()


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    shared_site.tidy()
    yield shared_site
    shared_site.tidy()
