"""What the processes of a scenario share outside the journal: a clock that jumps, a flag, files that only grow."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path

START_S = 1_000_000.0


class SharedClock:
    """The time in memory that forked processes share. It moves when somebody moves it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 16)
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        struct.pack_into("dq", self._memory, 0, START_S, 0)

    def now_s(self) -> float:
        """The time."""
        return float(struct.unpack_from("d", self._memory, 0)[0])

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        struct.pack_into("d", self._memory, 0, self.now_s() + seconds)

    @property
    def over(self) -> bool:
        """Whether devices may end."""
        return bool(struct.unpack_from("q", self._memory, 8)[0])

    def finish(self) -> None:
        """Tell the devices to end."""
        struct.pack_into("q", self._memory, 8, 1)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a scenario happens.

    Args:
        store: The journal's store.
        folder: The outside: effects, and what devices have sent and were told.
        clock: The time.
    """

    store: str
    folder: Path
    clock: SharedClock = field(default_factory=SharedClock)

    @property
    def effects(self) -> Path:
        """What the robot did to the world."""
        return self.folder / "effects.jsonl"

    @property
    def state(self) -> Path:
        """The desk's state as the last program knew it."""
        return self.folder / "state.json"

    def outbox(self, device: str) -> Path:
        """What a device made and what receipts it got."""
        return self.folder / f"outbox-{device}.jsonl"
