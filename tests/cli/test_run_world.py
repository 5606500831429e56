"""`handup run --world NAME` with the domain of another package: page, kill, resume, stop, and simulated people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from examples import shelf_domain
from handup.client import Client
from handup.core import HandupError, Role
from handup.desk import Record
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import assert_one_line_error, here
from tests.cli.sitting import LOOK_S, free_port, until
from tests.fakes.panels import panel
from tests.outside import install

PERSON = "ana"
SURE_TO_ASK = ("--set", "cups=3", "--seed", "2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which the package is installed, for this process and those that it starts."""
    source = Path(shelf_domain.__file__).read_text(encoding="utf-8")
    package = install(tmp_path / "package", "shelf_domain", source, "handup.domains", "shelf = shelf_domain:DOMAIN")
    paths = [str(package), str(Path(__file__).parents[2] / "src")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("USER", PERSON)
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("shelf_domain", None)


class Robot:
    """A robot at its page, and the person who answers there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.client = Client(f"http://127.0.0.1:{self.port}", patience_s=0.5)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        page = ("--people", "page", "--no-browser", "--no-wait", "--linger", "0", "--port", str(self.port))
        command = [sys.executable, "-m", "handup", "run", *arguments, *page, "--store", "s.db", "--speed", "4"]
        with (self.folder / "out").open("wb") as out, (self.folder / "err").open("wb") as err:
            return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def pair(self) -> None:
        until(lambda: "#code=" in (self.folder / "err").read_text(encoding="utf-8"))
        with Journal.open(self.folder / "s.db") as journal:
            code, _ = Access(journal).make_code(PERSON, Role.RESIDENT)
        self.client.pair(code, "a test")

    def asked(self) -> Record:
        return until(self.client.waiting)[0]  # type: ignore[no-any-return]

    def answer_all(self, robot: subprocess.Popen[bytes]) -> None:
        while robot.poll() is None:
            with suppress(HandupError):  # the page goes with its robot
                for record in self.client.waiting():
                    self.client.answer(record.id, record.question.options[0])
            time.sleep(LOOK_S)


def test_killed_in_a_question_it_goes_on_with_the_same_one_to_the_end(folder: Path) -> None:
    made = Robot(folder)
    robot = made.start("--world", "shelf", *SURE_TO_ASK)
    try:
        made.pair()
        asked = made.asked()
        state = until(lambda: next((robot.state for robot in made.client.robots() if robot.state), None))
        assert [item["number"] for item in panel(state, "items")["items"]] == [1, 2, 3]
        assert panel(state, "chain")["links"][0]["module"] == "cup"
    finally:
        robot.kill()
        robot.wait()
    robot = made.start("--resume", "--json")
    try:
        assert until(made.asked).id == asked.id
        made.answer_all(robot)
        assert robot.wait(30) == 0
    finally:
        robot.kill()
        robot.wait()
    record = json.loads((folder / "out").read_text(encoding="utf-8"))
    assert (record["run"], record["world"], record["ending"]) == ("run-1", "shelf", "done")
    again = here("run", "--resume", "--store", "s.db", "--json")
    assert (again.code, json.loads(again.out)) == (0, record)
    assert_one_line_error(
        here("run", "--resume", "--store", "s.db", "--set", "cups=4"), "run-1 was begun otherwise; now you give cups 4"
    )


def test_after_a_stop_it_begins_the_cup_again_once_it_may(folder: Path) -> None:
    made = Robot(folder)
    robot = made.start("--world", "shelf", *SURE_TO_ASK, "--json")
    try:
        made.pair()
        first = made.asked()
        made.client.stop("too close")
        until(lambda: next(robot.state for robot in made.client.robots() if robot.state)["phase"] == "stopped")
        made.client.enable()
        assert until(made.asked).run == first.run.replace("cup-1-1", "cup-1-2")
        made.answer_all(robot)
        assert robot.wait(30) == 0
    finally:
        robot.kill()
        robot.wait()


@pytest.mark.usefixtures("folder")
def test_simulated_people_answer_at_once_and_the_same_each_time() -> None:
    runs = [
        here("run", "--world", "shelf", "--people", "simulated", *SURE_TO_ASK, "--store", f"{name}.db", "--json")
        for name in ("a", "b")
    ]
    records = [json.loads(called.out) for called in runs]
    assert records[0]["fetched"] == records[1]["fetched"] == 3
    told = here("run", "--world", "shelf", "--people", "simulated", "--store", "c.db")
    assert told.code == 0
    assert "of 3 cups." in told.out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--people", "nobody"), ("--people is 'nobody'", "page, terminal, simulated")),
        (("--set", "plates=3"), ("'plates' is no option of shelf", "Known: cups, seed")),
        (("--set", "cups"), ("--set is 'cups'", "NAME=VALUE")),
        (("--set", "cups=x", "--people", "simulated"), ("the option cups of shelf is 'x'",)),
        (("recipe.yaml",), ("has a task of its own", "--set NAME=VALUE")),
        (("--drills",), ("has a task of its own",)),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_begins(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    called = here("run", "--world", "shelf", "--store", "s.db", *arguments)
    assert_one_line_error(called, *words)
    assert not Path("s.db").exists()


@pytest.mark.usefixtures("folder")
def test_recipes_do_not_run_in_a_world_with_a_task() -> None:
    assert_one_line_error(here("recipe", "check", "x.yaml", "--world", "shelf"), "no recipes run in 'shelf'")
    assert_one_line_error(
        here("run", "--world", "kitting", "--set", "a=1"), "--set is for a world with a task of its own"
    )
