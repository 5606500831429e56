"""The lists of the files that make rows name every file that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.lab.engine import store
from handup.lab.engine.store import PACKAGE, code_digest
from tests.lab.published.adapter import samples
from tests.lab.published.row_sources import COMMAND, FAMILIES, listed, traced
from tests.soak import swept


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("most", swept([1, 1000], test=[1]))
def test_every_file_that_makes_rows_is_listed_and_every_listed_one_is_there(family: str, most: int) -> None:
    missing = set(traced(samples(family)[-most:])) - set(listed(family))
    assert not missing, f"these files make rows of {family} and are not listed; run: {COMMAND} {family}"
    names = listed(family)
    assert names == sorted(set(names))
    assert [name for name in names if not (PACKAGE / name).is_file()] == []


def test_the_digest_is_that_of_the_listed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("makes.py", "data.yaml", "judges.py"):
        (tmp_path / name).write_text("1", encoding="utf-8")
    (tmp_path / "some.txt").write_text("data.yaml\nmakes.py\n", encoding="utf-8")
    monkeypatch.setattr(store, "PACKAGE", tmp_path)
    monkeypatch.setattr(store, "LISTS", tmp_path)
    digest = code_digest.__wrapped__
    before = digest("some")
    (tmp_path / "judges.py").write_text("2", encoding="utf-8")
    assert digest("some") == before
    (tmp_path / "data.yaml").write_text("2", encoding="utf-8")
    assert digest("some") != before
