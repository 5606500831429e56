"""The recipe tree and the rules: sound, of the real size, and of all kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from handup.core import BadSetting, ResumeHint
from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.kitting_run import run_in
from handup.domains.kitting.variants import RULES, VARIANTS, read, recipes, variant
from handup.executive.events import Ending
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, Step
from handup.executive.validator import abilities_of, check

FILES = (*RULES, "common", "last_resort", "restart", "told")


def actions_in(steps: Iterable[Step]) -> set[str]:
    found: set[str] = set()
    for step in steps:
        match step:
            case ActionStep():
                found.add(step.name)
            case ChoiceStep():
                found |= actions_in(step.if_true) | actions_in(step.if_false)
            case LoopStep():
                found |= actions_in(step.body)
            case _:
                pass
    return found


def test_nothing_is_wrong_with_recipes_and_rules() -> None:
    world = KittingWorld()
    abilities = abilities_of(world.actions(), {each.name: each for each in world.monitors()})
    problems = check(recipes(), read(FILES), abilities=abilities)
    assert [str(each) for each in problems] == []


def test_without_faults_look_is_reached_25_times_and_perceive_6_times_per_kit() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    result = run_in(world, variant("full"))
    assert (result.ending, result.kits) == (Ending.DONE, 4)
    assert result.starts["look"] == 25 * result.kits
    perceive = recipes().tasks["perceive"]
    assert actions_in(perceive.steps) == {"look", "wait", "segment", "recognise", "calculate_grasps"}
    assert result.starts["segment"] == 6 * result.kits
    assert result.failures == {}


def test_parts_are_fetched_while_the_machine_runs() -> None:
    """The gear comes out when the machine is done, in the middle of the kit, and nobody waits for it."""
    world = KittingWorld(1, rates=rates().without_faults())
    result = run_in(world, variant("full"))
    _, contents = world.state.delivered[0]
    assert contents == ("small_gear", "gearbox_bottom", "machined_gear", "bolt", "bolt", "gearbox_top")
    assert result.starts["wait_machine"] == 4
    assert result.ended_s / result.kits < 700.0


def test_no_kit_is_begun_that_cannot_end_in_time() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    world.clock.advance(2200.0)
    result = run_in(world, variant("full"))
    assert (result.ending, result.kits, world.state.kits) == (Ending.DONE, 0, 0)


def test_there_are_at_least_18_rules_of_all_kinds() -> None:
    rules = read(RULES)
    assert len(rules) >= 18
    hints = Counter(branch.hint for rule in read(FILES) for branch in rule.branches)
    assert set(hints) == set(ResumeHint)
    assert any(rule.when.least > 1 or rule.when.most for rule in rules), "counts"
    assert any(rule.when.belief or rule.when.contradiction for rule in rules), "beliefs"
    assert any(rule.when.path != "**" for rule in rules), "hierarchy"
    assert any(branch.level for rule in rules for branch in rule.branches), "levels"
    assert any(rule.attempt for rule in rules), "immediate results"
    dynamic = {
        name
        for rule in rules
        for branch in rule.branches
        for step in branch.steps
        if isinstance(step, ActionStep)
        for expression in step.params.values()
        for name in expression.names
    }
    assert any(name[0] == "failure" for name in dynamic), "parameters from the failure"
    assert all(rule.limit >= 1 and rule.about for rule in rules)


def test_every_remedy_is_in_some_rule() -> None:
    """What removes a cause is done by a rule, or by the recipe when a rule sends it back."""
    in_rules = {action for rule in read(RULES) for branch in rule.branches for action in actions_in(branch.steps)}
    in_recipe = {action for task in recipes().tasks.values() for action in actions_in(task.steps)}
    for name, rate in rates().causes.items():
        assert any(action in in_rules or action in in_recipe for action in rate.removed_by), name


def test_an_ablation_takes_away_what_it_says() -> None:
    whole = read((*RULES, "last_resort"))
    flat = variant("no hierarchy").recoveries()
    assert {each.when.path for each in flat} == {"**"}
    assert all(branch.level is None for each in flat for branch in each.branches)
    assert "begin_another_kit" not in {each.name for each in flat}, "it would know nothing at all"
    uncounted = variant("no counts").recoveries()
    assert all(each.when.least == 1 and each.when.most is None for each in uncounted)
    unbelieving = variant("no beliefs").recoveries()
    assert all(each.when.belief is None and each.when.contradiction is None for each in unbelieving)
    assert len(unbelieving) < len(whole)
    assert {each.name for each in variant("full").recoveries()} >= {each.name for each in whole}


def test_every_variant_is_named_once_and_unknown_ones_are_refused() -> None:
    assert all(name == each.name for name, each in VARIANTS.items())
    with pytest.raises(BadSetting, match="there is no way of running 'hope'"):
        variant("hope")
