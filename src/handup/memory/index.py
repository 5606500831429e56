"""Embeddings: their encoders, unit vectors that are the same on every machine, and exact search among many.

A vector is rounded to float32 before its first use, and stored so: comparisons after a restart give the same results as
before it. The similarity of two vectors is one fixed formula of elementwise sums in float64, so it does not depend on
the number of vectors compared at the same time, on threads, or on the processor.
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

from handup.core import BadData, BadRecord, ConflictingSettings, Malformed, OutOfRange, WrongSize
from handup.core.checks import MAX_NAME, check_count, check_name, shown
from handup.core.contract import Contract

Vector = NDArray[np.float32]
Picture = bytes | NDArray[np.uint8]
"""A picture as a file's bytes or as rows of pixels, as the encoder takes it."""
STEADY = "Use no chance: switch dropout off, fix the seed."
DIGEST = re.compile(r"[0-9a-f]{16,64}")
MOST_DIMENSIONS = 8192
"""Largest length of an embedding."""
CHUNK = 1024
"""Rows that are compared at a time, so that intermediate results stay in the cache."""
LENGTH_ERROR = 1e-5
"""Largest error of a stored vector's length: far more than rounding, far less than any damage."""
SHORT = 128
"""Length of a short vector: coordinates along the first axes, and the length of the rest."""
MANY = 32_768
"""Number of vectors from which on short ones are used; fewer are compared in full as fast as 100,000 short ones."""
SAMPLE = 4096
"""Largest number of vectors from which the axes are computed, and the number that is rotated at a time."""
TILE = 262_144
"""Numbers multiplied at a time: so few that BLAS starts no threads, which would cost more than they save."""
SMALLEST = 64
"""Number of vectors for which there is room at first; the room doubles when it is full."""


def unit(values: ArrayLike, dimension: int) -> Vector:
    """Return an embedding scaled to length 1, rounded to float32, and read-only.

    Raises:
        BadData: It is not a vector of this dimension, holds a number that is not finite, or is all zeros.
    """
    try:
        array: NDArray[Any] = np.asarray(values)
        numbers = np.array(array, dtype=np.float64) if array.dtype.kind in "fiu" else np.array(np.nan)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if numbers.shape != (dimension,):
        shape = " × ".join(map(str, numbers.shape)) or "none"
        raise BadData(f"an embedding must have {dimension} numbers, got {shape}", hint="Give the encoder's vector.")
    if not np.isfinite(numbers).all():
        raise BadData("an embedding must be finite, got nan or infinite", hint="Check the encoder and its input.")
    largest = float(np.abs(numbers).max())
    if largest == 0.0:
        raise BadData("an embedding must point somewhere, got all zeros", hint="Check the encoder and its input.")
    numbers /= largest  # the squares of very large or very small numbers would overflow or vanish
    vector: Vector = (numbers / np.sqrt(_sums((numbers * numbers)[None])[0])).astype(np.float32)
    vector.setflags(write=False)
    return vector


def similarities(rows: Vector, query: Vector) -> NDArray[np.float64]:
    """Return the cosine of each row with a query, all unit vectors: at most 1, and equal on all machines to the bit."""
    cosines = np.empty(len(rows))
    wide = query.astype(np.float64)
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        cosines[part] = _sums(rows[part] * wide)
    return np.minimum(cosines, 1.0)


def _sums(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each row, and overwrite `products`."""
    # Halves are folded onto each other by elementwise additions. Their order is always the same, while that of
    # `sum` or a matrix product depends on the machine.
    width = products.shape[1]
    while width > 1:
        half = (width + 1) // 2
        products[:, : width - half] += products[:, half:width]
        width = half
    return products[:, 0].copy()


def to_text(vector: Vector) -> str:
    """Return a vector as base64 of its float32s, least byte first."""
    return b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def from_text(text: str, dimension: int) -> Vector:
    """The vector that `to_text` wrote, equal to the bit.

    Raises:
        BadRecord: It is damaged.
    """
    try:
        vector = np.frombuffer(b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError):
        vector = np.empty(0, dtype=np.float32)
    if vector.shape != (dimension,) or not abs(float(np.linalg.norm(vector)) - 1.0) <= LENGTH_ERROR:
        raise BadRecord(
            f"a vector must be {dimension} numbers of length 1, got a damaged one", hint="Verify the journal."
        )
    vector.setflags(write=False)
    return vector


class Embedder(Protocol):
    """Model that turns a module's input into a vector, so that similar inputs point the same way."""

    @property
    def name(self) -> str:
        """Name of the model, with its version."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def digest(self) -> str:
        """Hash of everything that a vector depends on, such as the weights: 16 to 64 hexadecimal digits."""
        ...

    def embed(self, picture: Picture, text: str = "") -> ArrayLike:
        """Return the vector of a picture, with a text where the module has one: the same each time, of any norm."""
        ...


@dataclass(frozen=True)
class Encoder:
    """Identity of an encoder. Vectors of two encoders, or of two versions of one, are never compared.

    Raises:
        Malformed: The name is not one line, or the digest is not 16 to 64 hexadecimal digits.
        OutOfRange: The dimension is outside 1 to 8,192.
    """

    name: str
    dimension: int
    digest: str

    def __post_init__(self) -> None:
        check_name("an encoder's name", self.name, MAX_NAME, error=Malformed)
        dimension = check_count("an encoder's dimension", self.dimension, least=1, error=OutOfRange)
        object.__setattr__(self, "dimension", dimension)
        if dimension > MOST_DIMENSIONS:
            raise OutOfRange.of("an encoder's dimension", dimension, f"be at most {MOST_DIMENSIONS}", hint="Reduce it.")
        if not isinstance(self.digest, str) or not DIGEST.fullmatch(self.digest):
            must = "be 16 to 64 hexadecimal digits"
            raise Malformed.of("an encoder's digest", shown(self.digest), must, hint="Give a SHA-256 of its weights.")

    @classmethod
    def of(cls, embedder: Embedder) -> Encoder:
        """Return the identity of an embedder."""
        return cls(embedder.name, embedder.dimension, embedder.digest)


@dataclass(frozen=True)
class Embedding:
    """Input of a module as a unit vector, with the encoder that made it.

    Args:
        vector: A vector that is not all zeros; it is scaled to a unit vector of float32.
        encoder: The encoder that made it.

    Raises:
        BadData: The vector is of another dimension, not finite, or all zeros.
    """

    vector: NDArray[Any] = field(compare=False, repr=False)
    encoder: Encoder

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", unit(self.vector, self.encoder.dimension))

    @classmethod
    def of(cls, embedder: Embedder, picture: Picture, text: str = "") -> Embedding:
        """Return the embedding of an input."""
        return cls(np.asarray(embedder.embed(picture, text)), Encoder.of(embedder))

    def similarity(self, other: Embedding) -> float:
        """Return the cosine of two embeddings, at most 1.

        Raises:
            ConflictingSettings: Different encoders made them.
        """
        if self.encoder != other.encoder:
            got = f"'{self.encoder.name}' and '{other.encoder.name}' (or two versions)"
            raise ConflictingSettings.of("embeddings", got, "come from one encoder", hint="Embed both with one.")
        return float(similarities(self.vector[None], other.vector)[0])


def check_embedder(embedder: Embedder, pictures: Sequence[Picture], texts: Sequence[str] = ("",)) -> None:
    """Check an embedder against the contract, on pictures of its kind.

    Args:
        embedder: The embedder.
        pictures: Pictures that it takes.
        texts: Texts that may be given beside them.

    Raises:
        ContractViolation: It breaks the contract; the cause says how.
        BadData: It returned something else than a vector.
        Malformed, OutOfRange: Its name, digest or dimension is not allowed.
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
    """Result of a search: the key of a vector, and its cosine with the query."""

    key: int
    similarity: float


class VectorIndex:
    """Index of unit vectors of one dimension, each with a key and a group. Not for several threads at a time.

    A few vectors are compared by one product with all of them. For 100,000 vectors of 384 numbers that would read
    150 MB, which takes too long. Many vectors are therefore rotated onto their principal axes, and each gets a short
    vector: its first coordinates and the length of the rest. The product of two short vectors is no less than that of
    the whole ones (Cauchy–Schwarz). Vectors whose bound is below the floor are left out, and the few others are
    compared in full.

    The last comparison is by the one formula of `similarities`, and the bounds have a slack that covers every rounding
    of float32. So the result is that of brute force to the bit, whatever the rotation: a bad one costs time only. The
    axes are computed anew when the number of vectors has doubled, which takes about 10 µs for each vector.
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
            key: Number of the vector, different from all others. Of equally similar vectors, the largest key is found.
            vector: The vector, as `unit` returned it.
            group: Group to which a search can be limited.

        Raises:
            ConflictingSettings: The key is taken.
            WrongSize: The vector has another dimension.
        """
        if key in self._places:
            raise ConflictingSettings.of("the key of a vector", key, "be new", hint="Give another key.")
        if vector.shape != (self.dimension,):
            raise WrongSize.of("a vector", vector.shape, f"have {self.dimension} numbers", hint="Use one encoder.")
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
        """Remove a vector.

        Raises:
            KeyError: No vector has this key.
        """
        # The last vector moves to the free place. The zeros leave nothing of a vector that may have been erased.
        place, last = self._places.pop(key), len(self)
        for table in self._tables:
            table[place], table[last] = table[last], 0
        if place != last:
            self._places[int(self._keys[place])] = place

    def vector(self, key: int) -> Vector:
        """Return the vector of a key.

        Raises:
            KeyError: No vector has this key.
        """
        return np.asarray(self._vectors[self._places[key]])

    def best(self, query: Vector, floor: float, groups: Collection[Hashable] | None = None) -> Match | None:
        """Return the most similar vector, of equals the one with the largest key; None where none reaches the floor.

        Args:
            query: A unit vector.
            floor: Least similarity of a match.
            groups: Groups to search; all of them where not given.
        """
        return next(iter(self._matches(query, floor, groups, only_best=True)), None)

    def within(self, query: Vector, floor: float, groups: Collection[Hashable] | None = None) -> list[Match]:
        """Return all vectors that reach the floor, the most similar first, of equals the largest key first."""
        return self._matches(query, floor, groups, only_best=False)

    def _matches(
        self, query: Vector, floor: float, groups: Collection[Hashable] | None, *, only_best: bool
    ) -> list[Match]:
        """Return the vectors that reach the floor, best first; with `only_best`, possibly only the best of them."""
        if query.shape != (self.dimension,):
            raise WrongSize.of("a query", query.shape, f"have {self.dimension} numbers", hint="Use one encoder.")
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
            # The vector of the best bound is compared in full: a vector below its similarity cannot be the best.
            if only_best and bounds.max(initial=-np.inf) > -np.inf:
                likely = self._vectors[places[bounds.argmax()], None]
                floor = max(floor, float(similarities(likely, query)[0]))
            places = places[bounds >= np.float32(floor - self._slack)]
        keys, cosines = self._keys[places], similarities(self._vectors[places], query)
        order = np.lexsort((-keys, -cosines))
        return [Match(int(keys[row]), float(cosines[row])) for row in order if cosines[row] >= floor]

    def _fit(self) -> None:
        """Compute the axes anew where the number of vectors has doubled since the last time."""
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
        """Return the coordinates of vectors along the first axes, and the lengths of the rest."""
        wide = vectors.astype(np.float64)
        turned = wide @ self._axes
        rest = (wide * wide).sum(axis=1) - (turned * turned).sum(axis=1)
        return np.column_stack((turned, np.sqrt(np.maximum(rest, 0.0)))).astype(np.float32)

    def _products(self, table: Vector, vector: Vector, places: NDArray[np.intp]) -> Vector:
        """Return the products of some rows of a table with a vector."""
        products, step = np.empty(len(places), dtype=np.float32), TILE // len(vector)
        every = len(places) == len(self)  # a slice of all rows needs no copy
        for start in range(0, len(places), step):
            part = slice(start, min(start + step, len(places)))
            np.dot(table[part if every else places[part]], vector, out=products[part])
        return products
