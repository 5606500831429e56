"""Ratings of questions as rows of a table: read, checked, and named by their line where they are wrong."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from handup.core import BadData
from handup.people.features import Difficulty, Distraction, Features, Response
from handup.people.tlx import likert

NEEDED = ("person", "difficulty", "response", "distraction", "rating")
SECONDS = "seconds"
MOST_NAMED = 5
MOST_ROWS = 1_000_000
HINT = f"Give the columns {', '.join(NEEDED)}, and {SECONDS} since the person's last question where known."
WORDS = {"difficulty": Difficulty, "response": Response, "distraction": Distraction}
SAME = {"points": "box", "bb": "box", "mcq": "choice", "yes": "distracted", "no": "none"}


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


def _looks_likert(values: Sequence[float]) -> bool:
    """Whether most ratings are above 1; those that are not are the odd ones out then."""
    return 2 * sum(each > 1.0 for each in values) > sum(each != 1.0 for each in values)


def _scaled(found: Sequence[Rating], scale: Scale) -> tuple[Rating, ...]:
    values = [each.value for each in found]
    if scale is Scale.AUTO and all(each == 1.0 for each in values):
        raise BadData("every rating is 1", hint="Say which scale it is: --scale unit or --scale likert.")
    is_likert = scale is Scale.LIKERT or (scale is Scale.AUTO and _looks_likert(values))
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
