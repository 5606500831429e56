"""Unit vectors: what is refused, how they are compared, and that writing them down changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from handup.core import BadData, BadRecord
from handup.memory.index import from_text, similarities, to_text, unit

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
vectors = st.integers(1, 70).flatmap(
    lambda dimension: arrays.arrays(np.float64, dimension, elements=numbers).filter(lambda vector: bool(vector.any()))
)


@given(vectors)
def test_a_vector_of_any_size_becomes_one_of_length_1(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    made = unit(vector, len(vector))
    assert made.dtype == np.float32
    assert math.isclose(float(np.linalg.norm(made.astype(np.float64))), 1.0, abs_tol=1e-6)
    assert float(similarities(made[None], made)[0]) == pytest.approx(1.0, abs=1e-6)


@given(vectors)
def test_what_is_written_down_comes_back_bit_for_bit(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    made = unit(vector, len(vector))
    assert from_text(to_text(made), len(made)).tobytes() == made.tobytes()


@pytest.mark.parametrize(
    ("vector", "why"),
    [
        ([0.0, 0.0], "all zeros"),
        ([math.nan, 1.0], "must be finite"),
        ([math.inf, 1.0], "must be finite"),
        ([1.0], "must have 2 numbers, got 1"),
        ([[1.0, 0.0]], "must have 2 numbers, got 1 × 2"),
        (["1", "0"], "must have 2 numbers, got none"),
        ([True, False], "must have 2 numbers, got none"),
        ([[1.0], [1.0, 2.0]], "must have 2 numbers, got none"),
        (None, "must have 2 numbers, got none"),
        (7.0, "must have 2 numbers, got none"),
    ],
)
def test_what_is_no_vector_is_refused(vector: object, why: str) -> None:
    with pytest.raises(BadData, match=why):
        unit(vector, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "!", "AAAA", "AAAAAAAAAAA=", to_text(unit([1.0, 1.0], 2) * 2), "AADAfwAAwH8="])
def test_a_damaged_record_is_told(text: str) -> None:
    with pytest.raises(BadRecord, match="damaged"):
        from_text(text, 2)


def test_a_similarity_does_not_depend_on_what_else_is_compared() -> None:
    random = np.random.default_rng(3)
    rows = np.array([unit(row, 384) for row in random.standard_normal((2100, 384))])
    together = similarities(rows, rows[7])
    assert [float(similarities(row[None], rows[7])[0]) for row in rows[::100]] == together[::100].tolist()
    assert similarities(np.asfortranarray(rows), rows[7]).tolist() == together.tolist()
    assert together.max() <= 1.0


def test_a_vector_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        unit([1.0, 2.0], 2)[0] = 3.0
