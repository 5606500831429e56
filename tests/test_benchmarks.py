"""The benchmarks run, and say what they measured; what the numbers are depends on the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import desk_load, executive, journal, memory, server


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "REPEATS", 2)
    monkeypatch.setattr(journal, "BATCH", 3)
    monkeypatch.setattr(journal, "HANDOVERS", 4)


@pytest.mark.usefixtures("little")
def test_the_journal_is_measured_beside_the_bare_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "find_programs", lambda: None)
    journal.main(["--json", "--seconds", "0.1", "--folder", str(tmp_path)])
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    names = [each["name"] for each in found["rates"]]
    assert names[:2] == [journal.DISK, "sqlite3: plain script, one row"]
    assert [name.split(": ")[1] for name in names[2:]] == [
        "journal.append, one event",
        "3 events in one transaction",
        "verify",
        "replay",
    ]
    assert all(0.0 < each["low"] <= each["per_s"] <= each["high"] for each in found["rates"])
    assert [each["count"] for each in found["latencies"]] in ([3, 3], [4, 4]), "as many as fit"
    assert all(0.0 < each["p50_ms"] <= each["p99_ms"] for each in found["latencies"])
    assert "only SQLite is measured" in printed.err
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@pytest.mark.usefixtures("little")
def test_the_tables_have_postgresql_too_where_there_is_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.main(["--seconds", "0.1", "--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "of bare" in printed
    assert "PostgreSQL: journal.append, one event" in printed
    assert "PostgreSQL: desk.reply to desk.wait" in printed
    assert all(len(line.rstrip()) <= 100 for line in printed.splitlines())


def test_a_small_house_is_measured_beside_a_bare_relay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--seconds", "2", "--robots", "4", "--people", "2", "--every", "1", "--folder", str(tmp_path)]
    desk_load.main(["--json", *few])
    ours, bare = json.loads(capsys.readouterr().out)
    assert [ours["name"], bare["name"]] == ["handup serve", "bare relay, fdatasync"]
    for each in (ours, bare):
        assert each["answers"] == each["questions"] >= 4
        assert each["lost"] == 0
        assert 0.0 < each["p50_ms"] <= each["p99_ms"] <= each["longest_ms"]
        assert len(each["memory_mib"]) == 3
        assert min(each["memory_mib"]) > 10.0
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_the_table_of_a_house_fits_a_screen() -> None:
    load = desk_load.Load(
        name="handup serve",
        questions=1200,
        answers=1200,
        lost=0,
        reconnected=0,
        shown_p50_ms=10.0,
        shown_p99_ms=20.0,
        p50_ms=10.0,
        p99_ms=20.0,
        longest_ms=30.0,
        memory_mib=(80.0, 81.0, 81.0),
        cpu=0.5,
        crowd_cpu=0.5,
    )
    options = desk_load.parser().parse_args([])
    console = Console(width=100, record=True)
    console.print(desk_load.table_of([load, load], options))
    assert all(len(line.rstrip()) <= 100 for line in console.export_text().splitlines())


def test_a_memory_is_measured_beside_plain_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--sizes", "20", "600", "--queries", "3"]
    memory.main(["--json", *few])
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found] == [memory.OURS, memory.RECALL, memory.PLAIN] * 8
    assert all(0.0 < each["p50_ms"] <= each["p99_ms"] for each in found)
    assert all(each["same"] for each in found)
    assert {each["found"] for each in found if each["asked"] == "like one"} == {1.0}
    memory.main(few)
    printed = capsys.readouterr().out
    assert "Promised at 100,000 × 384: 5 ms" in printed
    assert all(len(line.rstrip()) <= 100 for line in printed.splitlines())


def test_the_time_of_the_executive_is_told_by_kind_size_and_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(executive, "ROUNDS", 1)
    monkeypatch.setattr(executive, "STEPS", 30)
    monkeypatch.setattr(executive, "SIZES", (100, 300))
    executive.main(["--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["step"] for row in found["kinds"]] == list(executive.KINDS)
    assert all(row["us"] > 0.0 for row in found["kinds"])
    assert [row["steps"] for row in found["sizes"]] == [100, 300]
    by_run: dict[str, float] = {}
    for row in found["parts"]:
        by_run[row["run"]] = by_run.get(row["run"], 0.0) + row["share"]
    assert by_run == pytest.approx(
        dict.fromkeys(("no journal", "journaled, repeatable", "journaled, each durable"), 1.0)
    )
    assert max(found["parts"], key=lambda row: row["share"])["part"] == "the executive"
    executive.main([])
    assert "Microseconds a step" in capsys.readouterr().out
