"""The feeding world as a Gymnasium environment: for learners, and for anyone who knows that interface already."""

from __future__ import annotations

from typing import Any

import numpy as np

from handup.core import MissingExtra
from handup.domains.feeding.foods import foods
from handup.domains.feeding.looks import EASY, Looks
from handup.domains.feeding.skills import Params, Skill
from handup.domains.feeding.world import PlateWorld

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise MissingExtra.of("sim", "the Gymnasium environment") from error

ID = "handup/Feeding-v1"
"""Id for `gymnasium.make`, once this module is imported. Another number means that results are not comparable."""
SKILLS = tuple(Skill)
BITES, ATTEMPTS = 5, 3


class FeedingEnv(gymnasium.Env[dict[str, Any], dict[str, Any]]):
    """A meal of five bites with three attempts each, as in the core paper's studies.

    The observation is the overhead picture and the number of the wanted food in `FOODS`; an action is a skill and its
    four numbers. Reward 1 for a bite of the wanted food, 0 otherwise, -0.5 for a bite of another. A bite ends when
    something is on the fork or the attempts are used up; then another food that is left is wanted.

    Args:
        plate: Name of a plate, or `random`.
        looks: Looks that plates may have.
        size: Width and height of the picture in px.
        render_mode: None or `rgb_array`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own interface
    FOODS = tuple(foods())

    def __init__(
        self, plate: str = "savory salad", *, looks: Looks = EASY, size: tuple[int, int] = (160, 120),
        render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self._plate, self._looks, self._size, self.render_mode = plate, looks, size, render_mode
        self._world: PlateWorld | None = None
        self._bites = self._attempts = 0
        self._wanted = ""
        self.observation_space = gymnasium.spaces.Dict(
            {
                "picture": gymnasium.spaces.Box(0, 255, (size[1], size[0], 3), np.uint8),
                "wanted": gymnasium.spaces.Discrete(len(self.FOODS)),
            }
        )
        self.action_space = gymnasium.spaces.Dict(
            {
                "skill": gymnasium.spaces.Discrete(len(SKILLS)),
                "params": gymnasium.spaces.Box(0.0, 1.0, (4,), np.float32),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Lay a new plate. The same seed gives the same meal."""
        super().reset(seed=seed)
        self.close()
        self._world = PlateWorld(
            self._plate, seed=int(self.np_random.integers(1 << 31)), looks=self._looks, size=self._size
        )
        self._bites = self._attempts = 0
        self._want()
        return self._observed(), self._info()

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute a skill."""
        world = self._open()
        done = world.execute(SKILLS[int(action["skill"])], Params.within(action["params"]))
        world.clear_tool()
        self._attempts += 1
        reward = 1.0 if done.is_bite_of(self._wanted) else -0.5 if done.picked is not None else 0.0
        outcome = {"picked": done.picked, "wanted": self._wanted, "reason": done.reason, "unstable": done.unstable}
        if done.picked is not None or self._attempts >= ATTEMPTS:
            self._bites, self._attempts = self._bites + 1, 0
            self._want()
        return self._observed(), reward, self._bites >= BITES, False, {**self._info(), **outcome}

    def render(self) -> Any:
        """Return the overhead picture."""
        return self._open().view().rgb

    def close(self) -> None:
        """Close the world."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _open(self) -> PlateWorld:
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset before step or render")
        return self._world

    def _want(self) -> None:
        """Ask for a food of which there is at least a bite; if there is none, for any."""
        left = [name for name, bites in self._open().left().items() if bites >= 1.0]
        names = left or list(self._open().plate.pieces)
        self._wanted = names[int(self.np_random.integers(len(names)))]

    def _observed(self) -> dict[str, Any]:
        return {"picture": self._open().view().rgb, "wanted": np.int64(self.FOODS.index(self._wanted))}

    def _info(self) -> dict[str, Any]:
        return {"bites": self._bites, "left": dict(self._open().left())}


if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point="handup.domains.feeding.env:FeedingEnv")
