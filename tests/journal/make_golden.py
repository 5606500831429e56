"""Makes the golden journal of the current format. Run once per format; what it made is kept for ever.

Usage: python -m tests.journal.make_golden VERSION
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from handup.core import EventType, ManualClock
from handup.core.event import _BY_CLASS
from handup.journal import Journal, export
from tests.journal.kinds import Met, Noted, Said, Weighed

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True, kw_only=True)
class WeighedOnce:
    """`test.weighed` in its first version."""

    what: str
    weight: float


@dataclass(frozen=True, kw_only=True)
class WeighedTwice:
    """`test.weighed` in its second."""

    what: str
    weight_g: float


def write(path: Path) -> None:
    """A journal with everything in it that a journal can hold."""
    clock = ManualClock(1_700_000_000.25)
    for version, made in ((1, WeighedOnce), (2, WeighedTwice)):
        _BY_CLASS[made] = EventType("test.weighed", version, made)
    try:
        with Journal.open(path, clock=clock) as journal:
            journal.append(Noted(text="naïve ☕ \0", number=0.1), run="meal-1")
            journal.append(
                Said(by="Ann", words="Ja, bitte"), Said(by="Bob", words="gone"), run="meal-1", key="meal-1/q/1"
            )
            clock.advance(60.5)
            journal.append(
                Met(who=("Ann", "Bob"), where="gone too", notes={"a": "b"}), Met(who=("Ann",), where="kitchen")
            )
            journal.erase("Bob")
            journal.append(WeighedOnce(what="pea", weight=0.25), WeighedTwice(what="bean", weight_g=1.5))
            journal.append(Weighed(what="plum", weight_g=40.0, by="Ann"))
            journal.save_snapshot("desk", 9, {"open": ["meal-1/q/1"]})
    finally:
        for made in (WeighedOnce, WeighedTwice):
            del _BY_CLASS[made]
    for ending in (".lock", ".witness"):
        path.with_name(path.name + ending).unlink()


if __name__ == "__main__":
    made = GOLDEN / f"journal-v{int(sys.argv[1])}.db"
    if made.exists():
        sys.exit(f"{made.name} is there already and is kept for ever")
    write(made)
    with Journal.open(made, readonly=True) as written:
        export(written, made.with_suffix(".jsonl"))
