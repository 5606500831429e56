"""Codes, tokens and owners of runs, kept in the journal so that they hold for every replica of the server."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from handup.core import BadCode, BadSetting, Malformed, NotForYou, NothingThere, Role, StoreUnavailable
from handup.core.checks import MAX_NAME, check_name, check_person
from handup.core.proof import digest
from handup.desk.record import gone
from handup.journal import Entry, Journal, Writer
from handup.server.events import ROBOT, RUN, RUNS, AccessRole, CodeMade, Granted, Revoked, RunTaken

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mixes up: no I, L, O, 0, 1."""
CODE_LETTERS = 8
TOKEN_BYTES = 32
ID_BYTES = 6
LONGEST_TOKEN = 200
"""Longest token; a longer one is refused unread."""
CODE_S = 600.0
"""Lifetime of a code in seconds."""
TOKEN_S = 30 * 86_400.0
"""Default lifetime of a token in seconds."""
MOST_CODES = 100
"""The most codes that are open at a time; a further one ends the oldest."""
MOST_OWNERS = 10_000
"""The most owners of runs that are remembered; the others are read again."""


def new_code() -> str:
    """Return a new code that a person can type: eight letters in two groups."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
    return f"{letters[:4]}-{letters[4:]}"


def code_digest(code: str) -> str:
    """Return the hash of a code, however it was typed: in small letters, with spaces or without the dash."""
    letters = "".join(letter for letter in code.upper() if letter.isalnum())
    return digest(f"code {letters}")


@dataclass(frozen=True, kw_only=True)
class Grant:
    """Owner and rights of a token.

    Args:
        id: Name of the token, which is no secret.
        role: Role of its owner.
        name: Name of its owner, a person or a robot.
        device: Name of the device that has it.
        until_s: Time in seconds at which it expires.
        digest: The hash of the token.
    """

    id: str
    role: AccessRole
    name: str
    device: str
    until_s: float
    digest: str = field(repr=False)

    @classmethod
    def of(cls, event: Granted) -> Grant:
        """Return the grant of an event."""
        name, device = event.robot or event.person or "", event.device or ""
        return cls(id=event.id, role=event.role, name=name, device=device, until_s=event.until_s, digest=event.digest)

    @property
    def is_robot(self) -> bool:
        """True where a robot owns it."""
        return self.role == ROBOT


@dataclass(frozen=True, kw_only=True)
class Paired:
    """A new token and its grant. The token can be read only now: the journal keeps its hash."""

    token: str = field(repr=False)
    grant: Grant


class Access:
    """Codes and tokens of one journal. Threads may share it; finding a token reads only memory.

    Args:
        journal: The journal that keeps them.
        entries: Its entries about access; they are read where this is None.
    """

    def __init__(self, journal: Journal, entries: Iterable[Entry] | None = None) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._seq = 0
        self._codes: dict[str, CodeMade] = {}
        self._grants: dict[str, Grant] = {}
        self._by_digest: dict[str, Grant] = {}
        self._last_s = 0.0
        if entries is None:
            self.catch_up()
        else:
            self.take(entries)

    # -- what it knows ------------------------------------------------------------------------------------------------

    def now_s(self) -> float:
        """Return the journal's time. A clock that fails stands still here, so that it keeps nobody from a stop."""
        try:
            self._last_s = self._journal.clock.now_s()
        except StoreUnavailable:
            return self._last_s
        return self._last_s

    def find(self, token: str) -> Grant | None:
        """Return the grant of a token; None where it is unknown, expired or revoked."""
        if not token or len(token) > LONGEST_TOKEN:
            return None
        grant = self._by_digest.get(digest(token))
        return grant if grant is not None and self.good(grant) else None

    def good(self, grant: Grant) -> bool:
        """Tell whether a grant is still valid."""
        return self._grants.get(grant.id) is grant and self.now_s() < grant.until_s

    def grants(self) -> tuple[Grant, ...]:
        """Return all valid grants, oldest first."""
        now_s = self.now_s()
        return tuple(grant for grant in self._grants.values() if now_s < grant.until_s)

    def with_devices(self) -> frozenset[str]:
        """Return the names of people who have a valid token."""
        now_s = self.now_s()
        with self._lock:
            return frozenset(
                grant.name for grant in self._grants.values() if now_s < grant.until_s and not grant.is_robot
            )

    # -- following the journal ----------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Take in what other programs have written."""
        self.take(self._journal.read(self._seq, run=RUN))

    def take(self, entries: Iterable[Entry]) -> bool:
        """Take entries in; entries about anything but access are skipped. This reads only memory.

        Returns:
            True where a grant may have ended.
        """
        ended = False
        for entry in entries:
            if isinstance(entry.event, CodeMade | Granted | Revoked):
                ended |= self._one(entry)
        return ended

    def _one(self, entry: Entry) -> bool:
        with self._lock:
            if entry.seq <= self._seq:
                return False
            self._seq = entry.seq
            event = entry.event
            if isinstance(event, CodeMade):
                self._codes[event.digest] = event
                while len(self._codes) > MOST_CODES:
                    del self._codes[next(iter(self._codes))]
            elif isinstance(event, Granted):
                self._codes.pop(event.code, None)
                if not gone(event.robot or event.person):  # who was erased has no access any more
                    self._grants[event.id] = self._by_digest[event.digest] = Grant.of(event)
            elif isinstance(event, Revoked):
                revoked = self._grants.pop(event.id, None)
                if revoked is not None:
                    self._by_digest.pop(revoked.digest, None)
                return True
        return False

    def build_again(self) -> None:
        """Read everything again after an erasure, which removed names. Nothing is granted or revoked meanwhile."""
        with self._journal.writing() as writer, self._lock:
            fresh = Access(self._journal, writer.read(0, run=RUN))
            # Grants that are unchanged stay the same objects: sockets hold them, and `good` compares by identity.
            kept = {id_: grant for id_, grant in self._grants.items() if fresh._grants.get(id_) == grant}
            self._grants = {**fresh._grants, **kept}
            self._by_digest = {grant.digest: grant for grant in self._grants.values()}
            self._codes = {digest_: code for digest_, code in fresh._codes.items() if not gone(code.person)}
            self._seq = max(self._seq, fresh._seq)

    # -- changing it --------------------------------------------------------------------------------------------------

    def make_code(
        self, person: str, role: Role, *, code_s: float = CODE_S, token_s: float = TOKEN_S
    ) -> tuple[str, float]:
        """Return a code for one device of a person, and the time in seconds at which it expires.

        Raises:
            BadSetting: The name is malformed, or the role is not that of a person.
            StoreUnavailable: It could not be written.
        """
        person = check_person("name", person, MAX_NAME, error=BadSetting)
        role = Role.of(role)
        code = new_code()
        with self._writing() as writer:
            until_s = writer.at_s + code_s
            event = CodeMade(digest=code_digest(code), role=role, person=person, until_s=until_s, token_s=token_s)
            entry = writer.append(event, run=RUN)
        self.take([entry])
        return code, until_s

    def owner_of(self, code: str) -> CodeMade:
        """Return the code that was made with these letters, which is still good.

        Raises:
            BadCode: It is wrong, used or expired.
        """
        self.catch_up()
        return self._good(code, self.now_s())

    def _good(self, code: str, now_s: float) -> CodeMade:
        known = self._codes.get(code_digest(code))
        if known is None or now_s >= known.until_s:
            raise BadCode(
                "this code is wrong, or was used, or is too old",
                hint="Check the letters, or ask for a new one: handup pair.",
            )
        return known

    def pair(self, code: str, device: str = "") -> Paired:
        """Exchange a code for a token, once.

        Raises:
            BadCode: It is wrong, used or expired.
            StoreUnavailable: It could not be written; the code is still valid.
        """
        with self._writing() as writer:
            known = self._good(code, writer.at_s)
            owner = {"person": known.person, "device": device, "code": known.digest}
            entry, paired = _give(writer, known.token_s, known.role, **owner)
        self.take([entry])
        return paired

    def robot_token(self, robot: str, *, token_s: float = TOKEN_S) -> Paired:
        """Return a token for a robot.

        Raises:
            BadSetting: The name is malformed, or has a slash.
            StoreUnavailable: It could not be written.
        """
        robot = check_name("name of a robot", robot, MAX_NAME, error=BadSetting)
        if "/" in robot:
            raise Malformed(f"the robot '{robot}' has a slash in its name", hint="Use another character.")
        with self._writing() as writer:
            entry, paired = _give(writer, token_s, ROBOT, robot=robot)
        self.take([entry])
        return paired

    def revoke(self, id_: str) -> Grant:
        """End a token at once, everywhere.

        Raises:
            NothingThere: No token has this id.
            StoreUnavailable: It could not be written; the token is still valid.
        """
        with self._writing() as writer:
            grant = self._grants.get(id_)
            if grant is None:
                raise NothingThere(f"there is no device '{id_[:60]}'", hint="See them with: handup pair --list.")
            entry = writer.append(Revoked(id=id_), run=RUN)
        self.take([entry])
        return grant

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        """Open a transaction, after taking in the entries of others: ours must not be taken in before theirs."""
        with self._journal.writing() as writer:
            self.take(writer.read(self._seq, run=RUN))
            yield writer


def _give(writer: Writer, token_s: float, role: AccessRole, **owner: str) -> tuple[Entry, Paired]:
    """Make a token and write its grant; `owner` are the fields of `Granted` about its owner."""
    token = "t" + secrets.token_urlsafe(TOKEN_BYTES)  # a command would take a leading dash for an option
    id_, until_s = secrets.token_hex(ID_BYTES), writer.at_s + token_s
    granted = Granted(id=id_, digest=digest(token), role=role, until_s=until_s, **owner)
    return writer.append(granted, run=RUN), Paired(token=token, grant=Grant.of(granted))


class Owners:
    """Owners of runs: each run belongs to the robot that asked first in it. Threads may share it.

    Each method waits for the store where it does not remember the owner.

    Args:
        journal: The journal that keeps them.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: OrderedDict[str, str] = OrderedDict()

    def take(self, run: str, robot: str) -> None:
        """Let a robot ask in a run, which belongs to it from then on.

        Raises:
            NotForYou: It belongs to another robot, or was begun by a program on the store itself.
        """
        owner = self.robot_of(run)
        if owner is None and next(iter(self._journal.rows(run=run)), None) is None:
            with self._journal.writing() as writer:
                owner = _owner(writer, run)
                if owner is None:
                    writer.append(RunTaken(robot=robot), run=RUNS, key=run)
                    owner = robot
            self._note(run, owner)
        _refuse_another(owner, robot)

    def owns(self, question: str, robot: str) -> bool:
        """Tell whether a question is known to belong to a robot, without reading the store."""
        return self._known.get(run_of(question)) == robot

    def check(self, question: str, robot: str) -> None:
        """Check that a question belongs to a robot.

        Raises:
            NotForYou: It belongs to a run of another robot.
        """
        _refuse_another(self.robot_of(run_of(question)), robot)

    def robot_of(self, run: str) -> str | None:
        """Return the robot of a run; None where it belongs to no robot of the server."""
        owner = self._known.get(run) or _owner(self._journal, run)
        if owner is not None:
            self._note(run, owner)
        return owner

    def _note(self, run: str, owner: str) -> None:
        self._known[run] = owner
        while len(self._known) > MOST_OWNERS:
            self._known.popitem(last=False)


def run_of(question: str) -> str:
    """Return the run that the id of a question names."""
    return question.rsplit("/", maxsplit=2)[0]


def _owner(journal: Journal | Writer, run: str) -> str | None:
    entry = next(iter(journal.read(run=RUNS, key=run)), None)
    return entry.event.robot if entry is not None and isinstance(entry.event, RunTaken) else None


def _refuse_another(owner: str | None, robot: str) -> None:
    if owner != robot:
        raise NotForYou(
            "this run is not this robot's", hint="Ask in a run of its own; a run belongs to the robot that asked first."
        )
