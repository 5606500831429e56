"""The studies of rules one at a time and of helpers: the queue of a crew, the orders of rules, and their records."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples import recovery_page
from handup.domains.kitting.kitting_run import run_once
from handup.domains.kitting.rates import rates, rates_digest
from handup.domains.kitting.variants import variant
from handup.lab.engine import Results, Study, Verdict, run_study
from handup.lab.studies import helper_roles, recovery_effort
from handup.lab.studies.crew_runs import NUMBERS, QueuedRobot, crews, next_rule, rules_in, run_crew
from tests.lab.engine.made_up import by_seed
from tests.soak import swept

STUDIES = (recovery_effort.STUDY, helper_roles.STUDY)
HALF = helper_roles.STUDY.places[0]
ROW: dict[str, Any] = {
    **{"robots": 1, "kits": 2, "broke_off": 0, "ended_s": 2700.0, "waited_s": 300.0, "lost_s": 0.0, "queued_s": 0.0},
    **{"busy_s": 300.0, "interventions": 6, "questions": 6, "faults": 9, "unresolved": 6, "bystander_calls": 0},
}


class LoggedRobot(QueuedRobot):
    """Robot that notes when it asked, how long help took, and when the answer came."""

    def answered(self, at_s: float) -> None:
        """Note the answer."""
        super().answered(at_s)
        self.log = [*getattr(self, "log", []), (self.asked_s, self.seconds, at_s)]


@pytest.mark.parametrize(("way", "helper"), [("half + operator", "operator"), ("half + bystander", "bystander")])
def test_a_robot_alone_in_the_queue_runs_as_without_one(way: str, helper: str) -> None:
    for seed in (3, 4):
        robot = QueuedRobot(seed, variant(way), rates(), crews()[helper].helper)
        run_crew([robot])
        assert robot.result == run_once(seed, way)
        assert robot.queued_s == pytest.approx(0.0, abs=1e-9)


def test_a_crew_is_served_in_the_order_of_asking_by_one_person_at_a_time() -> None:
    helper = crews()["8 robots"].helper
    robots = [LoggedRobot(seed, variant("operator"), rates().times(3.0), helper) for seed in range(5)]
    run_crew(robots)
    free_s = waited_s = 0.0
    for asked_s, seconds, at_s in sorted(entry for robot in robots for entry in robot.log):
        waited_s += max(0.0, free_s - asked_s)
        free_s = max(asked_s, free_s) + seconds
        assert at_s == free_s
    assert sum(robot.queued_s for robot in robots) == pytest.approx(waited_s)
    assert waited_s > 60.0, "five robots without rules are in each other's way"
    for robot in robots:
        asked = [entry[0] for entry in robot.log]
        ends = [entry[2] for entry in robot.log]
        assert all(end <= later for end, later in zip(ends, asked[1:], strict=False)), "it waits for each answer"


def test_both_orders_have_all_rules_and_the_files_come_one_after_the_other() -> None:
    files, need = rules_in("files"), rules_in("need")
    assert sorted(files) == sorted(need)
    assert (len(files), need[: recovery_effort.NEEDED]) == (44, tuple(NUMBERS["need"]))
    assert [recovery_effort.iterations("files", count) for count in (1, 2, 6, 7, 15, 30, 42, 44)] == [
        *(1, 2, 2, 3, 3, 4, 5, 6)
    ]
    assert recovery_effort.iterations("need", 10) == 9
    assert recovery_effort.paths("files", 1) == 1, "its path is any place"


@pytest.mark.parametrize("steps", swept([3, recovery_effort.NEEDED], test=[3]))
def test_the_order_by_need_is_what_trials_ask_for(steps: int) -> None:
    need = NUMBERS["need"]
    for count in range(1, steps):
        assert next_rule(need[:count]) == need[count]
    if steps == len(need):
        assert next_rule(need) is None


def made(row: dict[str, dict[str, Any]]) -> Results[Any]:
    """Return runs with half of the rules, whose rows depend on the arm."""
    place = replace(HALF, arms=tuple(helper_roles.ROBOTS))
    study = replace(helper_roles.STUDY, arms=place.arms, places=(place,), claims=())
    return by_seed(study, study.size(episodes=12), lambda arm, seed: {**ROW, **row.get(arm, {})})


def test_fan_out_is_neglect_over_interaction_and_served_are_those_that_stay_available() -> None:
    two = {**ROW, "robots": 2, "ended_s": 5400.0, "waited_s": 700.0, "queued_s": 100.0}
    two |= {"interventions": 12, "questions": 12}
    busy = {**ROW, "robots": 4, "ended_s": 10800.0, "waited_s": 5400.0, "interventions": 20}
    results = made({"2 robots": two, "4 robots": busy, "8 robots": {**busy, "robots": 8}})
    # One robot works 2400 s between six interventions of 50 s each.
    assert helper_roles.classical_fan_out(results, HALF.settings) == pytest.approx(400.0 / 50.0 + 1.0)
    assert helper_roles.robots_served(results, HALF.settings) == 2
    table = helper_roles.crews_table(results, HALF)
    assert [row[0] for row in table.rows] == ["1", "2", "4", "8"]
    assert table.rows[1][2].startswith("8 "), "100 s in the queue over twelve questions"


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_published_record_is_of_the_study_as_it_is_defined(study: Study) -> None:
    record = recovery_page.record(study.name)
    assert (record["runs"], record["seed"]) == (study.options[0].default, study.options[1].default)
    for published, claim in zip(record["claims"], study.claims, strict=True):
        assert (published["name"], published["text"]) == (claim.name, claim.text)
        assert published["why"] == (claim.note(Verdict(published["verdict"])) or claim.untold) != ""
    assert record["versions"]["rates"] == rates_digest()


def test_a_tiny_run_of_steps_leaves_a_report_and_a_figure(tmp_path: Path) -> None:
    places = tuple(replace(place, arms=("1", "6", "44")) for place in recovery_effort.PLACES)
    small = replace(recovery_effort.STUDY, claims=(), arms=("1", "6", "44"), places=places)
    outcome = run_study(small, small.size(episodes=2, seed=700), out=tmp_path)
    names = {path.name for path in outcome.folder.iterdir()}
    assert {"recovery-effort.svg", "report.html", "rows.csv", "study.json"} <= names
    assert outcome.results.mean("alone", "44", places[0].settings).value == 1.0
    assert "begin_another_kit" in outcome.record["tables"][0]["rows"][-1][1]


def test_roles_have_a_table_for_each_place_one_of_lags_and_one_of_crews_where_there_are_any() -> None:
    study = helper_roles.STUDY
    results = by_seed(study, study.size(episodes=12), lambda arm, seed: {**ROW, "seed": seed})
    judged = study.judge(results)
    drawings = study.figures(results, judged)
    tables = study.record(results, judged)["tables"][:-1]
    assert [len(table["rows"]) for table in tables] == [4, 4, 4, 4, 4, 4]
    assert [drawing.name for drawing in drawings] == ["helper-roles"]
    assert "9.0" in tables[-1]["caption"], "the fan-out of one robot: 400 s of work for 50 s of help, and one more"


def test_the_page_has_the_nights_of_the_tutorial() -> None:
    tutorial = (recovery_page.DOCS / "executive" / "tutorial.md").read_text(encoding="utf-8")
    nights = re.findall(r"^(\d+) of 30 nights complete", tutorial, re.MULTILINE)
    rows = re.findall(r"^\| \d \| \d \| (\d+) \|", recovery_page.HELPERS_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == nights[: len(rows)]
    assert len(rows) == 6
