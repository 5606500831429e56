"""Made-up trials: rows that say what a test wants them to say, for the whole study without running it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from handup.domains.reaching import scene
from handup.lab.engine.results import columns_of
from handup.lab.engine.study import Batch
from handup.lab.studies.reaching.results import ReachingResults
from handup.lab.studies.reaching.study import STUDY
from handup.lab.studies.reaching.trials import FIRST_TRYING, user_of

Attempt = dict[str, Any]
Make = Callable[[Batch, str, int], tuple[Attempt, ...]]
"""The attempts of a trial, from its batch, task and seed."""
COUNTS = ("opposing", "wrongly_sure", "questions", "wrong_answers", "touching")
ATTEMPT: Attempt = {
    **{"strategy": "stop-beside", "ending": "grasped", "time_s": 20.0, "mode_changes": 2, "joystick_input": 500.0},
    **{"predicted": True, "sure_of": ""},
    **dict.fromkeys(COUNTS, 0),
}
FAILED = {**ATTEMPT, "ending": "too late", "time_s": 100.0}
SIZE = STUDY.size(seed=FIRST_TRYING)
"""Trials are made up, but some are done again for figures: never with the study's own seeds."""
SPEED = {"manual": 30.0, "ho": 40.0, "ho+no-assist": 35.0, "paper": 20.0, "assist": 15.0}
"""As the paper would have it, and with `assist` before it."""
NOTHING_CLOSE: dict[str, Any] = {"fig-4": {}, "fig-6": {}, "fig-14": {}}


def as_claimed(batch: Batch, task: str, seed: int) -> tuple[Attempt, ...]:
    """What the paper claims, with some noise; HO fails twice for every other person in U22."""
    noise = float(np.random.default_rng([seed, len(task), len(batch.place["scene"])]).random())
    speed = SPEED.get(batch.arm, 33.0) + noise
    attempt = {
        **ATTEMPT,
        "time_s": speed,
        "mode_changes": round(speed),
        "joystick_input": 20.0 * speed,
        "opposing": {"assist": 0.0, "manual": 0.0, "paper": 0.03}.get(batch.arm, 0.4) + 0.01 * noise,
        "predicted": batch.arm in ("paper", "assist"),
        "questions": int(batch.arm == "paper"),
    }
    return (FAILED, FAILED) if batch.arm == "ho" and seed % 2 and batch.place["scene"] == "U22" else (attempt,)


def results(make: Make, *, seeds: int = 12, unlisted: int = 0) -> ReachingResults:
    """Trials of all parts, none of them done again; every so many people want a pose that is not listed."""
    parts = {name: {**part, "seeds": (part["seeds"][0], seeds)} for name, part in STUDY.parts.items()}
    study = replace(STUDY, parts=parts)
    made = {
        batch: columns_of(
            {
                "task": task,
                "strategy": str(user_of(batch.place["user"], seed).strategy),
                "seed": seed,
                "listed": not unlisted or seed % unlisted != 0,
                "attempts": list(make(batch, task, seed)),
            }
            for task in scene(batch.place["scene"]).tasks
            for seed in range(batch.first, batch.first + batch.count)
        )
        for batch in study.batches(SIZE)
    }
    found = ReachingResults(study, SIZE, made)
    found.__dict__["close"] = NOTHING_CLOSE
    return found
