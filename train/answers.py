"""Fit how good remote helpers' answers are: `python -m train.answers ../shared/data/remote-interventions`.

Reads the data from the folder given, writes parameters, summary statistics and provenance to
`src/handup/people/data/answers.json`, and prints what it found. No row of the data is copied.

The model of each kind of question is a logistic regression on the support (ten conditions) and the self-rated
certainty (five levels), of greatest likelihood, so that it gives every condition's and every certainty's share back.
Held-out people are predicted in ten parts, split by person, over and over; their own answers so far move the
prediction (`people.AnswerModel.judged`), with a strength chosen on the other people.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import QuestionKind
from handup.people.answer_fits import CERTAINTIES, SUPPORTS, KindFit, Suggestions, Support
from handup.people.answers import LEAST, MOST, Latency
from train.interventions import Interventions, read
from train.logistic import fit, log_loss

OUT = Path(__file__).parents[1] / "src" / "handup" / "people" / "data" / "answers.json"
SHOWN: Mapping[QuestionKind, Mapping[Suggestions, str]] = {
    QuestionKind.DIAGNOSIS: {Suggestions.OWN: "DX", Suggestions.OTHER: "AX", Suggestions.BOTH: "DXAX"},
    QuestionKind.ACTION: {Suggestions.OWN: "AX", Suggestions.OTHER: "DX", Suggestions.BOTH: "DXAX"},
}
PULLS = (5.0, 10.0, 20.0, 40.0, 80.0)
STRENGTHS = (2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 40.0)
PARTS, REPEATS, DRAWS = 10, 5, 2_000
Vector = NDArray[np.float64]
Rows = NDArray[np.bool_]


def main() -> None:
    """Read, fit, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder remote-interventions")
    parser.add_argument("--out", type=Path, default=OUT, help="where the JSON goes")
    given = parser.parse_args()
    record = fitted(read(given.folder))
    given.out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(record["summary"], indent=1))
    print(json.dumps(record["held_out"], indent=1))


def fitted(data: Interventions, *, repeats: int = REPEATS) -> dict[str, Any]:
    """Everything that is shipped."""
    seconds = [float(each) for each in np.quantile(data.seconds, (0.05, 0.5, 0.95))]
    fits = {kind: fit_kind(data, kind) for kind in SHOWN}
    return {
        "schema": 1,
        "kind": "fitted-answers",
        "evidence": "human data",
        "provenance": {
            "script": "python -m train.answers FOLDER",
            "data": "isolation_cyoa, Robot Autonomy and Interactive Learning lab, MIT licence: remote-interventions",
            "people": len(np.unique(data.person)),
            "rows": len(data),
        },
        "fits": {str(kind): each.to_json() for kind, each in fits.items()},
        "latency": {key: round(value, 6) for key, value in Latency.through(*seconds).to_json().items()},
        "summary": summary(data),
        "held_out": {str(kind): held_out(data, kind, repeats=repeats) for kind in SHOWN},
    }


def summary(data: Interventions) -> dict[str, Any]:
    """Shares and quantiles straight from the rows: what a model of them has to give back."""
    quantiles = np.quantile(data.seconds, (0.05, 0.5, 0.95))
    steps = [float(np.median(data.seconds[data.step == step])) for step in range(12)]
    found: dict[str, Any] = {
        "decision_s": {"q05": quantiles[0], "median": quantiles[1], "q95": quantiles[2]},
        "decision_s_by_step": steps,
    }
    for kind in SHOWN:
        right = right_answers(data, kind)
        found[str(kind)] = {
            "right": right.mean(),
            "by_certainty": [right[data.certainty == each].mean() for each in CERTAINTIES],
            "by_support": {each.key: right[shown_rows(data, kind, each)].mean() for each in SUPPORTS},
            "rows": {each.key: int(shown_rows(data, kind, each).sum()) for each in SUPPORTS},
        }
    rounded: dict[str, Any] = json.loads(json.dumps(found), parse_float=lambda text: round(float(text), 6))
    return rounded


def fit_kind(data: Interventions, kind: QuestionKind) -> KindFit:
    """The model of one kind of question, from all rows."""
    right = right_answers(data, kind)
    found = fit(_columns(data, kind), right)
    levels, others = found[: len(SUPPORTS)], found[len(SUPPORTS) :]
    shown = {each.key: data.certainty[shown_rows(data, kind, each)] for each in SUPPORTS}
    everybody = np.ones(len(data), dtype=np.bool_)
    return KindFit(
        level={each.key: round(float(level), 6) for each, level in zip(SUPPORTS, levels, strict=True)},
        certainty=tuple(round(float(each), 6) for each in (others[0], others[1], 0.0, others[2], others[3])),
        certainties={key: tuple(int((each == c).sum()) for c in CERTAINTIES) for key, each in shown.items()},
        strength=best_strength(data, right, _chances(found, data, kind), everybody),
    )


def held_out(data: Interventions, kind: QuestionKind, *, repeats: int = REPEATS, seed: int = 0) -> dict[str, Any]:
    """Log loss on people that the model has not seen, less that of the marginal share of the others.

    `model` is the regression that is shipped, `with_record` the same moved by each person's answers so far, `pulled`
    the regression pulled towards the overall share, as hard as serves best among the other people, and `record_only`
    the overall share moved by each person's answers so far.
    Rows are averaged over the repeats; the intervals are a bootstrap over people.
    """
    random = np.random.default_rng(seed)
    right, people = right_answers(data, kind), np.unique(data.person)
    gains = {name: np.zeros(len(data)) for name in ("model", "pulled", "with_record", "record_only")}
    for _ in range(repeats):
        part_of = dict(zip(random.permutation(people).tolist(), np.arange(len(people)) % PARTS, strict=True))
        part = np.array([part_of[each] for each in data.person.tolist()])
        for number in range(PARTS):
            test = part == number
            found = fit(_columns(data, kind)[~test], right[~test])
            chances = _chances(found, data, kind)
            strength = best_strength(data, right, chances, ~test)
            overall = np.full(len(data), right[~test].mean())
            base = log_loss(overall, right)
            plain = with_record(data, right, overall, best_strength(data, right, overall, ~test))
            moved = with_record(data, right, chances, strength)
            pulled = _pulled(data, kind, ~test, _best_pull(data, kind, ~test, random))
            gains["pulled"][test] += (log_loss(pulled, right) - base)[test] / repeats
            gains["model"][test] += (log_loss(chances, right) - base)[test] / repeats
            gains["record_only"][test] += (log_loss(plain, right) - base)[test] / repeats
            gains["with_record"][test] += (log_loss(moved, right) - base)[test] / repeats
    return {name: _interval(data, each, random) for name, each in gains.items()} | {"people": len(people)}


def _pulled(data: Interventions, kind: QuestionKind, rows: Rows, pull: float) -> Vector:
    """Predictions for everybody from a regression on some rows, pulled towards their overall share."""
    columns = np.column_stack([np.ones(len(data)), _columns(data, kind)])
    penalty = np.full(columns.shape[1], pull)
    penalty[0] = 1e-6
    found = fit(columns[rows], right_answers(data, kind)[rows], penalty)
    return np.asarray(1.0 / (1.0 + np.exp(-(columns @ found))))


def _best_pull(data: Interventions, kind: QuestionKind, rows: Rows, random: np.random.Generator) -> float:
    """The pull that serves best on people held out among some of the people."""
    right, people = right_answers(data, kind), np.unique(data.person[rows])
    parts = np.array_split(random.permutation(people), 4)
    tests = [np.isin(data.person, part) for part in parts]
    losses = [
        sum(log_loss(_pulled(data, kind, rows & ~test, pull), right)[test].sum() for test in tests) for pull in PULLS
    ]
    return PULLS[int(np.argmin(losses))]


def _interval(data: Interventions, gain: Vector, random: np.random.Generator) -> dict[str, Any]:
    return {"log_loss_less_marginal": round(float(gain.mean()), 5), "ci": interval(data.person, gain, random)}


def interval(person: NDArray[Any], values: Vector, random: np.random.Generator) -> list[float]:
    """The 95 % interval of a mean over rows, by a bootstrap over people."""
    people, place = np.unique(person, return_inverse=True)
    sums, counts = np.bincount(place, values), np.bincount(place)
    drawn = random.integers(len(people), size=(DRAWS, len(people)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return [round(float(bound), 5) for bound in np.quantile(means, (0.025, 0.975))]


def right_answers(data: Interventions, kind: QuestionKind) -> Vector:
    """1 for every row with a right answer, 0 for the rest."""
    return (data.diagnosis if kind is QuestionKind.DIAGNOSIS else data.action).astype(np.float64)


def shown_rows(data: Interventions, kind: QuestionKind, support: Support) -> Rows:
    """The rows with this support."""
    if support.suggestions is Suggestions.NONE:
        return np.asarray(data.shown == "NONE")
    return np.asarray((data.shown == SHOWN[kind][support.suggestions]) & (data.accuracy == support.accuracy))


def _columns(data: Interventions, kind: QuestionKind) -> Vector:
    """One column per support, and one per certainty but 3."""
    supports = [shown_rows(data, kind, each) for each in SUPPORTS]
    return np.column_stack([*supports, *(data.certainty == each for each in (1, 2, 4, 5))]).astype(np.float64)


def _chances(found: Vector, data: Interventions, kind: QuestionKind) -> Vector:
    return np.asarray(1.0 / (1.0 + np.exp(-(_columns(data, kind) @ found))))


def with_record(data: Interventions, right: Vector, chances: Vector, strength: float) -> Vector:
    """Predictions that each person's answers so far have moved, as `AnswerModel.chance` does."""
    moved = chances.copy()
    for person in np.unique(data.person):
        rows = np.flatnonzero(data.person == person)
        rows = rows[np.argsort(data.step[rows], kind="stable")]
        surplus = np.concatenate(([0.0], np.cumsum(right[rows] - chances[rows])[:-1]))
        moved[rows] = chances[rows] + surplus / (strength + np.arange(len(rows)))
    return np.clip(moved, LEAST, MOST)


def best_strength(data: Interventions, right: Vector, chances: Vector, rows: Rows) -> float:
    """The strength under which records help most, among some of the people."""
    losses = [log_loss(with_record(data, right, chances, each), right)[rows].mean() for each in STRENGTHS]
    return STRENGTHS[int(np.argmin(losses))]


if __name__ == "__main__":
    main()
