"""Steps from recorded plates to planners: record, train, calibrate, compare."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import norm

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.plate_models import DifferencePlanner, LatentPlanner, card_of
from handup.domains.plate.policies import LETTERS, TUNED, FixedSequence, PlatePolicy, PlateSight
from handup.domains.plate.primitives import Floats, PlateFood, PlatePrimitive
from train.logistic import fit as logistic
from train.plate import dynamics
from train.plate.difference import Branches, GreedyValues, fit, read
from train.plate.episodes import Episodes, branches, random_episodes, record
from train.plate.evaluate import cleared_by, table
from train.plate.export import export_latent, export_values

FIRST = {"branches": 950_000, "episodes": 970_000, "again": 980_000, "evaluate": 930_000}
"""Seed of the first plate of each step. Tuning plates begin at 910,000 (beans) and 920,000."""
UNCALIBRATED = {"slope": 20.0, "shift": 0.0}
BINS = 10
CURVE = (250, 500, 1000, 2000)
"""Pairs of the learning curve."""


def record_branches(asked: argparse.Namespace) -> None:
    """Record pairs that part, and acquire from then on."""
    food = PlateFood(asked.food)
    record(_folder(asked), "branches", FIRST["branches"], asked.plates, partial(branches, food))


def record_episodes(asked: argparse.Namespace) -> None:
    """Record random episodes."""
    food = PlateFood(asked.food)
    record(_folder(asked), "episodes", FIRST["episodes"], asked.plates, partial(random_episodes, food))


def record_again(asked: argparse.Namespace) -> None:
    """Record pairs that part, and then do what the first pairs taught: one policy iteration."""
    food = PlateFood(asked.food)
    follow = GreedyValues(fit(read(_folder(asked), food, ["branches"]), seed=0), food)
    record(_folder(asked), "again", FIRST["again"], asked.plates, partial(branches, food, follow=follow))


def train_difference(asked: argparse.Namespace) -> None:
    """Train the networks of the difference planner on all pairs, and export them, not yet calibrated."""
    food, seed = PlateFood(asked.food), asked.seeds[0]
    pairs = read(_folder(asked), food)
    values = fit(pairs, seed=seed)
    record_of = {**_record("difference", asked), "pairs": len(pairs.left), "calibration": UNCALIBRATED}
    asked.out.mkdir(parents=True, exist_ok=True)
    export_values(values, str(food), asked.out, record_of)


def held_out(pairs: Branches, taught: NDArray[np.int64], seed: int, folds: int = 5) -> dict[str, float]:
    """Return how well D is estimated on plates that were not trained on, and what choosing by it brings a decision.

    `swapped` is that with the mask of another plate with as many actions left: what knowing the clock alone brings.

    Args:
        pairs: All pairs, on which it is scored, in folds.
        taught: Those of them that are learned from, but for those of the fold.
        seed: Source of chance.
        folds: Number of folds.
    """
    fold = pairs.seeds % folds
    gaps, swapped, random = np.zeros(len(fold)), np.zeros(len(fold)), np.random.default_rng(seed)
    for number in range(folds):
        here = np.flatnonzero(fold == number)
        values = fit(pairs.rows(taught[fold[taught] != number]), seed=seed)
        gaps[here] = values.values(pairs.features[here])[:, 1]
        for left in np.unique(pairs.left[here]):
            same = here[pairs.left[here] == left]
            swapped[same] = gaps[random.permutation(same)]
    true = pairs.total[:, 1] - pairs.total[:, 0]
    brought = {name: np.where(gap > 0.0, true, 0.0) for name, gap in (("own", gaps), ("swapped", swapped))}
    clear = np.abs(true) > 0.01
    return {
        "correlation": round(float(np.corrcoef(gaps, true)[0, 1]), 3),
        "sign": round(float(((gaps > 0.0) == (true > 0.0))[clear].mean()), 3),
        "majority": round(float(max((true > 0.0)[clear].mean(), (true < 0.0)[clear].mean())), 3),
        "pushes": round(float((gaps > 0.0).mean()), 3),
        "changed by a swapped mask": round(float(((gaps > 0.0) != (swapped > 0.0)).mean()), 3),
        **{f"gain, {name} mask": round(float(gain.mean()), 4) for name, gain in brought.items()},
        "its 95 %": round(float(1.96 * brought["own"].std() / np.sqrt(len(true))), 4),
    }


def learning_curve(asked: argparse.Namespace) -> None:
    """Print how well D is estimated from ever more pairs."""
    pairs, seed = read(_folder(asked), PlateFood(asked.food)), asked.seeds[0]
    order = np.random.default_rng(seed).permutation(len(pairs.left))
    for count in [*(count for count in CURVE if count < len(order)), len(order)]:
        print(count, held_out(pairs, order[:count], seed), flush=True)


def train_latent(name: str, asked: argparse.Namespace) -> None:
    """Train the RSSM or the small model on all episodes with each seed, and export that of the first."""
    food, folder = PlateFood(asked.food), _folder(asked)
    data, weights = packed(folder), folder / "weights"
    weights.mkdir(exist_ok=True)
    for seed in asked.seeds:
        if not (weights / f"{name}-{seed}.json").exists():
            settings = dynamics.Fit(steps=asked.steps, seed=seed, kl_steps=asked.kl_steps)
            dynamics.train(data, weights, name, settings, turns=food is PlateFood.NOODLES)
    seed = asked.seeds[0]
    members = [
        dynamics.load_weights(dynamics.MODELS[name](), weights / f"{name}-{seed}-{member}.npz")
        for member in range(dynamics.MEMBERS[name])
    ]
    fitted = json.loads((weights / f"{name}-{seed}.json").read_text(encoding="utf-8"))
    card = {**_record(name, asked), "training": fitted, "alpha": 1.0, "calibration": UNCALIBRATED}
    out = asked.out if name == "small" else folder
    out.mkdir(parents=True, exist_ok=True)
    export_latent(name, str(food), members, out, card)


def packed(folder: Path) -> Path:
    """Return one file of all episodes, which can also be carried to a machine with a GPU."""
    paths = [path for name in FIRST for path in sorted(folder.glob(f"{name}-*.npz")) if ".part" not in path.name]
    Episodes.read(paths).write(folder / "packed.npz")
    return folder / "packed.npz"


# Calibration by the fair oracle


def judged(path: Path, food: PlateFood) -> tuple[list[PlateSight], Floats, NDArray[np.int64]]:
    """Return what was seen where the fair oracle weighed both primitives, and the probability that a push is better.

    The third part are the numbers of the plates.

    Args:
        path: Lines of `python -m benchmarks.plate gate --json`.
        food: The food.
    """
    sights, better, plates, engine = [], [], [], engine_of(food)
    for number, line in enumerate(map(json.loads, path.read_text(encoding="utf-8").splitlines())):
        world = ClearingWorld(engine, seed=line["seed"])
        masks, done = [world.mask()], list[PlatePrimitive]()
        for letter in line["played"]["fair oracle"]:
            values = line["values"].get("".join("ag"[primitive is PlatePrimitive.GROUP] for primitive in done), {})
            left = food.actions - world.actions
            pushed = [value for opening, value in values.items() if opening.startswith("g")]
            if left > 1 and pushed and "a" in values:
                push, acquire = max(pushed), values["a"]
                error = max(float(np.hypot(push[1], acquire[1])), 1e-3)
                plates.append(number)
                sights.append(PlateSight(masks=tuple(masks), done=tuple(done), left=left))
                better.append(norm.cdf((push[0] - acquire[0]) / error))
            done.append(LETTERS[letter])
            world.act(done[-1])
            masks.append(world.mask())
    return sights, np.array(better), np.array(plates)


def calibrate(asked: argparse.Namespace) -> None:
    """Fit the probability that the chosen primitive is better to the fair oracle's labels; write it on the cards."""
    food = PlateFood(asked.food)
    if asked.labels is None:
        print("not calibrated: give --labels, lines of python -m benchmarks.plate gate --json")
        return
    sights, better, plates = judged(asked.labels, food)
    for name, planner in planners(asked).items():
        values = [planner.weigh(sight) for sight in sights]
        gaps = np.array([value.group - value.acquire for value in values])
        columns = np.stack([gaps, np.ones_like(gaps)], axis=1)
        half = plates % 2 == 0
        chance = np.zeros(len(gaps))
        for part in (half, ~half):
            slope, shift = logistic(columns[part], better[part], 1e-3)
            chance[~part] = 1.0 / (1.0 + np.exp(-slope * gaps[~part] - shift))
        slope, shift = logistic(columns, better, 1e-3)
        sure, right = np.where(gaps > 0.0, chance, 1.0 - chance), np.where(gaps > 0.0, better, 1.0 - better)
        found = {
            "states": len(gaps), "right": round(float(right.mean()), 3), "ece": round(_ece(sure, right), 3),
            "acquiring right": round(float(1.0 - better.mean()), 3),
        }  # fmt: skip
        print(name, found)
        path = (asked.out if name != "rssm" else _folder(asked)) / f"{name}_{food}.json"
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        card |= {"calibration": {"slope": round(slope, 4), "shift": round(shift, 4)}, "judged": found}
        path.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _ece(sure: Floats, right: Floats) -> float:
    """Return the mean distance of what is said from what is so, over bins of as many states each."""
    bins = np.array_split(np.argsort(sure, kind="stable"), BINS)
    return float(sum(len(rows) * abs(sure[rows].mean() - right[rows].mean()) for rows in bins) / len(sure))


# Comparison


def planners(asked: argparse.Namespace) -> dict[str, DifferencePlanner | LatentPlanner]:
    """Return the planners that are there."""
    food, folder = PlateFood(asked.food), _folder(asked)
    found: dict[str, DifferencePlanner | LatentPlanner] = {}
    if (asked.out / f"difference_{food}.json").exists():
        found["difference"] = DifferencePlanner(food, asked.out)
    for name, place in (("small", asked.out), ("rssm", folder)):
        if (place / f"{name}_{food}.json").exists():
            found[name] = LatentPlanner.load(name, food, place)
    return found


def evaluate(asked: argparse.Namespace) -> None:
    """Print what all policies clear of fresh plates, paired."""
    food = PlateFood(asked.food)
    policies: dict[str, PlatePolicy] = {"acquire only": FixedSequence(), **TUNED[food]}
    for name, planner in planners(asked).items():
        digest = next(iter(card_of(name, food, asked.out if name != "rssm" else _folder(asked))["digest"].values()))
        policies[f"{name} {digest[:8]}"] = planner
    seeds = range(asked.first or FIRST["evaluate"], (asked.first or FIRST["evaluate"]) + asked.plates)
    rows = cleared_by(food, policies, seeds, _folder(asked) / "cleared")
    print(f"{food}, {asked.plates} plates from seed {seeds[0]:,}")
    print("\n".join(table(rows, ["acquire only", *TUNED[food]])))


def _folder(asked: argparse.Namespace) -> Path:
    return Path(asked.folder) / str(asked.food)


def _record(name: str, asked: argparse.Namespace) -> dict[str, Any]:
    command = f"python -m train.plate --only {name} --food {asked.food}"
    return {"command": command, "seed": asked.seeds[0], "torch": torch.__version__, "date": date.today().isoformat()}


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "branches": record_branches,
    "episodes": record_episodes,
    "again": record_again,
    "difference": train_difference,
    "curve": learning_curve,
    "small": partial(train_latent, "small"),
    "rssm": partial(train_latent, "rssm"),
    "calibrate": calibrate,
    "evaluate": evaluate,
}
