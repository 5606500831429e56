"""`handup journal triage`: what failed, what it cost, and what people have taught."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from handup.core import ManualClock
from handup.domains import kitting
from handup.executive import (
    Around,
    Done,
    Executive,
    Outcome,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Sources,
    Unseen,
)
from handup.executive.action import Aborted, Call
from handup.executive.escalation import BACK
from handup.executive.reader import parse_recoveries
from handup.journal import Journal
from tests.cli.calls import here
from tests.executive.robot import acting

RECIPE = "format: 1\nfetch:\n  steps:\n  - action: look\n  - action: grasp\n"
RULE = 'format: 1\nrecoveries:\n- {name: shake, when: {path: "**/look"}, resume: continue}\n'


def first_fails(code: str) -> Callable[[Call], Outcome]:
    calls: list[Call] = []

    def does(call: Call) -> Outcome:
        calls.append(call)
        return Aborted(code=code) if len(calls) == 1 else Done()

    return does


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three runs: looking fails once and a rule helps; the first grasp slips and people say to go one step back."""
    place = tmp_path / "s.db"
    with Journal.open(place) as journal:
        for number in range(3):
            clock = ManualClock()
            actions = {
                "look": acting("look", first_fails("no_look"), codes=("no_look",), lasts_s=2.0),
                "grasp": acting("grasp", first_fails("no_grasp"), codes=("no_grasp",), lasts_s=3.0),
            }
            sources = Sources(recipes={"r.yaml": RECIPE}, recoveries={"rules.yaml": RULE})
            run = Run.of(sources, settings=RunSettings(unseen=Unseen.ASK), book=journal, run=f"fetch {number}")
            people = SimulatedBystander(lambda question: SimulatedSaying(value=BACK, latency_s=20.0, by="Maya"), clock)
            Executive(run, Around(actions=actions, clock=clock, people=people)).to_the_end()
    return place


def test_json_traces_counts_costs_and_measures(store: Path) -> None:
    called = here("journal", "triage", str(store), "--json")
    told = json.loads(called.out)
    assert called.code == 0
    assert (told["runs"], told["endings"], told["interventions"]) == (3, {"done": 3}, 3)
    traced = {each["where"]: each for each in told["traced"]}
    assert (traced["fetch/grasp"]["count"], traced["fetch/grasp"]["cost_s"]) == (3, 60.0)
    assert (traced["fetch/grasp"]["questions"], traced["fetch/look"]["recoveries"]) == (3, 3)
    assert told["mtci_s"] == 20.0
    assert told["mtbi_s"] == 2 + 2 + 3 + 2 + 3
    assert told["availability"] == pytest.approx(12 / 32)


@pytest.mark.parametrize("seed", [3, 7])
def test_a_run_its_triage_and_the_study_measure_the_same(seed: int, tmp_path: Path) -> None:
    """Seed 3 breaks off, seed 7 does not; people are asked in both."""
    folder = Path(kitting.__file__).parent / "recoveries"
    rules = [word for name in ("common", "told") for word in ("--recoveries", str(folder / f"{name}.yaml"))]
    place = str(tmp_path / "s.db")
    order = ("--world", "kitting", "--people", "simulated", "--seed", str(seed), "--store", place, "--json")
    run = json.loads(here("run", *rules, *order).out)
    traced = json.loads(here("journal", "triage", place, "--json").out)
    study = kitting.run_once(seed, "bystander")
    expected = study.measures.to_json()
    assert {name: run[name] for name in expected} == expected
    assert {name: traced[name] for name in expected} == expected
    assert traced["endings"] == {str(study.ending): 1} == {run["ending"]: 1}
    assert expected["questions"] > expected["interventions"] - (run["ending"] != "done") > 0
    assert expected["units"] == study.kits == run["result"]["kits"]


def test_the_end_of_the_time_is_no_failure(tmp_path: Path) -> None:
    place = str(tmp_path / "s.db")
    called = here("run", "--world", "kitting", "--seed", "3", "--store", place, "--json")
    run = json.loads(called.out)
    assert (called.code, run["ending"], run["failed"]) == (0, "done", None)
    assert run["reason"] == "The time is up; after 45 minutes there is nothing more to do."
    traced = json.loads(here("journal", "triage", place, "--json").out)
    assert traced["unresolved_share"] == 0.0
    assert not any(each["code"] == "time_up" for each in traced["traced"])
    told = here("journal", "triage", place).out
    assert f"{run['recoveries'] / run['units']:.1f} for each “deliver kit” done" in told
    assert "Nobody was needed; available 100.0 % of the time." in told


def test_of_runs_that_broke_off_nobody_knows_how_long_people_were_needed(tmp_path: Path) -> None:
    actions = {"look": acting("look", first_fails("no_look"), codes=("no_look",)), "grasp": acting("grasp")}
    with Journal.open(tmp_path / "s.db") as journal:
        run = Run.of(Sources(recipes={"r.yaml": RECIPE}), book=journal)
        Executive(run, Around(actions=actions, clock=ManualClock())).to_the_end()
    told = here("journal", "triage", str(tmp_path / "s.db")).out
    assert "; 1 run broke off, and nobody said how long a run is to last." in told


def test_for_people_with_rules_ready_to_paste(store: Path) -> None:
    called = here("journal", "triage", str(store))
    assert "fetch/grasp  no_grasp      3  60 s          3           0" in called.out
    assert "Somebody was needed every 12 s (MTBI), each 20 s (MTCI); available 37.5 % of the time." in called.out
    pasted = called.out[called.out.index("format: 1") :]
    [rule] = parse_recoveries({"pasted.yaml": pasted})
    assert (rule.when.path, rule.when.codes, str(rule.branches[0].hint)) == (
        "**/fetch/grasp",
        ("no_grasp",),
        "previous",
    )


def test_a_rule_is_proposed_only_after_so_many_times_and_under_a_free_name(store: Path) -> None:
    assert json.loads(here("journal", "triage", str(store), "--after", "4", "--json").out)["proposals"] == []
    [one] = json.loads(here("journal", "triage", str(store), "--run", "fetch 1", "--after", "1", "--json").out)[
        "proposals"
    ]
    assert (one["times"], one["hint"]) == (1, "previous")


def test_without_a_store_it_looks_where_runs_are_kept(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.parent)
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    Path("handup-runs").mkdir()
    store.rename(Path("handup-runs/run.db"))
    assert json.loads(here("journal", "triage", "--json").out)["runs"] == 3
    Path("handup-runs/run.db").rename("elsewhere.db")
    monkeypatch.setenv("HANDUP_STORE", "elsewhere.db")
    assert json.loads(here("journal", "triage", "--json").out)["runs"] == 3


def test_a_store_without_runs_says_so(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "s.db"):
        pass
    called = here("journal", "triage", str(tmp_path / "s.db"))
    assert called.code == 1
    assert called.out.endswith("holds no run of a recipe.\n")
    assert here("journal", "triage", str(tmp_path / "none.db")).code == 2
