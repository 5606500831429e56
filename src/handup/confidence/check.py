"""The contract of calibrators, as a check that any author can run on their own class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from handup.confidence.base import FittableCalibrator
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import BadSetting, ContractViolation
from handup.core.calibrator import SCHEMA, WHAT

PLAIN = "Keep plain numbers and tuples of them in the record."


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
    if not isinstance(getattr(maker, "name", None), str) or not str(maker.name):
        raise _violation(maker, "has no name", "Give the class a ClassVar[str] called 'name'.")
    if not getattr(maker, "kinds", None) or not isinstance(getattr(maker, "monotone", None), bool):
        raise _violation(maker, "does not say what it takes", "Give it the ClassVars 'kinds' and 'monotone'.")
    for name, sample in example_samples():
        if sample.kind in maker.kinds:
            _check_on(maker, name, sample)


def _check_on(maker: type[FittableCalibrator], name: str, sample: Sample) -> None:
    before = (sample.raw.tobytes(), sample.right.tobytes())
    fitted = maker.fit(sample)
    rows = _rows_to_ask(sample)
    chances = np.asarray(fitted.probabilities(rows))
    if (sample.raw.tobytes(), sample.right.tobytes()) != before:
        raise _violation(maker, f"on {name} changes what it was given", "Copy arrays before you write to them.")
    if chances.shape != (len(rows),):
        raise _violation(maker, f"on {name} gives the shape {chances.shape}", "Give one probability per row.")
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise _violation(maker, f"on {name} leaves 0 to 1", "Give probabilities.")
    again = np.asarray(maker.fit(sample).probabilities(rows))
    if not np.array_equal(chances, again):
        raise _violation(maker, f"on {name} is fitted differently the second time", "Draw nothing without a seed.")
    turned = np.asarray(maker.fit(sample.take(np.arange(len(sample))[::-1])).probabilities(rows))
    if not np.allclose(chances, turned, atol=1e-4):
        raise _violation(maker, f"on {name} depends on the order of the rows", "Sort them, or use sums.")
    single = [fitted.probability(row.tolist() if row.ndim else float(row)) for row in rows[:5]]
    if not np.allclose(single, chances[:5], atol=1e-12):
        raise _violation(maker, f"on {name} says something else of one row alone", "Treat rows one by one.")
    if maker.monotone:
        _check_monotone(maker, name, sample, fitted)
    _check_record(maker, name, fitted, rows, chances)
    _check_refuses(maker, name, sample, fitted)


def _rows_to_ask(sample: Sample) -> Floats:
    if sample.kind is Kind.OPTIONS:
        return np.vstack([sample.raw[:20], np.eye(4), np.full((1, 4), 0.25)])
    return np.append(np.linspace(0.0, 1.0, 51), sample.raw[:20])


def _check_monotone(maker: type[FittableCalibrator], name: str, sample: Sample, fitted: FittableCalibrator) -> None:
    if sample.kind is Kind.OPTIONS:
        surer = np.sort(sample.raw.max(axis=1))
        found = np.diff(fitted.probabilities(np.column_stack([surer, np.zeros_like(surer)])))
    else:
        found = np.diff(fitted.probabilities(np.linspace(0.0, 1.0, 201)))
        found = -found if sample.kind is Kind.VARIANCE else found
    if (found < -1e-12).any():
        raise _violation(maker, f"on {name} is not monotone though it says so", "Say 'monotone = False', or be it.")


def _check_record(
    maker: type[FittableCalibrator], name: str, fitted: FittableCalibrator, rows: Floats, chances: Floats
) -> None:
    record = fitted.to_json()
    try:
        stored: dict[str, Any] = json.loads(json.dumps(record, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise _violation(maker, f"on {name} has a record that is no JSON ({error})", PLAIN) from None
    head = {key: stored.get(key) for key in ("what", "schema", "method")}
    if head != {"what": WHAT, "schema": SCHEMA, "method": maker.name}:
        raise _violation(maker, f"on {name} has a record headed {head}", "Write 'what', 'schema' and 'method'.")
    if not np.array_equal(maker.from_json(stored).probabilities(rows), chances):
        raise _violation(maker, f"on {name} predicts otherwise after a reload", PLAIN)


def _check_refuses(maker: type[FittableCalibrator], name: str, sample: Sample, fitted: FittableCalibrator) -> None:
    bad = np.full(sample.raw[:1].shape, np.nan)
    try:
        fitted.probabilities(bad)
    except BadSetting:
        return
    raise _violation(maker, f"on {name} takes nan for a score", "Raise BadSetting for it.")


def _violation(maker: type[FittableCalibrator], what: str, hint: str) -> ContractViolation:
    return ContractViolation(f"calibrator {maker.__name__} {what}", hint=hint)
