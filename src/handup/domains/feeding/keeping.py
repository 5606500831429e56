"""What a saved plate must hold before a world goes on from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handup.core import BadRecord, BadSetting
from handup.domains.feeding.plates import Plate
from handup.domains.feeding.scene import Scene

SCHEMA, KIND = 1, "feeding-world"
KEPT: Mapping[str, type | tuple[type, ...]] = {
    "executions": int,
    "unstable": int,
    "state": Sequence,
    "heaps": Sequence,
    "eaten": Sequence,
    "load": Mapping,
    "welds": Sequence,
    "of_heap": Sequence,
    "flat": bool,
}
OF: Mapping[str, type] = {"plate": str, "pieces": Mapping, "seed": int, "looks": str}
NUMBERS = ("state", "heaps", "eaten", "load", "welds")
GIVE = "Give all of what World.save returned, unchanged."


def check(record: Mapping[str, Any]) -> None:
    """Refuse what is no whole record of this schema.

    Raises:
        BadRecord: It is of another schema, or damaged.
    """
    if not isinstance(record, Mapping) or record.get("kind") != KIND or record.get("schema") != SCHEMA:
        raise BadRecord("this is no saved plate of this version", hint="Give what World.save returned.")
    of = record.get("of")
    gone = [name for name, kind in KEPT.items() if not isinstance(record.get(name), kind)]
    gone += [name for name, kind in OF.items() if not isinstance(of, Mapping) or not isinstance(of.get(name), kind)]
    if gone:
        raise BadRecord(f"a saved plate without its {', '.join(gone)}", hint=GIVE)
    odd = [name for name in NUMBERS if not all(map(_is_number, _leaves(record[name])))]
    if odd or record["executions"] < 0 or record["unstable"] < 0:
        raise BadRecord(f"a saved plate with damaged numbers in {', '.join(odd) or 'its counts'}", hint=GIVE)


def check_fits(record: Mapping[str, Any], scene: Scene, state: int) -> None:
    """Refuse a record whose parts are not of a scene's sizes, before anything of it is taken over.

    Args:
        record: One that `check` let pass.
        scene: What it is to be taken over into.
        state: How many numbers the state of its physics has.

    Raises:
        BadRecord: One is not.
    """
    heaps, weld = [each.heap.heights_m.size for each in scene.mounds], scene.model.eq_data.shape[1]
    of_heap, load, known = record["of_heap"], record["load"], {str(number) for number in range(len(scene.pieces))}
    fitting = {
        "state": len(record["state"]) == state,
        "heaps": [_length(each) for each in record["heaps"]] == heaps,
        "eaten": {str(each) for each in record["eaten"]} <= known,
        "load": set(load) <= known,
        "welds": [_length(each) for each in record["welds"]] == [weld] * len(load),
        "of_heap": len(of_heap) == 3
        and (of_heap[0] is None or of_heap[0] in range(len(heaps)))
        and all(map(_is_number, of_heap[1:])),
    }
    odd = [name for name, fits in fitting.items() if not fits]
    if odd:
        raise BadRecord(f"a saved plate whose {', '.join(odd)} cannot be of this plate", hint=GIVE)


def of_world(plate: Plate, *, seed: int, looks: str, kitchen: int | None) -> dict[str, Any]:
    """What a record is of: how its world was built. A world in no kitchen looks as it did before there were any."""
    pieces = {food: list(numbers) for food, numbers in plate.pieces.items()}
    of = {"plate": plate.name, "pieces": pieces, "seed": seed, "looks": looks}
    return of if kitchen is None else {**of, "kitchen": kitchen}


def plate_in(of: Mapping[str, Any]) -> Plate:
    """The plate that a record is of.

    Raises:
        BadRecord: There is no such plate.
    """
    try:
        return Plate(of["plate"], {food: (int(low), int(high)) for food, (low, high) in of["pieces"].items()})
    except (BadSetting, TypeError, ValueError) as error:
        raise BadRecord(f"a saved plate that cannot be: {getattr(error, 'cause', error)}", hint=GIVE) from None


def kitchen_in(of: Mapping[str, Any]) -> int | None:
    """The kitchen that a record is of; None where it names none.

    Raises:
        BadRecord: It is no number.
    """
    kitchen = of.get("kitchen")
    if kitchen is not None and (not isinstance(kitchen, int) or kitchen < 0):
        raise BadRecord(f"a saved plate of the kitchen '{kitchen}'", hint=GIVE)
    return kitchen


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, Sequence) else -1
