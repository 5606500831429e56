"""Ratings of questions, read from a table, and a workload model fitted to them and judged on people left out."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadData, MissingSetting, OutOfRange
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
"""Number of pairs of scales. A scale's weight is the number of pairs in which it was chosen."""
ENOUGH = 30
"""Number of ratings from which on coefficients are fitted; with fewer, only s_person is."""
RIDGE = 5.0
"""Default pull of the coefficients towards the start, in ratings."""
PERSON_RIDGE = 1.0
"""Pull of s_person towards 1, in ratings of a mean question."""
ROUNDS = 20
"""Number of alternations between fitting people and fitting coefficients."""
COEFFICIENTS = ("b", "a_d", "a_r", "a_s")
Vector = NDArray[np.float64]


class Scale(StrEnum):
    """Scale of the ratings in a table."""

    AUTO = "auto"
    """1 to 5 if most ratings other than 1 are above it; otherwise 0 to 1."""
    UNIT = "unit"
    """0 to 1."""
    LIKERT = "likert"
    """1 to 5, converted to (x - 1) / 4."""


@dataclass(frozen=True)
class Rating:
    """A person's rating of the cost of a question.

    Args:
        person: Name of the person.
        features: Features of the question.
        value: The rating, from 0 to 1.
        seconds: Seconds since the person's last question, where they are known.
        line: Line in the file.
    """

    person: str
    features: Features
    value: float
    seconds: float | None
    line: int


def read_ratings(text: str, scale: Scale = Scale.AUTO) -> tuple[Rating, ...]:
    """Return the ratings of a CSV text, in its order.

    Raises:
        BadData: The columns are wrong, there are no rows, or a value is wrong; with its line.
    """
    header, rows = csv_table(text, HINT)
    _check_header(header)
    ratings = [_row(number, header, row) for number, row in rows]
    return _scaled(ratings, Scale(scale))


def csv_table(text: str, hint: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the names of a CSV table's columns, in small letters, and its rows with their lines, but for empty rows.

    Raises:
        BadData: The text is no CSV, or has no header, no rows or too many.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or not lines[0].strip():
        raise BadData("the table must have a header, got an empty text", hint=hint)
    reader = csv.reader(lines, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadData(f"row {reader.line_num} must be CSV ({error})", hint=hint, line=reader.line_num) from None
    if len(rows) < 2:
        raise BadData("the table must have rows, got only its header", hint=hint)
    if len(rows) > MOST_ROWS:
        raise BadData(f"the table must have at most {MOST_ROWS:,} rows, got {len(rows):,}", hint="Leave some out.")
    return [cell.strip().lower() for cell in rows[0][1]], rows[1:]


def cells_of(line: int, header: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row by column; a row has one for each, and names a person.

    Raises:
        BadData: The row has too many or too few cells, or nobody's name.
    """
    if len(row) != len(header):
        hint = "Give each column one value, and quote values that contain a comma."
        raise BadData(f"row {line} must have {len(header)} values, got {len(row)}", hint=hint, line=line)
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
    if not cells["person"]:
        raise BadData(f"row {line} must name a person, got nothing", hint="Give each a name or a number.", line=line)
    return cells


def _check_header(header: Sequence[str]) -> None:
    missing = [column for column in NEEDED if column not in header]
    unknown = [column for column in header if column not in (*NEEDED, SECONDS)]
    if missing or unknown or len(set(header)) != len(header):
        wrong = f"lacks '{missing[0]}'" if missing else f"has '{unknown[0]}'" if unknown else "names a column twice"
        raise BadData(f"the table {wrong}", hint=HINT, line=1)


def _row(line: int, header: Sequence[str], row: Sequence[str]) -> Rating:
    cells = cells_of(line, header, row)
    words = {}
    for name, kind in WORDS.items():
        word = SAME.get(cells[name].lower(), cells[name].lower())
        if word not in tuple(kind):
            must = f"must be one of {', '.join(kind)}"
            raise BadData(f"row {line}: {name} {must}, got '{cells[name]}'", hint="Use one of these words.", line=line)
        words[name] = word
    seconds = None
    if cells.get(SECONDS):
        seconds = number_in(line, SECONDS, cells[SECONDS])
        if seconds < 0.0:
            raise BadData(
                f"row {line}: seconds must be at least 0, got {seconds:g}", hint="Check the clock.", line=line
            )
    features = Features(Difficulty(words["difficulty"]), Response(words["response"]), Distraction(words["distraction"]))
    return Rating(cells["person"], features, number_in(line, "rating", cells["rating"]), seconds, line)


def number_in(line: int, name: str, text: str) -> float:
    """Return the number in a cell, or raise `BadData` with its line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadData(f"row {line}: {name} must be a number, got '{text}'", hint="Give a finite number.", line=line)
    return value


def _scaled(ratings: Sequence[Rating], scale: Scale) -> tuple[Rating, ...]:
    values = [rating.value for rating in ratings]
    if scale is Scale.AUTO and all(value == 1.0 for value in values):
        raise BadData(
            "ratings must show their scale, and every rating is 1", hint="Name it by --scale: unit or likert."
        )
    # A 1 lies on both scales. If most of the others are above it, those below are the mistakes.
    looks_likert = 2 * sum(value > 1.0 for value in values) > sum(value != 1.0 for value in values)
    is_likert = scale is Scale.LIKERT or (scale is Scale.AUTO and looks_likert)
    low, high = (1.0, 5.0) if is_likert else (0.0, 1.0)
    wrong = [rating for rating in ratings if not low <= rating.value <= high]
    if wrong:
        named = ", ".join(f"row {rating.line}: {rating.value:g}" for rating in wrong[:MOST_NAMED])
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        cause = f"ratings must lie between {low:g} and {high:g}, got {named}{more}"
        raise BadData(cause, hint="Use one scale, 0 to 1 or 1 to 5, or name it by --scale.", line=wrong[0].line)
    return tuple(replace(rating, value=likert(rating.value)) for rating in ratings) if is_likert else tuple(ratings)


def raw(ratings: Mapping[str, float]) -> float:
    """Return the raw NASA Task Load Index (TLX): the mean of six ratings from 0 to 100; perfect performance is 0.

    Raises:
        MissingSetting: A scale is missing or unknown.
        OutOfRange: A rating is outside 0 to 100.

    Example:
        >>> raw(dict.fromkeys(SCALES, 50.0))
        50.0
    """
    return sum(_checked(ratings).values()) / len(SCALES)


def weighted(ratings: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """Return the weighted TLX: each rating counts as often as its scale was chosen in the fifteen comparisons.

    Raises:
        MissingSetting, OutOfRange: As for `raw`; or the weights are not whole numbers from 0 to 5 that add up to 15.
    """
    checked = _checked(ratings)
    _check_scales("weights", weights)
    for scale, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= 5:
            must, hint = "be a whole number from 0 to 5", "Give how often the scale was chosen."
            raise OutOfRange.of(f"the weight of {scale}", repr(weight), must, hint=hint)
    if sum(weights.values()) != COMPARISONS:
        raise OutOfRange.of("weights", sum(weights.values()), f"add up to {COMPARISONS}", hint="Count each pair once.")
    return sum(checked[scale] * weights[scale] for scale in SCALES) / COMPARISONS


def likert(answer: float) -> float:
    """Return an item from 1 to 5 as a load from 0 to 1: (x - 1) / 4.

    Raises:
        OutOfRange: The item is outside 1 to 5.
    """
    if not 1.0 <= answer <= 5.0:
        raise OutOfRange.of("an item", f"{answer:g}", "lie between 1 and 5", hint="Give the number that was ticked.")
    return (answer - 1.0) / 4.0


def _check_scales(name: str, numbers: Mapping[str, float]) -> None:
    if set(numbers) != set(SCALES):
        got = ", ".join(numbers) or "nothing"
        raise MissingSetting.of(name, got, f"name {', '.join(SCALES)}", hint="Give one number for each scale.")


def _checked(ratings: Mapping[str, float]) -> dict[str, float]:
    _check_scales("ratings", ratings)
    for scale, rating in ratings.items():
        if not 0.0 <= rating <= 100.0:
            raise OutOfRange.of(f"the rating of {scale}", f"{rating:g}", "lie between 0 and 100", hint="Change it.")
    return {scale: float(ratings[scale]) for scale in SCALES}


@dataclass(frozen=True, kw_only=True)
class HeldOutError:
    """Root mean square errors of predictions for people who were left out of the fit.

    Args:
        fitted: Error of the model that was fitted on the others, with s = 1.
        defaults: Error of the default model.
        mean: Error of the others' mean rating.
    """

    fitted: float
    defaults: float
    mean: float


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Workload model fitted to ratings, and its errors.

    Args:
        model: The fitted model.
        fitted: Names of the coefficients that were fitted, beside s of each person.
        ratings: Number of ratings.
        people: Number of people who gave them.
        rmse: Error on the ratings of the fit.
        held_out: Leave-one-person-out errors; None with one person.
    """

    model: WorkloadModel
    fitted: tuple[str, ...]
    ratings: int
    people: int
    rmse: float
    held_out: HeldOutError | None

    def to_json(self) -> dict[str, Any]:
        """A plain record for tables and files."""
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
    """Fit a workload model to ratings by ridge regression.

    The rating of a question is modelled as s_person (b + a_d[hard] + a_r[box] + a_s[distracted]) + g F. Few ratings
    say little, so every coefficient is a compromise between them and its value in the start model.

    Args:
        ratings: At least one rating.
        start: The model towards which the coefficients are pulled; the default model where not given.
        ridge: Weight of this pull, as a number of ratings, above 0.

    Raises:
        BadData: There are no ratings.
        OutOfRange: The pull is not above 0.
    """
    if not ratings:
        raise BadData("there must be ratings, got none", hint="Give at least one.")
    if not 0.0 < ridge <= 1e9:
        raise OutOfRange.of("ridge", f"{ridge:g}", "be above 0 and at most 1e9", hint="Give a number of ratings.")
    first = start or WorkloadModel()
    names = _names(ratings)
    model = _fitted(ratings, first, ridge, names)
    said = np.array([rating.value for rating in ratings])
    people = sorted({rating.person for rating in ratings})
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
    """Return the model's prediction of each rating, from 0 to 1."""
    loads = _loads(model, ratings)
    costs = [model.s(rating.person) * model.base(rating.features) for rating in ratings]
    return np.clip(np.array(costs) + model.g * loads, 0.0, 1.0)


def _names(ratings: Sequence[Rating]) -> tuple[str, ...]:
    """Return the coefficients to fit: none with few ratings, and g only where times are known."""
    if len(ratings) < ENOUGH:
        return ()
    return (*COEFFICIENTS, "g") if any(rating.seconds is not None for rating in ratings) else COEFFICIENTS


def _loads(model: WorkloadModel, ratings: Sequence[Rating]) -> Vector:
    """Return F at each question; a person whose times are unknown counts as rested."""
    loads: dict[str, float] = {}
    at_question = np.zeros(len(ratings))
    for place, rating in enumerate(ratings):
        before = loads.get(rating.person, 0.0)
        at_question[place] = 0.0 if rating.seconds is None else model.leaked(before, rating.seconds)
        loads[rating.person] = model.added(float(at_question[place]), model.rho * model.base(rating.features))
    return at_question


def _fitted(ratings: Sequence[Rating], start: WorkloadModel, ridge: float, names: Sequence[str]) -> WorkloadModel:
    """Fit people and coefficients in turn; each step solves its own ridge regression exactly."""
    said = np.array([rating.value for rating in ratings])
    flags = np.array([(1.0, *rating.features.flags) for rating in ratings], dtype=np.float64)
    # F depends on the base costs that are being fitted. It is taken from the start model, so that each step is linear.
    loads = _loads(start, ratings)
    model = start
    for _ in range(ROUNDS):
        model = _with_people(model, ratings, said - model.g * loads)
        if not names:
            return model
        s = np.array([model.s(rating.person) for rating in ratings])
        columns = np.column_stack([flags * s[:, None], loads])[:, : len(names)]
        towards = np.array([getattr(start, name) for name in names])
        known = 0.0 if "g" in names else start.g * loads
        pulled = columns.T @ columns + ridge * np.eye(len(names))
        solution = towards + np.linalg.solve(pulled, columns.T @ (said - known - columns @ towards))
        limits = [RANGES[name] for name in names]
        clipped = [float(np.clip(value, low, high)) for value, (low, high) in zip(solution, limits, strict=True)]
        coefficients: dict[str, Any] = dict(zip(names, clipped, strict=True))
        model = replace(model, **coefficients)
    return model


def _with_people(model: WorkloadModel, ratings: Sequence[Rating], said: Vector) -> WorkloadModel:
    """Return the model with s of each person, pulled towards 1."""
    sums: dict[str, tuple[float, float]] = {}
    for rating, value in zip(ratings, said.tolist(), strict=True):
        cost = model.base(rating.features)
        over, under = sums.get(rating.person, (0.0, 0.0))
        sums[rating.person] = over + cost * value, under + cost * cost
    pull = PERSON_RIDGE * float(np.mean([model.base(rating.features) ** 2 for rating in ratings]))
    people = {name: min(max((over + pull) / (under + pull), 0.0), 100.0) for name, (over, under) in sums.items()}
    return replace(model, people=people)


def _held_out(ratings: Sequence[Rating], start: WorkloadModel, ridge: float, people: Sequence[str]) -> HeldOutError:
    errors: dict[str, list[float]] = {"fitted": [], "defaults": [], "mean": []}
    for person in people:
        others = [rating for rating in ratings if rating.person != person]
        own = [rating for rating in ratings if rating.person == person]
        said = np.array([rating.value for rating in own])
        model = _fitted(others, start, ridge, _names(others))
        mean = float(np.mean([rating.value for rating in others]))
        guesses = {"fitted": predicted(model, own), "defaults": predicted(start, own), "mean": mean}
        for name, guess in guesses.items():
            errors[name].extend((guess - said).tolist())
    return HeldOutError(**{name: _rms(np.array(differences)) for name, differences in errors.items()})


def _rms(errors: Vector) -> float:
    return float(np.sqrt(np.mean(errors**2)))
