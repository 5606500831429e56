"""The rows of 200 people's remote interventions, checked as their README says."""

from __future__ import annotations

import ast
import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PEOPLE, ROWS = 200, 2_126
ACCURACIES = {"0.0": 1.0, "1.0": 0.9, "2.0": 0.8}
"""Noise level in the data, and how many of the suggestions shown at it are accurate."""

State = tuple[str, ...]
"""Base, objects' place, jug, bowl, cup, gripper, and the name by which the robot calls the table."""


@dataclass(frozen=True, eq=False)
class Interventions:
    """One entry per step that a person took.

    Args:
        person: Who.
        shown: Suggestions shown: NONE, DX, AX or DXAX.
        accuracy: How accurate suggestions were in this person's condition; 1 where none were shown.
        certainty: Self-rated, 1 to 5.
        diagnosis: Whether the diagnosis was right.
        action: Whether the action was the best.
        seconds: From the sight of the problem to the decision.
        step: Order within the person.
        state: The seven variables when the person looked, one row per step.
        chosen: The action that the person chose.
        after: The seven variables after it: for checking the transition rule, never a feature.
    """

    person: NDArray[np.int64]
    shown: NDArray[np.str_]
    accuracy: NDArray[np.float64]
    certainty: NDArray[np.int64]
    diagnosis: NDArray[np.bool_]
    action: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    step: NDArray[np.int64]
    state: tuple[State, ...]
    chosen: tuple[str, ...]
    after: tuple[State, ...]

    def __len__(self) -> int:
        return len(self.person)


def read(folder: Path) -> Interventions:
    """Read `interventions.csv`.

    Raises:
        SystemExit: The folder is absent, or is not the data that this was written for.
    """
    path = folder / "interventions.csv"
    if not path.is_file():
        raise SystemExit(f"no interventions.csv in {folder}; give the folder remote-interventions")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = Interventions(
        person=np.array([int(row["person"]) for row in rows]),
        shown=np.array([row["suggestion_type"] for row in rows]),
        accuracy=np.array([ACCURACIES[row["noise_level"]] for row in rows]),
        certainty=np.array([int(row["diagnosis_certainty"]) for row in rows]),
        diagnosis=np.array([row["optimal_dx"] == "True" for row in rows]),
        action=np.array([row["optimal_ax"] == "True" for row in rows]),
        seconds=np.array([float(row["decision_duration"]) for row in rows]),
        step=np.array([int(row["action_idx"]) for row in rows]),
        state=tuple(_state(row["start_state"]) for row in rows),
        chosen=tuple(row["action"] for row in rows),
        after=tuple(_state(row["next_state"]) for row in rows),
    )
    if len(found) != ROWS or len(np.unique(found.person)) != PEOPLE:
        raise SystemExit(f"{len(found)} rows of {len(np.unique(found.person))} people; {ROWS} of {PEOPLE} expected")
    return found


def _state(words: str) -> State:
    state = tuple(ast.literal_eval(words))
    if len(state) != 7:
        raise SystemExit(f"a state has seven variables, not {len(state)}: {words}")
    return state
