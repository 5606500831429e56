"""The conformal way to ask (KnowNo): about every module whose set is not a single option, then act."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handup.lab.batch import ACT, Indices, Running
from handup.lab.world import Truths

NAME = "knowno"


@dataclass(frozen=True, eq=False)
class BySets:
    """A decider that looks at nothing but the sets; it learns nothing from a failure, and acts again.

    Args:
        unsure: Whether the set of each module is something else than one option, for each episode of the block.
    """

    unsure: Truths

    def choose(self, running: Running, time_left: int) -> Indices:
        """The upstream-most unsure module that was not asked about, or act."""
        open_ = self.unsure[:, running.episode] & (running.asked == 0)
        return np.where(open_.any(axis=0), open_.argmax(axis=0), ACT)

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """An answer settles its module, whatever it said."""

    def failed(self, episodes: Indices) -> None:
        """A failure changes no set."""
