"""Events of the desk in the journal. An entry's key is the question's id, its time is when the event happened.

Names of people and their words can be erased. The words of a question belong to the person to whom it was put first,
and to those who had answered in the same run, whose words may be in it; the value of an answer belongs to the person
who gave it; limits, channels, abilities and being busy belong to their person. Ids, times and statuses stay, and so do
free texts that belong to nobody: tokens, names of runs and steps, the reason why a question is held or taken back. Name
nobody in those.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handup.core import Ability, Limits, Person, Role, event
from handup.core.person import BY_ROLE
from handup.desk.status import Move


class WithdrawalCause(StrEnum):
    """Cause for which a question was withdrawn."""

    ASKER = "asker"
    """The asker no longer needs it."""
    STOP = "stop"
    """Somebody said stop."""
    ERASED = "erased"
    """Its words were erased before it was answered."""
    NOBODY = "nobody"
    """It can be put to nobody: the people were erased, or their limits never allow it."""


@event(Move.ASKED.value, people=("turn", "audience", "of"), personal={"question": "of"})
@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question came in. It is held until an `Opened` follows, mostly in the same transaction.

    Where nobody could be asked, it has no audience, and its words belong to nobody.

    Args:
        step: Step of the run that asked; the run is the entry's. Both stay for ever: name nobody.
        attempt: Number of the attempt at the step.
        turn: Person to whom it is put first; None where there is nobody yet.
        audience: People who may answer, in order.
        question: Its words, without the names of people.
        deadline_s: Time after which an answer is too late.
        load: Its query cost.
        until_s: Time from which it may fit people's limits, where that is known.
        why: Reason why it is held, if it is.
        of: Owners of its words. Older entries have none; there the words belong to the first person.
        newcomers: True where people who are introduced later may answer it, too.
    """

    step: str
    attempt: int
    turn: str | None
    audience: tuple[str, ...]
    question: dict[str, Any] | None
    deadline_s: float | None = None
    load: float = 0.0
    until_s: float | None = None
    why: str = ""
    of: tuple[str, ...] = ()
    newcomers: bool = False


@event(Move.JOINED.value, people=("person",))
@dataclass(frozen=True, kw_only=True)
class Joined:
    """A person who was introduced after a question came in may answer it, too. The first of all is asked."""

    person: str


@event(Move.HELD.value, people=("turn",))
@dataclass(frozen=True, kw_only=True)
class Held:
    """A question waits until it fits the limits of a person."""

    turn: str
    until_s: float | None = None
    why: str = ""


@event(Move.OPENED.value, people=("turn",))
@dataclass(frozen=True, kw_only=True)
class Opened:
    """A question was put to a person. It counts against their limits."""

    turn: str


@event(Move.CLAIMED.value, people=("by",), personal={"device": "by"})
@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A person claimed a question; until the lease ends nobody else can answer it."""

    by: str
    until_s: float
    device: str | None = ""


@event(Move.CLAIM_ENDED.value)
@dataclass(frozen=True, kw_only=True)
class ClaimEnded:
    """A lease ran out, or was given back."""

    given_back: bool = False


@event(Move.ANSWERED.value, people=("by",), personal={"value": "by", "device": "by"})
@dataclass(frozen=True, kw_only=True)
class Answered:
    """The one answer that counts. The token, as in all replies, stays for ever: name nobody."""

    by: str
    token: str
    value: Any = None
    device: str | None = ""
    latency_s: float | None = None
    certainty: float = 1.0


@event(Move.DEFERRED.value, people=("by",), personal={"device": "by"})
@dataclass(frozen=True, kw_only=True)
class Deferred:
    """A person said *not now*.

    Args:
        by: The person.
        token: Token of the reply.
        until_s: Time at which the question comes back.
        device: Device of the reply.
        wanted_s: Time until which the person wanted to be left alone, where they named one.
    """

    by: str
    token: str
    until_s: float
    device: str | None = ""
    wanted_s: float | None = None


@event(Move.HANDED_ON.value, people=("by", "turn"), personal={"device": "by"})
@dataclass(frozen=True, kw_only=True)
class HandedOn:
    """A person said *someone else*, or can no longer be asked; `turn` is next, None where nobody is left.

    Args:
        by: The person.
        turn: The next person.
        token: Token of the reply.
        device: Device of the reply.
        busy: True where the person is only busy, and said nothing about the question. It may come back to them.
    """

    by: str
    turn: str | None
    token: str = ""
    device: str | None = ""
    busy: bool = False


@event(Move.DELEGATED.value, people=("by",), personal={"device": "by"})
@dataclass(frozen=True, kw_only=True)
class Delegated:
    """A person said *let the robot try*."""

    by: str
    token: str
    device: str | None = ""


@event(Move.WITHDRAWN.value)
@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """A question was taken back. `why` stays for ever: name nobody."""

    cause: WithdrawalCause = WithdrawalCause.ASKER
    why: str = ""


@event(Move.EXPIRED.value)
@dataclass(frozen=True, kw_only=True)
class Expired:
    """Nobody answered before the deadline."""


@event("desk.stopped", people=("by",), personal={"why": "by", "device": "by"})
@dataclass(frozen=True, kw_only=True)
class Stopped:
    """Somebody said stop. It holds until `Enabled`."""

    by: str
    why: str | None = ""
    token: str = ""
    device: str | None = ""


@event("desk.enabled", people=("by",))
@dataclass(frozen=True, kw_only=True)
class Enabled:
    """A person said that the robot may go on."""

    by: str


@event("desk.presence", people=("person",), personal={"busy": "person", "until_s": "person"})
@dataclass(frozen=True, kw_only=True)
class Presence:
    """A person said that they are busy, or back.

    Args:
        person: The person.
        busy: True where they are not to be asked; None where it was erased.
        until_s: Time at which they may be asked again by itself; None where they say it themselves.
    """

    person: str
    busy: bool | None
    until_s: float | None = None


@event(
    "desk.person",
    people=("person", "by"),
    personal={"channels": "person", "limits": "person", "abilities": "person"},
)
@dataclass(frozen=True, kw_only=True)
class Introduced:
    """A person who can be asked, and their limits; the latest entry about a person holds for all desks on the journal.

    Args:
        person: The name.
        role: Relation to the robot.
        channels: Channels on which questions reach them.
        limits: Limits on questions, with quiet hours.
        abilities: What they can do for the robot; None where that follows from the role.
        by: Person who set this up on the page; None where a program did.
    """

    person: str
    role: Role
    channels: tuple[str, ...] | None = ()
    limits: dict[str, Any] | None = None
    abilities: tuple[Ability, ...] | None = None
    by: str | None = None

    @classmethod
    def of(cls, person: Person, by: str | None = None) -> Introduced:
        """Return the event for a person, whom somebody set up on the page."""
        record = person.to_json()
        return cls(
            person=person.name,
            role=person.role,
            channels=person.channels,
            limits=record["limits"],
            abilities=person.abilities if "abilities" in record else None,
            by=by,
        )

    def known(self) -> Person | None:
        """Return the person; None where they were erased.

        Raises:
            BadSetting: The limits cannot be kept here, such as quiet hours in a time zone that nobody here knows.
        """
        if self.limits is None or self.channels is None:
            return None
        limits = Limits.from_json(self.limits)
        abilities = BY_ROLE if self.abilities is None else self.abilities
        return Person(name=self.person, role=self.role, channels=self.channels, limits=limits, abilities=abilities)


@event("ask.delivered")
@dataclass(frozen=True, kw_only=True)
class Delivered:
    """The outcome of a question reached its asker in the shell. The entry's key is the question's id."""


@event("remote.settled")
@dataclass(frozen=True, kw_only=True)
class RemoteSettled:
    """In a robot's own journal: a question at the server was settled or put off.

    Args:
        status: Its status. Person and answer stay at the server, where they can be erased.
    """

    status: str


@event("remote.stopped")
@dataclass(frozen=True, kw_only=True)
class RemoteStopped:
    """The server said stop; the run is stopped even if this program is started again."""


NOTICES = "told"
"""Run under which the journal keeps notices, so that nobody who reads a robot's run meets them; the key is the
question's id."""


class NoticeOutcome(StrEnum):
    """Outcome of one attempt to send a notice."""

    SENT = "sent"
    """The way took it."""
    FAILED = "failed"
    """It surely did not go out, and may be tried again."""
    UNSURE = "unsure"
    """Nobody knows whether it went out, so that it is not sent again."""


@event("told.begun", people=("person",))
@dataclass(frozen=True, kw_only=True)
class NoticeBegun:
    """A notice about an open question is about to leave the machine. It is written before anything is sent.

    Args:
        person: Person who is told that they are asked.
        way: Name of the way, such as `email`. It stays for ever: name nobody.
        opened_s: Time at which the question was put to them, which tells this turn from others.
        reminder: 0 for the first notice, then the number of the reminder.
        attempt: Number of the attempt at this notice, from 1.
    """

    person: str
    way: str
    opened_s: float
    reminder: int = 0
    attempt: int = 1


@event("told.ended")
@dataclass(frozen=True, kw_only=True)
class NoticeEnded:
    """An attempt at a notice came to an end. Where this is missing, nobody knows whether the notice went out.

    Args:
        begun: Number of the entry with which the attempt began.
        way: Name of the way.
        outcome: Outcome of the attempt.
        why: Reason why it did not go out. It stays for ever: it names nobody, and no secret.
    """

    begun: int
    way: str
    outcome: NoticeOutcome
    why: str = ""


QuestionEvent = (
    Asked
    | Joined
    | Held
    | Opened
    | Claimed
    | ClaimEnded
    | Answered
    | Deferred
    | HandedOn
    | Delegated
    | Withdrawn
    | Expired
)
DeskEvent = QuestionEvent | Stopped | Enabled | Introduced | Presence
