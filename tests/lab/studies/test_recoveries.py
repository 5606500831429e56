"""The study of recoveries: pooled times, censoring, pairs, its folder, and what the docs say of it."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples import recovery_page
from handup.core import ResumeHint
from handup.domains.kitting.rates import rates_digest
from handup.lab.engine import Results, StudyOutcome, Verdict, run_study
from handup.lab.studies import recoveries, recovery_rules
from handup.lab.studies.recoveries import DAYS, STUDY, pooled, reliability_table
from handup.lab.studies.recovery_runs import rates_on
from tests.executive.making import action, branch, rule, task
from tests.lab.engine.made_up import by_seed

FULL, NONE = "full", "none"
SEED = 700
"""A seed that the study does not use."""
TINY = replace(STUDY, name="tiny", title="Tiny <runs>", arms=(NONE, FULL), claims=())
USUAL = DAYS[0].settings
PAGE = recovery_page.PAGE.read_text(encoding="utf-8")
ROW: dict[str, Any] = {
    **{"kits": 2, "points": 14, "ending": "done", "broke_off": False},
    **{"ended_s": 2400.0, "waited_s": 0.0, "lost_s": 0.0, "interventions": 0, "questions": 0},
    **{"faults": 10, "unresolved": 0, "starts": 200, "failures": {"pick:no_plan": 3}, "recoveries": {"fresh_map": 3}},
}
BROKE = {**ROW, "kits": 0, "ending": "failed", "broke_off": True, "ended_s": 300.0, "lost_s": 2400.0,
         "interventions": 1, "unresolved": 1}  # fmt: skip
ASKED = {**ROW, "ended_s": 2700.0, "waited_s": 300.0, "interventions": 3, "questions": 4, "unresolved": 3}


def results(row: Callable[[str, int], dict[str, Any]], *, runs: int = 24) -> Results[Any]:
    """Return runs that depend on the way of running and on their number, from 0."""
    study = replace(TINY, places=DAYS[:1])
    return by_seed(study, study.size(episodes=runs, seed=SEED), lambda arm, seed: row(arm, seed - SEED))


def mixed(arm: str, number: int) -> dict[str, Any]:
    return BROKE if arm == NONE else ASKED if number % 2 else ROW


def test_times_are_pooled_and_a_run_that_broke_off_stands_still_for_the_rest_of_its_time() -> None:
    made = results(mixed)
    # 12 runs of 2400 s without, 12 of 2400 nominal seconds with three each.
    expected = {"mtbi_s": 1600.0, "mtci_s": 100.0, "availability": 24 * 2400 / (24 * 2400 + 12 * 300)}
    broke = {"mtbi_s": 300.0, "mtci_s": 2400.0, "availability": 300 / 2700, "unresolved_share": 0.1}
    for arm, values in ((FULL, expected), (NONE, broke)):
        assert {name: pooled(made, name, arm, USUAL).value for name in values} == pytest.approx(values)
    low, high = pooled(made, "mtbi_s", FULL, USUAL).ci
    assert low < 1600.0 < high < math.inf
    assert made.mean("alone", NONE, USUAL).value == 0.0


def test_without_an_intervention_or_a_kit_a_ratio_is_open_and_null_in_json() -> None:
    made = results(lambda arm, number: ROW)
    assert math.isinf(pooled(made, "mtbi_s", FULL, USUAL).value)
    assert reliability_table(made, DAYS[0]).rows[1][:3] == (FULL, "none in 16 h", "–")
    record = made.study.record(made, ())["measures"]["usual"][FULL]
    assert (record["mtbi_s"]["value"], record["availability"]["value"]) == (None, 1.0)
    assert (record["endings"], record["rules"]) == ({"done": 24}, {"fresh_map": 72})
    few = results(lambda arm, number: ASKED if number == 0 else ROW)
    assert math.isinf(pooled(few, "mtbi_s", FULL, USUAL).ci[1]), "with very few it is open above"
    assert "∞" in reliability_table(few, DAYS[0]).rows[0][1]
    made = results(mixed)
    assert math.isinf(pooled(made, "recoveries_per_kit", NONE, USUAL).value)
    assert pooled(made, "recoveries_per_kit", FULL, USUAL).value == pytest.approx(1.5)
    assert reliability_table(made, DAYS[0]).rows[0][4] == "no kit"
    idle = results(lambda arm, number: {**ROW, "recoveries": {}})
    assert pooled(idle, "recoveries_per_kit", FULL, USUAL).value == 0.0, "kits without any recovery"


def test_who_ends_later_is_told_by_pairs_that_end_by_themselves_with_as_many_kits() -> None:
    late = {**ROW, "ended_s": 2460.0}
    made = results(lambda arm, number: BROKE if number else late if arm == NONE else ROW)
    assert recoveries.ends_later_s(made, NONE, USUAL) == pytest.approx(60.0)
    assert recoveries.ends_later_s(results(mixed), NONE, USUAL) is None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    return run_study(TINY, TINY.size(episodes=2, seed=SEED), out=tmp_path_factory.mktemp("whole"))


def test_the_folder_has_rows_figures_and_a_report(whole: StudyOutcome) -> None:
    drawn = {f"tiny{part}.{kind}" for part in ("", "-minutes") for kind in ("svg", "png")}
    names = {path.name for path in whole.folder.iterdir()}
    assert names == {"rows.csv", "study.json", "report.md", "report.html", *drawn}
    rows = list(csv.DictReader((whole.folder / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["seed"] for row in rows] == [str(SEED), str(SEED + 1)] * 4
    for column in ("config", "handup", "code", "rates", "numpy", "arm", "day", "kits", "interventions", "ending"):
        assert all(row[column] != "" for row in rows), column
    assert any("×" in row["recoveries"] for row in rows)
    record = json.loads((whole.folder / "study.json").read_text(encoding="utf-8"))
    assert (record["runs"], record["seed"], record["days"]) == (2, SEED, {"usual": 1.0, "hard": 3.0})
    assert record["versions"]["rates"] == rates_digest(), "which numbers of the world these are"


def test_on_a_hard_day_more_goes_wrong_and_without_rules_the_first_failure_ends_a_run(whole: StudyOutcome) -> None:
    assert rates_on("hard").causes["slip"].rate == pytest.approx(3 * rates_on("usual").causes["slip"].rate)
    for row in whole.results.rows(NONE, USUAL):
        assert (row["broke_off"], row["interventions"], row["faults"], row["unresolved"]) == (True, 1, 1, 1)
        assert row["ended_s"] + row["lost_s"] == pytest.approx(2700.0, abs=0.01)


def test_the_record_is_of_the_study_as_it_is_defined() -> None:
    record = recovery_page.record("recoveries")
    assert (record["runs"], record["seed"]) == (recoveries.RUNS, recoveries.FIRST_SEED)
    for published, claim in zip(record["claims"], STUDY.claims, strict=True):
        assert (published["name"], published["text"]) == (claim.name, claim.text)
        assert published["why"] == (claim.note(Verdict(published["verdict"])) or claim.untold)
        assert published["why"]
    for day in DAYS:
        assert tuple(record["measures"][day.name]) == STUDY.arms
    assert record["versions"]["rates"] == rates_digest(), "the world's numbers are those that were published"


def test_the_rules_that_were_counted_are_those_that_there_are(tmp_path: Path) -> None:
    outcome = run_study(recovery_rules.STUDY, out=tmp_path)
    published = recovery_page.record("recovery-rules")
    assert json.loads(json.dumps(outcome.record["parts"])) == published["parts"]
    assert outcome.record["rules"] == published["rules"]
    assert f"With {recovery_rules.STUDY.cells} recoveries, called *rules* here, it builds its" in PAGE
    assert set(recovery_rules.HINTS) == set(ResumeHint)
    listed = recovery_rules.one_by_one(outcome.results).rows
    for hint, shares in outcome.record["parts"][2]["shares"].items():
        counted = sum(hint in row[3].split(", ") for row in listed) / len(listed)
        assert next(iter(shares.values())) == pytest.approx(counted)
        assert counted > 0.0, "every way to resume is used by some rule"


def test_what_a_rule_is_made_of() -> None:
    rules = [
        rule("wide", "**", action("wait"), codes=["slip", "no_plan"]),
        rule("far", "**/pick/grasp", task("reposition", by="failure.fields.off_m"), least=2, resume=ResumeHint.RETRY),
        rule("look", "**/grasp", attempt=[action("look")], branches=[branch("tried.seen"), branch(None)]),
        rule("believes", "**/grasp", task("reset"), belief="beliefs.holding", resume=ResumeHint.PREVIOUS),
    ]
    made_of = [{name for name, holds in recovery_rules.properties_of(each).items() if holds} for each in rules]
    assert made_of == [
        {"shared", "immediate", "signal"},
        {"dynamic", "location", "aborts"},
        {"immediate", "location", "result"},
        {"location", "belief"},
    ]
