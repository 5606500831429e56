"""Options of one decision: everything that a robot may do next, with whom, and what it would bring and cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from handup.core.decision import Action
from handup.core.errors import MissingSetting, OutOfRange
from handup.core.person import Role


class Need(StrEnum):
    """Kinds of help, by what somebody must know or be able to do to give it."""

    WHICH = "which"
    """To know what is wanted: which food, which place, yes or no."""
    DIAGNOSE = "diagnose"
    """To find out what is wrong with the robot, and what it should do about it."""
    HANDS = "hands"
    """To be there and do something with one's hands."""


class Stake(StrEnum):
    """Classes of what is at stake, from the lowest to the highest."""

    LOW = "low"
    USUAL = "usual"
    CRITICAL = "critical"
    """The highest class: it may disturb people who are very busy."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One thing that a robot may do next. A strategy weighs options; nothing here says which is best.

    Args:
        action: Ask, recover or wait. Acting and giving up are always possible, and need no option.
        module: For a question, the module that it is about.
        person: For a question, the name of the person who would be asked; None for whoever answers.
        role: Role of that person.
        support: For a question, the key of the support shown beside it, such as `none` or `both-90`.
        recovery: For a recovery, its name.
        answers: Probability that the person answers at all.
        right: Probability that an answer is right; for a recovery, that it works.
        seconds: Time until the answer, or of the recovery or the wait; 0 where nobody knows it.
        cost: Load that it is for the person: q_i(t), weighted by their role and by how much it disturbs them.
        free: Probability that the person is free now; None where nobody can tell, as for a person far away.
        very_busy: True if the person is most likely very busy now.
        evidence: The weakest source of `right`, such as `assumed`; empty where it is the caller's own number.
        from_s: Time in seconds from which it is allowed; infinity for never, minus infinity for always.
        why: The limit that stands against it until then, for a person to read; empty where none does.
        outlooks: For a wait, one entry for each person: everything that may be seen of them when it is over.

    Raises:
        OutOfRange: A probability lies outside 0 to 1, or a time or load is negative or not finite.
        MissingSetting: A question names no module, or a recovery has no name.
    """

    action: Action
    module: str | None = None
    person: str | None = None
    role: Role | None = None
    support: str | None = None
    recovery: str | None = None
    answers: float = 1.0
    right: float = 1.0
    seconds: float = 0.0
    cost: float = 0.0
    free: float | None = None
    very_busy: bool = False
    evidence: str = ""
    from_s: float = -math.inf
    why: str = ""
    outlooks: tuple[tuple[Outlook, ...], ...] = ()

    def __post_init__(self) -> None:
        if not (
            0.0 <= self.answers <= 1.0 and 0.0 <= self.right <= 1.0 and (self.free is None or 0.0 <= self.free <= 1.0)
        ):
            got = f"{self.answers:g}, {self.right:g} and {self.free}"
            raise OutOfRange.of("answers, right and free", got, "lie between 0 and 1", hint="Give probabilities.")
        if not (0.0 <= self.seconds < math.inf and 0.0 <= self.cost < math.inf):
            got = f"{self.seconds:g} and {self.cost:g}"
            raise OutOfRange.of("seconds and cost", got, "be finite and at least 0", hint="Correct these numbers.")
        if self.action is Action.ASK and self.module is None:
            raise MissingSetting("an option to ask must name a module, got none", hint="Give its name in the policy.")
        if self.action is Action.RECOVER and self.recovery is None:
            raise MissingSetting("an option to recover must name a recovery, got none", hint="Give its name.")

    @property
    def key(self) -> tuple[Action, str | None, str | None, str | None, str | None]:
        """Identity of the option among others: what would be done, about what, with whom and how."""
        return self.action, self.module, self.person, self.support, self.recovery

    def allowed(self, now_s: float) -> bool:
        """Return whether no hard limit stands against it at a time."""
        return self.from_s <= now_s


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """One thing that may be seen of a person after a wait, and the questions that could be put to them then.

    Args:
        probability: Probability that this is seen; those of one person sum to one.
        options: Questions that would then be allowed, valued by what was seen, which may be a mistake of the detector.
    """

    probability: float
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            got, hint = f"{self.probability:g}", "Give a probability."
            raise OutOfRange.of("the probability of an outlook", got, "lie between 0 and 1", hint=hint)
