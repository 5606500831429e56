from __future__ import annotations

import json

import pytest

from handup.lab.cell import WorldKind
from handup.lab.study.claim import Verdict
from handup.lab.study.claims.comparing import Comparison, lower, same
from handup.lab.study.claims.covering import asks_alike, asks_nothing, of
from handup.lab.study.claims.judging import GENERALLY, MOST, MOST_SHOWN, Judge, Reason
from handup.lab.study.claims.patterns import descending, rising, unbeaten, unchanged
from handup.lab.study.claims.places import Place, algorithm, selector
from handup.lab.study.results import Results
from tests.lab.study.claims.rows import first, results, rows

GRAPH, NEVER, TOPO = selector("graph"), selector("never"), selector("topo")
CONFIDENCE = selector("confidence")
BETTER = lower("failed_attempts", GRAPH, NEVER)


def fixed(*comparisons: Comparison, **settings: object) -> Judge:
    return Judge(lambda results: comparisons, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, Verdict.FAILS), (GENERALLY, Verdict.HOLDS), (0.8, Verdict.FAILS), (MOST, Verdict.HOLDS)],
)
def test_generally_is_in_three_quarters(share: float, expected: Verdict) -> None:
    against = [lower("failed_attempts", selector("graph", modules=n), NEVER) for n in (3, 5, 10, 15)]
    found = results(
        {
            NEVER: rows(failed=3),
            **{selector("graph", modules=n): rows(failed=5 if n == 15 else 0) for n in (3, 5, 10, 15)},
        }
    )
    assert fixed(*against, share=share)(found).verdict is expected


@pytest.mark.parametrize(("lost", "expected"), [(1, Verdict.HOLDS), (2, Verdict.FAILS)])
def test_most_is_more_than_half(lost: int, expected: Verdict) -> None:
    sizes = (3, 5, 10, 15)
    found = {selector("graph", modules=n): rows(failed=5 if n in sizes[:lost] else 0) for n in sizes}
    made = [lower("failed_attempts", place, NEVER) for place in found]
    assert fixed(*made, share=MOST)(results({NEVER: rows(failed=3), **found})).verdict is expected


def test_an_open_comparison_leaves_a_claim_open_unless_others_decide_it() -> None:
    found = results({GRAPH: rows(failed=[0, 0, 0, 8]), NEVER: rows(failed=[0, 0, 8, 0]), TOPO: rows(failed=9)})
    undecided, holding, failing = BETTER, lower("failed_attempts", GRAPH, TOPO), lower("failed_attempts", TOPO, GRAPH)
    assert fixed(undecided, holding)(found).verdict is Verdict.OPEN
    assert fixed(undecided, failing)(found).verdict is Verdict.FAILS
    assert fixed(undecided, holding, share=0.5)(found).verdict is Verdict.HOLDS


def test_many_comparisons_make_each_interval_wider() -> None:
    found = results({GRAPH: rows(failed=[0, 0, 0, 0, 8]), NEVER: rows(failed=2)})
    assert fixed(BETTER)(found).verdict is Verdict.HOLDS
    assert fixed(*[BETTER] * 500)(found).verdict is Verdict.OPEN


def test_without_the_cells_nothing_is_told() -> None:
    finding = fixed(BETTER)(results({GRAPH: rows()}))
    assert (finding.verdict, finding.numbers) == (Verdict.OPEN, ())
    assert finding.why == "This run has no numbers for it."


def test_a_claim_is_judged_on_the_cells_that_are_there() -> None:
    found = results({GRAPH: rows(), NEVER: rows(failed=9)})
    assert fixed(BETTER, lower("failed_attempts", GRAPH, TOPO))(found).verdict is Verdict.HOLDS


def test_the_worst_numbers_come_first_and_are_few() -> None:
    places = {selector("graph", modules=n): rows(failed=n if n > 50 else 0) for n in range(3, 62)}
    finding = fixed(*(same("failed_attempts", place, GRAPH) for place in places))(results({**places, GRAPH: rows()}))
    assert finding.numbers[0] == ("comparisons", "48 agree, 11 do not, 0 open")
    assert finding.numbers[1][0] == "failed attempts: graph, N = 61 less graph"
    assert len(finding.numbers) == MOST_SHOWN + 1
    assert len(finding.comparisons) == len(places)
    assert finding.comparisons[0].to_json() == {
        "label": "failed attempts: graph, N = 61 less graph",
        "mean": 61.0,
        "low": 61.0,
        "high": 61.0,
        "verdict": "does not hold",
    }


def test_an_interval_without_end_is_null_for_programs() -> None:
    few = results({GRAPH: rows(), NEVER: rows(failed=2)})
    found = Results(few.base, {cell: first(each, 5) for cell, each in few.found.items()})
    (record,) = fixed(BETTER)(found).to_json()["comparisons"]
    assert (record["mean"], record["low"], record["high"]) == (-2.0, None, None)
    assert "inf" not in json.dumps(fixed(BETTER)(found).to_json()["comparisons"])


def test_the_sentence_names_who_goes_against_a_claim() -> None:
    found = results(
        {
            make(name, modules=size): rows(failed=9 if (name, size) == ("topo", 3) else 0)
            for make, name, size in ((selector, n, s) for n in ("topo", "graph") for s in (3, 5, 10))
        }
    )
    judge = Judge(
        lambda each: unchanged(each, ("failed_attempts",), selector, ("topo", "graph"), "modules", (3, 5, 10))
    )
    assert judge(found).why == "1 of 4 comparisons goes against it, with topo at N = 3."


@pytest.mark.parametrize(
    ("world", "questions", "said"), [("default", 3, False), ("replica", 3, True), ("replica", 0, False)]
)
def test_a_reason_is_given_only_where_it_is_shown(world: str, questions: int, said: bool) -> None:
    reason = Reason("both ask", Verdict.HOLDS, asks_alike, WorldKind.REPLICA)
    found = results({GRAPH: rows(questions=questions), NEVER: rows(failed=9)}, WorldKind(world))
    assert fixed(BETTER, reasons=(reason,))(found).why == f"The comparison agrees{': both ask' if said else ''}."


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (("never", "topo", "all"), ": all"),
        (("never", "topo"), ": never; topo"),
        (("topo",), ""),
        ((), ""),
    ],
)
def test_reasons_are_given_that_cover_every_deciding_comparison_or_none(known: tuple[str, ...], told: str) -> None:
    reasons = tuple(Reason(name, Verdict.FAILS, of("graph") if name == "all" else of(name)) for name in known)
    found = results({GRAPH: rows(failed=9), NEVER: rows(failed=3), TOPO: rows(failed=2), CONFIDENCE: rows(failed=20)})
    comparisons = [lower("failed_attempts", GRAPH, other) for other in (NEVER, TOPO, CONFIDENCE)]
    finding = fixed(*comparisons, reasons=reasons)(found)
    assert finding.verdict is Verdict.FAILS
    assert finding.why == f"2 of 3 comparisons go against it{told}."


def test_a_reason_is_looked_up_in_the_numbers_of_each_comparison() -> None:
    reason = Reason("it asks nothing", Verdict.FAILS, asks_nothing("graph"))
    places = {selector("graph", modules=n): rows(failed=9, questions=0 if n < 50 else 3) for n in (3, 5, 50)}
    found = results({**places, NEVER: rows()})
    silent, asking = list(places)[:2], list(places)
    for chosen, told in ((silent, True), (asking, False)):
        why = fixed(*(lower("failed_attempts", each, NEVER) for each in chosen), reasons=(reason,))(found).why
        assert ("it asks nothing" in why) is told


def test_settings_that_decide_are_listed_without_repeating_their_name() -> None:
    found = {selector("graph", modules=n): rows(failed=9 if n == 5 else 0) for n in (3, 5, 10)}
    pairs = ((3, 5), (10, 3))
    made = [same("failed_attempts", *(selector("graph", modules=n) for n in pair)) for pair in pairs]
    assert fixed(*made)(results(found)).why == "1 of 2 comparisons goes against it at N = 5."
    crossed = [same("failed_attempts", *(selector("graph", modules=n) for n in (5, 10))), made[1]]
    assert fixed(*crossed, lower("failed_attempts", GRAPH, NEVER))(
        results({**found, GRAPH: rows(), NEVER: rows(failed=9)})
    ).why.startswith("1 of 3 comparisons goes against it at N = 10 and 5.")


def test_what_a_world_leaves_out_is_said_in_the_end() -> None:
    found = results({GRAPH: rows(), NEVER: rows(failed=9)})
    finding = fixed(BETTER, caveat=lambda results: "; topo is left out")(found)
    assert finding.why == "The comparison agrees; topo is left out."


def test_a_reason_for_one_verdict_is_not_given_for_another() -> None:
    reason = Reason("because", Verdict.HOLDS, of("graph"))
    found = results({GRAPH: rows(failed=9), NEVER: rows()})
    assert fixed(BETTER, reasons=(reason,))(found).why == "The comparison goes against it."


def test_it_is_told_where_medians_say_the_opposite() -> None:
    found = results({GRAPH: rows(failed=[0, 0, 20]), NEVER: rows(failed=1)})
    finding = fixed(BETTER)(found)
    assert finding.verdict is Verdict.FAILS
    assert finding.why == "The comparison goes against it; by medians, as the paper shows them, it would hold."


def places(judge_of: list[Comparison]) -> list[tuple[Place, ...]]:
    return [tuple(place for _, place in each.terms) for each in judge_of]


def test_unchanged_is_measured_from_the_base_or_else_the_first_there_is() -> None:
    found = results({selector("graph", modules=n): rows() for n in (3, 5)})
    made = list(unchanged(found, ("timesteps",), selector, ("graph",), "modules", (3, 5, 10)))
    assert places(made) == [(selector("graph", modules=5), selector("graph", modules=3))]


def test_an_order_compares_neighbours_and_likens_the_members_of_a_group() -> None:
    groups = (("execute-first",), ("query-then-execute", "until-confident"))
    made = list(descending("timesteps", algorithm, groups, "expert", (1.0,)))
    wanted = [each.wanted.value for each in made]
    assert wanted == ["lower", "lower", "the same"]
    assert [each.name for each in places(made)[0]] == ["query-then-execute", "execute-first"]


def test_rising_puts_the_start_below_each_end() -> None:
    made = list(rising(("J",), selector, ("graph",), "expert", 1.0, (0.8, 0.4)))
    assert [pair[1].settings for pair in places(made)] == [("c_e = 0.8",), ("c_e = 0.4",)]


def test_the_best_are_compared_with_the_others_and_not_with_each_other() -> None:
    made = list(unbeaten(("J",), selector, ("graph", "topo"), ("graph", "topo", "never"), "expert", (1.0,)))
    assert [(one.name, other.name) for one, other in places(made)] == [("graph", "never"), ("topo", "never")]


def test_nothing_can_be_lower_than_nothing() -> None:
    found = results({GRAPH: rows(), NEVER: rows(), TOPO: rows(failed=9)})
    both_at_zero, holding, failing = (
        BETTER,
        lower("failed_attempts", GRAPH, TOPO),
        lower("failed_attempts", TOPO, GRAPH),
    )
    assert fixed(both_at_zero)(found).verdict is Verdict.OPEN
    assert fixed(both_at_zero, holding)(found).verdict is Verdict.HOLDS
    assert fixed(both_at_zero, holding)(found).numbers[0][1].endswith("1 level at zero, left out")
    assert fixed(both_at_zero, failing)(found).verdict is Verdict.FAILS
    assert fixed(lower("failed_attempts", TOPO, GRAPH))(found).verdict is Verdict.FAILS
    assert fixed(lower("timesteps", GRAPH, NEVER))(found).verdict is Verdict.FAILS
