"""The browser is killed with a half-made answer, with and without the server; a while without a network.

What is promised: the question is always there again, for it is in the journal. A half-made answer is on the server half
a second after the last change, so it outlives the browser and is on every device of the person. A restart of the server
empties its memory; an open page tells it again at once.

What is not: where browser *and* server are killed together, the half-made answer is what the browser had written to
disk. Chromium writes some seconds later, so the last of them may be missing; and another device has it only once the
first is connected again. A device that was paired less than half a minute before its browser is killed may have to be
paired again, for the same reason. Answers that were sent and confirmed are in the journal and are never lost.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Error, expect

from handup.desk import Record, Status
from tests.deadlines import RESTART_S, WITHOUT_NETWORK_S
from tests.page.site import SOON_MS, Look, Site, find_chromium

WORDS = "soup of"
TOLD = """async ([id, limitMs]) => {
    for (const end = performance.now() + limitMs; performance.now() < end; ) {
        const key = Object.keys(localStorage).find((each) => /^handup.draft./.test(each) && each.endsWith(`.${id}`));
        const here = key && JSON.parse(localStorage.getItem(key));
        const there = await fetch(`/api/v1/drafts/${id}`).then((answer) => answer.json()).catch(() => null);
        if (here && there?.at_s === here.at_s) return;
        await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error('the server was not told');
}"""


class Tablet:
    """A browser of its own with a profile that stays; paired, and closed properly once so that the profile knows it."""

    def __init__(self, site: Site, profile: Path) -> None:
        self.site = site
        self.profile = profile
        with self.open() as look:
            later = time.time() + 30 * 24 * 3600
            paired = {"name": f"handup-{site.port}", "value": site.token(), "url": site.url, "expires": later}
            look.context.add_cookies([paired])  # type: ignore[list-item]
            look.page.goto(site.url)
            look.sees("waiting")

    def launch(self) -> BrowserContext:
        context = self.site.devices.browser.browser_type.launch_persistent_context(
            str(self.profile),
            executable_path=find_chromium(),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            viewport={"width": 1024, "height": 768},
            reduced_motion="reduce",
        )
        context.set_default_timeout(SOON_MS)
        return context

    @contextmanager
    def open(self) -> Iterator[Look]:
        """With the page on the screen. It may be killed inside."""
        context = self.launch()
        try:
            page = context.pages[0]
            page.goto(self.site.url)
            yield Look(page)
        finally:
            with suppress(Error):
                context.close()

    def kill(self) -> None:
        """Every process of it, at once."""
        own = f"--user-data-dir={self.profile}".encode()
        parents = {pid: parent for pid, parent, _ in _processes()}
        first = {pid for pid, _, command in _processes() if own in command}
        assert first, "the browser is not there"
        doomed = set(first)
        while more := {pid for pid, parent in parents.items() if parent in doomed} - doomed:
            doomed |= more
        for pid in doomed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(pid in doomed for pid, _, _ in _processes()):
            time.sleep(0.02)
        for lock in self.profile.glob("Singleton*"):
            lock.unlink()

    def written(self, words: str) -> bool:
        """Whether the browser's own storage holds these words on disk."""
        files = (self.profile / "Default" / "Local Storage" / "leveldb").glob("*.log")
        return any(words.encode() in each.read_bytes() for each in files)


def _processes() -> Iterator[tuple[int, int, bytes]]:
    """Number, parent and command line of everything that runs; not what has ended and was not fetched."""
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            with suppress(OSError):
                state, parent = (each / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    yield int(each.name), int(parent), (each / "cmdline").read_bytes()


def _begin_box(look: Look) -> None:
    look.press("guess-other")
    look.of("picture").click(position={"x": 80, "y": 80})


def _begin_words(look: Look) -> None:
    look.of("text").fill(WORDS)


def _has_corner(look: Look) -> None:
    look.says("mark-1", "not set yet")
    expect(look.of("mark-0")).not_to_contain_text("not set yet")


def _has_words(look: Look) -> None:
    expect(look.of("text")).to_have_value(WORDS)


HALVES: dict[str, tuple[Callable[[Look], None], Callable[[Look], None]]] = {
    "box": (_begin_box, _has_corner),
    "text": (_begin_words, _has_words),
}


@pytest.fixture
def tablet(site: Site, tmp_path: Path) -> Tablet:
    return Tablet(site, tmp_path / "profile")


def begun(site: Site, look: Look, kind: str) -> Record:
    """Ask a question, and begin an answer that the server knows of."""
    asked = site.ask(kind)
    look.question(asked)
    HALVES[kind][0](look)
    HALVES[kind][1](look)
    told(look, asked)
    return asked


def told(look: Look, asked: Record) -> None:
    """Wait until the server has the half-made answer as the device has it.

    The server is asked, and not the requests of the page: an open page tells a new server at once, perhaps before the
    test that started the server can wait for a request.
    """
    look.page.evaluate(TOLD, [asked.id, SOON_MS])


@pytest.mark.parametrize("kind", ["box", pytest.param("text", marks=pytest.mark.soak)])
def test_a_killed_browser_and_another_device_have_the_half_made_answer(site: Site, tablet: Tablet, kind: str) -> None:
    with tablet.open() as look:
        asked = begun(site, look, kind)
        tablet.kill()
    with tablet.open() as look, site.open() as other:
        for each in (look, other):
            each.question(asked)
            HALVES[kind][1](each)
    record = site.desk.record(asked.id)
    assert record is not None
    assert record.status is Status.OPEN


def test_killed_with_the_server_the_browser_has_what_it_had_written(site: Site, tablet: Tablet) -> None:
    with tablet.open() as look:
        asked = begun(site, look, "text")
        limit = time.monotonic() + 60
        while not tablet.written(WORDS):
            assert time.monotonic() < limit, "the browser never wrote it"
            look.page.wait_for_timeout(200)
        tablet.kill()
    site.end()
    site.begin()
    with site.open() as other:
        other.question(asked)
        expect(other.of("text")).to_have_value("")  # the server has forgotten it
    with tablet.open() as look:
        look.question(asked)
        _has_words(look)
        told(look, asked)
        with site.open() as other:
            other.question(asked)
            _has_words(other)
        look.of("text").fill("soup of the")
        tablet.kill()  # before it has written this
    site.end()
    site.begin()
    with tablet.open() as look:
        look.question(asked)
        look.of("text").fill("bread")
        look.press("send")
        answered = site.told(asked.id)
    assert answered.answer is not None
    assert answered.answer.value == "bread"


def test_a_server_that_was_restarted_is_told_by_an_open_page(site: Site) -> None:
    with site.open() as look:
        asked = begun(site, look, "text")
        site.end()
        look.sees("stale")
        site.begin()
        told(look, asked)
        look.sees_not("stale")
        with site.open() as other:
            other.question(asked)
            _has_words(other)


@pytest.mark.soak
def test_without_a_network_an_answer_is_kept_and_sent_later(site: Site) -> None:
    with site.open(url=site.wired) as look:
        first = site.ask("choice")
        look.question(first)
        site.wire.cut()
        look.sees("stale")
        look.press("option-1", "send")
        look.says("sent", "kept on this device")
        second = site.ask("text")
        look.page.wait_for_timeout(1000 * WITHOUT_NETWORK_S)
        assert site.desk.record(first.id) == first
        site.wire.mend()
        began = time.monotonic()
        answered = site.told(first.id)
        assert time.monotonic() - began <= RESTART_S
        assert answered.answer is not None
        assert answered.answer.value == "cherry tomato"
        look.question(second)
        look.sees_not("stale")
