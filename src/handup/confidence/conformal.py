"""Guarantees: conformal sets of options, over one module or several; when to act alone; whether a calibration holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import ceil, exp, floor, isfinite, log
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.curves import logit, sigmoid
from handup.confidence.sample import Bools, Floats, Ints, Sample, as_options, percent
from handup.core import BadData, BadRecord, BadSetting, RawScore, check_probability
from handup.core.calibrator import SCHEMA

R = TypeVar("R", bound="KeptRecord")

LEVEL = 0.9
"""Of the intervals of coverage that are shown."""
ALWAYS, NEVER = -1.0, 1.0
SHIFTS = (-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0)
"""Log-odds by which being right may have shifted; below 0 the module has become too sure of itself."""
CLIP = 0.01
"""Probabilities are kept this far from 0 and 1: one surprise is no proof."""
MOST_LOG = 700.0


@dataclass(frozen=True, kw_only=True)
class KeptRecord:
    """Base of what is kept as a record of its own beside calibrators: numbers, and tuples of numbers."""

    what: ClassVar[str]
    called: ClassVar[tuple[str, str, str]]
    """For messages: "this is no …", "the … is", and the next step."""

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"what": self.what, "schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls: type[R], record: Mapping[str, Any]) -> R:
        """What `to_json` stored.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        other, damaged, hint = cls.called
        try:
            if record["what"] != cls.what or record["schema"] != SCHEMA:
                raise BadRecord(f"{other} of schema {SCHEMA}", hint=hint)
            values = {each.name: record[each.name] for each in fields(cls)}
            return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        except (KeyError, TypeError, BadSetting) as error:
            raise BadRecord(f"{damaged} damaged ({error})", hint=hint) from None


@dataclass(frozen=True, kw_only=True)
class ConformalSets(KeptRecord):
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

    what: ClassVar[str] = "handup-conformal-sets"
    called: ClassVar[tuple[str, str, str]] = (
        "these are no conformal sets",
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
            hint = f"These sets were calibrated on {len(self.thresholds)}."
            raise BadSetting(f"rows have {raw.shape[1]} options", hint=hint)
        return np.asarray(raw >= np.asarray(self.thresholds))

    def choices(self, scores: RawScore) -> tuple[int, ...]:
        """The set for one output: positions of options, the likeliest first."""
        row = np.asarray(scores, dtype=np.float64)
        inside = np.flatnonzero(self.sets(row[None, :])[0])
        return tuple(inside[np.argsort(-row[inside], kind="stable")].tolist())

    def coverage(self, options: ArrayLike, target: Ints) -> float:
        """Share of rows whose set holds the right option."""
        return float(self.sets(options)[np.arange(len(target)), target].mean())


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


def coverage_interval(rank: int, rows: int) -> tuple[float, float]:
    """The central interval of the coverage of a threshold of this rank: Beta(rank, rows + 1 − rank)."""
    if rank > rows:
        return 1.0, 1.0
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    low, high = betaincinv(rank, rows + 1.0 - rank, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
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


@dataclass(frozen=True, kw_only=True)
class ActAlone(KeptRecord):
    """Act alone above a confidence, ask otherwise (Angelopoulos and others, 2024). Build with `calibrate`.

    The loss is "acted alone and failed". On average over calibration sets of this size, its probability is at most
    `risk` for a new output from where these came from, whether or not the confidences are calibrated.

    Args:
        risk: The share of outputs that may be acted on alone and be wrong.
        threshold: Act alone where the confidence is above this; −1: always, 1: never.
        n: Rows it was found on.
        alone: The share of those rows that were acted on alone.
    """

    what: ClassVar[str] = "handup-act-alone"
    called: ClassVar[tuple[str, str, str]] = (
        "this is no act-alone threshold",
        "the threshold is",
        "Calibrate it again.",
    )

    risk: float
    threshold: float
    n: int
    alone: float

    @classmethod
    def calibrate(cls, confidences: ArrayLike, right: ArrayLike, *, risk: float = 0.1) -> ActAlone:
        """The least threshold that keeps the promise.

        Args:
            confidences: 0 to 1, of rows that the calibrator was not fitted on.
            right: Whether acting on each alone succeeded.
            risk: Between 0 and 1. Below 1 / (n + 1) nothing can be promised, and the robot never acts alone.
        """
        if not 0.0 < risk < 1.0:
            raise BadSetting(f"risk is {risk:g}", hint="Give a number between 0 and 1, such as 0.1.")
        sample = Sample.of_scores(confidences, np.asarray(right))
        if not len(sample) or float(sample.raw.max()) > 1.0:
            raise BadData("confidences are none, or outside 0 to 1", hint="Give one probability per row.")
        # (n R + 1) / (n + 1) ≤ risk, for n R failures among the rows acted on alone.
        allowed = floor(risk * (len(sample) + 1) - 1.0 + 1e-9)
        failures = np.sort(sample.raw[~sample.right])[::-1]
        threshold = NEVER if allowed < 0 else ALWAYS if len(failures) <= allowed else float(failures[allowed])
        return cls(risk=risk, threshold=threshold, n=len(sample), alone=float((sample.raw > threshold).mean()))

    def acts(self, confidence: float) -> bool:
        """Whether to act alone with this confidence."""
        return confidence > self.threshold

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        return (
            f"Acting alone above a confidence of {self.threshold:.3g} fails in at most {percent(self.risk)} of "
            f"outputs on average over calibrations of {self.n} rows; {percent(self.alone)} of these rows were "
            "acted on alone."
        )


@dataclass(frozen=True, kw_only=True)
class DriftMonitor(KeptRecord):
    """Bets against the calibration; wealth that grows is evidence that it does not hold any more.

    Start it with `DriftMonitor()`, tell it of each output with `after`. It may look after every row for ever: while the
    probabilities hold, the chance that it *ever* raises an alarm is at most `alpha` (Ville's inequality). A drift that
    begins late is found too: a share of the wealth is kept back for every later beginning. Memory is constant.

    Args:
        alpha: The chance of a false alarm, over all time.
        seen: Outputs so far.
        log_wealth: For each shift of `SHIFTS`, the logarithm of what bets on it have won, from every beginning.
        log_evidence: Logarithm of the wealth in all; 0 at the start.
        alarm_at: The number of the output at which the alarm was raised; it stays.
    """

    what: ClassVar[str] = "handup-drift-monitor"
    called: ClassVar[tuple[str, str, str]] = ("this is no drift monitor", "the drift monitor is", "Start a new one.")

    alpha: float = 0.01
    seen: int = 0
    log_wealth: tuple[float, ...] = (-MOST_LOG,) * len(SHIFTS)
    log_evidence: float = 0.0
    alarm_at: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise BadSetting(f"alpha is {self.alpha:g}", hint="Give a chance between 0 and 1, such as 0.01.")
        if len(self.log_wealth) != len(SHIFTS) or not all(isfinite(each) for each in self.log_wealth) or self.seen < 0:
            raise BadSetting("the monitor's wealth is damaged", hint="Start a new one.")

    def after(self, probability: float, right: bool) -> DriftMonitor:
        """The monitor after one output.

        Args:
            probability: The calibrated probability that was given before the outcome was known.
            right: Whether the output was right.
        """
        check_probability("probability", probability)
        seen = self.seen + 1
        said = np.clip(probability, CLIP, 1.0 - CLIP)
        shifted = sigmoid(logit(np.asarray([said])) + np.asarray(SHIFTS))
        won = np.log(shifted / said) if right else np.log((1.0 - shifted) / (1.0 - said))
        # Of the wealth, 1 / (t (t + 1)) begins betting at output t; 1 / (t + 1) has not begun after it.
        beginning = -log(seen * (seen + 1.0))
        wealth = np.clip(np.logaddexp(self.log_wealth, beginning) + won, -MOST_LOG, MOST_LOG)
        evidence = float(np.logaddexp(np.logaddexp.reduce(wealth) - log(len(SHIFTS)), -log(seen + 1.0)))
        raised = evidence >= -log(self.alpha)
        alarm_at = self.alarm_at if self.alarm_at is not None else seen if raised else None
        known = tuple(wealth.tolist())
        return replace(self, seen=seen, log_wealth=known, log_evidence=evidence, alarm_at=alarm_at)

    @property
    def alarm(self) -> bool:
        """Whether the probabilities have been found not to hold: calibrate again."""
        return self.alarm_at is not None

    @property
    def shift(self) -> float:
        """The shift in log-odds that has won most so far; below 0: too sure of itself. 0 before anything was seen."""
        return SHIFTS[int(np.argmax(self.log_wealth))] if self.seen else 0.0

    @property
    def reason(self) -> str:
        """How it stands, in one sentence."""
        if not self.alarm:
            factor = f"{exp(min(self.log_evidence, 50.0)):.3g}; the alarm is at {1.0 / self.alpha:g}"
            return f"After {self.seen} outputs nothing speaks against the calibration (evidence {factor})."
        said = "too sure of itself" if self.shift < 0.0 else "not sure enough"
        return f"At output {self.alarm_at} the calibration stopped holding: the module is {said}. Calibrate it again."
