"""The synthetic studies: cells, folder, troubleshoot against the paper's pairs, and times by a clock that counts."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.engine import StudyOutcome, Verdict, run_study
from handup.lab.episodes import Episodes
from handup.lab.simulate import simulate
from handup.lab.studies.synthetic import cells, figures
from handup.lab.studies.synthetic.cells import CellBatch, columns_of, episodes_of
from handup.lab.studies.synthetic.decision_times import measure, table
from handup.lab.studies.synthetic.results import FILE, METHODS, CellResults
from tests.lab.published import golden
from tests.lab.published.adapter import HASHED
from tests.lab.studies.synthetic import made_up
from tests.lab.studies.synthetic.made_up import STUDIES, TINY

FILES = {
    *("rows.csv", "cells.csv", "timings.csv", "study.json", "claims.json", "report.md", "report.html"),
    *(f"tiny-{world}.{kind}" for world in ("default", "replica") for kind in ("svg", "png")),
}


def found_in(outcome: StudyOutcome) -> Mapping[Cell, Episodes]:
    assert isinstance(outcome.results, CellResults)
    return outcome.results.found


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return run_study(TINY, TINY.size(episodes=40), out=tmp_path_factory.mktemp("studies"))


def test_the_cells_are_the_published_ones() -> None:
    assert set(HASHED["cells"].batches()) == set(golden.read("cells")["hashes"])


@pytest.mark.parametrize("name", STUDIES)
def test_each_cell_is_there_once_and_a_quick_run_has_some_of_them(name: str) -> None:
    study = STUDIES[name]
    sizes = (study.size(quick=quick, episodes=7, seed=3) for quick in (False, True))
    whole, quick = ([batch.cell for batch in study.batches(size)] for size in sizes)
    assert len({cell.config for cell in whole}) == len(whole)
    assert set(quick) < set(whole) or name in ("confidences", "structure", "query-costs", "expert")
    assert not any(cell.method.startswith("mip") for cell in quick)
    assert {(cell.episodes, cell.seed) for cell in whole} == {(7, 3)}
    assert {cell.world for cell in whole} == set(WorldKind)
    assert Cell(episodes=7, seed=3) in whole


def test_rows_are_the_episodes_number_for_number() -> None:
    cell = Cell(beta=0.4, confidences=(0.7, 0.4), episodes=20)
    kept = json.loads(json.dumps(cells.make(CellBatch.of(cell))))
    before, after = simulate(cell), episodes_of(kept)
    for name in ("recovered", "load", "questions", "executions", "objective"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert columns_of(after) == kept


def test_rows_of_somebodys_own_method_are_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = CellBatch.of(Cell())
    assert batch.is_reusable
    monkeypatch.setattr(type(batch.cell.strategy.what), "__module__", "somebody.elses")  # type: ignore[attr-defined]
    assert not batch.is_reusable


def test_studies_share_the_rows_of_their_cells_and_a_quick_run_says_so(outcome: StudyOutcome) -> None:
    made: list[float] = []
    size = TINY.size(quick=True, episodes=40)
    again, out = replace(TINY, name="again"), outcome.folder.parent
    quick = run_study(again, size, out=out, watch=lambda step: made.append(step.share))
    assert made == [1.0]
    assert {cell.modules for cell in found_in(quick)} == {4}
    assert quick.judged[0].finding.verdict is Verdict.OPEN, "what it has no cells for"
    assert "not for conclusions" in quick.report.read_text()


def test_everything_is_written(outcome: StudyOutcome) -> None:
    assert {path.name for path in outcome.folder.iterdir()} == FILES
    record = json.loads((outcome.folder / "study.json").read_text())
    assert record["command"] == "handup study run tiny --episodes 40 --seed 0"
    assert set(record["versions"]) == {"handup", "code", "python", "numpy", "scipy"}
    assert record["cells"] == [batch.config for batch in TINY.batches(TINY.size(episodes=40))]
    assert record["settings"] == Cell().to_json()
    assert record["troubleshoot_beaten_at"] == [{"modules": 4, "by": ["confidence+workload-aware"]}]
    printed = TINY.printed(record, outcome.judged)
    assert (printed["cells"], len(printed["claims"])) == (len(record["cells"]), 3)


def test_every_cell_has_its_line_with_settings_and_numbers(outcome: StudyOutcome) -> None:
    lines, rows = (
        list(csv.DictReader((outcome.folder / name).read_text().splitlines())) for name in ("cells.csv", "rows.csv")
    )
    found = found_in(outcome)
    assert [line["config"] for line in lines] == [cell.config for cell in found]
    for line, cell in zip(lines, found, strict=True):
        measure = found[cell].summary()["J"]
        assert (float(line["J_mean"]), float(line["J_ci_low"])) == (measure.mean, measure.ci[0])
        assert Cell.from_text({key: line[key] for key in Cell().to_json() if line[key]}) == cell
    assert [row["episode"] for row in rows] == [str(number) for _ in found for number in range(40)]
    assert list(rows[0])[:6] == ["config", "seed", "handup", "code", "numpy", "episode"]


def test_claims_are_judged_in_each_world_and_times_in_ours(outcome: StudyOutcome) -> None:
    claims = json.loads((outcome.folder / "claims.json").read_text())["claims"]
    worlds = {claim["name"]: {world: found["verdict"] for world, found in claim["worlds"].items()} for claim in claims}
    assert worlds["never fails"] == dict.fromkeys(("default", "replica"), "does not hold")
    assert worlds["takes long"]["replica"] == "cannot be told"
    assert [claim["about_code"] for claim in claims] == [False, True, False]
    assert claims[0]["worlds"]["replica"]["why"] == "It fails & fails | often."
    table = next(iter(TINY.shown(outcome.judged, outcome.sections)))
    assert table.columns == ("claim", "source", "handup's world", "replica")


def test_the_report_begins_with_the_answer_and_shows_both_worlds(outcome: StudyOutcome) -> None:
    text = (outcome.folder / "report.md").read_text()
    assert re.search(r"\*\*Of 2 claims .* `troubleshoot` is beaten .* at 1 of 2 places\.\*\*", text)
    lines = [line for line in text.splitlines() if line.startswith("| It never fails")]
    assert len(lines) == 1
    assert len(re.findall(r"(?<!\\)\|", lines[0])) == 5
    page = outcome.report.read_text()
    for words in ("Tiny &lt;study&gt;", "tiny-default", "tiny-replica", "About computation time", "modules 3"):
        assert words in page


def test_troubleshoot_is_beaten_where_a_pair_is_better_beyond_the_interval() -> None:
    study = STUDIES["confidences"]
    found = {batch.cell: made_up.simulate(batch.cell) for batch in study.batches(study.size(episodes=40))}
    base = Cell(episodes=40)
    ours = found[base.with_method("graph+execute-first")]
    found[base.with_method("troubleshoot")] = replace(ours, objective=ours.objective + 1.0)
    first = made_up.results(study, found, episodes=40).rivalries[0]
    assert first.place == {}
    assert first.pairs == len(METHODS) - 2  # hybrid is not the paper's, troubleshoot is ours
    assert "graph+execute-first" in first.beaten_by
    at_base = [cell for cell in found if cell == base.with_method(cell.method) and "+" in cell.method]
    assert first.theirs.mean == min(found[c].metric("J").mean() for c in at_base if not c.method.startswith("hybrid"))
    found[base.with_method("troubleshoot")] = replace(ours, objective=ours.objective - 100.0)
    assert made_up.results(study, found, episodes=40).rivalries[0].beaten_by == ()


@pytest.mark.parametrize("name", ["heterogeneity", "summary"])
def test_the_other_layouts_are_drawn_too(name: str) -> None:
    study = STUDIES[name]
    batches = study.batches(study.size(quick=True, episodes=3))
    found = {batch.cell: made_up.simulate(batch.cell) for batch in batches}
    drawings = list(figures.draw(made_up.results(study, found, episodes=3, quick=True)))
    assert [drawing.name for drawing in drawings] == [f"{name}-default", f"{name}-replica"]


def test_no_two_methods_look_alike() -> None:
    assert len(set(map(tuple, FILE["methods"].values()))) == len(METHODS)


CELLS = [
    Cell(modules=4, method=method, structure=structure, episodes=5, confidences=(0.9, 0.2), beta=0.3)
    for method in ("graph+workload-aware", "troubleshoot", "never+workload-aware")
    for structure in (Structure.AND, Structure.OR_THEN_AND)
]


def test_an_episode_takes_as_long_as_its_decisions() -> None:
    ticks = count()
    found = {cell: made_up.simulate(cell) for cell in CELLS}
    timings = list(measure(CELLS, found, lambda: next(ticks) * 0.001))
    for timing in timings:
        assert timing.decision_us == pytest.approx(1000.0)
        assert timing.episode_ms == pytest.approx(timing.decisions)
        assert timing.decisions == pytest.approx(found[timing.cell].metric("timesteps").mean())
    rows = list(csv.DictReader(table(timings).splitlines()))
    assert [row["config"] for row in rows] == [cell.config for cell in CELLS]
    assert table(()).splitlines() == [",".join(rows[0])], "the header alone"


def test_what_slows_the_machine_for_a_while_does_not_count() -> None:
    """The first round of both cells is slow: up to 8 decisions of one policy each, with two looks at the clock."""
    now, looks = 0.0, count()

    def clock() -> float:
        nonlocal now
        now += 0.1 if next(looks) < 2 * 8 * 2 else 0.001
        return now

    found = {cell: made_up.simulate(cell) for cell in CELLS[:2]}
    assert [each.decision_us for each in measure(CELLS[:2], found, clock)] == pytest.approx([1000.0] * 2)
