"""One recovery, tried alone on a stored failure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import BadSetting, ManualClock, ResumeHint
from handup.executive import Aborted, Around, Call, Done, Executive, Outcome, Run, RunSettings, Sources
from handup.executive.events import Begun, Recovered
from handup.executive.reader import parse_recipes, parse_recoveries
from handup.executive.recovery import Recovery
from handup.executive.rehearsal import rehearse
from handup.journal import Journal
from tests.executive.robot import acting, by_name

RECIPE = """
format: 1
fetch:
  params: [part]
  steps:
  - {action: look, var: [seen]}
  - {task: pick, params: {part: params.part, at: var.seen}}
pick:
  params: [part, at]
  steps:
  - {action: grasp, params: {at: params.at}}
  - {action: lift}
"""
OTHERS = """
format: 1
recoveries:
- {name: again, when: {code: slip, aborts: "1..2"}, resume: continue, limit: 2}
"""
HEADER = "format: 1\nrecoveries:\n"


def rule(text: str) -> Recovery:
    (made,) = parse_recoveries({"rules.yaml": HEADER + text})
    return made


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "runs.db") as opened:
        yield opened


def run(journal: Journal, *, others: str = OTHERS, slips: int = 3) -> list[str]:
    """A night: grasps slip three times, two of which are recovered from. Gives what was done."""
    did: list[str] = []

    def grasp(call: Call) -> Outcome:
        did.append("grasp")
        return Aborted(code="slip", fields={"side": "left"}) if did.count("grasp") <= slips else Done()

    actions = by_name(
        acting("look", lambda call: Done(results={"seen": [3, 4]}), gives=("seen",)),
        acting("grasp", grasp, takes=("at",), codes=("slip",)),
        acting("lift"),
        acting("open_hand", takes=("side?",)),
    )
    sources = Sources(recipes={"r.yaml": RECIPE}, recoveries={"o.yaml": others} if others else {})
    made = Run.of(sources, params={"part": "gear"}, book=journal, run="one", settings=RunSettings(depth=3))
    Executive(made, Around(actions=actions, clock=ManualClock())).to_the_end()
    return did


OPEN = """
- name: open_first
  when: {path: "**/pick/grasp", code: slip}
  do:
  - {action: open_hand, params: {side: failure.fields.side}}
  resume: {hint: retry, level: fetch}
"""


def test_it_does_alone_what_it_would_do_with_everything_as_it_was(journal: Journal) -> None:
    run(journal)
    found = rehearse(journal, "one", rule(OPEN))
    assert found.chosen
    assert [(step.action, dict(step.goal)) for step in found.steps] == [("open_hand", {"side": "left"})]
    assert (found.hint, found.level) == (ResumeHint.RETRY, "fetch")
    assert found.failure.levels[-1].aborts == 3


def test_an_earlier_failure_can_be_named(journal: Journal) -> None:
    run(journal)
    third = OPEN.replace("code: slip", 'code: slip, aborts: "3.."')
    assert rehearse(journal, "one", rule(third), failure=3).chosen
    first = rehearse(journal, "one", rule(third), failure=1)
    assert not first.chosen
    assert first.reason == "It is for aborts 3.., and this is abort 1."
    with pytest.raises(BadSetting, match="no failure 7"):
        rehearse(journal, "one", rule(OPEN), failure=7)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("pick/grasp", "place/grasp"), "It is for **/place/grasp, and fetch/pick/grasp failed."),
        (("code: slip", "code: stuck"), "It is for stuck, and the code is slip."),
        (("code: slip", "contradiction: holding"), "Script and monitor do not disagree on holding."),
        (("code: slip", "belief: beliefs.holding"), "Its condition does not hold for this failure."),
    ],
)
def test_it_says_why_it_is_not_for_that(journal: Journal, change: tuple[str, str], reason: str) -> None:
    run(journal)
    found = rehearse(journal, "one", rule(OPEN.replace(*change)))
    assert (found.chosen, found.reason, found.steps) == (False, reason, ())


def test_the_developer_says_how_its_steps_end(journal: Journal) -> None:
    run(journal)
    branching = """
- name: by_result
  when: {path: "**/pick", code: slip}
  try:
  - {action: lift}
  branches:
  - {if: tried.ok, resume: next}
  - {do: [{action: open_hand}], resume: continue}
"""
    works = rehearse(journal, "one", rule(branching))
    assert ([step.action for step in works.steps], works.hint) == (["lift"], ResumeHint.NEXT)
    fails = rehearse(journal, "one", rule(branching), does={"lift": Aborted(code="heavy")})
    assert ([step.action for step in fails.steps], fails.hint) == (["lift", "open_hand"], ResumeHint.CONTINUE)
    broken = rehearse(journal, "one", rule(OPEN), does={"open_hand": Aborted(code="hung")})
    assert (broken.chosen, broken.hint) == (True, None)
    assert "did not help" in broken.reason


def test_what_it_shows_is_what_a_run_with_the_rule_does(journal: Journal, tmp_path: Path) -> None:
    """The oracle: the same night, run again with the rule in the place of the others."""
    run(journal, others="")
    found = rehearse(journal, "one", rule(OPEN))
    with Journal.open(tmp_path / "again.db") as again:
        run(again, others=HEADER + OPEN, slips=1)
        events = [entry.event for entry in again.read()]
    opened = [each for each in events if isinstance(each, Begun) and each.action == "open_hand"]
    (recovered,) = [each for each in events if isinstance(each, Recovered)]
    assert [each.path for each in opened] == [step.path for step in found.steps]
    assert (recovered.hint, recovered.level) == (found.hint, found.level)


def test_it_needs_a_run_with_a_failure_and_its_files(journal: Journal) -> None:
    with pytest.raises(BadSetting, match="must be in this journal, got 'two'"):
        rehearse(journal, "two", rule(OPEN))
    run(journal, slips=0)
    with pytest.raises(BadSetting, match="no failure"):
        rehearse(journal, "one", rule(OPEN))


def test_a_run_without_files_brings_its_program(journal: Journal) -> None:
    recipes = parse_recipes({"r.yaml": "format: 1\nfail:\n  steps:\n  - {op: abort, params: {code: slip}}\n"})
    made = Run(recipes, book=journal, run="bare")
    Executive(made, Around(actions={}, clock=ManualClock())).to_the_end()
    skip = rule("- {name: skip, when: {code: slip}, resume: next}\n")
    with pytest.raises(BadSetting, match="must hold the files of the run"):
        rehearse(journal, "bare", skip)
    found = rehearse(journal, "bare", skip, program=(recipes, ()))
    assert (found.hint, found.level) == (ResumeHint.NEXT, "fail")
