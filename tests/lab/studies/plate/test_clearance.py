"""The study of clearing plates: its rows, the oracle's kept values, and the share of the oracle's gain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.core import BadRecord
from handup.domains.plate.engines import plate_of
from handup.domains.plate.policies import FixedSequence, clear, cleared
from handup.domains.plate.primitives import PlateFood
from handup.lab.engine import Columns, Verdict, columns_of
from handup.lab.studies.plate import oracle_values as kept_values
from handup.lab.studies.plate.clearance import ALONE, ORACLE, OURS, STUDY
from handup.lab.studies.plate.oracle_values import SCORED, oracle_letters, oracle_values

FOOD = PlateFood.BEANS
SIZE = STUDY.size(episodes=4)


def batch_of(arm: str, plate: int = 0) -> Columns:
    batch = next(batch for batch in STUDY.batches(SIZE) if batch.arm == arm)
    return STUDY.make(replace(batch, first=plate, count=1, rows=1))


def test_a_row_adds_up_what_was_taken() -> None:
    row = batch_of(ALONE, 3)
    outcomes = clear(plate_of(FOOD, SCORED[FOOD] + 3), FixedSequence())
    assert row["taken"][0][-1] == pytest.approx(cleared(outcomes), abs=1e-6)
    assert row["taken"][0] == sorted(row["taken"][0])
    assert len(row["taken"][0]) == FOOD.actions
    assert row["pushes"] == [0]


def test_every_arm_clears_a_plate() -> None:
    shares = {arm: batch_of(arm)["taken"][0][-1] for arm in STUDY.arms}
    assert all(0.3 < share <= 1.0 for share in shares.values()), shares
    assert len(set(shares.values())) > 1


def test_the_oracle_does_what_its_values_say() -> None:
    values = oracle_values(FOOD)
    assert len(values) >= 100
    for seed, found in values.items():
        letters = oracle_letters(FOOD, seed)
        assert len(letters) <= FOOD.actions
        for number, letter in enumerate(letters):
            assert next(iter(found[letters[:number]])) == letter
    pushes = oracle_letters(FOOD, SCORED[FOOD] + 8).count("g")
    assert batch_of(ORACLE, 8)["pushes"] == [pushes]


def test_values_of_other_physics_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_values, "constants_digest", lambda food: "another")
    with pytest.raises(BadRecord, match="of the physics as it is"):
        oracle_values.__wrapped__(FOOD)


@pytest.mark.parametrize(("ours", "verdict"), [(0.08, Verdict.HOLDS), (0.01, Verdict.FAILS)])
def test_the_share_of_the_gain_is_that_of_paired_plates(ours: float, verdict: Verdict) -> None:
    def share(arm: str, plate: int) -> float:
        return 0.5 + 0.01 * plate + {ALONE: 0.0, ORACLE: 0.1, OURS: ours}.get(arm, -0.1)

    made = {
        batch: columns_of(
            {"plate": plate, "taken": [share(batch.arm, plate)] * FOOD.actions, "lost": 0.0, "pushes": 1}
            for plate in range(batch.first, batch.first + batch.count)
        )
        for batch in STUDY.batches(SIZE)
    }
    judged = STUDY.judge(STUDY.results(SIZE, made))
    found = next(entry.finding for entry in judged if entry.claim.name.startswith("share of the gain"))
    assert (found.verdict, dict(found.numbers)["share of the oracle's gain over acquiring alone"]) == (
        verdict,
        f"{10 * ours:.2f}",
    )
