"""Embeddings as unit vectors: how they are made, compared and written down, the same on every machine.

What a vector is compared with before a restart it is compared with after it: it is rounded to float32 before its first
use, and that is what is stored. The similarity of two of them is one fixed formula of elementwise sums in float64, so
it does not depend on how many others are compared at the same time, on threads, or on the processor.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handup.core import BadData, BadRecord

Vector = NDArray[np.float32]
MOST_DIMENSIONS = 8192
"""An embedding may be so long."""
CHUNK = 1024
"""So many rows are compared at a time, so that what lies between stays in the cache."""
LENGTH_ERROR = 1e-5
"""By so much the length of a stored vector may differ from 1: far more than rounding, far less than any damage."""


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


def similarity(one: Vector, other: Vector) -> float:
    """The cosine of two unit vectors: `similarities` of one."""
    return float(similarities(one[None], other)[0])


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
