from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from handup.lab.cell import Cell, WorldKind
from handup.lab.study.claim import Claim, Verdict
from handup.lab.study.claims import CLAIMS, why, why_confidences, why_costs, why_structure
from handup.lab.study.claims.judging import Judge, Reason
from handup.lab.study.claims.timing import TimeJudge
from handup.lab.study.results import Results
from handup.lab.study.studies import STUDIES
from tests.lab.study.claims.rows import COUNT, rows
from tests.lab.study.claims.solving import bearing_out, noisy, refuting

NOT_JUDGED = {"workload-aware for changing workload"}
"""Claims that no cell can show."""


def named() -> Iterator[tuple[str, Claim]]:
    for study, claims in CLAIMS.items():
        yield from ((study, claim) for claim in claims)


def ids(value: object) -> str:
    return value.name if isinstance(value, Claim) else str(value)


JUDGED = [(study, claim) for study, claim in named() if isinstance(claim.judge, Judge)]
TIMED = [(study, claim) for study, claim in named() if isinstance(claim.judge, TimeJudge)]


@cache
def everything(study: str, *, quick: bool = False) -> Results:
    """All cells of a study, all alike, with a time each."""
    cells = STUDIES[study].cells(episodes=COUNT, quick=quick)
    return Results(Cell(episodes=COUNT), dict.fromkeys(cells, rows()), dict.fromkeys(cells, 1e-3))


def judge_of(claim: Claim) -> Judge:
    assert isinstance(claim.judge, Judge)
    return claim.judge


def test_every_study_has_claims_and_no_claim_is_without_a_study() -> None:
    assert set(CLAIMS) == set(STUDIES)
    assert all(CLAIMS.values())


@pytest.mark.parametrize("study", CLAIMS)
def test_claims_of_a_study_have_names_of_their_own(study: str) -> None:
    names = [claim.name for claim in CLAIMS[study]]
    assert len(set(names)) == len(names)
    texts = [claim.text for claim in CLAIMS[study]]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("study", "claim"), list(named()), ids=ids)
def test_a_claim_has_a_source_and_a_sentence(study: str, claim: Claim) -> None:
    assert claim.source.startswith(("section ", "appendix ", "appendices ", "footnote ", "Fig. "))
    assert claim.text.endswith(".")
    assert claim.text[0].isupper()


@pytest.mark.parametrize("world", WorldKind)
@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_the_cells_of_a_claim_are_in_its_study(study: str, claim: Claim, world: WorldKind) -> None:
    finding = claim.judge(everything(study).of(world))
    assert finding.numbers
    assert finding.why.endswith(".")


@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_no_comparison_of_a_claim_lacks_its_cells(study: str, claim: Claim) -> None:
    found = everything(study)
    lacking = [
        place
        for comparison in judge_of(claim).compare(found)
        for _, place in comparison.terms
        if not place.known(found)
    ]
    assert lacking == []


@pytest.mark.parametrize(("study", "claim"), TIMED, ids=ids)
def test_times_are_judged_where_they_were_measured(study: str, claim: Claim) -> None:
    found = everything(study)
    assert claim.judge(found).numbers
    assert claim.judge(Results(found.base, found.found)).verdict is Verdict.OPEN


@pytest.mark.parametrize("world", WorldKind)
@pytest.mark.parametrize(("study", "claim"), list(named()), ids=ids)
def test_a_quick_run_and_an_empty_one_can_be_judged(study: str, claim: Claim, world: WorldKind) -> None:
    assert claim.judge(everything(study, quick=True).of(world)).why
    assert claim.judge(Results(Cell(world=world), {})).verdict is Verdict.OPEN


@pytest.mark.parametrize("world", WorldKind)
@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_every_claim_holds_where_its_comparisons_do(study: str, claim: Claim, world: WorldKind) -> None:
    made = bearing_out(everything(study).of(world), judge_of(claim))
    assert made is not None
    assert claim.judge(made).verdict is Verdict.HOLDS


@pytest.mark.parametrize("world", WorldKind)
@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_every_claim_can_fail(study: str, claim: Claim, world: WorldKind) -> None:
    made = refuting(everything(study).of(world), judge_of(claim))
    assert made is not None
    assert claim.judge(made).verdict is Verdict.FAILS


@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=ids)
def test_nothing_is_told_from_a_few_episodes_that_differ_much(study: str, claim: Claim) -> None:
    assert claim.judge(noisy(everything(study), judge_of(claim))).verdict is Verdict.OPEN


def test_claims_about_computation_time_are_marked() -> None:
    assert {claim.name for _, claim in named() if claim.about_code} == {claim.name for _, claim in TIMED}
    assert all(claim.about_code for _, claim in TIMED)


def test_claims_that_no_cell_can_show_say_so() -> None:
    others = [claim for _, claim in named() if not isinstance(claim.judge, (Judge, TimeJudge))]
    assert {claim.name for claim in others} == NOT_JUDGED
    assert {claim.judge(everything("summary")).verdict for claim in others} == {Verdict.OPEN}


def reasons() -> Iterator[tuple[str, Reason]]:
    for module in (why, why_structure, why_confidences, why_costs):
        yield from (
            (f"{module.__name__}.{name}", each) for name, each in vars(module).items() if isinstance(each, Reason)
        )


def test_every_reason_is_given_by_some_claim() -> None:
    given = {id(each) for _, claim in (*JUDGED, *TIMED) for each in getattr(claim.judge, "reasons", ())}
    assert [name for name, each in reasons() if id(each) not in given] == []


@pytest.mark.parametrize(("name", "reason"), list(reasons()), ids=[name for name, _ in reasons()])
def test_a_reason_is_the_second_half_of_a_sentence(name: str, reason: Reason) -> None:
    assert not reason.text.endswith(".")
    assert not reason.text.startswith(" ")
    assert reason.text[0].islower() or reason.text.startswith("Query Cost")
