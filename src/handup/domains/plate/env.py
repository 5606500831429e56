"""The plate as a Gymnasium environment: `handup/Plate-v0`, with masks of 64 × 64 and two actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import MissingExtra
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.low_level import PIXELS
from handup.domains.plate.primitives import ALPHA, Mask, PlateFood, PlatePrimitive

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise MissingExtra.of("sim", "the Gymnasium environment") from error

ID = "handup/Plate-v0"
"""Id for `gymnasium.make` and `make_vec`, once this module is imported. Another number: results are not comparable."""
ACTIONS = tuple(PlatePrimitive)


class PlateEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A plate to be cleared: action 0 acquires where food is densest, action 1 pushes the furthest food there.

    The observation is the mask of the food seen from above. The episode ends when the plate is empty, and is truncated
    after ten actions on noodles, eight on beans. `info` has the share that was picked up, lost and is left.

    Args:
        food: `noodles` or `beans`.
        alpha: Weight of what is picked up against the loss of coverage in the reward.
        render_mode: None or `rgb_array`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own interface

    def __init__(self, food: str = "beans", alpha: float = ALPHA, render_mode: str | None = None) -> None:
        self._food, self._alpha, self.render_mode = PlateFood(food), alpha, render_mode
        self._world: ClearingWorld | None = None
        self.observation_space = gymnasium.spaces.MultiBinary((PIXELS, PIXELS))
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Lay a new plate. The same seed gives the same plate, and the same noise."""
        super().reset(seed=seed)
        engine = engine_of(self._food) if self._world is None else self._world.engine
        self._world = ClearingWorld(engine, seed=int(self.np_random.integers(1 << 31)))
        return _observed(self._world.mask()), {"left": 1.0}

    def step(self, action: np.int64) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Do a primitive."""
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        done = self._world.act(ACTIONS[int(action)])
        info = {"taken": done.moved.taken, "lost": done.moved.lost, "left": done.left}
        empty = done.left <= 0.0
        return _observed(self._world.mask()), done.reward(self._alpha), empty, self._world.over and not empty, info

    def render(self) -> Any:
        """Return the mask as a picture: food is light."""
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return np.repeat(self._world.mask(256)[:, :, None].astype(np.uint8) * 255, 3, axis=2)


def _observed(mask: Mask) -> NDArray[np.int8]:
    return mask.astype(np.int8)


if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point="handup.domains.plate.env:PlateEnv")
