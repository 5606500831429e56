"""Fit how good remote helpers' answers are by situation: `python -m train.situations FOLDER/remote-interventions`.

Reads the data from the folder given, writes parameters, held-out scores and provenance to
`src/handup/people/data/situations.json`, and prints what it found. No row of the data is copied.

The model of each kind of question is a logistic regression on the problem that holds, the steps to the goal, the
support and the self-rated certainty, pulled towards the overall share. A person's own answers so far move the
prediction, as `people.AnswerModel.chance` does. Problem and steps come from the state that the robot was in: the steps
by a search over the transition rule of the study's task. Outcomes (the optimal action, the next state, corrupted
suggestions, totals) are no features. Held-out people are predicted in ten parts, split by person; the pull and the
strength of the record are chosen on the other people.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import QuestionKind
from handup.people.answer_fits import CERTAINTIES, SUPPORTS, AskedSituation, KindFit, RobotProblem
from train.answers import SHOWN, best_strength, interval, right_answers, shown_rows, with_record
from train.interventions import Interventions, State, read
from train.logistic import TINY, fit

OUT = Path(__file__).parents[1] / "src" / "handup" / "people" / "data" / "situations.json"
PLACES = ("dt", "kc", "c")
"""Table, counter and couch, in the order of the cycle that a robot with a wrong name for the table goes round."""
ACTIONS = (
    *(f"{verb}_{place}" for verb in ("at", "go_to", "look_at") for place in PLACES),
    *("pick_jug", "pick_bowl", "pick_mug", "place"),
    *("remove_obstacle", "out_of_collision", "find_charger", "restart_video"),
)
MOST_STEPS = 8
PULLS = (1.0, 2.0, 4.0, 8.0)
PARTS, REPEATS = 10, 3
FEATURES = ("problem", "steps", "certainty", "support")
VARIANTS: Mapping[str, tuple[Collection[str], bool]] = {
    "base": ((), False),
    "shipped_features": (("certainty", "support"), False),
    "features": (FEATURES, False),
    "model": (FEATURES, True),
    **{f"without_{name}": (tuple(other for other in FEATURES if other != name), True) for name in FEATURES},
}
"""Features of each model that is scored on held-out people, and True if the person's own record moves it."""
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
    print(json.dumps(record["held_out"], indent=1))


def fitted(data: Interventions, *, repeats: int = REPEATS) -> dict[str, Any]:
    """Everything that is shipped."""
    return {
        "schema": 1,
        "kind": "fitted-answers",
        "evidence": "human data",
        "provenance": {
            "script": "python -m train.situations FOLDER",
            "data": "isolation_cyoa, Robot Autonomy and Interactive Learning lab, MIT licence: remote-interventions",
            "people": len(np.unique(data.person)),
            "rows": len(data),
        },
        "fits": {str(kind): fit_kind(data, kind).to_json() for kind in SHOWN},
        "held_out": {str(kind): held_out(data, kind, repeats=repeats) for kind in SHOWN},
    }


# -- the task ----------------------------------------------------------------------------------------------------------


def after(state: State, action: str) -> State:
    """The state after an action; the same where the action is not applicable.

    The robot's names of the places are shifted along the cycle when it is lost: what it calls the table is `table`.
    """
    base, gripper, table = state[0], state[5], state[6]
    verb, _, what = action.rpartition("_")
    if verb == "at":
        return (*state[:6], PLACES[(PLACES.index(what) - PLACES.index(base)) % 3])
    if is_stranded(state):
        return state
    if verb == "go_to" and gripper in ("empty", "mug"):
        return (PLACES[(PLACES.index(what) - PLACES.index(table)) % 3], *state[1:])
    if action == "place" and gripper in ("jug", "bowl"):
        return (*state[:5], "empty", table)
    if verb == "pick" and is_graspable(state, what):
        held = {"jug": 2, "bowl": 3, "mug": 4}[what]
        return (*state[:held], "gripper", *state[held + 1 : 5], what, table)
    return state


def is_graspable(state: State, thing: str) -> bool:
    """Whether an empty gripper at the right place can take a thing."""
    base, objects, jug, bowl, cup, gripper, _ = state
    if gripper != "empty" or base != objects:
        return False
    if thing == "jug":
        return jug != "gripper"
    if thing == "bowl":
        return bowl != "gripper" and (jug != "occluding" or bowl == "default")
    return cup != "gripper" and jug != "occluding" and bowl != "above_mug"


def is_stranded(state: State) -> bool:
    """At the couch with the cup, under a wrong name: only naming the place helps."""
    return state[0] == "c" and state[5] == "mug" and state[6] != "dt"


def is_goal(state: State) -> bool:
    """At the couch with the cup, and knowing it."""
    return state[0] == "c" and state[5] == "mug" and state[6] == "dt"


def problem_in(state: State) -> RobotProblem:
    """The first problem that holds."""
    base, objects, jug, bowl, cup, _, table = state
    if table != "dt":
        return RobotProblem.LOST
    if cup == "gripper":
        return RobotProblem.NONE
    if base != objects:
        return RobotProblem.ELSEWHERE
    if jug == "occluding":
        return RobotProblem.NOT_VISIBLE
    return RobotProblem.NOT_GRASPABLE if bowl == "above_mug" else RobotProblem.NONE


@cache
def steps_from(starts: frozenset[State]) -> dict[State, int]:
    """Steps to the goal from every state that can be reached from these, by search."""
    reached, waiting = set(starts), deque(starts)
    before: dict[State, set[State]] = {}
    while waiting:
        state = waiting.popleft()
        for following in {after(state, action) for action in ACTIONS}:
            before.setdefault(following, set()).add(state)
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    steps = {state: 0 for state in reached if is_goal(state)}
    waiting = deque(steps)
    while waiting:
        following = waiting.popleft()
        for state in before[following] - steps.keys():
            steps[state] = steps[following] + 1
            waiting.append(state)
    return steps


# -- the fit -----------------------------------------------------------------------------------------------------------


def fit_kind(data: Interventions, kind: QuestionKind) -> KindFit:
    """The model of one kind of question, from all rows."""
    right, everybody = right_answers(data, kind), np.ones(len(data), dtype=np.bool_)
    columns, sizes = _columns(data, kind, FEATURES)
    found = _fit(columns, right, everybody, _best_pull(data, columns, right, everybody))
    parts = [[round(float(number), 6) for number in part] for part in np.split(found, np.cumsum([1, *sizes[:-1]]))]
    (start,), problems, steps, ratings, supports = parts
    certainties = {
        support.key: tuple(
            int((data.certainty[shown_rows(data, kind, support)] == rating).sum()) for rating in CERTAINTIES
        )
        for support in SUPPORTS
    }
    problem, step = _situations(data)
    return KindFit(
        level={support.key: round(start + more, 6) for support, more in zip(SUPPORTS, [0.0, *supports], strict=True)},
        certainty=(ratings[0], ratings[1], 0.0, ratings[2], ratings[3]),
        certainties=certainties,
        strength=best_strength(data, right, _chances(columns, found), everybody),
        problem=dict(zip(RobotProblem, [*problems, 0.0], strict=True)),
        steps=(0.0, *steps),
        situations=tuple(
            AskedSituation(
                name, number, tuple(int((rows & (data.certainty == rating)).sum()) for rating in CERTAINTIES)
            )
            for name in RobotProblem
            for number in range(1, MOST_STEPS + 1)
            if (rows := (problem == name) & (step == number)).any()
        ),
    )


def held_out(
    data: Interventions,
    kind: QuestionKind,
    *,
    among: Collection[str] = tuple(VARIANTS),
    repeats: int = REPEATS,
    seed: int = 0,
) -> dict[str, Any]:
    """Brier scores of some of `VARIANTS` on people that they have not seen; `model` is what is shipped.

    Rows are averaged over the repeats; the intervals are a bootstrap over people.
    """
    random = np.random.default_rng(seed)
    right, people = right_answers(data, kind), np.unique(data.person)
    errors = {name: np.zeros(len(data)) for name in among}
    columns = {name: _columns(data, kind, VARIANTS[name][0])[0] for name in among}
    for _ in range(repeats):
        drawn = random.permutation(people)
        for number in range(PARTS):
            test = np.isin(data.person, drawn[number::PARTS])
            for name in among:
                features, has_record = VARIANTS[name]
                pull = _best_pull(data, columns[name], right, ~test) if features else TINY
                chances = _chances(columns[name], _fit(columns[name], right, ~test, pull))
                if has_record:
                    chances = with_record(data, right, chances, best_strength(data, right, chances, ~test))
                errors[name][test] += ((chances - right) ** 2)[test] / repeats
    return {name: _brier(data, error, random) for name, error in errors.items()} | {"people": len(people)}


def _situations(data: Interventions) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Problem and steps of every row."""
    steps = steps_from(
        frozenset(state for state, step in zip(data.state, data.step.tolist(), strict=True) if step == 0)
    )
    problems = np.array([str(problem_in(state)) for state in data.state])
    return problems, np.array([min(steps[state], MOST_STEPS) for state in data.state])


def _columns(data: Interventions, kind: QuestionKind, features: Collection[str]) -> tuple[Vector, list[int]]:
    """A column of ones, then one per value of each feature but its reference, and how many of each."""
    problem, step = _situations(data)
    blocks = {
        "problem": [problem == name for name in RobotProblem if name is not RobotProblem.NONE],
        "steps": [step == number for number in range(2, MOST_STEPS + 1)],
        "certainty": [data.certainty == rating for rating in CERTAINTIES if rating != 3],
        "support": [shown_rows(data, kind, support) for support in SUPPORTS[1:]],
    }
    taken = [blocks[name] for name in FEATURES if name in features]
    columns = [np.ones(len(data)), *(column for block in taken for column in block)]
    return np.column_stack(columns).astype(np.float64), [len(block) for block in taken]


def _fit(columns: Vector, right: Vector, rows: Rows, pull: float) -> Vector:
    """A regression on some rows, pulled towards their overall share."""
    penalty = np.full(columns.shape[1], pull)
    penalty[0] = TINY
    return fit(columns[rows], right[rows], penalty)


def _chances(columns: Vector, found: Vector) -> Vector:
    return np.asarray(1.0 / (1.0 + np.exp(-(columns @ found))))


def _best_pull(data: Interventions, columns: Vector, right: Vector, rows: Rows) -> float:
    """The pull that serves best on people held out among some of the people."""
    people = np.unique(data.person[rows])
    tests = [np.isin(data.person, people[number::4]) for number in range(4)]

    def loss(pull: float) -> float:
        guesses = [_chances(columns, _fit(columns, right, rows & ~test, pull)) for test in tests]
        return sum(float(((guess - right) ** 2)[test].sum()) for guess, test in zip(guesses, tests, strict=True))

    return min(PULLS, key=loss)


def _brier(data: Interventions, error: Vector, random: np.random.Generator) -> dict[str, Any]:
    return {"brier": round(float(error.mean()), 5), "ci": interval(data.person, error, random)}


if __name__ == "__main__":
    main()
