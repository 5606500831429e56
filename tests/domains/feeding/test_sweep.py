"""The sweep measures what it says, and tuning never sees the published seeds."""

from handup.domains.feeding import Skill
from handup.domains.feeding.sweep import PUBLISHED_SEEDS, TUNING_SEEDS, sweep


def test_tuning_and_published_seeds_are_apart() -> None:
    assert not set(TUNING_SEEDS) & set(PUBLISHED_SEEDS)


def test_far_beside_fails_and_right_there_works() -> None:
    rows = list(sweep("tofu", [901], errors_mm=(45.0,), errors_deg=(90.0,)))
    assert {row.skill for row in rows if row.kind == "fitting"} == {Skill.SKEWER, Skill.SCOOP}
    assert {row.skill for row in rows if row.kind == "wrong"} == {Skill.TWIRL}
    right = [row.ok for row in rows if row.kind == "fitting" and row.error_mm == row.error_deg == 0.0]
    far = [row.ok for row in rows if row.error_mm == 45.0]
    assert len(right) == 6 and sum(right) / len(right) > sum(far) / len(far)
