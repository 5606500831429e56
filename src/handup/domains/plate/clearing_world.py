"""A plate of noodles or beans to be cleared: look, act, look again; copy it, save it, go on.

Same seed and actions, same plate, bit for bit, also after `load`: the noise of an action comes from the seed and from
how many actions went before it, and never from a running stream.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, OutOfRange
from handup.domains.plate.low_level import PIXELS, aim_at, pixels_of
from handup.domains.plate.primitives import (
    Aim,
    Floats,
    Mask,
    Moved,
    PlateFood,
    PlateOutcome,
    PlatePrimitive,
    PlateShapes,
)

SCHEMA, KIND = 1, "clearing-world"
LAYS, MOVES = 0, 1
"""Kinds of chance; each action has random numbers of its own."""
Watcher = Callable[[float], object]
"""Function that is called with the simulated seconds of a motion so far, some thirty times a second. It may raise."""


@dataclass(frozen=True, kw_only=True)
class ExecutionNoise:
    """Errors of the arm, standard deviations, as in the feeding world.

    Args:
        place_m: Of each coordinate of a place.
        turn_rad: Of a direction.
    """

    place_m: float = 0.0012
    turn_rad: float = math.radians(3.0)


class PlateEngine(Protocol):
    """Physics of one food. Nothing in it is drawn by chance but in `lay`; food is counted in shares of a full plate."""

    food: PlateFood
    physics: Any
    """Constants, a frozen dataclass: its words tell values of other physics apart."""

    def lay(self, random: np.random.Generator) -> None:
        """Lay a new plate, and let it come to rest."""
        ...

    def footprint(self) -> Floats:
        """Return points of the food seen from above, n × 2 in metres, no further apart than 1 mm."""
        ...

    def left(self) -> float:
        """Return the share of the full plate that is on it."""
        ...

    def shapes(self) -> PlateShapes:
        """Return food and tools as they are now. A watcher may call it in the middle of a motion."""
        ...

    def execute(self, primitive: PlatePrimitive, aim: Aim, watcher: Watcher | None = None) -> Moved:
        """Do a primitive exactly at an aim, and let the food come to rest. What was picked up is gone afterwards.

        A motion that the watcher ends by raising leaves the plate as it was before.
        """
        ...

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return everything that changes, as copies."""
        ...

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` returned."""
        ...

    def twin(self) -> Self:
        """Return another engine with the same constants, whose plate is nobody's yet: `restore` it."""
        ...


class ClearingWorld:
    """A plate that is to be cleared in a number of actions.

    Args:
        engine: Physics of the food; `engine_of` makes the usual one.
        seed: Source of everything that chance decides, at least 0.
        noise: Errors of the arm.

    Raises:
        OutOfRange: The seed is below 0.
    """

    def __init__(self, engine: PlateEngine, *, seed: int, noise: ExecutionNoise | None = None) -> None:
        if seed < 0:
            raise OutOfRange.of("seed", seed, "be a whole number from 0 on", hint="Give such a number.")
        self.engine, self.seed, self.noise = engine, seed, noise or ExecutionNoise()
        self.noise_seed = seed
        self.actions = 0
        engine.lay(np.random.default_rng((seed, LAYS)))

    @property
    def food(self) -> PlateFood:
        """The food."""
        return self.engine.food

    @property
    def over(self) -> bool:
        """True once all actions are used up, or nothing is left."""
        return self.actions >= self.food.actions or not self.engine.left()

    def mask(self, pixels: int = PIXELS) -> Mask:
        """Return the food from above."""
        return pixels_of(self.engine.footprint(), pixels)

    def act(self, primitive: PlatePrimitive, aim: Aim | None = None, watcher: Watcher | None = None) -> PlateOutcome:
        """Do a primitive, with the errors of the arm.

        Args:
            primitive: What to do.
            aim: Where; where the low level says by the true mask, if it is left out. Without food nothing happens.
            watcher: Looks on.
        """
        mask = self.mask()
        meant = aim or aim_at(mask) or Aim(dense_m=(0.0, 0.0), far_m=(0.0, 0.0))
        done = self._missed(meant)
        moved = self.engine.execute(primitive, done, watcher) if mask.any() else Moved()
        self.actions += 1
        return PlateOutcome(
            primitive=primitive,
            aim=meant,
            moved=moved,
            covered=float(mask.mean()),
            covers=float(self.mask().mean()),
            left=self.engine.left(),
        )

    def _missed(self, aim: Aim) -> Aim:
        """Return where the arm really goes."""
        error = np.random.default_rng((self.noise_seed, MOVES, self.actions)).standard_normal(5).tolist()
        place, turn = self.noise.place_m, self.noise.turn_rad
        return Aim(
            dense_m=(aim.dense_m[0] + place * error[0], aim.dense_m[1] + place * error[1]),
            far_m=(aim.far_m[0] + place * error[2], aim.far_m[1] + place * error[3]),
            grain_rad=aim.grain_rad + turn * error[4],
        )

    def copy(self, noise_seed: int | None = None) -> Self:
        """Return the same plate once more, to try something on.

        Args:
            noise_seed: Seed of the arm's errors from now on; the present one where it is None.
        """
        twin = object.__new__(type(self))
        twin.engine, twin.seed, twin.noise, twin.actions = self.engine.twin(), self.seed, self.noise, self.actions
        twin.noise_seed = self.noise_seed if noise_seed is None else noise_seed
        twin.engine.restore(self.engine.arrays())
        return twin

    def save(self) -> dict[str, Any]:
        """Return all that changes, as a record for JSON; `load` it into a world built with the same arguments."""
        arrays = {
            name: {"type": array.dtype.str, "shape": list(array.shape), "data": b64encode(array.tobytes()).decode()}
            for name, array in self.engine.arrays().items()
        }
        of = {"food": str(self.food), "seed": self.seed, "noise_seed": self.noise_seed}
        return {"schema": SCHEMA, "kind": KIND, "of": of, "actions": self.actions, "arrays": arrays}

    def load(self, record: Mapping[str, Any]) -> None:
        """Go on from a record that `save` made.

        Raises:
            BadRecord: It has another schema, is damaged, or is of another plate.
        """
        of = {"food": str(self.food), "seed": self.seed, "noise_seed": self.noise_seed}
        hint = "Give all of what ClearingWorld.save returned, unchanged, to a world built as that one was."
        if record.get("schema") != SCHEMA or record.get("kind") != KIND or record.get("of") != of:
            raise BadRecord(f"the record must be of this plate ({of}), got {record.get('of')}", hint=hint)
        try:
            arrays = {
                name: np.frombuffer(b64decode(part["data"], validate=True), part["type"]).reshape(part["shape"]).copy()
                for name, part in record["arrays"].items()
            }
            actions, expected = int(record["actions"]), self.engine.arrays()
            fits = {name: (array.dtype, array.ndim) for name, array in arrays.items()} == {
                name: (array.dtype, array.ndim) for name, array in expected.items()
            }
            if not fits or not 0 <= actions <= self.food.actions:
                raise ValueError("the arrays are of another engine")
            self.engine.restore(arrays)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadRecord(f"the record of a plate is damaged: {error}", hint=hint) from error
        self.actions = actions
