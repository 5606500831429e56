"""Files that are there in whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core.files import write_whole, written_whole


def test_a_file_is_written_at_once_or_in_parts_and_its_folder_is_made(tmp_path: Path) -> None:
    for content in (b"ab", "ab", iter(["a", "b"])):
        write_whole(tmp_path / "new" / "file", content)
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]
        assert (tmp_path / "new" / "file").read_bytes() == b"ab"


def test_a_file_that_is_not_finished_leaves_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "half"
        raise RuntimeError

    write_whole(tmp_path / "file", "before")
    with pytest.raises(RuntimeError):
        write_whole(tmp_path / "file", broken())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]


def test_only_its_owner_reads_a_private_file_at_any_time(tmp_path: Path) -> None:
    with written_whole(tmp_path / "file", 0o600) as passing:
        assert passing.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
