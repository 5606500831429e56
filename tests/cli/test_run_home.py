"""Where the worlds of runs are kept: each run of each store has its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.cli.run import _make_folder as make_folder
from handup.cli.run import home_of, is_there
from handup.core import BadSetting
from handup.domains.runs import Ordered, begin_run, next_name
from handup.journal import Journal
from tests.cli.calls import here

SERVER = "postgresql://robot@nowhere/{}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ordered(journal: Journal) -> Ordered:
    with journal.writing() as writer:
        return begin_run(writer, Ordered(name=next_name(writer, "run"), world="kitting", seed=0, people="nobody"))


def test_the_first_runs_of_two_stores_on_servers_have_two_worlds() -> None:
    homes = []
    for name in ("one", "two"):
        with Journal.open(f"{name}.db") as journal:
            homes.append(home_of(SERVER.format(name), journal, ordered(journal), new=True))
    first, second = homes
    assert first.path != second.path
    assert first.whose != second.whose
    assert {each.path.parent for each in homes} == {Path("handup-runs")}


def test_a_store_of_the_same_name_that_was_made_anew_has_another_world() -> None:
    homes = []
    for _ in range(2):
        with Journal.open("s.db") as journal:
            homes.append(home_of("s.db", journal, ordered(journal), new=True))
        for each in Path().glob("s.db*"):
            each.unlink()
    assert homes[0].path != homes[1].path
    assert homes[0].path.name.startswith("s.db.run-1.")


def test_a_run_that_goes_on_finds_the_world_it_began_in_and_none_else() -> None:
    with Journal.open("s.db") as journal:
        run = ordered(journal)
        began = home_of("s.db", journal, run, new=True)
        with pytest.raises(BadSetting, match="the world of run-1 is not here"):
            home_of("s.db", journal, run)
        began.path.touch()
        goes_on = home_of("s.db", journal, run)
    assert (goes_on.path, goes_on.whose, goes_on.new) == (began.path, began.whose, False)


def test_the_folder_for_runs_is_made_only_where_it_is_needed(folder: Path) -> None:
    make_folder("s.db")
    assert list(folder.iterdir()) == []
    make_folder(SERVER.format("one"))
    assert (folder / "handup-runs").is_dir()


def test_a_store_that_was_lost_is_not_taken_for_none(folder: Path) -> None:
    with Journal.open("s.db") as journal:
        ordered(journal)
    (folder / "s.db").unlink()
    assert is_there("s.db")
    assert not is_there("t.db")
    called = here("run", "--resume", "--store", "s.db")
    assert called.code == 2
    assert "it is missing, though there was one" in called.err
