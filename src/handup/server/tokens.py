"""What the journal keeps of access, so that it holds for every replica: codes and tokens, and which robot a run has."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from handup.core import BadCode, BadSetting, NotForYou, NothingThere, Role, StoreUnavailable
from handup.core.checks import MAX_NAME, check_name, check_person
from handup.core.proof import digest
from handup.desk.record import gone
from handup.journal import Entry, Journal, Writer
from handup.server.events import ROBOT, RUN, RUNS, AccessRole, CodeMade, Granted, Revoked, RunTaken

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody takes for one another: no I, L, O, 0, 1."""
CODE_LETTERS = 8
TOKEN_BYTES = 32
ID_BYTES = 6
LONGEST_TOKEN = 200
"""Longer ones are refused without a look."""
CODE_S = 600.0
"""So long a code is good for."""
TOKEN_S = 30 * 86_400.0
"""So long a token is good for, unless said otherwise."""
MOST_CODES = 100
"""So many codes may be open at a time; the oldest ends with the next one."""
MOST_OWNERS = 10_000
"""So many owners of runs are remembered; the others are read again."""


def new_code() -> str:
    """A code that a person can type: eight letters in two groups."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
    return f"{letters[:4]}-{letters[4:]}"


def code_digest(code: str) -> str:
    """What is kept of a code, however it was typed: in small letters, with spaces or without the dash."""
    letters = "".join(each for each in code.upper() if each.isalnum())
    return digest(f"code {letters}")


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What a token allows.

    Args:
        id: Its name, which is no secret.
        role: What its owner is.
        name: The person's or the robot's name.
        device: The device it is for.
        until_s: When it ends.
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
        """What was given out."""
        name, device = event.robot or event.person or "", event.device or ""
        return cls(id=event.id, role=event.role, name=name, device=device, until_s=event.until_s, digest=event.digest)

    @property
    def is_robot(self) -> bool:
        """Whether a robot has it."""
        return self.role == ROBOT


@dataclass(frozen=True, kw_only=True)
class Paired:
    """A token that was given out just now: the only moment at which it can be read."""

    token: str = field(repr=False)
    grant: Grant


class Access:
    """Codes and tokens of one journal. Threads may share it; finding a token looks at nothing but memory.

    Args:
        journal: Where they are kept.
        entries: What is in it; read where it is not given.
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
        """The journal's time. A clock that cannot be believed stands still here: nobody is kept from a stop by it."""
        try:
            self._last_s = self._journal.clock.now_s()
        except StoreUnavailable:
            return self._last_s
        return self._last_s

    def find(self, token: str) -> Grant | None:
        """What a token allows now; None where it is unknown, expired or revoked."""
        if not token or len(token) > LONGEST_TOKEN:
            return None
        found = self._by_digest.get(digest(token))
        return found if found is not None and self.good(found) else None

    def good(self, grant: Grant) -> bool:
        """Whether a grant still holds."""
        return self._grants.get(grant.id) is grant and self.now_s() < grant.until_s

    def grants(self) -> tuple[Grant, ...]:
        """All that hold now, oldest first."""
        now_s = self.now_s()
        return tuple(each for each in self._grants.values() if now_s < each.until_s)

    # -- following the journal ----------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Take in what other programs have written."""
        self.take(self._journal.read(self._seq, run=RUN))

    def take(self, entries: Iterable[Entry]) -> bool:
        """Take entries in; others than those about access are passed over. Looks at nothing but memory.

        Returns:
            Whether a grant may have ended.
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
        """After an erasure: from the journal, where the names are gone. Nothing is granted or revoked meanwhile."""
        with self._journal.writing() as writer, self._lock:
            fresh = Access(self._journal, writer.read(0, run=RUN))
            kept = {id_: each for id_, each in self._grants.items() if fresh._grants.get(id_) == each}
            self._grants = {**fresh._grants, **kept}
            self._by_digest = {each.digest: each for each in self._grants.values()}
            self._codes = {digest_: each for digest_, each in fresh._codes.items() if not gone(each.person)}
            self._seq = max(self._seq, fresh._seq)

    # -- changing it --------------------------------------------------------------------------------------------------

    def make_code(
        self, person: str, role: Role, *, code_s: float = CODE_S, token_s: float = TOKEN_S
    ) -> tuple[str, float]:
        """A code for one device of a person, and when it ends.

        Raises:
            BadSetting: The name is none, or the role is no person's.
            StoreUnavailable: It could not be written.
        """
        person = check_person("name", person, MAX_NAME, error=BadSetting)
        role = Role.of(role)
        code = new_code()
        with self._writing() as writer:
            until_s = writer.at_s + code_s
            made = CodeMade(digest=code_digest(code), role=role, person=person, until_s=until_s, token_s=token_s)
            entry = writer.append(made, run=RUN)
        self.take([entry])
        return code, until_s

    def pair(self, code: str, device: str = "") -> Paired:
        """Exchange a code for a token, once.

        Raises:
            BadCode: It is wrong, used or expired.
            StoreUnavailable: It could not be written; the code is still good.
        """
        known = code_digest(code)
        with self._writing() as writer:
            made = self._codes.get(known)
            if made is None or writer.at_s >= made.until_s:
                raise BadCode(
                    "this code is wrong, or was used, or is too old",
                    hint="Check the letters, or ask for a new one: handup pair.",
                )
            entry, paired = _give(writer, made.token_s, made.role, person=made.person, device=device, code=known)
        self.take([entry])
        return paired

    def robot_token(self, robot: str, *, token_s: float = TOKEN_S) -> Paired:
        """A token for a robot.

        Raises:
            BadSetting: The name is none, or has a slash.
            StoreUnavailable: It could not be written.
        """
        robot = check_name("name of a robot", robot, MAX_NAME, error=BadSetting)
        if "/" in robot:
            raise BadSetting(f"the robot '{robot}' has a slash in its name", hint="Use another character.")
        with self._writing() as writer:
            entry, paired = _give(writer, token_s, ROBOT, robot=robot)
        self.take([entry])
        return paired

    def revoke(self, id_: str) -> Grant:
        """End a token at once, everywhere.

        Raises:
            NothingThere: There is none of this name.
            StoreUnavailable: It could not be written, and goes on being good.
        """
        with self._writing() as writer:
            found = self._grants.get(id_)
            if found is None:
                raise NothingThere(f"there is no device '{id_[:60]}'", hint="See them with: handup pair --list.")
            entry = writer.append(Revoked(id=id_), run=RUN)
        self.take([entry])
        return found

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        """A transaction that knows what others wrote: an entry of our own must not be taken in before theirs."""
        with self._journal.writing() as writer:
            self.take(writer.read(self._seq, run=RUN))
            yield writer


def _give(writer: Writer, token_s: float, role: AccessRole, **owner: str) -> tuple[Entry, Paired]:
    """Make a token and write that it was given out; `owner` is what `Granted` says of whose it is."""
    token = "t" + secrets.token_urlsafe(TOKEN_BYTES)  # a command would take a leading dash for an option
    id_, until_s = secrets.token_hex(ID_BYTES), writer.at_s + token_s
    granted = Granted(id=id_, digest=digest(token), role=role, until_s=until_s, **owner)
    return writer.append(granted, run=RUN), Paired(token=token, grant=Grant.of(granted))


class Owners:
    """Which robot each run belongs to: the one that asked first in it. Threads may share it.

    Each method waits for the store where it does not remember.

    Args:
        journal: Where they are kept.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: OrderedDict[str, str] = OrderedDict()

    def take(self, run: str, robot: str) -> None:
        """Let a robot ask in a run, which is its own from then on.

        Raises:
            NotForYou: It is another robot's, or it was begun at the store itself.
        """
        owner = self._of(run)
        if owner is None and next(iter(self._journal.rows(run=run)), None) is None:
            with self._journal.writing() as writer:
                owner = _owner(writer, run)
                if owner is None:
                    writer.append(RunTaken(robot=robot), run=RUNS, key=run)
                    owner = robot
            self._note(run, owner)
        _refuse_another(owner, robot)

    def owns(self, question: str, robot: str) -> bool:
        """Whether a question is known to be a robot's, without a look into the store."""
        return self._known.get(run_of(question)) == robot

    def check(self, question: str, robot: str) -> None:
        """Let a robot do something with a question of its own.

        Raises:
            NotForYou: It is not of one of its runs.
        """
        _refuse_another(self._of(run_of(question)), robot)

    def _of(self, run: str) -> str | None:
        owner = self._known.get(run) or _owner(self._journal, run)
        if owner is not None:
            self._note(run, owner)
        return owner

    def _note(self, run: str, owner: str) -> None:
        self._known[run] = owner
        while len(self._known) > MOST_OWNERS:
            self._known.popitem(last=False)


def run_of(question: str) -> str:
    """The run that a question's id names."""
    return question.rsplit("/", maxsplit=2)[0]


def _owner(journal: Journal | Writer, run: str) -> str | None:
    entry = next(iter(journal.read(run=RUNS, key=run)), None)
    return entry.event.robot if entry is not None and isinstance(entry.event, RunTaken) else None


def _refuse_another(owner: str | None, robot: str) -> None:
    if owner != robot:
        raise NotForYou(
            "this run is not this robot's", hint="Ask in a run of its own; a run belongs to the robot that asked first."
        )
