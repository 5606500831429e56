"""A study from its definition to its folder."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from handup.lab.cell import Cell, WorldKind
from handup.lab.study import figures
from handup.lab.study.claim import Verdict
from handup.lab.study.results import Results
from handup.lab.study.run import Options, Outcome, run_study
from handup.lab.study.studies import METHODS, STUDIES
from handup.lab.study.style import LOOKS
from handup.lab.study.verdicts import judge, rivalries, tally
from tests.lab.study import fakes

FILES = {
    "rows.csv",
    "cells.csv",
    "timings.csv",
    "study.json",
    "claims.json",
    "claims.md",
    "report.html",
    "tiny-default.svg",
    "tiny-default.png",
    "tiny-replica.svg",
    "tiny-replica.png",
}
VOID = {"meta", "br", "link", "img", "hr", "input"}


def run(out: Path, *, quick: bool = False, episodes: int = 8) -> Outcome:
    return run_study(
        fakes.TINY,
        Options(out=out, episodes=episodes, quick=quick),
        claims=fakes.CLAIMS,
        simulator=fakes.simulate,
        now=lambda: datetime(2030, 1, 2, 3, 4, tzinfo=UTC),
    )


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(tmp_path_factory.mktemp("studies"))


class Reader(HTMLParser):
    """Checks that tags close in order, and keeps what a test asks about."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def read(outcome: Outcome) -> Reader:
    reader = Reader()
    reader.feed(outcome.report.read_text())
    reader.close()
    return reader


def test_everything_is_written(outcome: Outcome) -> None:
    assert {path.name for path in outcome.folder.iterdir()} == FILES
    for name in FILES:
        assert (outcome.folder / name).stat().st_size > 0


def test_every_cell_has_its_line_with_settings_and_numbers(outcome: Outcome) -> None:
    with (outcome.folder / "cells.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    cells = fakes.TINY.cells(episodes=8)
    assert [line["config"] for line in lines] == [cell.config for cell in cells]
    for line, cell in zip(lines, cells, strict=True):
        measure = outcome.results.found[cell].summary()["J"]
        assert float(line["J_mean"]) == measure.mean
        assert (float(line["J_ci_low"]), float(line["J_ci_high"])) == measure.ci
        known = {key: line[key] for key in Cell().to_json() if line[key]}
        assert Cell.from_text(known) == cell


def test_the_record_says_how_to_run_it_again(outcome: Outcome) -> None:
    record = json.loads((outcome.folder / "study.json").read_text())
    assert record["command"] == "handup study run tiny --episodes 8 --seed 0"
    assert record["made_at"] == "2030-01-02T03:04:00+00:00"
    assert set(record["versions"]) == {"handup", "python", "numpy"}
    assert record["cells"] == [cell.config for cell in fakes.TINY.cells(episodes=8)]


def test_the_claims_are_written_for_programs_and_for_pages(outcome: Outcome) -> None:
    record = json.loads((outcome.folder / "claims.json").read_text())
    first = record["claims"][0]
    assert first["worlds"]["default"]["verdict"] == "does not hold"
    assert first["worlds"]["replica"]["why"] == "It fails & fails."
    page = (outcome.folder / "claims.md").read_text().splitlines()
    head, rule, *lines = [line for line in page if line.startswith("|")]
    assert head.count("|") == rule.count("|") == 5
    assert len(lines) == 2
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 5 for line in lines)


def test_the_same_study_gives_the_same_rows_and_the_same_pictures(outcome: Outcome, tmp_path: Path) -> None:
    again = run(tmp_path)
    for name in ("rows.csv", "cells.csv", "study.json", "claims.json", "tiny-replica.svg", "tiny-replica.png"):
        assert (again.folder / name).read_bytes() == (outcome.folder / name).read_bytes()


def test_the_report_is_well_formed_and_says_what_was_run(outcome: Outcome, read: Reader) -> None:
    assert read.open == []
    for words in (
        "Tiny <study>",
        "Does it run?",
        "simulated",
        "handup study run tiny",
        "02 January 2030",
        "section <1>",
    ):
        assert words in read.text
    for verdict in ("does not hold", "holds"):
        assert verdict in read.text
    headings = [tag for tag, _ in read.seen if re.fullmatch(r"h\d", tag)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1


def test_the_report_needs_nothing_from_elsewhere(outcome: Outcome, read: Reader) -> None:
    text = outcome.report.read_text()
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in read.seen}
    for _, attributes in read.seen:
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    assert all(each.startswith("#") for each in re.findall(r"url\(([^)]*)\)", text))


def test_the_report_can_be_used_without_seeing_it(read: Reader) -> None:
    assert ("html", {"lang": "en"}) in read.seen
    drawings = [attributes for tag, attributes in read.seen if tag == "svg"]
    assert len(drawings) == 2
    assert all(each["role"] == "img" and each["aria-label"] for each in drawings)
    assert all("scope" in attributes for tag, attributes in read.seen if tag == "th")
    ids = [attributes["id"] for _, attributes in read.seen if "id" in attributes]
    assert len(set(ids)) == len(ids)


def test_a_quick_run_says_so_and_leaves_open_what_it_cannot_tell(tmp_path: Path) -> None:
    outcome = run(tmp_path, quick=True)
    assert {cell.modules for cell in outcome.results.found} == {4}
    assert tally(outcome.judged, WorldKind.DEFAULT) == {Verdict.HOLDS: 1, Verdict.FAILS: 0, Verdict.OPEN: 1}
    assert "not for conclusions" in outcome.report.read_text()


def test_troubleshoot_is_beaten_where_a_pair_is_better_beyond_the_interval() -> None:
    study = STUDIES["confidences"]
    found = {cell: fakes.simulate(cell) for cell in study.cells(episodes=40)}
    base = replace(study.base, episodes=40)
    worse, better = (replace(base, method=method) for method in ("troubleshoot", "graph+execute-first"))
    ours = found[better]
    found[worse] = replace(ours, objective=ours.objective + 1.0)
    first = next(rivalries(Results(base, found)))
    assert first.place == {}
    assert first.pairs == len(METHODS) - 2  # hybrid is not the paper's, troubleshoot is ours
    assert "graph+execute-first" in first.beaten_by
    assert first.theirs.mean == min(
        found[cell].metric("J").mean()
        for cell in study.cells(episodes=40)
        if cell.confidences == (1.0, 0.1) and cell.world is WorldKind.DEFAULT
        if "+" in cell.method and not cell.method.startswith("hybrid")
    )
    found[worse] = replace(ours, objective=ours.objective - 100.0)
    assert next(rivalries(Results(base, found))).beaten_by == ()


@pytest.mark.parametrize("name", ["heterogeneity", "summary"])
def test_the_other_layouts_are_drawn_too(name: str) -> None:
    study = STUDIES[name]
    found = {cell: fakes.simulate(cell) for cell in study.cells(episodes=3, quick=True)}
    drawings = list(figures.draw(study, Results(replace(study.base, episodes=3), found), {}, quick=True))
    assert [drawing.name for drawing in drawings] == [f"{name}-default", f"{name}-replica"]
    for drawing in drawings:
        assert drawing.svg.startswith(b"<?xml")
        assert drawing.png.startswith(b"\x89PNG")


def test_no_two_methods_look_alike() -> None:
    assert len({(look.color, look.marker) for look in LOOKS.values()}) == len(LOOKS)
    assert {method for study in STUDIES.values() for grid in study.grids for method in grid.methods} == set(LOOKS)


def test_a_claim_that_looks_for_what_was_not_run_cannot_be_told() -> None:
    results = Results(Cell(), {})
    for judged in judge(fakes.CLAIMS[:1], results, tuple(WorldKind)):
        for finding in judged.findings.values():
            assert finding.verdict is Verdict.OPEN
            assert "lacks" in finding.why
