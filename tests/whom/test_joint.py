"""The joint decision: values against enumeration, hard limits in any moment, its words, and its time."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest

from handup.core import Action, Costs, Decision, Option, OutOfRange, UnknownName
from handup.lab.bench.decisions import asks_everybody, best_question
from handup.policy import Belief
from handup.recover.events import Decided, event_from_json, event_to_json
from handup.recover.routing import with_person
from handup.when import Joint, check_strategy, strategy
from handup.when.joint import mean_least
from tests.make import chain_of
from tests.oracles.joint import forbidden, over_share, plain_values
from tests.soak import swept
from tests.whom.crowd import crowd
from tests.whom.moments import Scene, scene_of

MOST_MS = 5.0
"""Promised time of one decision with five people, four supports and six questions, in milliseconds of the processor.

That of making its options is part of it.
"""


def decided(scene: Scene, method: Joint | None = None) -> tuple[Decision, Costs]:
    moment = scene.moment
    costs = scene.options.costs_at(moment)
    return (method or Joint()).decide(moment.belief, costs, moment.now_s), costs


@pytest.mark.parametrize("seed", swept(range(20), test=(0, 1)))
def test_values_are_those_of_plain_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    kinds = set()
    for _ in range(150):
        scene = scene_of(random)
        decision, costs = decided(scene)
        belief = scene.moment.belief
        blocked = dict(zip(belief.graph.names, belief.blocked_until_s.tolist(), strict=True))
        wanted = plain_values(scene.modules, scene.events, costs, scene.moment.now_s, blocked)
        found: dict[object, float] = {}
        for entry in decision.alternatives:
            key = (entry.action, entry.module, entry.person, entry.support, entry.recovery)
            found[key] = min(found.get(key, math.inf), entry.value)
        assert found == pytest.approx(wanted, abs=1e-9)
        if decision.until_s is None or costs.step_s is not None:
            chosen = (decision.action, decision.person, decision.support, decision.recovery)
            least = min(wanted.values())
            best = {(key[0], *key[2:]) for key, value in wanted.items() if value <= least + 1e-9}
            assert chosen in best
        kinds.add(decision.action)
    assert kinds >= {Action.ACT, Action.ASK, Action.YIELD, Action.RECOVER, Action.WAIT}


def broken_limits(scene: Scene, decision: Decision) -> list[str]:
    """The hard limits that a decision to ask breaks, worked out plainly."""
    moment, options = scene.moment, scene.options
    question = next(module.question for module in scene.modules if module.name == decision.module)
    assert question is not None
    offered = [option for option in options.all(moment) if option.module == decision.module]
    load = {option.person: option.cost for option in offered}
    kept = [
        helper.name
        for helper in options.people
        if forbidden(options, helper, question, load[helper.name], moment.now_s)
    ]
    useful = {option.person for option in offered if option.answers * option.right > 0.0}
    able = [helper.name for helper in options.people if helper.name in useful and helper.name not in kept]
    position = moment.belief.graph.index(decision.module or "")
    broken = {
        "a person's own limit": decision.person in kept,
        "fairness": over_share(options, decision.person or "", able),
        "the module is held back": moment.belief.blocked_until_s[position] > moment.now_s,
        "nobody in particular": decision.person is None,
    }
    return [name for name, holds in broken.items() if holds]


@pytest.mark.parametrize("part", swept(range(5), test=(0,)))
def test_no_option_outside_a_hard_limit_is_ever_chosen(part: int) -> None:
    """10,000 random moments in all five parts."""
    random = np.random.default_rng((22, part))
    plain = strategy("topo+query-for-all")
    asked = 0
    for _ in range(2_000):
        scene = scene_of(random, people=3, modules=2, waits=False)
        belief, now_s = scene.moment.belief, scene.moment.now_s
        costs = scene.options.costs_at(scene.moment)
        routed = plain.decide(belief.held_back(costs.free_from_s), costs.envelope(now_s), now_s)
        for decision in (Joint().decide(belief, costs, now_s), with_person(routed, costs, now_s)):
            if decision.action is Action.ASK:
                asked += 1
                assert broken_limits(scene, decision) == []
    assert asked > 600


def test_the_mean_of_the_least_is_that_of_all_combinations() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        people = []
        for _ in range(int(random.integers(0, 4))):
            weights = random.dirichlet(np.ones(3))
            people.append([(float(chance), float(random.uniform(0.0, 3.0))) for chance in weights])
        constant = float(random.uniform(0.0, 3.0))
        total = 0.0
        for index in np.ndindex(*(3,) * len(people)):
            pairs = [people[person][place] for person, place in enumerate(index)]
            total += math.prod(chance for chance, _ in pairs) * min([constant, *(value for _, value in pairs)])
        assert mean_least(constant, people) == pytest.approx(total, abs=1e-12)


def test_it_keeps_the_contract_of_strategies() -> None:
    check_strategy(Joint())


def test_it_is_found_by_name_and_takes_its_floor() -> None:
    assert strategy("joint", floor=0.25) == Joint(floor=0.25)
    assert Joint().with_parameter("floor", 0.5).parameters(Costs.of([0.3])) == {"floor": 0.5}
    with pytest.raises(UnknownName, match="has no setting 'tau'"):
        Joint().with_parameter("tau", 0.5)
    with pytest.raises(OutOfRange, match="floor must lie between 0 and 1, got 2"):
        Joint(floor=2.0)


def test_a_floor_keeps_it_from_giving_up_where_help_is_slow() -> None:
    graph = chain_of((0.2,))
    slow = Option(action=Action.ASK, module="m0", person="Otto", answers=0.9, right=0.8, seconds=900.0, cost=0.3)
    costs = Costs.of(graph.query_costs).offering([slow], graph.names, step_s=300.0, stake=1.0)
    belief = Belief.of(graph).after_execution(False)
    assert Joint().decide(belief, costs, 0.0).action is Action.YIELD
    kept = Joint(floor=0.7).decide(belief, costs, 0.0)
    assert (kept.action, kept.person) == (Action.ASK, "Otto")
    assert Joint(floor=0.95).decide(belief, costs, 0.0).action is Action.ASK, "the best that can be reached counts"


def test_the_other_person_is_the_next_best_and_not_the_same_one_again() -> None:
    graph = chain_of((0.0,), 0.2)
    ada, again, ben = (
        Option(action=Action.ASK, module="m0", person=person, support=support, right=right, cost=0.2)
        for person, support, right in (("Ada", "none", 0.8), ("Ada", "own-90", 0.79), ("Ben", "none", 0.5))
    )
    costs = Costs.of(graph.query_costs, time_left=20.0).offering([ada, again, ben], graph.names)
    decision = Joint().decide(Belief.of(graph), costs, 0.0)
    ben_alone = 0.5 * 0.2 + 0.5 + 0.5 * 10.0
    assert (decision.person, decision.support) == ("Ada", "none")
    assert decision.alternatives[0].value == pytest.approx(0.6 + 0.2 * ben_alone)


def test_the_reason_is_one_sentence_that_names_nobody() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        decision, _ = decided(scene_of(random))
        assert decision.reason.endswith(".")
        assert ". " not in decision.reason.replace("Giving up: ", "")
        assert "p0" not in decision.reason


def test_where_time_is_counted_in_steps_it_waits_only_for_a_question_that_is_held_back() -> None:
    graph = chain_of((0.0,), 0.2)
    later = Option(action=Action.ASK, module="m0", person="Ada", right=0.9, cost=0.2, from_s=120.0, why="quiet hours")
    costs = Costs.of(graph.query_costs).offering([later], graph.names)
    decision = Joint().decide(Belief.of(graph), costs, 0.0)
    assert (decision.action, decision.until_s) == (Action.WAIT, 120.0)
    assert "quiet hours" in decision.reason
    never = replace(later, from_s=math.inf)
    decision = Joint().decide(Belief.of(graph), costs.offering([never], graph.names), 0.0)
    assert decision.action is Action.YIELD
    assert "may not be asked any more" in decision.reason


def test_a_wait_among_the_alternatives_says_until_when_also_after_it_is_written_down() -> None:
    decision, _ = decided(crowd(people=1, supports=1, questions=1))
    (wait,) = (entry for entry in decision.alternatives if entry.action is Action.WAIT)
    assert wait.until_s == crowd(1, 1, 1).moment.now_s + 60.0
    assert Decision.from_json(decision.to_json()) == decision
    event = Decided(now_s=0.0, decision=decision)
    assert event_from_json(event_to_json(event)) == event


def test_waiting_is_worth_less_with_a_detector_that_errs() -> None:
    def wait_value(seen: object) -> float:
        scene = crowd(people=1, supports=1, questions=1, chance=0.0, seen=seen)
        decision = Joint().decide(scene.moment.belief, scene.options.costs_at(scene.moment), scene.moment.now_s)
        return min(entry.value for entry in decision.alternatives if entry.action is Action.WAIT)

    blind = ((0.0, 0.25, 0.25, 0.25, 0.25),) * 5
    assert wait_value(None) < wait_value(blind) - 1e-6


def test_a_large_policy_has_questions_about_its_most_suspect_modules_only() -> None:
    graph = chain_of((*(0.9,) * 40, *(0.5,) * 50, *(0.9,) * 10))
    decision = Joint().decide(Belief.of(graph).after_execution(False), Costs.of(graph.query_costs), 0.0)
    asks = [entry.module for entry in decision.alternatives if entry.action is Action.ASK]
    assert sorted(map(str, asks)) == sorted(graph.names[40:90])


def test_the_benchmark_finds_the_question_that_joint_does() -> None:
    belief, costs = asks_everybody(people=3, supports=2, modules=3)
    decision = Joint().decide(belief, costs, 0.0)
    value, option = best_question(belief, costs)
    asks = [entry for entry in decision.alternatives if entry.action is Action.ASK]
    assert asks[0].value == pytest.approx(value)
    assert (asks[0].module, asks[0].person, asks[0].support) == (option.module, option.person, option.support)


def test_a_decision_takes_at_most_five_milliseconds() -> None:
    scene = crowd(people=5, supports=4, questions=6)
    failed = replace(scene.moment, belief=scene.moment.belief.after_execution(False))
    for moment in (scene.moment, failed):
        best = math.inf
        for _ in range(15):
            afresh = replace(moment, belief=replace(moment.belief))  # without what an earlier decision worked out
            began = time.process_time()
            costs = scene.options.costs_at(afresh)
            Joint().decide(afresh.belief, costs, moment.now_s)
            best = min(best, (time.process_time() - began) * 1000.0)
            assert sum(option.action is Action.ASK for option in costs.options) >= 100
        assert best <= MOST_MS
