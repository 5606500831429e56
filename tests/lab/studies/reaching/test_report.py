"""Record, tables, figures and folder say what made-up trials say; the page about reaching says what was published."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from examples import reaching_page
from handup.confidence.metrics import wilson
from handup.lab.engine import Verdict, run_study
from handup.lab.engine.store import RowStore
from handup.lab.engine.study import Batch
from handup.lab.studies.reaching import figures
from handup.lab.studies.reaching import results as found_in
from handup.lab.studies.reaching.figures import OVERVIEW
from handup.lab.studies.reaching.results import BARS, EVERYWHERE, FEW, SHOWN, FailureCause, cause, key_and_user
from handup.lab.studies.reaching.study import KINDS, STUDY, cell, tables
from handup.lab.studies.reaching.trials import FIRST_TRYING, PARTS, SCENES, STRATEGIES, USERS
from tests.lab.studies.reaching.made_up import ATTEMPT, FAILED, SIZE, Attempt, as_claimed, results

PAGE, PUBLISHED = reaching_page.PAGE.read_text(encoding="utf-8"), reaching_page.record()
SEEDS = 12
UNKNOWN_S = 7.0
"""So much longer does everything take where the robot does not know the pose."""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    def slower_where_unknown(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
        slow = 0.0 if seed % 4 else UNKNOWN_S
        return tuple({**attempt, "time_s": attempt["time_s"] + slow} for attempt in as_claimed(batch, task, seed))

    record = results(slower_where_unknown, seeds=SEEDS, unlisted=4).found
    plain: dict[str, Any] = json.loads(json.dumps(record, allow_nan=False))
    assert plain == record
    return plain


def test_the_goal_is_told_apart_by_whether_the_pose_is_listed(found: dict[str, Any]) -> None:
    known, unknown = found["goal"]["poses"]["listed"], found["goal"]["poses"]["not listed"]
    assert (known["people"], unknown["people"]) == (27, 9), "three tasks, every fourth of twelve people"
    for method, numbers in unknown["methods"].items():
        assert numbers["total_s"][0] - known["methods"][method]["total_s"][0] == pytest.approx(UNKNOWN_S, abs=1.0)
    mean, low, high, _, people = found["versus_listed"]["S1"]
    assert people == 4 * SEEDS * 3 // 4
    assert low <= mean <= high
    assert mean == pytest.approx(-5.0, abs=0.1)
    trials = (14 * 3 + 3) * SEEDS
    assert found["asked"] == {"paper": [trials, trials], "assist": [0, trials]}


def test_every_mean_of_a_task_has_its_interval(found: dict[str, Any]) -> None:
    assert len(found["tasks"]) == 14
    for numbers in (users[user][arm] for users in found["tasks"].values() for user in USERS for arm in BARS):
        assert len(numbers) == len(SHOWN)
        assert all(low <= mean <= high for mean, low, high in filter(None, numbers))
    alone = found["tasks"]["S1 cup/top"]["mixed"]["manual"]
    assert alone[SHOWN.index("predicted")] is None, "alone, nobody predicts anything"


def test_a_record_of_failures_and_of_no_doubt_is_strict_json_and_can_be_shown() -> None:
    def nobody(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
        """Alone everything fails, and others differ without any doubt."""
        return (FAILED, FAILED) if batch.arm == "manual" else ({**ATTEMPT, "time_s": 10.0 * len(batch.arm)},)

    plain = json.loads(json.dumps(results(nobody, seeds=SEEDS).found, allow_nan=False))
    assert any(tested["method"][0] is None for tested in plain["variance"]), "F without end"
    assert "time_s" not in plain["means"]["S1"]["mixed"]["manual"]
    assert plain["goal"]["ratio"]["time_s"] is None, "a ratio of no pairs"
    assert plain["goal"]["poses"]["not listed"] == {"people": 0, "methods": {}}
    for table in tables(plain).values():
        assert {len(row) for row in table.rows} <= {len(table.columns)}, table.caption
        assert table.rows or table.caption.startswith("Table II ")


@pytest.mark.parametrize(
    ("change", "listed", "expected"),
    [
        ({"wrong_answers": 1, "sure_of": "cup/side"}, False, FailureCause.ANSWER),
        ({"sure_of": "cup/side"}, False, FailureCause.BELIEF),
        ({"sure_of": "cup/top"}, False, FailureCause.POSE),
        ({"sure_of": ""}, True, FailureCause.UNSURE),
        ({"sure_of": "cup/top"}, True, FailureCause.HAND),
    ],
)
def test_a_failure_has_the_first_cause_that_is_true(
    change: dict[str, Any], listed: bool, expected: FailureCause
) -> None:
    row = {"arm": "paper", "task": "cup/top", "listed": listed}
    assert cause(row, {**FAILED, **change}) is expected
    assert cause({**row, "arm": "manual", "listed": True}, FAILED) is FailureCause.HAND, (
        "alone, no robot believes anything"
    )


def test_causes_add_up_to_the_failed_attempts_everywhere_and_at_each_place() -> None:
    found = results(lambda batch, task, seed: (FAILED, FAILED), seeds=2).found["failures"]
    assert set(found) == set(PARTS["all"]["methods"]) == set(KINDS)
    for places in found.values():
        assert all(
            counts[found_in.ATTEMPTS] == sum(counts[kind] for kind in FailureCause) for counts in places.values()
        )
        assert places[EVERYWHERE][found_in.ATTEMPTS] == 14 * 3 * 2 * 2
        assert places["S1, stop-over"][found_in.ATTEMPTS] * 3 == places["S1, mixed"][found_in.ATTEMPTS] == 4 * 3 * 2 * 2


def test_families_add_up_to_all_claims_and_an_ablation_is_not_taken_for_the_policy(found: dict[str, Any]) -> None:
    assert cell("total_s", [-0.04, -0.2, 0.04], signed=True) == "0.0 (-0.2 to 0.0)", "nothing has no sign"
    made = tables(found)
    rows = made["families"].rows
    assert sum(int(row[-1]) for row in rows) == len(found["claims"])
    assert all(sum(map(int, row[1:-1])) == int(row[-1]) for row in rows)
    assert [row[0] for row in rows[:3]] == [f"the paper's orderings, {user} users" for user in STRATEGIES]
    names = {row[0] for row in made["table 1, stop-beside"].rows}
    assert {"`paper` (the paper's policy)", "`paper+no-ho` (ablation)"} <= names


def test_the_folder_of_kept_trials_has_rows_figures_record_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without questions no trial has to be looked for among those that would be done again."""
    monkeypatch.setattr(figures, "PAPER_FIGURES", {"S2": figures.PAPER_FIGURES["S2"]})  # the others are drawn alike
    made = results(lambda *trial: tuple({**each, "questions": 0} for each in as_claimed(*trial)), seeds=2)
    study = made.study
    store = RowStore(tmp_path, study.name, study.stamp())
    for batch, columns in made.made.items():
        store.save(batch, columns)
    outcome = run_study(study, SIZE, out=tmp_path, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    parts = ("", "-s2", "-look-ahead", "-fig-4")
    drawn = {f"reaching{part}.{kind}" for part in parts for kind in ("svg", "png")}
    names = {path.name for path in outcome.folder.iterdir()}
    assert names == {"rows.jsonl", "study.json", "report.md", "report.html", *drawn}
    # Intervals are the lines of bars; in each panel a collection of them for every method.
    drawn_lines = {name: (outcome.folder / f"{name}.svg").read_text(encoding="utf-8").count('id="LineCollection_')
                   for name in ("reaching", "reaching-s2")}  # fmt: skip
    assert drawn_lines == {
        "reaching": len(FEW) * len(SCENES) * len(OVERVIEW),
        "reaching-s2": len(SHOWN) * len(USERS) * len(BARS),
    }
    record = json.loads((outcome.folder / "study.json").read_text(encoding="utf-8"))
    lines = (outcome.folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == record["trials"]
    expected = {"config", "code", "handup", "scene", "method", "user", "alpha", "task", "seed", "attempts"}
    assert expected <= set(json.loads(lines[0]))
    assert record["seeds"]["all"] == [FIRST_TRYING, 2]
    assert record["goal"]["ratio"]["total_s"][0] == pytest.approx(0.51, abs=0.02)
    page = outcome.report.read_text(encoding="utf-8")
    assert "Table I again" in page
    assert "the paper's orderings, rotate-first" in page
    assert "in 15." in study.answer(outcome.results, outcome.judged)
    assert len(study.shown(outcome.judged, outcome.sections)) == 3, "single claims are left to the report"


def test_the_published_record_is_of_the_study_as_it_is_defined() -> None:
    assert (PUBLISHED["kind"], PUBLISHED["schema"], PUBLISHED["name"]) == (found_in.KIND, found_in.SCHEMA, STUDY.name)
    assert PUBLISHED["seeds"] == {name: part["seeds"] for name, part in PARTS.items()}
    for published, claim in zip(PUBLISHED["claims"], STUDY.claims, strict=True):
        assert (published["key"], published["user"], published["text"]) == (*key_and_user(claim), claim.text)
        assert published["why"] == claim.note(Verdict(published["verdict"])) != ""
    assert set(PUBLISHED["means"]["U22"]["mixed"]) == set(PARTS["all"]["methods"])


def test_the_record_and_the_pictures_are_small() -> None:
    close = [reaching_page.picture(name) for name in reaching_page.CLOSE if any(PUBLISHED["close"][name].values())]
    names = (*reaching_page.SHOWN, *reaching_page.BARS, *close)
    assert close
    assert all(f"(../img/lab/{name})" in PAGE for name in names)
    for path in (reaching_page.RECORD, *(reaching_page.PICTURES / name for name in names)):
        assert path.stat().st_size < 200_000, path.name


def test_so_many_failures_are_too_many() -> None:
    fits = [wilson(585 - failures, 585)[0] >= found_in.LIMITS["success"] for failures in range(9)]
    assert reaching_page.most_failures(585) == fits.index(False) - 1
