"""The index finds what brute force finds, bit for bit, whatever is put in and taken out."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.memory import VectorIndex, index
from handup.memory.index import Vector, similarities, unit
from tests.memory.inputs import brute
from tests.soak import swept
from tests.strategies import share_of_examples

FLOORS = (-1.0, 0.0, 0.3, 0.7, 0.8, 0.9, 0.98, 1.0)


def drawn(kind: str, count: int, dimension: int, seed: int) -> list[Vector]:
    """Vectors of a kind: evenly spread, in clusters, many of them equal, or so near that float32 cannot tell."""
    random = np.random.default_rng(seed)
    free = random.standard_normal((count, dimension))
    centres = random.standard_normal((4, dimension))
    rows = {
        "even": free,
        "clusters": centres[random.integers(4, size=count)] + 0.1 * free,
        "equal": centres[random.integers(4, size=count)],
        "near": centres[:1] + 1e-7 * free,
        "few axes": free * (np.arange(dimension) < 3) + 1e-3 * free,
        "tiny": np.where(np.arange(dimension) == 0, 1.0, 1e-30 * free),
    }[kind]
    return [unit(row, dimension) for row in rows]


KINDS = ("even", "clusters", "equal", "near", "few axes", "tiny")
cases = {
    "kind": st.sampled_from(KINDS),
    "count": st.integers(0, 90),
    "dimension": st.sampled_from((1, 2, 5, 33, 70, 140)),
    "seed": st.integers(0, 2**32),
    "floor": st.sampled_from(FLOORS) | st.floats(-1.0, 1.0),
    "wanted": st.none() | st.sets(st.integers(0, 4)),
    "data": st.data(),
}


@given(**cases)
def test_what_is_found_is_what_brute_force_finds(
    kind: str, count: int, dimension: int, seed: int, floor: float, wanted: set[int] | None, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index, "MANY", 4)  # so that the axes are used, and made anew, among few vectors
        patched.setattr(index, "SHORT", 20)
        patched.setattr(index, "TILE", 700)
        rows = drawn(kind, count + 3, dimension, seed)
        found, kept, groups = VectorIndex(dimension), dict[int, Vector](), dict[int, int]()
        for key, row in enumerate(rows[:count]):
            found.add(key, row, key % 3)
            kept[key], groups[key] = row, key % 3
            if key % 17 == 5:
                found.best(row, 0.9)  # makes the axes
            if data.draw(st.integers(0, 5)) == 0:
                gone = data.draw(st.sampled_from(sorted(kept)))
                found.remove(gone)
                del kept[gone]
        for query in (*rows[count:], *rows[:2]):
            expected = brute(kept, query, floor, groups, wanted)
            assert found.within(query, floor, wanted) == expected
            assert found.best(query, floor, wanted) == (expected[0] if expected else None)
        assert len(found) == len(kept)


@pytest.mark.parametrize("count", swept((600, 3000), test=(600,)))
@pytest.mark.parametrize("kind", KINDS)
@share_of_examples(0.1)
@given(seed=st.integers(0, 2**32), floor=st.sampled_from(FLOORS))
def test_among_many_of_384(kind: str, count: int, seed: int, floor: float) -> None:
    rows = drawn(kind, count, 384, seed)
    found = VectorIndex(384)
    for key, row in enumerate(rows):
        found.add(key, row)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index, "MANY", 500)
        assert found.best(rows[0], 0.9) is not None  # makes the axes
    table = np.array(rows)
    random = np.random.default_rng(seed)
    near = [unit(rows[5] + 0.02 * random.standard_normal(384), 384), rows[7], drawn("even", 1, 384, seed + 1)[0]]
    for query in near:
        all_of_them = similarities(table, query)
        best = float(all_of_them.max())
        match = found.best(query, floor)
        if best < floor:
            assert match is None
        else:
            assert match is not None
            assert (match.similarity, match.key) == (best, int(np.flatnonzero(all_of_them == best)[-1]))


@pytest.mark.soak
def test_among_100_000_of_384_a_search_takes_less_than_5_ms_of_the_processor() -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((100_000, 384), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = VectorIndex(384)
    for key, row in enumerate(rows):
        found.add(key, row)
    found.best(rows[0], 0.9)  # makes the axes
    spans = []
    for _ in range(20):
        query = unit(random.standard_normal(384), 384)
        start_s = time.thread_time()
        assert found.best(query, 0.9) is None
        spans.append(time.thread_time() - start_s)
    assert np.median(spans) <= 0.005, "evenly spread and nothing alike: the worst case; the benchmark has the p99"


def test_of_equals_the_newest_is_found() -> None:
    found, vector = VectorIndex(2), unit([1.0, 2.0], 2)
    for key in (3, 9, 5):
        found.add(key, vector, group=key % 2)
    match = found.best(vector, 0.5)
    assert match is not None
    assert match.key == 9
    found.remove(9)
    assert [each.key for each in found.within(vector, 0.5)] == [5, 3]
    assert found.best(vector, 0.5, groups=[0]) is None
    assert found.best(vector, 0.5, groups=[]) is None


def test_what_does_not_fit_is_refused() -> None:
    found, vector = VectorIndex(2), unit([1.0, 2.0], 2)
    found.add(1, vector)
    assert found.vector(1).tolist() == vector.tolist()
    with pytest.raises(BadSetting, match="must be new, got 1"):
        found.add(1, vector)
    with pytest.raises(BadSetting, match="must have 2 numbers, got"):
        found.add(2, unit([1.0], 1))
    with pytest.raises(BadSetting, match="a query must have 2 numbers"):
        found.best(unit([1.0], 1), 0.5)
    with pytest.raises(KeyError):
        found.remove(7)


def test_an_empty_index_finds_nothing() -> None:
    assert VectorIndex(3).best(unit([1.0, 0.0, 0.0], 3), -1.0, groups=[0]) is None
    assert VectorIndex(3).within(unit([1.0, 0.0, 0.0], 3), -1.0) == []
