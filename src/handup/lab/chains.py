"""Chains of real streams of scores: each stream a module, each held-out row an output of it.

*Real scores in a synthetic composition*: scores and what was right are measured; that the streams stand in a chain,
what a question costs and how often an answer is right is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.confidence import ConformalSets, Sample, calibrator, select, split_evenly
from handup.lab.streams import Stream
from handup.lab.world import MOST_ASKED, Block, Matrix, Truths
from handup.people import BITE, WorkloadModel

MOST_MODULES = 4
CALIBRATED, RAW, PLATT, INTERVAL = "calibrated", "raw", "platt", "interval"
SAID = (CALIBRATED, RAW, PLATT, INTERVAL)
"""Where confidences come from: the method that `auto` chooses; the top score as it is; two methods by name."""
COVERAGE = 0.9
"""Of the conformal sets of all modules of a chain together."""
CLIP = 0.01
"""No confidence is nearer to 0 or 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """Episodes that share streams, calibration rows and costs. Arrays are indexed by module and episode.

    A chain of fewer modules is the beginning of this one.

    Args:
        streams: Which stream each module is.
        chosen: Which method `auto` chose for each.
        said: Confidences, by where they come from.
        sizes: Options in the conformal sets, for a chain of 1, 2, … modules: the more, the larger the sets.
        works: Whether the module's output was right.
        imagined: Whether it would be if the calibrated confidences were true: drawn, not measured.
        costs: q0 of the question about each module.
        luck: As in `Block`.
    """

    streams: tuple[int, ...]
    chosen: tuple[str, ...]
    said: dict[str, Matrix]
    sizes: tuple[NDArray[np.int64], ...]
    works: Truths
    imagined: Truths
    costs: NDArray[np.float64]
    luck: Matrix

    def block(self, modules: int, said: str, *, imagined: bool = False) -> Block:
        """The episodes with so many modules, for the batch simulator."""
        works = (self.imagined if imagined else self.works)[:modules]
        costs = np.broadcast_to(self.costs[:modules, None], works.shape)
        return Block(self.said[said][:modules], costs, works, self.luck[:, :modules])

    def reliability(self, modules: int, said: str) -> NDArray[np.float64]:
        """The probability that acting alone succeeds, as the confidences have it."""
        return np.asarray(self.said[said][:modules].prod(axis=0))

    def alone(self, modules: int) -> Truths:
        """Whether acting alone succeeds."""
        return np.asarray(self.works[:modules].all(axis=0))


def draw_chain(streams: Sequence[Stream], *, number: int, episodes: int, seed: int) -> Chain:
    """One chain: streams, calibration rows, held-out rows, costs and answers by chance.

    Args:
        streams: At least four.
        number: Which chain of the study.
        episodes: Rows of each stream to take as outputs; each at most once where there are enough.
        seed: Of the study.
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    picked = random.permutation(len(streams))[:MOST_MODULES]
    questions = random.permutation(len(BITE))[:MOST_MODULES]
    features, model = list(BITE.values()), WorkloadModel()
    said: dict[str, list[NDArray[np.float64]]] = {each: [] for each in SAID}
    chosen, works, sizes = [], [], []
    for stream in (streams[each] for each in picked):
        order = random.permutation(len(stream.sample))
        known, rest = stream.sample.take(order[: stream.rows]), stream.sample.take(order[stream.rows :])
        new = rest.take(random.choice(len(rest), size=episodes, replace=len(rest) < episodes))
        chosen.append(select(known, seed=number).method)
        for each, method in ((CALIBRATED, chosen[-1]), (RAW, "identity"), (PLATT, PLATT), (INTERVAL, INTERVAL)):
            said[each].append(calibrator(method).fit(known).probabilities(new.raw).clip(CLIP, 1.0 - CLIP))
        works.append(new.right)
        sizes.append([_sizes(known, new, modules) for modules in range(1, MOST_MODULES + 1)])
    shape = (MOST_MODULES, episodes)
    luck = random.random((MOST_ASKED, *shape))
    confidences = {each: np.array(rows) for each, rows in said.items()}
    return Chain(
        streams=tuple(int(each) for each in picked),
        chosen=tuple(chosen),
        said=confidences,
        sizes=tuple(np.array([own[m] for own in sizes[: m + 1]]) for m in range(MOST_MODULES)),
        works=np.array(works),
        imagined=random.random(shape) < confidences[CALIBRATED],
        costs=np.array([model.base(features[each]) for each in questions]),
        luck=luck,
    )


def _sizes(known: Sample, new: Sample, modules: int) -> NDArray[np.int64]:
    """Options in the sets of new rows, where so many modules are to be covered together."""
    target = split_evenly(COVERAGE, modules)
    assert known.target is not None
    sets = ConformalSets.calibrate(known.raw, known.target, target_coverage=target)
    return np.asarray(sets.sets(new.raw).sum(axis=1))
