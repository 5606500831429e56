"""Conformal sets: the options that cannot be ruled out, with a promise of how often the right one is among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Bools, Floats, Ints, Sample, as_options
from handup.core import BadData, BadRecord, BadSetting, RawScore

SCHEMA = 1
WHAT = "handup-conformal-sets"
LEVEL = 0.9
"""Of the intervals of coverage that are shown."""


@dataclass(frozen=True, kw_only=True)
class ConformalSets:
    """Split conformal sets over the options of a module. Build with `calibrate`.

    A set with one option lets the robot act alone; anything else is a question *with the set as its choices*. On
    average over calibration sets of this size, the right option is in the set with probability `target_coverage` at
    least, as long as new rows come from where these came from. For one calibration set the coverage differs:
    `coverage_interval` says how much, and `confidence` asks for a threshold that holds with that confidence.

    Args:
        target_coverage: 1 − ε.
        thresholds: An option is in the set where its score reaches this: one number, or one per option.
        ranks: The rank of each threshold among the scores it came from, counted from the highest.
        sizes: How many rows each threshold came from.
        confidence: None for the promise on average; otherwise the confidence with which it holds for this very
            threshold.
    """

    target_coverage: float
    thresholds: tuple[float, ...]
    ranks: tuple[int, ...]
    sizes: tuple[int, ...]
    confidence: float | None = None

    def __post_init__(self) -> None:
        _check_share("target_coverage", self.target_coverage)
        if self.confidence is not None:
            _check_share("confidence", self.confidence)
        lengths = {len(self.thresholds), len(self.ranks), len(self.sizes)}
        if len(lengths) != 1 or not self.thresholds or not all(0.0 <= each <= 1.0 for each in self.thresholds):
            raise BadSetting("thresholds, ranks and sizes do not go together", hint="Calibrate the sets again.")

    @classmethod
    def calibrate(
        cls,
        options: ArrayLike,
        target: ArrayLike,
        *,
        target_coverage: float = 0.9,
        per_option: bool = False,
        confidence: float | None = None,
    ) -> ConformalSets:
        """Find the threshold (score of the right option, with the finite-sample correction).

        Args:
            options: Scores from 0 to 1, one row per output; not those a calibrator was fitted on.
            target: Position of the right option in each row.
            target_coverage: How often the right option is to be in the set.
            per_option: Keep the promise for each right option by itself (class-conditional): one threshold each.
                Options that were right in few rows are then in every set.
            confidence: Such as 0.9: let the promise hold with this confidence, not only on average.
        """
        sample = Sample.of_options(options, np.asarray(target))
        if sample.target is None or not len(sample):
            raise BadData("there are no rows", hint="Give rows to calibrate on.")
        of_right = sample.raw[np.arange(len(sample)), sample.target]
        groups = [sample.target == option for option in range(sample.raw.shape[1])]
        parts = [of_right[group] for group in groups] if per_option else [of_right]
        return cls.of_right_scores(parts, target_coverage=target_coverage, confidence=confidence)

    @classmethod
    def of_right_scores(
        cls, parts: list[Floats], *, target_coverage: float, confidence: float | None = None
    ) -> ConformalSets:
        """Sets from the scores of the right options; one threshold for each part."""
        ranks = tuple(rank_for(len(part), target_coverage, confidence) for part in parts)
        thresholds = tuple(
            float(np.sort(part)[::-1][rank - 1]) if rank <= len(part) else 0.0
            for part, rank in zip(parts, ranks, strict=True)
        )
        sizes = tuple(len(part) for part in parts)
        return cls(
            target_coverage=target_coverage, thresholds=thresholds, ranks=ranks, sizes=sizes, confidence=confidence
        )

    @property
    def threshold(self) -> float:
        """The lowest score with which an option can be in a set."""
        return min(self.thresholds)

    @property
    def coverage_interval(self) -> tuple[float, float]:
        """Where the coverage of this threshold lies with 90 % probability, over calibration sets of this size.

        From the Beta distribution; the widest over options where there is one threshold each.
        """
        found = [coverage_interval(rank, size) for rank, size in zip(self.ranks, self.sizes, strict=True)]
        return min(low for low, _ in found), max(high for _, high in found)

    @property
    def coverage_sd(self) -> float:
        """The standard deviation of that distribution: 0.05 for 60 rows and a target of 0.8."""
        return max(coverage_sd(rank, size) for rank, size in zip(self.ranks, self.sizes, strict=True))

    @property
    def guarantee(self) -> str:
        """The promise in one sentence, with how much the coverage varies beside it."""
        low, high = self.coverage_interval
        kept = "on average" if self.confidence is None else f"with {100.0 * self.confidence:g} % confidence"
        rows = self.sizes[0] if len(self.sizes) == 1 else f"{min(self.sizes)} to {max(self.sizes)}"
        each = "" if len(self.sizes) == 1 else ", for each option by itself"
        return (
            f"The right option is in the set with probability {self.target_coverage:g} or more {kept}{each}; with "
            f"{rows} rows the coverage of one calibration lies between {low:.2f} and {high:.2f} (90 %)."
        )

    def sets(self, options: ArrayLike) -> Bools:
        """Which options are in the set, one row per output."""
        raw = as_options(options)
        if len(self.thresholds) not in (1, raw.shape[1]):
            raise BadSetting(
                f"rows have {raw.shape[1]} options", hint=f"These sets were calibrated on {len(self.thresholds)}."
            )
        return np.asarray(raw >= np.asarray(self.thresholds))

    def choices(self, scores: RawScore) -> tuple[int, ...]:
        """The set for one output: positions of options, the likeliest first."""
        row = np.asarray(scores, dtype=np.float64)
        inside = np.flatnonzero(self.sets(row[None, :])[0])
        return tuple(inside[np.argsort(-row[inside], kind="stable")].tolist())

    def coverage(self, options: ArrayLike, target: Ints) -> float:
        """Share of rows whose set holds the right option."""
        return float(self.sets(options)[np.arange(len(target)), target].mean())

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"what": WHAT, "schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ConformalSets:
        """What `to_json` stored.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        try:
            if record["what"] != WHAT or record["schema"] != SCHEMA:
                raise BadRecord("these are no conformal sets of schema 1", hint="Calibrate them again.")
            return cls(
                target_coverage=record["target_coverage"],
                thresholds=tuple(record["thresholds"]),
                ranks=tuple(record["ranks"]),
                sizes=tuple(record["sizes"]),
                confidence=record["confidence"],
            )
        except (KeyError, TypeError, BadSetting) as error:
            raise BadRecord(f"the conformal sets are damaged ({error})", hint="Calibrate them again.") from None


def rank_for(rows: int, target_coverage: float, confidence: float | None = None) -> int:
    """Which of the scores, counted from the highest, is the threshold; beyond `rows`: too few, nothing is ruled out.

    On average: ⌈(n + 1)(1 − ε)⌉. With confidence: the least rank whose Beta distribution of the coverage lies above
    the target with that probability.
    """
    _check_share("target_coverage", target_coverage)
    if confidence is None:
        return ceil((rows + 1) * target_coverage - 1e-9)
    _check_share("confidence", confidence)
    from scipy.special import betainc  # noqa: PLC0415 - slow to import

    ranks = np.arange(1, rows + 1)
    holds = 1.0 - betainc(ranks, rows + 1.0 - ranks, target_coverage) >= confidence
    return int(ranks[holds][0]) if holds.any() else rows + 1


def coverage_interval(rank: int, rows: int, level: float = LEVEL) -> tuple[float, float]:
    """The central interval of the coverage of a threshold of this rank: Beta(rank, rows + 1 − rank)."""
    if rank > rows:
        return 1.0, 1.0
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    low, high = betaincinv(rank, rows + 1.0 - rank, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def coverage_sd(rank: int, rows: int) -> float:
    """The standard deviation of the coverage of a threshold of this rank."""
    if rank > rows:
        return 0.0
    mean = rank / (rows + 1.0)
    return float(np.sqrt(mean * (1.0 - mean) / (rows + 2.0)))


def _check_share(what: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise BadSetting(f"{what} is {value:g}", hint="Give a number between 0 and 1, such as 0.9.")
