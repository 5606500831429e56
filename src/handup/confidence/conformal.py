"""Guarantees: conformal sets of options for one module or several, a threshold for acting alone, a monitor of drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import ceil, exp, floor, isfinite, log
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.curves import logit, sigmoid
from handup.confidence.sample import Bools, Floats, Ints, Sample, as_options, percent
from handup.core import BadData, BadRecord, BadSetting, Malformed, OutOfRange, RawScore, WrongSize, check_probability
from handup.core.calibrator import SCHEMA
from handup.core.checks import shown

R = TypeVar("R", bound="KeptRecord")

LEVEL = 0.9
"""Probability with which a shown interval holds the coverage."""
ALWAYS, NEVER = -1.0, 1.0
SHIFTS = (-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0)
"""Shifts of the log-odds of being right that the monitor looks for; below 0 the module is too sure of itself."""
CLIP = 0.01
"""Distance that probabilities keep from 0 and 1, so that a single surprise proves nothing."""
MOST_LOG = 700.0


@dataclass(frozen=True, kw_only=True)
class KeptRecord:
    """Base of classes that are stored as a record of their own: numbers, and tuples of numbers."""

    what: ClassVar[str]
    called: ClassVar[tuple[str, str, str]]
    """Words for messages: the name of the record, its name with a verb, and the next step."""

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"what": self.what, "schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls: type[R], record: Mapping[str, Any]) -> R:
        """The object that `to_json` stored.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        name, damaged, hint = cls.called
        try:
            if record["what"] != cls.what or record["schema"] != SCHEMA:
                got = f"{shown(record['what'])} of schema {shown(record['schema'])}"
                raise BadRecord(f"the record must be {name} of schema {SCHEMA}, got {got}", hint=hint)
            values = {field.name: record[field.name] for field in fields(cls)}
            return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        except (KeyError, TypeError, BadSetting) as error:
            raise BadRecord(f"{damaged} damaged ({error})", hint=hint) from None


@dataclass(frozen=True, kw_only=True)
class ConformalSets(KeptRecord):
    """Split conformal sets over the options of a module. Build them with `calibrate`.

    With one option in the set the robot acts alone; otherwise it asks *with the set as the choices*. On average over
    calibration sets of this size, the right option is in the set with probability `target_coverage` or more, as long as
    new rows come from the same source. For one calibration set the coverage differs: `coverage_interval` says by how
    much, and `confidence` gives a threshold that holds with that confidence.

    Args:
        target_coverage: 1 − ε, between 0 and 1.
        thresholds: Least score of an option in the set: one number, or one per option.
        ranks: Rank of each threshold among the scores from which it came, counted from the highest.
        sizes: Number of rows from which each threshold came.
        confidence: Confidence with which the coverage holds for this very threshold; None for coverage on average.
    """

    what: ClassVar[str] = "handup-conformal-sets"
    called: ClassVar[tuple[str, str, str]] = (
        "conformal sets",
        "the conformal sets are",
        "Calibrate them again.",
    )

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
        if len(lengths) != 1 or not self.thresholds or not all(0.0 <= score <= 1.0 for score in self.thresholds):
            must, got = "be of one length, with thresholds from 0 to 1", (self.thresholds, self.ranks, self.sizes)
            raise WrongSize.of("thresholds, ranks and sizes", got, must, hint="Calibrate the sets again.")

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
        """Return the sets whose threshold has the target coverage on these rows, with the finite-sample correction.

        Args:
            options: Scores from 0 to 1, one row per output; not the rows on which a calibrator was fitted.
            target: Index of the right option in each row.
            target_coverage: Probability with which the right option is to be in the set, between 0 and 1.
            per_option: True to keep the coverage for each right option by itself (class-conditional), with one
                threshold each. Options that were right in few rows are then in every set.
            confidence: Confidence with which the coverage is to hold, such as 0.9; None for coverage on average.
        """
        sample = Sample.of_options(options, np.asarray(target))
        if sample.target is None or not len(sample):
            raise BadData("there must be rows, got none", hint="Give rows to calibrate on.")
        of_right = sample.raw[np.arange(len(sample)), sample.target]
        groups = [sample.target == option for option in range(sample.raw.shape[1])]
        parts = [of_right[group] for group in groups] if per_option else [of_right]
        return cls.of_right_scores(parts, target_coverage=target_coverage, confidence=confidence)

    @classmethod
    def of_right_scores(
        cls, parts: list[Floats], *, target_coverage: float, confidence: float | None = None
    ) -> ConformalSets:
        """Return the sets from the scores of the right options, with one threshold for each part."""
        ranks = tuple(rank_for(len(part), target_coverage, confidence) for part in parts)
        # With too few rows no threshold keeps the promise: 0 takes every option into the set.
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
        """Lowest score with which an option can be in a set."""
        return min(self.thresholds)

    @property
    def coverage_interval(self) -> tuple[float, float]:
        """Interval that holds the coverage of this threshold with 90 % probability, over calibration sets of this size.

        It comes from the Beta distribution; with one threshold per option it spans the intervals of all options.
        """
        intervals = [coverage_interval(rank, size) for rank, size in zip(self.ranks, self.sizes, strict=True)]
        return min(low for low, _ in intervals), max(high for _, high in intervals)

    @property
    def coverage_sd(self) -> float:
        """Standard deviation of the coverage in that distribution: 0.05 for 60 rows and a target of 0.8."""
        return max(coverage_sd(rank, size) for rank, size in zip(self.ranks, self.sizes, strict=True))

    @property
    def guarantee(self) -> str:
        """The guarantee in one sentence, with the interval of the coverage."""
        low, high = self.coverage_interval
        kept = "on average" if self.confidence is None else f"with {100.0 * self.confidence:g} % confidence"
        rows = self.sizes[0] if len(self.sizes) == 1 else f"{min(self.sizes)} to {max(self.sizes)}"
        scope = "" if len(self.sizes) == 1 else ", for each option by itself"
        return (
            f"The right option is in the set with probability {self.target_coverage:g} or more {kept}{scope}; with "
            f"{rows} rows the coverage of one calibration lies between {low:.2f} and {high:.2f} (90 %)."
        )

    def sets(self, options: ArrayLike) -> Bools:
        """Return for each output (row) and option (column) whether the option is in the set."""
        raw = as_options(options)
        if len(self.thresholds) not in (1, raw.shape[1]):
            raise WrongSize.of("rows", raw.shape[1], f"have {len(self.thresholds)} options", hint="Calibrate again.")
        return np.asarray(raw >= np.asarray(self.thresholds))

    def choices(self, scores: RawScore) -> tuple[int, ...]:
        """Return the set for one output: indices of options, the likeliest first."""
        row = np.asarray(scores, dtype=np.float64)
        inside = np.flatnonzero(self.sets(row[None, :])[0])
        return tuple(inside[np.argsort(-row[inside], kind="stable")].tolist())

    def coverage(self, options: ArrayLike, target: Ints) -> float:
        """Return the share of rows whose set holds the right option."""
        return float(self.sets(options)[np.arange(len(target)), target].mean())


def rank_for(rows: int, target_coverage: float, confidence: float | None = None) -> int:
    """Return the rank of the score, counted from the highest, that is the threshold.

    Beyond `rows` there are too few to rule out any option. On average it is ⌈(n + 1)(1 − ε)⌉. With a confidence it is
    the least rank whose Beta distribution of the coverage lies above the target with that probability.
    """
    _check_share("target_coverage", target_coverage)
    if confidence is None:
        return ceil((rows + 1) * target_coverage - 1e-9)
    _check_share("confidence", confidence)
    from scipy.special import betainc  # noqa: PLC0415 - slow to import

    ranks = np.arange(1, rows + 1)
    holds = 1.0 - betainc(ranks, rows + 1.0 - ranks, target_coverage) >= confidence
    return int(ranks[holds][0]) if holds.any() else rows + 1


def coverage_interval(rank: int, rows: int) -> tuple[float, float]:
    """Return the central interval of the coverage of a threshold of this rank: Beta(rank, rows + 1 − rank)."""
    if rank > rows:
        return 1.0, 1.0
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    low, high = betaincinv(rank, rows + 1.0 - rank, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return float(low), float(high)


def coverage_sd(rank: int, rows: int) -> float:
    """Return the standard deviation of the coverage of a threshold of this rank."""
    if rank > rows:
        return 0.0
    mean = rank / (rows + 1.0)
    return float(np.sqrt(mean * (1.0 - mean) / (rows + 2.0)))


def _check_share(what: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise OutOfRange.of(what, f"{value:g}", "lie between 0 and 1", hint="Give a probability.")


def split_evenly(target_coverage: float, modules: int) -> float:
    """Return the target of each module under which the sets of all hold together: 1 − ε / N (Bonferroni).

    Use it where modules were calibrated on rows of their own. It assumes nothing about the dependence of their errors,
    and so gives more coverage than needed.
    """
    if modules < 1:
        raise OutOfRange.of("modules", modules, "be at least 1", hint="Give the number of modules.")
    return 1.0 - (1.0 - target_coverage) / modules


def calibrate_jointly(
    modules: Mapping[str, tuple[ArrayLike, Sequence[int]]],
    *,
    target_coverage: float = 0.9,
    confidence: float | None = None,
) -> ConformalSets:
    """Return sets with one threshold for all modules, from episodes in which each of them was observed.

    It calibrates on the lowest score that any module gave to its right option, episode by episode. Use it where whole
    episodes were recorded; it costs nothing where the errors of modules come together.

    Args:
        modules: Option scores and right options of each module, by name; row i is episode i in all of them.
        target_coverage: Probability with which all sets at once are to hold their right options.
        confidence: As for `ConformalSets.calibrate`.

    Raises:
        BadData: Modules have no episodes, or different numbers of them.
    """
    lowest = []
    for options, target in modules.values():
        sample = Sample.of_options(options, np.asarray(target))
        if sample.target is not None:
            lowest.append(sample.raw[np.arange(len(sample)), sample.target])
    if not lowest or not len(lowest[0]) or len({len(scores) for scores in lowest}) != 1:
        got = " and ".join(str(len(scores)) for scores in lowest) or "no module"
        raise BadData(f"modules must have one number of episodes above 0, got {got}", hint="Give a row per episode.")
    minimum = np.min(lowest, axis=0)
    return ConformalSets.of_right_scores([minimum], target_coverage=target_coverage, confidence=confidence)


@dataclass(frozen=True, kw_only=True)
class ActAlone(KeptRecord):
    """Rule to act alone above a confidence and to ask otherwise (Angelopoulos and others, 2024).

    Build it with `calibrate`. The loss is "acted alone and failed". On average over calibration sets of this size, its
    probability is at most `risk` for a new output of the same source, whether or not the confidences are calibrated.

    Args:
        risk: Share of outputs that may be acted on alone and be wrong.
        threshold: Confidence above which the robot acts alone; −1 for always, 1 for never.
        n: Number of rows of the calibration.
        alone: Share of those rows on which it acts alone.
    """

    what: ClassVar[str] = "handup-act-alone"
    called: ClassVar[tuple[str, str, str]] = (
        "an act-alone threshold",
        "the threshold is",
        "Calibrate it again.",
    )

    risk: float
    threshold: float
    n: int
    alone: float

    @classmethod
    def calibrate(cls, confidences: ArrayLike, right: ArrayLike, *, risk: float = 0.1) -> ActAlone:
        """Return the rule with the least threshold that keeps the risk.

        Args:
            confidences: Confidences from 0 to 1, of rows on which the calibrator was not fitted.
            right: For each row, True if acting alone succeeded.
            risk: Largest risk, between 0 and 1. Below 1 / (n + 1) it cannot be kept, and the robot never acts alone.
        """
        _check_share("risk", risk)
        sample = Sample.of_scores(confidences, np.asarray(right))
        if not len(sample) or float(sample.raw.max()) > 1.0:
            got = f"{sample.raw.max():g}" if len(sample) else "none"
            raise BadData(f"confidences must lie between 0 and 1, got {got}", hint="Give one probability per row.")
        # (n R + 1) / (n + 1) ≤ risk, for n R failures among the rows acted on alone.
        allowed = floor(risk * (len(sample) + 1) - 1.0 + 1e-9)
        failures = np.sort(sample.raw[~sample.right])[::-1]
        threshold = NEVER if allowed < 0 else ALWAYS if len(failures) <= allowed else float(failures[allowed])
        return cls(risk=risk, threshold=threshold, n=len(sample), alone=float((sample.raw > threshold).mean()))

    def acts(self, confidence: float) -> bool:
        """Return whether to act alone with this confidence."""
        return confidence > self.threshold

    @property
    def guarantee(self) -> str:
        """The guarantee in one sentence."""
        return (
            f"Acting alone above a confidence of {self.threshold:.3g} fails in at most {percent(self.risk)} of "
            f"outputs on average over calibrations of {self.n} rows; {percent(self.alone)} of these rows were "
            "acted on alone."
        )


@dataclass(frozen=True, kw_only=True)
class DriftMonitor(KeptRecord):
    """Monitor that bets against a calibration; growing wealth is evidence that the probabilities no longer hold.

    Start with `DriftMonitor()`, and call `after` for each output. It may look after every output for ever: while the
    probabilities hold, the probability that it *ever* raises an alarm is at most `alpha` (Ville's inequality). A drift
    that begins late is found, too: a share of the wealth is kept back for every later beginning. Memory is constant.

    Args:
        alpha: Probability of a false alarm over all time, between 0 and 1.
        seen: Number of outputs so far.
        log_wealth: For each shift of `SHIFTS`, the logarithm of the wealth won by bets on it, from every beginning.
        log_evidence: Logarithm of the total wealth; 0 at the start.
        alarm_at: Number of the output at which the alarm was raised; it stays.
    """

    what: ClassVar[str] = "handup-drift-monitor"
    called: ClassVar[tuple[str, str, str]] = ("a drift monitor", "the drift monitor is", "Start a new one.")

    alpha: float = 0.01
    seen: int = 0
    log_wealth: tuple[float, ...] = (-MOST_LOG,) * len(SHIFTS)
    log_evidence: float = 0.0
    alarm_at: int | None = None

    def __post_init__(self) -> None:
        _check_share("alpha", self.alpha)
        if len(self.log_wealth) != len(SHIFTS) or not all(map(isfinite, self.log_wealth)) or self.seen < 0:
            must = f"be {len(SHIFTS)} finite numbers after a count of outputs"
            raise Malformed.of("the monitor's wealth", shown(self.log_wealth), must, hint="Start a new one.")

    def after(self, probability: float, right: bool) -> DriftMonitor:
        """Return the monitor after one output.

        Args:
            probability: The calibrated probability that was given before the outcome was known.
            right: True if the output was right.
        """
        check_probability("probability", probability)
        seen = self.seen + 1
        expected = np.clip(probability, CLIP, 1.0 - CLIP)
        shifted = sigmoid(logit(np.asarray([expected])) + np.asarray(SHIFTS))
        won = np.log(shifted / expected) if right else np.log((1.0 - shifted) / (1.0 - expected))
        # The share 1 / (t (t + 1)) of the wealth begins to bet at output t; 1 / (t + 1) has not begun after it.
        beginning = -log(seen * (seen + 1.0))
        wealth = np.clip(np.logaddexp(self.log_wealth, beginning) + won, -MOST_LOG, MOST_LOG)
        evidence = float(np.logaddexp(np.logaddexp.reduce(wealth) - log(len(SHIFTS)), -log(seen + 1.0)))
        raised = evidence >= -log(self.alpha)
        alarm_at = self.alarm_at if self.alarm_at is not None else seen if raised else None
        known = tuple(wealth.tolist())
        return replace(self, seen=seen, log_wealth=known, log_evidence=evidence, alarm_at=alarm_at)

    @property
    def alarm(self) -> bool:
        """True if the probabilities were found not to hold: calibrate again."""
        return self.alarm_at is not None

    @property
    def shift(self) -> float:
        """Shift in log-odds that has won most so far; below 0 the module is too sure of itself. 0 at the start."""
        return SHIFTS[int(np.argmax(self.log_wealth))] if self.seen else 0.0

    @property
    def reason(self) -> str:
        """State of the monitor in one sentence."""
        if not self.alarm:
            factor = f"{exp(min(self.log_evidence, 50.0)):.3g}; the alarm is at {1.0 / self.alpha:g}"
            return f"After {self.seen} outputs nothing speaks against the calibration (evidence {factor})."
        fault = "too sure of itself" if self.shift < 0.0 else "not sure enough"
        return f"At output {self.alarm_at} the calibration stopped holding: the module is {fault}. Calibrate it again."
