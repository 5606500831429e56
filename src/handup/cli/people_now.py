"""Reader of a file of people as they are at the moment: how busy they are, what they can do, what they agreed to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handup.cli.people_file import read_people
from handup.core import BadSetting, Malformed, Need, Person, UnknownName
from handup.core.checks import check_number, check_share, shown
from handup.people import (
    Level,
    LevelEstimate,
    LevelForecast,
    Suggestions,
    Support,
    answer_model,
    willingness_model,
)
from handup.whom import KindAbilities, LimitSettings, Options, PersonNow

AFAR = 0.9
"""P(answers) of somebody far away, or of whom no level is known. *Assumed.*"""
DISTURBANCE = (1.0, 4.0, 1.5, 0.6, 0.3)
"""Factor on the load of a question at each level, from 0 to 4. *Assumed.*"""
WAITS_S = (30.0, 120.0)
"""Waits that are weighed, in seconds."""
OF_PERSON = ("name", "role", "limits", "channels", "abilities")
"""Fields of `Person` in the file."""
NOW = ("level", "here", "comes_s", "answers", "can", "supports", "consent", "load_day")
"""Further fields of a person in the file, about the moment."""
PERCENT = re.compile(r"(?:100|[0-9]{1,2})?")
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class ListedPerson:
    """A person of the file: who they are, what is known of them now, and how likely they answer, where it says so."""

    now: PersonNow
    answers: float | None

    @property
    def name(self) -> str:
        """Their name."""
        return self.now.name


def load_options(path: Path, *, limits: LimitSettings, harm: float | None, step_s: float) -> Options:
    """Return the options that a file of people leads to, with the shipped models.

    Beside `name`, `role`, `limits`, `channels` and `abilities` each person may have: `level` (0 to 4, or five
    probabilities), `here`, `comes_s`, `answers` (probability that they answer), `can` (probability for each kind of
    help), `supports`, `consent` (true, false, or kinds of help) and `load_day`.

    Raises:
        BadSetting: The file cannot be read, or does not describe people; with the line.
    """
    people = read_people(path, _listed, lambda listed: listed.name)
    model = willingness_model()
    given = {listed.name: listed.answers for listed in people if listed.answers is not None}

    def willing(person: str, level: Level | None) -> float:
        return given.get(person, AFAR if level is None else model.chance(level).probability)

    return Options(
        people=tuple(listed.now for listed in people),
        answers=answer_model(),
        abilities=KindAbilities(),
        willing=willing,
        disturbance=DISTURBANCE,
        forecasts={listed.name: LevelForecast() for listed in people},
        waits_s=WAITS_S,
        limits=limits,
        harm=harm,
        step_s=step_s,
    )


def _listed(record: Any) -> ListedPerson:
    if not isinstance(record, Mapping):
        raise Malformed.of("a person", shown(record), "be a record with a name", hint="Write for example {name: Ada}.")
    unknown = sorted(map(str, set(record) - {*OF_PERSON, *NOW}))
    if unknown:
        hint = f"Known: {', '.join((*OF_PERSON, *NOW))}."
        raise UnknownName(f"{shown(unknown[0])} is no field of a person", hint=hint)
    person = Person.from_json({key: value for key, value in record.items() if key in OF_PERSON})
    now = PersonNow(
        person=person,
        here=_truth(f"here of '{person.name}'", record.get("here", "true")),
        level=_level(person.name, record.get("level")),
        comes_s=_number(f"comes_s of '{person.name}'", record.get("comes_s", 0.0)),
        supports=_supports(person.name, record.get("supports", ["none"])),
        abilities=_can(person.name, record.get("can", {})),
        consent=_consent(person.name, record.get("consent", "true")),
        load_day=_number(f"load_day of '{person.name}'", record.get("load_day", 0.0)),
    )
    answers = record.get("answers")
    if answers is not None:
        answers = check_share(f"answers of '{person.name}'", answers, error=BadSetting)
    return ListedPerson(now, answers)


def _level(name: str, value: Any) -> LevelEstimate | None:
    what = f"level of '{name}'"
    hint = "Give a level from 0 to 4, or five probabilities."
    if value is None:
        return None
    if isinstance(value, list):
        return LevelEstimate(tuple(_number(what, number) for number in value))  # type: ignore[arg-type]
    if value not in tuple(Level):
        raise Malformed.of(what, shown(value), "be a level or five probabilities", hint=hint)
    return LevelEstimate.certain(int(value))


def _supports(name: str, values: Any) -> tuple[Support, ...]:
    what = f"supports of '{name}'"
    supports = (_support(what, value) for value in _texts(what, values, "[none, both-90]"))
    return tuple({support.key: support for support in supports}.values())


def _support(what: str, key: str) -> Support:
    kind, _, percent = key.partition("-")
    if kind not in tuple(Suggestions) or not PERCENT.fullmatch(percent):
        must = f"be among {', '.join(Suggestions)}, such as both-90"
        raise UnknownName.of(what, shown(key), must, hint="The number is an accuracy from 0 to 100 percent.")
    return Support(Suggestions(kind), int(percent) / 100.0 if percent else 1.0)


def _can(name: str, values: Any) -> dict[Need, float]:
    what = f"can of '{name}'"
    if not isinstance(values, Mapping):
        raise Malformed.of(what, shown(values), "be a record", hint="Write for example {hands: 0.9}.")
    return {
        _need(what, need): check_share(f"'{need}' in {what}", chance, error=BadSetting)
        for need, chance in values.items()
    }


def _consent(name: str, value: Any) -> tuple[Need, ...] | None:
    what = f"consent of '{name}'"
    if isinstance(value, list):
        return tuple(_need(what, need) for need in _texts(what, value, "[which, hands], or false for none"))
    return None if _truth(what, value) else ()


def _need(what: str, value: Any) -> Need:
    if value not in tuple(Need):
        raise UnknownName.of(what, shown(value), f"be among {', '.join(Need)}", hint="Use one of these.")
    return Need(value)


def _texts(what: str, values: Any, example: str) -> list[str]:
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise Malformed.of(what, shown(values), "be a list of words", hint=f"Write for example {example}.")
    return values


def _truth(what: str, value: Any) -> bool:
    truth = TRUTHS.get(value.lower()) if isinstance(value, str) else None
    if truth is None:
        raise Malformed.of(what, shown(value), "be true or false", hint="Write one of these words.")
    return truth


def _number(what: str, value: Any) -> float:
    return check_number(what, value, error=BadSetting)
