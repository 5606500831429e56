"""`never`: ask nothing. The baseline that shows what asking is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.what.base import SELECTORS, Selection, Situation


@SELECTORS.register
@dataclass(frozen=True)
class Never:
    """Selects nothing, ever."""

    name: ClassVar[str] = "never"

    def select(self, situation: Situation) -> Selection:
        """None."""
        return Selection(None, "This selector never asks.", np.full(len(situation.open), np.nan), 0.0)
