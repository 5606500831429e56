"""Writes the golden entries of the memory's present format: `python -m tests.memory.make_golden`.

Golden files are kept for ever: one that is there is never written over. For a new format, raise VERSION and keep the
old files and their test.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handup.core import ManualClock
from handup.journal import Journal
from handup.memory import Memory, MemorySettings, Remembered, Source
from tests.memory.inputs import plate

VERSION = 1
FOLDER = Path(__file__).parent / "golden"


def tell(journal: Journal, clock: ManualClock) -> Memory:
    """A course with every kind of entry."""
    memory = Memory(journal, MemorySettings(most=3))
    source = Source(question="lunch/food/1", run="lunch", picture="plate-1.png")
    first = memory.remember("food", plate(0), "plum", by="Ana", whose=["Maya"], source=source)
    memory.remember("food", plate(0, 0.95, aside=3), "fig", by="Ana")
    memory.confirm(first.id, evidence="lunch/act/1", run="lunch")
    clock.advance(60.0)
    memory.contradict(first.id, evidence="lunch/act/2", certainty=0.5, run="lunch")
    memory.remember("food", plate(0), "pear", by="Ben")
    memory.contradict(memory.remember("food", plate(4), "fig", by="Ben").id, by="Ana")
    for number in (1, 2):
        memory.remember("food", plate(number), "plum", by="Ana")
    memory.forget(memory.remember("skill", plate(1), "scoop", by="Ana").id, by="Ana")
    memory.remember("skill", plate(2), "twirl", by="Maya")
    memory.remember("skill", plate(2), "twirl", by="Gone")
    journal.erase("Gone")
    return memory


def plain(memory: Remembered) -> dict[str, Any]:
    """A memory as a record."""
    return {
        "id": memory.id,
        "module": memory.module,
        "label": memory.label,
        "by": memory.by,
        "whose": list(memory.whose),
        "at_s": memory.at_s,
        "question": memory.source.question,
        "run": memory.source.run,
        "picture": memory.source.picture,
        "encoder": [memory.encoder.name, memory.encoder.dimension, memory.encoder.digest],
        "trust": round(memory.trust.value, 12),
        "status": str(memory.status),
    }


def main() -> None:
    """Write the files."""
    path = FOLDER / f"memory-v{VERSION}.jsonl"
    if path.exists():
        sys.exit(f"{path.name} is there already and is kept for ever")
    clock = ManualClock(1_790_000_000.0)
    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "journal.db", clock=clock) as journal:
        memory = tell(journal, clock)
        lines = [
            {"seq": row.seq, "at_s": row.at_s, "run": row.run, "kind": row.kind, "version": row.version, "body": body}
            for row, body in journal.bodies()
        ]
        memory.refresh()
        state = [plain(each) for each in memory._shelves.memories.values()]
    FOLDER.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    path.with_suffix(".state.json").write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{path.name}: {len(lines)} entries\n")


if __name__ == "__main__":
    main()
