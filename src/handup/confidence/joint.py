"""One promise over several modules: that all their sets hold the right option at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.conformal import ConformalSets
from handup.confidence.sample import Sample
from handup.core import BadData, BadSetting


def split_evenly(target_coverage: float, modules: int) -> float:
    """The target of each module under which all of them hold together: 1 − ε / N (Bonferroni).

    Use it where modules were calibrated on rows of their own. It assumes nothing about how their errors hang together,
    and so asks for more than is needed.
    """
    if modules < 1:
        raise BadSetting(f"there are {modules} modules", hint="Give at least one.")
    return 1.0 - (1.0 - target_coverage) / modules


def calibrate_jointly(
    modules: Mapping[str, tuple[ArrayLike, Sequence[int]]],
    *,
    target_coverage: float = 0.9,
    confidence: float | None = None,
) -> ConformalSets:
    """One threshold for all modules, from episodes in which each of them was observed.

    Calibrates on the minimum: the lowest score that any module gave to its right option, episode by episode. Use it
    where whole episodes were recorded; it costs nothing where errors come together.

    Args:
        modules: For each, the option scores and the right options; row i is episode i in all of them.
        target_coverage: How often all sets at once are to hold their right options.
        confidence: As for `ConformalSets.calibrate`.

    Raises:
        BadData: Modules have different numbers of episodes.
    """
    lowest = []
    for options, target in modules.values():
        sample = Sample.of_options(options, np.asarray(target))
        if sample.target is not None:
            lowest.append(sample.raw[np.arange(len(sample)), sample.target])
    if not lowest or not len(lowest[0]) or len({len(each) for each in lowest}) != 1:
        raise BadData("modules have different numbers of episodes", hint="Give one row per episode for each.")
    minimum = np.min(lowest, axis=0)
    return ConformalSets.of_right_scores([minimum], target_coverage=target_coverage, confidence=confidence)
