"""Browser contexts that tests use one after the other.

A page in a new context starts a renderer, which costs a second of processor time. A new page in a context that still
has a page of the same origin costs a fifth of that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Error, Page

SPOILED = "'__pwClock' in window"
MOST_FREE = 6
"""So many contexts are kept for later. Those that wait longest are closed: their server may have ended."""
FORGET = "localStorage.clear(); sessionStorage.clear()"


@dataclass
class Device:
    """A page of its own, in a context that others use later unless a test says that it is spoiled for them."""

    page: Page
    spoiled: bool = False


class Devices:
    """Contexts that are free, by their settings and origin.

    Args:
        browser: The browser that all of them are in.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._free: list[tuple[str, Page]] = []

    @contextmanager
    def take(self, quiet: str, timeout_ms: float, **how: Any) -> Iterator[Device]:
        """Lend a device that remembers nothing, and check that its page raised no error.

        Args:
            quiet: An address of the origin at which no program runs. A page stays there.
            timeout_ms: How long the device waits for what a test expects.
            how: Settings of the context.
        """
        kind = json.dumps([quiet, timeout_ms, how], sort_keys=True)
        free = next((entry for entry in self._free if entry[0] == kind), None)
        if free is not None:
            self._free.remove(free)
        anchor = self._begin(quiet, timeout_ms, how) if free is None else free[1]
        problems: list[str] = []
        device = Device(anchor.context.new_page())
        device.page.on("pageerror", lambda error: problems.append(str(error)))
        try:
            yield device
            assert problems == []
        finally:
            if self._forgets(device, anchor):
                self._free.append((kind, anchor))
            else:
                anchor.context.close()
            if len(self._free) > MOST_FREE:
                self._free.pop(0)[1].context.close()

    def _begin(self, quiet: str, timeout_ms: float, how: dict[str, Any]) -> Page:
        context = self.browser.new_context(**how)
        context.set_default_timeout(timeout_ms)
        anchor = context.new_page()
        anchor.goto(quiet)
        return anchor

    def _forgets(self, device: Device, anchor: Page) -> bool:
        """Return whether the context is as new: a clock or a script that a test installed stays in it."""
        if device.spoiled:
            return False
        with suppress(Error):
            clock = device.page.evaluate(SPOILED)
            device.page.close()
            anchor.context.clear_cookies()
            anchor.evaluate(FORGET)
            return not clock
        return False
