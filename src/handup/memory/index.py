"""Exact search for the most similar of many unit vectors, without looking at all of each.

A plain search multiplies the query with every vector: for 100,000 of 384 numbers it reads 150 MB. Here the vectors are
rotated so that most of what tells them apart lies in their first coordinates (the principal axes of a sample of them).
A scan of the first 32 gives each vector's product so far; what the others can still add is at most the product of the
two lengths that are left (Cauchy–Schwarz). Whoever cannot reach the floor is out. Where too many are left, the next
coordinates are scanned, up to 128; whoever is left then is compared in full, by the one formula of `similarities`.

So the result is that of brute force, bit for bit, whatever the rotation: a bad one costs time only. Bounds are taken
with a slack that covers every rounding of float32.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting
from handup.memory.vector import Vector, similarities

STAGES = (32, 64, 128)
"""After so many coordinates it is seen who is out."""
FIRST_FIT = 256
"""From so many vectors on there are axes worth having; fewer are compared in full."""
SAMPLE = 4096
"""The axes are those of so many vectors at most."""
FEW = 50
"""One in so many left is few enough to compare them in full at once."""
TILE = 262_144
"""So many numbers are multiplied at a time: below what BLAS shares among threads, which cost more than they save."""
SMALLEST = 64
"""Room for so many is made at first; it doubles when it is full."""
BARRED = -4.0
"""Added to the product of a vector that is not to be found; no sum of products comes back from there."""
ROTATED = 4096
"""So many are rotated at a time."""
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Match:
    """A vector that was found: its key, and its cosine with the query."""

    key: int
    similarity: float


class Index:
    """Unit vectors of one dimension, each with a key and a group. Not for several threads at a time.

    Adding costs the same for each in the long run: when there are twice as many as at the last time, the axes are made
    anew, which takes about 10 µs for each vector.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._stages = tuple(each for each in STAGES if each < dimension)
        self._slack = (dimension + 16) * 2.0**-23
        self._places: dict[int, int] = {}
        self._count = 0
        self._fitted = 0
        self._axes = np.eye(dimension)[:, : max(self._stages, default=0)]
        self._vectors = np.zeros((SMALLEST, dimension), dtype=np.float32)
        self._keys = np.zeros(SMALLEST, dtype=np.int64)
        self._groups = np.zeros(SMALLEST, dtype=np.int64)
        self._widths = tuple(end - begin for begin, end in zip((0, *self._stages), self._stages, strict=False))
        self._heads = [np.zeros((SMALLEST, width), dtype=np.float32) for width in self._widths]
        self._rests = np.zeros((len(self._stages), SMALLEST), dtype=np.float32)
        self._scratch = np.zeros((2, SMALLEST), dtype=np.float32)
        self._able = np.zeros(SMALLEST, dtype=np.bool_)
        self._most_group = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: int) -> bool:
        return key in self._places

    def add(self, key: int, vector: Vector, group: int = 0) -> None:
        """Add a unit vector.

        Args:
            key: Its number, which nobody else has. Of several that are equally similar, the largest is found.
            vector: It, as `unit` made it.
            group: A number from 0 that a search can be limited to.

        Raises:
            BadSetting: The key is taken, or the dimension is another one.
        """
        if key in self._places or vector.shape != (self.dimension,):
            raise BadSetting(f"vector {key} cannot be added", hint="Give a new key and a vector of the dimension.")
        if self._count == len(self._keys):
            self._grow()
        place = self._count
        self._vectors[place], self._keys[place], self._groups[place] = vector, key, group
        self._places[key], self._most_group = place, max(self._most_group, group)
        self._count += 1
        if self._fitted:
            self._rotate(place, place + 1)

    def _grow(self) -> None:
        """Make room for twice as many."""
        self._vectors, self._keys = _doubled(self._vectors), _doubled(self._keys)
        self._groups = _doubled(self._groups)
        self._heads, self._rests = [_doubled(each) for each in self._heads], _doubled(self._rests, 1)
        self._scratch, self._able = _doubled(self._scratch, 1), _doubled(self._able)

    def remove(self, key: int) -> None:
        """Take a vector out.

        Raises:
            KeyError: There is none of this key.
        """
        place, last = self._places.pop(key), self._count - 1
        if place != last:
            tables: list[NDArray[Any]] = [self._vectors, self._keys, self._groups, *self._heads, self._rests.T]
            for rows in tables:
                rows[place] = rows[last]
            self._places[int(self._keys[place])] = place
        self._vectors[last] = 0.0
        self._count = last

    def vector(self, key: int) -> Vector:
        """The vector of a key.

        Raises:
            KeyError: There is none.
        """
        found: Vector = self._vectors[self._places[key]]
        return found

    def best(self, query: Vector, floor: float, groups: Collection[int] | None = None) -> Match | None:
        """The most similar vector, the newest of equals; None where none is at least as similar as the floor.

        Args:
            query: A unit vector.
            floor: The least similarity that counts.
            groups: Only these.
        """
        places, found = self._found(query, floor, groups, only_best=True)
        if not len(places):
            return None
        at = np.flatnonzero(found == found.max())
        return Match(int(self._keys[places[at]].max()), float(found[at[0]]))

    def within(self, query: Vector, floor: float, groups: Collection[int] | None = None) -> list[Match]:
        """All vectors at least as similar as the floor, the most similar first, the newest of equals first."""
        places, found = self._found(query, floor, groups, only_best=False)
        keys = self._keys[places]
        return [Match(int(keys[each]), float(found[each])) for each in np.lexsort((-keys, -found))]

    # -- searching ---------------------------------------------------------------------------------------------------

    def _found(
        self, query: Vector, floor: float, groups: Collection[int] | None, *, only_best: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The places that reach the floor, with their similarities; of `only_best`, at least the best of them."""
        if query.shape != (self.dimension,):
            raise BadSetting("a query has another dimension", hint=f"Give a vector of {self.dimension}.")
        handicaps, least = self._handicaps(groups), floor
        if self._count >= FIRST_FIT and self._stages:
            places, least = self._survivors(query, floor, handicaps, only_best=only_best)
        else:
            here = self._groups[: self._count]
            places = np.arange(self._count) if handicaps is None else np.flatnonzero(handicaps[here] == 0.0)
        if only_best:
            places = self._contenders(places, query, least)
        found = similarities(self._vectors[places], query)
        reached = found >= floor
        return places[reached], found[reached]

    def _handicaps(self, groups: Collection[int] | None) -> NDArray[np.float32] | None:
        """For each group, what is added to a product so that only those are found; None where all may be."""
        if groups is None:
            return None
        made = np.full(self._most_group + 1, BARRED, dtype=np.float32)
        made[[each for each in groups if 0 <= each < len(made)]] = 0.0
        return made if made.any() else None

    def _survivors(
        self, query: Vector, floor: float, handicaps: NDArray[np.float32] | None, *, only_best: bool
    ) -> tuple[NDArray[np.intp], float]:
        """Whose bound reaches the floor, and the floor, raised where a good one was met."""
        self._fit()
        wide = query.astype(np.float64)
        turned = wide @ self._axes
        head, rests = turned.astype(np.float32), _rests(wide[None], turned[None], self._stages)
        product, bound = self._scratch[:, : self._count]  # kept: fresh memory costs more than the sums
        able, begin = self._able[: self._count], 0
        if handicaps is None:
            product.fill(0.0)
        else:
            np.take(handicaps, self._groups[: self._count], out=product, mode="clip")
        for stage, end in enumerate(self._stages):
            self._multiply(head[begin:end], self._heads[stage], bound)
            product += bound
            np.multiply(self._rests[stage, : self._count], np.float32(rests[stage, 0]), out=bound)
            bound += product
            if only_best and bound[likely := int(bound.argmax())] > BARRED / 2.0:
                floor = max(floor, float(similarities(self._vectors[likely, None], query)[0]))
            np.greater_equal(bound, np.float32(floor - self._slack), out=able)
            if np.count_nonzero(able) * FEW <= self._count:
                break
            begin = end
        return np.flatnonzero(able), floor

    def _multiply(self, head: Vector, rows: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """The products of some coordinates of all vectors with those of a query."""
        width = TILE // len(head)
        for start in range(0, self._count, width):
            end = min(start + width, self._count)
            np.dot(rows[start:end], head, out=out[start:end])

    def _contenders(self, places: NDArray[np.intp], query: Vector, floor: float) -> NDArray[np.intp]:
        """Of some places, those that may be the best one: a quick look at all of it in float32."""
        if len(places) < 8:
            return places
        rough = np.empty(len(places), dtype=np.float32)
        width = TILE // self.dimension
        every = len(places) == self._count
        for start in range(0, len(places), width):
            part = slice(start, start + width)
            rough[part] = self._vectors[: self._count][part] @ query if every else self._vectors[places[part]] @ query
        return places[rough >= max(float(rough.max()), floor) - 2.0 * self._slack]

    # -- axes --------------------------------------------------------------------------------------------------------

    def _fit(self) -> None:
        """Make the axes where there are twice as many vectors as at the last time."""
        if self._count < 2 * self._fitted:
            return
        step = -(-self._count // SAMPLE)
        sample = self._vectors[: self._count : step].astype(np.float64)
        _, axes = np.linalg.eigh(sample.T @ sample)
        self._axes = np.ascontiguousarray(axes[:, ::-1][:, : self._stages[-1]])
        self._fitted = self._count
        self._rotate(0, self._count)

    def _rotate(self, begin: int, end: int) -> None:
        """The first coordinates of some vectors along the axes, and the lengths of what is left."""
        for start in range(begin, end, ROTATED):
            part = slice(start, min(start + ROTATED, end))
            vectors = self._vectors[part].astype(np.float64)
            turned = vectors @ self._axes
            for head, upto, width in zip(self._heads, self._stages, self._widths, strict=True):
                head[part] = turned[:, upto - width : upto]
            self._rests[:, part] = _rests(vectors, turned, self._stages)


def _rests(vectors: NDArray[np.float64], turned: NDArray[np.float64], stages: tuple[int, ...]) -> NDArray[np.float64]:
    """For each stage, the length of what is left of each vector beyond its coordinates so far."""
    whole, squares = (vectors * vectors).sum(axis=1), turned * turned
    left: NDArray[np.float64] = np.array([whole - squares[:, :end].sum(axis=1) for end in stages])
    return np.sqrt(np.maximum(left, 0.0, out=left), out=left)


def _doubled(array: NDArray[T], axis: int = 0) -> NDArray[T]:
    return np.concatenate((array, np.zeros_like(array)), axis=axis)
