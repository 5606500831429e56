"""The script that fits answers: it finds what the spec says of the data, and what is shipped is what it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import QuestionKind
from handup.people.answers import answers_record
from tests.data import data_folder
from train.answers import fitted, held_out
from train.interventions import read
from train.logistic import fit, log_loss

MARGINALS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "people" / "marginals.json").read_text(encoding="utf-8")
)


def test_the_marginals_of_the_spec_are_in_the_data() -> None:
    data = read(data_folder("remote-interventions"))
    found = fitted(data, repeats=1)["summary"]
    assert found["diagnosis"]["right"] == pytest.approx(MARGINALS["diagnosis"]["right"], abs=0.0005)
    assert found["action"]["right"] == pytest.approx(MARGINALS["action"]["right"], abs=0.0005)
    assert found["diagnosis"]["by_certainty"] == pytest.approx(MARGINALS["diagnosis"]["by_certainty"], abs=0.005)
    assert found["diagnosis"]["by_support"]["none"] == pytest.approx(MARGINALS["diagnosis"]["none"], abs=0.005)
    assert found["diagnosis"]["by_support"]["own-100"] == pytest.approx(MARGINALS["diagnosis"]["good"], abs=0.005)
    assert found["decision_s"] == pytest.approx(MARGINALS["decision_s"], rel=0.005)


def test_what_is_shipped_is_what_the_script_finds() -> None:
    found = json.loads(json.dumps(fitted(read(data_folder("remote-interventions")), repeats=1)))
    shipped = answers_record("support-certainty")
    for part in ("summary", "latency", "provenance"):
        assert found[part] == shipped[part], part
    for kind in ("diagnosis", "action"):
        assert found["fits"][kind]["level"] == pytest.approx(shipped["fits"][kind]["level"], abs=1e-4)
        assert found["fits"][kind]["certainties"] == shipped["fits"][kind]["certainties"]


@pytest.mark.parametrize("kind", [QuestionKind.DIAGNOSIS, QuestionKind.ACTION])
def test_people_who_were_held_out_are_predicted_better_than_by_the_marginal(kind: QuestionKind) -> None:
    data = read(data_folder("remote-interventions"))
    found = held_out(data, kind, repeats=1, seed=7)
    assert found["with_record"]["ci"][1] < 0.0
    assert found["model"]["log_loss_less_marginal"] < 0.0


def test_other_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no interventions"):
        read(tmp_path)


def test_the_regression_gives_the_log_odds_of_each_group() -> None:
    random = np.random.default_rng(0)
    group = random.integers(0, 2, 500)
    right = (random.random(500) < np.where(group == 1, 0.7, 0.3)).astype(np.float64)
    columns = np.column_stack([np.ones(500), group]).astype(np.float64)
    low, high = (np.log(share / (1.0 - share)) for share in (right[group == 0].mean(), right[group == 1].mean()))
    assert fit(columns, right) == pytest.approx([low, high - low], abs=1e-5)
    assert log_loss(np.array([0.5, 0.25]), np.array([1.0, 0.0])) == pytest.approx([np.log(2), -np.log(0.75)])
