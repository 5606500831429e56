"""The protocol of calibrators, what handup's own share, and the contract as a check that any author can run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Floats, Kind, Sample
from handup.core import (
    CALIBRATORS,
    BadData,
    BadSetting,
    Calibrator,
    RawScore,
    UnknownMethod,
)
from handup.core.calibrator import SCHEMA, WHAT
from handup.core.contract import Contract

F = TypeVar("F", bound="Fitted")
PLAIN = "Keep plain numbers and tuples of them in the record."


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a calibrator was fitted on: enough to see later whether it fits the module it is used with.

    Args:
        kind: What the raw numbers were.
        n: How many rows.
        base_rate: Share of them that were right.
        score_min: The lowest score (of options: the lowest top score).
        score_max: The highest.
        options: How many options, where the rows were option scores.
    """

    kind: Kind
    n: int
    base_rate: float
    score_min: float
    score_max: float
    options: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))
        if self.n < 1 or not 0.0 <= self.base_rate <= 1.0 or not 0.0 <= self.score_min <= self.score_max:
            raise BadSetting("the summary of the data contradicts itself", hint="Fit the calibrator again.")

    @classmethod
    def of(cls, sample: Sample) -> Summary:
        """The summary of a sample.

        Raises:
            BadData: It has no rows.
        """
        if not len(sample):
            raise BadData("there are no rows", hint="Give rows to calibrate on.")
        score = sample.score
        return cls(
            kind=sample.kind,
            n=len(sample),
            base_rate=sample.base_rate,
            score_min=float(score.min()),
            score_max=float(score.max()),
            options=sample.raw.shape[1] if sample.kind is Kind.OPTIONS else None,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain record; keyword arguments for the same summary."""
        return {**asdict(self), "kind": str(self.kind)}


class FittableCalibrator(Calibrator, Protocol):
    """A calibrator whose class can be fitted: what the registry holds and `check_calibrator` checks.

    A class is a frozen dataclass of plain numbers and tuples; an instance is fitted and predicts with numpy alone.
    """

    kinds: ClassVar[frozenset[Kind]]
    """What it can be fitted on."""
    monotone: ClassVar[bool]
    """Whether a higher score (a lower variance) never gets a lower probability."""

    @classmethod
    def fit(cls, sample: Sample) -> FittableCalibrator:
        """Fit it. The order of the rows does not matter.

        Raises:
            BadData: The sample is of another kind, empty, or outside the range of scores that the method takes.
        """
        ...

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> FittableCalibrator:
        """What `to_json` stored; it gives exactly the same probabilities."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before relying on it; sentences."""
        ...

    def probabilities(self, raw: ArrayLike) -> Floats:
        """Probabilities of being right for many raw scores at once."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """Base of handup's own calibrators: a record, and the check of what goes in.

    Args:
        data: What it was fitted on.
    """

    name: ClassVar[str]
    kinds: ClassVar[frozenset[Kind]]
    monotone: ClassVar[bool] = True
    most: ClassVar[float] = 1.0
    """The highest score it takes."""

    data: Summary

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before relying on it; most have nothing to say."""
        return ()

    def probability(self, raw: RawScore) -> float:
        """Probability of being right, given a raw score.

        Args:
            raw: A score; the scores of all options; or a variance: what it was fitted on.

        Raises:
            BadSetting: It is outside what this method takes.
        """
        row = np.asarray(raw, dtype=np.float64)
        if row.ndim > 1 or not row.size:
            raise BadSetting(f"a raw score has the shape {row.shape}", hint="Give one number, or one per option.")
        return float(self.probabilities(row[None, ...] if row.ndim else row.reshape(1))[0])

    def probabilities(self, raw: ArrayLike) -> Floats:
        """Probabilities of being right for many raw scores at once, one row each.

        Raises:
            BadSetting: A score is outside what this method takes.
        """
        rows = np.asarray(raw, dtype=np.float64)
        if rows.ndim == 0 or rows.ndim > 2:
            raise BadSetting(f"raw scores have the shape {rows.shape}", hint="Give one row per output.")
        most = 1.0 if rows.ndim == 2 else self.most
        bad = ~((rows >= 0.0) & (rows <= most) & np.isfinite(rows))
        if bad.any():
            limit = "of at least 0" if most == np.inf else f"from 0 to {most:g}"
            raise BadSetting(f"a raw score for '{self.name}' is {rows[bad][0]:g}", hint=f"Give numbers {limit}.")
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
        """What `to_json` stored.

        Raises:
            BadSetting, KeyError, TypeError, ValueError: It is damaged; `calibrator_from_json` makes one error of these.
        """
        if record["method"] != cls.name:
            raise BadSetting(f"the record is of '{record['method']}'", hint=f"This reads '{cls.name}'.")
        parameters = {name: _number_or_tuple(value) for name, value in record["parameters"].items()}
        return cls(**parameters, data=Summary(**record["data"]))

    @classmethod
    def _check(cls, sample: Sample) -> Summary:
        """Refuse what the method cannot be fitted on; the summary of the rest."""
        if sample.kind not in cls.kinds:
            taken = " or ".join(sorted(cls.kinds))
            raise BadData(f"'{cls.name}' is not fitted on rows of {sample.kind}", hint=f"It takes rows of {taken}.")
        summary = Summary.of(sample)
        if summary.score_max > cls.most:
            row = int(sample.score.argmax()) + 1
            raise BadData(
                f"row {row}: score is {summary.score_max:g}, but '{cls.name}' takes 0 to {cls.most:g}",
                hint="Scale the scores, or use 'scaled' or 'interval'.",
            )
        return summary


def top(rows: Floats) -> Floats:
    """One score per row: of options the highest."""
    return rows if rows.ndim == 1 else np.asarray(rows.max(axis=1))


def calibrator(name: str) -> type[FittableCalibrator]:
    """The class of a calibrator by its name.

    Raises:
        UnknownMethod: With the nearest known name.
    """
    found: Any = CALIBRATORS.maker(name)
    if not hasattr(found, "fit"):
        raise UnknownMethod(f"'{name}' cannot be fitted", hint="Give its class a classmethod 'fit'.")
    made: type[FittableCalibrator] = found
    return made


def _number_or_tuple(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_number_or_tuple(each) for each in value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def example_samples() -> Iterator[tuple[str, Sample]]:
    """Samples of all kinds, named: informative and not, few rows and many, equal scores, one class."""
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
    """Run a calibrator class through the contract that handup's own keep.

    Args:
        maker: The class, not an instance: the check fits it itself.

    Raises:
        ContractViolation: Naming the rows and what is wrong with the answer.
    """
    contract = Contract(f"calibrator {maker.__name__}")
    contract.is_named(maker)
    says = getattr(maker, "kinds", None) and isinstance(getattr(maker, "monotone", None), bool)
    contract.keeps(says, "does not say what it takes", "Give it the ClassVars 'kinds' and 'monotone'.")
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
    if sample.kind is Kind.OPTIONS:
        return np.vstack([sample.raw[:20], np.eye(4), np.full((1, 4), 0.25)])
    return np.append(np.linspace(0.0, 1.0, 51), sample.raw[:20])


def _steps(sample: Sample, fitted: FittableCalibrator) -> Floats:
    """How much the probability rises from each score to the next that should be surer."""
    if sample.kind is Kind.OPTIONS:
        surer = np.sort(sample.raw.max(axis=1))
        return np.diff(fitted.probabilities(np.column_stack([surer, np.zeros_like(surer)])))
    steps = np.diff(fitted.probabilities(np.linspace(0.0, 1.0, 201)))
    return -steps if sample.kind is Kind.VARIANCE else steps


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
