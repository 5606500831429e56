"""The script that fits willingness: its bars hold on people left out, and what is shipped is what it finds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from handup.people.answers import shipped_record
from handup.people.help_requests import auc, fit_willingness
from tests.data import data_folder
from train.willingness import PARTS, base, busyness_alone, disturbance, load_alone, record_alone, requests_in

SHIPPED = "willingness", "fitted-willingness"


def test_people_who_were_held_out_are_predicted_as_well_as_promised() -> None:
    requests = requests_in(data_folder("helping").parent)
    who = np.array([int(request.person) for request in requests])
    helped = np.array([request.helped for request in requests])
    part = {
        person: number % PARTS for number, person in enumerate(np.random.default_rng(7).permutation(np.unique(who)))
    }
    parts = np.array([part[person] for person in who])
    chances = {name: np.zeros(len(requests)) for name in ("model", "base", "busyness", "load", "record")}
    for number in range(PARTS):
        others = [request for request, at in zip(requests, parts, strict=True) if at != number]
        rest = [request for request, at in zip(requests, parts, strict=True) if at == number]
        guesses = (fit_willingness(others).chances(rest), *(guess(others, rest) for guess in (base, busyness_alone)))
        more = (load_alone(others, rest), record_alone(others, rest))
        for name, guess in zip(chances, (*guesses, *more), strict=True):
            chances[name][parts == number] = guess
    brier = {name: float(np.mean((guess - helped) ** 2)) for name, guess in chances.items()}
    area = auc(chances["model"], helped)
    assert brier["model"] <= 0.140
    assert area is not None
    assert area >= 0.85
    assert brier["model"] < min(brier["busyness"], brier["record"]) < brier["base"]
    assert brier["load"] == pytest.approx(brier["base"], abs=0.005), "how often somebody is asked tells nothing"
    published = shipped_record(*SHIPPED)["held_out"]["scores"]["model"]
    assert published["brier"] == pytest.approx(brier["model"], abs=0.003)
    assert published["auc"] == pytest.approx(area, abs=0.01)


def test_what_is_shipped_is_what_the_script_finds() -> None:
    folder = data_folder("helping").parent
    data_folder("distraction")
    found, shipped = fit_willingness(requests_in(folder)), shipped_record(*SHIPPED)
    assert json.loads(json.dumps(found.chosen.to_json())) == shipped["chosen"]
    for kind, record in zip(found.model.kinds, shipped["model"]["kinds"], strict=True):
        assert kind.share == pytest.approx(record["share"], abs=1e-4)
        assert kind.chances == pytest.approx(record["chances"], abs=1e-4)
    assert disturbance(folder) == shipped["disturbance"]


def test_the_windows_of_the_study_are_those_of_its_rows() -> None:
    """The columns of earlier requests tell nothing of a request or of later ones: the rows before make them."""
    requests = requests_in(data_folder("helping").parent)
    checked = 0
    for person in {request.person for request in requests}:
        rows = sorted((request for request in requests if request.person == person), key=lambda request: request.order)
        asked = rows[0].window[0]
        for place, request in enumerate(rows):
            if place >= asked:
                checked += 1
                assert request.window == (asked, sum(before.helped for before in rows[place - asked : place]))
    assert checked > 400


def test_other_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no helping"):
        requests_in(tmp_path)
    with pytest.raises(SystemExit, match="no distraction"):
        disturbance(tmp_path)
