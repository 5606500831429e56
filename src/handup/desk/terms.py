"""How long things may take and how many there may be, all in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from handup.core import BadSetting


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a desk allows.

    Args:
        lease_s: How long a claim lasts where nothing is said.
        longest_lease_s: How long one may last at most; longer ones are cut.
        renewal_share: A claim by whoever holds it already is written only where it lasts longer by this share of it.
        not_now_s: How long *not now* puts a question off where nothing is said.
        longest_not_now_s: How long at most; longer ones are cut.
        most_waiting: So many questions may wait for an answer; another one is refused to whoever asks.
        longest_text: So many characters may a token, a device or a reason have.
        snapshot_every: So many entries after the last snapshot another one is made.
        look_every_s: How often `Desk.wait` looks at the clock while nothing happens, in real seconds.

    Raises:
        BadSetting: A number that is not above zero.
    """

    lease_s: float = 120.0
    longest_lease_s: float = 3600.0
    renewal_share: float = 0.1
    not_now_s: float = 600.0
    longest_not_now_s: float = 86400.0
    most_waiting: int = 10_000
    longest_text: int = 500
    snapshot_every: int = 500
    look_every_s: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (value > 0 and math.isfinite(value)):
                raise BadSetting(f"{field.name} is {value}", hint="Give a number above zero.")
