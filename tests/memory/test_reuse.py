"""The paper's C.3, and how far a memory is believed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.memory import MemorySettings, Trust, reused


def test_the_label_gets_its_similarity_and_the_others_share_the_rest() -> None:
    assert reused("plum", 0.94, ("fig", "plum", "pear", "kiwi")) == pytest.approx(
        {"fig": 0.02, "plum": 0.94, "pear": 0.02, "kiwi": 0.02}
    )


def test_where_nothing_else_is_possible_the_label_gets_all() -> None:
    assert reused("plum", 0.94, ["plum"]) == {"plum": 1.0}


@given(st.floats(0.0, 1.0), st.integers(1, 40))
def test_it_is_a_distribution(similarity: float, count: int) -> None:
    names = [f"food {number}" for number in range(count)]
    made = reused(names[-1], similarity, names)
    assert math.isclose(sum(made.values()), 1.0)
    assert list(made) == names
    assert all(0.0 <= each <= 1.0 for each in made.values())


@pytest.mark.parametrize(
    ("label", "similarity", "candidates"),
    [
        ("plum", 0.9, ["fig"]),
        ("plum", 0.9, []),
        ("plum", 0.9, "plum"),
        ("plum", 0.9, ["plum", "plum"]),
        ("plum", 0.9, ["plum", 3]),
        ("plum", 1.1, ["plum"]),
        ("plum", math.nan, ["plum"]),
    ],
)
def test_what_cannot_be_is_refused(label: str, similarity: float, candidates: Any) -> None:
    with pytest.raises(BadSetting):
        reused(label, similarity, candidates)


def test_trust_falls_by_contradiction_and_rises_by_confirmation() -> None:
    trust = Trust()
    assert trust.value == pytest.approx(0.9)
    assert trust.contradicted().value == pytest.approx(0.6)
    assert trust.contradicted().contradicted().value == pytest.approx(0.45)
    assert trust.confirmed().contradicted().value == pytest.approx(0.7)
    assert trust.contradicted().value < MemorySettings().drop_below < trust.confirmed().contradicted().value


def test_an_answer_weighs_by_how_similar_its_input_was() -> None:
    settings = MemorySettings(threshold=0.8, same=0.9)
    assert [settings.weight(each) for each in (0.7, 0.8, 0.85, 0.9, 1.0)] == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    assert MemorySettings(threshold=0.9, same=0.9).weight(0.9) == 1.0


@pytest.mark.parametrize(
    "wrong", [{"threshold": 0.0}, {"threshold": 0.99}, {"same": 1.1}, {"drop_below": -0.1}, {"most": 0}]
)
def test_settings_have_their_ranges(wrong: dict[str, float]) -> None:
    with pytest.raises(BadSetting):
        MemorySettings(**wrong)  # type: ignore[arg-type]
