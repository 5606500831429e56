"""Personal data: kept beside the chain when an event is written, filled in again when it is read.

In the chain an entry's body is an object with `said` (the plain fields), `people` (for each field that names people:
the pseudonyms) and `sealed` (for each personal field: its commitment `is`, and the pseudonyms `of` its owners). So
programs that do not know the kind of event can check, export and erase it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from secrets import token_hex
from typing import Any, cast

from sqlalchemy import Connection, bindparam, insert, select

from handup.core import Body, DamagedJournal, EventType, Malformed, WrongSize
from handup.core.checks import HALF_CHARACTER
from handup.journal import chain
from handup.journal.chain import StoredEntry, canonical
from handup.journal.events import ERASED
from handup.journal.schema import BESIDE, ENTRIES, PEOPLE

_SALT_BYTES = 16
_ERASED_NAME = re.compile(r"erased-([0-9a-f]{16})")
MOST_LETTERS = 600
"""Longest name, run or key: PostgreSQL can index so many letters of any alphabet."""
MOST_BODY = 16_000_000
"""Longest event, in letters of JSON."""
MOST_NAMES = 500
"""Most names that are looked up at a time."""

_PSEUDONYM = select(PEOPLE.c.pseudonym)
_PSEUDONYMS = select(PEOPLE.c.name, PEOPLE.c.pseudonym).where(PEOPLE.c.name.in_(bindparam("names", expanding=True)))
_INSERT_PERSON = insert(PEOPLE)
_INSERT_BESIDE = insert(BESIDE)


def check_text(text: object, what: str) -> str:
    """Return a text if it can be kept as a name, run or key.

    Args:
        text: The text.
        what: Name of the text in the error.

    Raises:
        Malformed: It is no text, too long, or holds a NUL or half a surrogate pair.
    """
    if not isinstance(text, str) or len(text) > MOST_LETTERS or "\0" in text or HALF_CHARACTER.search(text):
        # The text itself is not shown: it may be a person's name.
        cause = f"a {what} must be plain text of at most {MOST_LETTERS} letters, and this one is not"
        raise Malformed(cause, hint="Shorten it, or leave out characters such as NUL.")
    return text


def pseudonym_of(connection: Connection, name: str) -> str | None:
    """Return the pseudonym under which the journal knows a person; None where it does not."""
    return connection.execute(_PSEUDONYM.where(PEOPLE.c.name == name)).scalar()


def _known_or_new(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the pseudonym of each name. One query for many of them, since an event may name everybody in a house."""
    for name in names:
        check_text(name, "person's name")
    distinct = sorted(set(names))
    pseudonyms: dict[str, str] = {}
    for start in range(0, len(distinct), MOST_NAMES):
        people = connection.execute(_PSEUDONYMS, {"names": distinct[start : start + MOST_NAMES]})
        pseudonyms |= {person.name: person.pseudonym for person in people}
    for name in distinct:
        if name not in pseudonyms:
            pseudonyms[name] = _erased_or_new(connection, name)
    return pseudonyms


def _erased_or_new(connection: Connection, name: str) -> str:
    # State that was read after an erasure says "erased-…" for the person; written again, it means the same pseudonym.
    if (gone := _ERASED_NAME.fullmatch(name)) and _was_erased(connection, gone[1]):
        return gone[1]
    salt = token_hex(_SALT_BYTES)
    pseudonym = chain.pseudonym(salt, name)
    connection.execute(_INSERT_PERSON, {"pseudonym": pseudonym, "name": name, "salt": salt})
    return pseudonym


def _was_erased(connection: Connection, pseudonym: str) -> bool:
    query = select(ENTRIES.c.seq).where(ENTRIES.c.key == pseudonym, ENTRIES.c.kind == ERASED).limit(1)
    return connection.execute(query).first() is not None


def hide(connection: Connection, declared: EventType, body: Body, seq: int) -> str:
    """Put names and personal values of an event beside the chain; return the rest of the body as text for the chain."""
    stored: Body = {}
    named = {field: body.pop(field) for field in declared.people}
    known = _known_or_new(connection, [name for names in named.values() for name in _as_list(names)])
    people: dict[str, Any] = {}
    for field, names in named.items():
        people[field] = [known[name] for name in names] if isinstance(names, list) else known.get(names)
    sealed: dict[str, Any] = {}
    for field, owner in (declared.personal or {}).items():
        if (value := body.pop(field)) is None:
            sealed[field] = None
            continue
        owners = _as_list(people[owner]) or [""]
        salt, text = token_hex(_SALT_BYTES), _not_too_long(canonical(value))
        committed = chain.commitment(salt, value)
        sealed[field] = {"is": committed, "of": sorted(set(owners))}
        connection.execute(
            _INSERT_BESIDE,
            [
                {"commitment": committed, "pseudonym": pseudonym, "seq": seq, "salt": salt, "value": text}
                for pseudonym in sealed[field]["of"]
            ],
        )
    stored["said"] = body
    if people:
        stored["people"] = people
    if sealed:
        stored["sealed"] = sealed
    return _not_too_long(canonical(stored))


def _not_too_long(text: str) -> str:
    if len(text) > MOST_BODY:
        cause = f"an event must have at most {MOST_BODY} letters of JSON, got {len(text)}"
        raise WrongSize(cause, hint="Keep large data in a file, and its name in the event.")
    return text


def _as_list(value: Any) -> list[str]:
    return [] if value is None else value if isinstance(value, list) else [value]


def parsed(row: StoredEntry) -> Body:
    """Return the body of a row as it is stored.

    Raises:
        DamagedJournal: The row holds no body of an event.
    """
    try:
        stored = json.loads(row.body)
        valid = (
            isinstance(stored["said"], dict)
            and all(isinstance(pseudonym, str) for pseudonym in people_in(stored))
            and all(isinstance(committed, str) and isinstance(of, list) for committed, of in sealed_in(stored))
        )
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise DamagedJournal(
            f"entry {row.seq} is not what was written", hint="Stop what runs on the journal, and verify it."
        )
    return cast(Body, stored)


def people_in(stored: Body) -> Iterator[str]:
    """Yield the pseudonyms in a stored body."""
    for pseudonyms in stored.get("people", {}).values():
        yield from _as_list(pseudonyms)


def sealed_in(stored: Body) -> Iterator[tuple[str, list[str]]]:
    """Yield the commitments in a stored body, each with the pseudonyms of its owners."""
    for seal in stored.get("sealed", {}).values():
        if seal is not None:
            yield seal["is"], seal["of"]


def filled(connection: Connection, rows: Sequence[StoredEntry], *, personal: bool = True) -> list[Body]:
    """Return the bodies of some rows, with names and personal values filled in, or left out."""
    stored = [parsed(row) for row in rows]
    names: dict[str, str] = {}
    values: dict[str, str] = {}
    if personal:
        pseudonyms = sorted({pseudonym for body in stored for pseudonym in people_in(body)})
        if pseudonyms:
            query = select(PEOPLE.c.pseudonym, PEOPLE.c.name).where(PEOPLE.c.pseudonym.in_(pseudonyms))
            names = {person.pseudonym: person.name for person in connection.execute(query)}
        commitments = sorted({committed for body in stored for committed, _ in sealed_in(body)})
        if commitments:
            kept = connection.execute(
                select(BESIDE.c.commitment, BESIDE.c.value).where(BESIDE.c.commitment.in_(commitments))
            )
            values = {sealed.commitment: sealed.value for sealed in kept}
    return [_filled(body, names, values, "erased-" if personal else "person-") for body in stored]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        why = "a personal value is not what was written"
        raise DamagedJournal(why, hint="Stop what runs on the journal, and verify it.") from None


def _filled(stored: Body, names: dict[str, str], values: dict[str, str], instead: str) -> Body:
    body: Body = dict(stored["said"])
    for field, named in stored.get("people", {}).items():
        if isinstance(named, list):
            body[field] = [names.get(pseudonym, instead + pseudonym) for pseudonym in named]
        else:
            body[field] = None if named is None else names.get(named, instead + named)
    for field, seal in stored.get("sealed", {}).items():
        text = None if seal is None else values.get(seal["is"])
        body[field] = None if text is None else _value(text)
    return body
