"""Hard limits: reasons why a question may not be put to a person, however useful it would be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from handup.core import ABILITIES, Ability, Need, OutOfRange, Person, Question, Role, Stake, check_probability
from handup.people import LevelEstimate, Put, Support, fit
from handup.people.limits import Busy

ABILITY_FOR: Mapping[Need, Ability] = {
    Need.WHICH: Ability.GOAL,
    Need.DIAGNOSE: Ability.DIAGNOSE,
    Need.HANDS: Ability.HANDS,
}
"""Ability of a `Person` that each kind of help needs."""
SAID = 0.9
"""Probability that a person can give a kind of help, after somebody added this ability to them. Assumed."""
MOST_SHARE = 2.0
"""Most load that a person may bear, as a multiple of an equal share."""
FEWEST_FAIR = 3
"""Fewest people who can answer for whom load is shared fairly: fewer have no choice."""


@dataclass(frozen=True, kw_only=True)
class PersonNow:
    """A person, and what is known of them at the moment.

    Args:
        person: Name, role and limits.
        here: False while they are elsewhere. An operator always is.
        level: How busy they are; None if nobody can tell. Not used for somebody who is elsewhere.
        comes_s: Seconds until they notice a question and come, before they begin to answer.
        supports: Kinds of support that they can be shown; of equally good ones the first is taken.
        abilities: Probability that they can give a kind of help, where more is known than their role.
        consent: Kinds of help for which they have agreed to be asked; None for all.
        put: Questions put to them in the last hour, oldest first.
        before: Number of questions before them now.
        load_day: Load that they bore in the last 24 hours, at least 0.
        busy: Their word that they are busy; None where they said nothing, or are back.

    Raises:
        OutOfRange: A time or load is negative or not finite, or an ability is no probability.
    """

    person: Person
    here: bool = True
    level: LevelEstimate | None = None
    comes_s: float = 0.0
    supports: tuple[Support, ...] = (Support(),)
    abilities: Mapping[Need, float] = field(default_factory=dict)
    consent: tuple[Need, ...] | None = None
    put: tuple[Put, ...] = ()
    before: int = 0
    load_day: float = 0.0
    busy: Busy | None = None

    def __post_init__(self) -> None:
        for name in ("comes_s", "load_day"):
            if not 0.0 <= (value := getattr(self, name)) < math.inf:
                what, hint = f"{name} of '{self.name}'", "Give such a number."
                raise OutOfRange.of(what, f"{value:g}", "be finite and at least 0", hint=hint)
        for need, ability in self.abilities.items():
            check_probability(f"ability of '{self.name}' for '{need}'", ability)

    @property
    def name(self) -> str:
        """Their name."""
        return self.person.name

    @property
    def role(self) -> Role:
        """Their role."""
        return self.person.role

    def said(self, need: Need) -> float | None:
        """Return the probability that they can give a kind of help, if more is known than their role; else None.

        The abilities set up for the person come first where they differ from those of the role: 0 for one that was
        taken away, `SAID` for one that was added. Otherwise `abilities` of this object counts.
        """
        ability = ABILITY_FOR[need]
        has, assumed = ability in self.person.abilities, ability in ABILITIES[self.role]
        return self.abilities.get(need) if has is assumed else SAID if has else 0.0

    @property
    def far(self) -> bool:
        """True if they are elsewhere, so that they cannot lend a hand and no level is known."""
        return not self.here or self.role is Role.OPERATOR


@dataclass(frozen=True)
class HardLimit:
    """A limit that stands against a question to a person.

    Args:
        from_s: Time at which the limit ends; infinity if it never does.
        why: The limit, for a person to read.
    """

    from_s: float
    why: str


@dataclass(frozen=True, kw_only=True)
class LimitSettings:
    """Settings of hard limits.

    Args:
        stake: Class of what is at stake; a critical one may disturb people who are very busy.
        gate: Least probability that a person is free for them to be asked; None for no such limit.
        look_s: Seconds after which to look again where nobody knows when a limit ends, above 0.

    Raises:
        OutOfRange: The gate is no probability, or the time is not above 0.
    """

    stake: Stake = Stake.USUAL
    gate: float | None = None
    look_s: float = 60.0

    def __post_init__(self) -> None:
        if self.gate is not None:
            check_probability("gate", self.gate)
        if not 0.0 < self.look_s < math.inf:
            hint = "Give a time in seconds."
            raise OutOfRange.of("look_s", f"{self.look_s:g}", "be finite and above 0", hint=hint)


def limit_of(
    helper: PersonNow,
    question: Question,
    need: Need,
    now_s: float,
    *,
    load: float = 0.0,
    level: LevelEstimate | None = None,
    settings: LimitSettings,
) -> HardLimit | None:
    """Return the limit on a question to a person that ends last; None where there is no limit.

    Fairness is not among these limits, since it depends on who else may be asked: see `unfair`.

    Args:
        helper: The person, and what is known of them.
        question: The question.
        need: The help that it needs.
        now_s: The time at which it would be put.
        load: Load of the question.
        level: How busy the person would be then; None if nobody can tell.
        settings: Settings of the limits.
    """
    found = list(_limits(helper, question, need, now_s, load=load, level=level, settings=settings))
    return max(found, key=lambda limit: limit.from_s, default=None)


def _limits(
    helper: PersonNow,
    question: Question,
    need: Need,
    now_s: float,
    *,
    load: float,
    level: LevelEstimate | None,
    settings: LimitSettings,
) -> Iterator[HardLimit]:
    if helper.role is Role.DEVELOPER:
        yield HardLimit(math.inf, "looks after the program and is not asked")
    if helper.consent is not None and need not in helper.consent:
        yield HardLimit(math.inf, "has not agreed to be asked for this")
    if helper.said(need) == 0.0:
        yield HardLimit(math.inf, "cannot help with this, as was said of them")
    if need is Need.HANDS and helper.far:
        yield HardLimit(math.inf, "is not there to lend a hand")
    if helper.role is Role.BYSTANDER and question.rule.explicit and helper.name not in question.to:
        yield HardLimit(math.inf, "happens to be near, and may not give permission")
    if question.to and helper.name not in question.to:
        yield HardLimit(math.inf, "the question is for others")
    again_s = now_s + settings.look_s
    chance = fit(helper.person.limits, helper.put, now_s, load=load, before=helper.before, busy=helper.busy)
    if not chance.fits:
        yield HardLimit(again_s if chance.from_s is None else chance.from_s, chance.why)
    if level is not None and level.very_busy and settings.stake is not Stake.CRITICAL:
        yield HardLimit(again_s, "very busy")
    if level is not None and settings.gate is not None and level.free < settings.gate:
        yield HardLimit(again_s, f"free with probability {level.free:.2g}, below {settings.gate:g}")


def unfair(people: Sequence[PersonNow], able: Sequence[str]) -> frozenset[str]:
    """Return the names of people who have borne more than twice an equal share of the last day's load.

    Args:
        people: Everybody who is known; their load together is all load.
        able: Names of those whom no other limit forbids to ask. Between fewer than three, load cannot be shared.
    """
    total = math.fsum(helper.load_day for helper in people)
    if len(able) < FEWEST_FAIR or total <= 0.0:
        return frozenset()
    most = MOST_SHARE * total / len(able)
    return frozenset(helper.name for helper in people if helper.name in able and helper.load_day > most)
