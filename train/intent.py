"""Fit what pushes say about goals and how fast people get on: `python -m train.intent`.

Simulated people of all strategies reach for every goal of every scene, alone, on seeds that no study uses. Two things
are fitted and written to `src/handup/intent/data/fitted.json`:

- the numbers of the observation model `Directional`, by the log score of the true goal's chance, averaged over every
  moment of every trajectory, so that a model which is sure too early pays for it;
- those of `Seconds`: speeds by least squares on the time that people alone really needed from where they were; how long
  a change of mode took and how hard they pushed, as it was; and, with the fitted model, which share of the time left
  passes until the object is plain, and until the way to grasp it is.

Both are scored on further seeds, the first beside the published model. Nothing about the people is fitted.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from handup.domains.reaching import Scene, SteeringHabit, User, episode, method, scenes
from handup.domains.reaching.trial import PLAN_S
from handup.intent import Assist, Directional, GoalBelief, Huber, Joystick, MaxEnt, Metric, Pose
from handup.intent.push_models import KIND, SCHEMA, Push, cosine
from handup.intent.value import look

OUT = Path(__file__).parents[1] / "src" / "handup" / "intent" / "data" / "fitted.json"
FIRST_SEED = 5000
"""Development seeds begin here; studies use those below 1000."""
START = {
    "translation_slope": 0.6, "translation_switch": 0.5, "rotation_slope": 0.6, "rotation_switch": 0.3,
    "mode": 0.03, "lapse": 0.1, "aimless": 0.08,
}  # fmt: skip
"""Where the search begins."""
UNLISTED = 0.05
"""How often the goal is none of those listed: then its people are scored with their own goal taken off the list."""
PLAIN = 0.7
"""A goal of more chance than this is plain."""
FLOOR = 0.002
"""Chances are scored no lower than the belief keeps them."""
ALIGNED_RAD = 0.15
FULL_M_S, FULL_RAD_S = Directional.full_m_s, Directional.full_rad_s
EVERY = 3
"""Every third plan is fitted to and counts three times: pushes hardly change in between."""
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectory:
    """One attempt: what was pushed, as seen from each goal, and how long it took from there.

    Args:
        goal: The number of the true goal.
        push: One row per `EVERY` plans.
        published: What the published model makes of each row, for each goal.
        left_s: Time to the closing of the hand; nan where that missed or came too late.
        things: The number of the object of each goal.
        changes_s: How long the stick was at rest at each change between moving and turning.
    """

    goal: int
    push: Push
    published: Vector
    left_s: Vector
    things: tuple[int, ...] = (0,)
    changes_s: tuple[float, ...] = ()

    @property
    def siblings(self) -> NDArray[np.bool_]:
        """Which goals are of the object that is wanted."""
        return np.asarray(np.array(self.things) == self.things[self.goal])


def main() -> None:
    """Simulate, fit, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="so many are fitted to, from 5000 on")
    parser.add_argument("--held-out", type=int, default=2, help="so many after them are only scored")
    parser.add_argument("--out", type=Path, default=OUT, help="where the JSON goes")
    given = parser.parse_args()
    split = FIRST_SEED + given.seeds
    ours = simulated(scenes().values(), range(FIRST_SEED, split))
    others = simulated(scenes().values(), range(split, split + given.held_out))
    record = fitted(ours, others)
    record["provenance"] = {
        "script": f"python -m train.intent --seeds {given.seeds} --held-out {given.held_out}",
        "seeds": [FIRST_SEED, split - 1],
        "held_out_seeds": [split, split + given.held_out - 1],
        "trajectories": len(ours),
        "held_out_trajectories": len(others),
        "people": "simulated, alone, all strategies alike, every goal of every scene",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    given.out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=1))


def simulated(places: Iterable[Scene], seeds: Sequence[int]) -> list[Trajectory]:
    """First attempts at all goals, by people of all strategies."""
    return [
        trajectory(place, goal, strategy, seed)
        for place in places
        for goal in place.goals.names
        for strategy in SteeringHabit
        for seed in seeds
    ]


def trajectory(place: Scene, goal: str, strategy: SteeringHabit, seed: int) -> Trajectory:
    """One of them."""
    attempt = episode(place, goal, User(strategy=strategy), method("manual"), seed, record=True).first
    metric, belief = Assist().metric, GoalBelief.uniform(place.goals)
    moments, rows, published = attempt.moments[::EVERY], [], []
    for each in moments:
        pose = Pose(each.position, each.rotation)
        view = look(place.goals, belief.groups, pose, metric)
        along = cosine(view.way[view.nearest], view.metres, each.linear)
        around = cosine(view.turn[view.nearest], view.radians, each.angular)
        rows.append((view.metres, view.radians, along, around))
        said = MaxEnt().log_likelihood(belief, pose, Joystick(each.linear, each.angular), Metric())
        assert said is not None
        published.append(said[:-1])
    metres, radians, along, around = (np.array(column) for column in zip(*rows, strict=True))
    at_s = np.array([each.at_s for each in moments])
    return Trajectory(
        goal=place.goals.index(goal),
        push=Push(
            metres=metres,
            radians=radians,
            along=along,
            around=around,
            moving=np.array([[np.hypot.reduce(each.linear)] for each in moments]) / FULL_M_S,
            turning=np.array([[np.hypot.reduce(each.angular)] for each in moments]) / FULL_RAD_S,
        ),
        published=np.array(published),
        left_s=attempt.time_s - at_s if attempt.success else np.full(len(at_s), np.nan),
        things=tuple(place.goals.objects.index(each.object) for each in place.goals),
        changes_s=changes([Joystick(each.linear, each.angular) for each in attempt.moments]),
    )


def changes(sticks: Sequence[Joystick]) -> tuple[float, ...]:
    """For how long the stick was at rest each time that moving became turning, or turning moving."""
    found, resting, before = [], 0, None
    for each in sticks:
        if each.idle:
            resting += 1
            continue
        if before is not None and each.turns != before:
            found.append(resting * PLAN_S)
        resting, before = 0, each.turns
    return tuple(found)


def fitted(ours: Sequence[Trajectory], others: Sequence[Trajectory]) -> dict[str, Any]:
    """Everything that is shipped but where it comes from."""
    pushes = fit_pushes(ours)
    times = {**fit_times(ours), **settling(pushes, ours)}
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "evidence": "simulated",
        "pushes": pushes,
        "times": times,
        "scores": {
            "log_score": {
                "published": published(ours), "fitted": listed(pushes, ours),
                "published_held_out": published(others), "fitted_held_out": listed(pushes, others),
            },
            "plain_at_the_end": {
                "fitted": plain_at_the_end(pushes, ours), "fitted_held_out": plain_at_the_end(pushes, others),
            },
            "time_error_s": {"fitted": time_error(times, ours), "fitted_held_out": time_error(times, others)},
        },
    }  # fmt: skip


def fit_pushes(found: Sequence[Trajectory], *, most: int = 400) -> dict[str, float]:
    """The numbers of least mean log score, by Nelder and Mead on their logarithms."""
    names = list(START)
    begin = np.log([START[name] for name in names])
    corners = begin + 0.4 * simplex(len(names))
    options: Any = {"maxfev": most, "xatol": 0.01, "fatol": 1e-4, "initial_simplex": corners}

    def loss(x: Vector) -> float:
        return score(dict(zip(names, np.exp(x).tolist(), strict=True)), found)

    best = minimize(loss, begin, method="Nelder-Mead", options=options)
    return {name: round(float(value), 4) for name, value in zip(names, np.exp(best.x), strict=True)}


def simplex(count: int) -> Vector:
    """Corners to begin with: the middle, and a step along each axis."""
    return np.vstack([np.zeros(count), np.eye(count)])


def score(numbers: Mapping[str, float], found: Sequence[Trajectory]) -> float:
    """What is fitted: the log score of listed goals and, as often as there are such, of unlisted ones."""
    if numbers["lapse"] >= 1.0:
        return float("inf")
    model = model_of(numbers)
    unlisted = np.mean([-np.log(chances(model, each, off_the_list=True)).mean() for each in found])
    return (1.0 - UNLISTED) * listed(numbers, found) + UNLISTED * float(unlisted)


def listed(numbers: Mapping[str, float], found: Sequence[Trajectory]) -> float:
    """Mean of minus log the chance of the true goal, over the moments of each trajectory, then over trajectories."""
    model = model_of(numbers)
    return round(float(np.mean([-np.log(chances(model, each)).mean() for each in found])), 4)


def published(found: Sequence[Trajectory]) -> float:
    """The same of the published model."""
    return round(float(np.mean([-np.log(_published(each)).mean() for each in found])), 4)


def _published(each: Trajectory) -> Vector:
    return np.maximum(_chances(EVERY * each.published)[:, each.goal], FLOOR)


def model_of(numbers: Mapping[str, float]) -> Directional:
    """The observation model of these numbers."""
    return Directional(
        translation=Huber(slope=numbers["translation_slope"], sharp=0.0, switch=numbers["translation_switch"]),
        rotation=Huber(slope=numbers["rotation_slope"], sharp=0.0, switch=numbers["rotation_switch"]),
        mode=numbers["mode"],
        lapse=numbers["lapse"],
        aimless=numbers["aimless"],
    )


def all_chances(model: Directional, each: Trajectory, *, off_the_list: bool = False) -> Vector:
    """Of all goals and an unlisted one, moment by moment, from all goals alike at first."""
    odds = EVERY * model.odds(each.push)
    odds[0] += np.log((1.0 - UNLISTED) / odds.shape[1])
    unlisted = np.zeros((len(odds), 1))
    unlisted[0] = np.log(UNLISTED)
    if off_the_list:
        odds = np.delete(odds, each.goal, axis=1)
    return _chances(np.hstack([odds, unlisted]))


def chances(model: Directional, each: Trajectory, *, off_the_list: bool = False) -> Vector:
    """Of the true goal, moment by moment; or of an unlisted one without it."""
    found = all_chances(model, each, off_the_list=off_the_list)[:, -1 if off_the_list else each.goal]
    return np.maximum(found, FLOOR)


def _chances(evidence: Vector) -> Vector:
    logs = np.cumsum(evidence, axis=0)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def plain_at_the_end(numbers: Mapping[str, float], found: Sequence[Trajectory]) -> float:
    """Share of trajectories whose goal is plain when the hand closes."""
    model = model_of(numbers)
    return round(float(np.mean([chances(model, each)[-1] > PLAIN for each in found])), 4)


def settling(numbers: Mapping[str, float], found: Sequence[Trajectory]) -> dict[str, float]:
    """Which share of the time left passes until the object is plain, and until the grasp is, where it is not yet."""
    model = model_of(numbers)
    waits: dict[str, list[tuple[float, float]]] = {"objects": [], "grasps": []}
    for each in (each for each in found if np.isfinite(each.left_s).all()):
        weights = all_chances(model, each)
        own = each.siblings
        thing = weights[:, :-1][:, own].sum(axis=1)
        waits["objects"] += _waits(thing, each.left_s)
        if own.sum() > 1:
            waits["grasps"] += _waits(weights[:, each.goal] / np.maximum(thing, FLOOR), each.left_s)
    return {name: round(sum(w for w, _ in all_) / sum(t for _, t in all_), 4) for name, all_ in waits.items() if all_}


def _waits(chance: Vector, left_s: Vector) -> list[tuple[float, float]]:
    """At each moment before it is plain: the time until it is, and the time left."""
    plain = chance > PLAIN
    first = int(plain.argmax()) if plain.any() else len(plain)
    until = left_s[first] if first < len(plain) else 0.0
    return [(float(each - until), float(each)) for each in left_s[:first]]


def fit_times(found: Sequence[Trajectory]) -> dict[str, float]:
    """How hard people pushed, how long they took to change the mode, and their speeds, none below zero."""
    pushed = np.concatenate([np.maximum(each.push.moving, each.push.turning)[:, 0] for each in found])
    pushed = np.minimum(pushed, 1.0)
    changed = [one for each in found for one in each.changes_s]
    switch_s = round(float(np.mean(changed)), 3)
    columns, switching, left = _times(found)
    to_move, to_turn, closing_s = nnls(columns, left - switch_s * switching)[0]
    return {
        "push_m_s": round(1.0 / to_move, 4),
        "turn_rad_s": round(1.0 / to_turn, 4),
        "switch_s": switch_s,
        "closing_s": round(float(closing_s), 3),
        "cruise": round(float(np.square(pushed).sum() / pushed.sum()), 4),
    }


def time_error(times: Mapping[str, float], found: Sequence[Trajectory]) -> dict[str, float]:
    """How far the time that is left is misjudged, in the mean and by size."""
    columns, switching, left = _times(found)
    moving = columns @ [1.0 / times["push_m_s"], 1.0 / times["turn_rad_s"], times["closing_s"]]
    error = moving + times["switch_s"] * switching - left
    return {"mean": round(float(error.mean()), 3), "mean_size": round(float(np.abs(error).mean()), 3)}


def _times(found: Sequence[Trajectory]) -> tuple[NDArray[np.float64], Vector, Vector]:
    done = [each for each in found if np.isfinite(each.left_s).all()]
    metres = np.concatenate([each.push.metres[:, each.goal] for each in done])
    radians = np.concatenate([each.push.radians[:, each.goal] for each in done])
    left = np.concatenate([each.left_s for each in done])
    changes_of_mode = 2.0 * np.minimum(radians / ALIGNED_RAD, 1.0)
    return np.column_stack([metres, radians, np.ones(len(left))]), changes_of_mode, left


if __name__ == "__main__":
    main()
