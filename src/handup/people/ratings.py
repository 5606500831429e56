"""Ratings of questions: read from a table, and a workload model fitted to them, judged on people it has not seen."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, BadSetting
from handup.people.workload import RANGES, Difficulty, Distraction, Features, Response, WorkloadModel

NEEDED = ("person", "difficulty", "response", "distraction", "rating")
SECONDS = "seconds"
MOST_NAMED = 5
MOST_ROWS = 1_000_000
HINT = f"Give the columns {', '.join(NEEDED)}, and {SECONDS} since the person's last question where known."
WORDS = {"difficulty": Difficulty, "response": Response, "distraction": Distraction}
SAME = {"points": "box", "bb": "box", "mcq": "choice", "yes": "distracted", "no": "none"}
SCALES = ("mental", "physical", "temporal", "performance", "effort", "frustration")
COMPARISONS = 15
"""Pairs of scales: each is compared with each once, and its weight is how often it was chosen."""
ENOUGH = 30
"""With fewer ratings only s_person is fitted."""
RIDGE = 5.0
PERSON_RIDGE = 1.0
"""The pull of s_person towards 1, in ratings of a mean question."""
ROUNDS = 20
COEFFICIENTS = ("b", "a_d", "a_r", "a_s")
Vector = NDArray[np.float64]


class Scale(StrEnum):
    """How ratings are written."""

    AUTO = "auto"
    """Above 1 somewhere: 1 to 5; otherwise 0 to 1."""
    UNIT = "unit"
    """0 to 1."""
    LIKERT = "likert"
    """1 to 5, taken as (x - 1) / 4."""


@dataclass(frozen=True)
class Rating:
    """What a person said a question cost.

    Args:
        person: Who.
        features: What was asked.
        value: From 0 to 1.
        seconds: Since the person's last question, where it is known.
        line: Where it stands in the file.
    """

    person: str
    features: Features
    value: float
    seconds: float | None
    line: int


def read_ratings(text: str, scale: Scale = Scale.AUTO) -> tuple[Rating, ...]:
    """The ratings of a CSV text, in its order.

    Raises:
        BadData: Wrong columns, no rows, or a value that is none; with its line.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or not lines[0].strip():
        raise BadData("the table is empty", hint=HINT)
    reader = csv.reader(lines, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(each.strip() for each in row)]
    except csv.Error as error:
        raise BadData(f"row {reader.line_num} is no CSV ({error})", hint=HINT, line=reader.line_num) from None
    header = [each.strip().lower() for each in rows[0][1]]
    _check_header(header)
    if len(rows) < 2:
        raise BadData("the table has no rows", hint=HINT)
    if len(rows) > MOST_ROWS:
        raise BadData(f"the table has {len(rows):,} rows", hint=f"Give at most {MOST_ROWS:,}.")
    found = [_row(number, header, row) for number, row in rows[1:]]
    return _scaled(found, Scale(scale))


def _check_header(header: Sequence[str]) -> None:
    missing = [each for each in NEEDED if each not in header]
    unknown = [each for each in header if each not in (*NEEDED, SECONDS)]
    if missing or unknown or len(set(header)) != len(header):
        wrong = f"lacks '{missing[0]}'" if missing else f"has '{unknown[0]}'" if unknown else "names a column twice"
        raise BadData(f"the table {wrong}", hint=HINT, line=1)


def _row(line: int, header: Sequence[str], row: Sequence[str]) -> Rating:
    if len(row) != len(header):
        raise BadData(f"row {line} has {len(row)} values for {len(header)} columns", hint=HINT, line=line)
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
    if not cells["person"]:
        raise BadData(f"row {line} names no person", hint="Give a name or a number to each.", line=line)
    words = {}
    for name, kind in WORDS.items():
        word = SAME.get(cells[name].lower(), cells[name].lower())
        if word not in tuple(kind):
            hint = f"Use one of: {', '.join(kind)}."
            raise BadData(f"row {line}: {name} is '{cells[name]}'", hint=hint, line=line)
        words[name] = word
    seconds = None
    if cells.get(SECONDS):
        seconds = _number(line, SECONDS, cells[SECONDS])
        if seconds < 0.0:
            raise BadData(f"row {line}: seconds is {seconds:g}", hint="Give a time of at least 0.", line=line)
    features = Features(Difficulty(words["difficulty"]), Response(words["response"]), Distraction(words["distraction"]))
    return Rating(cells["person"], features, _number(line, "rating", cells["rating"]), seconds, line)


def _number(line: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadData(f"row {line}: {name} is '{text}'", hint="Give a number.", line=line)
    return value


def _scaled(found: Sequence[Rating], scale: Scale) -> tuple[Rating, ...]:
    values = [each.value for each in found]
    if scale is Scale.AUTO and all(each == 1.0 for each in values):
        raise BadData("every rating is 1", hint="Say which scale it is: --scale unit or --scale likert.")
    # Where most ratings are above 1, those that are not are the odd ones out.
    looks_likert = 2 * sum(value > 1.0 for value in values) > sum(value != 1.0 for value in values)
    is_likert = scale is Scale.LIKERT or (scale is Scale.AUTO and looks_likert)
    low, high = (1.0, 5.0) if is_likert else (0.0, 1.0)
    wrong = [each for each in found if not low <= each.value <= high]
    if wrong:
        named = ", ".join(f"row {each.line}: {each.value:g}" for each in wrong[:MOST_NAMED])
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        hint = f"Ratings look like {low:g} to {high:g} here; all on one scale, 0 to 1 or 1 to 5, or name it by --scale."
        raise BadData(f"ratings out of range: {named}{more}", hint=hint, line=wrong[0].line)
    return tuple(
        Rating(each.person, each.features, likert(each.value) if is_likert else each.value, each.seconds, each.line)
        for each in found
    )


def raw(ratings: Mapping[str, float]) -> float:
    """Raw TLX: the mean of six ratings from 0 to 100. Performance counts from perfect (0) to failure (100).

    Raises:
        BadSetting: A scale is missing, unknown or outside 0 to 100.

    Example:
        >>> raw(dict.fromkeys(SCALES, 50.0))
        50.0
    """
    return sum(_checked(ratings).values()) / len(SCALES)


def weighted(ratings: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """Weighted TLX: each rating counts as often as its scale was chosen in the fifteen comparisons.

    Raises:
        BadSetting: As for `raw`; or the weights are not whole numbers from 0 to 5 that add up to 15.
    """
    checked = _checked(ratings)
    if set(weights) != set(SCALES):
        raise BadSetting(f"weights are of {', '.join(weights) or 'nothing'}", hint=f"Give: {', '.join(SCALES)}.")
    for scale, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= 5:
            raise BadSetting(f"the weight of {scale} is {weight!r}", hint="Give a whole number from 0 to 5.")
    if sum(weights.values()) != COMPARISONS:
        raise BadSetting(f"the weights add up to {sum(weights.values())}", hint=f"They must add up to {COMPARISONS}.")
    return sum(checked[scale] * weights[scale] for scale in SCALES) / COMPARISONS


def likert(answer: float) -> float:
    """An item from 1 to 5 as a load from 0 to 1: (x - 1) / 4.

    Raises:
        BadSetting: It is outside 1 to 5.
    """
    if not 1.0 <= answer <= 5.0:
        raise BadSetting(f"an item is {answer:g}", hint="Give 1 to 5.")
    return (answer - 1.0) / 4.0


def _checked(ratings: Mapping[str, float]) -> dict[str, float]:
    if set(ratings) != set(SCALES):
        raise BadSetting(f"ratings are of {', '.join(ratings) or 'nothing'}", hint=f"Give: {', '.join(SCALES)}.")
    for scale, rating in ratings.items():
        if not 0.0 <= rating <= 100.0:
            raise BadSetting(f"the rating of {scale} is {rating:g}", hint="Give a number from 0 to 100.")
    return {scale: float(ratings[scale]) for scale in SCALES}


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

    The rating of a question is taken as s_person (b + a_d[hard] + a_r[box] + a_s[distracted]) + g F. Few ratings say
    little, so every coefficient is a compromise between them and the default (ridge); the pull weighs as much as some
    ratings do.

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
    errors: dict[str, list[float]] = {"fitted": [], "defaults": [], "mean": []}
    for person in people:
        others = [each for each in ratings if each.person != person]
        own = [each for each in ratings if each.person == person]
        said = np.array([each.value for each in own])
        model = _fitted(others, start, ridge, _names(others))
        mean = float(np.mean([each.value for each in others]))
        guesses = {"fitted": predicted(model, own), "defaults": predicted(start, own), "mean": mean}
        for name, guess in guesses.items():
            errors[name].extend((guess - said).tolist())
    return Held(**{name: _rms(np.array(each)) for name, each in errors.items()})


def _rms(errors: Vector) -> float:
    return float(np.sqrt(np.mean(errors**2)))
