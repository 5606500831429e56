"""Abilities: the probability that a person can give a kind of help, from their role and their own record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from handup.core import Need, OutOfRange, QuestionKind, Role, check_probability

NEEDS: Mapping[str, Need] = {
    QuestionKind.DIAGNOSIS: Need.DIAGNOSE,
    QuestionKind.ACTION: Need.DIAGNOSE,
    QuestionKind.PHYSICAL: Need.HANDS,
}
"""Help that a kind of question needs; every other kind needs somebody who knows what is wanted."""
TABLE: Mapping[Role, Mapping[Need, float]] = {
    Role.RESIDENT: {Need.WHICH: 0.95, Need.DIAGNOSE: 0.30, Need.HANDS: 0.20},
    Role.CAREGIVER: {Need.WHICH: 0.60, Need.DIAGNOSE: 0.40, Need.HANDS: 0.95},
    Role.BYSTANDER: {Need.WHICH: 0.30, Need.DIAGNOSE: 0.30, Need.HANDS: 0.80},
    Role.OPERATOR: {Need.WHICH: 0.30, Need.DIAGNOSE: 0.95, Need.HANDS: 0.0},
    Role.DEVELOPER: {Need.WHICH: 0.20, Need.DIAGNOSE: 0.95, Need.HANDS: 0.20},
}
"""Probability that somebody of a role can give a kind of help. *Assumed*: give your own where you know better."""
STRENGTH = 10.0
"""κ: number of answers after which a person's record counts as much as the table."""
MOST = 0.99
"""Largest ability that a record can lead to."""


def need_of(kind: str) -> Need:
    """Return the help that a kind of question needs."""
    return NEEDS.get(kind, Need.WHICH)


@dataclass(frozen=True)
class AbilityRecord:
    """One person's record with one kind of help.

    Args:
        answers: Number of answers that were judged.
        right: Number of them that were right.
        expected: Number that would have been right if the person could give this help for certain.
    """

    answers: int = 0
    right: int = 0
    expected: float = 0.0


@dataclass(frozen=True, kw_only=True)
class KindAbilities:
    """Abilities of people by kind of help. Immutable: `judged` returns the next one.

    The table of roles is the start. A person's record moves the number away from it, little while there is little
    evidence: after κ = `strength` answers it counts as much as the table.

    Args:
        table: For each role, the probability that somebody of it can give each kind of help.
        strength: κ, above 0.
        people: Record of each person by name and kind of help.

    Raises:
        OutOfRange: A probability lies outside 0 to 1, or the strength is not above 0.

    Example:
        >>> from handup.core import Need, Role
        >>> abilities = KindAbilities()
        >>> round(abilities.of("Ada", Role.CAREGIVER, Need.DIAGNOSE), 2)
        0.4
        >>> for _ in range(10):
        ...     abilities = abilities.judged("Ada", Need.DIAGNOSE, right=True)
        >>> round(abilities.of("Ada", Role.CAREGIVER, Need.DIAGNOSE), 2)
        0.7
    """

    table: Mapping[Role, Mapping[Need, float]] = field(default_factory=lambda: TABLE)
    strength: float = STRENGTH
    people: Mapping[str, Mapping[Need, AbilityRecord]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role, abilities in self.table.items():
            for need, ability in abilities.items():
                check_probability(f"ability of a {role} for '{need}'", ability)
        if not 0.0 < self.strength < float("inf"):
            hint = "Give a number of answers."
            raise OutOfRange.of("strength", f"{self.strength:g}", "be finite and above 0", hint=hint)

    def of(self, person: str, role: Role, need: Need, own: float | None = None) -> float:
        """Return the probability that a person can give a kind of help.

        Args:
            person: Name of the person.
            role: Their role.
            need: The kind of help.
            own: Probability for this person, in place of the table's number, where it is known beforehand.
        """
        start = self.table.get(role, {}).get(need, 0.0) if own is None else own
        record = self.people.get(person, {}).get(need)
        if record is None:
            return start
        # With answers that are right whenever the person can help, this is the Beta-Bernoulli posterior.
        return min((self.strength * start + record.right) / (self.strength + record.expected), MOST)

    def judged(self, person: str, need: Need, *, right: bool, chance: float = 1.0) -> KindAbilities:
        """Return the abilities after an answer turned out right or wrong.

        Args:
            person: Name of the person who answered.
            need: The kind of help.
            right: Whether the answer was right.
            chance: Probability that an answer of somebody who can help is right.
        """
        check_probability("chance", chance)
        before = self.people.get(person, {}).get(need, AbilityRecord())
        after = AbilityRecord(before.answers + 1, before.right + bool(right), before.expected + chance)
        return replace(self, people={**self.people, person: {**self.people.get(person, {}), need: after}})

    def forget(self, person: str) -> KindAbilities:
        """Return the abilities without the record of a person."""
        return replace(self, people={name: record for name, record in self.people.items() if name != person})
