"""Reaching as a Gymnasium environment: the learner is the robot that helps a simulated person."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, Malformed, MissingExtra, UnknownName
from handup.core.checks import check_count
from handup.domains.reaching.drawn_person import User, Wish, person_of, wish_of
from handup.domains.reaching.scenes import scene
from handup.domains.reaching.steering_habits import SteeringHabit
from handup.domains.reaching.trial import PAPER, AttemptEnding, ReachRun, Rules

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise MissingExtra.of("sim", "the Gymnasium environment") from error

ID = "handup/Reaching-v1"
"""Name for `gymnasium.make`, once this module is imported. With another number, results are not comparable."""
MOST_M_S, MOST_RAD_S = 0.061, 0.294
"""The robot's own velocity at an action of 1: the paper's caps."""
GRASPED = 20.0
"""Reward for the wanted grasp, in seconds."""


class ReachingEnv(gymnasium.Env[dict[str, Any], dict[str, Any]]):
    """One attempt at a task of the paper; a step is a plan, 0.1 s apart.

    The robot sees the hand, the stick and the answers so far, not the goal. An action is its own velocity, which is
    added to the person's, and a question: 0 asks nothing, i asks whether goal i is meant, while the hand stands still.
    A goal that was asked about is not asked about again: then the robot only moves, and `refused` in what it is told is
    true. Reward: minus the seconds that pass, plus 20 for the wanted grasp.

    Args:
        scene_name: Name of a scene.
        strategy: Habit of the person; None for a new one each time.
        rules: The terms.
        render_mode: None: there is no picture.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own interface

    def __init__(
        self, scene_name: str = "S1", *, strategy: SteeringHabit | None = None, rules: Rules = PAPER,
        render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self._scene, self._strategy, self._rules, self.render_mode = scene(scene_name), strategy, rules, render_mode
        self._run: ReachRun | None = None
        self._wish: Wish | None = None
        count = len(self._scene.goals)
        self._answers = np.zeros(count, dtype=np.int8)
        spaces = gymnasium.spaces
        self.observation_space = spaces.Dict(
            {
                "position": spaces.Box(-1.0, 1.0, (3,), np.float64),
                "rotation": spaces.Box(-1.0, 1.0, (4,), np.float64),
                "stick": spaces.Box(-1.0, 1.0, (6,), np.float64),
                "answers": spaces.Box(-1, 1, (count,), np.int8),
            }
        )
        self.action_space = spaces.Dict(
            {"velocity": spaces.Box(-1.0, 1.0, (6,), np.float64), "ask": spaces.Discrete(count + 1)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin with a new person and one of the scene's tasks. The same seed gives the same ones."""
        super().reset(seed=seed)
        of_all = tuple(SteeringHabit)
        strategy = self._strategy or of_all[int(self.np_random.integers(len(of_all)))]
        task = self._scene.tasks[int(self.np_random.integers(len(self._scene.tasks)))]
        user, who = User(strategy=strategy), int(self.np_random.integers(1 << 31))
        self._wish = wish_of(self._scene, task, user, who)
        terms = {"steps": self._rules.steps, "questions": self._rules.questions}
        self._run = ReachRun(self._scene, self._wish, person_of(self._scene, task, user, who, 0, **terms), self._rules)
        self._answers[:] = 0
        return self._observed(), {"goal": task, "strategy": str(strategy)}

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Help, or ask, until the next plan. Velocities beyond the space are cut to it.

        Raises:
            Malformed: The velocity is not six finite numbers.
            UnknownName: The question is about a goal that is not there.
        """
        if self._run is None or self._wish is None or self._run.over:
            raise gymnasium.error.ResetNeeded("call reset before step, and after an attempt is over")
        run, before_s = self._run, self._run.at_s
        velocity, asked = self._checked(action)
        refused = bool(asked and self._answers[asked - 1])
        if asked and not refused:
            meant = self._scene.goals[asked - 1].name == self._wish.goal
            self._answers[asked - 1] = 1 if run.asked((True, False), meant) else -1
            run.go()
        else:
            a, b, c, d, e, f = np.clip(velocity, -1.0, 1.0).tolist()
            run.go((a * MOST_M_S, b * MOST_M_S, c * MOST_M_S), (d * MOST_RAD_S, e * MOST_RAD_S, f * MOST_RAD_S))
        closed = run.over and run.ending is not AttemptEnding.TOO_LATE
        info = {"goal": self._wish.goal, "ending": str(run.ending) if run.over else "", "refused": refused}
        reward = before_s - run.at_s + (GRASPED if closed and run.ending is AttemptEnding.GRASPED else 0.0)
        return self._observed(), reward, closed, run.over and not closed, info

    def _checked(self, action: dict[str, Any]) -> tuple[NDArray[np.float64], int]:
        velocity = np.asarray(action["velocity"], dtype=np.float64)
        if velocity.shape != (6,) or not np.isfinite(velocity).all():
            must = "be six finite numbers"
            raise Malformed.of("the velocity of an action", velocity, must, hint="Give numbers from −1 to 1.")
        asked = check_count("the question of an action", action["ask"], least=0, error=BadSetting)
        if asked > (most := len(self._answers)):
            must = f"lie between 0 and {most}"
            raise UnknownName.of("the goal that an action asks about", asked, must, hint="Give 0 to ask nothing.")
        return velocity, asked

    def _observed(self) -> dict[str, NDArray[Any]]:
        assert self._run is not None
        stick = self._run.stick
        return {
            "position": np.array(self._run.hand.position),
            "rotation": np.clip(self._run.hand.rotation, -1.0, 1.0),
            "stick": np.array((*stick.linear, *stick.angular)),
            "answers": self._answers.copy(),
        }


if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point="handup.domains.reaching.env:ReachingEnv")
