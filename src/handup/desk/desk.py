"""The desk: questions in flight between robots that ask and people who answer, on a journal."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from handup.core import BadSetting, IllegalCall, Person, Question, Reply, ReplyKind
from handup.desk.channel import Channel
from handup.desk.clock import SkippingClock
from handup.desk.commands import Ask, Claim, Command, Enable, Release, Stop, Tick, Withdraw
from handup.desk.following import Following
from handup.desk.record import Receipt, Record, question_id
from handup.desk.rules import decide
from handup.desk.state import MOST_STOPS, DeskState
from handup.desk.telling import Teller
from handup.desk.terms import Terms
from handup.desk.timing import next_due_s
from handup.journal import Entry, Journal
from handup.people.limits import fit
from handup.whom import InOrder, Router

SHORTEST_PAUSE_S = 0.01
"""`Desk.wait` never looks more often than this."""
Made = Callable[[DeskState, float], Command]
"""A command, made once the state and the time are known."""


class Desk:
    """Carries questions to people and their answers back; what it accepted survives whatever happens to it.

    Threads may share a desk; several processes may each have one on the same journal, and behave as one. Everything
    is decided inside one transaction of the journal, and told to channels after it.

    Args:
        journal: Where everything is kept; its clock is the desk's clock. The desk does not close it.
        people: Whom it knows, in order.
        router: Whom to ask; `InOrder` where it is not given.
        channels: How questions reach people. What is open already is shown at once.
        terms: What it allows.

    Raises:
        BadSetting: Two people have one name.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from handup.core import Person, Question, Reply, ReplyKind
        >>> with TemporaryDirectory() as folder, Journal.open(Path(folder) / "meal.db") as journal:
        ...     desk = Desk(journal, [Person(name="ana")])
        ...     asked = desk.ask(Question("Which food?"), run="meal", step="food")
        ...     plum = Reply(question=asked.id, kind=ReplyKind.ANSWER, by="ana", token="1", value="plum")
        ...     receipt = desk.reply(plum)
        ...     told = desk.wait(asked.id)
        >>> asked.id, receipt.accepted, told.answer.value
        ('meal/food/1', True, 'plum')
    """

    def __init__(
        self,
        journal: Journal,
        people: Sequence[Person] = (),
        *,
        router: Router | None = None,
        channels: Sequence[Channel] = (),
        terms: Terms | None = None,
    ) -> None:
        self.journal = journal
        self.people = tuple(people)
        self.terms = terms or Terms()
        self._by_name = {person.name: person for person in self.people}
        if len(self._by_name) != len(self.people):
            raise BadSetting("two people have one name", hint="Give everybody a name of their own.")
        self._router: Router = router or InOrder()
        self._lock = threading.Lock()
        self._unwritten: tuple[Stop | Reply, ...] = ()
        self._closed = False
        self._following = Following(journal)
        self._teller = Teller(channels, self._by_name)
        self._following.noticed = self._teller.note
        self._teller.start(self._following.state)
        self._teller.tell(self)

    # -- commands ----------------------------------------------------------------------------------------------------

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question to people. Asking again with the same run, step and attempt gives the same question back.

        Args:
            question: What to ask; `question.to` names whom, `question.deadline_s` until when.
            run: Which run asks.
            step: At which step.
            attempt: Which attempt at it, from 1.
            load: Its query cost, for the limit on load.

        Returns:
            The question as it is: mostly open or held; answered, where a channel answered at once.

        Raises:
            BadSetting: The names cannot make an id, the question lacks what its kind needs, nobody can be asked, or
                too many questions wait.
            StoreUnavailable: It could not be written; ask again.
        """
        id_ = question_id(run, step, attempt)
        question.check_ready()

        def made(state: DeskState, now_s: float) -> Command:
            known = id_ in state.records
            audience = () if known else self._router.audience(question, self.people, now_s)
            return Ask(run=run, step=step, attempt=attempt, question=question, audience=audience, load=load)

        receipt = self._do(made, id_)
        assert receipt.record is not None
        return self.known(id_) or receipt.record

    def reply(self, reply: Reply) -> Receipt:
        """Take a person's reply. Where the receipt says accepted, it is durable; otherwise nothing changed.

        The same reply sent again, by the same person with the same token, gets the same receipt with `again` set.

        Raises:
            StoreUnavailable: It could not be written, and may be sent again.
        """
        if reply.kind is ReplyKind.STOP and reply.by in self._by_name:
            return self._stop(reply, reply.question)
        return self._do(_given(reply), reply.question)

    def claim(self, question: str, by: str, *, device: str = "", lease_s: float | None = None) -> Receipt:
        """Take a question on: nobody else answers it until the lease ends. Claiming again makes the lease longer."""
        command = Claim(question=question, by=by, device=device, lease_s=lease_s)
        return self._do(_given(command), question)

    def release(self, question: str, by: str) -> Receipt:
        """Give a claim back."""
        return self._do(_given(Release(question=question, by=by)), question)

    def withdraw(self, question: str, why: str) -> Receipt:
        """Take a question back that is no longer needed. `why` is shown to people and cannot be erased: name nobody."""
        return self._do(_given(Withdraw(question=question, why=why)), question)

    def stop(self, by: str, why: str = "") -> None:
        """Stop: latched, never refused. What waits is taken back. *Not* a safety function: that is the hardware's.

        Raises:
            StoreUnavailable: It could not be written. This desk is stopped all the same, and writes it before
                anything else once it can; other processes do not know yet.
        """
        self._stop(Stop(by=by, why=why))

    def enable(self, by: str) -> None:
        """Let the robot go on after a stop.

        Raises:
            BadSetting: The desk does not know this person.
        """
        receipt = self._do(_given(Enable(by=by)))
        if not receipt.accepted:
            raise BadSetting(f"'{by}' cannot enable the robot", hint=f"It takes one of: {', '.join(self._by_name)}.")

    def tick(self) -> None:
        """See what time, and other processes, have brought. Writes only where something is due."""
        state = self._following.catch_up()
        if self._unwritten or decide(state, Tick(), self._now_s(state), self._by_name, self.terms).events:
            self._do(_given(Tick()))
        else:
            self._teller.tell(self)

    def _do(self, made: Made, question: str = "", stopping: Stop | Reply | None = None) -> Receipt:
        """Decide inside one transaction, write, publish, tell. Stops that could not be written before come first."""
        entries: list[Entry] = []
        with self.journal.writing() as writer:
            state = self._following.catch_up(writer.read)
            left = self._unwritten
            for each in (*(_given(stop) for stop in left if stop is not stopping), made):
                if each is made and question and question not in state.records:
                    state = state.recalling(self._following.recalled(question, writer.read(key=question)))
                ruling = decide(state, each(state, writer.at_s), writer.at_s, self._by_name, self.terms)
                entries += [writer.append(new.event, run=new.run, key=new.key) for new in ruling.events]
                state = ruling.state
        self._following.take_in(entries)
        with self._lock:
            self._unwritten = tuple(each for each in self._unwritten if all(each is not old for old in left))
        self._teller.tell(self)
        self._following.keep(self.terms.snapshot_every)
        return ruling.receipt

    def _stop(self, command: Stop | Reply, question: str = "") -> Receipt:
        """Latch first, in this process and without waiting for anything; then write."""
        with self._lock:
            self._unwritten = (*self._unwritten, command)[-MOST_STOPS:]
        return self._do(_given(command), question, stopping=command)

    # -- waiting -----------------------------------------------------------------------------------------------------

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until there is something to tell to whoever asked (`Record.settled`), or the desk is stopped.

        Wakes at once for an answer in this process, and soon for one in another. Sees to leases, deadlines,
        deferrals and held questions while it waits.

        Args:
            question: The id.
            timeout_s: How long to wait at most, in real seconds; for ever where it is None.

        Returns:
            The question as it is then; None when the time is up.

        Raises:
            IllegalCall: There is no such question.
        """
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            if not self._unwritten:
                self.tick()
                self._teller.deliver()
            state = self.state
            record = state.records.get(question) or self.record(question)
            if record is None:
                raise IllegalCall(f"there is no question '{question}'", hint="Ask it first.")
            if record.settled or state.stopped is not None or self._unwritten:
                return record
            left_s = until - time.monotonic()
            if left_s <= 0:
                return None
            self._pause(state, left_s)

    def watch(self, timeout_s: float) -> bool:
        """Wait for anything to happen, for a process that only carries questions to people, and see to it.

        Returns:
            True when something did; False when the time is up.
        """
        state = self._following.state
        self._pause(state, timeout_s)
        self.tick()
        self._teller.deliver()
        return self._following.state.seq > state.seq

    def _pause(self, state: DeskState, most_s: float) -> None:
        now_s = self._now_s(state)
        due_s = min(next_due_s(state, self._by_name, now_s), self._teller.next_s())
        if isinstance(self.journal.clock, SkippingClock) and now_s < due_s < math.inf:
            self.journal.clock.skip_to(due_s)
            return
        pause_s = min(most_s, self.terms.look_every_s, max(due_s - now_s, SHORTEST_PAUSE_S))
        self.journal.wait(state.seq, pause_s)

    # -- what it knows -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> DeskState:
        """Everything, up to the journal's last entry. Immutable."""
        return self._following.catch_up()

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop and nobody enabled the desk since."""
        return bool(self._unwritten) or self.state.stopped is not None

    def now_s(self) -> float:
        """The time: the journal's clock, which never runs backwards here."""
        return self._now_s(self.state)

    def record(self, question: str) -> Record | None:
        """A question by its id, however long ago it ended; None where there is none."""
        found = self.state.records.get(question)
        return found or self._following.recalled(question)

    def known(self, question: str) -> Record | None:
        """A question as this process last saw it, without a look into the journal."""
        return self._following.state.records.get(question)

    def pending(self, person: str | None = None) -> tuple[Record, ...]:
        """The questions that wait for an answer, in order of asking; only those whose turn is a person's."""
        return tuple(each for each in self.state.waiting if person is None or each.turn == person)

    def free_from_s(self, now_s: float) -> float:
        """From when somebody may be asked: by their hours and quiet times, not by what is before them just now.

        A question that meets a person who is busy is held until they are not. Infinity while the desk is stopped.
        """
        state = self.state
        if self._unwritten or state.stopped is not None:
            return math.inf
        fits = (fit(each.limits, state.put.get(each.name, ()), now_s) for each in self.people)
        return min((math.inf if each.from_s is None else each.from_s for each in fits), default=math.inf)

    def _now_s(self, state: DeskState) -> float:
        return max(self.journal.clock.now_s(), state.at_s)

    def close(self) -> None:
        """Make a snapshot and close the channels, not the journal. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._following.keep(1)
            self._teller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _given(command: Command) -> Made:
    return lambda _state, _now_s: command
