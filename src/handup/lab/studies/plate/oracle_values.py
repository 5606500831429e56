"""Values that the fair oracle found on the plates of the studies: they take longer to make than all other rows.

A file for each food holds, for each plate, the worth of each opening after the actions that the oracle did, from the
lines of `python -m benchmarks.plate gate`. Other plates are valued when they are asked for, in some 15 s of processor
time each.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from handup.core import BadRecord
from handup.domains.plate.engines import engine_of, plate_of
from handup.domains.plate.oracles import DRAWS, clear_fairly
from handup.domains.plate.policies import TUNED
from handup.domains.plate.primitives import PlateFood

SCORED: Mapping[PlateFood, int] = {PlateFood.NOODLES: 930_000, PlateFood.BEANS: 910_032}
"""First seeds of the plates on which policies are compared. Nothing is tuned on them.

The first 22 plates of beans calibrated how sure the learned difference is, and helped to find a mistake in its
training.
"""


def constants_digest(food: PlateFood) -> str:
    """Hash the constants of a food's physics, and the tuned policies, of which one goes on in roll-outs."""
    return hashlib.sha256(repr((engine_of(food).physics, TUNED[food])).encode()).hexdigest()[:12]


def _file(food: PlateFood) -> Path:
    return Path(__file__).with_name(f"oracle-{food}.json.xz")


def oracle_digest() -> str:
    """Hash the values of both foods."""
    whole = hashlib.sha256()
    for food in PlateFood:
        whole.update(_file(food).read_bytes() if _file(food).exists() else b"none")
    return whole.hexdigest()[:12]


@cache
def oracle_values(food: PlateFood) -> Mapping[int, Mapping[str, Mapping[str, tuple[float, float, int]]]]:
    """Return, by plate and by the actions that were done, the mean, standard error and draws of each opening.

    The best opening comes first.

    Raises:
        BadRecord: The values are of other constants of the physics.
    """
    if not _file(food).exists():
        return {}
    record = json.loads(lzma.decompress(_file(food).read_bytes()))
    if record["constants"] != constants_digest(food):
        cause = f"the oracle's values of {food} must be of the physics as it is, got {record['constants']}"
        raise BadRecord(
            cause, hint="Make them anew by `python -m benchmarks.plate gate --json FILE`, then `pack --json FILE`."
        )
    return {int(seed): values for seed, values in record["plates"].items()}


def oracle_letters(food: PlateFood, seed: int) -> str:
    """Return what the fair oracle does on a plate, with the letters of `FixedSequence`."""
    kept = oracle_values(food).get(seed)
    if kept is None:
        return "".join(outcome.primitive.value[0] for outcome in clear_fairly(plate_of(food, seed), draws=DRAWS))
    letters = ""
    while letters in kept:
        letters += next(iter(kept[letters]))[0]
    return letters


def pack(food: PlateFood, lines: Path) -> Path:
    """Write the file of a food from the lines of the gate; return its path."""
    plates = {}
    for line in map(json.loads, lines.read_text(encoding="utf-8").splitlines()):
        if (line["food"], line["constants"], line["draws"]) != (str(food), constants_digest(food), DRAWS):
            raise BadRecord(
                f"{lines} must hold lines of {food} as it is, with {DRAWS} draws", hint="Run the gate again."
            )
        plates[str(line["seed"])] = line["values"]
    record = {"schema": 1, "food": str(food), "constants": constants_digest(food), "draws": DRAWS, "plates": plates}
    path = _file(food)
    path.write_bytes(lzma.compress(json.dumps(record, separators=(",", ":")).encode(), preset=9))
    return path
