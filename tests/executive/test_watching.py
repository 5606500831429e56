"""What somebody who looks on is shown."""

from __future__ import annotations

import json
from typing import Any

from handup.core.panels import BeliefsPanel, NumbersPanel, StepPart, StepsPanel, TimelinePanel, plain
from handup.executive.action import Aborted, Done
from handup.executive.beliefs import Assertion, BeliefSource
from handup.executive.events import ActionEnded, Begun, Believed, Raised
from handup.executive.machine import Looked, Machine, RunAction
from handup.executive.run_settings import RunSettings
from handup.executive.run_view import BEFORE, MOST_STEPS, RunView
from handup.executive.sources import Sources
from tests.fakes.panels import of_type

RECIPE = """
format: 1
fetch:
  steps:
  - {action: drive, params: {to: shelf}}
  - choice: {condition: "true", if_true: [{task: pick, params: {part: gear}}]}
  - action: wave
pick:
  params: [part]
  steps:
  - action: look
  - {action: grasp, params: {part: params.part}}
"""
RULES = """
format: 1
recoveries:
- name: open_wide
  about: The fingers were too close.
  when: {path: "**/pick/grasp", code: slip}
  do: [{action: open}]
  resume: continue
  limit: 2
"""


def machine(recipe: str = RECIPE, rules: str = RULES, **settings: Any) -> tuple[Machine, RunView]:
    sources = Sources(recipes={"r.yaml": recipe}, recoveries={"rules.yaml": rules} if rules else {})
    recipes, recoveries = sources.parsed()
    made = Machine(recipes, recoveries, RunSettings(**settings))
    return made, RunView(made)


def do(made: Machine, watching: RunView, name: str, outcome: Done | Aborted | None = None) -> None:
    command = made.next()
    assert isinstance(command, RunAction)
    assert command.action == name
    begun = Begun(number=command.number, action=name, path=command.path, attempt=command.attempt, at_s=1.0)
    ended = ActionEnded.by_outcome(command.number, outcome or Done(), 2.0)
    for event in (begun, ended):
        made.tell(event)
        for each in (event, *made.notes()):
            watching.told(each)


def shown(watching: RunView) -> list[tuple[int, str, str]]:
    return [(step.depth, step.name, step.status) for step in steps_of(watching)]


def steps_of(watching: RunView) -> list[StepPart]:
    return of_type(watching.panels(), StepsPanel).steps


def test_the_tree_shows_what_is_done_where_it_is_and_what_comes() -> None:
    made, watching = machine()
    do(made, watching, "drive")
    assert shown(watching) == [
        (0, "fetch", "now"),
        (1, "drive", "done"),
        (1, "pick", "now"),
        (2, "look", "now"),
        (2, "grasp", "next"),
        (1, "wave", "next"),
    ]
    assert watching.doing == "look"
    assert watching.why == ""


def test_a_recovery_stands_below_what_failed_and_says_why() -> None:
    made, watching = machine()
    do(made, watching, "drive")
    do(made, watching, "look")
    do(made, watching, "grasp", Aborted(code="slip", why="It slipped."))
    assert shown(watching)[2:] == [
        (1, "pick", "now"),
        (2, "look", "done"),
        (2, "grasp", "failed"),
        (3, "open_wide", "now"),
        (4, "open", "now"),
        (1, "wave", "next"),
    ]
    steps = steps_of(watching)
    assert steps[2].details == "part: gear", "values, not the words of the recipe"
    assert (steps[4].aborts, steps[4].tried) == (1, ["open wide ×1"])
    assert watching.why == "recovery “open wide”, because of this: grasp failed (slip). It slipped."
    assert [entry.kind for entry in of_type(watching.panels(), TimelinePanel).entries] == ["failed", "recovering"]
    do(made, watching, "open")
    assert watching.doing == "grasp (part: gear), attempt 2"
    numbers = of_type(watching.panels("2 gears"), NumbersPanel)
    counts = {number.label: number.value for number in numbers.numbers}
    assert counts == {"actions": 4, "failures": 1, "recoveries": 1, "questions": 0}
    assert numbers.summary == "2 gears"


def test_steps_under_way_are_told_with_their_values_and_not_as_the_recipe_writes_them() -> None:
    made, watching = machine(RECIPE.replace("part: gear", "part: {scene: 1, at: the_gears}"), unseen="ask")
    do(made, watching, "drive")
    do(made, watching, "look")
    assert watching.doing == "grasp (part: scene 1, at the gears)"
    for outcome in (None, Aborted(code="slip"), Aborted(code="broken")):
        if outcome is not None:
            do(made, watching, "grasp" if outcome.code == "slip" else "open", outcome)
        [grasp] = [step for step in steps_of(watching) if step.name == "grasp"]
        assert grasp.details == "part: scene 1, at the gears"
    assert not any("params." in str(step) for step in steps_of(watching))


def test_a_recovery_at_the_end_stands_behind_the_last_step() -> None:
    rules = "format: 1\nrecoveries:\n- {name: quiet, when: {path: a/bell}, do: [{action: reset}], resume: continue}\n"
    made, watching = machine("format: 1\na:\n  steps:\n  - action: b\n", rules)
    do(made, watching, "b")
    made.tell(Raised(monitor="bell", code="rings"))
    for each in made.notes():
        watching.told(each)
    assert shown(watching) == [(0, "a", "now"), (1, "b", "done"), (1, "quiet", "now"), (2, "reset", "now")]
    assert watching.why == "recovery “quiet”, because of this: rings at the end. "


def test_a_question_and_the_end_are_shown() -> None:
    made, watching = machine(rules="", unseen="ask")
    do(made, watching, "drive", Aborted(code="lost"))
    assert shown(watching)[1] == (1, "drive", "asking")
    assert watching.doing == "drive failed; waiting for a person"
    ended, seen = machine("format: 1\na:\n  steps:\n  - action: b\n", "")
    do(ended, seen, "b")
    assert seen.doing == "a last look"
    assert shown(seen) == [(0, "a", "now"), (1, "b", "done")]
    ended.tell(Looked())
    assert seen.doing.startswith("done: ")
    assert shown(seen)[0] == (0, "a", "done")


def test_beliefs_show_who_says_so_and_where_they_disagree() -> None:
    made, watching = machine()
    for source, value, at_s in ((BeliefSource.SCRIPT, True, 1.0), (BeliefSource.MONITOR, False, 2.0)):
        made.tell(Believed(assertion=Assertion(key="holding", value=value, source=source, probability=0.9, at_s=at_s)))
    [belief] = of_type(watching.panels(), BeliefsPanel).beliefs
    assert belief.contradicted
    assert [(statement.source, statement.value) for statement in belief.said] == [("monitor", "no"), ("script", "yes")]


def test_a_long_recipe_is_cut_around_the_present_step_and_stays_small() -> None:
    steps = "".join(f"  - action: a{number}\n" for number in range(5000))
    made, watching = machine(f"format: 1\nlong:\n  steps:\n{steps}", "")
    for number in range(40):
        do(made, watching, f"a{number}")
    rows = steps_of(watching)
    assert rows[1].name == f"{40 - BEFORE} more"
    assert rows[-1].name.endswith(" more")
    assert len(rows) < 60
    assert len(json.dumps(plain({"panels": watching.panels()}))) < 20_000


def test_a_deep_tree_shows_the_way_to_the_present_step() -> None:
    tasks = "".join(
        f"t{number}:\n  steps:\n{'  - action: x' + chr(10)}{'  - op: noop' + chr(10)}".replace(
            "  - action: x", f"  - task: t{number + 1}" if number < 50 else "  - action: x"
        )
        + "  - op: noop\n" * 20
        for number in range(51)
    )
    _, watching = machine(f"format: 1\n{tasks}", "")
    rows = steps_of(watching)
    assert len(rows) <= MOST_STEPS
    assert (rows[0].name, rows[-1].name, rows[-1].status) == ("t0", "x", "now")
