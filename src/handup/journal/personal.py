"""What is personal goes beside the chain when an event is written, and comes back when it is read.

In the chain an entry's body is an object with `said` (the plain fields), `people` (for each field that names people:
the pseudonyms) and `sealed` (for each personal field: its commitment `is`, and the pseudonyms `of` those whose it is).
So it can be checked, exported and erased by programs that do not know the kind of event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from secrets import token_hex
from typing import Any, cast

from sqlalchemy import Connection, bindparam, insert, select

from handup.core import BadSetting, Body, DamagedJournal, EventType
from handup.journal import chain
from handup.journal.chain import Row, canonical
from handup.journal.events import ERASED
from handup.journal.schema import BESIDE, ENTRIES, PEOPLE

_SALT_BYTES = 16
_ERASED_NAME = re.compile(r"erased-([0-9a-f]{16})")
MOST_LETTERS = 600
"""A name, run or key may be so long: what PostgreSQL takes into an index, whatever the letters."""
MOST_BODY = 16_000_000
"""An event may be so long, as JSON."""
MOST_NAMES = 500
"""So many names are looked up at a time."""

_PSEUDONYM = select(PEOPLE.c.pseudonym)
_PSEUDONYMS = select(PEOPLE.c.name, PEOPLE.c.pseudonym).where(PEOPLE.c.name.in_(bindparam("names", expanding=True)))
_INSERT_PERSON = insert(PEOPLE)
_INSERT_BESIDE = insert(BESIDE)


def check_text(text: object, what: str) -> str:
    """The text, if it can be kept as a name, run or key.

    Raises:
        BadSetting: It is no text, too long, or holds a NUL or half a surrogate pair.
    """
    if not isinstance(text, str) or len(text) > MOST_LETTERS or "\0" in text or not _is_unicode(text):
        raise BadSetting(f"a {what} cannot be kept as it is", hint=f"Use plain text of at most {MOST_LETTERS} letters.")
    return text


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def pseudonym_of(connection: Connection, name: str) -> str | None:
    """Under which pseudonym the journal knows a person, if it does."""
    return connection.execute(_PSEUDONYM.where(PEOPLE.c.name == name)).scalar()


def _known_or_new(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """The pseudonym of each name. One look for all of them, since an event may name everybody in a house."""
    for name in names:
        check_text(name, "person's name")
    wanted = sorted(set(names))
    pseudonyms: dict[str, str] = {}
    for start in range(0, len(wanted), MOST_NAMES):
        found = connection.execute(_PSEUDONYMS, {"names": wanted[start : start + MOST_NAMES]})
        pseudonyms |= {each.name: each.pseudonym for each in found}
    for name in wanted:
        if name not in pseudonyms:
            pseudonyms[name] = _erased_or_new(connection, name)
    return pseudonyms


def _erased_or_new(connection: Connection, name: str) -> str:
    if (gone := _ERASED_NAME.fullmatch(name)) and _was_erased(connection, gone[1]):
        return gone[1]
    salt = token_hex(_SALT_BYTES)
    made = chain.pseudonym(salt, name)
    connection.execute(_INSERT_PERSON, {"pseudonym": made, "name": name, "salt": salt})
    return made


def _was_erased(connection: Connection, pseudonym: str) -> bool:
    found = select(ENTRIES.c.seq).where(ENTRIES.c.key == pseudonym, ENTRIES.c.kind == ERASED).limit(1)
    return connection.execute(found).first() is not None


def hide(connection: Connection, declared: EventType, body: Body, seq: int) -> str:
    """Keep what is personal beside the chain: the body as it goes into the chain, as text."""
    stored: Body = {}
    named = {field: body.pop(field) for field in declared.people}
    known = _known_or_new(connection, [each for names in named.values() for each in _as_list(names)])
    people: dict[str, Any] = {}
    for field, names in named.items():
        people[field] = [known[each] for each in names] if isinstance(names, list) else known.get(names)
    sealed: dict[str, Any] = {}
    for field, owner in (declared.personal or {}).items():
        if (value := body.pop(field)) is None:
            sealed[field] = None
            continue
        owners = _as_list(people[owner]) or [""]
        salt, text = token_hex(_SALT_BYTES), _not_too_long(canonical(value))
        made = chain.commitment(salt, value)
        sealed[field] = {"is": made, "of": sorted(set(owners))}
        connection.execute(
            _INSERT_BESIDE,
            [
                {"commitment": made, "pseudonym": each, "seq": seq, "salt": salt, "value": text}
                for each in sealed[field]["of"]
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
        raise BadSetting("an event is too large for a journal", hint=f"Keep it below {MOST_BODY} letters of JSON.")
    return text


def _as_list(value: Any) -> list[str]:
    return [] if value is None else value if isinstance(value, list) else [value]


def parsed(row: Row) -> Body:
    """The body of a row as it is stored.

    Raises:
        DamagedJournal: It is none.
    """
    try:
        stored = json.loads(row.body)
        whole = (
            isinstance(stored["said"], dict)
            and all(isinstance(each, str) for each in people_in(stored))
            and all(isinstance(made, str) and isinstance(of, list) for made, of in sealed_in(stored))
        )
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        whole = False
    if not whole:
        raise DamagedJournal(
            f"entry {row.seq} is not what was written", hint="Stop what runs on the journal, and verify it."
        )
    return cast(Body, stored)


def people_in(stored: Body) -> Iterator[str]:
    """The pseudonyms in a stored body."""
    for each in stored.get("people", {}).values():
        yield from _as_list(each)


def sealed_in(stored: Body) -> Iterator[tuple[str, list[str]]]:
    """The commitments in a stored body, each with the pseudonyms of those whose it is."""
    for each in stored.get("sealed", {}).values():
        if each is not None:
            yield each["is"], each["of"]


def filled(connection: Connection, rows: Sequence[Row], *, personal: bool = True) -> list[Body]:
    """The bodies of some rows with names and personal values in their places, or left out."""
    stored = [parsed(row) for row in rows]
    names: dict[str, str] = {}
    values: dict[str, str] = {}
    if personal:
        wanted = sorted({each for body in stored for each in people_in(body)})
        if wanted:
            found = connection.execute(select(PEOPLE.c.pseudonym, PEOPLE.c.name).where(PEOPLE.c.pseudonym.in_(wanted)))
            names = {each.pseudonym: each.name for each in found}
        sealed = sorted({each for body in stored for each, _ in sealed_in(body)})
        if sealed:
            kept = connection.execute(
                select(BESIDE.c.commitment, BESIDE.c.value).where(BESIDE.c.commitment.in_(sealed))
            )
            values = {each.commitment: each.value for each in kept}
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
            body[field] = [names.get(each, instead + each) for each in named]
        else:
            body[field] = None if named is None else names.get(named, instead + named)
    for field, seal in stored.get("sealed", {}).items():
        text = None if seal is None else values.get(seal["is"])
        body[field] = None if text is None else _value(text)
    return body
