"""Trials of the study of reaching: its parts, how the rows of a batch are made, and what is measured of a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from handup.core.files import shipped_data
from handup.domains.reaching import AttemptEnding, ReachAttempt, Rules, SteeringHabit, User, scene, scenes
from handup.domains.reaching.episode import SURE, episode, helped_by
from handup.intent import PRESETS, Helper, Paper, Points, helper_of
from handup.intent.command import ALPHA
from handup.lab.engine.claims import Measure, Row, Where
from handup.lab.engine.results import Columns, columns_of
from handup.lab.engine.study import Batch, Place

LAST_SEED, FIRST_TRYING = 999, 5000
"""The study has seeds up to the first; those from the second on are for trying things out while code is written."""
OURS, PAPER, MANUAL, HO, HO_YIELDS = "assist", "paper", "manual", "ho", "ho+no-assist"
NO_QUESTIONS, ALWAYS_HELPS, NO_HO = "paper+no-questions", "paper+without-no-assist", "paper+no-ho"
ALL, GOAL, LOOK_AHEAD, GENTLE = "all", "goal", "look-ahead", "gentle"
SCENES = tuple(scenes())
COMPLEX = "U22"
MIXED = "mixed"
"""All three strategies; where a seed has only one of them, they take turns."""
STRATEGIES = tuple(map(str, SteeringHabit))
USERS = (*STRATEGIES, MIXED)
LOOK_AHEADS_S = (0.1, 0.3, 1.0, 2.0)
PRESET_S = Points().look_ahead_s
"""The look-ahead of the preset `paper`."""
DIGITS = 5


def of_look_ahead(seconds: float) -> str:
    """Return the name of the paper's policy with another look-ahead T."""
    return f"paper, T = {seconds:g} s"


def helper(name: str) -> Helper:
    """Return the helper of a method of the study.

    Raises:
        UnknownMethod: There is none.
    """
    for seconds in LOOK_AHEADS_S:
        if name == of_look_ahead(seconds):
            return replace(Paper(), name=name, points=Points(look_ahead_s=seconds))
    return helper_of(name)


def at(user: str = MIXED, name: str = "", task: str = "", *, part: str = ALL, listed: bool | None = None) -> Where:
    """Return which trials: of a strategy or all of them, of a scene and task or all, with a known pose or either."""
    given = {"part": part, "scene": name, "task": task, "strategy": "" if user == MIXED else user, "listed": listed}
    return tuple((key, value) for key, value in given.items() if value not in ("", None))


PARTS: dict[str, dict[str, Any]] = {
    name: {"methods": tuple(PRESETS), "scenes": SCENES, "users": STRATEGIES, "alpha": ALPHA, **fields}
    for name, fields in shipped_data(__file__, "parts.yaml").items()
}
"""Trials that belong together: all methods of a part have the same people, wishes and noise, by the seed. Users are
strategies, each with all seeds; or `MIXED` alone, where each seed has one of them in turn."""
PLACES = tuple(
    Place(
        name=f"{name}, {table}, {user} users",
        settings=(("part", name), ("scene", table), ("user", user), ("alpha", part["alpha"])),
        arms=tuple(part["methods"]),
    )
    for name, part in PARTS.items()
    for table in part["scenes"]
    for user in part["users"]
)


def user_of(user: str, seed: int) -> User:
    """Return the kind of person that a seed has among such users."""
    return User(strategy=tuple(SteeringHabit)[seed % len(SteeringHabit)] if user == MIXED else SteeringHabit(user))


def make(batch: Batch) -> Columns:
    """Make the trials of a method in a scene for some seeds, task by task in the order of their seeds."""
    place, method = scene(batch.place["scene"]), helped_by(helper(batch.arm))
    rules, user = Rules(alpha=batch.place["alpha"]), batch.place["user"]
    return columns_of(
        {
            "task": task,
            "strategy": str(trial.strategy),
            "seed": seed,
            "listed": trial.listed,  # whether the robot knew the wanted pose
            "attempts": [attempt_row(attempt, place.goals.names, task) for attempt in trial.attempts],
        }
        for task in place.tasks
        for seed in range(batch.first, batch.first + batch.count)
        for trial in (episode(place, task, user_of(user, seed), method, seed, rules=rules, record=True),)
    )


def attempt_row(attempt: ReachAttempt, names: tuple[str, ...], task: str) -> Row:
    """Return the paper's measures of a recorded attempt, and what the robot believed.

    `sure_of` is the goal that it was surer than .7 of at the end, empty where none; `wrongly_sure` the share of the
    plans at which it was surer than .7 of a goal that is not the task, among the names of the scene's goals.
    """
    beliefs = np.array([moment.belief for moment in attempt.moments if moment.belief])
    watched = attempt.predicted is not None and len(beliefs) > 0
    sure_of = names[int(beliefs[-1].argmax())] if watched and beliefs[-1].max() > SURE else ""
    others = np.delete(beliefs, names.index(task), axis=1) if watched else np.zeros((1, 1))
    return {
        "strategy": str(attempt.strategy),
        "ending": str(attempt.ending),
        "time_s": round(attempt.time_s, 3),
        "mode_changes": attempt.mode_changes,
        "joystick_input": round(attempt.joystick_input, 3),
        "opposing": round(attempt.opposing, DIGITS),
        "predicted": attempt.predicted,
        "sure_of": sure_of,
        "wrongly_sure": round(float((others.max(axis=1, initial=0.0) > SURE).mean()), DIGITS),
        "questions": attempt.questions,
        "wrong_answers": attempt.wrong_answers,
        "touching": round(attempt.touching, DIGITS),
    }


def succeeded(attempt: Row) -> bool:
    """Return whether an attempt ended with the wanted grasp."""
    return bool(attempt["ending"] == AttemptEnding.GRASPED)


def _last(name: str) -> Callable[[Row], float]:
    """By the paper's rule: of the attempt that succeeded, and missing where both failed."""
    return lambda row: row["attempts"][-1][name] if succeeded(row["attempts"][-1]) else nan


def _total(name: str) -> Callable[[Row], float]:
    """Over all attempts: nothing is left out."""
    return lambda row: sum(attempt[name] for attempt in row["attempts"])


def _all_opposing(row: Row) -> float:
    seconds = sum(attempt["time_s"] for attempt in row["attempts"])
    return float(sum(attempt["opposing"] * attempt["time_s"] for attempt in row["attempts"]) / seconds)


def _predicted(row: Row) -> float:
    """Alone, nobody predicts anything."""
    predicted = row["attempts"][-1]["predicted"]
    return nan if row["arm"] == MANUAL or predicted is None else predicted


SHARES = ("success", "first_success", "predicted")
MEASURES = tuple(
    Measure(name=name, label=label, alike=alike, of=of, is_share=name in SHARES)
    for name, label, alike, of in (
        ("success", "share of trials that succeed", 0.02, lambda row: succeeded(row["attempts"][-1])),
        ("first_success", "share of first attempts that succeed", 0.02, lambda row: succeeded(row["attempts"][0])),
        ("time_s", "time (s)", 0.5, _last("time_s")),
        ("mode_changes", "mode changes", 0.2, _last("mode_changes")),
        ("joystick_input", "joystick input", 15.0, _last("joystick_input")),
        ("opposing", "share of the time opposed", 0.01, _last("opposing")),
        ("total_s", "time of all attempts (s)", 0.5, _total("time_s")),
        ("all_mode_changes", "mode changes of all attempts", 0.2, _total("mode_changes")),
        ("all_joystick_input", "joystick input of all attempts", 15.0, _total("joystick_input")),
        ("all_opposing", "share of the time of all attempts opposed", 0.01, _all_opposing),
        ("predicted", "share of goals predicted", 0.03, _predicted),
        ("questions", "questions", 0.1, _total("questions")),
    )
)
WITHOUT_RULE = {"time_s": "total_s"} | {name: f"all_{name}" for name in ("mode_changes", "joystick_input", "opposing")}
"""Measures of the attempt that succeeded, and the same of all attempts."""
