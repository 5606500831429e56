"""Encoders: what turns an input of a module into a vector, and what of an encoder is remembered with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handup.core import BadSetting, ContractViolation
from handup.core.checks import MAX_NAME, check_count, check_name
from handup.memory.index import MOST_DIMENSIONS, similarity, unit

Picture = bytes | NDArray[np.uint8]
"""A picture as a file's bytes, or as rows of pixels: whatever the encoder takes."""
DIGEST = re.compile(r"[0-9a-f]{16,64}")


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
            raise BadSetting(
                "an encoder's digest is no hash", hint="Give 16 to 64 hexadecimal digits: a SHA-256 of its weights."
            )

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
        return similarity(self.vector, other.vector)


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
    before = Encoder.of(embedder)
    for number, picture in enumerate(pictures):
        for text in texts:
            first, again = (Embedding.of(embedder, picture, text) for _ in range(2))
            if first.vector.tobytes() != again.vector.tobytes():
                raise ContractViolation(
                    f"'{embedder.name}' makes two vectors of picture {number}",
                    hint="Use no chance: switch dropout off, fix the seed.",
                )
    if Encoder.of(embedder) != before:
        raise ContractViolation(
            f"'{embedder.name}' changed its name, dimension or digest", hint="Compute the digest once, of the weights."
        )
