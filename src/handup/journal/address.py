"""Address of a journal: a file of SQLite, or a database of PostgreSQL."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from handup.core import Malformed, MissingSetting, UnknownName

_HINT = "Give the path of a file, or a URL such as postgresql://user@host/name."


@dataclass(frozen=True, kw_only=True)
class StoreAddress:
    """Address of a journal; either `path` or `url` is set.

    Args:
        shown: The address for people, without a password.
        path: The file, for SQLite.
        url: The database, for PostgreSQL.
    """

    shown: str
    path: Path | None = None
    url: URL | None = None


def address_of(store: str | Path) -> StoreAddress:
    """Return the address of a store, given as a path or a URL.

    Raises:
        BadSetting: It is neither a path nor a URL of SQLite or PostgreSQL.
    """
    if isinstance(store, Path) or "://" not in store:
        return _file(str(store))
    try:
        url = make_url(store)
        kind = url.get_backend_name()
    except (ArgumentError, ValueError):
        raise Malformed("the store must be a path or a URL, and this URL cannot be read", hint=_HINT) from None
    if kind == "sqlite":
        return _file(url.database or "")
    if kind not in {"postgresql", "postgres"}:
        raise UnknownName(f"a journal must lie in SQLite or PostgreSQL, got '{kind}'", hint=_HINT)
    secret = {"password", "passfile", "sslpassword"}
    shown = url.set(drivername="postgresql").difference_update_query(secret).render_as_string(hide_password=True)
    return StoreAddress(shown=shown, url=url.set(drivername="postgresql+psycopg"))


def _file(path: str) -> StoreAddress:
    if not path or path.startswith(":memory:") or "\0" in path:
        raise MissingSetting("a journal needs a file, and none is named", hint=_HINT)
    # Resolved, since a damaged store is put aside by renaming, which must take the file and not a link to it.
    return StoreAddress(shown=path, path=Path(os.path.realpath(path)))
