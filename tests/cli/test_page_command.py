"""`handup page --demo` and `handup serve` as commands: without a page one line says so, and Ctrl-C ends them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from handup.cli import built_page
from handup.server import RunningServer
from tests.cli.calls import SRC, assert_one_line_error, here
from tests.deadlines import soon


@pytest.fixture
def unbuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_page, "PAGE", "no-such-page.html")


@pytest.mark.usefixtures("unbuilt")
def test_a_tour_without_a_page_is_none() -> None:
    assert_one_line_error(here("page", "--demo"), "the page must be built first", "make page")


@pytest.mark.usefixtures("unbuilt")
def test_a_server_without_a_page_serves_the_api_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunningServer, "run", lambda server: None)
    called = here("serve", "--store", str(tmp_path / "a.db"), "--port", "0")
    assert called.code == 0
    [line, _] = called.err.splitlines()
    assert line == "The page is not built, so only the API is served. Run: make page (it needs Node)."


def test_a_server_with_a_page_says_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunningServer, "run", lambda server: None)
    assert "not built" not in here("serve", "--store", str(tmp_path / "a.db"), "--port", "0").err


@pytest.mark.parametrize(
    ("command", "first", "last"),
    [
        (("page", "--demo"), "Ctrl-C ends it", "The tour is over, and nothing of it is kept. Again:"),
        (("serve", "--port", "0", "--no-code"), "Serving at", "Ended. What is open stays open in handup.db; the same"),
    ],
    ids=["page", "serve"],
)
def test_ctrl_c_ends_with_one_line(tmp_path: Path, command: tuple[str, ...], first: str, last: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "handup", *command, "--no-browser"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(first)
        [url] = re.findall(r"http://[\d.:]+", line)
        try:
            soon(lambda: answers(url))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    [line] = said.splitlines()
    assert line.startswith(last)


AWKWARD = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "handup.client":
            sys.meta_path.remove(self)
            exec("import signal; signal.raise_signal(signal.SIGINT)")

sys.meta_path.insert(0, Interrupt())
"""
"""A module that Python imports when it starts. It sends Ctrl-C in the middle of an import, while exec() runs a text."""


def test_ctrl_c_while_a_dataclass_is_made_ends_with_one_line_too(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(AWKWARD, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "handup", "page", "--demo", "--no-browser"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(SRC)))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.startswith("Ctrl-C ends it")
    assert done.returncode == 0
    [line] = done.stderr.splitlines()
    assert line.startswith("The tour is over")


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/api/v1/health", trust_env=False, verify=False).is_success
    except httpx.HTTPError:
        return False
