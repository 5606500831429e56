"""The usual engine of each food. Neither is imported before it is needed."""

from __future__ import annotations

from handup.domains.plate.clearing_world import ClearingWorld, PlateEngine
from handup.domains.plate.primitives import PlateFood


def engine_of(food: PlateFood | str) -> PlateEngine:
    """Return the physics of a food, with its usual constants.

    Raises:
        MissingExtra: Beans need MuJoCo, of the extra `sim`.
    """
    if PlateFood(food) is PlateFood.NOODLES:
        from handup.domains.plate.noodles import Noodles  # noqa: PLC0415

        return Noodles()
    from handup.domains.plate.beans import BeanEngine  # noqa: PLC0415 - belongs to an extra

    return BeanEngine()


def plate_of(food: PlateFood | str, seed: int) -> ClearingWorld:
    """Return a full plate of a food."""
    return ClearingWorld(engine_of(food), seed=seed)
