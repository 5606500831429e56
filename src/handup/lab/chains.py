"""Chains of real streams of scores: each stream a module, each held-out row an output of it.

*Real scores in a synthetic composition*: scores and what was right are measured; that the streams stand in a chain,
what a question costs and how often an answer is right is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handup.confidence import ConformalSets, Sample, ScoreKind, calibrator, parse_rows, select, split_evenly
from handup.core import BadData
from handup.lab.batch import ACT, Decider, Indices, Running
from handup.lab.world import MOST_ASKED, EpisodeBlock, Matrix, Truths
from handup.people import BITE, WorkloadModel

KNOWNO = "knowno"
FOLDER = "module-scores"
"""Folder of the streams in the shared data."""
ROWS, MORE_ROWS = 60, 100
"""Rows of a stream for calibration; the longest has more."""
LONGEST = 3
HELD_OUT = 20
"""Least number of rows that are left to score on."""
LEAST_PER_CLASS = 10
LEAST_STREAMS, MOST_STREAMS = 4, 100
MOST_MODULES = 4
SIZES = tuple(range(1, MOST_MODULES + 1))
CALIBRATED, RAW, PLATT, INTERVAL = "calibrated", "raw", "platt", "interval"
SAID = (CALIBRATED, RAW, PLATT, INTERVAL)
"""Sources of confidences: the method that `auto` chooses; the top score as it is; two methods by name."""
COVERAGE = 0.9
"""Coverage of the conformal sets of all modules of a chain together."""
CLIP = 0.01
"""Least distance of a confidence from 0 and 1."""


@dataclass(frozen=True, eq=False)
class Stream:
    """One module's scores.

    Args:
        name: Name of its file, without the ending.
        sample: The rows.
        rows: Number of rows for calibration.
    """

    name: str
    sample: Sample
    rows: int


def read_streams(folder: Path) -> tuple[Stream, ...]:
    """Return all streams of a folder, by name: CSV files with option scores `p_…` and the right option `target`.

    Args:
        folder: The folder of the files, or one that holds it as `module-scores`.

    Raises:
        BadData: No such folder, too few streams, or a stream that cannot be used; the message says which.
    """
    place = folder / FOLDER if (folder / FOLDER).is_dir() else folder
    if not place.is_dir():
        raise BadData(f"there is no folder '{folder}'", hint="Give --data the folder with the streams of scores.")
    paths = sorted(place.glob("*.csv"))
    if not LEAST_STREAMS <= len(paths) <= MOST_STREAMS:
        wanted = f"{LEAST_STREAMS} to {MOST_STREAMS} files of option scores (columns p_…,target)"
        raise BadData(f"'{folder}' has {len(paths)} CSV files", hint=f"Give a folder with {wanted}.")
    samples = {path.stem: _read_stream(path) for path in paths}
    longest = sorted(samples, key=lambda name: -len(samples[name]))[:LONGEST]
    return tuple(
        Stream(name, sample, MORE_ROWS if name in longest and len(sample) >= MORE_ROWS + HELD_OUT else ROWS)
        for name, sample in samples.items()
    )


def _read_stream(path: Path) -> Sample:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadData("this is no readable UTF-8 text", hint="Check the file.", file=path.name) from None
    sample = parse_rows(text, path.name)
    if sample.kind is not ScoreKind.OPTIONS:
        raise BadData("these are no option scores", hint="Columns are p_…,target.", file=path.name)
    right = int(sample.right.sum())
    if len(sample) < ROWS + HELD_OUT or min(right, len(sample) - right) < LEAST_PER_CLASS:
        raise BadData(
            f"it has {len(sample)} rows, {right} of them right",
            hint=f"Give {ROWS + HELD_OUT} rows or more, {LEAST_PER_CLASS} of them right and as many wrong.",
            file=path.name,
        )
    return sample


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """Episodes that share streams, calibration rows and costs. Arrays are indexed by module and episode.

    A chain of fewer modules is the beginning of this one.

    Args:
        streams: Stream of each module.
        chosen: Method that `auto` chose for each module.
        said: Confidences by their source, one of `SAID`.
        sizes: Options in the conformal sets, for a chain of 1, 2, … modules: the more, the larger the sets.
        works: True where the module's output was right.
        imagined: True where it would be if the calibrated confidences were true: drawn, not measured.
        costs: q0 of the question about each module.
        luck: As in `EpisodeBlock`.
    """

    streams: tuple[int, ...]
    chosen: tuple[str, ...]
    said: dict[str, Matrix]
    sizes: tuple[NDArray[np.int64], ...]
    works: Truths
    imagined: Truths
    costs: NDArray[np.float64]
    luck: Matrix

    def block(self, modules: int, said: str, *, imagined: bool = False) -> EpisodeBlock:
        """Return the episodes with so many modules, for the batch simulator."""
        works = (self.imagined if imagined else self.works)[:modules]
        costs = np.broadcast_to(self.costs[:modules, None], works.shape)
        return EpisodeBlock(self.said[said][:modules], costs, works, self.luck[:, :modules])


def draw_chain(streams: Sequence[Stream], *, number: int, episodes: int, seed: int) -> Chain:
    """Draw one chain: streams, calibration rows, held-out rows, costs and answers by chance.

    Args:
        streams: At least four.
        number: Number of the chain in the study.
        episodes: Rows of each stream to take as outputs; each at most once where there are enough.
        seed: Seed of the study.
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    picked = random.permutation(len(streams))[:MOST_MODULES]
    questions = random.permutation(len(BITE))[:MOST_MODULES]
    features, model = list(BITE.values()), WorkloadModel()
    by_source: dict[str, list[NDArray[np.float64]]] = {source: [] for source in SAID}
    chosen, works, sizes = [], [], []
    for stream in (streams[index] for index in picked):
        order = random.permutation(len(stream.sample))
        known, rest = stream.sample.take(order[: stream.rows]), stream.sample.take(order[stream.rows :])
        new = rest.take(random.choice(len(rest), size=episodes, replace=len(rest) < episodes))
        chosen.append(select(known, seed=number).method)
        for source, method in ((CALIBRATED, chosen[-1]), (RAW, "identity"), (PLATT, PLATT), (INTERVAL, INTERVAL)):
            by_source[source].append(calibrator(method).fit(known).probabilities(new.raw).clip(CLIP, 1.0 - CLIP))
        works.append(new.right)
        sizes.append([_sizes(known, new, modules) for modules in SIZES])
    shape = (MOST_MODULES, episodes)
    luck = random.random((MOST_ASKED, *shape))
    confidences = {source: np.array(rows) for source, rows in by_source.items()}
    return Chain(
        streams=tuple(int(index) for index in picked),
        chosen=tuple(chosen),
        said=confidences,
        sizes=tuple(np.array([own[m] for own in sizes[: m + 1]]) for m in range(MOST_MODULES)),
        works=np.array(works),
        imagined=random.random(shape) < confidences[CALIBRATED],
        costs=np.array([model.base(features[index]) for index in questions]),
        luck=luck,
    )


def _sizes(known: Sample, new: Sample, modules: int) -> NDArray[np.int64]:
    """Return the numbers of options in the sets of new rows, where so many modules are to be covered together."""
    target = split_evenly(COVERAGE, modules)
    assert known.target is not None
    sets = ConformalSets.calibrate(known.raw, known.target, target_coverage=target)
    return np.asarray(sets.sets(new.raw).sum(axis=1))


@dataclass(frozen=True, eq=False)
class BySets(Decider):
    """The conformal way to ask (KnowNo): about every module whose set is not a single option, then act.

    It looks at nothing but the sets: an answer settles its module, whatever it said, and after a failure it acts again.

    Args:
        unsure: For each module, True where its set is not a single option, for each episode of the block.
    """

    unsure: Truths

    def choose(self, running: Running, time_left: int) -> Indices:
        """Choose the upstream-most unsure module that was not asked about, or else to act."""
        open_ = self.unsure[:, running.episode] & (running.asked == 0)
        return np.where(open_.any(axis=0), open_.argmax(axis=0), ACT)
