"""Special cases of the joint decision: with only a part of it, it is what that part does alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handup.core import Action, Costs, Decision, FixedCosts, Person, Question, QuestionKind, Role, Stake
from handup.executive.failure import Failure, FailureLevel
from handup.executive.machine.program import RecoveryRule, choose
from handup.executive.recovery import Recovery, RecoveryCondition
from handup.intent import QuestionProblem, solve
from handup.lab.cell import Cell, WorldKind
from handup.lab.studies.synthetic import studies
from handup.lab.studies.synthetic.study import CellStudy
from handup.lab.world import blocks
from handup.people import LevelEstimate, Suggestions, Support, Workload, WorkloadModel, answer_model
from handup.policy import Belief, Module, ModuleGraph, load_policy
from handup.recover import Session
from handup.recover.events import Decided
from handup.when import DecisionMoment, Joint
from handup.whom import LimitSettings, Options, PersonNow, RecoveryRecord
from tests.lab.cells import live_through, terms_of
from tests.make import chain_of
from tests.soak import swept

ALONE = Options(people=(PersonNow(person=Person(name="Maya")),))
"""One person, one support, no level."""
STUDIES = (
    studies.MODULES,
    studies.STRUCTURE,
    studies.CONFIDENCES,
    studies.QUERY_COSTS,
    studies.EXPERT,
    studies.HETEROGENEITY,
    studies.SUMMARY,
)


def moment_of(graph: ModuleGraph, *, now_s: float = 0.0, failed: bool = False, **more: float) -> DecisionMoment:
    belief = Belief.of(graph).after_execution(False) if failed else Belief.of(graph)
    costs = Costs.of(graph.query_costs, **more)  # type: ignore[arg-type]
    return DecisionMoment(belief=belief, costs=costs, model=FixedCosts(tuple(graph.query_costs.tolist())), now_s=now_s)


def joint(options: Options, moment: DecisionMoment) -> Decision:
    return Joint().decide(moment.belief, options.costs_at(moment), moment.now_s)


# -- one person, one support, no levels --------------------------------------------------------------------------------


def cells_of(study: CellStudy) -> list[Cell]:
    """The study's cells in handup's own world, with few modules and one episode."""
    base = replace(studies.SUMMARY.base, world=WorldKind.DEFAULT, episodes=1, seed=22)
    made = [cell for grid in study.grids for cell in grid.cells(base, quick=True)]
    return [cell for cell in made if cell.modules <= 18]


def decisions_of(session: Session) -> list[object]:
    """Everything that was decided, to the last bit, without the one person who is there."""
    nobody = {"person": None, "support": None}
    decided = [event for event in session.history if isinstance(event, Decided)]
    return [(replace(event.decision, **nobody), event.outcome, event.load) for event in decided]  # type: ignore[arg-type]


@pytest.mark.parametrize("share", swept((8, 1), test=(8,)))
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_with_one_person_every_decision_of_the_studies_stays_as_it_is(study: CellStudy, share: int) -> None:
    found = cells_of(study)
    assert found
    for cell in found[::share]:
        for block in blocks(cell):
            for episode in range(len(block)):
                chosen, terms = cell.strategy, terms_of(cell)
                alone = live_through(block, episode, chosen, terms)
                with_maya = live_through(block, episode, chosen, terms, options=ALONE)
                assert decisions_of(with_maya) == decisions_of(alone), cell
                assert with_maya.tally == alone.tally


@pytest.mark.parametrize("method", ["troubleshoot", "graph+workload-aware", "hybrid+until-confident"])
@pytest.mark.parametrize("policy", ["bite", "visuo_haptic"])
def test_with_one_person_whose_load_counts_every_decision_stays_as_it_is(policy: str, method: str) -> None:
    graph = load_policy(f"examples/policies/{policy}.yaml")
    lives = []
    for options in (None, ALONE):
        costs = Workload(costs=tuple(graph.query_costs.tolist()), model=WorkloadModel(g=0.6), person="Maya")
        session, now_s = Session(graph, method, costs=costs, options=options), 0.0
        while session.outcome is None:
            decision = session.next(now_s)
            now_s += 7.0
            if decision.action is Action.ASK:
                session.answered(decision.module or "", changed=bool(len(session.history) % 3), by="Maya", now_s=now_s)
            elif decision.action is Action.ACT:
                session.executed(session.tally.executions > 2, now_s=now_s)
        lives.append((decisions_of(session), session.tally))
    assert lives[0] == lives[1]


# -- only one part -----------------------------------------------------------------------------------------------------


def test_only_goals_is_the_plan_of_a_goal_question() -> None:
    """A move ends the problem there, so moving now is here what giving up is: it costs the mean loss of a move."""
    random = np.random.default_rng(6)
    asked = 0
    for _ in range(300):
        goals = int(random.integers(2, 7))
        belief, losses = random.dirichlet(np.ones(goals)), random.uniform(0.0, 5.0, (goals, goals))
        answers = random.dirichlet(np.ones(3) * 0.2, goals).T
        price = float(random.uniform(0.01, 0.6))
        problem = QuestionProblem(belief=belief, rewards=-losses, questions=(answers,), costs=[-price], discount=1.0)
        plan = solve(problem)
        stop = float((losses @ belief).min())
        after = float(sum((losses @ (belief * row)).min() for row in answers))
        graph = ModuleGraph([Module("goal", 0.0, price, question=Question("Which one?"))])
        # With w = 1 only load counts: a question costs its load, and moving now the stake.
        moment = moment_of(graph, w=1.0, expert=max(0.0, 1.0 - after / stop))
        decision = joint(replace(ALONE, stakes=dict.fromkeys(Stake, stop)), moment)
        best = decision.alternatives[0].value
        assert best == pytest.approx(-plan.lower, abs=1e-9)
        if abs(price + after - stop) > 1e-6:
            assert (decision.action is Action.ASK) == (plan.question is not None)
            asked += decision.action is Action.ASK
    assert 50 < asked < 250


@pytest.mark.parametrize("limits", [(1, 1, 1), (2, 2, 2), (3, 1, 2), (1, 4, 2)])
def test_only_rules_is_the_trace_of_the_executive(limits: tuple[int, ...]) -> None:
    rules = [
        RecoveryRule(Recovery(name=f"r{index}", when=RecoveryCondition(), limit=limit), (), ())
        for index, limit in enumerate(limits)
    ]
    level = FailureLevel(task="t", step=(0,), name="pick")
    failure = Failure(levels=(level,), leaf="pick", kind="action", code="no_plan")
    uses: dict[str, int] = {}
    trace = []
    while (rule := choose(rules, failure, uses=uses, busy=(), holds=lambda condition: True)) is not None:
        trace.append(rule.recovery.name)
        uses[rule.recovery.name] = uses.get(rule.recovery.name, 0) + 1

    recoveries = tuple(RecoveryRecord(name=f"r{index}", left=limit) for index, limit in enumerate(limits))
    session = Session(
        chain_of((0.0,)), "joint", options=Options(people=(), recoveries=recoveries, stakes=dict.fromkeys(Stake, 100.0))
    )
    found = []
    while (decision := session.next(0.0)).action is Action.RECOVER:
        found.append(decision.recovery)
        session.executed(False)
    assert found == trace
    assert decision.action is Action.YIELD


def test_only_a_gate_asks_exactly_when_the_person_is_free_enough() -> None:
    random = np.random.default_rng(4)
    graph = chain_of((0.0,), 0.0)
    asked = 0
    for _ in range(400):
        drawn = random.dirichlet(np.full(5, 0.6))
        level = LevelEstimate(tuple((drawn / drawn.sum()).tolist()))
        gate = float(random.choice((0.0, 0.3, 0.5, 0.7, level.free)))
        options = Options(
            people=(PersonNow(person=Person(name="Maya"), level=level),),
            limits=LimitSettings(stake=Stake.CRITICAL, gate=gate),
        )
        decision = joint(options, moment_of(graph, time_left=20.0))
        assert (decision.action is Action.ASK) == (level.free >= gate)
        asked += decision.action is Action.ASK
    assert 100 < asked < 390


@pytest.mark.parametrize("kind", [QuestionKind.DIAGNOSIS, QuestionKind.ACTION])
def test_only_remote_is_the_support_with_the_highest_value(kind: QuestionKind) -> None:
    supports = tuple(Support(suggestions, accuracy) for suggestions in Suggestions for accuracy in (1.0, 0.9, 0.8))
    model = answer_model()
    best = max(supports, key=lambda support: model.chance(Role.OPERATOR, kind, support).probability)
    options = ("again", "stop") if kind is QuestionKind.ACTION else ()
    graph = ModuleGraph([Module("cause", 0.0, 0.2, question=Question("What is it?", kind, options))])
    otto = PersonNow(person=Person(name="Otto", role=Role.OPERATOR), supports=supports)
    decision = joint(Options(people=(otto,), answers=model), moment_of(graph, time_left=20.0))
    assert (decision.action, decision.person, decision.support) == (Action.ASK, "Otto", best.key)


def test_equal_people_without_load_are_asked_in_the_order_of_the_list() -> None:
    graph = chain_of((0.0,), 0.2)
    for names in (("Ada", "Ben", "Cem"), ("Cem", "Ada", "Ben")):
        people = tuple(PersonNow(person=Person(name=name)) for name in names)
        session = Session(graph, "joint", options=Options(people=people))
        assert session.next(0.0).person == names[0]
        assert session.question is not None
        assert session.question.to == names
        plain = Session(graph, "topo+query-then-execute", options=Options(people=people))
        assert plain.next(0.0).person == names[0]
        assert plain.question is not None
        assert plain.question.to == names


def test_first_connected_is_the_public_arbitrator() -> None:
    """Of equal helpers, the first one that is there is asked; nobody else is weighed."""
    random = np.random.default_rng(9)
    graph = chain_of((0.0,), 0.2)
    for _ in range(50):
        connected = [bool(random.random() < 0.5) for _ in range(4)]
        everybody = [PersonNow(person=Person(name=f"p{index}", role=Role.OPERATOR)) for index in range(4)]
        people = tuple(helper for helper, there in zip(everybody, connected, strict=True) if there)
        first = next((f"p{index}" for index, there in enumerate(connected) if there), None)
        assert joint(Options(people=people), moment_of(graph, time_left=20.0)).person == first


def test_the_nearest_is_asked_where_only_the_way_differs() -> None:
    random = np.random.default_rng(10)
    graph = ModuleGraph([Module("part", 0.0, 0.2, question=Question("Give me a hand?", QuestionKind.PHYSICAL))])
    for _ in range(50):
        ways = random.uniform(5.0, 300.0, 4)
        people = tuple(
            PersonNow(person=Person(name=f"p{index}", role=Role.CAREGIVER), comes_s=float(way))
            for index, way in enumerate(ways)
        )
        decision = joint(Options(people=people, step_s=60.0), moment_of(graph, time_left=50.0))
        assert decision.person == f"p{int(ways.argmin())}"
