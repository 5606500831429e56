"""The desk: questions in flight between robots that ask and people who answer, on a journal."""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Self

from handup.core import (
    ConflictingSettings,
    IllegalCall,
    Person,
    Question,
    Reply,
    ReplyKind,
    SkippingClock,
    StoreUnavailable,
    UnknownName,
)
from handup.core.checks import storable
from handup.desk.channel import Channel, ChannelNotices
from handup.desk.deadlines import Terms, next_due_s
from handup.desk.projection import Changed, Projection
from handup.desk.question_state import MOST_STOPS, DeskState
from handup.desk.record import Receipt, ReceiptStatus, Record, question_id
from handup.desk.rules import (
    AskPeople,
    ClaimQuestion,
    Command,
    Enable,
    HandOn,
    Introduce,
    Release,
    SetBusy,
    StopRobots,
    Tick,
    Withdraw,
    decide,
)
from handup.journal import Entry, Journal, Writer
from handup.people.limits import fit
from handup.whom import InOrder, Router

LONGEST_NAME = 500
"""Longest name with a stop, in characters; the rest is cut off, so that every store can keep it."""
SHORTEST_PAUSE_S = 0.01
"""Shortest pause between two looks of `Desk.wait`."""
LONGEST_SLEEP_S = 3600.0
"""Longest sleep in one piece."""
_Made = Callable[[DeskState, float], Command]
"""Function that makes a command once the state and the time are known."""
_log = logging.getLogger("handup.desk")


@dataclass(eq=False)
class _Pending:
    """A stop that holds in this process, and its receipt once it was written."""

    command: StopRobots | Reply
    receipt: Receipt | None = None


class Desk:
    """Questions on their way to people, and answers on their way back. Accepted replies survive any crash.

    Threads may share a desk; several processes may each have one on the same journal, and behave as one. Everything
    is decided inside one transaction of the journal, and passed on to channels after it.

    Args:
        journal: The journal of questions and answers; its clock is the desk's clock. The desk does not close it.
        people: The people to ask, in order; everybody whom the journal knows where none are given. They are written
            in the journal, and the latest entry about a person holds for all desks on it.
        router: Rule for whom to ask; `InOrder` where it is not given.
        channels: Ways to people. Open questions are shown on them at once.
        terms: Limits and default times.
        newcomers: Whether people who are introduced later may answer a question that names nobody, so that it waits
            while there is nobody. Without this, such a question is refused.

    Attributes:
        listeners: Functions called with the state before and after some new entries, and with these entries, once and
            in order, whichever process wrote them. They are called under a lock: they must return at once and call
            nothing of the desk.

    Raises:
        ConflictingSettings: Two people have one name.

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
        newcomers: bool = False,
    ) -> None:
        self.journal = journal
        self.people = tuple(people)
        self.terms = terms or Terms()
        if len({person.name for person in self.people}) != len(self.people):
            names = ", ".join(person.name for person in self.people)
            cause = f"people at a desk must have different names, got {names}"
            raise ConflictingSettings(cause, hint="Give everybody a name of their own.")
        self._router: Router = router or InOrder()
        self._newcomers = newcomers
        self._stops: deque[_Pending] = deque(maxlen=MOST_STOPS)  # takes no lock, as signal handlers need it
        self._stopping = threading.Lock()
        self._waiting = _Waiting()
        self._closed = False
        self.listeners: list[Changed] = []
        self._projection = Projection(journal)
        self._notices = ChannelNotices(self, channels, self._projection)
        self._projection.noticed = self._notices.note
        self._projection.changed = self._changed
        self._notices.start()
        if any(self._who(person.name) != person for person in self.people):
            self.introduce(*self.people)
        self._notices.tell()

    # -- commands ----------------------------------------------------------------------------------------------------

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question to people. Asking again with the same run, step and attempt returns the same question.

        Args:
            question: The question, with `question.to` for its audience and `question.deadline_s` for its deadline.
            run: The run that asks.
            step: The step of the run.
            attempt: Number of the attempt at the step, from 1.
            load: Query cost, for the limit on load, at least 0.

        Returns:
            The question as it is now: mostly open or held; answered, where a channel answered at once.

        Raises:
            BadSetting: The names cannot make an id, the question lacks what its kind needs, nobody can be asked, or
                too many questions wait.
            StoreUnavailable: It could not be written; ask again.
        """
        id_ = question_id(run, step, attempt)
        question.check_ready()

        def made(state: DeskState, now_s: float) -> Command:
            known = id_ in state.records
            audience = () if known else self._router.audience(question, self._asked(state), now_s)
            newcomers = self._newcomers and not question.to
            return AskPeople(
                run=run,
                step=step,
                attempt=attempt,
                question=question,
                audience=audience,
                load=load,
                newcomers=newcomers,
            )

        receipt = self._do(made, id_)
        assert receipt.record is not None
        return self.known(id_) or receipt.record

    def introduce(self, *people: Person, by: str | None = None) -> None:
        """Write down people who can be asked, with their limits. The latest entry about a person holds.

        What was set up on the page is not undone by a program that says of a person what it said before.

        Args:
            people: The people.
            by: Person who set them up; None where a program did.
        """
        self._do(Introduce(people=people, by=by))

    def busy(self, person: str, for_s: float | None = None) -> Receipt:
        """Ask a person nothing until they are back. Their questions go on to others who can be asked, or are held.

        Args:
            person: The person, who says it themselves.
            for_s: Time after which they may be asked again by itself; never where it is None.
        """
        return self._do(SetBusy(by=person, busy=True, for_s=for_s))

    def back(self, person: str) -> Receipt:
        """Ask a person again who was busy."""
        return self._do(SetBusy(by=person, busy=False))

    def reply(self, reply: Reply) -> Receipt:
        """Take a person's reply. Where the receipt says accepted, it is durable; otherwise nothing changed.

        The same reply sent again, by the same person with the same token, gets the same receipt with `again` set.

        Raises:
            StoreUnavailable: It could not be written, and may be sent again.
        """
        if reply.kind is ReplyKind.STOP and self._who(reply.by) is not None:
            pending = self._latch(reply)
            self._write_stops()
            if pending.receipt is not None:
                return pending.receipt
        return self._do(reply, reply.question)

    def claim(self, question: str, by: str, *, device: str = "", lease_s: float | None = None) -> Receipt:
        """Claim a question: nobody else can answer it until the lease ends. Claiming again makes the lease longer."""
        command = ClaimQuestion(question=question, by=by, device=device, lease_s=lease_s)
        return self._do(command, question)

    def release(self, question: str, by: str) -> Receipt:
        """Give a claim back."""
        return self._do(Release(question=question, by=by), question)

    def withdraw(self, question: str, why: str) -> Receipt:
        """Take back a question that is no longer needed. `why` is shown to people and cannot be erased: name nobody."""
        return self._do(Withdraw(question=question, why=why), question)

    def hand_on(self, question: str, to: str) -> Receipt:
        """Hand a question on to another of its people. Whoever had it may still answer until somebody has.

        Nothing happens where it is with that person already, or was before. It is refused while somebody has claimed
        it, and for somebody who is not in its audience.
        """
        return self._do(HandOn(question=question, to=to), question)

    def stop(self, by: str, why: str = "", *, token: str = "") -> None:
        """Stop the robot until somebody enables it. Never refused. Waiting questions are taken back.

        *Not* a safety function: that is the hardware's. A signal handler may call this: where it interrupts this desk
        or a transaction, another thread writes the stop.

        Args:
            by: The person or program that stops. Names and reasons that are too long are cut off.
            why: Reason, for people to read.
            token: Name by which the entry of this stop can be found in the journal.

        Raises:
            StoreUnavailable: It could not be written. This desk is stopped all the same, and writes it when it can.
        """
        longest = self.terms.longest_text
        by, why = storable(str(by)), storable(str(why))
        self._latch(StopRobots(by=by[: min(longest, LONGEST_NAME)], why=why[:longest], token=token))
        if self._projection.inside or self.journal.writing_here:
            threading.Thread(target=self._try_to_write_stops, name="handup stop", daemon=True).start()
        else:
            self._write_stops()

    def _latch(self, command: StopRobots | Reply) -> _Pending:
        """Hold a stop in this process from now on, even while the store is away."""
        pending = _Pending(command)
        self._stops.append(pending)
        self._waiting.wake_all()
        return pending

    def enable(self, by: str, stop: int | None = None) -> None:
        """Let the robot go on after a stop.

        Args:
            by: The person who enables it; no bystander.
            stop: Entry number of the last stop that the person knows of; None to lift any.

        Raises:
            UnknownName: The desk does not know this person, or it is a bystander.
            IllegalCall: There is a newer stop.
        """
        receipt = self._do(Enable(by=by, stop=stop))
        if receipt.status is ReceiptStatus.STALE:
            raise IllegalCall("there is a newer stop than the one to lift", hint="Look why, then enable again.")
        if not receipt.accepted:
            known = ", ".join(self._projection.state.people) or "nobody"
            raise UnknownName(f"'{by}' cannot enable the robot", hint=f"It takes one of: {known}.")

    def tick(self) -> None:
        """Take in entries of other processes, and end what has run out by now. Writes only where something is due."""
        self._write_stops()
        state = self._projection.catch_up()
        if decide(state, Tick(), self._projection.now_s(), self.terms).events:
            self._do(Tick())
        else:
            self._notices.tell()

    def _do(self, command: Command | _Made, question: str = "") -> Receipt:
        """Decide inside one transaction, write, publish, notify. Stops that could not be written before come first."""
        self._write_stops()
        entries: list[Entry] = []
        # Once before the transaction too: after an erasure this may take long, and inside it everybody else would wait.
        self._projection.catch_up()
        with self._projection.inside:
            with self.journal.writing() as writer:
                state = self._projection.catch_up(writer.read)
                receipt, _ = self._decide(writer, state, command, question, entries)
            self._projection.take_in(entries)
        self._after()
        return receipt

    def _decide(
        self, writer: Writer, state: DeskState, command: Command | _Made, question: str, entries: list[Entry]
    ) -> tuple[Receipt, DeskState]:
        if question and question not in state.records:
            state = state.recalling(self._projection.recalled(question, writer.read(key=question)))
        command = command(state, writer.at_s) if callable(command) else command
        ruling = decide(state, command, writer.at_s, self.terms)
        entries += [writer.append(new.event, run=new.run, key=new.key) for new in ruling.events]
        return ruling.receipt, ruling.state

    def _write_stops(self) -> None:
        """Write the stops that are not in the journal yet, in a transaction of their own."""
        if not self._stops:
            return
        with self._projection.inside, self._stopping:
            unwritten = tuple(self._stops)
            if not unwritten:
                return
            self._projection.catch_up()
            entries: list[Entry] = []
            receipts: list[Receipt] = []
            with self.journal.writing() as writer:
                state = self._projection.catch_up(writer.read)
                for pending in unwritten:
                    question = pending.command.question if isinstance(pending.command, Reply) else ""
                    receipt, state = self._decide(writer, state, pending.command, question, entries)
                    if not receipt.accepted:  # from a person who was erased meanwhile: it stops all the same
                        _, state = self._decide(writer, state, StopRobots(by=pending.command.by), "", entries)
                    receipts.append(receipt)
            self._projection.take_in(entries)
            for pending, receipt in zip(unwritten, receipts, strict=True):
                pending.receipt = receipt
            for pending in unwritten:
                with suppress(ValueError):  # so many came that it was dropped
                    self._stops.remove(pending)
        self._after()

    def _try_to_write_stops(self) -> None:
        try:
            self._write_stops()
        except StoreUnavailable as error:
            _log.warning("a stop holds here, but is not written yet: %s", error)

    def _after(self) -> None:
        """Finish a transaction: notify channels, and keep a snapshot now and then."""
        self._notices.tell()
        self._projection.keep(self.terms.snapshot_every)

    def _changed(self, before: DeskState, after: DeskState, entries: Sequence[Entry]) -> None:
        if after.last_stop != before.last_stop:
            self._waiting.wake_all()
        else:
            self._waiting.wake({entry.key for entry in entries})
        if after.people != before.people:
            self._notices.met(after)
        for listener in self.listeners:
            listener(before, after, entries)

    # -- waiting -----------------------------------------------------------------------------------------------------

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until the asker can be told an outcome (`Record.settled`), or the desk is stopped.

        Wakes at once for an answer in this process, and soon for one in another. While it waits it ends leases,
        deadlines and deferrals that run out, and opens held questions that fit.

        Args:
            question: The id.
            timeout_s: Longest wait in real seconds; for ever where it is None.

        Returns:
            The question as it is then; None when the time is up.

        Raises:
            IllegalCall: There is no such question.
        """
        until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        with self._waiting.place(question) as place:
            look = True
            while True:
                place.forget()
                if look and not self._stops:
                    self.tick()
                    self._notices.deliver()
                state = self._projection.state
                record = state.records.get(question) or self.record(question)
                if record is None:
                    raise IllegalCall(f"there is no question '{question}'", hint="Ask it first.")
                if record.settled or self._stops or state.stopped is not None:
                    return record
                left_s = until - time.monotonic()
                if left_s <= 0:
                    return None
                # Of all threads that wait in this process one leads: it follows the journal, and wakes the others.
                if self._waiting.leads(place):
                    self._pause(state, left_s)
                    self._projection.catch_up()
                    self._waiting.pass_on(place)  # a channel may now keep this thread for long
                    look = True
                else:
                    look = not place.sleep(left_s)

    def watch(self, timeout_s: float) -> bool:
        """Wait for any new entry, for a process that only carries questions to people.

        Returns:
            True when there is one; False when the time is up.
        """
        state = self._projection.state
        self._pause(state, timeout_s)
        self.tick()
        self._notices.deliver()
        return self._projection.state.seq > state.seq

    def _pause(self, state: DeskState, most_s: float) -> None:
        """Wait until something is due or written; a `SkippingClock` skips to what is due instead."""
        now_s = self._projection.now_s()
        due_s = min(next_due_s(state, now_s), self._notices.next_s())
        if isinstance(self.journal.clock, SkippingClock) and now_s < due_s < math.inf:
            self.journal.clock.skip_to(due_s)
        else:
            most_s = min(most_s, self.terms.look_every_s)
            self.journal.wait(state.seq, min(most_s, max(due_s - now_s, SHORTEST_PAUSE_S)))

    # -- state -------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> DeskState:
        """State of all questions, up to the journal's last entry. Immutable."""
        return self._projection.catch_up()

    @property
    def stopped(self) -> bool:
        """True if somebody said stop and nobody enabled the desk since."""
        return bool(self._stops) or self.state.stopped is not None

    def stopped_since(self, seq: int) -> bool:
        """Return True if somebody said stop after entry `seq` of the journal, even if the desk was enabled since."""
        return bool(self._stops) or self.state.last_stop > seq

    def now_s(self) -> float:
        """Return the time by the journal's clock, which never runs backwards here."""
        self._projection.catch_up()
        return self._projection.now_s()

    def record(self, question: str) -> Record | None:
        """Return a question by its id, however long ago it ended; None where there is none."""
        return self.state.records.get(question) or self._projection.recalled(question)

    def known(self, question: str) -> Record | None:
        """Return a question as this process last saw it, without a look into the journal."""
        return self._projection.state.records.get(question)

    def pending(self, person: str | None = None) -> tuple[Record, ...]:
        """Return the questions that wait for an answer, in order of asking; only a person's where one is given."""
        return tuple(record for record in self.state.waiting if person is None or record.turn == person)

    def free_from_s(self, now_s: float) -> float:
        """Return the earliest time at which somebody may be asked, by hourly limits and quiet times.

        Questions that are before people just now do not count: another one is held until they are free. Infinity while
        the desk is stopped.
        """
        state = self.state
        if self._stops or state.stopped is not None:
            return math.inf
        fits = (
            fit(person.limits, state.put.get(person.name, ()), now_s, busy=state.busy.get(person.name))
            for person in self._asked(state)
        )
        return min((math.inf if moment.from_s is None else moment.from_s for moment in fits), default=math.inf)

    def _who(self, name: str) -> Person | None:
        return self._projection.state.people.get(name)

    def _asked(self, state: DeskState) -> tuple[Person, ...]:
        """Return the people whom this desk asks, as the journal knows them by now."""
        names = [person.name for person in self.people] or list(state.people)
        return tuple(state.people[name] for name in names if name in state.people)

    def close(self) -> None:
        """Make a snapshot and close the channels, not the journal. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._try_to_write_stops()
            self._projection.keep(1)
            self._notices.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Place:
    """Place of a thread that waits for a question. `wake` takes no lock of ours, so it may be called from anywhere."""

    def __init__(self, question: str) -> None:
        self.question = question
        self._calls: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wake(self) -> None:
        """Wake the thread, so that it looks again."""
        self._calls.put(None)

    def sleep(self, most_s: float) -> bool:
        """Sleep until woken; return False when the time is up."""
        until = time.monotonic() + most_s
        while (left_s := until - time.monotonic()) > 0:
            with suppress(queue.Empty):
                self._calls.get(timeout=min(left_s, LONGEST_SLEEP_S))
                self.forget()
                return True
        return False

    def forget(self) -> None:
        """Forget earlier calls of `wake`: the thread is about to look anyway."""
        with suppress(queue.Empty):
            while True:
                self._calls.get_nowait()


class _Waiting:
    """The threads that wait in this process, by question, and the one of them that leads: it follows the journal.

    As long as a thread waits, one leads or was woken to become the leader. No extra thread is needed for that.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, tuple[_Place, ...]] = {}
        self._leader: _Place | None = None

    @contextmanager
    def place(self, question: str) -> Iterator[_Place]:
        """Enter a place for this thread; a leader that leaves passes the lead on."""
        place = _Place(question)
        with self._lock:
            self._places[question] = (*self._places.get(question, ()), place)
        try:
            yield place
        finally:
            with self._lock:
                left = tuple(entered for entered in self._places[question] if entered is not place)
                if left:
                    self._places[question] = left
                else:
                    del self._places[question]
            self.pass_on(place)

    def leads(self, place: _Place) -> bool:
        """Return True if this place leads; it leads from now on where none did."""
        with self._lock:
            if self._leader is None:
                self._leader = place
            return self._leader is place

    def pass_on(self, place: _Place) -> None:
        """Give up the lead, and wake another place to take it."""
        with self._lock:
            if self._leader is place:
                self._leader = None
            if self._leader is None:
                places = (entered for waiting in self._places.values() for entered in waiting)
                if (successor := next((entered for entered in places if entered is not place), None)) is not None:
                    successor.wake()

    def wake(self, questions: Iterable[str]) -> None:
        """Wake the threads that wait for these questions."""
        for question in questions:
            for place in self._places.get(question, ()):
                place.wake()

    def wake_all(self) -> None:
        """Wake all threads that wait."""
        self.wake(tuple(self._places))
