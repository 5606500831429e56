"""Claims are judged by the rows, whatever they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handup.lab.reaching.claim import LABELS, LIKE
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.definition import Sitting
from handup.lab.reaching.judging import Judged, judge
from handup.lab.reaching.results import MEASURES
from handup.lab.reaching.rows import AttemptRow
from handup.lab.study.claim import Verdict
from tests.lab.reaching.made_up import ATTEMPT, FAILED, results

SPEED = {"manual": 30.0, "ho": 40.0, "ho+no-assist": 35.0, "paper": 20.0, "assist": 15.0}
"""As the paper would have it, and with `assist` before it."""


def as_claimed(sitting: Sitting, task: str, seed: int) -> tuple[AttemptRow, ...]:
    noise = float(np.random.default_rng([seed, len(task), len(sitting.scene)]).random())
    speed = SPEED.get(sitting.method, 33.0) + noise
    good = sitting.method in ("paper", "assist")
    attempt = replace(
        ATTEMPT,
        time_s=speed,
        mode_changes=round(speed),
        joystick_input=20.0 * speed,
        opposing={"assist": 0.0, "manual": 0.0, "paper": 0.03}.get(sitting.method, 0.4) + 0.01 * noise,
        predicted=good,
        questions=int(sitting.method == "paper"),
    )
    return (FAILED, FAILED) if sitting.method == "ho" and seed % 2 and sitting.scene == "U22" else (attempt,)


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {each.claim.name: each for each in judge(CLAIMS, results(as_claimed, seeds=40))}


def test_orders_hold_where_the_rows_are_as_claimed(judged: dict[str, Judged]) -> None:
    for key in ("no assist matters", "questions find the goal", "H1, simple scene", "H3, opposition, complex scene"):
        for user in ("stop-beside", "stop-over", "rotate-first"):
            assert judged[f"{key} ({user})"].finding.verdict is Verdict.HOLDS, (key, user)
    assert judged["fewer failures, complex scene (stop-over)"].finding.verdict is Verdict.HOLDS


def test_what_is_the_other_way_round_does_not_hold(judged: dict[str, Judged]) -> None:
    assert judged["prototype: slower than HO with others (stop-over)"].finding.verdict is Verdict.FAILS
    assert judged["H5 (stop-over)"].finding.verdict is Verdict.HOLDS, "as many questions in both scenes"


def test_the_goal_is_judged_part_by_part(judged: dict[str, Judged]) -> None:
    told = {name: each.finding.verdict for name, each in judged.items() if name.startswith("goal: ")}
    assert told == {
        "goal: success (mixed)": Verdict.OPEN,  # 120 of 120 succeed, which may still be 97 %
        "goal: time (mixed)": Verdict.HOLDS,
        "goal: questions (mixed)": Verdict.HOLDS,
        "goal: opposing (mixed)": Verdict.HOLDS,
        "goal: every task (mixed)": Verdict.HOLDS,
    }


def test_a_claim_after_an_analysis_of_variance_says_what_it_found(judged: dict[str, Judged]) -> None:
    finding = judged["H1, simple scene (stop-beside)"].finding
    assert dict(finding.numbers)["analysis of variance"].startswith("method F(")
    assert "against 'ho'" in finding.why


def test_without_an_effect_of_the_method_nothing_holds() -> None:
    alike = judge(CLAIMS, results(lambda sitting, task, seed: (replace(ATTEMPT, time_s=20.0 + seed % 7),)))
    told = {each.claim.name: each.finding.verdict for each in alike}
    assert told["H1, simple scene (stop-beside)"] is Verdict.FAILS, "alike is not faster"
    assert told["alike on the easiest task (stop-beside)"] is Verdict.HOLDS


def test_claims_have_names_of_their_own_and_measures_that_there_are() -> None:
    assert len({each.name for each in CLAIMS}) == len(CLAIMS)
    for bar in (bar for each in CLAIMS for bar in each.bars):
        assert bar.measure in LIKE
        assert bar.label
    assert set(LIKE) <= set(LABELS) == set(MEASURES)
