"""Whatever the recipe, the world and the rules: a run ends by name, limits hold, and replaying makes the same run."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import ResumeHint
from handup.executive.beliefs import CONTRADICTION, Assertion, BeliefSource
from handup.executive.events import (
    ActionEnded,
    Begun,
    Believed,
    Ending,
    Failed,
    Raised,
    Recovering,
    Resumed,
    TaskAnswered,
    TaskUnanswered,
    Void,
)
from handup.executive.failure import Failure, FailureLevel
from handup.executive.machine import (
    AskPerson,
    Finished,
    Input,
    LastLook,
    Looked,
    Machine,
    RunAction,
)
from handup.executive.machine.program import Program, choose, path_matches
from handup.executive.recipe import Recipes
from handup.executive.recovery import Recovery
from handup.executive.run_settings import RunSettings, Unseen
from tests.executive.machine.strategies import ACTIONS, CODES, PATTERNS, TASKS, some_recipes, some_rules
from tests.executive.making import Script, drive, recipe, recipes, state_of
from tests.oracles.interpreter import Interpreter, TooManyRounds, chosen, matches

STARTS = 60
LIMITS = st.builds(
    RunSettings,
    unseen=st.sampled_from(Unseen),
    depth=st.integers(0, 3),
    starts=st.just(STARTS),
    steps=st.just(3000),
    failures=st.just(200),
)


def follow(machine: Machine, draw: Any, told: list[Input]) -> Finished:
    """Run with a world of chance; every event is kept."""

    def tell(event: Input) -> None:
        told.append(event)
        machine.tell(event)

    chance = Random(draw(st.integers(0, 2**32)))
    for turn in range(10**6):
        command = machine.next()
        roll = chance.random()
        if isinstance(command, Finished):
            return command
        if roll < 0.05:
            source = chance.choice([BeliefSource.SCRIPT, BeliefSource.MONITOR])
            dark = Assertion(key="dark", value=chance.random() < 0.5, source=source, at_s=float(turn))
            tell(Believed(assertion=dark))
        elif isinstance(command, AskPerson):
            if roll < 0.1:
                tell(TaskUnanswered(number=command.number))
            else:
                hint = chance.choice(list(ResumeHint)[1:])
                level = chance.choice([None, *(each.task for each in command.failure.levels)])
                tell(
                    TaskAnswered(number=command.number, hint=hint, level=level, sets={"x": 1}, beliefs={"dark": False})
                )
        elif isinstance(command, LastLook):
            if roll < 0.08:
                tell(Resumed(number=machine.number + 3))
            monitor, code = chance.choice(["watch", CONTRADICTION]), chance.choice(CODES)
            heard = roll < 0.6 and machine.hears(monitor, code)
            tell(Raised(monitor=monitor, code=code, fields={"key": "dark"}) if heard else Looked())
        elif machine.phase == "ready":
            if roll < 0.08:
                tell(Resumed(number=machine.number + 3))
            command = machine.next()
            assert isinstance(command, RunAction)
            tell(Begun(number=command.number, action=command.action, at_s=float(turn)))
        elif roll < 0.1:
            tell(Void(number=command.number))
        elif roll < 0.15:
            monitor = chance.choice(["watch", CONTRADICTION])
            tell(Raised(monitor=monitor, code=chance.choice(CODES), fields={"key": "dark"}))
        elif roll < 0.55:
            tell(ActionEnded(number=command.number, ok=False, code=chance.choice(CODES), at_s=float(turn)))
        else:
            tell(ActionEnded(number=command.number, ok=True, results={"n": chance.randint(0, 3)}, at_s=float(turn)))
    raise AssertionError("no end")


@settings(max_examples=150, deadline=None)
@given(some_recipes(), some_rules(), LIMITS, st.data())
def test_every_run_ends_by_name_within_its_bounds(
    made: Recipes, rules: list[Recovery], limits: RunSettings, data: st.DataObject
) -> None:
    machine = Machine(made, rules, limits, {"x": 5})
    told: list[Input] = []
    finished = follow(machine, data.draw, told)
    assert finished.ending in tuple(Ending)
    assert finished.reason
    assert (finished.reason == "The task is done.") == (Looked() in told)
    assert sum(isinstance(each, Begun) for each in told) <= STARTS
    numbers = [each.number for each in told if isinstance(each, Begun)]
    assert numbers == sorted(set(numbers))
    notes = machine.notes()
    limit = {each.name: each.limit for each in rules}
    assert all(each.use <= limit[each.recovery] for each in notes if isinstance(each, Recovering))
    assert all(each.depth < limits.depth for each in notes if isinstance(each, Recovering))
    failures = [each.failure for each in notes if isinstance(each, Failed)]
    assert all(each.levels and each.path.startswith("main") for each in failures)
    per_failure = Counter((each.number, each.recovery, each.path) for each in notes if isinstance(each, Recovering))
    assert all(count <= limit[name] for (_, name, _), count in per_failure.items())

    again = Machine(made, rules, limits, {"x": 5})
    states = [state_of(again)]
    for event in told:
        again.tell(event)
        states.append(state_of(again))
    assert state_of(again) == state_of(machine)
    assert again.notes() == notes
    cut = data.draw(st.integers(0, len(told)))
    killed = Machine(made, rules, limits, {"x": 5})
    for event in told[:cut]:
        killed.tell(event)
    assert state_of(killed) == states[cut]
    for event in told[cut:]:
        killed.tell(event)
    assert killed.next() == finished


@settings(max_examples=150, deadline=None)
@given(some_recipes(calm=True))
def test_without_failures_a_recipe_does_what_recursion_does(made: Recipes) -> None:
    results = {name: {"n": len(name)} for name in ACTIONS}
    plain = Interpreter(made, results)
    var = None
    with suppress(TooManyRounds):
        var = plain.task("main", {"x": 5})
    does = Script(**{name: [found] for name, found in results.items()})
    machine = Machine(made, params={"x": 5})
    finished, _ = drive(machine, does)
    assert [(each.action, dict(each.goal)) for each in does.commands] == plain.ran
    if var is None:
        assert finished.failure is not None
        assert (finished.failure.leaf, finished.failure.code) == ("loop", "too_many_rounds")
    else:
        assert finished.ending is Ending.DONE
        assert state_of(machine)["frames"][0]["var"] == var


names = st.sampled_from([*TASKS, *ACTIONS])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(names, st.sampled_from(["*", "**"])), min_size=1, max_size=5),
    st.lists(names, min_size=1, max_size=5),
)
def test_a_path_fits_a_pattern_as_by_trying_everything(pattern: list[str], path: list[str]) -> None:
    assert path_matches("/".join(pattern), "/".join(path)) == matches("/".join(pattern), "/".join(path))


@settings(max_examples=150, deadline=None)
@given(
    some_rules(),
    st.lists(st.sampled_from(TASKS), min_size=1, max_size=3),
    st.sampled_from(ACTIONS),
    st.sampled_from(CODES),
    st.integers(1, 4),
    st.dictionaries(st.sampled_from([f"r{index}" for index in range(5)]), st.integers(0, 4)),
    st.sets(st.sampled_from([f"r{index}" for index in range(5)]), max_size=2),
    st.booleans(),
)
def test_the_rule_is_the_one_that_brute_force_finds(
    rules: list[Recovery],
    tasks: list[str],
    leaf: str,
    code: str,
    aborts: int,
    uses: dict[str, int],
    busy: set[str],
    all_true: bool,
) -> None:
    levels = tuple(FailureLevel(task=each, step=(0,), name=leaf, aborts=aborts) for each in tasks)
    failure = Failure(levels=levels, leaf=leaf, kind="action", code=code)
    ready = Program.of(recipes(recipe("main")), rules).rules
    conditions = [each for rule in rules for each in (rule.when.belief, rule.helps) if each is not None]
    true = [each for index, each in enumerate(conditions) if all_true or index % 2]
    found = choose(ready, failure, uses=uses, busy=busy, holds=lambda each: each in true)
    assert (found and found.recovery.name) == chosen(ready, failure, uses, busy, true)


def test_the_patterns_of_these_tests_are_worth_something() -> None:
    assert [path_matches(each, "main/fill/pick/grasp") for each in PATTERNS[:5]] == [True, True, True, True, False]
