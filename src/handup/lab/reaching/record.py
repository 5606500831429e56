"""Everything that reports and pages say, as one plain record: tables and words are made of it and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from handup.confidence.bootstrap import Estimate
from handup.domains.reaching import Strategy, scene
from handup.lab.reaching import failures
from handup.lab.reaching.chosen import Close, all_of, table_2
from handup.lab.reaching.claim import Variance
from handup.lab.reaching.claims import ASKED
from handup.lab.reaching.definition import LOOK_AHEADS_S, MIXED, of_look_ahead
from handup.lab.reaching.judging import Judged, effects
from handup.lab.reaching.orderings import orderings
from handup.lab.reaching.results import WITHOUT_RULE, Results, Where
from handup.lab.reaching.studies import (
    ALL,
    COMPLEX,
    GENTLE,
    GOAL,
    HO,
    HO_YIELDS,
    LOOK_AHEAD,
    MANUAL,
    OURS,
    PAPER,
)
from handup.lab.study.anova import Effect

KIND, SCHEMA = "reaching-study", 1
USERS = (*map(str, Strategy), MIXED)
MEASURES = (
    *("success", "first_success", "total_s", "time_s", "mode_changes", "joystick_input", "opposing", "all_opposing"),
    *("predicted", "questions"),
)
SHOWN = ("success", "total_s", "time_s", "mode_changes", "joystick_input", "opposing", "predicted", "questions")
"""Of single tasks."""
BARS = (MANUAL, HO, HO_YIELDS, PAPER, OURS)
"""Methods that bar plots show, as in the paper, and ours."""
VERSUS = ("success", "total_s", "all_opposing", "questions")
FEW = ("success", "total_s", "all_opposing", "questions")
POSES = {"listed": True, "not listed": False}
"""Whether the robot knew the wanted pose."""


def record(results: Results, judged: Sequence[Judged], close: Mapping[str, Close]) -> dict[str, Any]:
    """The record.

    Args:
        results: The trials.
        judged: The claims.
        close: Trials that are looked at closely, by figure.
    """
    study, size = results.study, results.size
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "name": study.name,
        "command": size.command(study),
        "evidence": "simulated",
        "assumed": "people, scenes' coordinates, noise",
        "trials": results.trials,
        "seeds": {each.name: [size.first_of(each), size.seeds_of(each)] for each in study.parts},
        "means": _means(results),
        "task_measures": list(SHOWN),
        "tasks": _tasks(results),
        "table_1": {user: _table_1(results, user) for user in map(str, Strategy)},
        "table_2": table_2(all_of(close.get("fig-4", {}))),
        "variance": list(_variance(results)),
        "versus": {
            name: {user: _versus(results, Where(part=ALL, scene=name, user=user)) for user in USERS}
            for name in study.main.scenes
        },
        "versus_listed": {
            name: _versus(results, Where(part=ALL, scene=name, listed=True), ("total_s",))["total_s"]
            for name in study.main.scenes
        },
        "asked": {each: _asked(results, each) for each in (PAPER, OURS)},
        "goal": _goal(results),
        "look_ahead": _look_ahead(results),
        "look_ahead_beside": {each: _by_scene(results, each) for each in (MANUAL, HO, OURS)},
        "gentle": {method: _some(results, method, Where(part=GENTLE), FEW) for method in study.part(GENTLE).methods},
        "failures": failures.causes(results),
        "faster_alone": {user: _faster_alone(results, user) for user in USERS},
        "close": {
            name: {what: list(dict.fromkeys(each.label for each in some)) for what, some in looked_for.items()}
            for name, looked_for in close.items()
        },
        "orderings": orderings(judged),
        "claims": [each.to_json() for each in judged],
    }


def _numbers(found: Estimate) -> list[float]:
    return [_short(each) for each in (found.value, *found.ci)]


def _short(value: float) -> float:
    return float(f"{value:.4g}") + 0.0  # no -0


def _some(results: Results, method: str, where: Where, measures: Iterable[str]) -> dict[str, list[float]]:
    return {name: _numbers(found) for name, found in results.means(method, where, measures).items()}


def _means(results: Results) -> dict[str, Any]:
    """By scene, user and method."""
    part = results.study.main
    return {
        name: {
            user: {
                method: _some(results, method, Where(part=ALL, scene=name, user=user), MEASURES)
                for method in part.methods
            }
            for user in USERS
        }
        for name in part.scenes
    }


def _tasks(results: Results) -> dict[str, Any]:
    """Means with intervals by task, user and method, in the order of `SHOWN`; null where every trial failed."""
    return {
        f"{name} {task}": {
            user: {
                method: _shown(results, method, Where(part=ALL, scene=name, task=task, user=user)) for method in BARS
            }
            for user in USERS
        }
        for name in results.study.main.scenes
        for task in scene(name).tasks
    }


def _shown(results: Results, method: str, where: Where) -> list[list[float] | None]:
    found = _some(results, method, where, SHOWN)
    return [found.get(each) for each in SHOWN]


def _table_1(results: Results, user: str) -> dict[str, Any]:
    where = Where(part=ALL, scene="S1", task="cup/top", user=user)
    return {method: _some(results, method, where, SHOWN) for method in results.study.main.methods}


def _variance(results: Results) -> Iterable[dict[str, Any]]:
    """Analyses of variance of the paper's three methods, with its rule of exclusion and without."""
    for name in results.study.main.scenes:
        for user in map(str, Strategy):
            for measure in ("time_s", "mode_changes", "joystick_input"):
                for chosen in (measure, WITHOUT_RULE[measure]):
                    where = Where(part=ALL, scene=name, user=user)
                    found = effects(Variance(measure=chosen, where=where, methods=ASKED), results)
                    if found is not None:
                        method, both = found["method"], found["method × task"]
                        yield {
                            "scene": name,
                            "user": user,
                            "measure": chosen,
                            "people": method.units,
                            "method": _effect(method),
                            "both": _effect(both),
                        }


def _effect(effect: Effect) -> list[float | None]:
    """F, its degrees of freedom, ε and p; no number where F has no end."""
    numbers = (effect.f, *effect.df, effect.epsilon, effect.p)
    return [_short(each) if np.isfinite(each) else None for each in numbers]


def _asked(results: Results, method: str) -> list[int]:
    """Questions, and trials in which they were asked or not: all scenes and users, and the goal."""
    rows = [row for part in (ALL, GOAL) for row in results.rows(method, Where(part=part))]
    return [sum(each.questions for row in rows for each in row.attempts), len(rows)]


def _versus(results: Results, where: Where, measures: Sequence[str] = VERSUS) -> dict[str, list[float]]:
    """What `assist` has more than the paper's policy: mean, interval, p, people."""
    found = {}
    for measure in measures:
        gap = results.difference(measure, OURS, PAPER, where)
        found[measure] = [_short(each) for each in (gap.mean, *gap.ci, gap.p, gap.units)]
    return found


def _goal(results: Results) -> dict[str, Any]:
    where = Where(part=GOAL, scene=COMPLEX)
    tasks = {}
    for task in scene(COMPLEX).tasks:
        at = Where(part=GOAL, scene=COMPLEX, task=task)
        gap = results.difference("total_s", OURS, MANUAL, at)
        tasks[task] = [_short(each) for each in (gap.mean, *gap.ci)]
    return {
        "methods": {each: _some(results, each, where, MEASURES) for each in results.study.part(GOAL).methods},
        "ratio": {each: _ratio(results, each, where) for each in ("total_s", "time_s")},
        "slower_s": tasks,
        "poses": {name: _by_pose(results, listed=listed) for name, listed in POSES.items()},
        "failures": failures.causes(results, part=GOAL),
    }


def _ratio(results: Results, measure: str, where: Where) -> list[float] | None:
    found = results.ratio(measure, OURS, MANUAL, where)
    return None if found is None else _numbers(found)


def _by_pose(results: Results, *, listed: bool) -> dict[str, Any]:
    """The goal's trials in which the robot knew the wanted pose, or did not: how many, and what they came to."""
    where = Where(part=GOAL, scene=COMPLEX, listed=listed)
    people = len(results.rows(OURS, where))
    methods = results.study.part(GOAL).methods if people else ()
    return {"people": people, "methods": {each: _some(results, each, where, MEASURES) for each in methods}}


def _look_ahead(results: Results) -> dict[str, Any]:
    return {f"{seconds:g}": _by_scene(results, of_look_ahead(seconds)) for seconds in LOOK_AHEADS_S}


def _by_scene(results: Results, method: str) -> dict[str, Any]:
    """A method of the sweep of T."""
    part = results.study.part(LOOK_AHEAD)
    return {name: _some(results, method, Where(part=part.name, scene=name), FEW) for name in part.scenes}


def _faster_alone(results: Results, user: str) -> dict[str, list[str]]:
    """Tasks on which a person alone is faster on average, all attempts counted, than with each of two methods."""
    found: dict[str, list[str]] = {PAPER: [], OURS: []}
    for name in results.study.main.scenes:
        for task in scene(name).tasks:
            where = Where(part=ALL, scene=name, task=task, user=user)
            alone = results.values("total_s", MANUAL, where).mean()
            for method, tasks in found.items():
                if alone < results.values("total_s", method, where).mean():
                    tasks.append(f"{name} {task}")
    return found
