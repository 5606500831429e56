"""`handup decide`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.policy import Module, ModuleGraph, parse_policy
from tests.cli.calls import POLICY, here
from tests.make import chain_of
from tests.oracles.enumeration import Answered, Event, Executed, Forwarded, enumerate_history
from tests.recover.test_observed import written
from tests.strategies import histories, module_lists, share_of_examples
from tests.when.test_pairs import PAIRS

KEYS = {
    "action",
    "module",
    "reason",
    "method",
    "reliability",
    "log_reliability",
    "posterior",
    "inference",
    "alternatives",
    "flips_at",
    "until_s",
}


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def decided(path: Path, *arguments: str) -> Any:
    called = here("decide", str(path), "--json", *arguments)
    assert called.code == 0, called.err
    assert called.err == ""
    return json.loads(called.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def as_yaml(graph: ModuleGraph) -> str:
    """A policy file; JSON is YAML."""
    modules = {
        module.name: {
            "confidence": module.confidence,
            "query_cost": module.query_cost,
            "inputs": list(module.inputs),
            "gate": str(module.gate),
        }
        for module in graph.modules
    }
    return json.dumps({"modules": modules})


# -- the JSON contract ------------------------------------------------------------------------------------------------


def test_the_json_record_has_its_keys_and_kinds(policy: Path) -> None:
    called = here("decide", policy.name, "--json", cwd=policy.parent)
    assert (called.code, called.err) == (0, "")
    record = json.loads(called.out)
    assert set(record) == KEYS
    assert record["action"] in {"act", "ask", "wait", "yield"}
    assert record["module"] in {"camera", "haptics", "fusion", "grasp"}
    assert record["method"] == "troubleshoot"
    assert set(record["posterior"]) == {"camera", "haptics", "fusion", "grasp"}
    assert record["inference"] == {"method": "exact", "error": 0.0}
    assert record["until_s"] is None
    assert all(set(each) == {"action", "module", "value"} for each in record["alternatives"])
    assert set(record["flips_at"]) >= {"module", "query_cost", "confidence", "w"}
    assert [each.name for each in policy.parent.iterdir()] == ["policy.yaml"], "nothing is written"


QUICK = [each for each in PAIRS if not each.startswith("mip") or each == "mip+execute-first"]
"""Where a pair asks at once, its flips call the solver some two hundred times."""


@pytest.mark.parametrize("method", ["troubleshoot", *QUICK])
def test_every_method_decides_in_json(method: str, policy: Path) -> None:
    record = decided(policy, "--method", method)
    assert set(record) == KEYS
    assert record["method"] == method
    assert (record["module"] is not None) == (record["action"] == "ask")


@pytest.mark.parametrize("method", ["troubleshoot", "graph+workload-aware", "binary-tree+query-then-execute"])
def test_certainties_are_json_too(method: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(as_yaml(chain_of((0.0, 1.0, 0.0), 0.0)), encoding="utf-8")
    record = decided(path, "--method", method)
    assert (record["reliability"], record["log_reliability"]) == (0.0, None)


def test_the_same_call_prints_the_same(policy: Path) -> None:
    arguments = ["decide", str(policy), "--json", "--expert", "0.8", "--method", "hybrid+workload-aware"]
    first, again = (here(*arguments) for _ in range(2))
    assert first == again


# -- the posterior -----------------------------------------------------------------------------------------------------

HISTORIES: dict[str, list[Event]] = {
    "nothing": [],
    "failed": [Executed(False)],
    "uncertain": [Executed(False, 0.9)],
    "uncertain success": [Executed(True, 0.6)],
    "answered": [Executed(False), Answered("camera", True, 1.0)],
    "not changed": [Executed(False), Answered("camera", False, 1.0)],
    "twice": [Executed(False), Answered("grasp", True, 0.8), Executed(False, 0.9), Answered("grasp", True, 0.8)],
    "forwarded": [Executed(False), Forwarded((("fusion", 0.5),)), Executed(False)],
}


@pytest.mark.parametrize("name", HISTORIES)
def test_the_posterior_after_a_history_is_that_of_enumeration(name: str, policy: Path) -> None:
    events = HISTORIES[name]
    truth = enumerate_history(parse_policy(POLICY).modules, events)
    assert truth is not None
    called = here(
        "decide", policy.name, "--json", "--observed", json.dumps([written(each) for each in events]), cwd=policy.parent
    )
    record = json.loads(called.out)
    assert record["posterior"] == pytest.approx(truth.wrong, abs=1e-9)
    assert record["reliability"] == pytest.approx(truth.reliability, abs=1e-9)


def test_the_expert_option_counts_where_an_answer_does_not_say(policy: Path) -> None:
    history = '[{"executed": "failed"}, {"answered": "camera", "changed": true}]'
    truth = enumerate_history(parse_policy(POLICY).modules, [Executed(False), Answered("camera", True, 0.8)])
    assert truth is not None
    assert decided(policy, "--observed", history, "--expert", "0.8")["posterior"] == pytest.approx(truth.wrong)


@share_of_examples(0.7)
@given(data=st.data(), modules=module_lists(most=6))
def test_any_posterior_is_that_of_enumeration(data: st.DataObject, modules: list[Module]) -> None:
    events = data.draw(histories(modules, most=4))
    truth = enumerate_history(modules, events)
    if truth is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.yaml"
        path.write_text(as_yaml(ModuleGraph(modules)), encoding="utf-8")
        observed = json.dumps([written(each) for each in events])
        record = decided(path, "--observed", observed, "--method", "topo+execute-first", "--horizon", "50")
    assert record["posterior"] == pytest.approx(truth.wrong, abs=1e-9)
    assert record["reliability"] == pytest.approx(truth.reliability, abs=1e-9)


# -- options -----------------------------------------------------------------------------------------------------------


def test_options_steer_the_decision(policy: Path) -> None:
    assert decided(policy, "--method", "confidence+workload-aware")["action"] == "ask"
    assert decided(policy, "--method", "confidence+workload-aware", "--lambda", "5")["action"] == "act"
    assert decided(policy, "--w", "1")["action"] == "act"


def test_the_critical_values_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(as_yaml(chain_of((1.0, 0.1, 1.0), 0.1)), encoding="utf-8")
    flips = decided(path, "--method", "graph+workload-aware")["flips_at"]
    assert flips["module"] == "m1"
    assert flips["query_cost"] == pytest.approx(0.9)
    assert (flips["lambda"], flips["epsilon"]) == (pytest.approx(9.0), pytest.approx(9.0))


def test_what_was_observed_uses_up_the_horizon(policy: Path) -> None:
    record = decided(policy, "--observed", json.dumps([{"executed": "failed"}] * 3), "--horizon", "3")
    assert record["action"] == "yield"
    assert "3 steps" in record["reason"]
    assert record["flips_at"] is None


def test_one_network_as_the_only_module_is_asked_about_once_it_has_failed(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("modules: {network: {confidence: 0.3}}", encoding="utf-8")
    assert decided(path, "--observed", '[{"executed": "failed"}]')["module"] == "network"


def test_after_a_failure_the_blame_moves(policy: Path) -> None:
    before, after = decided(policy), decided(policy, "--observed", '[{"executed": "failed"}]')
    assert after["reliability"] == 0.0
    assert all(after["posterior"][name] >= before["posterior"][name] for name in before["posterior"])
    assert after["action"] == "ask"


# -- for people --------------------------------------------------------------------------------------------------------


def test_a_person_reads_the_decision_its_reason_and_the_blame(policy: Path) -> None:
    called = here("decide", policy.name, "--observed", '[{"executed": "failed"}]', cwd=policy.parent)
    assert (called.code, called.err) == (0, "")
    record = decided(policy, "--observed", '[{"executed": "failed"}]')
    first = called.out.splitlines()[0]
    assert first.startswith(f"ask about '{record['module']}'")
    words = " ".join(called.out.split())
    assert record["reason"] in words
    for name, wrong in record["posterior"].items():
        assert f"{name} {wrong:.4f}" in words
    assert "It would decide otherwise at" in words


def test_a_long_policy_is_cut_to_the_most_suspect_modules(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(as_yaml(chain_of([0.9] * 59 + [0.5])), encoding="utf-8")
    called = here("decide", str(path), "--method", "topo+execute-first")
    assert called.code == 0
    assert "… and 20 less suspect modules" in called.out
    assert "m59" in called.out


def test_it_can_decide_to_wait(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("modules:\n  a: {confidence: 0.3}\n  b: {confidence: 1, inputs: a}\n", encoding="utf-8")
    history = '[{"executed": "failed"}, {"unanswered": "a", "for_s": 90}]'
    called = here("decide", str(policy), "--observed", history, "--json")
    found = json.loads(called.out)
    assert (found["action"], found["module"], found["until_s"]) == ("wait", None, 90.0)
