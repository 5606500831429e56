"""Levels of interruptibility: how busy a person is, always as probabilities with their age, never as one label."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from handup.core import OutOfRange, WrongSize

Five = tuple[float, float, float, float, float]
"""One number for each level, from `Level.UNKNOWN` to `Level.AWARE`."""
SLACK = 1e-6
"""Largest distance of a sum of probabilities from one."""


class Level(IntEnum):
    """Levels of interruptibility; the higher, the better the moment."""

    UNKNOWN = 0
    """Not enough was seen of the person: the last sighting is too old, or they are out of view."""
    VERY_BUSY = 1
    """Not to be interrupted, unless the stake is critical."""
    BUSY = 2
    """To be interrupted only if necessary."""
    FREE = 3
    AWARE = 4
    """Free, and aware of the robot."""


@dataclass(frozen=True)
class LevelEstimate:
    """Estimate of a person's level. A person far away has none.

    Args:
        probabilities: Probability of each level, from 0 to 4; they sum to one.
        age_s: Seconds since the last sighting that counts in it, at least 0; None if there was none.

    Raises:
        WrongSize: There are not five probabilities.
        OutOfRange: They are no probabilities that sum to one, or the age is negative.
    """

    probabilities: Five
    age_s: float | None = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", five("probabilities of levels", self.probabilities))
        if self.age_s is not None and not 0.0 <= self.age_s < math.inf:
            hint = "Give the seconds since the last sighting."
            raise OutOfRange.of("the age of a level", f"{self.age_s:g} s", "be finite and at least 0", hint=hint)

    @classmethod
    def certain(cls, level: Level | int, age_s: float | None = 0.0) -> LevelEstimate:
        """Return the estimate of somebody whose level is known."""
        one = Level(level)
        return cls(tuple(float(known is one) for known in Level), age_s)  # type: ignore[arg-type]

    @property
    def free(self) -> float:
        """Probability that the person is free: that of levels 3 and 4 together."""
        return self.probabilities[Level.FREE] + self.probabilities[Level.AWARE]

    @property
    def very_busy(self) -> bool:
        """True if no level is likelier than 1."""
        return self.probabilities[Level.VERY_BUSY] >= max(self.probabilities)

    def mean(self, values: Five) -> float:
        """Return the mean of a number that depends on the level."""
        return math.fsum(chance * value for chance, value in zip(self.probabilities, values, strict=True))


@dataclass(frozen=True, kw_only=True)
class LevelForecast:
    """Model of how a person's level drifts, and of how well it will be seen.

    The level stays for a bout of random length and is then drawn anew. When a wait is over, the detector reports one
    level, and may be wrong. A decision to wait must weigh what the detector will report, not what will be true.

    Args:
        bout_s: Mean length of a bout in seconds, above 0.
        usual: Probability of each level at any time.
        seen: For each true level, the probability that the detector then says each level. Right always, if left out.

    Raises:
        WrongSize, OutOfRange: A number is missing or lies outside its range.
    """

    bout_s: float = 120.0
    usual: Five = (0.0, 0.25, 0.25, 0.25, 0.25)
    seen: tuple[Five, Five, Five, Five, Five] | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.bout_s < math.inf:
            raise OutOfRange.of("bout_s", f"{self.bout_s:g}", "be finite and above 0", hint="Give a mean in seconds.")
        object.__setattr__(self, "usual", five("usual levels", self.usual))
        if self.seen is not None:
            if len(self.seen) != len(Level):
                raise WrongSize.of("seen", len(self.seen), f"have {len(Level)} rows", hint="Give one for each level.")
            rows = tuple(five("a row of the detector", row) for row in self.seen)
            object.__setattr__(self, "seen", rows)

    def after(self, estimate: LevelEstimate, seconds: float) -> LevelEstimate:
        """Return the estimate of the level some seconds later, if nothing more is seen until then."""
        stays = math.exp(-seconds / self.bout_s)
        pairs = zip(estimate.probabilities, self.usual, strict=True)
        drifted = tuple(stays * now + (1.0 - stays) * usual for now, usual in pairs)
        age_s = None if estimate.age_s is None else estimate.age_s + seconds
        return LevelEstimate(drifted, age_s)  # type: ignore[arg-type]

    def outlooks(self, estimate: LevelEstimate, seconds: float) -> Iterator[tuple[float, LevelEstimate]]:
        """Yield everything that may be seen some seconds later: its probability, and the estimate that it leads to."""
        later = self.after(estimate, seconds).probabilities
        for said in Level:
            row = [float(said is true) if self.seen is None else self.seen[true][said] for true in Level]
            joint = [chance * says for chance, says in zip(later, row, strict=True)]
            probability = math.fsum(joint)
            if probability > 0.0:
                yield probability, LevelEstimate(tuple(part / probability for part in joint))  # type: ignore[arg-type]


def five(what: str, values: tuple[float, ...]) -> Five:
    """Return five probabilities that sum to one, checked.

    Raises:
        WrongSize: There are more or fewer.
        OutOfRange: One is no probability, or they do not sum to one.
    """
    numbers = tuple(float(value) for value in values)
    if len(numbers) != len(Level):
        raise WrongSize.of(what, len(numbers), f"have {len(Level)} numbers", hint="Give one for each level, 0 to 4.")
    if not all(0.0 <= number <= 1.0 for number in numbers) or abs(math.fsum(numbers) - 1.0) > SLACK:
        hint = "Divide them by their sum."
        raise OutOfRange.of(what, list(numbers), "be probabilities that sum to one", hint=hint)
    return numbers  # type: ignore[return-value]
