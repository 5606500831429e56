"""Fit who helps when: `python -m train.willingness ../shared/data`.

Reads `helping/requests.csv` and `distraction/reports.csv` from the folder given, writes parameters, held-out scores,
the disturbance by activity and provenance to `src/handup/people/data/willingness.json`, and prints what it found. No
row of the data is copied.

The model is that of `handup people evaluate` (`handup.people.help_requests`): a mixture of kinds of people. Held-out
people are predicted in ten parts, split by person; everything is fitted and chosen on the others.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.confidence.metrics import reliability_bins
from handup.people import Evidence
from handup.people.help_requests import (
    HelpRequest,
    RecordSource,
    auc,
    chances_of,
    fit_willingness,
    load_weight,
    read_requests,
)
from train.answers import interval

OUT = Path(__file__).parents[1] / "src" / "handup" / "people" / "data" / "willingness.json"
PEOPLE, REQUESTS, STUDENTS, REPORTS = 100, 921, 34, 9_180
PARTS, REPEATS, DRAWS = 10, 3, 500
SMOOTHING = 1.0
Vector = NDArray[np.float64]
Guess = Callable[[Sequence[HelpRequest], Sequence[HelpRequest]], Vector]


def main() -> None:
    """Read, fit, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with helping and distraction")
    parser.add_argument("--out", type=Path, default=OUT, help="where the JSON goes")
    given = parser.parse_args()
    record = fitted(given.folder)
    given.out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=1, ensure_ascii=False))


def fitted(folder: Path, *, repeats: int = REPEATS) -> dict[str, Any]:
    """Everything that is shipped."""
    requests = requests_in(folder)
    found = fit_willingness(requests)
    model = replace(found.model, evidence=Evidence.NOT_FROM_HOMES)
    return {
        "schema": 1,
        "kind": "fitted-willingness",
        "evidence": str(Evidence.NOT_FROM_HOMES),
        "provenance": {
            "script": "python -m train.willingness FOLDER",
            "data": "Nanavati et al., RSS 2021, first study (human_help_user_study, BSD-3): helping; "
            "KAIST (positive-computing-dataset-distracting-context, MIT licence): distraction",
            "people": PEOPLE,
            "rows": REQUESTS,
        },
        **replace(found, model=model).to_json(),
        "load": load_interval(requests),
        "held_out": held_out(requests, repeats=repeats),
        "disturbance": disturbance(folder),
    }


def requests_in(folder: Path) -> tuple[HelpRequest, ...]:
    """The requests of the study.

    Raises:
        SystemExit: The folder is absent, or is not the data that this was written for.
    """
    path = folder / "helping" / "requests.csv"
    if not path.is_file():
        raise SystemExit(f"no helping/requests.csv in {folder}; give the folder that holds helping and distraction")
    requests, _ = read_requests(path.read_text(encoding="utf-8"))
    people = {request.person for request in requests}
    if len(requests) != REQUESTS or len(people) != PEOPLE:
        raise SystemExit(f"{len(requests)} rows of {len(people)} people; {REQUESTS} of {PEOPLE} expected")
    return requests


# -- held out ----------------------------------------------------------------------------------------------------------


def shipped(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
    """Predictions of the model, with the record chosen among the others."""
    return fit_willingness(others).chances(rest)


def by_source(source: RecordSource) -> Guess:
    """Predictions of the model with one record."""

    def guess(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
        return fit_willingness(others, (source,)).chances(rest)

    return guess


def base(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
    """The share of the others for everybody."""
    return np.full(len(rest), np.mean([request.helped for request in others]))


def busyness_alone(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
    """The share of the others at the same busyness."""
    return np.array([_share(others, "busyness", request.busyness) for request in rest])


def load_alone(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
    """The share of the others who were asked as often."""
    return np.array([_share(others, "load", request.load) for request in rest])


def record_alone(others: Sequence[HelpRequest], rest: Sequence[HelpRequest]) -> Vector:
    """Each person's own share of the last five moments, pulled towards the share of the others by one request."""
    mean = np.mean([request.helped for request in others])
    windows = [request.window for request in rest]
    return np.array([(helped + SMOOTHING * mean) / (asked + SMOOTHING) for asked, helped in windows])


def _share(others: Sequence[HelpRequest], name: str, value: object) -> float:
    return float(np.mean([request.helped for request in others if getattr(request, name) == value]))


GUESSES: dict[str, Guess] = {
    "model": shipped,
    "base": base,
    "busyness_alone": busyness_alone,
    "load_alone": load_alone,
    "record_alone": record_alone,
    **{f"record: {source}": by_source(source) for source in RecordSource},
}


def held_out(requests: Sequence[HelpRequest], *, repeats: int = REPEATS, seed: int = 0) -> dict[str, Any]:
    """Scores on people that a model has not seen; the intervals are a bootstrap over people."""
    random = np.random.default_rng(seed)
    people = np.array(sorted({request.person for request in requests}))
    who = np.array([request.person for request in requests])
    helped = np.array([request.helped for request in requests])
    chances = {name: np.zeros((repeats, len(requests))) for name in GUESSES}
    for repeat in range(repeats):
        drawn = random.permutation(people)
        for number in range(PARTS):
            test = np.isin(who, drawn[number::PARTS])
            others, rest = ([requests[row] for row in np.flatnonzero(rows).tolist()] for rows in (~test, test))
            for name, guess in GUESSES.items():
                chances[name][repeat, test] = guess(others, rest)
    scores = {name: _score(who, helped, guesses, random) for name, guesses in chances.items()}
    first = chances["model"][0]
    return {
        "people": len(people),
        "parts": PARTS,
        "repeats": repeats,
        "scores": scores,
        "reliability": [
            {"n": found.n, "said": round(found.said, 4), "happened": round(found.happened, 4)}
            for found in reliability_bins(first, helped)
        ],
    }


def _score(who: NDArray[np.str_], helped: NDArray[np.bool_], chances: Vector, random: np.random.Generator) -> Any:
    """Brier score and AUC of predictions, one row of them per repeat."""
    error = np.mean([np.square(guess - helped) for guess in chances], axis=0)
    rows_of = [np.flatnonzero(who == person) for person in np.unique(who)]
    areas = []
    for _ in range(DRAWS):
        rows = np.concatenate([rows_of[person] for person in random.integers(len(rows_of), size=len(rows_of))])
        areas.append(auc(chances[0][rows], helped[rows]) or 0.0)
    area = float(np.mean([auc(guess, helped) or 0.0 for guess in chances]))
    return {
        "brier": round(float(error.mean()), 5),
        "brier_ci": interval(who, error, random),
        "auc": round(area, 4),
        "auc_ci": [round(float(bound), 4) for bound in np.quantile(areas, (0.025, 0.975))],
    }


def load_interval(requests: Sequence[HelpRequest], *, seed: int = 0) -> dict[str, Any]:
    """The number that full load adds to the log-odds, with its 95 % interval by a bootstrap over people."""
    random = np.random.default_rng(seed)
    found = fit_willingness(requests)
    chances = chances_of(replace(found.model, load_weight=0.0), found.chosen.source, requests)
    loads = np.array([request.load for request in requests], dtype=np.float64)
    loads -= loads.mean()
    helped = np.array([request.helped for request in requests], dtype=np.float64)
    who = np.array([request.person for request in requests])
    rows_of = [np.flatnonzero(who == person) for person in np.unique(who)]
    weights = []
    for _ in range(DRAWS):
        rows = np.concatenate([rows_of[person] for person in random.integers(len(rows_of), size=len(rows_of))])
        weights.append(load_weight(chances[rows], loads[rows], helped[rows]))
    low, high = np.quantile(weights, (0.025, 0.975))
    return {
        "weight": round(load_weight(chances, loads, helped), 4),
        "ci": [round(float(low), 4), round(float(high), 4)],
    }


# -- disturbance -------------------------------------------------------------------------------------------------------


def disturbance(folder: Path, *, seed: int = 0) -> dict[str, Any]:
    """Mean disturbance by activity, from the most to the least disturbing, with intervals by person."""
    path = folder / "distraction" / "reports.csv"
    if not path.is_file():
        raise SystemExit(f"no distraction/reports.csv in {folder}; give the folder that holds helping and distraction")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    person = np.array([int(row["person"]) for row in rows])
    if len(rows) != REPORTS or len(np.unique(person)) != STUDENTS:
        raise SystemExit(f"{len(rows)} rows of {len(np.unique(person))} people; {REPORTS} of {STUDENTS} expected")
    activity = np.array([row["activity"] for row in rows])
    felt = np.array([float(row["distraction"]) for row in rows])
    found: dict[str, dict[str, Any]] = {}
    for name in np.unique(activity).tolist():
        rows_of = activity == name
        low, high = interval(person[rows_of], felt[rows_of], np.random.default_rng(seed))
        mean = round(float(felt[rows_of].mean()), 4)
        people = len(np.unique(person[rows_of]))
        found[name] = {"mean": mean, "low": low, "high": high, "reports": int(rows_of.sum()), "people": people}
    return dict(sorted(found.items(), key=lambda entry: -entry[1]["mean"]))


if __name__ == "__main__":
    main()
