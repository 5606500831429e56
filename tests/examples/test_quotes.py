"""Every number that a page of the docs quotes is one of the published record."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from examples import claim_pages, interrupt_page, meal_tables, reaching_page, recovery_page
from examples.quotes import NUMBER, missing, unquoted
from handup.lab.engine.claims import Verdict
from handup.lab.engine.registry import study_of
from handup.lab.studies.synthetic.cells import CellBatch
from tests.examples import meals_quoted, scores_quoted
from tests.examples.pages import DOCS
from tests.lab.published import golden
from tests.lab.published.adapter import CELLS, MEALS

POWER = re.compile(r"([\d.]+)\^(\d+) = ([\d.]+\d)")
POWERS = {0.1**2, 0.1**3, 0.5}
"""Chances of success with two and with three low modules unanswered, and the threshold of until-confident."""


@dataclass(frozen=True)
class Page:
    """A page with the text that is held to records, what it has to say, and numbers in it that are no results."""

    name: str
    quotes: Callable[[], Iterable[str]]
    rules: tuple[str, ...] = ()
    start: str = ""
    end: str = "\n\0"

    @property
    def text(self) -> str:
        whole = (DOCS / self.name).read_text(encoding="utf-8")
        return (whole.partition(self.start)[2] if self.start else whole).partition(self.end)[0]


PAGES = (
    Page(
        "lab/reaching.md",
        lambda: reaching_page.quotes(reaching_page.record()),
        rules=("at most 0.8.", "at most 0.5.", "α = .2", "T = 0.3 s", "prototype: 18.6 s against 78.6 s"),
        end=reaching_page.NUMBERS,
    ),
    Page(
        "lab/recoveries.md",
        lambda: recovery_page.quotes(recovery_page.record("recoveries")),
        rules=("within 0.1.", "nearer than 0.1 (kits), 0.25 (interventions)", "p < .05", "Figure 2.6"),
    ),
    Page("lab/interrupt.md", interrupt_page.quotes, rules=interrupt_page.RULES, end=interrupt_page.HEADING),
    Page(
        "lab/helpers.md",
        recovery_page.helper_quotes,
        rules=(
            *("(section 1.1)", "(section 2.5)", "p < .05", "0.1 (kits per robot), 0.25 (calls of the bystander)"),
            *("2 (time for one that was answered, s)", "nearer than 0.1 (kits), 0.25 (interventions)"),
        ),
    ),
    Page(
        "lab/meals.md",
        meals_quoted.quotes,
        rules=("it trusts every answer with .97", "wrong nine times in ten, and claiming 0.65."),
        start="Each needs the extras",
        end="## Failure triage",
    ),
    Page(
        "lab/real-scores.md",
        scores_quoted.quotes,
        rules=("sets of a chain cover .9 together",),
        start="## What is real, what is not",
    ),
    Page(
        "people/workload.md",
        scores_quoted.quotes_of_workload,
        rules=("a_d and a_r from 0 to .2", "g from 0 to .3"),
        start="## Does it matter?",
    ),
)


def test_a_number_that_is_not_quoted_or_differs_is_found() -> None:
    text = "It gets 4.16 bites\nof five (+0.36 to +0.65); see [Fig. 2.6](a-1.5.md) and `T = 0.1`.\n| 9.9 |\n"
    assert missing(text, ["4.16 bites of five", "(+0.37 to +0.65)"]) == ["(+0.37 to +0.65)"]
    assert unquoted(text, ["4.16 bites of five"]) == ["+0.36", "+0.65", "2.6"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_quotes_the_numbers_of_its_record_and_no_others(page: Page) -> None:
    quotes = list(page.quotes())
    assert missing(page.text, (*quotes, *page.rules)) == []
    assert unquoted(page.text, (*quotes, *page.rules)) == []


@pytest.mark.parametrize("study", MEALS)
def test_the_tables_of_meals_are_those_of_the_record(study: str) -> None:
    page = (DOCS / "lab" / "meals.md").read_text(encoding="utf-8")
    for table in meal_tables.tables(study).split("\n\n"):
        assert table in page, f"run: python -m examples.meal_tables {study}"


def test_tables_and_claims_of_reaching_are_those_of_the_record() -> None:
    page, record = reaching_page.PAGE.read_text(encoding="utf-8"), reaching_page.record()
    assert reaching_page.refreshed(page, record) == page, "run: python -m examples.reaching_page"
    assert page.count("\n- **") == len(record["claims"])


def test_tables_of_recoveries_are_those_of_the_record() -> None:
    for path, studies in recovery_page.PAGES.items():
        page = path.read_text(encoding="utf-8")
        for tables in map(list, map(recovery_page.tables, studies)):
            assert len(tables) >= 3
            assert all(table in page for table in tables), "run: python -m examples.recovery_page"
        assert recovery_page.refreshed(path) == page


def test_numbers_of_interrupting_are_those_of_the_records() -> None:
    page = interrupt_page.PAGE.read_text(encoding="utf-8")
    assert interrupt_page.refreshed(page) == page, "run: python -m examples.interrupt_page"


def claims(name: str) -> list[dict[str, Any]]:
    """Return the published claims of a study; of those about computation time, which no record keeps, the kind."""
    kept: list[dict[str, Any]] = golden.read("cells")["records"][name]["claims"]
    return [*kept, *({"about_code": True} for _ in range(len(study_of(name).claims) - len(kept)))]


def test_the_overview_of_claims_counts_those_of_the_record() -> None:
    overview = claim_pages.overview({name: claims(name) for name in claim_pages.NAMES})
    assert (claim_pages.PAGES / "index.md").read_text(encoding="utf-8") == overview


@pytest.mark.parametrize("name", CELLS)
def test_a_page_of_claims_counts_those_of_the_record_and_has_the_notes_of_the_study(name: str) -> None:
    page = (claim_pages.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert claim_pages.counts(claims(name)) in page
    assert claim_pages.LAST_BITS.get(name, "") in page
    defined = {claim.name: claim for claim in study_of(name).claims}
    for kept in golden.read("cells")["records"][name]["claims"]:
        for world, finding in kept["worlds"].items():
            note = defined[kept["name"]].note(Verdict(finding["verdict"]), world)
            assert f"**{finding['verdict']}**. {note}" in page, kept["name"]


@pytest.mark.parametrize("name", CELLS)
def test_numbers_in_notes_on_claims_are_settings_or_follow_from_them(name: str) -> None:
    study = study_of(name)
    cells = [batch.cell for batch in study.batches(study.size()) if isinstance(batch, CellBatch)]
    known = {number for cell in cells for number in (*cell.confidences, cell.query_cost, cell.expert)}
    known |= {sure - doubtful for sure in known for doubtful in known} | POWERS
    for note in (note for claim in study.claims for note in claim.notes):
        for base, exponent, value in POWER.findall(note.text):
            assert f"{float(base) ** int(exponent):.2f}" == value
        for number in map(float, NUMBER.findall(POWER.sub("", note.text))):
            assert any(math.isclose(number, other) for other in known), note.text
