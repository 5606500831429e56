"""Pictures that robots send: files in one folder under hashed names, limited in number and size."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from handup.core import BadRequest, NotForYou, NothingThere, StoreUnavailable, TooLarge
from handup.desk import Record
from handup.journal.files import PRIVATE
from handup.server.settings import Bounds

ENDING = ".picture"
OWNER = ".owner"
"""Ending of the file beside each picture that names the robot it belongs to."""


@dataclass(frozen=True)
class Picture:
    """A picture, its media type, and a name for its content."""

    data: bytes
    kind: str
    etag: str


def media_type(data: bytes) -> str:
    """Return the media type of a picture, by its first bytes.

    Raises:
        BadRequest: It is no PNG, JPEG or WebP.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise BadRequest("this is no picture", hint="Send PNG, JPEG or WebP.")


def named_by(records: Iterable[Record]) -> set[str]:
    """Return the names of the pictures that questions use."""
    return {
        name for record in records for name in (record.question.image, *record.question.pictures) if name is not None
    }


class Pictures:
    """Pictures of one store. Threads may share it; its calls wait for the disk.

    Args:
        folder: Their folder; made with the first picture.
        bounds: Limits of number and size.
        needed: Returns the names of pictures that must not be removed.

    Raises:
        StoreUnavailable: The folder cannot be read.
    """

    def __init__(self, folder: Path, bounds: Bounds, needed: Callable[[], set[str]]) -> None:
        self._folder = folder
        self._bounds = bounds
        self._needed = needed
        self._lock = threading.Lock()
        self._numbers = count()
        self._sizes: dict[str, int] = {}  # the oldest first
        try:
            self._look()
        except OSError as error:
            raise self._unavailable(error) from None

    def _look(self) -> None:
        if not self._folder.exists():
            return
        files: list[tuple[float, str, int]] = []
        for path in self._folder.iterdir():
            if path.suffix == ENDING:
                files.append((path.stat().st_mtime, path.stem, path.stat().st_size))
            elif path.suffix == ".part" or (path.suffix == OWNER and not path.with_suffix(ENDING).exists()):
                path.unlink(missing_ok=True)
        self._sizes = {key: size for _, key, size in sorted(files)}

    def put(self, name: str, data: bytes, robot: str) -> None:
        """Keep a picture in place of the last one of that name; a name belongs to the robot that used it first.

        Raises:
            BadRequest: It is no PNG, JPEG or WebP.
            NotForYou: Another robot has a picture of that name.
            TooLarge: It is too large, or so many are needed that there is no room.
            StoreUnavailable: It cannot be written.
        """
        media_type(data)
        if len(data) > self._bounds.picture:
            raise TooLarge(f"a picture has {len(data)} bytes", hint=f"Send at most {self._bounds.picture}.")
        key = _key(name)
        with self._lock:
            if self._owner(key) not in {None, robot}:
                raise _taken()
            self._make_room(key, len(data))
            part = self._folder / f"{key}-{next(self._numbers)}.part"
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                self._take_name(key, robot)
                part.touch(mode=PRIVATE, exist_ok=False)
                part.write_bytes(data)
                part.replace(self._path(key))
            except OSError as error:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
                raise self._unavailable(error) from None
            self._sizes.pop(key, None)
            self._sizes[key] = len(data)

    def get(self, name: str) -> Picture:
        """Return a picture.

        Raises:
            NothingThere: There is none.
        """
        try:
            data = self._path(_key(name)).read_bytes()
            return Picture(data, media_type(data), f'"{hashlib.sha256(data).hexdigest()[:32]}"')
        except (OSError, BadRequest):
            raise NothingThere("there is no such picture", hint="The robot may not have sent it yet.") from None

    def _make_room(self, key: str, size: int) -> None:
        """Remove the oldest pictures that no question needs until there is room for one more."""
        others = {name: known for name, known in self._sizes.items() if name != key}

        def fits() -> bool:
            return len(others) < self._bounds.pictures and sum(others.values()) + size <= self._bounds.pictures_bytes

        if fits():
            return
        needed = {_key(name) for name in self._needed()}
        for old in [name for name in others if name not in needed]:
            del others[old], self._sizes[old]
            with suppress(OSError):
                self._path(old).unlink(missing_ok=True)
                self._path(old, OWNER).unlink(missing_ok=True)
            if fits():
                return
        raise TooLarge("there is no room for another picture", hint="Answer or withdraw questions that have some.")

    def _owner(self, key: str) -> str | None:
        """Return the owner of a name, read from the disk: other servers on the store write there as well."""
        try:
            return self._path(key, OWNER).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _take_name(self, key: str, robot: str) -> None:
        """Write down the robot that a name belongs to, where it is nobody's yet."""
        try:
            owner = self._path(key, OWNER)
            owner.touch(mode=PRIVATE, exist_ok=False)
            owner.write_text(robot, encoding="utf-8")
        except FileExistsError:
            if self._owner(key) != robot:
                raise _taken() from None

    def _path(self, key: str, ending: str = ENDING) -> Path:
        return self._folder / f"{key}{ending}"

    def _unavailable(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(
            f"the folder of pictures {self._folder} cannot be used: {error.strerror}",
            hint="Check its permissions and its disk, or name another one with --pictures.",
        )


def _taken() -> NotForYou:
    return NotForYou("another robot has a picture of this name", hint="Begin the name with that of your robot.")


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
