"""Modules that take raw scores: in Python, in YAML, and in stored sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup import Module, ModuleGraph, Session, load_policy
from handup.confidence import Platt, Temperature
from handup.core import BadPolicy, BadRecord, UnknownModule
from handup.policy import parse_policy
from tests.confidence.streams import overconfident, synthetic_stream

PLATT = Platt.fit(overconfident(80, 1))
TEMPERATURE = Temperature.fit(synthetic_stream(80, 1, sharpness=2.0))


def bite() -> ModuleGraph:
    return ModuleGraph.chain(
        [
            Module("food", 0.5, calibrator=PLATT),
            Module("box", 0.8),
            Module("skill", 0.5, calibrator=TEMPERATURE),
        ]
    )


def test_a_module_reads_its_raw_score_through_its_calibrator() -> None:
    assert Module("food", 0.5, calibrator=PLATT).calibrated(0.9) == PLATT.probability(0.9)


def test_a_chain_keeps_the_calibrators() -> None:
    assert [module.calibrator for module in bite().modules] == [PLATT, None, TEMPERATURE]


def test_a_graph_turns_raw_scores_into_what_a_session_takes() -> None:
    found = bite().calibrated({"food": 0.9, "skill": [0.7, 0.2, 0.1]})
    assert found == {"food": PLATT.probability(0.9), "skill": TEMPERATURE.probability([0.7, 0.2, 0.1])}


def test_what_cannot_be_calibrated_is_refused_by_name() -> None:
    with pytest.raises(BadPolicy, match="'box' has no calibrator"):
        bite().calibrated({"box": 0.9})
    with pytest.raises(UnknownModule):
        bite().calibrated({"fod": 0.9})
    with pytest.raises(BadPolicy, match="score of 'food': a raw score for 'platt' must lie between 0 and 1, got 7"):
        bite().calibrated({"food": 7.0})


def test_a_policy_with_calibrators_goes_to_json_and_back() -> None:
    record = bite().to_json()
    again = ModuleGraph.from_json(json.loads(json.dumps(record)))
    assert again.modules == bite().modules
    assert "calibrator" not in record["modules"]["box"], "records of policies without calibrators stay as they were"


def test_a_session_with_calibrators_goes_on_after_a_reload() -> None:
    session = Session(bite())
    session.forwarded(session.graph.calibrated({"food": 0.95, "skill": [0.9, 0.05, 0.05]}))
    session.next(now_s=0.0)
    again = Session.from_json(json.loads(json.dumps(session.to_json())))
    assert again.pending == session.pending
    assert again.graph.calibrated({"food": 0.3}) == session.graph.calibrated({"food": 0.3})


def test_a_session_with_a_damaged_calibrator_is_refused() -> None:
    record = Session(bite()).to_json()
    record["policy"]["modules"]["food"]["calibrator"]["schema"] = 99
    with pytest.raises(BadRecord, match="schema 99"):
        Session.from_json(record)


# -- from YAML --------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "food.json").write_text(json.dumps(PLATT.to_json()), encoding="utf-8")
    (tmp_path / "skill.json").write_text(json.dumps(TEMPERATURE.to_json()), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    return tmp_path


def load(folder: Path, modules: str) -> ModuleGraph:
    path = folder / "policy.yaml"
    path.write_text(f"modules:\n{modules}", encoding="utf-8")
    return load_policy(path)


def test_a_score_and_a_calibrator_beside_the_policy_make_a_confidence(folder: Path) -> None:
    graph = load(
        folder,
        "  food: {calibrator: food.json, score: 0.9}\n"
        "  skill: {calibrator: skill.json, score: [0.7, 0.2, 0.1], inputs: food}\n",
    )
    assert graph.confidences.tolist() == [PLATT.probability(0.9), TEMPERATURE.probability([0.7, 0.2, 0.1])]


def test_a_calibrator_may_stand_beside_a_confidence_for_scores_to_come(folder: Path) -> None:
    graph = load(folder, "  food: {confidence: 0.8, calibrator: food.json}\n")
    assert graph.confidences.tolist() == [0.8]
    assert graph.calibrated({"food": 0.9}) == {"food": PLATT.probability(0.9)}


@pytest.mark.parametrize(
    ("modules", "line", "said"),
    [
        ("  food:\n    calibrator: none.json\n    score: 0.9\n", 3, "'none.json': there is no such file"),
        ("  food:\n    calibrator: broken.json\n    score: 0.9\n", 3, "'broken.json' is no JSON"),
        ("  food:\n    calibrator: other.json\n    score: 0.9\n", 3, "'other.json': this is no calibrator"),
        ("  food:\n    score: 0.9\n    confidence: 0.5\n", 3, "has a score but no calibrator"),
        ("  food:\n    calibrator: food.json\n", 2, "'food' has no score"),
        ("  food:\n    calibrator: food.json\n    score: 9\n", 4, "score of 'food'.*, got 9"),
        ("  food:\n    calibrator: food.json\n    score: 0.9\n    confidence: 0\n", 4, "a score and a confidence"),
        ("  food:\n    calibrator: food.json\n    score: high\n", 4, "must be a number, got 'high'"),
        ("  food:\n    calibrator: [food.json]\n    score: 0.9\n", 3, "calibrator of 'food' is a list"),
        ("  food:\n    calibrator: skill.json\n    score: 0.9\n", 4, "two or more per output"),
    ],
)
def test_a_bad_calibrator_is_refused_with_file_and_line(folder: Path, modules: str, line: int, said: str) -> None:
    with pytest.raises(BadPolicy, match=said) as caught:
        load(folder, modules)
    assert caught.value.line == line
    assert str(caught.value.file).endswith("policy.yaml")


def test_text_alone_names_no_files_unless_it_is_told_how_to_read_them() -> None:
    text = "modules:\n  food: {calibrator: anything, score: 0.9}\n"
    with pytest.raises(BadPolicy, match="none are read here"):
        parse_policy(text)
    assert parse_policy(text, calibrators=lambda name: PLATT).confidences.tolist() == [PLATT.probability(0.9)]
