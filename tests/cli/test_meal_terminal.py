"""`handup meal --people terminal`: questions that can be read and answered, pictures to point on, a clear end."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from handup.core import Box, Question, QuestionKind
from handup.domains.feeding.film import gridded
from handup.domains.feeding.questions import about, why
from handup.domains.feeding.task import PICTURES
from handup.journal import Journal
from handup.models import marked, pictures
from tests.cli.calls import SRC, assert_one_line_error, here

ASKS = ("meal", "--people", "terminal", "--bites", "1", "--seed", "1", "--method", "topo+query-for-all")


def typed(lines: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command with these lines on standard input."""
    return subprocess.run(
        [sys.executable, "-m", "handup", *arguments],
        input=lines,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "100"},
        capture_output=True,
        timeout=120,
        check=False,
        text=True,
        encoding="utf-8",
    )


def test_a_meal_answered_line_by_line(tmp_path: Path) -> None:
    done = typed("\n" * 12, *ASKS, "--json", cwd=tmp_path)
    assert done.returncode == 0
    record = json.loads(done.stdout)
    assert (record["people"], record["accuracy"]) == ("person", None)
    assert record["evidence"] == {"plate": "simulated", "answers": "person"}
    assert "Without --store nothing of this meal is kept." in done.stderr
    assert "Bite 1, attempt 1: I tried to" in done.stderr
    assert "On the fork: " in done.stderr
    places = {line.removeprefix("Picture: ") for line in done.stderr.splitlines() if line.startswith("Picture: ")}
    assert places
    for place in places:
        with Image.open(tmp_path / place) as picture:
            assert picture.size == (640, 480)


def test_the_end_of_the_input_ends_the_meal_in_one_line(tmp_path: Path) -> None:
    left = typed("", *ASKS, cwd=tmp_path)
    assert (left.returncode, left.stdout) == (2, "")
    last = left.stderr.splitlines()[-1]
    assert last.startswith("handup: the robot asks, and nothing more can be typed here.")
    assert "Nothing of it is kept: that needs --store" in last
    assert "nothing is lost" not in left.stderr
    assert "/tmp" not in left.stderr
    kept = typed("\n", *ASKS, "--store", "m.db", cwd=tmp_path)
    assert "The same command goes on with it" in kept.stderr.splitlines()[-1]
    assert typed("\n" * 12, *ASKS, "--store", "m.db", cwd=tmp_path).returncode == 0
    with Journal.open(tmp_path / "m.db", readonly=True) as journal:
        assert journal.verify().ok


def test_no_bar_writes_over_the_line_on_which_a_person_types(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "handup", *ASKS]
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TERM": "xterm"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as meal:
        os.close(theirs)
        shown, limit = b"", time.monotonic() + 60
        while b"Your answer, you:" not in shown and time.monotonic() < limit:
            shown += os.read(ours, 4096)
        os.set_blocking(ours, False)
        time.sleep(0.6)
        with suppress(BlockingIOError):
            shown += os.read(ours, 4096)
        meal.kill()
    os.close(ours)
    assert shown.rstrip().endswith(b"Your answer, you:"), shown[-300:]
    assert b"eating" not in shown


def test_without_pillow_the_meal_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert_one_line_error(here(*ASKS), "showing the plate to you needs the extra 'models'")


def test_a_picture_that_cannot_be_written_is_no_reason_not_to_ask(tmp_path: Path) -> None:
    (tmp_path / PICTURES).write_text("no folder")
    done = typed("\n" * 12, *ASKS, cwd=tmp_path)
    assert done.returncode == 0
    assert "could not be written" in done.stderr


def test_the_guess_and_a_grid_in_per_cent_are_on_the_picture() -> None:
    black = np.zeros((480, 640, 3), np.uint8)
    lines = gridded(black)
    assert lines[240, 5:630].any(axis=1).all(), "a line at 50 % down"
    assert lines[5:470, 320].any(axis=1).all(), "a line at 50 % across"
    box = marked(black, [Box(left=0.25, top=0.25, right=0.5, bottom=0.5), None, "chicken"])
    assert tuple(box[120, 200]) == pictures.MARK
    assert not box[180, 240].any(), "only its edge"


def test_why_it_asks_goes_with_how_sure_it_is() -> None:
    for sure in (None, 0.3, 0.79):
        assert why("food", 0, sure) == "I am not sure what is on the plate."
    for sure in (0.8, 0.99):
        assert why("food", 0, sure) == "I would like to be sure what is on the plate."
        guessed = Question("Which?", QuestionKind.CHOICE, ("a", "b"), guess="a", sure=sure)
        assert guessed.sureness in {"fairly sure", "almost sure"}
    assert why("box", 2, 0.9).startswith("I tried 2 times, and it did not work. I would like")


def test_several_are_and_one_is() -> None:
    foods = ("chicken", "cherry tomatoes")
    assert about("box", {"food": "cherry tomatoes"}, foods).prompt.startswith("Where are the cherry tomatoes?")
    assert about("box", {"food": "chicken"}, foods).prompt.startswith("Where is the chicken?")
