"""The same planning problem for pomdp-py's POUCT, a general solver: to compare with, never to decide by."""

from __future__ import annotations

import random
import time
from typing import Any

from handup.core import MissingExtra
from handup.intent import Problem

EXPLORATION = 50.0
"""About the spread of rewards, as its authors advise."""


def plan_by_pouct(problem: Problem, *, seconds: float, seed: int) -> tuple[int | None, int | None]:
    """The first step that POUCT finds in so much time of one core: a move or a question; the other one is None.

    Questions that were asked before cost 100 more, as in the paper's model; roll-outs make random moves.

    Raises:
        MissingExtra: pomdp-py is not installed.
    """
    try:
        import pomdp_py  # noqa: PLC0415 - only who compares has it
    except ImportError:
        raise MissingExtra.of("dev", "the comparison with pomdp-py") from None
    random.seed(seed)
    moves, goals, done = len(problem.rewards), len(problem.belief), -1
    rewards, questions = problem.rewards.tolist(), [each.tolist() for each in problem.questions]
    costs = [float(each) for each in problem.costs]
    actions = [pomdp_py.SimpleAction(str(each)) for each in range(moves + len(questions))]
    answers = [pomdp_py.SimpleObservation(each) for each in range(2)]
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

    class Policy(pomdp_py.RolloutPolicy):  # type: ignore[misc]
        def get_all_actions(self, state: Any = None, history: Any = None) -> list[Any]:
            return actions

        def sample(self, state: Any) -> Any:
            return random.choice(actions)

        def rollout(self, state: Any, history: Any = None) -> Any:
            return actions[random.randrange(moves)]

    belief = pomdp_py.Histogram({pomdp_py.SimpleState((g, 0)): float(problem.belief[g]) for g in range(goals)})
    agent = pomdp_py.Agent(belief, Policy(), Transition(), Observation(), Reward())
    solver = pomdp_py.POUCT(
        max_depth=len(questions) + 1,
        discount_factor=problem.discount,
        planning_time=seconds / 10.0,
        exploration_const=EXPLORATION,
        rollout_policy=agent.policy_model,
    )
    chosen, start = 0, time.thread_time()
    while time.thread_time() - start < seconds:  # it counts by the wall's clock; a busy machine is not its fault
        chosen = int(solver.plan(agent).name)
    return (chosen, None) if chosen < moves else (None, chosen - moves)
