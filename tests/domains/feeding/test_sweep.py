"""The sweep measures what it says, and tuning never sees the published seeds."""

from dataclasses import replace
from pathlib import Path

import pytest

from examples import feeding_sweep as example
from examples.feeding_sweep import PUBLISHED_SEEDS, TUNING_SEEDS, SweepRow, config, sweep
from handup.domains.feeding import Skill, foods
from handup.domains.feeding.capture import CAPTURE


def row(attempt: int = 1, *, ok: bool = True, seed: int = 1, of: str = "") -> SweepRow:
    return SweepRow(
        food="carrots", skill=Skill.SKEWER, kind="fitting", error_mm=0.0, error_deg=0.0, seed=seed, attempt=attempt,
        config=of or config(), ok=ok, other=False, unstable=False, seen=True, something=ok,
    )  # fmt: skip


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(example, "ROWS", tmp_path / "rows.csv")
    monkeypatch.setattr(example, "COUNTS", tmp_path / "counts.csv")
    return tmp_path / "rows.csv"


def test_tuning_and_published_seeds_are_apart() -> None:
    assert not set(TUNING_SEEDS) & set(PUBLISHED_SEEDS)


def test_far_beside_fails_and_right_there_works() -> None:
    rows = list(sweep("tofu", [901], errors_mm=(45.0,), errors_deg=(90.0,)))
    assert {row.skill for row in rows if row.kind == "fitting"} == {Skill.SKEWER, Skill.SCOOP}
    assert {row.skill for row in rows if row.kind == "wrong"} == {Skill.TWIRL}
    right = [row.ok for row in rows if row.kind == "fitting" and row.error_mm == row.error_deg == 0.0]
    far = [row.ok for row in rows if row.error_mm == 45.0]
    assert len(right) == 6 and sum(right) / len(right) > sum(far) / len(far)


def test_the_same_command_twice_measures_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "foods", lambda: {"carrots": foods()["carrots"]})
    measured: list[int] = []

    def one(food: str, seeds: list[int]) -> list[SweepRow]:
        measured.extend(seeds)
        return [row(attempt, seed=seeds[0]) for attempt in (1, 2, 3)]

    monkeypatch.setattr(example, "sweep", one)
    example.measure(0, 2)
    text = kept.read_text(encoding="utf-8")
    example.measure(0, 2)
    assert kept.read_text(encoding="utf-8") == text
    assert len(measured) == 2 and set(measured) <= set(PUBLISHED_SEEDS)


def test_rows_are_read_as_they_were_written_and_each_counts_once(kept: Path) -> None:
    rows = [row(1), row(2, ok=False)]
    example.append(rows)
    example.append([*rows, row(3)])
    assert example.read() == [*rows, row(3)]
    found = example.count(example.read())["carrots", "skewer", "fitting", 0.0, 0.0]
    assert (found["tries"], found["ok"], found["imagined"]) == (3, 2, 1)


def test_rows_of_other_rules_or_foods_do_not_count(kept: Path) -> None:
    example.append([row(1, of="another")])
    assert example.read() == []


def test_what_is_measured_has_another_name_under_other_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    before = config()
    monkeypatch.setattr("examples.feeding_sweep.CAPTURE", replace(CAPTURE, luck=0.5))
    assert config() != before


def test_the_published_counts_come_from_the_published_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = example.COUNTS.read_text(encoding="utf-8")
    rows = example.read()
    assert {each.seed for each in rows} <= set(PUBLISHED_SEEDS)
    assert {each.food for each in rows} == set(foods())
    monkeypatch.setattr(example, "COUNTS", tmp_path / "counts.csv")
    counts = example.count(rows)
    example.write(counts)
    assert example.COUNTS.read_text(encoding="utf-8") == published
    assert example.tables(counts) in example.PAGE.read_text(encoding="utf-8")


def test_the_tables_show_intervals(kept: Path) -> None:
    example.append([row(each, ok=each > 1) for each in range(1, 21)])
    assert "| carrots | skewer | 20 | 95 (76–99) |" in example.tables(example.count(example.read()))
