"""What a saved plate must hold before a world goes on from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handup.core import BadRecord

SCHEMA, KIND = 1, "feeding-world"
KEPT = ("executions", "unstable", "state", "heaps", "eaten", "load", "welds", "of_heap", "flat")
OF = ("plate", "pieces", "seed", "looks")


def check(record: Mapping[str, Any]) -> None:
    """Refuse what is no whole record of this schema.

    Raises:
        BadRecord: It is of another schema, or damaged.
    """
    if record.get("kind") != KIND or record.get("schema") != SCHEMA:
        raise BadRecord("this is no saved plate of this version", hint="Give what World.save returned.")
    of = record.get("of")
    gone = [name for name in KEPT if name not in record]
    gone += [name for name in OF if not isinstance(of, Mapping) or name not in of]
    if gone:
        raise BadRecord(f"a saved plate without its {', '.join(gone)}", hint="Give all of what World.save returned.")
