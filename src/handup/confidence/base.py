"""The protocol of calibrators, and what handup's own share: their summary of the data and their record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadData, BadSetting, Calibrator, RawScore, UnknownMethod
from handup.core.calibrator import SCHEMA, WHAT

F = TypeVar("F", bound="Fitted")


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
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


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
        own = {each.name: _plain(getattr(self, each.name)) for each in fields(self) if each.name != "data"}
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


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Kind) else value


def _number_or_tuple(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_number_or_tuple(each) for each in value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)
