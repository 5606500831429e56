"""Checks of values from outside: each returns the tidy value, or raises one error in plain words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from ipaddress import ip_address
from itertools import islice
from numbers import Real
from typing import Any, TypeVar

from handup.core.errors import BadRecord, HandupError

Error = type[HandupError]
T = TypeVar("T")
HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that no person types: they could move a terminal's cursor or break a store."""
MAX_PROMPT = 4_000
"""The longest sentence that is put to a person, in characters; the other texts of a question may be as long."""
MAX_OPTION = 500
"""The longest option, and the longest name of a picture or unit."""
MAX_OPTIONS = 100
MAX_MARKS = 20
"""The most points that one question asks for."""
MAX_NAME = 200
"""The longest name of a person, device, channel or mark."""
MAX_PEOPLE = 100
"""The most people that one question is addressed to."""
MAX_WORDS = 4_000
"""The longest answer in words."""
MAX_ID = 500
"""The longest id of a question."""
MAX_COMPARED = 100
"""The most known names that a misspelt one is compared with; of more, the likeliest are taken."""
MAX_LISTED = 24
"""The most known names that a hint lists."""


def shown(value: object) -> str:
    """Return a value as one line for a message, cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # integers of more digits than Python converts, lists within themselves
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}…"


def suggestion(word: str, known: Collection[str]) -> str:
    """Return a hint: the known name that is most like a word, and all names where they are few."""
    few = len(known) <= MAX_COMPARED
    # Comparing is slow: of many names, only those of the same first letter and about the same length take part.
    like = (name for name in known if few or (name[:1] == word[:1] and abs(len(name) - len(word)) <= 3))
    compared = {name.lower(): name for name in islice(like, MAX_COMPARED)}
    near = get_close_matches(word[:100].lower(), compared, 1)
    guess = f"Did you mean '{compared[near[0]]}'? " if near else ""
    if not known:
        return "There are none."
    if not few:
        return f"{guess}There are {len(known)} others."
    listed = sorted(known)
    return f"{guess}Known: {', '.join(listed if len(listed) <= MAX_LISTED else [*listed[:MAX_LISTED], '…'])}."


def check_text(what: str, value: object, most: int, *, error: Error, empty: bool = True) -> str:
    """Return a text of at most `most` characters that can be stored."""
    if not isinstance(value, str):
        raise error(f"{what} must be a text, got {shown(value)}", hint="Give a text.")
    if len(value) > most:
        raise error(f"{what} must have at most {most} characters, got {len(value)}", hint="Make it shorter.")
    if HALF_CHARACTER.search(value):
        hint = "Write the character itself instead of its code."
        raise error(f"{what} must hold whole characters, got half of one", hint=hint)
    if not empty and not value.strip():
        raise error(f"{what} must not be empty", hint="Give it a text.")
    return str(value)


def check_name(what: str, value: object, most: int, *, error: Error) -> str:
    """Return a name: one line, not empty, no space at its ends."""
    name = check_text(what, value, most, error=error, empty=False)
    if name != name.strip() or not name.isprintable():
        cause = f"{what} must be one line without spaces at its ends, got {shown(name)}"
        raise error(cause, hint="Take line breaks and these spaces out.")
    return name


def unstorable(text: str) -> bool:
    """Tell whether a text holds control characters or half characters, which no store keeps and no terminal shows."""
    return bool(HALF_CHARACTER.search(text) or CONTROL.search(text))


def storable(text: str) -> str:
    """Return a text with a replacement mark for each character that cannot be stored."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text))


def printable(text: str) -> str:
    """Return a text that cannot move the cursor, change colours or turn the direction of writing on a screen."""
    return "".join(sign if sign.isprintable() or sign == "\n" else " " if sign.isspace() else "\ufffd" for sign in text)


def one_line(text: str) -> str:
    """Return a text in one line, printable."""
    return " ".join(printable(text).split())


def check_person(what: str, value: object, most: int, *, error: Error) -> str:
    """Return a person's name in Unicode's form NFC, in which accented letters are equal however they were typed."""
    return unicodedata.normalize("NFC", check_name(what, value, most, error=error))


def check_number(what: str, value: object, *, error: Error) -> float:
    """Return a finite number; True and False are refused."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise error(f"{what} must be a number, got {shown(value)}", hint="Give a number.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise error(f"{what} must be finite, got {shown(value)}", hint="Give a finite number.")
    return number


def check_share(what: str, value: object, *, error: Error) -> float:
    """Return a number from 0 to 1."""
    number = check_number(what, value, error=error)
    if not 0.0 <= number <= 1.0:
        raise error(f"{what} must lie between 0 and 1, got {number:g}", hint="Give a number from 0 to 1.")
    return number


def check_count(what: str, value: object, *, least: int, error: Error) -> int:
    """Return a whole number of at least `least`."""
    number = check_number(what, value, error=error)
    if not number.is_integer() or number < least:
        cause = f"{what} must be a whole number of at least {least}, got {number:g}"
        raise error(cause, hint="Give such a number.")
    return int(number)


def check_list(what: str, value: object, most: int, *, error: Error) -> tuple[Any, ...]:
    """Return a list of at most `most` entries as a tuple; a text is refused, not taken for a list of letters."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise error(f"{what} must be a list, got {shown(value)}", hint="Give a list.")
    entries = tuple(value)
    if len(entries) > most:
        raise error(f"{what} must have at most {most} entries, got {len(entries)}", hint="Leave some out.")
    return entries


def check_fields(
    what: str, record: object, known: Iterable[str], *, needed: Iterable[str] = (), newest: int, error: Error
) -> dict[str, Any]:
    """Return the fields of a JSON record without its schema number, which may be missing.

    Raises:
        BadRecord: It is of a newer schema.
    """
    if not isinstance(record, Mapping):
        raise error(f"{what} must be a JSON object, got {shown(record)}", hint="Give a JSON object.")
    schema = record.get("schema", 1)
    if isinstance(schema, bool) or schema not in range(1, newest + 1):
        raise BadRecord(
            f"{what} has schema {shown(schema)}, and this handup knows {newest}",
            hint="Read it with the handup that wrote it, or a newer one.",
        )
    rest = {key: value for key, value in record.items() if key != "schema"}
    names = tuple(known)
    for key in rest:
        if key not in names:
            raise error(f"{shown(key)} is no field of {what}", hint=f"Known: {', '.join(names)}.")
    for key in needed:
        if key not in rest:
            raise error(f"{what} has no {key}", hint=f"Add '{key}'.")
    return rest


def from_record(record_class: type[T], what: str, record: object, *, newest: int, error: Error) -> T:
    """Return the instance of a dataclass that a JSON record describes, which names its fields and no others.

    Raises:
        BadRecord: It is of a newer schema.
    """
    declared: Any = fields(record_class)  # type: ignore[arg-type]
    known = [field.name for field in declared]
    needed = [field.name for field in declared if field.default is MISSING and field.default_factory is MISSING]
    return record_class(**check_fields(what, record, known, needed=needed, newest=newest, error=error))


def is_loopback(host: str) -> bool:
    """Tell whether a name or address always leads to this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
