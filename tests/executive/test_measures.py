"""Measures from the journal, and the table of the rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from handup.core import ManualClock, Question, QuestionKind, ResumeHint
from handup.executive import Aborted, Around, Bystander, Call, Done, Executive, Outcome, Run, Said, Settings, Unseen
from handup.executive.escalation import AGAIN
from handup.executive.measures import measure, triage
from handup.executive.rules import rule_table
from handup.journal import Journal
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, branch, recipe, recipes, rule, task
from tests.executive.robot import acting, by_name

GRAPH = ModuleGraph([Module("eye", 0.5, question=Question("Do you see it?", QuestionKind.YES_NO))])


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
    people = Bystander(lambda question: Said(value=AGAIN if question.kind == "choice" else True, latency_s=30.0), clock)
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(
            main,
            [rule("wait", "**/pick", action("wait"), codes=["slip"], limit=2)],
            settings=Settings(unseen=Unseen.ASK),
            book=journal,
        )
        Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()
        measures, rows = measure(journal.read()), triage(journal.read())
    # drive 10, pick 5, wait 2, pick 5, wait 2, pick 5, asked twice 60, pick 5
    assert measures.time_s == 94.0
    assert (measures.help_s, measures.interventions) == (60.0, 2)
    assert (measures.mtbi_s, measures.mtci_s) == (17.0, 30.0)
    assert measures.availability == pytest.approx(17 / 47)
    assert (measures.failures, measures.unresolved, measures.recoveries) == (3, 1, 2)
    assert (measures.starts, measures.endings, measures.recoveries_per(2)) == (7, {"done": 1}, 1.0)
    assert [(row.where, row.is_module, row.code, row.count, row.seconds, row.questions) for row in rows] == [
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
    assert (measures.mtbi_s, measures.mtci_s, measures.availability, measures.time_s) == (math.inf, 0.0, 1.0, 3.0)
    assert measure([]).runs == 0


def test_time_between_two_programs_is_nobodys(tmp_path: Path) -> None:
    def one(at_s: float, dies: bool) -> None:
        clock = ManualClock(at_s)

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


def test_the_table_of_the_rules() -> None:
    table = rule_table(
        [
            rule("wide", "**", action("wait"), codes=["slip", "no_plan"]),
            rule(
                "far", "**/pick/grasp", task("reposition", by="failure.fields.off_m"), least=2, resume=ResumeHint.RETRY
            ),
            rule(
                "look",
                "**/grasp",
                attempt=[action("look")],
                branches=[branch("tried.seen", resume=ResumeHint.NEXT), branch(None)],
            ),
            rule("believes", "**/grasp", task("reset"), belief="beliefs.holding", resume=ResumeHint.PREVIOUS),
        ]
    )
    assert (table.rules, table.shared, table.immediate, table.dynamic) == (4, 0.25, 0.5, 0.25)
    assert (table.location, table.aborts, table.belief, table.signal, table.result) == (0.75, 0.25, 0.25, 0.25, 0.25)
    assert table.hints == {
        ResumeHint.NONE: 0.0,
        ResumeHint.CONTINUE: 0.5,
        ResumeHint.RETRY: 0.25,
        ResumeHint.NEXT: 0.25,
        ResumeHint.PREVIOUS: 0.25,
    }
    assert rule_table([]).shared == 0.0
