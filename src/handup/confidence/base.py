"""The protocol of calibrators, the base of handup's own, and the contract as a check that any author can run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Floats, Sample, ScoreKind
from handup.core import (
    CALIBRATORS,
    BadData,
    BadSetting,
    Calibrator,
    ConflictingSettings,
    OutOfRange,
    RawScore,
    UnknownMethod,
    WrongSize,
)
from handup.core.calibrator import SCHEMA, WHAT
from handup.core.contract import Contract

F = TypeVar("F", bound="Fitted")
PLAIN = "Keep plain numbers and tuples of them in the record."


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Summary of the data of a fit, enough to see later whether a calibrator suits a module.

    Args:
        kind: Kind of the raw numbers.
        n: Number of rows, at least 1.
        base_rate: Share of rows that were right.
        score_min: The lowest score (of options: the lowest top score).
        score_max: The highest score.
        options: Number of options, where the rows were option scores.
    """

    kind: ScoreKind
    n: int
    base_rate: float
    score_min: float
    score_max: float
    options: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ScoreKind(self.kind))
        if self.n < 1 or not 0.0 <= self.base_rate <= 1.0 or not 0.0 <= self.score_min <= self.score_max:
            must = "have rows, a base rate from 0 to 1 and score_min at most score_max"
            raise ConflictingSettings.of("the summary of the data", self, must, hint="Fit the calibrator again.")

    @classmethod
    def of(cls, sample: Sample) -> Summary:
        """Return the summary of a sample.

        Raises:
            BadData: It has no rows.
        """
        if not len(sample):
            raise BadData("there must be rows, got none", hint="Give rows to calibrate on.")
        score = sample.score
        return cls(
            kind=sample.kind,
            n=len(sample),
            base_rate=sample.base_rate,
            score_min=float(score.min()),
            score_max=float(score.max()),
            options=sample.raw.shape[1] if sample.kind is ScoreKind.OPTIONS else None,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain record; keyword arguments for the same summary."""
        return {**asdict(self), "kind": str(self.kind)}


class FittableCalibrator(Calibrator, Protocol):
    """Calibrator whose class can be fitted. The registry holds such classes, and `check_calibrator` checks them.

    A class is a frozen dataclass of plain numbers and tuples; an instance is fitted and predicts with numpy alone.
    """

    kinds: ClassVar[frozenset[ScoreKind]]
    """Kinds of rows on which it can be fitted."""
    monotone: ClassVar[bool]
    """True if a higher score (a lower variance) never gets a lower probability."""

    @classmethod
    def fit(cls, sample: Sample) -> FittableCalibrator:
        """Return a calibrator fitted to the rows, whose order does not matter.

        Raises:
            BadData: The sample is of another kind, empty, or outside the range of scores that the method takes.
        """
        ...

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> FittableCalibrator:
        """The calibrator that `to_json` stored; it gives exactly the same probabilities."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that a user should read before relying on it."""
        ...

    def probabilities(self, raw: ArrayLike) -> Floats:
        """Return the probabilities of being right for many raw scores at once."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """Base of handup's own calibrators: their record, and the checks of raw scores.

    Args:
        data: Summary of the rows of the fit.
    """

    name: ClassVar[str]
    kinds: ClassVar[frozenset[ScoreKind]]
    monotone: ClassVar[bool] = True
    most: ClassVar[float] = 1.0
    """The highest score that it takes."""

    data: Summary

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that a user should read before relying on it; none for most calibrators."""
        return ()

    def probability(self, raw: RawScore) -> float:
        """Return the probability of being right, given a raw score.

        Args:
            raw: A score, the scores of all options, or a variance, as in the rows of the fit.

        Raises:
            WrongSize: It is neither one number nor one number per option.
            OutOfRange: A number is outside the range of this method.
        """
        row = np.asarray(raw, dtype=np.float64)
        if row.ndim > 1 or not row.size:
            raise WrongSize.of("a raw score", row.shape, "be one number, or one per option", hint="Give one output.")
        return float(self.probabilities(row[None, ...] if row.ndim else row.reshape(1))[0])

    def probabilities(self, raw: ArrayLike) -> Floats:
        """Return the probabilities of being right for many raw scores at once, one row each.

        Raises:
            WrongSize: The scores are not rows of numbers.
            OutOfRange: A number is outside the range of this method.
        """
        rows = np.asarray(raw, dtype=np.float64)
        if rows.ndim == 0 or rows.ndim > 2:
            raise WrongSize.of("raw scores", rows.shape, "have one row per output", hint="Give a list of scores.")
        most = 1.0 if rows.ndim == 2 else self.most
        bad = ~((rows >= 0.0) & (rows <= most) & np.isfinite(rows))
        if bad.any():
            must = "be at least 0 and finite" if most == np.inf else f"lie between 0 and {most:g}"
            raise OutOfRange.of(f"a raw score for '{self.name}'", f"{rows[bad][0]:g}", must, hint="Scale it.")
        return self._predict(rows)

    def _predict(self, rows: Floats) -> Floats:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back and predicts exactly the same."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self) if field.name != "data")
        own = {name: list(value) if isinstance(value, tuple) else value for name, value in values}
        return {"what": WHAT, "schema": SCHEMA, "method": self.name, "parameters": own, "data": self.data.to_json()}

    @classmethod
    def from_json(cls: type[F], record: Mapping[str, Any]) -> F:
        """The calibrator that `to_json` stored.

        Raises:
            BadSetting, KeyError, TypeError, ValueError: It is damaged; `calibrator_from_json` makes one error of these.
        """
        if record["method"] != cls.name:
            hint = "Use calibrator_from_json, which reads all."
            raise ConflictingSettings.of("the record's method", record["method"], f"be {cls.name}", hint=hint)
        parameters = {name: _number_or_tuple(value) for name, value in record["parameters"].items()}
        return cls(**parameters, data=Summary(**record["data"]))

    @classmethod
    def _check(cls, sample: Sample) -> Summary:
        """Refuse rows on which the method cannot be fitted, and return the summary of the others."""
        if sample.kind not in cls.kinds:
            taken, hint = " or ".join(sorted(cls.kinds)), "Choose a method for such rows."
            raise BadData(f"rows for '{cls.name}' must be of {taken}, got rows of {sample.kind}", hint=hint)
        summary = Summary.of(sample)
        if summary.score_max > cls.most:
            row = int(sample.score.argmax()) + 1
            cause = f"row {row}: score must lie between 0 and {cls.most:g} for '{cls.name}', got {summary.score_max:g}"
            raise BadData(cause, hint="Scale the scores, or use 'scaled' or 'interval'.")
        return summary


def top(rows: Floats) -> Floats:
    """Return one score per row: of options the highest."""
    return rows if rows.ndim == 1 else np.asarray(rows.max(axis=1))


def calibrator(name: str) -> type[FittableCalibrator]:
    """Return the class of a calibrator by its name.

    Raises:
        UnknownMethod: No calibrator has this name; the hint has the nearest one. Or it cannot be fitted.
    """
    maker: Any = CALIBRATORS.maker(name)
    if not hasattr(maker, "fit"):
        raise UnknownMethod(f"calibrator '{name}' must have a method 'fit', got none", hint="Give its class one.")
    fittable: type[FittableCalibrator] = maker
    return fittable


def _number_or_tuple(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_number_or_tuple(entry) for entry in value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"a parameter must be a finite number, got {value!r}")
    return float(value)


def example_samples() -> Iterator[tuple[str, Sample]]:
    """Yield named samples of all kinds: informative or not, with few rows or many, equal scores, extreme scores."""
    generator = np.random.default_rng(7)
    for name, rows in (("60 rows", 60), ("10 rows", 10), ("500 rows", 500)):
        chances = generator.random(rows)
        right = generator.random(rows) < chances
        right[:2] = (True, False)
        yield f"{name} of scores", Sample.of_scores(chances, right)
        yield f"{name} of scores that say nothing", Sample.of_scores(generator.random(rows), right)
        yield f"{name} of rounded scores", Sample.of_scores(np.round(chances, 1), right)
        options = generator.dirichlet([1.0, 1.0, 1.0, 1.0], rows)
        target = np.array([generator.choice(4, p=row) for row in options])
        yield f"{name} of options", Sample.of_options(options, target)
        yield f"{name} of variances", Sample.of_variances(0.01 / np.maximum(chances, 1e-3), right)
    equal = np.arange(20) % 3 == 0
    yield "equal scores", Sample.of_scores(np.full(20, 0.7), equal)
    yield "scores of 0 and 1", Sample.of_scores((np.arange(20) % 2).astype(np.float64), equal)
    yield "variances of 0", Sample.of_variances(np.append(np.zeros(10), np.ones(10)), equal)


def check_calibrator(maker: type[FittableCalibrator]) -> None:
    """Check a calibrator class against the contract that handup's own keep.

    Args:
        maker: The class, not an instance: the check fits it itself.

    Raises:
        ContractViolation: It breaks the contract; the cause names the rows and the mistake.
    """
    contract = Contract(f"calibrator {maker.__name__}")
    contract.is_named(maker)
    declared = getattr(maker, "kinds", None) and isinstance(getattr(maker, "monotone", None), bool)
    contract.keeps(declared, "does not declare what it takes", "Give it the ClassVars 'kinds' and 'monotone'.")
    for name, sample in example_samples():
        if sample.kind in maker.kinds:
            _check_on(contract.on(f"on {name}"), maker, sample)


def _check_on(case: Contract, maker: type[FittableCalibrator], sample: Sample) -> None:
    before = (sample.raw.tobytes(), sample.right.tobytes())
    fitted = maker.fit(sample)
    rows = _rows_to_ask(sample)
    chances = np.asarray(fitted.probabilities(rows))
    unchanged = (sample.raw.tobytes(), sample.right.tobytes()) == before
    case.keeps(unchanged, "changes what it was given", "Copy arrays before you write to them.")
    case.keeps(chances.shape == (len(rows),), f"gives the shape {chances.shape}", "Give one probability per row.")
    case.keeps(((chances >= 0.0) & (chances <= 1.0)).all(), "leaves 0 to 1", "Give probabilities.")
    again = np.asarray(maker.fit(sample).probabilities(rows))
    case.keeps(np.array_equal(chances, again), "is fitted differently the second time", "Draw nothing without a seed.")
    turned = np.asarray(maker.fit(sample.take(np.arange(len(sample))[::-1])).probabilities(rows))
    alike = np.allclose(chances, turned, atol=1e-4)
    case.keeps(alike, "depends on the order of the rows", "Sort them, or use sums.")
    single = [fitted.probability(row.tolist() if row.ndim else float(row)) for row in rows[:5]]
    alike = np.allclose(single, chances[:5], atol=1e-12)
    case.keeps(alike, "says something else of one row alone", "Treat rows one by one.")
    if maker.monotone:
        rising = (_steps(sample, fitted) >= -1e-12).all()
        case.keeps(rising, "is not monotone though it says so", "Say 'monotone = False', or be it.")
    _check_record(case, maker, fitted, rows, chances)
    with suppress(BadSetting):
        fitted.probabilities(np.full(sample.raw[:1].shape, np.nan))
        case.keeps(False, "takes nan for a score", "Raise BadSetting for it.")


def _rows_to_ask(sample: Sample) -> Floats:
    if sample.kind is ScoreKind.OPTIONS:
        return np.vstack([sample.raw[:20], np.eye(4), np.full((1, 4), 0.25)])
    return np.append(np.linspace(0.0, 1.0, 51), sample.raw[:20])


def _steps(sample: Sample, fitted: FittableCalibrator) -> Floats:
    """Return the rise of the probability from each score to the next one that should be surer."""
    if sample.kind is ScoreKind.OPTIONS:
        surer = np.sort(sample.raw.max(axis=1))
        return np.diff(fitted.probabilities(np.column_stack([surer, np.zeros_like(surer)])))
    steps = np.diff(fitted.probabilities(np.linspace(0.0, 1.0, 201)))
    return -steps if sample.kind is ScoreKind.VARIANCE else steps


def _check_record(
    case: Contract, maker: type[FittableCalibrator], fitted: FittableCalibrator, rows: Floats, chances: Floats
) -> None:
    try:
        stored: dict[str, Any] = json.loads(json.dumps(fitted.to_json(), allow_nan=False))
    except (TypeError, ValueError) as error:
        case.keeps(False, f"has a record that is no JSON ({error})", PLAIN)
    head = {key: stored.get(key) for key in ("what", "schema", "method")}
    right_head = head == {"what": WHAT, "schema": SCHEMA, "method": maker.name}
    case.keeps(right_head, f"has a record headed {head}", "Write 'what', 'schema' and 'method'.")
    same = np.array_equal(maker.from_json(stored).probabilities(rows), chances)
    case.keeps(same, "predicts otherwise after a reload", PLAIN)
