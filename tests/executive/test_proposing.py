"""What people do the same way again and again is offered as a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.core import ManualClock, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Bystander,
    Call,
    Done,
    Ending,
    Executive,
    Outcome,
    Run,
    Said,
    Settings,
    Unseen,
)
from handup.executive.escalation import AGAIN, BACK, DID_IT, STOP
from handup.executive.events import Asked
from handup.executive.proposing import Proposal, as_file, propose
from handup.executive.reading import parse_recoveries
from handup.journal import Journal
from tests.executive.making import action, recipe, recipes, task
from tests.executive.robot import acting, by_name

MAIN = recipes(recipe("main", task("pick")), recipe("pick", action("approach"), action("grasp")))


def live(journal: Journal, number: int, says: str, *, rules: tuple[object, ...] = (), slips: int = 1) -> Ending:
    clock = ManualClock()
    left = [slips]

    def grasp(call: Call) -> Outcome:
        left[0] -= 1
        return Aborted(code="slip") if left[0] >= 0 else Done()

    actions = by_name(acting("approach"), acting("grasp", grasp, codes=("slip",)))
    people = Bystander(lambda question: Said(value=says, by=f"person {number % 2}"), clock)
    settings = Settings(unseen=Unseen.ASK, questions=2)
    run = Run(MAIN, rules, settings=settings, book=journal, run=f"run {number}")  # type: ignore[arg-type]
    return Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end().ending


def test_three_equal_fixes_make_a_rule_that_can_be_read_and_works(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        for number in range(2):
            live(journal, number, BACK)
        assert propose(journal.read()) == ()
        live(journal, 3, BACK)
        (proposal,) = propose(journal.read())
        assert (proposal.path, proposal.code, proposal.hint) == ("**/pick/grasp", "slip", ResumeHint.PREVIOUS)
        assert (proposal.times, proposal.people) == (3, 2)
        rules = parse_recoveries({"new.yaml": as_file([proposal])})
        assert rules[0].branches[0].hint is ResumeHint.PREVIOUS
        before = sum(isinstance(each.event, Asked) for each in journal.read())
        assert live(journal, 9, STOP, rules=rules) is Ending.DONE
        assert sum(isinstance(each.event, Asked) for each in journal.read()) == before


def test_fixes_that_did_not_help_or_need_hands_are_no_rules(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        for number in range(4):
            live(journal, number, AGAIN, slips=9)
            live(journal, 10 + number, DID_IT)
        assert propose(journal.read()) == ()


@pytest.mark.parametrize("level", [None, "pick"])
@pytest.mark.parametrize("hint", list(ResumeHint))
def test_a_proposal_goes_to_yaml_and_back_whatever_its_words(hint: ResumeHint, level: str | None) -> None:
    made = Proposal(
        name="grasp_slip", path="**/pick/grasp", code="no: plan #1", hint=hint, level=level, times=3, people=1
    )
    (rule,) = parse_recoveries({"new.yaml": as_file([made])})
    assert (rule.name, rule.when.path, rule.when.codes) == ("grasp_slip", "**/pick/grasp", ("no: plan #1",))
    assert (rule.branches[0].hint, rule.branches[0].level) == (hint, level)


def test_names_that_are_taken_are_not_used(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        for number in range(3):
            live(journal, number, AGAIN)
        (proposal,) = propose(journal.read(), known=["grasp_slip_continue"])
    assert proposal.name == "grasp_slip_continue_2"
