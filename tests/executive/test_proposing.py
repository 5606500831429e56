"""What people do the same way again and again is offered as a rule."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from handup.core import ManualClock, Question, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Ending,
    Executive,
    Machine,
    Outcome,
    Run,
    RunAction,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Unseen,
)
from handup.executive.escalation import AGAIN, BACK, DID_IT, STOP
from handup.executive.events import TaskAsked
from handup.executive.proposals import Proposal, as_file, propose
from handup.executive.reader import parse_recoveries
from handup.journal import Journal
from tests.executive.making import action, op, recipe, recipes, rule, task
from tests.executive.robot import acting, by_name

MAIN = recipes(recipe("main", task("pick")), recipe("pick", action("approach"), action("grasp")))


def live(journal: Journal, number: int, says: str, *, rules: tuple[object, ...] = (), slips: int = 1) -> Ending:
    clock = ManualClock()
    left = [slips]

    def grasp(call: Call) -> Outcome:
        left[0] -= 1
        return Aborted(code="slip") if left[0] >= 0 else Done()

    actions = by_name(acting("approach"), acting("grasp", grasp, codes=("slip",)))
    people = SimulatedBystander(lambda question: SimulatedSaying(value=says, by=f"person {number % 2}"), clock)
    settings = RunSettings(unseen=Unseen.ASK, questions=2)
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
        before = sum(isinstance(each.event, TaskAsked) for each in journal.read())
        assert live(journal, 9, STOP, rules=rules) is Ending.DONE
        assert sum(isinstance(each.event, TaskAsked) for each in journal.read()) == before


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
        (proposal,) = propose(journal.read(), known=[rule("grasp_slip_continue", "**/approach")])
    assert (proposal.name, proposal.replaces) == ("grasp_slip_continue_2", False)


SAME = rule("again", "**/pick/grasp", codes=["slip"], limit=2)


def test_a_rule_that_there_is_already_is_not_offered_once_more(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        for number in range(3):
            live(journal, number, AGAIN)
        assert propose(journal.read(), known=[SAME]) == ()
        others = [
            replace(SAME, when=replace(SAME.when, codes=("stuck",))),
            replace(SAME, attempt=(action("approach"),)),
        ]
        assert len(propose(journal.read(), known=others)) == 1


def test_a_rule_that_was_used_up_is_offered_with_a_larger_limit(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        live(journal, 0, AGAIN)  # before there was such a rule
        for number in range(1, 3):
            live(journal, number, AGAIN, rules=(SAME,), slips=3)
        assert propose(journal.read(), after=3, known=[SAME]) == ()
        (proposal,) = propose(journal.read(), after=2, known=[SAME])
        assert (proposal.name, proposal.limit, proposal.times, proposal.replaces) == ("again", 4, 2, True)
        (made,) = parse_recoveries({"new.yaml": as_file([proposal])})
        assert (made.name, made.limit) == ("again", 4)
        assert "once it was used up" in made.about
        asked = sum(isinstance(each.event, TaskAsked) for each in journal.read())
        assert live(journal, 9, STOP, rules=(made,), slips=3) is Ending.DONE
        assert sum(isinstance(each.event, TaskAsked) for each in journal.read()) == asked


def ended(journal: Journal, number: int, codes: list[str], *, after: str = "done") -> None:
    """A run in which people say to try again, and what comes of that: another code, a stop, or the step works."""
    clock, left = ManualClock(), list(codes)
    executive: list[Executive] = []

    def grasp(call: Call) -> Outcome:
        if left:
            return Aborted(code=left.pop(0))
        if after == "killed":
            raise KeyboardInterrupt
        return Done()

    def stop(machine: Machine) -> None:
        command = machine.next()
        if after == "stopped" and isinstance(command, RunAction) and command.attempt == 2:
            executive[0].stop()

    def says(question: Question) -> SimulatedSaying:
        return SimulatedSaying(value=AGAIN if not after.startswith("stop by") or len(left) == len(codes) - 1 else STOP)

    actions = by_name(acting("approach"), acting("grasp", grasp, codes=("slip", "jam")))
    run = Run(MAIN, settings=RunSettings(unseen=Unseen.ASK, questions=2), book=journal, run=f"{after} {number}")
    around = Around(actions=actions, clock=clock, people=SimulatedBystander(says, clock))
    run.follow(lambda event: stop(run.machine))
    executive.append(Executive(run, around))
    with suppress(KeyboardInterrupt):
        executive[0].to_the_end()


@pytest.mark.parametrize(
    ("codes", "after"), [(["slip", "jam"], "stop by answer"), (["slip"], "stopped"), (["slip"], "killed")]
)
def test_what_did_not_get_the_step_to_work_is_no_rule(tmp_path: Path, codes: list[str], after: str) -> None:
    with Journal.open(tmp_path / "j.db") as journal:
        for number in range(3):
            ended(journal, number, codes, after=after)
        assert propose(journal.read(), after=1) == ()
        ended(journal, 0, ["slip"])
        (proposal,) = propose(journal.read(), after=1)
    assert (proposal.code, proposal.times) == ("slip", 1)


def test_a_step_that_worked_counts_though_it_fails_again_in_the_next_round(tmp_path: Path) -> None:
    clock, left = ManualClock(), ["slip", "ok", "slip", "ok", "slip", "slip", "ok"]
    main = recipes(recipe("main", *[task("pick")] * 3), recipe("pick", action("approach"), action("grasp")))

    def grasp(call: Call) -> Outcome:
        code = left.pop(0)
        return Done() if code == "ok" else Aborted(code=code)

    actions = by_name(acting("approach"), acting("grasp", grasp, codes=("slip",)))
    people = SimulatedBystander(lambda question: SimulatedSaying(value=AGAIN), clock)
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(main, settings=RunSettings(unseen=Unseen.ASK), book=journal)
        Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()
        (proposal,) = propose(journal.read(), after=3)
    assert proposal.times == 3, "four times they said it, and once that did not help"


def test_what_is_no_action_counts_where_the_task_was_done(tmp_path: Path) -> None:
    main = recipes(
        recipe("main", action("count", ["n"]), op("check_value", value="var.n", equals=2)),
    )

    def count_with(journal: Journal, says: str) -> None:
        clock, counted = ManualClock(), itertools.count(1)
        count = acting("count", lambda call: Done(results={"n": next(counted)}), gives=("n",))
        people = SimulatedBystander(lambda question: SimulatedSaying(value=says), clock)
        run = Run(main, settings=RunSettings(unseen=Unseen.ASK), book=journal, run=f"{journal.head().seq}")
        Executive(run, Around(actions=by_name(count), clock=clock, people=people)).to_the_end()

    with Journal.open(tmp_path / "j.db") as journal:
        for says in (BACK, STOP, BACK):
            count_with(journal, says)
        (proposal,) = propose(journal.read(), after=2)
    assert (proposal.path, proposal.hint, proposal.times) == ("**/main/check_value", ResumeHint.PREVIOUS, 2)
