"""Embeddings: what makes them, unit vectors that are the same on every machine, and exact search among many.

What a vector is compared with before a restart it is compared with after it: it is rounded to float32 before its first
use, and that is what is stored. The similarity of two of them is one fixed formula of elementwise sums in float64, so
it does not depend on how many others are compared at the same time, on threads, or on the processor.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handup.core import BadData, BadRecord, BadSetting
from handup.core.checks import MAX_NAME, check_count, check_name
from handup.core.contract import Contract

Vector = NDArray[np.float32]
Picture = bytes | NDArray[np.uint8]
"""A picture as a file's bytes, or as rows of pixels: whatever the encoder takes."""
STEADY = "Use no chance: switch dropout off, fix the seed."
DIGEST = re.compile(r"[0-9a-f]{16,64}")
MOST_DIMENSIONS = 8192
"""An embedding may be so long."""
CHUNK = 1024
"""So many rows are compared at a time, so that what lies between stays in the cache."""
LENGTH_ERROR = 1e-5
"""By so much the length of a stored vector may differ from 1: far more than rounding, far less than any damage."""
SHORT = 128
"""Numbers of a short vector: coordinates along the first axes, and the length that is left."""
MANY = 32_768
"""From so many vectors on they have short ones; below, the product with all takes no longer than 100,000 short ones."""
SAMPLE = 4096
"""The axes are those of so many vectors at most, and so many are rotated at a time."""
TILE = 262_144
"""So many numbers are multiplied at a time: below what BLAS shares among threads, which cost more than they save."""
SMALLEST = 64
"""Room for so many is made at first; it doubles when it is full."""


def unit(values: ArrayLike, dimension: int) -> Vector:
    """An embedding of length 1, rounded to float32, that nobody can change.

    Raises:
        BadData: It is no vector of this dimension, holds something that is no finite number, or is all zeros.
    """
    try:
        given: NDArray[Any] = np.asarray(values)
        numbers = np.array(given, dtype=np.float64) if given.dtype.kind in "fiu" else np.array(np.nan)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if numbers.shape != (dimension,):
        shape = " × ".join(map(str, numbers.shape)) or "none"
        raise BadData(f"an embedding has {shape} numbers", hint=f"Give a vector of {dimension}, from the encoder.")
    if not np.isfinite(numbers).all():
        raise BadData("an embedding holds something that is no finite number", hint="Check the encoder and its input.")
    largest = float(np.abs(numbers).max())
    if largest == 0.0:
        raise BadData("an embedding is all zeros, and points nowhere", hint="Check the encoder and its input.")
    numbers /= largest  # squares of very large or very small numbers are beyond what a float holds
    made: Vector = (numbers / np.sqrt(_sums((numbers * numbers)[None])[0])).astype(np.float32)
    made.setflags(write=False)
    return made


def similarities(rows: Vector, query: Vector) -> NDArray[np.float64]:
    """The cosine of each row with a query, all of them unit vectors: at most 1, and bit for bit the same anywhere."""
    found = np.empty(len(rows))
    wide = query.astype(np.float64)
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        found[part] = _sums(rows[part] * wide)
    return np.minimum(found, 1.0)


def _sums(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row, by folding halves onto each other: sums of columns only, whose order is the same always."""
    width = products.shape[1]
    while width > 1:
        half = (width + 1) // 2
        products[:, : width - half] += products[:, half:width]
        width = half
    return products[:, 0].copy()


def to_text(vector: Vector) -> str:
    """A vector as base64 of its float32s, least byte first."""
    return b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def from_text(text: str, dimension: int) -> Vector:
    """The vector that `to_text` wrote, the same bit for bit.

    Raises:
        BadRecord: It is damaged.
    """
    try:
        made = np.frombuffer(b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError):
        made = np.empty(0, dtype=np.float32)
    if made.shape != (dimension,) or not abs(float(np.linalg.norm(made)) - 1.0) <= LENGTH_ERROR:
        raise BadRecord("a remembered embedding is damaged", hint="Verify the journal.")
    made.setflags(write=False)
    return made


class Embedder(Protocol):
    """Anything that turns what a module sees into a vector, so that alike inputs point the same way."""

    @property
    def name(self) -> str:
        """What it is called, with its version."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def digest(self) -> str:
        """A hash of everything that a vector depends on, weights first, in hexadecimal: 16 to 64 letters."""
        ...

    def embed(self, picture: Picture, text: str = "") -> ArrayLike:
        """The vector of a picture and, where a module sees one beside it, a text. The same each time; any length."""
        ...


@dataclass(frozen=True)
class Encoder:
    """Which encoder made a vector. Vectors of two encoders, or of two versions of one, are never compared.

    Raises:
        BadSetting: A name that is none, a dimension outside 1 to 8,192, a digest that is none.
    """

    name: str
    dimension: int
    digest: str

    def __post_init__(self) -> None:
        check_name("an encoder's name", self.name, MAX_NAME, error=BadSetting)
        dimension = check_count("an encoder's dimension", self.dimension, least=1, error=BadSetting)
        object.__setattr__(self, "dimension", dimension)
        if dimension > MOST_DIMENSIONS:
            raise BadSetting(f"an encoder has {self.dimension} dimensions", hint=f"Use at most {MOST_DIMENSIONS}.")
        if not isinstance(self.digest, str) or not DIGEST.fullmatch(self.digest):
            hint = "Give 16 to 64 hexadecimal digits: a SHA-256 of its weights."
            raise BadSetting("an encoder's digest is no hash", hint=hint)

    @classmethod
    def of(cls, embedder: Embedder) -> Encoder:
        """What is remembered of an embedder."""
        return cls(embedder.name, embedder.dimension, embedder.digest)


@dataclass(frozen=True)
class Embedding:
    """What a module saw, as a unit vector, and which encoder made it.

    Args:
        vector: Any vector that is not all zeros; it is made a unit vector of float32.
        encoder: Who made it.

    Raises:
        BadData: The vector is none, of another dimension, not finite, or all zeros.
    """

    vector: NDArray[Any] = field(compare=False, repr=False)
    encoder: Encoder

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", unit(self.vector, self.encoder.dimension))

    @classmethod
    def of(cls, embedder: Embedder, picture: Picture, text: str = "") -> Embedding:
        """What an embedder makes of an input."""
        return cls(np.asarray(embedder.embed(picture, text)), Encoder.of(embedder))

    def similarity(self, other: Embedding) -> float:
        """The cosine of two embeddings, at most 1.

        Raises:
            BadSetting: Different encoders made them.
        """
        if self.encoder != other.encoder:
            raise BadSetting("embeddings of two encoders cannot be compared", hint="Embed both inputs with one.")
        return float(similarities(self.vector[None], other.vector)[0])


def check_embedder(embedder: Embedder, pictures: Sequence[Picture], texts: Sequence[str] = ("",)) -> None:
    """Run an embedder through the contract, on pictures of its kind.

    Args:
        embedder: It.
        pictures: Some that it takes.
        texts: What may stand beside them.

    Raises:
        ContractViolation: Naming what is wrong.
        BadData: It made something that is no vector.
        BadSetting: Its name, dimension or digest cannot be.
    """
    contract, before = Contract(f"'{embedder.name}'"), Encoder.of(embedder)
    for number, picture in enumerate(pictures):
        for text in texts:
            first, again = (Embedding.of(embedder, picture, text) for _ in range(2))
            same = first.vector.tobytes() == again.vector.tobytes()
            contract.keeps(same, f"makes two vectors of picture {number}", STEADY)
    same = Encoder.of(embedder) == before
    contract.keeps(same, "changed its name, dimension or digest", "Compute the digest once, of the weights.")


@dataclass(frozen=True)
class Match:
    """A vector that was found: its key, and its cosine with the query."""

    key: int
    similarity: float


class Index:
    """Unit vectors of one dimension, each with a key and a group. Not for several threads at a time.

    Few are compared by one product with all of them. For 100,000 of 384 numbers that reads 150 MB, which takes too
    long. So many vectors are rotated onto their principal axes, and of each the first coordinates are kept with the
    length of what is left: the product of two such short vectors is no less than that of the whole ones
    (Cauchy–Schwarz). Whoever cannot reach the floor by it is out, and the few others are compared in full.

    What is left at the end is compared by the one formula of `similarities`. So the result is that of brute force, bit
    for bit, whatever the rotation: a bad one costs time only. Bounds are taken with a slack that covers every rounding
    of float32.

    Adding costs the same for each in the long run: when there are twice as many as at the last time, the axes are made
    anew, which takes about 10 µs for each vector.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._slack = (dimension + 16) * 2.0**-23
        self._places: dict[int, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._fitted = 0
        self._axes = np.zeros((dimension, 0))
        self._vectors = np.zeros((SMALLEST, dimension), dtype=np.float32)
        self._shorts = np.zeros((SMALLEST, SHORT), dtype=np.float32)
        self._keys = np.zeros(SMALLEST, dtype=np.int64)
        self._groups = np.zeros(SMALLEST, dtype=np.int64)

    @property
    def _tables(self) -> tuple[NDArray[Any], ...]:
        return self._vectors, self._shorts, self._keys, self._groups

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: int, vector: Vector, group: Hashable = None) -> None:
        """Add a unit vector.

        Args:
            key: Its number, which nobody else has. Of several that are equally similar, the largest is found.
            vector: It, as `unit` made it.
            group: What a search can be limited to.

        Raises:
            BadSetting: The key is taken, or the dimension is another one.
        """
        if key in self._places or vector.shape != (self.dimension,):
            raise BadSetting(f"vector {key} cannot be added", hint="Give a new key and a vector of the dimension.")
        place = len(self)
        if place == len(self._keys):
            doubled = (np.concatenate((table, np.zeros_like(table))) for table in self._tables)
            self._vectors, self._shorts, self._keys, self._groups = doubled
        number = self._numbers.setdefault(group, len(self._numbers))
        self._vectors[place], self._keys[place], self._groups[place] = vector, key, number
        self._places[key] = place
        if self._fitted:
            self._shorts[place] = self._shortened(vector[None])[0]

    def remove(self, key: int) -> None:
        """Take a vector out.

        Raises:
            KeyError: There is none of this key.
        """
        place, last = self._places.pop(key), len(self)
        for table in self._tables:
            table[place], table[last] = table[last], 0  # nothing stays of what was taken out
        if place != last:
            self._places[int(self._keys[place])] = place

    def vector(self, key: int) -> Vector:
        """The vector of a key.

        Raises:
            KeyError: There is none.
        """
        return np.asarray(self._vectors[self._places[key]])

    def best(self, query: Vector, floor: float, groups: Collection[Hashable] | None = None) -> Match | None:
        """The most similar vector, the newest of equals; None where none is at least as similar as the floor.

        Args:
            query: A unit vector.
            floor: The least similarity that counts.
            groups: Only these.
        """
        return next(iter(self._found(query, floor, groups, only_best=True)), None)

    def within(self, query: Vector, floor: float, groups: Collection[Hashable] | None = None) -> list[Match]:
        """All vectors at least as similar as the floor, the most similar first, the newest of equals first."""
        return self._found(query, floor, groups, only_best=False)

    def _found(
        self, query: Vector, floor: float, groups: Collection[Hashable] | None, *, only_best: bool
    ) -> list[Match]:
        """Those that reach the floor; of `only_best`, at least the best of them."""
        if query.shape != (self.dimension,):
            raise BadSetting("a query has another dimension", hint=f"Give a vector of {self.dimension}.")
        self._fit()
        places = np.arange(len(self))
        if groups is not None:
            numbers = [self._numbers[group] for group in groups if group in self._numbers]
            able = np.isin(self._groups[: len(self)], np.array(numbers, dtype=np.int64))
        compared = [(self._shorts, self._shortened(query[None])[0])] if self._fitted else []
        for table, vector in (*compared, (self._vectors, query)):
            bounds = self._products(table, vector, places)
            if groups is not None:
                bounds[~able[places]] = -np.inf
            if only_best and bounds.max(initial=-np.inf) > -np.inf:
                likely = self._vectors[places[bounds.argmax()], None]
                floor = max(floor, float(similarities(likely, query)[0]))
            places = places[bounds >= np.float32(floor - self._slack)]
        keys, cosines = self._keys[places], similarities(self._vectors[places], query)
        order = np.lexsort((-keys, -cosines))
        return [Match(int(keys[each]), float(cosines[each])) for each in order if cosines[each] >= floor]

    def _fit(self) -> None:
        """Make the axes where there are twice as many vectors as at the last time."""
        count = len(self)
        if self.dimension <= SHORT or count < max(MANY, 2 * self._fitted):
            return
        sample = self._vectors[: count : -(-count // SAMPLE)].astype(np.float64)
        _, axes = np.linalg.eigh(sample.T @ sample)
        self._axes, self._fitted = np.ascontiguousarray(axes[:, :-SHORT:-1]), count
        for start in range(0, count, SAMPLE):
            part = slice(start, min(start + SAMPLE, count))
            self._shorts[part] = self._shortened(self._vectors[part])

    def _shortened(self, vectors: Vector) -> Vector:
        """The coordinates of vectors along the first axes, and the lengths of what is left."""
        wide = vectors.astype(np.float64)
        turned = wide @ self._axes
        left = (wide * wide).sum(axis=1) - (turned * turned).sum(axis=1)
        return np.column_stack((turned, np.sqrt(np.maximum(left, 0.0)))).astype(np.float32)

    def _products(self, table: Vector, vector: Vector, places: NDArray[np.intp]) -> Vector:
        """The products of some rows of a table with a vector."""
        made, step, every = np.empty(len(places), dtype=np.float32), TILE // len(vector), len(places) == len(self)
        for start in range(0, len(places), step):
            part = slice(start, min(start + step, len(places)))
            np.dot(table[part if every else places[part]], vector, out=made[part])
        return made
