"""Somebody who answered is erased: their words are gone from every byte, and no run goes on as if they had not been."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handup.core import Person, Question, QuestionKind, ResumeHint
from handup.desk import Desk, SkippingClock
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Ending,
    Executive,
    Outcome,
    PeopleAtDesk,
    Run,
    RunSettings,
    Unseen,
    Watch,
)
from handup.executive.escalation import AGAIN
from handup.executive.events import Begun, Over, TaskAnswered, TaskStopped, Wordy
from handup.executive.measures import measure, triage
from handup.executive.proposals import propose
from handup.executive.rehearsal import rehearse
from handup.journal import Journal
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, op, recipe, recipes, rule, task
from tests.executive.robot import acting, after, by_name
from tests.recover.house import Household, Killed

SECRET = "insulin-1f4a"
WORD = Module("word", 0.5, question=Question("What shall I fetch?", QuestionKind.TEXT))
LAMP = Module("lamp", 0.5, question=Question("Is the lamp broken?", QuestionKind.YES_NO))
ARM = Module("arm", 0.95)
ASKING = RunSettings(unseen=Unseen.ASK, questions=4)


def held(folder: Path) -> int:
    """How often the store's files hold the secret."""
    return sum(path.read_bytes().count(SECRET.encode()) for path in folder.iterdir() if path.is_file())


class House:
    """A robot that fetches what it is told, and says so wherever it can; people who answer by the question."""

    def __init__(self, folder: Path, says: Callable[[Any], Any], people: tuple[str, ...] = ("annegret",)) -> None:
        self.folder = folder
        self.says = says
        self.people = people
        self.fails = 3
        self.holds = ""
        self.on_drive: Callable[[Journal], object] = lambda journal: None
        self.drives: list[int] = []
        self.clock = SkippingClock(100.0)

    def actions(self, journal: Journal) -> Any:
        def fetch(call: Call) -> Outcome:
            word = str(call.goal["word"])
            self.fails -= 1
            if self.fails >= 0 or word == "box":
                return Aborted(code="slip", why=f"The {word} slipped.", fields={"what": word})
            self.holds = word
            return Done(results={"got": word}, beliefs={"fetched": word})

        def drive(call: Call) -> Outcome:
            self.drives.append(call.number)
            self.on_drive(journal)
            return Done()

        graph = ModuleGraph.chain([WORD, ARM])
        return by_name(
            acting(
                "fetch", fetch, takes=("word",), gives=("got",), codes=("slip",), modules=lambda self, failure: graph
            ),
            acting("drive", drive, takes=("for_what?",), codes=("stuck",)),
        )

    def live(self, journal: Journal) -> Any:
        desk = Desk(
            journal,
            [Person(name=each) for each in self.people],
            channels=[Household(lambda record, desk: self.says(record))],
        )
        around = Around(
            actions=self.actions(journal),
            clock=self.clock,
            monitors=[Watch("hand", lambda now_s: self.holds)],
            people=PeopleAtDesk(desk, "r"),
        )
        return Executive(made(journal), around).to_the_end()

    def open(self) -> Journal:
        return Journal.open(self.folder / "j.db", clock=self.clock)


MAIN = recipes(
    recipe(
        "main",
        task("get", ["got"], word="box"),
        op("print", message="var.got"),
        action("drive", for_what="var.got"),
        op("check_value", value="var.got", equals="nothing"),
        var=["got"],
    ),
    recipe("get", action("fetch", ["got"], word="params.word"), params=["word"], var=["got"]),
)
RULES = [
    rule("never_mind", "**/check_value", action("drive", for_what="failure.why"), resume=ResumeHint.NEXT),
]


def made(journal: Journal) -> Run:
    return Run(MAIN, RULES, settings=ASKING, book=journal, run="r")


def tells(record: Any) -> Any:
    return SECRET if record.question.kind is QuestionKind.TEXT else AGAIN


def test_what_a_person_said_is_gone_from_every_byte(tmp_path: Path) -> None:
    house = House(tmp_path, tells)
    with house.open() as journal:
        finished = house.live(journal)
        assert finished.ending is Ending.DONE
        assert finished.outputs == {"got": SECRET}
        before = list(journal.read(run="r"))
        assert rehearse(journal, "r", RULES[0], program=(MAIN, tuple(RULES))).chosen
    assert held(tmp_path) > 0
    with house.open() as journal:
        assert journal.erase("annegret").scrubbed
        assert journal.verify().ok
        after = list(journal.read(run="r"))
        assert [each.kind for each in after] == [each.kind for each in before]
        assert measure(after) == measure(before)  # what was counted stays
        assert [(each.where, each.count) for each in triage(after)] == [
            (each.where, each.count) for each in triage(before)
        ]
        last = rehearse(journal, "r", RULES[0], program=(MAIN, tuple(RULES)))
        assert last.failure.code == "slip"  # the last failure before the words that are gone
    assert held(tmp_path) == 0


def test_before_anybody_has_answered_nothing_is_sealed(tmp_path: Path) -> None:
    house = House(tmp_path, tells)
    with house.open() as journal:
        house.live(journal)
        entries = [each.event for each in journal.read(run="r")]
    first = next(index for index, each in enumerate(entries) if isinstance(each, TaskAnswered))
    assert not any(each.of for each in entries[:first] if isinstance(each, Wordy))
    over = entries[-1]
    assert isinstance(over, Over)
    assert (over.of, over.outputs, over.sealed) == (("annegret",), {}, {"outputs": {"got": SECRET}})


def test_a_run_that_is_over_gives_its_end_without_what_was_erased(tmp_path: Path) -> None:
    house = House(tmp_path, tells)
    with house.open() as journal:
        house.live(journal)
        journal.erase("annegret")
        count = len(list(journal.read(run="r")))
        finished = house.live(journal)
        assert len(list(journal.read(run="r"))) == count
    assert (finished.ending, finished.outputs) == (Ending.DONE, {})
    assert len(house.drives) == 2


def test_a_run_that_lost_an_answer_ends_by_name_and_begins_nothing(tmp_path: Path) -> None:
    house = House(tmp_path, tells)

    def dies(journal: Journal) -> None:
        raise Killed

    house.on_drive = dies
    with house.open() as journal, pytest.raises(Killed):
        house.live(journal)
    house.on_drive = lambda journal: None
    with house.open() as journal:
        assert made(journal).machine.next().goal == {"for_what": SECRET}  # type: ignore[union-attr]
        journal.erase("annegret")
        for _ in range(2):
            finished = house.live(journal)
            assert finished.ending is Ending.ERASED
            assert "Begin a new one" in finished.reason
        ends = [type(each.event) for each in journal.read(run="r")][-2:]
    assert ends == [TaskStopped, Over]
    assert len(house.drives) == 1
    assert held(tmp_path) == 0


def test_a_belief_that_was_erased_is_not_taken_for_none(tmp_path: Path) -> None:
    lit: list[bool] = []
    graph = ModuleGraph.chain([LAMP, ARM])
    actions = by_name(
        acting("see", lambda call: Done() if lit else Aborted(code="dark"), modules=lambda self, failure: graph),
        acting("mend", after(lambda call: lit.append(True))),
        acting("drive", lasts_s=5.0),
    )
    main = recipes(recipe("main", action("see"), action("drive")))
    rules = [rule("mend", "**/see", action("mend"), belief="beliefs.lamp")]
    clock = SkippingClock(0.0)
    with Journal.open(tmp_path / "j.db", clock=clock) as journal:
        desk = Desk(journal, [Person(name="annegret")], channels=[Household(lambda record, desk: True)])

        def executive() -> Executive:
            run = Run(main, rules, settings=ASKING, book=journal, run="r")
            return Executive(run, Around(actions=actions, clock=clock, people=PeopleAtDesk(desk, "r")))

        first = executive()
        turns = first.turns()
        while getattr(first.machine.next(), "action", "") != "drive":
            next(turns)
        turns.close()
        journal.erase("annegret")
        assert executive().to_the_end().ending is Ending.ERASED
        begun = [each.event.action for each in journal.read(run="r") if isinstance(each.event, Begun)]
    assert begun == ["see", "mend", "see", "drive"]  # none after the erasure


def test_who_only_said_how_to_go_on_can_be_erased_and_the_run_goes_on(tmp_path: Path) -> None:
    tries: list[int] = []

    def go(call: Call) -> Outcome:
        tries.append(call.attempt)
        if len(tries) == 2:
            raise Killed
        return Aborted(code="slip") if len(tries) < 3 else Done()

    main = recipes(recipe("main", action("go")))
    clock = SkippingClock(0.0)
    actions = by_name(acting("go", go, codes=("slip",), repeatable=True))
    with Journal.open(tmp_path / "j.db", clock=clock) as journal:
        desk = Desk(journal, [Person(name="annegret")], channels=[Household(lambda record, desk: AGAIN)])
        around = Around(actions=actions, clock=clock, people=PeopleAtDesk(desk, "r"))
        with pytest.raises(Killed):
            Executive(Run(main, settings=ASKING, book=journal, run="r"), around).to_the_end()
        journal.erase("annegret")
        run = Run(main, settings=ASKING, book=journal, run="r")
        assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert tries == [1, 2, 2]


@pytest.mark.parametrize("drive", [1, 2])
def test_erased_while_the_run_goes_on_nothing_more_is_written_or_begun(tmp_path: Path, drive: int) -> None:
    house = House(tmp_path, tells)

    def erases(journal: Journal) -> None:
        if len(house.drives) == drive:
            journal.erase("annegret")

    house.on_drive = erases
    with house.open() as journal:
        finished = house.live(journal)
        entries = [each.event for each in journal.read(run="r")]
        assert not any(path.read_bytes().count(b"annegret") for path in tmp_path.iterdir())  # nor is her name back
        assert house.live(journal).ending is finished.ending
    assert len(house.drives) == drive
    assert finished.ending is (Ending.ERASED if drive == 1 else Ending.DONE)  # after the second it was done
    assert isinstance(entries[-1], Over)
    assert entries[-1].outputs == {}
    assert held(tmp_path) == 0


def test_somebody_else_may_be_erased_while_the_run_goes_on(tmp_path: Path) -> None:
    house = House(tmp_path, tells, people=("annegret", "bob"))
    house.on_drive = lambda journal: journal.erase("bob")
    with house.open() as journal:
        assert house.live(journal).ending is Ending.DONE


def test_somebody_else_may_be_erased_while_the_first_question_is_open(tmp_path: Path) -> None:
    journals: list[Journal] = []

    def says(record: Any) -> Any:
        journals[0].erase("bob")
        return tells(record)

    house = House(tmp_path, says, people=("annegret", "bob"))
    with house.open() as journal:
        journals.append(journal)
        assert house.live(journal).ending is Ending.DONE


def test_an_answer_about_a_module_is_no_rule_after_it_was_erased_either(tmp_path: Path) -> None:
    house = House(tmp_path, tells)
    house.fails = 1
    with house.open() as journal:
        house.live(journal)
        assert propose(journal.read(), after=1) == ()
        journal.erase("annegret")
        assert propose(journal.read(), after=1) == ()
