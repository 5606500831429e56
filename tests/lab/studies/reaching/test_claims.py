"""Claims about reaching are judged by the trials, whatever they say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.domains.reaching import SteeringHabit
from handup.lab.engine import JudgedClaim, Verdict
from handup.lab.engine.judge import LEAST_TOLD
from handup.lab.engine.study import Batch
from handup.lab.studies.reaching.results import CLAIMS, SWEEP, ReachingResults, is_papers, key_and_user, orderings
from handup.lab.studies.reaching.trials import STRATEGIES, WITHOUT_RULE, at
from tests.lab.studies.reaching.made_up import ATTEMPT, FAILED, Attempt, as_claimed, results


@pytest.fixture(scope="module")
def made() -> ReachingResults:
    return results(as_claimed, seeds=40)


def by_name(made: ReachingResults) -> dict[str, JudgedClaim]:
    return {judged.claim.name: judged for judged in made.judged}


def test_orders_hold_where_the_rows_are_as_claimed_and_not_the_other_way_round(made: ReachingResults) -> None:
    told = {name: judged.finding.verdict for name, judged in by_name(made).items()}
    for key in ("no assist matters", "questions find the goal", "H1, simple scene", "H3, opposition, complex scene"):
        assert {told[f"{key} ({user})"] for user in STRATEGIES} == {Verdict.HOLDS}, key
    assert told["fewer failures, complex scene (stop-over)"] is Verdict.HOLDS
    assert told["prototype: slower than HO with others (stop-over)"] is Verdict.FAILS
    assert told["H5 (stop-over)"] is Verdict.HOLDS, "as many questions in both scenes"
    goal = {name: verdict for name, verdict in told.items() if name.startswith("goal: ")}
    assert goal.pop("goal: success (mixed)") is Verdict.OPEN, "120 of 120 succeed, which may still be 97 %"
    assert list(goal.values()) == [Verdict.HOLDS] * 4


def test_without_an_effect_of_the_method_nothing_holds(made: ReachingResults, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = next(claim for claim in CLAIMS if claim.name == "H1, simple scene (stop-over)")
    few = replace(made.study, claims=(claim,))
    monkeypatch.setattr(ReachingResults, "effects", lambda *given: None)
    (told,) = few.results(made.size, made.made).judged
    assert told.measured[0].verdict is Verdict.HOLDS
    assert told.finding.verdict is Verdict.OPEN
    assert "no effect of the method" in told.finding.why
    monkeypatch.undo()
    few_people, enough = (results(as_claimed, seeds=seeds) for seeds in (LEAST_TOLD - 1, LEAST_TOLD))
    assert few_people.effects("time_s", at("stop-over", "U6")) is None
    assert enough.effects("time_s", at("stop-over", "U6")) is not None


def test_an_order_says_its_corrected_p_after_its_analysis_of_variance_and_a_bar_has_none(made: ReachingResults) -> None:
    order, bar = (by_name(made)[f"{key} (stop-beside)"] for key in ("H1, simple scene", "alike on the easiest task"))
    (variance, effects), (label, numbers) = order.finding.numbers
    assert (variance, effects[:9]) == ("analysis of variance", "method F(")
    assert label == "time (s), U6 cup/top, stop-beside: paper, less than ho"
    assert numbers.endswith(f", corrected p = {order.measured[0].p:.2g}; holds")
    assert "p =" not in bar.finding.numbers[0][1]


def test_where_ranks_and_mean_are_on_different_sides_that_is_said() -> None:
    def few_lose_much(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
        slow = 1000.0 if seed % 20 == 0 else 0.0
        return ({**ATTEMPT, "time_s": 20.0 + slow if batch.arm == "paper" else 21.0 + seed % 7 / 10.0},)

    told = by_name(results(few_lose_much, seeds=40))["H1, simple scene (stop-over)"]
    assert told.finding.verdict is Verdict.OPEN
    assert "; ranks and mean point to different sides; " in told.finding.numbers[-1][1]
    (row,) = orderings([told])
    assert row["users"]["stop-over"]["different_sides"]


def test_who_fails_often_is_not_faster_without_the_rule_of_exclusion() -> None:
    def often_failing(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
        return (FAILED, FAILED) if batch.arm == "paper" and seed % 2 else as_claimed(batch, task, seed)

    made = results(often_failing, seeds=40)
    told = by_name(made)
    for name in (f"{key} ({user})" for key in ("H1, simple scene", "H2, input, simple scene") for user in STRATEGIES):
        assert told[name].finding.verdict is Verdict.HOLDS, "those left are fast"
        assert made.without_rule[name] is Verdict.FAILS
    touched = {c.name for c in CLAIMS if is_papers(c) and any(bar.measure in WITHOUT_RULE for bar in c.bars)}
    assert set(made.without_rule) == touched, "others are not judged again"


def with_long_look_ahead(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
    """At T = 1 s the policy asks and is faster than HO, at T = 2 s it asks and is slower than anything."""
    attempt = as_claimed(batch, task, 2 * seed)[0]
    speed = {"paper, T = 1 s": 32.0, "paper, T = 2 s": 45.0}.get(batch.arm)
    return (attempt,) if speed is None else ({**attempt, "time_s": speed + attempt["time_s"] % 1.0, "questions": 2},)


def test_the_look_ahead_is_judged_by_questions_and_by_time() -> None:
    judged = [each for each in results(with_long_look_ahead).judged if each.claim.family == SWEEP]
    told = {key_and_user(each.claim)[0]: each.finding.verdict for each in judged}
    ahead = {"T = 1 s: asks more", "T = 1 s: faster than with T = 0.3 s", "T = 1 s: faster than HO"}
    assert {key for key, verdict in told.items() if verdict is Verdict.HOLDS} == {
        *ahead, "T = 2 s: asks more", "best T: time"
    }  # fmt: skip
    assert [key for key, verdict in told.items() if verdict is Verdict.OPEN] == ["best T: success"], "168 equal pairs"


def test_every_order_of_the_paper_is_told_once_for_each_user() -> None:
    def but_for_one(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
        slow = 60.0 if batch.arm == "paper" and batch.place["user"] == "rotate-first" else 0.0
        return tuple({**attempt, "time_s": attempt["time_s"] + slow} for attempt in as_claimed(batch, task, seed))

    rows = {row["label"]: row for row in orderings(results(but_for_one).judged)}
    bars = {bar for claim in CLAIMS if is_papers(claim) for bar in claim.bars if not bar.is_alone}
    assert len(rows) * len(SteeringHabit) == len(bars)
    assert {tuple(row["users"]) for row in rows.values()} == {STRATEGIES}
    row = rows["time (s), U6 cup/top: paper, less than ho"]
    assert (row["claims"], row["sources"]) == (["H1, simple scene"], ["section V-D"])
    assert [told["verdict"] for told in row["users"].values()] == ["reappears", "reappears", "does not"]
    assert row["users"]["rotate-first"]["difference"][0] == pytest.approx(40.0)
    assert row["users"]["rotate-first"]["people"] == 12
    two = rows["mode changes, S1 cup/top: paper, less than ho+no-assist"]
    assert two["claims"] == ["questions save effort", "the policy helps on hard tasks"]
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)
    assert len({claim.family for claim in CLAIMS}) == len(SteeringHabit) + 4, "the paper's, one for each user"
