"""The paper's claims: each can hold and fail, and looks at cells that its study has."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from handup.lab.cell import WorldKind
from handup.lab.engine import Verdict
from handup.lab.engine.judge import NO_TIMES, MeansClaim, MeansComparison, Ratio, WantedMeans, judge_means
from handup.lab.episodes import Episodes
from handup.lab.studies.synthetic.decision_times import Timing
from handup.lab.studies.synthetic.results import CellResults
from handup.lab.studies.synthetic.studies import claim_of, selector
from tests.lab.studies.synthetic import made_up
from tests.lab.studies.synthetic.made_up import STUDIES

CLAIMS = [(name, claim) for name, study in STUDIES.items() for claim in study.claims if isinstance(claim, MeansClaim)]
JUDGED = [(name, claim) for name, claim in CLAIMS if not claim.about_code and not claim.untold]
TIMED = [(name, claim) for name, claim in CLAIMS if claim.about_code]
DOCS = Path(__file__).parents[4] / "docs" / "lab" / "claims"
ALIKE = Episodes(np.ones(400, bool), np.full(400, 0.96), np.full(400, 3), np.ones(400, np.int64), np.zeros(400))
SHARE, AMOUNT = (1.0, 0.2), (500.0, 2.0)
"""The most that a mean can be, and by how much at least what is apart is so."""


def ids(value: object) -> str:
    return value.name if isinstance(value, MeansClaim) else str(value)


@cache
def everything(study: str, world: WorldKind = WorldKind.DEFAULT, *, quick: bool = False) -> CellResults:
    """Return all cells of a study, all alike, with a time each in our world."""
    results = made_up.all_alike(STUDIES[study], ALIKE, quick=quick)
    timings = {cell: Timing(cell, 1000.0, 4.0) for cell in results.found if cell.world is WorldKind.DEFAULT}
    return replace(results, timings=timings, world=world)


def test_claims_and_notes_are_sentences_and_every_claim_has_a_name_of_its_own() -> None:
    assert len(CLAIMS) == 140
    assert sum(claim.about_code for _, claim in CLAIMS) == 22
    for study in STUDIES.values():
        assert len({claim.name for claim in study.claims}) == len({claim.text for claim in study.claims})
    for _, claim in CLAIMS:
        assert claim.source.startswith(("section ", "appendix ", "appendices ", "footnote ", "Fig. "))
        for text in (claim.text, *(note.text for note in claim.notes)):
            assert text.endswith(".")
            assert text[0].isupper()


@pytest.mark.parametrize("study", STUDIES)
def test_the_published_page_gives_the_notes(study: str) -> None:
    page = (DOCS / f"{study}.md").read_text(encoding="utf-8")
    rows = [re.split(r" (?<!\\)\| ", line) for line in page.splitlines() if line.count(" | ") == 3]
    published = {row[0].removeprefix("| "): row[2:] for row in rows}
    for claim in STUDIES[study].claims:
        for cell, world in zip(published[claim.text], WorldKind, strict=True):
            verdict = re.match(r"\*\*(.+?)\*\*\. ", cell)
            assert verdict is not None
            why = claim.untold or claim.note(Verdict(verdict[1]), world) or NO_TIMES
            assert cell[verdict.end() :].startswith(why if "<details>" in cell or claim.untold else NO_TIMES)


@pytest.mark.parametrize(("study", "claim"), [*JUDGED, *TIMED], ids=ids)
def test_every_comparison_has_its_cells_in_a_world(study: str, claim: MeansClaim) -> None:
    worlds = [everything(study, world) for world in WorldKind]
    assert [each for each in claim.compared if not any(all(map(here.has, each.points)) for here in worlds)] == []
    for here in worlds:
        timed = any(isinstance(each, Ratio) for each in claim.compared)
        assert judge_means(claim, here).numbers or (timed and here.world is WorldKind.REPLICA)


@pytest.mark.parametrize("study", STUDIES)
def test_a_quick_run_and_an_empty_one_can_be_judged(study: str) -> None:
    claims = [claim for name, claim in CLAIMS if name == study]
    for claim, world in product(claims, WorldKind):
        quick = everything(study, world, quick=True)
        assert judge_means(claim, quick).verdict in tuple(Verdict)
        assert judge_means(claim, replace(quick, found={}, timings={})).verdict is Verdict.OPEN


@pytest.mark.parametrize("world", WorldKind)
@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_every_claim_can_hold_and_can_fail(study: str, claim: MeansClaim, world: WorldKind) -> None:
    """A linear programme finds means that bear out all comparisons at once; sides that differ can also refute them."""
    listed = [each for each in claim.comparisons(everything(study, world)) if isinstance(each, MeansComparison)]
    unknowns = list(dict.fromkeys((point, each.metric) for each in listed for point in each.points))
    rows, limits = [], []
    for comparison in listed:
        assert len(set(comparison.points)) == len(comparison.points)
        signs = {unknowns.index((point, comparison.metric)): sign for sign, point in comparison.terms}
        gap = (
            (SHARE if comparison.metric == "task_cost" else AMOUNT)[1]
            if comparison.wanted is WantedMeans.LOWER
            else 0.0
        )
        for side in (1, -1) if comparison.wanted is WantedMeans.SAME else (1,):
            rows.append([side * signs.get(number, 0) for number in range(len(unknowns))])
            limits.append(side * comparison.target - gap)
    bounds = [(0.0, (SHARE if metric == "task_cost" else AMOUNT)[0]) for _, metric in unknowns]
    assert linprog(np.zeros(len(unknowns)), A_ub=rows, b_ub=limits, bounds=bounds).success


def test_what_is_paid_above_the_mean_price_and_margins_follow_the_cost() -> None:
    results = everything("heterogeneity")
    point, dear = selector("graph", beta=0.6), selector("graph", query_cost=0.64)
    dearer = replace(results, found={cell: replace(ALIKE, load=ALIKE.load + 0.2) for cell in results.found})
    assert dearer.amounts("overpaid", point).mean() == pytest.approx(0.2)
    assert results.margin("query_cost", [point, dear]) == pytest.approx(0.16)
    assert (results.margin("task_cost", [point]), results.margin("timesteps", [point])) == (0.05, 0.5)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"modules": [3, 10], "than": {"modules": 10}}, ["+graph N = 3 -graph N = 10"]),
        ({"expert": [1.0, 0.8], "target": 1.0}, ["+graph c_e = 1", "+graph c_e = 0.8"]),
        ({"selector": {"chain": ["topo", ["graph", "mip"]]}}, ["+graph -topo", "+mip -topo"]),
        ({"than": {"beta": {"chain": [0.0, 0.6]}}}, ["+graph β = 0 -graph β = 0.6"]),
        (
            {"than": {"selector": "topo"}, "structure": "and", "to": {"structure": "or"}},
            ["+graph all-or -graph all-and -topo all-or +topo all-and"],
        ),
    ],
)
def test_an_entry_stands_for_comparisons_and_an_unknown_setting_is_refused(
    entry: dict[str, Any], expected: list[str]
) -> None:
    lower = {"metric": "J", "selector": "graph", **entry}
    claim = claim_of({"name": "n", "source": "s", "text": "T.", "lower": lower})
    sums = [comparison.terms for comparison in claim.compared if isinstance(comparison, MeansComparison)]
    assert expected == [
        " ".join(" ".join((f"{sign:+}"[0] + point.name, *point.words)) for sign, point in terms) for terms in sums
    ]
    with pytest.raises(KeyError, match="module"):
        claim_of({"name": "n", "source": "s", "text": "T.", "lower": {**lower, "module": 3}})
