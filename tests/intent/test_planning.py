"""Planning questions: equal to brute force and to a table of all states; certificates hold; the paper's identity."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import BadSetting, NotSolvable
from handup.intent import Plan, QuestionProblem, deepening, solve
from handup.intent.goal_problem import may_pay
from tests.oracles.planning import about, dynamic_programme, expectimax


def random_problem(
    seed: int, goals: int, askable: int, *, right: float = 0.999, mixed: bool = False
) -> QuestionProblem:
    """Moves that suit some goals, so that knowing is worth something."""
    random = np.random.default_rng(seed)
    rewards = random.uniform(-100.0, -20.0, (askable + 2, goals))
    rewards[range(askable), range(askable)] = random.uniform(-30.0, 0.0, askable)
    questions = [about(goals, index, right) for index in range(askable)]
    if mixed:  # questions about several goals at once, one of them with three answers
        questions[0] = about(goals, 0, right)[:, random.permutation(goals)] * 0.5 + questions[-1] * 0.5
        table = random.uniform(0.1, 1.0, (3, goals))
        questions[-1] = table / table.sum(axis=0)
    belief = random.dirichlet(np.full(goals, random.choice([0.5, 2.0])))
    costs = [-5.0] * askable if not mixed else random.uniform(-8.0, 0.0, askable)
    return QuestionProblem(belief=belief, rewards=rewards, questions=tuple(questions), costs=costs)


@pytest.mark.parametrize("goals", [4, 5, 6])
@pytest.mark.parametrize("seed", range(8))
def test_a_plan_is_worth_what_brute_force_finds(goals: int, seed: int) -> None:
    problem = random_problem(seed, goals, min(goals, 5))
    plan = solve(problem)
    assert plan.exact
    assert plan.lower == pytest.approx(expectimax(problem), abs=1e-9)


def test_with_six_questions_too() -> None:
    problem = random_problem(3, 6, 6)
    assert solve(problem).lower == pytest.approx(expectimax(problem), abs=1e-9)


@pytest.mark.parametrize("discount", [0.95, 1.0])
def test_where_no_question_may_pay_the_exact_plan_asks_none(discount: float) -> None:
    told = {True: 0, False: 0}
    for seed in range(200):
        given_ = random_problem(seed, 5, 4)
        belief = np.random.default_rng(seed).dirichlet(np.full(5, 0.05 if seed % 2 else 1.0))
        rewards = given_.rewards / 10.0 - 120.0 * (seed % 5 == 0) if seed % 3 else given_.rewards
        problem = replace(given_, belief=belief, rewards=rewards, discount=discount)
        pays = may_pay(problem.belief, problem.rewards, -5.0, discount, len(problem.questions))
        told[pays] += 1
        assert pays or solve(problem).question is None
    assert min(told.values()) > 20, "both happen"


@pytest.mark.parametrize("seed", range(12))
def test_questions_about_several_goals_and_with_three_answers_are_planned_alike(seed: int) -> None:
    problem = random_problem(seed, 5, 4, right=0.9, mixed=True)
    assert problem.merged.own is None
    assert solve(problem).lower == pytest.approx(expectimax(problem), abs=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_what_is_seen_anyway_and_moves_that_need_an_answer_are_planned_too(seed: int) -> None:
    random = np.random.default_rng(seed)
    bare = random_problem(seed, 4, 3, right=0.95, mixed=seed % 2 == 0)
    sights = random.uniform(0.05, 1.0, (3, 4))
    allowed = [each % 2 == seed % 3 % 2 for each in range(len(bare.rewards))]
    given_ = {"belief": bare.belief, "rewards": bare.rewards, "questions": bare.questions, "costs": bare.costs}
    for more in ({"seen": sights / sights.sum(axis=0)}, {"at_once": allowed}):
        problem = QuestionProblem(**given_, **more)  # type: ignore[arg-type]
        best = expectimax(problem)
        for plan in deepening(problem):
            assert plan.lower <= best + 1e-9 <= plan.upper + 2e-9
        assert plan.exact
        assert plan.lower == pytest.approx(best, abs=1e-9)
    seen = QuestionProblem(**given_, seen=sights / sights.sum(axis=0))  # type: ignore[arg-type]
    locked = QuestionProblem(**given_, at_once=allowed)  # type: ignore[arg-type]
    assert solve(seen).stop_value >= solve(bare).stop_value - 1e-9, "what is seen never hurts"
    assert allowed[solve(locked).move]
    assert solve(locked).stop_value <= solve(bare).stop_value


def test_an_answer_that_unlocks_the_right_move_is_worth_asking_for_although_the_goal_is_known() -> None:
    rewards = np.array([[0.0, 0.0], [-60.0, -60.0]])
    sure = {"belief": np.array([0.9, 0.1]), "rewards": rewards, "questions": (about(2, 0),), "costs": [-5.0]}
    assert solve(QuestionProblem(**sure)).question is None  # type: ignore[arg-type]
    locked = solve(QuestionProblem(**sure, at_once=[False, True]))  # type: ignore[arg-type]
    assert (locked.question, locked.move, locked.stop_value) == (0, 1, -60.0)


@pytest.mark.parametrize(("seed", "goals"), [(0, 22), (1, 10)])
def test_ten_askable_goals_agree_with_a_table_of_all_states(seed: int, goals: int) -> None:
    problem = random_problem(seed, goals, 10)
    assert solve(problem).lower == pytest.approx(dynamic_programme(problem), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_questions_that_cost_five_are_free_questions_on_rewards_raised_by_a_hundred(seed: int) -> None:
    problem = random_problem(seed, 6, 6)
    free = QuestionProblem(
        belief=problem.belief, rewards=problem.rewards + 100.0, questions=problem.questions, costs=[0.0] * 6
    )
    here, there = solve(problem), solve(free)
    assert there.lower == pytest.approx(here.lower + 100.0, abs=1e-9)
    assert there.question == here.question
    one_step = max(
        sum(float((free.rewards @ (free.belief * row)).max()) for row in question) for question in free.questions
    )
    if one_step > free.belief @ free.rewards.max(axis=0):
        pytest.fail("no answer is worth more than knowing the goal")
    if one_step / there.stop_value > 1.0 / 0.95:
        assert here.question is not None, "worth over 5.26 % more"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7), st.booleans())
def test_certificates_hold_at_every_depth_and_only_get_tighter(seed: int, goals: int, mixed: bool) -> None:
    problem = random_problem(seed, goals, min(goals, 4), right=0.95, mixed=mixed and goals > 3)
    best = expectimax(problem)
    plans = list(deepening(problem))
    for plan in plans:
        assert plan.lower <= best + 1e-9
        assert plan.upper >= best - 1e-9
        assert plan.lower >= plan.stop_value - 1e-9
    assert all(a.lower <= b.lower + 1e-9 and a.upper >= b.upper - 1e-9 for a, b in pairwise(plans))
    assert plans[-1].exact


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_a_depth_gives_at_least_what_so_many_questions_give(depth: int) -> None:
    problem = random_problem(5, 6, 5)
    plan = solve(problem, depth=depth)
    assert plan.depth <= depth
    assert expectimax(problem, depth) <= plan.lower + 1e-9
    assert plan.lower <= expectimax(problem) + 1e-9 <= plan.upper + 2e-9


def test_all_22_goals_are_certified_at_depth_three() -> None:
    problem = random_problem(0, 22, 22)
    plans = list(deepening(problem, depth=3))
    assert [each.depth for each in plans] == [0, 1, 2, 3]
    assert plans[-1].lower > plans[0].lower
    assert plans[-1].upper < plans[0].upper
    assert plans[-1].question is not None


def test_a_limit_on_states_is_kept_and_shows_in_the_certificate() -> None:
    problem = random_problem(0, 10, 10)
    cut = solve(problem, most_states=20)
    whole = solve(problem)
    assert cut.states <= 20 < whole.states
    assert not cut.exact
    assert cut.lower <= whole.lower <= cut.upper


def test_nothing_is_asked_where_nothing_can_be_learnt() -> None:
    known = QuestionProblem(
        belief=np.array([1.0, 0.0]),
        rewards=np.array([[-1.0, -9.0], [-9.0, -1.0]]),
        questions=(about(2, 0),),
        costs=[-5.0],
    )
    without = QuestionProblem(belief=np.array([0.5, 0.5]), rewards=np.array([[-1.0, -9.0], [-9.0, -2.0]]))
    for problem, value in ((known, -1.0), (without, -5.0)):
        plan = solve(problem)
        assert plan == Plan(move=0, question=None, lower=value, upper=value, stop_value=value, depth=0, states=0)


def test_where_waiting_alone_makes_a_loss_smaller_useless_questions_are_planned_too() -> None:
    useless = np.full((2, 2), 0.5)
    rewards = np.array([[-100.0, -90.0]])
    problem = QuestionProblem(
        belief=BELIEF, rewards=rewards, questions=(useless, about(2, 0), about(2, 1)), costs=[0.0] * 3
    )
    plan = solve(problem)
    assert plan.exact
    assert plan.lower == pytest.approx(-95.0 * 0.95**3) == expectimax(problem)


def test_a_question_is_asked_once_at_most() -> None:
    doubtful = about(2, 0, 0.7)
    rewards = np.array([[0.0, -100.0], [-100.0, 0.0]])
    once = QuestionProblem(
        belief=np.array([0.5, 0.5]), rewards=rewards, questions=(doubtful,), costs=[0.0], discount=1.0
    )
    assert solve(once).lower == pytest.approx(-30.0)


BELIEF, REWARDS = np.array([0.5, 0.5]), np.zeros((1, 2))


@pytest.mark.parametrize(
    "wrong",
    [
        {"belief": np.array([0.5, 0.4])},
        {"belief": np.array([1.5, -0.5])},
        {"belief": np.array([np.nan, 1.0])},
        {"rewards": np.zeros((1, 3))},
        {"rewards": np.zeros((0, 2))},
        {"rewards": np.array([[np.inf, 0.0]])},
        {"questions": (about(2, 0),), "costs": []},
        {"questions": (np.ones((2, 2)),), "costs": [0.0]},
        {"questions": (about(3, 0),), "costs": [0.0]},
        {"questions": (about(2, 0),), "costs": [0.1]},
        {"seen": np.ones((2, 2))},
        {"seen": np.ones((1, 3))},
        {"seen": np.full((1, 2), np.nan)},
        {"at_once": [False]},
        {"at_once": [True, True]},
        {"discount": 0.0},
        {"discount": 1.5},
    ],
)
def test_problems_that_are_none_are_refused(wrong: dict[str, object]) -> None:
    given_: dict[str, object] = {"belief": BELIEF, "rewards": REWARDS, **wrong}
    with pytest.raises(BadSetting):
        QuestionProblem(**given_)  # type: ignore[arg-type]


def test_too_many_questions_and_a_negative_depth_are_refused() -> None:
    problem = random_problem(0, 45, 45)
    with pytest.raises(NotSolvable, match="got 45 questions"):
        solve(problem, depth=1)
    with pytest.raises(BadSetting, match="depth must be at least 0, got -1"):
        solve(random_problem(0, 3, 3), depth=-1)
