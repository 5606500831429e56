"""A claim as data that needs comparisons: the bars of a study are its own, the claim is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Comparison(Protocol):
    """A bar, or an order, as it is judged; equal ones are the same one."""

    @property
    def measure(self) -> str:
        """What is compared."""
        ...

    @property
    def label(self) -> str:
        """In words."""
        ...

    @property
    def is_order(self) -> bool:
        """Whether it is told by a test."""
        ...

    @property
    def sign(self) -> float:
        """1 where more is claimed, -1 where less is."""
        ...

    @property
    def needed(self) -> float:
        """Of a bar: the least difference, counted to the claimed side."""
        ...


B = TypeVar("B", bound=Comparison)


@dataclass(frozen=True, kw_only=True)
class BarClaim(Generic[B]):
    """Something that a study can test by bars.

    Args:
        name: A short name, unique in its study.
        source: Where it stands, such as "section 8.1"; "handup" for our own.
        text: What it says, in our words.
        bars: All of them must hold.
        untold: Why it cannot be told here at all, where there are no bars.
    """

    name: str
    source: str
    text: str
    bars: tuple[B, ...] = ()
    untold: str = ""
