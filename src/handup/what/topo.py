"""`topo`: walk down the policy from its input. A baseline that needs no confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.what.base import SELECTORS, Selection, Situation, none_left, only


@SELECTORS.register
@dataclass(frozen=True)
class Topo:
    """Selects the first open module in topological order. A module's value is its position."""

    name: ClassVar[str] = "topo"

    def select(self, situation: Situation) -> Selection:
        """The open module nearest to the input."""
        module = int(situation.open.argmax())
        if not situation.open[module]:
            return none_left(situation)
        positions = only(np.arange(len(situation.open), dtype=np.float64), situation.open)
        return Selection(module, f"'{situation.name(module)}' comes first of those not asked about yet.", positions)
