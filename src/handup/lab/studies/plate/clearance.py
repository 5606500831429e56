"""Study `plate-clearance`: how much of a plate plain, tuned and learned policies clear, action by action."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handup.core.files import shipped_data
from handup.domains.plate.engines import plate_of
from handup.domains.plate.plate_models import DifferencePlanner, LatentPlanner, card_of
from handup.domains.plate.policies import TUNED, FixedSequence, PlatePolicy, RandomChoice, clear
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from handup.lab.engine import (
    Batch,
    Columns,
    Finding,
    JudgedClaim,
    Measure,
    Place,
    Results,
    Section,
    Study,
    Table,
    Verdict,
    columns_of,
    seed_option,
    where,
)
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Row, Where
from handup.lab.engine.stats import Difference, difference
from handup.lab.engine.study import count_option
from handup.lab.studies.plate.oracle_values import SCORED, constants_digest, oracle_digest, oracle_letters

if TYPE_CHECKING:
    from handup.lab.engine import Drawing

WORDS = shipped_data(__file__, "clearance.yaml")
PLATES, QUICK_PLATES = 100, 4
ALONE, ORACLE = "acquire only", "fair oracle"
PLAIN: Mapping[str, PlatePolicy] = {
    ALONE: FixedSequence(), "group once, first": FixedSequence("g"), "alternate": FixedSequence("ga" * 5),
}  # fmt: skip
TUNED_ARMS = tuple(TUNED[PlateFood.BEANS])
LEARNED = ("small", "difference")
"""The small latent model, and the learned difference between pushing and acquiring."""
FOODS = (PlateFood.BEANS,)
"""Foods for which there are learned policies and values of the oracle."""
OURS = LEARNED[-1]
MOST = max(food.actions for food in FOODS)
SHARE_OF_GAIN = 0.4
"""Least share of the oracle's gain over acquiring alone that the learned planner must reach."""


def policy_of(arm: str, food: PlateFood, seed: int) -> PlatePolicy:
    """Return the policy of an arm for one plate.

    Raises:
        MissingExtra: A learned one needs onnxruntime.
    """
    if arm in PLAIN:
        return PLAIN[arm]
    if arm == "random":
        return RandomChoice(seed)
    if arm in TUNED_ARMS:
        return TUNED[food][arm]
    if arm == ORACLE:
        return FixedSequence(oracle_letters(food, seed))
    return DifferencePlanner(food) if arm == OURS else LatentPlanner.load(arm, food)


def make(batch: Batch) -> Columns:
    """Clear the plates of a batch by one policy."""
    food = PlateFood(batch.place["food"])
    return columns_of(_row(batch.arm, food, plate) for plate in range(batch.first, batch.first + batch.count))


def _row(arm: str, food: PlateFood, plate: int) -> Row:
    seed = SCORED[food] + plate
    outcomes = clear(plate_of(food, seed), policy_of(arm, food, seed))
    taken = [outcome.moved.taken for outcome in outcomes]
    # A plate that is empty early stays cleared.
    taken += [0.0] * (food.actions - len(taken))
    return {
        "plate": plate,
        "taken": [round(sum(taken[: number + 1]), 6) for number in range(food.actions)],
        "lost": round(sum(outcome.moved.lost for outcome in outcomes), 6),
        "pushes": sum(outcome.primitive is PlatePrimitive.GROUP for outcome in outcomes),
    }


def _after(number: int) -> Callable[[Row], float]:
    """Return the function that reads how much was cleared after an action, counted from 1."""
    return lambda row: row["taken"][number - 1] if number <= len(row["taken"]) else math.nan


MEASURES = (
    Measure(name="cleared", label="share cleared", alike=0.01, of=lambda row: row["taken"][-1]),
    Measure(name="pushes", label="pushes a plate", alike=0.1),
    Measure(name="lost", label="share lost", alike=0.01),
    *(Measure(name=f"after {number}", label=f"share cleared after {number}", alike=0.01, of=_after(number))
      for number in range(1, MOST + 1)),
)  # fmt: skip


class ClearanceStudy(Study):
    """Plates that are cleared by many policies, with the gain over acquiring alone beside the oracle's."""

    def versions(self) -> Mapping[str, str]:
        """Return the digests of the physics, of the oracle's values and of the learned models."""
        cards = [card_of(name, food)["digest"] for food in FOODS for name in LEARNED]
        models = hashlib.sha256(repr(cards).encode()).hexdigest()[:12]
        physics = " ".join(constants_digest(food) for food in FOODS)
        return {**super().versions(), "physics": physics, "oracle": oracle_digest(), "models": models}

    def gains(self, results: Results[Any], at: Where) -> Mapping[str, Difference]:
        """Return how much more each policy clears than acquiring alone, paired by plate."""
        return {arm: results.difference("cleared", arm, ALONE, at) for arm in self.arms if arm != ALONE}

    def judge(self, results: Results[Any]) -> tuple[JudgedClaim, ...]:
        """Judge the claims; the share of the oracle's gain is compared plate by plate, too."""
        judged = super().judge(results)
        return tuple(
            self._share_of_gain(results, entry) if entry.claim.name.startswith("share of the gain") else entry
            for entry in judged
        )

    def _share_of_gain(self, results: Results[Any], entry: JudgedClaim) -> JudgedClaim:
        food = next(food for food in FOODS if entry.claim.name.endswith(food))
        at = where(food=str(food))
        ours, alone, fair = (results.by_unit("cleared", arm, at) for arm in (OURS, ALONE, ORACLE))
        found = difference(ours - alone, SHARE_OF_GAIN * (fair - alone))
        share = float((ours - alone).mean() / (fair - alone).mean())
        low, high = found.ci
        verdict = Verdict.HOLDS if low > 0.0 else Verdict.FAILS if high < 0.0 else Verdict.OPEN
        numbers = {
            "share of the oracle's gain over acquiring alone": f"{share:.2f}",
            f"its gain less {SHARE_OF_GAIN:g} times the oracle's": _signed(found),
        }
        claim = replace(entry.claim, untold="")
        return JudgedClaim(claim, Finding(verdict, tuple(numbers.items()), claim.note(verdict)))

    def answer(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> str:
        """Return what looking ahead is worth on each food, in one sentence."""
        parts = [
            f"{_signed(found[OURS])} of a plate of {place.name} ({_signed(found[ORACLE])} is what the oracle adds)"
            for place in self.places
            for found in [self.gains(results, place.settings)]
        ]
        return f"Against acquiring alone the learned planner clears {' and '.join(parts)}."

    def figures(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the share cleared after each action, for each food, and the gains."""
        from handup.lab.studies.plate.figures import gains_figure, progress_figure  # noqa: PLC0415 - drawing is an extra

        return progress_figure(results), gains_figure(results, self.gains)

    def sections(
        self, results: Results[Any], judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]
    ) -> Sequence[Section]:
        """Return the figures, then a table for each food."""
        return (Section("What came out", (*drawings, *(self.gains_table(results, place) for place in self.places))),)

    def gains_table(self, results: Results[Any], place: Place) -> Table:
        """Return what each policy clears, pushes and gains over acquiring alone."""
        found = self.gains(results, place.settings)
        rows = [
            (
                arm,
                *(f"{results.mean(name, arm, place.settings).value:.3f}" for name in ("cleared", "pushes", "lost")),
                _signed(found[arm]) if arm in found else "–",
            )
            for arm in self.arms
        ]
        caption = f"{place.name}: {results.count(place.settings)} plates; gains with 95 % intervals, paired by plate"
        return Table(caption, ("policy", "cleared", "pushes", "lost", "over acquiring alone"), tuple(rows))


def _signed(found: Difference) -> str:
    return f"{found.mean:+.3f} [{found.ci[0]:+.3f}, {found.ci[1]:+.3f}]"


STUDY = ClearanceStudy(
    **WORDS["study"],
    make=make,
    arms=(*PLAIN, "random", *TUNED_ARMS, *LEARNED, ORACLE),
    ours=OURS,
    places=tuple(Place(name=str(food), settings=where(food=str(food))) for food in FOODS),
    measures=MEASURES,
    claims=read_claims(__file__, "clearance.yaml"),
    options=(count_option("Plates of each food", PLATES, QUICK_PLATES, least=2, most=1_000), seed_option(0)),
    unit=("plate",),
    block=10,
)
