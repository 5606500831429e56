"""How soon a question is on the screen after a robot asks, in a real browser on this machine.

    python -m benchmarks.page

A robot in another process asks over REST; the clock stops when the page has painted the question. Beside it the same
browser sends the same words over a bare websocket and has them back, painted too: what loopback, socket, browser cost
without handup. To pass: half of the questions within 200 ms. Needs Chromium (or HANDUP_CHROMIUM) and the built page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.table import Table
from websockets.sync.server import ServerConnection, serve

from benchmarks import percentiles_ms
from benchmarks.desk_load import people_of, process, tokens
from benchmarks.server import free_port
from handup import Client
from handup.core import Question, QuestionKind

PASS_MS = 200.0
WATCH = """() => {
    window.seen = new Promise((seen) => {
        const observer = new MutationObserver(() => {
            if (!document.querySelector('[data-question]')) return;
            observer.disconnect();
            requestAnimationFrame(() => setTimeout(() => seen(performance.timeOrigin + performance.now())));
        });
        observer.observe(document.body, { childList: true, subtree: true });
    });
}"""
ECHO = """([port, words]) => new Promise((done, fail) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    let began;
    socket.onopen = () => { began = performance.now(); socket.send(words); };
    socket.onerror = fail;
    socket.onmessage = ({ data }) => {
        document.body.textContent = data;
        requestAnimationFrame(() => setTimeout(() => { socket.close(); done(performance.now() - began); }));
    };
})"""


def question(number: int) -> Question:
    """One of many."""
    return Question(f"Is bite {number} small enough?", QuestionKind.YES_NO, doing="holding a bite before you")


def to_screen_ms(browser: Browser, folder: Path, times: int) -> list[float]:
    """From asking to painted, once for each question."""
    people = people_of(1)
    robots, residents = tokens(folder / "page.db", 1, people)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    serving = ("benchmarks.desk_load", "--serve", str(folder / "page.db"), str(port), "--people", "1")
    found: list[float] = []
    with process(*serving, health=f"{url}/api/v1/health"), Client(url, robots["robot-0"]) as robot:
        context = browser.new_context()
        context.add_cookies([{"name": f"handup-{port}", "value": residents[people[0].name], "url": url}])
        page = context.new_page()
        page.goto(url)
        page.get_by_test_id("waiting").wait_for()
        for number in range(times):
            page.evaluate(WATCH)
            began_ms = 1000 * time.time()
            asked = robot.ask(question(number), run=f"bench-{number}", step="screen")
            found.append(float(page.evaluate("window.seen")) - began_ms)
            robot.withdraw(asked.id, "seen")
            page.get_by_test_id("waiting").wait_for()
        context.close()
    return found


@contextmanager
def echoing() -> Iterator[int]:
    """A server that sends back what it hears, by its port."""

    def echo(connection: ServerConnection) -> None:
        for each in connection:
            connection.send(each)

    with serve(echo, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield int(server.socket.getsockname()[1])
        server.shutdown()


def echo_ms(browser: Browser, times: int) -> list[float]:
    """There and back over a bare websocket, and painted."""
    with echoing() as port, browser.new_page() as page:
        words = [json.dumps(question(number).to_json()) for number in range(times)]
        return [float(page.evaluate(ECHO, [port, each])) for each in words]


def numbers_of(found: list[float]) -> dict[str, float]:
    """p50, p95 and the longest, in milliseconds."""
    p50_ms, p95_ms, longest_ms = percentiles_ms([span / 1000 for span in found], 50, 95, 100)
    return {"p50_ms": p50_ms, "p95_ms": p95_ms, "longest_ms": longest_ms, "times": len(found)}


def find_chromium() -> str | None:
    """HANDUP_CHROMIUM, else one on the path: best one without windows, which takes a third less of the processor."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return os.environ.get("HANDUP_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--times", type=int, default=20, help="how many questions (20)")
    options = parser.parse_args(arguments)
    chromium = find_chromium()
    if chromium is None:
        Console(stderr=True).print("No Chromium here; how soon a question is on the screen is not measured.")
        return
    with tempfile.TemporaryDirectory(prefix=".bench-page-", dir=".") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        asked = numbers_of(to_screen_ms(browser, Path(folder).resolve(), options.times))
        bare = numbers_of(echo_ms(browser, options.times))
        browser.close()
    if options.json:
        sys.stdout.write(json.dumps({"question_to_screen": asked, "bare_echo": bare}, indent=2) + "\n")
        return
    table = Table(title="Question on the screen after a robot asks", title_justify="left", box=None)
    table.add_column("", no_wrap=True)
    for name in ("p50 ms", "p95 ms", "longest ms"):
        table.add_column(name, justify="right")
    for name, found in ((f"handup (to pass: p50 ≤ {PASS_MS:g})", asked), ("bare websocket echo", bare)):
        table.add_row(name, *(f"{found[each]:.1f}" for each in ("p50_ms", "p95_ms", "longest_ms")))
    Console(width=100, highlight=False).print(table)


if __name__ == "__main__":
    main()
