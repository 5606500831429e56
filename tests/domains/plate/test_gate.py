"""The gate of the plates: one line for each plate, gone on from after a kill, paired by plate."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks import plate
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.policies import FixedSequence, clear, cleared
from handup.domains.plate.primitives import PlateFood
from tests.domains.plate.toy import ToyEngine

SEEDS = range(5, 9)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plate, "engine_of", lambda food: ToyEngine())


def gated(path: Path) -> tuple[str, list[bytes]]:
    console = Console(width=160, record=True, file=StringIO())
    plate.gate(PlateFood.BEANS, SEEDS, 4, 1, path, console)
    return console.export_text(), path.read_bytes().splitlines()


def test_a_gate_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    table, whole = gated(tmp_path / "whole.jsonl")
    assert [json.loads(line)["seed"] for line in whole] == list(SEEDS)
    killed = tmp_path / "killed.jsonl"
    killed.write_bytes(whole[0] + b"\n" + whole[1] + b"\n" + whole[2][:100])
    assert gated(killed) == (table, whole)


def test_lines_of_other_constants_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gated(tmp_path / "lines.jsonl")
    monkeypatch.setattr(plate, "constants_digest", lambda food: "another")
    with pytest.raises(SystemExit, match="Name another file"):
        gated(tmp_path / "lines.jsonl")


def test_a_line_has_what_policies_clear_and_the_values_of_every_moment(tmp_path: Path) -> None:
    for line in map(json.loads, gated(tmp_path / "lines.jsonl")[1]):
        alone = clear(ClearingWorld(ToyEngine(), seed=line["seed"]), FixedSequence())
        assert line["shares"]["acquire only"] == pytest.approx(cleared(alone), abs=1e-6)
        fair = line["played"]["fair oracle"]
        for moment, values in line["values"].items():
            assert fair.startswith(moment)
            assert next(iter(values)) == fair[len(moment)], "the chosen one comes first"
        assert set(line["values"]) == {fair[:number] for number in range(min(len(fair), 7))}


def test_gaps_are_paired_by_plate(tmp_path: Path) -> None:
    table, lines = gated(tmp_path / "lines.jsonl")
    shares = [json.loads(line)["shares"] for line in lines]
    gap = np.mean([share["fair oracle"] - share["random"] for share in shares])
    row = next(line for line in table.splitlines() if line.startswith("random"))
    assert f"{gap:+.3f}" in row
    assert sum("clairvoyant" in share for share in shares) == 1
