"""Encoders: what is known of one, and what an embedder must keep to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pytest
from numpy.typing import ArrayLike

from handup.core import BadData, BadSetting, ContractViolation
from handup.memory import Embedding, Encoder, Picture, check_embedder
from tests.memory.inputs import ENCODER, OTHER, plate


@dataclass
class Bytes:
    """Counts of four kinds of bytes, and of letters beside them."""

    name: str = "bytes-1"
    dimension: int = 5
    digest: str = "ab" * 8
    drawn: bool = False
    drifting: bool = False

    def embed(self, picture: Picture, text: str = "") -> ArrayLike:
        if self.drifting:
            self.digest = f"{int(self.digest, 16) + 1:016x}"
        noise = np.random.default_rng(next(NUMBERS)).random() if self.drawn else 0.0
        counts = np.bincount(np.frombuffer(bytes(picture), dtype=np.uint8) % 4, minlength=4)
        return [*counts.tolist(), len(text) + noise]


NUMBERS = count()
PICTURES = (b"plate", b"fork")


def test_one_that_keeps_to_the_contract_passes() -> None:
    check_embedder(Bytes(), PICTURES, ("", "plum"))
    made = Embedding.of(Bytes(), b"plate", "plum")
    assert made.encoder == Encoder("bytes-1", 5, "ab" * 8)
    assert made.similarity(Embedding.of(Bytes(), b"plate", "plum")) == pytest.approx(1.0)
    assert made.similarity(Embedding.of(Bytes(), b"plate", "")) < 0.9


@pytest.mark.parametrize(
    ("broken", "error", "why"),
    [
        (Bytes(drawn=True), ContractViolation, "two vectors of picture 0"),
        (Bytes(drifting=True), ContractViolation, "changed its name, dimension or digest"),
        (Bytes(dimension=4), BadData, "4 numbers, got 5"),
        (Bytes(dimension=0), BadSetting, "dimension"),
        (Bytes(dimension=9000), BadSetting, "at most 8192, got 9000"),
        (Bytes(name=""), BadSetting, "name"),
        (Bytes(digest="abc"), BadSetting, "hexadecimal digits"),
        (Bytes(digest="x" * 16), BadSetting, "hexadecimal digits"),
    ],
)
def test_one_that_does_not_is_told_why(broken: Bytes, error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        check_embedder(broken, PICTURES)


def test_embeddings_of_two_encoders_are_not_compared() -> None:
    with pytest.raises(BadSetting, match="one encoder"):
        plate(encoder=ENCODER).similarity(plate(encoder=OTHER))
    assert replace(plate(), encoder=OTHER).encoder == OTHER
