"""A workload model from people's own ratings: pulled towards the defaults, judged on people it has not seen.

The rating of a question is taken as s_person (b + a_d[hard] + a_r[box] + a_s[distracted]) + g F. Few ratings say
little, so every coefficient is a compromise between them and the default (ridge); the pull weighs as much as some
ratings do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadSetting
from handup.people.model import RANGES, WorkloadModel
from handup.people.ratings import Rating

ENOUGH = 30
"""With fewer ratings only s_person is fitted."""
RIDGE = 5.0
PERSON_RIDGE = 1.0
"""The pull of s_person towards 1, in ratings of a mean question."""
ROUNDS = 20
COEFFICIENTS = ("b", "a_d", "a_r", "a_s")
Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Held:
    """How far predictions for people left out of the fit are from what they said; root mean squares.

    Args:
        fitted: Of the model, fitted on the others, with s = 1.
        defaults: Of the default model.
        mean: Of the others' mean rating.
    """

    fitted: float
    defaults: float
    mean: float


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What ratings say about workload.

    Args:
        model: The fitted model.
        fitted: The coefficients that were fitted; s of each person always is.
        ratings: How many there were.
        people: Of how many people.
        rmse: Error on the ratings that it was fitted on.
        held_out: Leave-one-person-out error; None with one person.
    """

    model: WorkloadModel
    fitted: tuple[str, ...]
    ratings: int
    people: int
    rmse: float
    held_out: Held | None

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        held = self.held_out
        return {
            "n": self.ratings,
            "people": self.people,
            "fitted": [*self.fitted, "s_person"],
            "rmse": self.rmse,
            "leave_one_person_out": None
            if held is None
            else {"rmse": held.fitted, "defaults_rmse": held.defaults, "mean_rmse": held.mean},
            "model": self.model.to_json(),
        }


def fit_ratings(ratings: Sequence[Rating], start: WorkloadModel | None = None, *, ridge: float = RIDGE) -> Fit:
    """Fit a model.

    Args:
        ratings: At least one.
        start: The model to pull towards.
        ridge: How strongly, in ratings.

    Raises:
        BadData: There are no ratings.
        BadSetting: The pull is not above 0.
    """
    if not ratings:
        raise BadData("there are no ratings", hint="Give at least one.")
    if not 0.0 < ridge <= 1e9:
        raise BadSetting(f"ridge is {ridge:g}", hint="Give a number above 0.")
    first = start or WorkloadModel()
    names = _names(ratings)
    model = _fitted(ratings, first, ridge, names)
    said = np.array([each.value for each in ratings])
    people = sorted({each.person for each in ratings})
    source = f"fitted on {len(ratings)} ratings of {len(people)} {'person' if len(people) == 1 else 'people'}"
    return Fit(
        model=replace(model, evidence=source),
        fitted=names,
        ratings=len(ratings),
        people=len(people),
        rmse=_rms(predicted(model, ratings) - said),
        held_out=_held_out(ratings, first, ridge, people) if len(people) > 1 else None,
    )


def predicted(model: WorkloadModel, ratings: Sequence[Rating]) -> Vector:
    """What the model expects each rating to be, within 0 to 1."""
    loads = _loads(model, ratings)
    costs = [model.s(each.person) * model.base(each.features) for each in ratings]
    return np.clip(np.array(costs) + model.g * loads, 0.0, 1.0)


def _names(ratings: Sequence[Rating]) -> tuple[str, ...]:
    """The coefficients to fit: none with few ratings; g only where times are known."""
    if len(ratings) < ENOUGH:
        return ()
    return (*COEFFICIENTS, "g") if any(each.seconds is not None for each in ratings) else COEFFICIENTS


def _loads(model: WorkloadModel, ratings: Sequence[Rating]) -> Vector:
    """F when each question came; a person whose times are unknown is taken as rested."""
    loads: dict[str, float] = {}
    found = np.zeros(len(ratings))
    for place, each in enumerate(ratings):
        before = loads.get(each.person, 0.0)
        found[place] = 0.0 if each.seconds is None else model.leaked(before, each.seconds)
        loads[each.person] = model.added(float(found[place]), model.rho * model.base(each.features))
    return found


def _fitted(ratings: Sequence[Rating], start: WorkloadModel, ridge: float, names: Sequence[str]) -> WorkloadModel:
    """Coefficients and people in turn, until they agree; each step solves its own ridge regression exactly."""
    said = np.array([each.value for each in ratings])
    flags = np.array([(1.0, *each.features.flags) for each in ratings], dtype=np.float64)
    loads = _loads(start, ratings)
    model = start
    for _ in range(ROUNDS):
        model = _with_people(model, ratings, said - model.g * loads)
        if not names:
            return model
        s = np.array([model.s(each.person) for each in ratings])
        columns = np.column_stack([flags * s[:, None], loads])[:, : len(names)]
        towards = np.array([getattr(start, name) for name in names])
        known = 0.0 if "g" in names else start.g * loads
        pulled = columns.T @ columns + ridge * np.eye(len(names))
        found = towards + np.linalg.solve(pulled, columns.T @ (said - known - columns @ towards))
        limits = [RANGES[name] for name in names]
        kept = [float(np.clip(value, *each)) for value, each in zip(found, limits, strict=True)]
        given: dict[str, Any] = dict(zip(names, kept, strict=True))
        model = replace(model, **given)
    return model


def _with_people(model: WorkloadModel, ratings: Sequence[Rating], said: Vector) -> WorkloadModel:
    """S of each person, pulled towards 1."""
    sums: dict[str, tuple[float, float]] = {}
    for each, value in zip(ratings, said.tolist(), strict=True):
        cost = model.base(each.features)
        over, under = sums.get(each.person, (0.0, 0.0))
        sums[each.person] = over + cost * value, under + cost * cost
    pull = PERSON_RIDGE * float(np.mean([model.base(each.features) ** 2 for each in ratings]))
    people = {who: min(max((over + pull) / (under + pull), 0.0), 100.0) for who, (over, under) in sums.items()}
    return replace(model, people=people)


def _held_out(ratings: Sequence[Rating], start: WorkloadModel, ridge: float, people: Sequence[str]) -> Held:
    errors: Mapping[str, list[float]] = {"fitted": [], "defaults": [], "mean": []}
    for person in people:
        others = [each for each in ratings if each.person != person]
        own = [each for each in ratings if each.person == person]
        said = np.array([each.value for each in own])
        model = _fitted(others, start, ridge, _names(others))
        mean = float(np.mean([each.value for each in others]))
        for name, guess in (
            ("fitted", predicted(model, own)),
            ("defaults", predicted(start, own)),
            ("mean", np.full(len(own), mean)),
        ):
            errors[name].extend((guess - said).tolist())
    return Held(**{name: _rms(np.array(each)) for name, each in errors.items()})


def _rms(errors: Vector) -> float:
    return float(np.sqrt(np.mean(errors**2)))
