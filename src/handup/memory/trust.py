"""How far a remembered correction is believed: counts of what spoke for it and against it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from handup.core import BadSetting
from handup.core.checks import check_count, check_share

PRIOR_RIGHT = 1.8
PRIOR_WRONG = 0.2
"""What a person says is right with 0.9, and that is worth two observations (*assumed*: the spec's usual person)."""


@dataclass(frozen=True)
class Trust:
    """A Beta distribution over "this correction is right".

    One that nobody confirmed falls from 0.9 to 0.6 by one contradiction, to 0.45 by two.

    Args:
        right: What spoke for it, with what it began with.
        wrong: What spoke against it, likewise.
    """

    right: float = PRIOR_RIGHT
    wrong: float = PRIOR_WRONG

    @property
    def value(self) -> float:
        """The probability that it is right."""
        return self.right / (self.right + self.wrong)

    def confirmed(self, weight: float = 1.0) -> Trust:
        """After something spoke for it."""
        return replace(self, right=self.right + weight)

    def contradicted(self, weight: float = 1.0) -> Trust:
        """After something spoke against it."""
        return replace(self, wrong=self.wrong + weight)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """When a memory is used, and when it is let go.

    Args:
        threshold: From this similarity on a correction is reused. Choose it on pairs of inputs of your own encoder;
            down to 0.8 a search of 100,000 stays within its 5 ms whatever they look like.
        same: From this similarity on two inputs count as the same, so that a person's newest word about it holds.
        drop_below: With less trust than this a memory is dropped. By default one contradiction is enough for one that
            nobody confirmed, if its weight is 0.77 or more: a less certain failure, or an answer about something less
            alike, is not.
        most: A module remembers so many; beyond that the least trusted goes, of these the oldest.

    Raises:
        BadSetting: A number outside its range, or `same` below `threshold`.
    """

    threshold: float = 0.9
    same: float = 0.98
    drop_below: float = 0.65
    most: int = 100_000

    def __post_init__(self) -> None:
        for name in ("threshold", "same", "drop_below"):
            check_share(name, getattr(self, name), error=BadSetting)
        check_count("most", self.most, least=1, error=BadSetting)
        if self.threshold <= 0.0 or self.same < self.threshold:
            raise BadSetting(
                f"threshold is {self.threshold:g}, same is {self.same:g}", hint="Use 0 < threshold ≤ same ≤ 1."
            )

    def weight(self, similarity: float) -> float:
        """What an answer about an input as similar as this says of a memory: 0 at the threshold, 1 from `same` on."""
        if similarity >= self.same:
            return 1.0
        return max(0.0, (similarity - self.threshold) / (self.same - self.threshold))
