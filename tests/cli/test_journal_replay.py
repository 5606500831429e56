"""`handup journal replay`: what happened in plain words, and the state that it led to."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.cli import journal_replay
from handup.cli.output import day, near
from handup.core import ReplyKind
from handup.desk import Desk, DeskState, replay
from handup.desk.projection import compared
from handup.journal import Journal
from handup.recover import Settings
from tests.cli.calls import SRC, assert_one_line_error, here
from tests.cli.histories import PEOPLE, content, history, recovered
from tests.recover.test_run import after_a_crash_in_act


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    history(tmp_path)
    return tmp_path


def in_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(here("journal", "replay", *arguments, "--json").out)
    return found


def test_the_history_is_told_in_one_line_each(folder: Path) -> None:
    before = content(folder)
    called = here("journal", "replay", cwd=folder)
    assert (called.code, called.err) == (0, "")
    assert called.out.startswith("handup.db: ")
    for line in (
        " 1  12:00:03                Ana can be asked, as resident",
        " 3  12:00:03  lunch-1       food/1: asked “Which food should I pick up first?” for Ana, Ben",
        " 4  12:00:03  lunch-1       food/1: put to Ana",
        " 5  12:00:12  lunch-1       food/1: Ana answered “cherry tomato”",
        "depth/1: Ana said someone else; next is Ben",
        "depth/1: Ben answered “12.5 mm”",
        "odd/1: Ana said let the robot try",
        "STOP by Ben: the spoon is too close",
        "go/1: taken back: somebody said stop",
        "Ben enabled the robot again",
        "\n2026-11-16\n",
        "bowl/1: Ana said not now, for 10 minutes",
        "wipe/1: Ben took it on until 12:03:31",
    ):
        assert line in called.out
    assert content(folder) == before, "not a byte is changed"


def test_the_state_is_shown_after_it(folder: Path) -> None:
    out = here("journal", "replay", "--last", "0").out
    assert "Stopped: no.\nQuestions that wait: 3.\n" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["dinner/bowl/1", "deferred", "Ana", "12:01:27", "12:11:31", "12:16:27"] in rows
    assert ["dinner/wipe/1", "claimed", "Ben", "12:01:31", "12:03:31"] in rows
    assert ["tea/what/1", "open", "Ana", "12:01:31"] in rows
    assert "asked " not in out.split("Stopped")[0]
    assert out.rstrip().splitlines()[-1].startswith("The same state comes from the snapshot at entry ")


def test_what_other_people_wrote_cannot_play_with_the_terminal(folder: Path) -> None:
    out = here("journal", "replay").out
    assert "\x1b" not in out
    assert "“Is [bold]this[/bold] :smile: �[31mred?�[0m”" in out


def test_one_run_is_told_with_the_stops(folder: Path) -> None:
    found = in_json("--run", "dinner")
    assert {each["run"] for each in found["timeline"]} == {"dinner", ""}
    assert {each["kind"] for each in found["timeline"] if not each["run"]} == {"desk.stopped", "desk.enabled"}
    assert {each["run"] for each in found["waiting"]} == {"dinner"}
    assert [each["run"] for each in found["runs"]] == ["dinner"]


def test_a_run_without_an_entry_is_named(folder: Path) -> None:
    for more in ((), ("--json",), ("--last", "3")):
        called = here("journal", "replay", "--run", "lnch", *more)
        assert (called.code, called.err) == (0, "handup: no entry belongs to run 'lnch'.\n")
    assert here("journal", "replay", "--run", "lunch-1").err == ""


def test_a_run_that_waits_to_ask_again_says_until_when(folder: Path) -> None:
    """Everybody says someone else about an action whose outcome was lost; the run rests and asks again."""
    house = after_a_crash_in_act(folder, lambda record, desk=None: ReplyKind.SOMEONE_ELSE)  # type: ignore[misc]
    house.live()
    found = in_json("journal.db")["timeline"]
    [first, *_] = [each for each in found if each["kind"] == "desk.handed-on"]
    until_s = first["at_s"] + Settings().expired_s
    [run] = in_json("journal.db", "--until", str(first["seq"]))["runs"]
    assert (run["open_action"], run["asks_again_s"]) == ("bite/act/1", until_s)
    told = here("journal", "replay", "journal.db", "--until", str(first["seq"])).out
    assert f"acts, outcome unknown; waits until {near(until_s, day(until_s))} to ask again" in told
    again = next(each["seq"] for each in found if each["kind"] == "desk.asked" and each["seq"] > first["seq"])
    assert in_json("journal.db", "--until", str(again))["runs"][0]["asks_again_s"] is None
    last = max(each["seq"] for each in found if each["kind"] == "desk.handed-on")
    assert in_json("journal.db", "--until", str(last))["runs"][0]["asks_again_s"] is None, "it asked often enough"


def test_the_state_as_it_was_after_an_entry(folder: Path) -> None:
    stop = next(each["seq"] for each in in_json()["timeline"] if each["kind"] == "desk.stopped")
    called = here("journal", "replay", "--until", str(stop))
    assert (
        "STOPPED by Ben at 12:00:27: the spoon is too close. It holds until a person enables the robot." in called.out
    )
    assert "There is no snapshot to compare this with." in called.out
    assert in_json("--until", str(stop))["stopped"]["by"] == "Ben"
    assert in_json("--until", str(stop + 3))["stopped"] is None
    assert [each["seq"] for each in in_json("--until", "9", "--last", "2")["timeline"]] == [8, 9]
    assert_one_line_error(
        here("journal", "replay", "--until", "999"), "--until must be at most", "Give a smaller number"
    )


def test_the_json_has_everything(folder: Path) -> None:
    found = in_json()
    with Journal.open("handup.db", readonly=True) as journal:
        state = replay(journal.read())
    assert found["entries"] == state.seq == len(found["timeline"])
    assert found["waiting"] == [each.to_json() for each in state.waiting]
    assert (found["same"], found["stopped"]) == (True, None)
    assert found["snapshot_seq"] is not None


def test_runs_and_how_they_ended_are_listed(folder: Path) -> None:
    recovered(folder, folder / "handup.db", "supper")
    called = here("journal", "replay", "--run", "supper")
    for words in ("the run began: troubleshoot, 2 modules", "the policy ran", "decided to act: ", "act/1: succeeded"):
        assert words in called.out
    (row,) = (line.split() for line in called.out.splitlines() if line.startswith("supper"))
    assert row[3:6] == ["0", "1", "recovered:"]
    (run,) = in_json("--run", "supper")["runs"]
    assert (run["outcome"], run["acts"], run["questions"]) == ("recovered", 1, 0)


def test_an_empty_journal_has_no_state(folder: Path) -> None:
    Journal.open("empty.db").close()
    called = here("journal", "replay", "empty.db")
    assert called.code == 0
    assert "There is no entry yet." in called.out
    assert in_json("empty.db")["timeline"] == []


def test_a_kind_that_nobody_knows_is_named(folder: Path) -> None:
    program = (
        "from dataclasses import dataclass\nfrom handup.core import event\nfrom handup.journal import Journal\n"
        "@event('mine.cleaned')\n@dataclass(frozen=True)\nclass Cleaned:\n    plates: int\n"
        "Journal.open('handup.db').append(Cleaned(3), key='sink')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=folder, env={"PYTHONPATH": str(SRC)}, timeout=60)
    called = here("journal", "replay", "--last", "1")
    assert called.code == 0
    assert called.out.splitlines()[3].endswith("mine.cleaned sink")


def test_what_was_erased_is_not_told(folder: Path) -> None:
    assert here("journal", "erase", "handup.db", "Ana", "--yes").code == 0
    out = here("journal", "replay").out
    assert "Ana" not in out
    assert "food/1: asked words that were erased for somebody, Ben" in out
    assert "food/1: somebody answered something that was erased" in out
    assert "a person was erased: the name and " in out


def save_snapshot(state: DeskState) -> None:
    with Journal.open("handup.db") as journal:
        journal.save_snapshot("desk", state.seq, state.to_json())


def test_a_snapshot_that_leads_elsewhere_is_found(folder: Path) -> None:
    with Journal.open("handup.db", readonly=True) as journal:
        early = replay(journal.read(limit=22))
    save_snapshot(early)
    called = here("journal", "replay", "--last", "0")
    assert (called.code, "The same state comes from the snapshot at entry 22 and the " in called.out) == (0, True)
    save_snapshot(replace(early, put={}))
    called = here("journal", "replay", "--last", "0")
    assert called.code == 1
    assert "NOT THE SAME: the snapshot at entry 22" in called.out
    assert in_json()["differs"] == ["put"]


def test_a_snapshot_that_cannot_be_trusted_counts_as_none(folder: Path) -> None:
    with closing(sqlite3.connect("handup.db")) as raw, raw:
        raw.execute("UPDATE snapshots SET state = replace(state, 'Ana', 'Eve')")
    called = here("journal", "replay", "--last", "0")
    assert called.code == 0
    assert "There is no snapshot to compare this with." in called.out


def test_a_live_desk_has_the_state_that_the_replay_gives(folder: Path) -> None:
    with Journal.open("handup.db") as journal, Desk(journal, PEOPLE) as desk:
        live = desk.state
        again = replay(journal.read(limit=live.seq))
        assert again == live
        assert compared(journal, again).same


def test_more_runs_than_fit_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_replay, "MOST_RUNS", 2)
    out = here("journal", "replay", "--last", "0").out
    assert "Runs: 3, of which these are the latest 2." in out
    assert "lunch-1" not in out
