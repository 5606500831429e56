"""Study `interrupt`: a robot that needs help every few minutes, and a person with work of their own.

One robot asks at once, others when they believe that the person is free, and one knows. All meet the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from handup.core.files import shipped_data
from handup.lab.engine import Batch, Columns, Measure, Place, Study, columns_of
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Row, where
from handup.lab.engine.study import count_option, seed_option
from handup.lab.studies.interrupt.watched_person import SENSINGS, WatchedPerson, watch, world
from handup.people.interruptibility import interruptibility_model
from handup.people.levels import Level, LevelEstimate

FIRST_SEED, SESSIONS, QUICK_SESSIONS = 20_000, 120, 12
GATES: Mapping[str, float | None] = {
    "unaware": None,
    "aware": world()["gate"],
    "aware, gate 0.3": 0.3,
    "aware, gate 0.7": 0.7,
    "oracle": None,
}
"""The robots, with the least P(free) at which those that estimate it ask."""
Asks = Callable[[int, int], bool]
"""Function of the time and of the time at which help was first needed: True if the robot asks now."""
MEASURES = (
    Measure(name="robot_tasks", label="tasks of the robot", alike=0.5),
    Measure(name="own_tasks", label="tasks of the person", alike=0.5),
    Measure(name="requests", label="requests", alike=0.5),
    Measure(name="inappropriate", label="inappropriate interruptions", alike=0.5),
    Measure(name="ignored", label="ignored requests", alike=0.5),
    Measure(name="time_to_help_s", label="time to help, s",
            of=lambda row: row["waited_s"] / row["needs"] if row["needs"] else np.nan),
    Measure(name="resumption_s", label="resumption delay per request, s",
            of=lambda row: row["resuming_s"] / row["requests"] if row["requests"] else np.nan),
)  # fmt: skip


@lru_cache(maxsize=256)
def _person(seed: int, sensing: str) -> WatchedPerson:
    return watch(seed, sensing, segments=round(world()["session_s"] / world()["segment_s"]))


@lru_cache(maxsize=256)
def _estimates(seed: int, sensing: str) -> tuple[LevelEstimate, ...]:
    """Return what the shipped model makes of each segment, online."""
    track, found = interruptibility_model().track(), []
    for sighting in _person(seed, sensing).sightings:
        track = track.seen(sighting)
        found.append(track.at(sighting.at_s))
    return tuple(found)


def rule_of(arm: str, seed: int, sensing: str) -> Asks:
    """Return when a robot asks: after `patience_s` also a person who is not free, if they are there."""
    numbers, level, gate = world(), _person(seed, sensing).level, GATES[arm]
    if arm == "unaware":
        return lambda now, needed: True
    if gate is None:
        return lambda now, needed: bool(level[now] >= (Level.FREE if now - needed < numbers["patience_s"] else 1))
    estimates = _estimates(seed, sensing)

    def asks(now: int, needed: int) -> bool:
        there = estimates[now].probabilities[Level.UNKNOWN] < 1.0
        return there and (estimates[now].free >= gate or now - needed >= numbers["patience_s"])

    return asks


def session(seed: int, level: np.ndarray[tuple[int], np.dtype[np.int64]], asks: Asks) -> Row:
    """Return the row of one session.

    The person works on tasks of their own while they are busy, but not while they come, help and find back, or are
    distracted by a request that they ignore. Waiting that the session's end cuts off counts as far as it got.
    """
    numbers, random = world(), np.random.default_rng((seed, 2))
    mean_s, luck = numbers["need_mean_s"] - numbers["need_least_s"], random.random(len(level))
    needs_after = iter((numbers["need_least_s"] + random.exponential(mean_s, len(level))).tolist())
    lost = np.zeros(len(level), dtype=np.bool_)
    row = dict.fromkeys(("requests", "inappropriate", "ignored", "needs"), 0)
    worked = waited = resuming = 0.0
    until, left, needed = 0, next(needs_after), None
    for now, here in enumerate(level.tolist()):
        if needed is None:
            if now < until:
                continue
            worked, left = worked + 1.0, left - 1.0
            if left <= 0.0:
                needed, until, row["needs"] = now, now, row["needs"] + 1
            continue
        waited += 1.0
        if now < until or not asks(now, needed):
            continue
        taken = here > 0 and luck[row["requests"]] < numbers["helps"][here - 1]
        row["requests"] += 1
        row["inappropriate"] += here in (Level.VERY_BUSY, Level.BUSY)
        delay = numbers["resumption_s"][here - 1] if here else 0.0
        if taken:
            comes = numbers["comes_s"][here - 1]
            until, left, needed = now + round(comes + numbers["help_s"]), next(needs_after), None
            waited, resuming = waited + comes, resuming + delay
            lost[now : until + round(delay)] = True
        else:
            row["ignored"] += 1
            until, resuming = now + round(numbers["ignored_after_s"]), resuming + numbers["ignoring"] * delay
            lost[now : now + round(numbers["ignoring"] * delay)] = True
    busy = np.isin(level, (Level.VERY_BUSY, Level.BUSY)) & ~lost
    return {
        "seed": seed,
        "robot_tasks": round(worked / numbers["robot_task_s"], 3),
        "own_tasks": round(float(busy.sum()) / numbers["own_task_s"], 3),
        **row,
        "waited_s": waited,
        "resuming_s": resuming,
    }


def make(batch: Batch) -> Columns:
    """Live through the sessions of a batch with one robot."""
    seeds, sensing = range(batch.first, batch.first + batch.count), batch.place["sensing"]
    return columns_of(session(seed, _person(seed, sensing).level, rule_of(batch.arm, seed, sensing)) for seed in seeds)


STUDY = Study(
    **shipped_data(__file__, "asking_robots.yaml")["study"],
    make=make,
    arms=tuple(GATES),
    ours="aware",
    places=tuple(Place(name=f"{sensing} sensing", settings=where(sensing=sensing)) for sensing in SENSINGS),
    measures=MEASURES,
    claims=read_claims(__file__, "asking_robots.yaml"),
    options=(count_option("Sessions", SESSIONS, QUICK_SESSIONS, least=2, most=5_000), seed_option(FIRST_SEED)),
    block=30,
)
