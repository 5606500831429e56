"""A rule may end the run, and say whether that is a failure or the ordinary end of the work."""

from __future__ import annotations

import pytest

from handup.core import BadRecipe, ResumeHint
from handup.executive.events import Ending, Over, Recovered
from handup.executive.machine import Machine
from handup.executive.reader import parse_recoveries
from handup.executive.recovery import Branch, Recovery, RecoveryCondition
from handup.executive.validator import check
from tests.executive.making import Script, action, drive, noted, op, recipe, recipes, rule, task

MAIN = recipes(
    recipe("main", op("assign", ["n"], value=1), task("sub"), op("assign", ["n"], value=2), var=["n"]),
    recipe("sub", action("pick")),
)


def ending(ends: str = "", about: str = "") -> Recovery:
    more = (f", ends: {ends}" if ends else "") + (f", about: {about}" if about else "")
    (found,) = parse_recoveries(
        {"r.yaml": f"format: 1\nrecoveries:\n- {{name: late, when: {{code: time_up}}, resume: none{more}}}\n"}
    )
    return found


def test_a_rule_that_ends_the_run_says_that_it_failed_where_it_says_nothing_else() -> None:
    for given in ("", "failed"):
        finished, _ = drive(Machine(MAIN, [ending(given)]), Script(pick=["time_up"]))
        assert finished.ending is Ending.FAILED
        assert finished.reason == "Recovery 'late' said to stop after main/sub/pick failed (time_up)."
        assert finished.failure is not None


def test_a_rule_may_end_the_run_as_done_with_its_own_words_and_what_there_is_so_far() -> None:
    machine = Machine(MAIN, [ending("done", "The time is up.")])
    finished, _ = drive(machine, Script(pick=["time_up"]))
    assert (finished.ending, finished.reason, finished.failure) == (Ending.DONE, "The time is up.", None)
    assert finished.outputs == {"n": 1}
    notes = machine.notes()
    assert [type(each) for each in notes[-2:]] == [Recovered, Over]
    finished, _ = drive(Machine(MAIN, [ending("done")]), Script(pick=["time_up"]))
    assert finished.reason == "Recovery 'late' ended it at main/sub/pick (time_up)."


def test_it_ends_the_run_from_inside_another_recovery_too() -> None:
    machine = Machine(MAIN, [ending("done"), rule("again", "**/pick", action("look"), codes=["slip"])])
    finished, _ = drive(machine, Script(pick=["slip"], look=["time_up"]))
    assert finished.ending is Ending.DONE
    assert len(noted(machine, Over)) == 1


@pytest.mark.parametrize("wrong", ["stopped", "[done]", "sometimes"])
def test_only_two_words_are_known(wrong: str) -> None:
    with pytest.raises(BadRecipe, match=r"'ends' is .* Write one of failed, done"):
        ending(wrong)


def test_it_may_stand_in_a_branch_and_not_beside_branches() -> None:
    text = "format: 1\nrecoveries:\n- name: late\n  branches: [{resume: none, ends: done}]\n"
    (found,) = parse_recoveries({"r.yaml": text})
    assert found.branches[0].ends is Ending.DONE
    with pytest.raises(BadRecipe, match="'ends' stands beside 'branches'"):
        parse_recoveries({"r.yaml": f"{text}  ends: done\n"})


NOT_ENDING = (Branch(hint=ResumeHint.CONTINUE, ends=Ending.DONE), Branch(level="sub", ends=Ending.DONE))


@pytest.mark.parametrize("branch", NOT_ENDING)
def test_a_rule_that_does_not_end_the_run_cannot_say_as_what(branch: Branch) -> None:
    given = Recovery(name="late", when=RecoveryCondition(codes=("time_up",)), branches=(branch,))
    (problem,) = check(MAIN, [given])
    assert "'late' says what the run has ended as, and does not end it" in str(problem)
    assert check(MAIN, [ending("done")]) == ()
