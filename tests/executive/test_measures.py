"""Measures from the journal, and the table of the rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from handup.core import ManualClock, Question, QuestionKind
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Executive,
    Outcome,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Unseen,
)
from handup.executive.escalation import AGAIN
from handup.executive.events import ActionEnded, Begun, Ending, Over, Resumed, Started
from handup.executive.measures import Account, Measures, Traced, measure, measured, triage
from handup.executive.recovery import Branch, Recovery
from handup.journal import Journal
from handup.policy import Module, ModuleGraph
from handup.recover.unknown_outcome import NOT_STARTED
from tests.executive.making import action, recipe, recipes, rule, task
from tests.executive.robot import acting, by_name


def sees(name: str, confidence: float, *inputs: str) -> Module:
    asked = Question(f"Is my {name} right?", QuestionKind.YES_NO, guess=True)
    return Module(name, confidence, inputs=inputs, question=asked)


GRAPH = ModuleGraph([sees("eye", 0.5)])
READS_EYE = rule("never", "**/pick", codes=["no_plan"], belief="beliefs.eye == 'never'")
"""A rule that reads what people say, so that they are asked."""


def fails(codes: list[str]) -> Callable[[Call], Outcome]:
    def does(call: Call) -> Outcome:
        return Aborted(code=codes.pop(0)) if codes else Done()

    return does


def test_a_run_is_measured_from_its_entries(tmp_path: Path) -> None:
    clock = ManualClock(1000.0)
    actions = by_name(
        acting("drive", lasts_s=10.0),
        acting(
            "pick",
            fails(["slip", "slip", "no_plan"]),
            lasts_s=5.0,
            codes=("slip", "no_plan"),
            modules=lambda self, failure: GRAPH,
        ),
        acting("wait", lasts_s=2.0),
    )
    main = recipes(recipe("main", action("drive"), task("get")), recipe("get", action("pick")))
    people = SimulatedBystander(
        lambda question: SimulatedSaying(value=AGAIN if question.kind == "choice" else False, latency_s=30.0), clock
    )
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(
            main,
            [rule("wait", "**/pick", action("wait"), codes=["slip"], limit=2), READS_EYE],
            settings=RunSettings(unseen=Unseen.ASK),
            book=journal,
        )
        Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()
        measures, rows = measure(journal.read()), triage(journal.read())
    # drive 10, pick 5, wait 2, pick 5, wait 2, pick 5, asked twice 60, pick 5
    assert measures.time_s == 94.0
    assert (measures.help_s, measures.interventions, measures.questions) == (60.0, 1, 2)
    assert (measures.mtbi_s, measures.mtci_s) == (34.0, 60.0)
    assert measures.availability == pytest.approx(34 / 94)
    assert (measures.failures, measures.unresolved, measures.recoveries) == (3, 1, 2)
    assert (measures.starts, measures.endings) == (7, {"done": 1})
    assert [(row.where, row.is_module, row.code, row.count, row.cost_s, row.questions) for row in rows] == [
        ("eye", True, "no_plan", 1, 60.0, 2),
        ("get/pick", False, "slip", 2, 4.0, 0),
    ]


def test_a_run_without_interventions_is_always_available(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        Executive(
            Run(recipes(recipe("main", action("go"))), book=journal),
            Around(actions=by_name(acting("go", lasts_s=3.0)), clock=ManualClock()),
        ).to_the_end()
        measures = measure(journal.read())
    assert (measures.mtbi_s, measures.mtci_s, measures.availability, measures.time_s) == (math.inf, None, 1.0, 3.0)
    found = measures.to_json()
    assert (found["mtbi_s"], found["mtci_s"], found["recoveries_per_unit"]) == (None, None, None), "no number, no 0"
    assert measure([]).runs == 0


class Wall:
    """A clock like that of the wall: it goes on while no program runs."""

    def __init__(self, at_s: float) -> None:
        self._at_s = at_s

    def now_s(self) -> float:
        return self._at_s

    def sleep(self, seconds: float) -> None:
        self._at_s += seconds


def test_time_between_two_programs_is_nobodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one(at_s: float, dies: bool) -> None:
        clock = Wall(at_s)
        monkeypatch.setattr("handup.executive.human_help.time.sleep", clock.sleep)

        def does(call: Call) -> Outcome:
            if dies:
                raise KeyboardInterrupt
            return Done()

        main = recipes(recipe("main", action("a"), action("b")))
        actions = by_name(acting("a", lasts_s=3.0), acting("b", does, lasts_s=4.0, repeatable=True))
        Executive(Run(main, book=journal), Around(actions=actions, clock=clock)).to_the_end()

    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(KeyboardInterrupt):
            one(0.0, dies=True)
        one(5000.0, dies=False)
        assert measure(journal.read()).time_s == 7.0


def measured_once(
    tmp_path: Path,
    does: Callable[[Call], Outcome],
    rules: Sequence[Recovery] = (),
    *,
    settings: RunSettings | None = None,
    says: Callable[[Question], SimulatedSaying | None] | None = None,
    **more: Any,
) -> tuple[Measures, tuple[Traced, ...]]:
    """A run that drives for 10 s and picks for 5 s, from its entries."""
    clock = ManualClock()
    actions = by_name(
        acting("drive", lasts_s=10.0), acting("pick", does, lasts_s=5.0, codes=("slip", "no_plan", "late"), **more)
    )
    people = None if says is None else SimulatedBystander(says, clock)
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(recipes(recipe("main", action("drive"), action("pick"))), rules, settings=settings, book=journal)
        Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()
        return measure(journal.read()), triage(journal.read())


def test_a_run_that_broke_off_needs_somebody_for_the_rest_of_its_time(tmp_path: Path) -> None:
    found, _ = measured_once(tmp_path, fails(["slip"]), settings=RunSettings(lasts_s=100.0))
    assert (found.interventions, found.questions, found.lost_s) == (1, 0, 85.0)
    assert (found.mtbi_s, found.mtci_s, found.availability) == (15.0, 85.0, 0.15)
    assert (found.failures, found.unresolved) == (1, 1)


def test_where_nobody_said_how_long_it_was_to_last_its_availability_is_not_known(tmp_path: Path) -> None:
    found, _ = measured_once(tmp_path, fails(["slip"]))
    assert (found.interventions, found.mtbi_s, found.mtci_s, found.availability) == (1, 15.0, None, None)
    assert found.to_json()["availability"] is None


def test_units_of_work_are_those_done_in_time(tmp_path: Path) -> None:
    (tmp_path / "late").mkdir()
    rules = [rule("again", "**/pick", limit=3)]
    in_time, _ = measured_once(tmp_path, fails(["slip"]), rules, settings=RunSettings(lasts_s=20.0, unit="pick"))
    assert (in_time.units, in_time.recoveries_per_unit) == (1, 1.0)
    late, _ = measured_once(tmp_path / "late", fails(["slip"]), rules, settings=RunSettings(lasts_s=19.0, unit="pick"))
    assert (late.units, late.to_json()["recoveries_per_unit"]) == (0, None)


def test_what_ends_a_run_as_done_is_no_failure_and_cuts_off_without_blame(tmp_path: Path) -> None:
    """The second one comes up while a recovery is at work on the first, which is then neither solved nor unsolved."""
    rules = [
        rule("again", "**/pick", action("pick"), codes=["slip"]),
        rule("late", codes=["late"], branches=[Branch(ends=Ending.DONE)]),
    ]
    found, traced = measured_once(tmp_path, fails(["slip", "late"]), rules, settings=RunSettings(lasts_s=20.0))
    assert (found.endings, found.interventions, found.availability) == ({"done": 1}, 0, 1.0)
    assert (found.failures, found.inner_failures, found.recoveries, found.unresolved) == (1, 0, 1, 0)
    assert [(row.code, row.count) for row in traced] == [("slip", 1)]


def test_a_failure_that_people_were_asked_about_is_none_that_the_rules_alone_got_over(tmp_path: Path) -> None:
    rules = [rule("told", "**/pick", belief="beliefs.eye == False", codes=["no_plan"])]
    found, _ = measured_once(
        tmp_path,
        fails(["no_plan"]),
        rules,
        settings=RunSettings(unseen=Unseen.ASK),
        says=lambda question: SimulatedSaying(value=False, latency_s=30.0),
        modules=lambda self, failure: GRAPH,
    )
    assert (found.endings, found.recoveries) == ({"done": 1}, 1)
    assert (found.interventions, found.questions, found.unresolved) == (1, 1, 1)


def test_a_module_that_a_person_found_right_is_never_blamed(tmp_path: Path) -> None:
    graph = ModuleGraph([sees("eye", 0.2), sees("arm", 0.6, "eye"), sees("map", 0.9, "arm")])
    reads = "beliefs.eye == 'x' or beliefs.arm == 'x' or beliefs.map == 'x'"

    def says(question: Question) -> SimulatedSaying:
        answers: dict[str, Any] = {"Is my eye right?": True, "Is my arm right?": False}
        return SimulatedSaying(value=answers.get(question.prompt, AGAIN), latency_s=1.0)

    _, (row,) = measured_once(
        tmp_path,
        fails(["no_plan"]),
        [rule("never", "**/pick", codes=["no_plan"], belief=reads)],
        settings=RunSettings(unseen=Unseen.ASK),
        says=says,
        modules=lambda self, failure: graph,
    )
    assert (row.where, row.is_module, row.questions) == ("arm", True, 3)


def test_where_people_found_every_module_right_the_step_is_to_blame(tmp_path: Path) -> None:
    _, (row,) = measured_once(
        tmp_path,
        fails(["no_plan"]),
        [READS_EYE],
        settings=RunSettings(unseen=Unseen.ASK),
        says=lambda question: SimulatedSaying(value=AGAIN if question.kind == "choice" else True, latency_s=1.0),
        modules=lambda self, failure: GRAPH,
    )
    assert (row.where, row.is_module, row.questions) == ("main/pick", False, 2)


def test_a_lost_start_counts_once_and_what_became_of_it_is_an_intervention_of_its_own(tmp_path: Path) -> None:
    """Its number is that of the start, which a failure may have, too."""
    dying = [True]

    def one(at_s: float) -> None:
        clock = ManualClock(at_s)

        def place(call: Call) -> Outcome:
            if dying and call.number > 1:
                dying.clear()
                raise KeyboardInterrupt
            return Done() if call.number > 1 else Aborted(code="slip")

        actions = by_name(acting("place", place, lasts_s=4.0, codes=("slip",)))
        people = SimulatedBystander(lambda question: SimulatedSaying(value=NOT_STARTED, latency_s=30.0), clock)
        run = Run(recipes(recipe("main", action("place"))), [rule("again", "**/place", limit=3)], book=journal)
        Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()

    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(KeyboardInterrupt):
            one(0.0)
        one(4.0)
        found, (row,) = measure(journal.read()), triage(journal.read())
    assert (found.starts, found.interventions, found.questions) == (2, 1, 1)
    assert (found.time_s, found.help_s) == (38.0, 30.0), "of the start that was lost only its begin is known"
    assert (row.code, row.questions, found.unresolved) == ("slip", 0, 0), "nobody was asked about the failure"


@pytest.mark.parametrize(("away_s", "time_s", "units"), [(0.0, 110.0, 0), (20.0, 90.0, 1)])
def test_time_without_a_program_is_left_out_only_where_the_clock_went_on(
    away_s: float, time_s: float, units: int
) -> None:
    account = Account()
    settings = RunSettings(lasts_s=100.0, unit="deliver").to_json()
    for event in (
        Started(sources={}, main="main", params={}, settings=settings),
        Begun(number=1, action="drive"),
        Resumed(number=9, at_s=20.0, away_s=away_s),
        ActionEnded(number=1, ok=True, at_s=20.0),
        Begun(number=10, action="deliver", at_s=90.0),
        ActionEnded(number=10, ok=True, at_s=110.0),
        Over(ending=Ending.DONE, reason="", at_s=110.0),
    ):
        account.take(event)
    found = measured([account])
    assert (found.time_s, found.units) == (time_s, units)
