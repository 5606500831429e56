"""How long planning a question about goals takes, beside a general solver for such problems in the same run.

The problems are those of the paper's scenes: a hand somewhere on its way, a stick pushed at some goal, a belief of any
sharpness. The other solver is POUCT of pomdp-py, with the paper's tenth of a second for each plan.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from handup.domains.reaching.scenes import scene
from handup.intent import Belief, Goals, Joystick, Metric, Plan, Points, Pose, Problem, solve
from handup.intent.asking import about_goal
from handup.intent.motion import MoveKind, likeliest, moves, towards
from handup.intent.value import Array, look
from handup.lab.pouct import plan_by_pouct

SETUPS = (("S1", 10, None), ("U6", 10, None), ("S2", 10, None), ("U22", 10, None), ("U22", 22, 3))
"""A scene, how many goals may be asked about at most, and the depth; None: all of it."""
INSTANCES = 300
THEIRS = 8
"""So many of the problems are given to the other solver, too: each takes it a tenth of a second."""
PLANNING_S = 0.1
RIGHT = 0.999
ALPHA = 0.5


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement, in time of one core.

    Args:
        scene: Which goals.
        goals: How many.
        askable: How many of them may be asked about.
        depth: Questions in a row that were planned; None: all of them, which is exact.
        asks: Share of the problems in which asking is best.
        us_median: Time of a plan, in microseconds.
        us_p99: Of the slowest plan in a hundred.
        gap: Mean distance of the two bounds of the certificate, in points; zero where plans are exact.
        baseline: The other solver; None where it is not installed.
        baseline_us: Its time for a plan.
        regret_baseline: By how much its first step is worse than the best, in points, on average.
    """

    scene: str
    goals: int
    askable: int
    depth: int | None
    asks: float
    us_median: float
    us_p99: float
    gap: float
    baseline: str | None
    baseline_us: float | None
    regret_baseline: float | None

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return asdict(self)


def measure(
    name: str, most: int, depth: int | None, *, seed: int = 0, look_ahead_s: float = 1.0, compare: bool = True
) -> Row:
    """Time plans in one scene, and the other solver's on the first few of the same problems."""
    goals = scene(name).goals
    problems = list(instances(goals, most, seed=seed, look_ahead_s=look_ahead_s, count=INSTANCES))
    solve(problems[0], depth=depth)
    found = [_timed(partial(solve, each, depth=depth)) for each in problems]
    times = [us for us, _ in found]
    theirs = (
        _theirs(problems, [plan for _, plan in found], seed) if compare and depth is None and _installed() else None
    )
    return Row(
        scene=name,
        goals=len(goals),
        askable=min(most, len(goals)),
        depth=depth,
        asks=float(np.mean([plan.question is not None for _, plan in found])),
        us_median=float(np.median(times)),
        us_p99=float(np.percentile(times, 99)),
        gap=float(np.mean([plan.upper - plan.lower for _, plan in found])),
        baseline=None if theirs is None else f"pomdp-py POUCT, {PLANNING_S:g} s",
        baseline_us=None if theirs is None else theirs[0],
        regret_baseline=None if theirs is None else theirs[1],
    )


def instances(goals: Goals, most: int, *, seed: int, look_ahead_s: float, count: int) -> Iterator[Problem]:
    """Problems as they come up on the way to a goal: from afar or near, between similar goals, more or less sure."""
    random, metric, points = np.random.default_rng(seed), Metric(), Points(look_ahead_s=look_ahead_s)
    for _ in range(count):
        at = int(random.integers(len(goals)))
        meant = goals[at].poses[int(random.integers(len(goals[at].poses)))]
        way = random.normal(size=3)
        x, y, z = (way / np.linalg.norm(way) * random.uniform(0.02, 0.4) + meant.position).tolist()
        pose = Pose((x, y, abs(z)), meant.rotation).moved((0.0, 0.0, 0.0), tuple(random.normal(0.0, 0.6, 3)), 1.0)
        ahead, turn = pose.twist_to(meant)
        push = np.array(ahead) / max(float(np.linalg.norm(ahead)), 1e-9) * 0.06
        stick = Joystick(tuple(push)) if random.random() < 0.7 else Joystick(angular=tuple(np.clip(turn, -0.4, 0.4)))
        near = np.exp(-random.uniform(0.0, 20.0) * _far(goals, pose, metric)) * random.dirichlet(np.ones(len(goals)))
        belief = Belief.uniform(goals).updated(np.log(np.append(np.maximum(near, 1e-9), 1.0)))
        view = look(goals, belief.groups, pose, metric)
        chosen = likeliest(belief, view, metric, most)
        kinds = (MoveKind.GOAL, MoveKind.MIX, MoveKind.NONE)
        found = moves(belief, towards(view, metric), chosen, kinds)
        yield Problem(
            belief=belief.weights,
            rewards=points.table(belief, view, pose, stick, found, ALPHA),
            questions=tuple(about_goal(goals, each).likelihood(RIGHT) for each in chosen),
            costs=[points.question] * len(chosen),
            discount=points.discount,
        )


def _far(goals: Goals, pose: Pose, metric: Metric) -> Array:
    return look(goals, Belief.uniform(goals).groups, pose, metric).metres


def _timed(run: Callable[[], Plan]) -> tuple[float, Plan]:
    start = time.thread_time()
    plan = run()
    return (time.thread_time() - start) * 1e6, plan


def _installed() -> bool:
    try:
        importlib.import_module("pomdp_py")
    except ImportError:
        return False
    return True


def _theirs(problems: list[Problem], plans: list[Plan], seed: int) -> tuple[float, float]:
    """The median time of the other solver's plans, and how much worse their first steps are than the best."""
    times, regrets = [], []
    for problem, plan in list(zip(problems, plans, strict=True))[:THEIRS]:
        start = time.thread_time()
        move, question = plan_by_pouct(problem, seconds=PLANNING_S, seed=seed)
        times.append((time.thread_time() - start) * 1e6)
        regrets.append(plan.lower - first_step_value(problem, move, question))
    return float(np.median(times)), float(np.mean(regrets))


def first_step_value(problem: Problem, move: int | None, question: int | None) -> float:
    """What a first step is worth if everything after it is done best."""
    if question is None:
        return float(problem.rewards[move] @ problem.belief)
    left = [each for each in range(len(problem.questions)) if each != question]
    value = float(problem.costs[question])
    for row in problem.questions[question]:
        weights = problem.belief * row
        after = Problem(
            belief=weights / weights.sum(),
            rewards=problem.rewards,
            questions=tuple(problem.questions[each] for each in left),
            costs=[float(problem.costs[each]) for each in left],
            discount=problem.discount,
        )
        value += problem.discount * float(weights.sum()) * solve(after).lower
    return value
