"""`handup run --world NAME` with the domain of another package: page, kill, resume, stop, and simulated people."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from examples import shelf_domain
from handup.client import Client
from handup.core import HandupError, Role, Value
from handup.desk import Record
from handup.domains.domain import Workplace
from handup.domains.feeding.household import next_meal
from handup.domains.feeding.order import MealTerms, Order
from handup.domains.runs import OrderedRun, TaskOver, latest_run
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import assert_one_line_error, here
from tests.cli.reaching import Stick
from tests.cli.sitting import LOOK_S, free_port, until
from tests.fakes.diner import Diner
from tests.fakes.panels import panel
from tests.outside import install
from tests.soak import swept

PERSON = Workplace.person
ASKS = "method=topo+query-for-all"
SURE_TO_ASK = ("--set", "cups=3", "--seed", "2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which the package is installed, for this process and those that it starts."""
    source = Path(shelf_domain.__file__).read_text(encoding="utf-8")
    package = install(tmp_path / "package", "shelf_domain", source, "handup.domains", "shelf = shelf_domain:DOMAIN")
    paths = [str(package), str(Path(__file__).parents[2] / "src")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("shelf_domain", None)


@pytest.fixture
def made(folder: Path) -> Iterator[Robot]:
    robot = Robot(folder)
    yield robot
    robot.client.close()
    for process in robot.processes:
        process.kill()
        process.wait()


class Robot:
    """A robot at its page, and the person who answers there, with the first option if nothing else is said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.client = Client(f"http://127.0.0.1:{self.port}", patience_s=0.5)
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def last(self) -> OrderedRun:
        """The run that was begun last."""
        with Journal.open(self.folder / "s.db", readonly=True) as journal:
            last = latest_run(journal)
        assert last is not None
        return last

    def device(self) -> Client:
        """Another device of the person."""
        client = Client(f"http://127.0.0.1:{self.port}", patience_s=0.5)
        with Journal.open(self.folder / "s.db") as journal:
            client.pair(Access(journal).make_code(PERSON, Role.RESIDENT)[0], "a stick")
        return client

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        page = ("--people", "page", "--no-browser", "--no-wait", "--linger", "0", "--port", str(self.port))
        command = [sys.executable, "-m", "handup", "run", *arguments, *page, "--store", "s.db", "--speed", "4"]
        with (self.folder / "out").open("wb") as out, (self.folder / "err").open("wb") as err:
            robot = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        self.processes.append(robot)
        return robot

    def pair(self) -> None:
        until(lambda: "#code=" in (self.folder / "err").read_text(encoding="utf-8"))
        with Journal.open(self.folder / "s.db") as journal:
            code, _ = Access(journal).make_code(PERSON, Role.RESIDENT)
        self.client.pair(code, "a test")

    def asked(self) -> Record:
        return until(self.client.waiting)[0]  # type: ignore[no-any-return]

    def answer_all(
        self, robot: subprocess.Popen[bytes], says: Callable[[Record], Value] = lambda asked: asked.question.options[0]
    ) -> None:
        while robot.poll() is None:
            with suppress(HandupError):  # the page goes with its robot
                for record in self.client.waiting():
                    self.client.answer(record.id, says(record))
            time.sleep(LOOK_S)


def test_killed_in_a_question_it_goes_on_with_the_same_one_to_the_end(made: Robot) -> None:
    robot = made.start("--world", "shelf", *SURE_TO_ASK)
    made.pair()
    asked = made.asked()
    state = until(lambda: next((robot.state for robot in made.client.robots() if robot.state), None))
    assert [item["number"] for item in panel(state, "items")["items"]] == [1, 2, 3]
    assert panel(state, "chain")["links"][0]["module"] == "cup"
    robot.kill()
    robot.wait()
    robot = made.start("--resume", "--json")
    assert until(made.asked).id == asked.id
    made.answer_all(robot)
    assert robot.wait(30) == 0
    record = json.loads((made.folder / "out").read_text(encoding="utf-8"))
    assert (record["run"], record["world"], record["ending"]) == ("run-1", "shelf", "done")
    again = here("run", "--resume", "--store", "s.db", "--json")
    assert (again.code, json.loads(again.out)) == (0, record)
    assert_one_line_error(
        here("run", "--resume", "--store", "s.db", "--set", "cups=4"), "run-1 was begun otherwise; now you give cups 4"
    )


def test_after_a_stop_it_begins_the_cup_again_once_it_may(made: Robot) -> None:
    robot = made.start("--world", "shelf", *SURE_TO_ASK, "--json")
    made.pair()
    first = made.asked()
    made.client.stop("too close")
    until(lambda: next(robot.state for robot in made.client.robots() if robot.state)["phase"] == "stopped")
    made.client.enable()
    assert until(made.asked).run == first.run.replace("cup-1-1", "cup-1-2")
    made.answer_all(robot)
    assert robot.wait(30) == 0


@pytest.mark.parametrize("number", swept([signal.SIGKILL, signal.SIGINT], test=(signal.SIGKILL,)))
def test_a_meal_goes_on_with_the_same_question_to_the_end(made: Robot, number: signal.Signals) -> None:
    robot = made.start("--world", "feeding", *(f"--set={option}" for option in ("bites=1", "rest_s=0", ASKS)))
    made.pair()
    asked = made.asked()
    robot.send_signal(number)
    assert robot.wait(30) == (-number if number == signal.SIGKILL else 130)
    assert (made.last.order.name, made.last.over) == ("run-1", None)
    robot = made.start("--resume", "--json")
    assert until(made.asked).id == asked.id
    with Diner(made.folder / "s.db") as diner:
        made.answer_all(robot, diner.answer_to)
    assert robot.wait(30) == 0
    record = json.loads((made.folder / "out").read_text(encoding="utf-8"))
    assert (record["run"], record["ending"], len(record["bites"])) == ("run-1", "done", 1)
    assert isinstance(made.last.over, TaskOver)
    with Journal.open(made.folder / "s.db") as journal:
        assert not next_meal(journal, Order(), MealTerms()).goes_on, "what is over is not taken up by `handup meal`"


@pytest.mark.parametrize("number", swept([signal.SIGKILL, signal.SIGINT], test=(signal.SIGKILL,)))
def test_a_reach_goes_on_with_the_same_question_to_the_end(made: Robot, number: signal.Signals) -> None:
    robot = made.start("--world", "reaching", "--set=scene=U22", "--set=method=entropy", "--set=limit_s=4")
    made.pair()
    with Stick(made) as stick:
        stick.push = (1.0, 0.0, 0.0)
        asked = made.asked()
        robot.send_signal(number)
        robot.wait(30)
    assert made.last.over is None, "who leaves ends nothing"
    robot = made.start("--resume", "--json")
    assert until(made.asked).id == asked.id
    with Stick(made) as stick:
        stick.push = (1.0, 0.0, 0.0)
        made.answer_all(robot, lambda record: False)
    assert robot.wait(30) == 0
    record = json.loads((made.folder / "out").read_text(encoding="utf-8"))
    assert (record["run"], record["ending"], record["endings"]) == ("run-1", "done", ["too late"])
    with Journal.open(made.folder / "s.db") as journal:
        assert [type(entry.event) for entry in journal.read(run="run-1") if entry.kind == "tasks.over"] == [TaskOver]


@pytest.mark.usefixtures("folder")
def test_a_run_that_another_command_began_is_told_and_one_that_is_over_is_not_taken_up() -> None:
    meal = ("meal", "--people", "simulated", "--bites", "1", "--seed", "1", "--store", "s.db", "--json")
    eaten = here(*meal)
    told = json.loads(here("run", "--resume", "--store", "s.db", "--json").out)
    assert (told["run"], told["world"], told["ending"]) == ("meal-1", "feeding", "done")
    assert told["got"] == json.loads(eaten.out)["got"]
    assert "food" not in told["bites"][0], "people may have named it"


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
        (("--people", "nobody"), ("--people must be one of page, terminal, simulated, got 'nobody'",)),
        (("--set", "plates=3"), ("'plates' is no option of shelf", "Known: cups, seed")),
        (("--set", "cups"), ("--set must be NAME=VALUE, got 'cups'",)),
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
