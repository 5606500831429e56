"""Plans of questions about goals, timed beside a general solver for such problems in the same run.

The problems are those of the paper's scenes: a hand somewhere on its way, a stick pushed at some goal, a belief of any
sharpness. The other solver is POUCT of pomdp-py, with the paper's tenth of a second for each plan.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from handup.domains.reaching.scenes import scene
from handup.intent import GoalBelief, Goals, Joystick, Metric, Plan, Points, Pose, QuestionProblem, solve
from handup.intent.goal_questions import about_goal
from handup.intent.helper import MoveKind, likeliest, moves, towards
from handup.intent.value import look
from handup.lab.bench.harness import Columns, Row, TimedCalls

SETUPS = (("S1", 10, None), ("U6", 10, None), ("S2", 10, None), ("U22", 10, None), ("U22", 22, 3))
"""Scene, largest number of goals to ask about, and depth of the plan; None for the full depth."""
INSTANCES = 300
THEIRS = 8
"""Number of problems for the other solver, which takes a tenth of a second for each."""
PLANNING_S = 0.1
EXPLORATION = 50.0
"""Exploration constant of POUCT: about the spread of rewards, as its authors advise."""
RIGHT = 0.999
ALPHA = 0.5
COLUMNS: Columns = (
    ("scene", "scene", "{}"),
    ("goals", "goals", "{}"),
    ("askable", "askable", "{}"),
    ("depth", "depth", lambda depth: "all" if depth is None else f"{depth}"),
    ("asks", "asks", "{:.0%}"),
    ("µs", "us_median", "{:,.0f}"),
    ("µs p99", "us_p99", "{:,.0f}"),
    ("gap", "gap", "{:.3f}"),
    ("POUCT µs", "baseline_us", "{:,.0f}"),
    ("its regret", "regret_baseline", "{:.2f}"),
)
CLOSING = "Time of one core per plan, T = {look_ahead_s:g} s; gap and regret in the paper's points (a question: 5)."


def measure(
    name: str, most: int, depth: int | None, *, seed: int = 0, look_ahead_s: float = 1.0, compare: bool = True
) -> Row:
    """Time plans in one scene, and the other solver's on the first few of the same problems.

    The `gap` is the mean distance of the two bounds of the certificate, the regret how much worse the other solver's
    first step is than the best; both in points.
    """
    goals = scene(name).goals
    problems = list(instances(goals, most, seed=seed, look_ahead_s=look_ahead_s, count=INSTANCES))
    ours, theirs = TimedCalls(time.thread_time), TimedCalls(time.thread_time)
    solve(problems[0], depth=depth)
    for problem in problems:
        ours.call(partial(solve, problem, depth=depth))
    plans: list[Plan] = ours.results
    if compare and depth is None and find_spec("pomdp_py") is not None:
        for problem in problems[:THEIRS]:
            theirs.call(partial(plan_by_pouct, problem, seconds=PLANNING_S, seed=seed))
    regrets = [
        plan.lower - first_step_value(problem, *step)
        for problem, plan, step in zip(problems, plans, theirs.results, strict=False)
    ]
    return {
        "scene": name,
        "goals": len(goals),
        "askable": min(most, len(goals)),
        "depth": depth,
        "asks": float(np.mean([plan.question is not None for plan in plans])),
        "us_median": 1e6 * ours.processor,
        "us_p99": 1e6 * float(np.percentile(ours.processor_s, 99)),
        "gap": float(np.mean([plan.upper - plan.lower for plan in plans])),
        "baseline": f"pomdp-py POUCT, {PLANNING_S:g} s" if regrets else None,
        "baseline_us": 1e6 * theirs.processor if regrets else None,
        "regret_baseline": float(np.mean(regrets)) if regrets else None,
    }


def instances(goals: Goals, most: int, *, seed: int, look_ahead_s: float, count: int) -> Iterator[QuestionProblem]:
    """Yield problems of the way to a goal: from afar or near, between similar goals, more or less sure."""
    rng, metric, points = np.random.default_rng(seed), Metric(), Points(look_ahead_s=look_ahead_s)
    for _ in range(count):
        at = int(rng.integers(len(goals)))
        meant = goals[at].poses[int(rng.integers(len(goals[at].poses)))]
        way = rng.normal(size=3)
        x, y, z = (way / np.linalg.norm(way) * rng.uniform(0.02, 0.4) + meant.position).tolist()
        pose = Pose((x, y, abs(z)), meant.rotation).moved((0.0, 0.0, 0.0), tuple(rng.normal(0.0, 0.6, 3)), 1.0)
        ahead, turn = pose.twist_to(meant)
        push = np.array(ahead) / max(float(np.linalg.norm(ahead)), 1e-9) * 0.06
        stick = Joystick(tuple(push)) if rng.random() < 0.7 else Joystick(angular=tuple(np.clip(turn, -0.4, 0.4)))
        near = np.exp(
            -rng.uniform(0.0, 20.0) * look(goals, GoalBelief.uniform(goals).groups, pose, metric).metres
        ) * rng.dirichlet(np.ones(len(goals)))
        belief = GoalBelief.uniform(goals).updated(np.log(np.append(np.maximum(near, 1e-9), 1.0)))
        view = look(goals, belief.groups, pose, metric)
        chosen = likeliest(belief, view, metric, most)
        found = moves(belief, towards(view, metric), chosen, (MoveKind.GOAL, MoveKind.MIX, MoveKind.NONE))
        yield QuestionProblem(
            belief=belief.weights,
            rewards=points.table(belief, view, pose, stick, found, ALPHA),
            questions=tuple(about_goal(goals, goal).likelihood(RIGHT) for goal in chosen),
            costs=[points.question] * len(chosen),
            discount=points.discount,
        )


def first_step_value(problem: QuestionProblem, move: int | None, question: int | None) -> float:
    """Return the value of a first step if everything after it is done best."""
    if question is None:
        return float(problem.rewards[move] @ problem.belief)
    left = [index for index in range(len(problem.questions)) if index != question]
    questions = tuple(problem.questions[index] for index in left)
    costs = [float(problem.costs[index]) for index in left]
    value = float(problem.costs[question])
    for row in problem.questions[question]:
        weights = problem.belief * row
        after = replace(problem, belief=weights / weights.sum(), questions=questions, costs=costs)
        value += problem.discount * float(weights.sum()) * solve(after).lower
    return value


def plan_by_pouct(problem: QuestionProblem, *, seconds: float, seed: int) -> tuple[int | None, int | None]:
    """Return the first step that POUCT finds in `seconds` of one core: a move or a question; the other is None.

    Questions that were asked before cost 100 more, as in the paper's model; roll-outs make random moves.
    """
    import pomdp_py  # noqa: PLC0415 - only for comparing

    random.seed(seed)
    moves, goals, done = len(problem.rewards), len(problem.belief), -1
    rewards, questions = problem.rewards.tolist(), [question.tolist() for question in problem.questions]
    costs = [float(cost) for cost in problem.costs]
    actions = [pomdp_py.SimpleAction(str(number)) for number in range(moves + len(questions))]
    answers = [pomdp_py.SimpleObservation(answer) for answer in range(2)]
    nothing = pomdp_py.SimpleObservation("nothing")
    over = pomdp_py.SimpleState((done, 0))

    class Transition(pomdp_py.TransitionModel):  # type: ignore[misc]
        def sample(self, state: Any, action: Any) -> Any:
            goal, asked = state.data
            if goal == done or int(action.name) < moves:
                return over
            return pomdp_py.SimpleState((goal, asked | 1 << (int(action.name) - moves)))

    class Observation(pomdp_py.ObservationModel):  # type: ignore[misc]
        def sample(self, next_state: Any, action: Any) -> Any:
            goal = next_state.data[0]
            if goal == done or int(action.name) < moves:
                return nothing
            return answers[0 if random.random() < questions[int(action.name) - moves][0][goal] else 1]

    class Reward(pomdp_py.RewardModel):  # type: ignore[misc]
        def sample(self, state: Any, action: Any, next_state: Any) -> float:
            goal, asked = state.data
            if goal == done:
                return 0.0
            if int(action.name) < moves:
                return float(rewards[int(action.name)][goal])
            question = int(action.name) - moves
            return costs[question] - (100.0 if asked >> question & 1 else 0.0)

    class PomdpPolicy(pomdp_py.RolloutPolicy):  # type: ignore[misc]
        def get_all_actions(self, state: Any = None, history: Any = None) -> list[Any]:
            return actions

        def sample(self, state: Any) -> Any:
            return random.choice(actions)

        def rollout(self, state: Any, history: Any = None) -> Any:
            return actions[random.randrange(moves)]

    belief = pomdp_py.Histogram({pomdp_py.SimpleState((g, 0)): float(problem.belief[g]) for g in range(goals)})
    agent = pomdp_py.Agent(belief, PomdpPolicy(), Transition(), Observation(), Reward())
    solver = pomdp_py.POUCT(
        max_depth=len(questions) + 1, discount_factor=problem.discount, planning_time=seconds / 10.0,
        exploration_const=EXPLORATION, rollout_policy=agent.policy_model,
    )  # fmt: skip
    chosen, start = 0, time.thread_time()
    while time.thread_time() - start < seconds:  # it counts wall time itself, which other programs would take
        chosen = int(solver.plan(agent).name)
    return (chosen, None) if chosen < moves else (None, chosen - moves)
