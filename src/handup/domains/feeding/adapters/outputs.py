"""What a module's output must be, whoever made it: checked, put in order, and an error that says what was expected.

Own code may give plain Python instead of our records: a mapping of scores, pairs of box and score, rows of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, NoReturn

import numpy as np

from handup.core import BadAnswer, BadSetting, Box, ContractViolation
from handup.core.checks import check_number, check_share, shown
from handup.domains.feeding.crops import HEIGHT, WIDTH
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named
from handup.domains.feeding.skills import Params, Skill

MOST_BOXES = 256
MOST_PASSES = 1024
ADD_UP_WITHIN = 1e-3
"""Rounded probabilities add up to 1 no better than this."""


class Place(StrEnum):
    """The four places for a model, by the name of the method that it needs."""

    NAME = "name"
    FIND = "find"
    CHOOSE = "choose"
    AIM = "aim"


NUMBERS: Mapping[Place, str] = {Place.NAME: "M1", Place.FIND: "M2", Place.CHOOSE: "M3", Place.AIM: "M4"}
EXPECTED: Mapping[Place, str] = {
    Place.NAME: "Give a Named, or a mapping of foods to scores from 0 to 1; foods left out get 0.",
    Place.FIND: "Give a Found, or pairs of a box (left, top, right, bottom in shares of the picture) and a score.",
    Place.CHOOSE: "Give a Chosen, or a mapping of skills to probabilities that add up to 1; skills left out get 0.",
    Place.AIM: "Give an Aimed, or at least two passes of x1, y1, x2, y2 in shares of the picture.",
}


def called(place: Place, who: str) -> str:
    """What a part is called in a message: M1 (name, by MyModel)."""
    return f"{NUMBERS[place]} ({place}, by {who})"


def wrong(place: Place, who: str, what: str) -> NoReturn:
    """Refuse an output.

    Raises:
        ContractViolation: Always.
    """
    raise ContractViolation(f"{called(place, who)} {what}", hint=EXPECTED[place])


def named_of(said: object, foods: Sequence[str], who: str) -> Named:
    """M1's output: a score for every food, the highest first.

    Raises:
        ContractViolation: It is none.
    """
    given = said if isinstance(said, Named) else None
    ranked = _ranked(
        Place.NAME, said if given is None else given.scores, foods, None if given is None else given.label, who
    )
    label = next(iter(ranked))
    return Named(label, ranked) if given is None else replace(given, label=label, scores=ranked)


def found_of(said: object, who: str) -> Found:
    """M2's output: boxes, the best first.

    Raises:
        ContractViolation: It is none.
    """
    if isinstance(said, Found):
        if len(said.boxes) != len(said.scores):
            wrong(Place.FIND, who, f"gives {len(said.boxes)} boxes and {len(said.scores)} scores")
        said = tuple(zip(said.boxes, said.scores, strict=True))
    pairs = []
    for each in _list(Place.FIND, said, MOST_BOXES, who):
        if not isinstance(each, Sequence) or isinstance(each, str) or len(each) != 2:
            wrong(Place.FIND, who, f"gives {shown(each)} for a box and its score")
        pairs.append((_box(each[0], who), _share(Place.FIND, "a score", each[1], who)))
    pairs.sort(key=lambda each: -each[1])
    return Found(tuple(box for box, _ in pairs), tuple(score for _, score in pairs))


def chosen_of(said: object, who: str) -> Chosen:
    """M3's output: a probability for every skill, the highest first.

    Raises:
        ContractViolation: It is none.
    """
    given = said if isinstance(said, Chosen) else None
    options, best = tuple(map(str, Skill)), None if given is None else str(given.skill)
    ranked = _ranked(Place.CHOOSE, said if given is None else given.scores, options, best, who)
    total = sum(ranked.values())
    if abs(total - 1.0) > ADD_UP_WITHIN:
        wrong(Place.CHOOSE, who, f"gives probabilities that add up to {total:.4g}")
    scores = {Skill(skill): score for skill, score in ranked.items()}
    skill = next(iter(scores))
    return Chosen(skill, scores) if given is None else replace(given, skill=skill, scores=scores)


def aimed_of(said: object, who: str) -> Aimed:
    """M4's output. Of passes the mean and the spread are computed as the shipped network's are.

    One pass has no spread, and so would pass for being quite sure: at least two are needed.

    Raises:
        ContractViolation: It is none.
    """
    if isinstance(said, Aimed):
        variance = _number(Place.AIM, "a variance", said.variance, who)
        if variance < 0.0:
            wrong(Place.AIM, who, f"gives a variance of {variance:g}")
        if not isinstance(said.params, Params):
            wrong(Place.AIM, who, f"gives {shown(said.params)} for parameters")
        return said
    rows = [_params(each, who) for each in _list(Place.AIM, said, MOST_PASSES, who)]
    if len(rows) < 2:
        wrong(Place.AIM, who, f"gives {len(rows)} passes")
    points = np.array([each.numbers for each in rows]).reshape(len(rows), 2, 2)
    middles = points.mean(axis=1) * np.array([1.0, HEIGHT / WIDTH])
    mean = Params.within(points.mean(axis=0).ravel().tolist())
    return Aimed(params=mean, variance=float(middles.var(axis=0).sum()), passes=tuple(rows))


def _ranked(place: Place, said: object, options: Sequence[str], best: str | None, who: str) -> dict[str, float]:
    """A score for every option, the highest first; of equal ones the one that was said to be the best."""
    if not isinstance(said, Mapping):
        wrong(place, who, f"gives {shown(said)}")
    if not said:
        wrong(place, who, "gives no scores")
    for option in said:
        if not isinstance(option, str) or str(option) not in options:
            wrong(place, who, f"gives a score for {shown(option)}, which is none of: {', '.join(options)}")
    given = {str(option): _share(place, f"the score of '{option}'", score, who) for option, score in said.items()}
    scores = {option: given.get(option, 0.0) for option in options}
    if best is not None and scores.get(best, -1.0) < max(scores.values()):
        wrong(place, who, f"says {shown(best)}, which has not the highest score")
    return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0] != best)))


def _list(place: Place, said: object, most: int, who: str) -> list[Any]:
    if isinstance(said, np.ndarray):
        said = said.tolist()
    if isinstance(said, (str, bytes, Mapping)) or not isinstance(said, Iterable):
        wrong(place, who, f"gives {shown(said)}")
    things: list[Any] = []
    for each in said:
        if len(things) == most:
            wrong(place, who, f"gives more than {most}")
        things.append(each)
    return things


def _box(said: object, who: str) -> Box:
    if isinstance(said, Box):
        return said
    numbers = [_number(Place.FIND, "a side of a box", each, who) for each in _list(Place.FIND, said, 4, who)]
    if len(numbers) != 4:
        wrong(Place.FIND, who, f"gives {len(numbers)} numbers for a box")
    left, top, right, bottom = numbers
    if left >= right or top >= bottom:  # perhaps a corner with width and height
        wrong(Place.FIND, who, f"gives a box from {left:g}, {top:g} to {right:g}, {bottom:g}")
    try:
        return Box(left=left, top=top, right=right, bottom=bottom)
    except BadAnswer as error:
        wrong(Place.FIND, who, f"gives a box that is none: {error.cause}")


def _params(said: object, who: str) -> Params:
    try:
        return Params.of(said if isinstance(said, Params) else _list(Place.AIM, said, 4, who))
    except BadSetting as error:
        wrong(Place.AIM, who, f"gives a pass that is none: {error.cause}")


def _number(place: Place, what: str, said: object, who: str) -> float:
    try:
        return check_number(what, said, error=BadSetting)
    except BadSetting as error:
        wrong(place, who, f"is wrong: {error.cause}")


def _share(place: Place, what: str, said: object, who: str) -> float:
    try:
        return check_share(what, said, error=BadSetting)
    except BadSetting as error:
        wrong(place, who, f"is wrong: {error.cause}")
