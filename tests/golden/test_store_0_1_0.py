"""A store that handup 0.1.0 left behind when it was killed is opened, answered on and gone on with."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from handup.client import Client
from handup.core import Reply, ReplyKind, Role
from handup.desk import Desk
from handup.domains.runs import TaskOver, TaskStarted
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import shell
from tests.cli.reaching import Reaching, Stick
from tests.cli.sitting import Sitting, until

FOLDER = Path(__file__).with_name("store-0.1.0")
KNOWN: dict[str, Any] = json.loads((FOLDER / "known.json").read_text(encoding="utf-8"))
REACH: dict[str, Any] = json.loads((FOLDER / "reach.json").read_text(encoding="utf-8"))
ARCHIVES = ("store.tar.xz", "reach.tar.xz")
MOST_BYTES = 300_000


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """What was left, in a folder of its own."""
    for name in ARCHIVES:
        with tarfile.open(FOLDER / name) as archive:
            archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_it_is_small_and_names_no_machine(left: Path) -> None:
    assert sum((FOLDER / name).stat().st_size for name in ARCHIVES) < MOST_BYTES
    for path in left.rglob("*"):
        if path.is_file():
            assert not [word for word in (b"/work/", b"/tmp/", b"/home/", b"/root/") if word in path.read_bytes()], path


@pytest.mark.parametrize(
    ("store", "least"), [("handup-meals/meal.db", 51), ("run/run.db", 51), ("handup-reach/reach.db", 12)]
)
def test_the_journal_is_whole(left: Path, store: str, least: int) -> None:
    with Journal.open(left / store) as journal:
        assert journal.verify().ok
        assert journal.head().seq >= least


def test_the_open_question_is_answered(left: Path) -> None:
    with Journal.open(left / "handup-meals" / "meal.db") as journal, Desk(journal) as desk:
        person = desk.state.people["Ada"]
        assert (person.role, person.limits.per_hour) == ("caregiver", 6)
        [record] = [each for each in desk.pending("Ada") if each.question.prompt == "Which bowl?"]
        desk.reply(Reply(question=record.id, kind=ReplyKind.ANSWER, by="Ada", value="left", token="once"))
        answered = desk.record(record.id)
        assert answered is not None
        assert answered.answer is not None
        assert answered.answer.value == "left"
        assert journal.verify().ok


def test_who_was_let_in_is_still_in(left: Path) -> None:
    with Journal.open(left / "handup-meals" / "meal.db") as journal:
        access = Access(journal)
        found = {name: access.find(token) for name, token in KNOWN["tokens"].items()}
        assert {name: grant and (grant.name, grant.role) for name, grant in found.items()} == {
            "Ada": ("Ada", Role.CAREGIVER),
            "arm": ("arm", "robot"),
        }
        assert access.find(KNOWN["tokens"]["Ada"][:-1]) is None


def test_the_meal_goes_on_to_its_end(left: Path) -> None:
    with Sitting(left, *KNOWN["meal"], "--speed", "100") as sitting:
        assert "Goes on with meal-1" in sitting.said
        with Client(sitting.url, KNOWN["tokens"]["Ada"]) as ada:
            assert ada.me()["name"] == "Ada"
            [record] = [each for each in until(ada.waiting) if each.question.prompt == "Which bowl?"]
            ada.answer(record.id, "right")
        assert sitting.finish() == 0
        served = json.loads(sitting.printed)
        assert (served["got"], served["queries"], served["executions"]) == (2, 8, 2)
        assert [entry.run for entry in sitting.entries() if isinstance(entry.event, TaskOver)] == ["meal-1"]
        with Journal.open(sitting.store, readonly=True) as journal:
            assert journal.verify().ok


def test_the_run_goes_on_to_the_end_that_it_would_have_had(left: Path) -> None:
    done = shell("run", *KNOWN["run"], "--resume", "--store", "run.db", cwd=left / "run")
    assert done.code == 0, done
    found = json.loads(done.out)
    assert {name: found[name] for name in KNOWN["run_ends"]} == KNOWN["run_ends"]


def test_the_attempt_of_reaching_goes_on_with_its_question(left: Path) -> None:
    answered, asked = REACH["asked"]
    with Reaching(left, *REACH["arguments"]) as reaching:
        assert "goes on" in reaching.said
        [record] = reaching.until(reaching.client.waiting)
        reaching.until(lambda: reaching.state().get("phase") == "asking")
        assert (record.id, reaching.scene()["hand"]) == (asked, REACH["hand"])
        before = reaching.client.record(answered)
        assert before is not None and before.answer is not None and before.answer.value is False
        with Stick(reaching) as stick:
            reaching.client.answer(asked, True)
            stick.push = (0.0, 1.0, 0.0)
            reaching.until(
                lambda: (
                    reaching.hand()[1] > REACH["hand"][1] + 0.03
                    or [record for record in reaching.client.waiting() if record.id != asked]
                )
            )
        with Journal.open(reaching.store, readonly=True) as journal:
            assert journal.verify().ok
            assert [entry.run for entry in journal.read() if isinstance(entry.event, TaskStarted)] == [
                asked.split("/")[0]
            ]
