"""Service that follows the desk and tells people of questions on their ways, each way in a thread of its own.

A *turn* is one time that a question is put to one person. A *course* is what became so far of the notices about one
turn on one way.

There is no queue that could overflow: the notices that are due are computed from the questions that wait and from the
courses in the journal. An entry is written before a notice leaves and after it left. So a notice goes out once at most,
whichever program is killed when, and however many servers work on the store.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from handup.adapters.notify.notifier import Notice, Notifier, NotTold, PerhapsTold
from handup.adapters.notify.notify_file import MOST_PER_HOUR, NotifySettings, PersonNotices
from handup.core import DamagedJournal, HandupError, IllegalCall, Person
from handup.core.checks import one_line
from handup.desk import Desk, DeskState, Record, Status, replay
from handup.desk.channel import CHANNEL_FAILS
from handup.desk.events import NOTICES, Introduced, NoticeBegun, NoticeEnded, NoticeOutcome, QuestionEvent
from handup.desk.status import BEFORE
from handup.journal import Entry, JournalErased
from handup.people.limits import HOUR_S, quiet_until

FIRST_PAUSE_S = 2.0
"""Pause in seconds after an attempt that failed; it doubles each further time."""
LONGEST_PAUSE_S = 300.0
MOST_ATTEMPTS = 12
"""Most attempts at one notice; with the pauses they take about half an hour."""
LONGEST_WAIT_S = 30.0
"""Longest time in seconds between two looks of a way at what is due."""
REST_S = 0.05
"""Rest in seconds after each look, so that a storm of questions costs little."""
DAY_S = 86_400.0
LOOK_BACK = 20_000
"""Number of the journal's last entries in which a program that begins looks for notices of the last day."""
MOST_GONE = 50
"""Most notices that are taken back at a time, the latest."""
CLOSE_S = 1.0
"""Longest time in seconds that the service waits for its threads when it ends."""
NAMELESS = "The robot"
"""Name of a robot whose name is not known."""
_log = logging.getLogger("handup.notify")


@dataclass(frozen=True, kw_only=True)
class Course:
    """Course of the notices about one turn of a question, on one way; see the top of this file.

    Args:
        reminder: Number of the latest notice; -1 where there is none.
        attempt: Number of the latest attempt at it.
        begun_s: Time at which that attempt began.
        begun: Number of the journal's entry for that.
        ended_s: Time at which it ended; None while it is under way, or if its program was killed meanwhile.
        outcome: Its outcome; None as long as it has not ended.
        sent: Whether any notice of the course went out.
    """

    reminder: int = -1
    attempt: int = 0
    begun_s: float = 0.0
    begun: int = 0
    ended_s: float | None = None
    outcome: NoticeOutcome | None = None
    sent: bool = False

    @classmethod
    def of(cls, entries: Iterable[Entry], *, person: str, way: str, opened_s: float) -> Course:
        """Return the course of one turn on one way, from the entries about a question."""
        course = cls()
        for entry in entries:
            match entry.event:
                case NoticeBegun() as begun if (begun.person, begun.way, begun.opened_s) == (person, way, opened_s):
                    course = cls(
                        reminder=begun.reminder,
                        attempt=begun.attempt,
                        begun_s=entry.at_s,
                        begun=entry.seq,
                        sent=course.sent,
                    )
                case NoticeEnded() as ended if ended.begun == course.begun:
                    course = course.after(ended.outcome, entry.at_s)
        return course

    def after(self, outcome: NoticeOutcome, at_s: float) -> Course:
        """Return the course after its latest attempt ended."""
        sent = self.sent or outcome is NoticeOutcome.SENT
        return Course(
            reminder=self.reminder,
            attempt=self.attempt,
            begun_s=self.begun_s,
            begun=self.begun,
            ended_s=at_s,
            outcome=outcome,
            sent=sent,
        )


@dataclass(frozen=True, kw_only=True)
class NoticeStep:
    """Next notice of a course, and the time from which it may go out."""

    reminder: int
    attempt: int
    due_s: float


def next_step(course: Course, wanted: PersonNotices, opened_s: float) -> NoticeStep | None:
    """Return the next step of a course; None where nothing follows."""
    if course.reminder < 0:
        return NoticeStep(reminder=0, attempt=1, due_s=opened_s + wanted.after_s)
    if course.outcome is NoticeOutcome.FAILED and course.attempt < MOST_ATTEMPTS:
        pause_s = min(FIRST_PAUSE_S * 2.0 ** (course.attempt - 1), LONGEST_PAUSE_S)
        due_s = (course.ended_s or course.begun_s) + pause_s
        return NoticeStep(reminder=course.reminder, attempt=course.attempt + 1, due_s=due_s)
    if course.reminder >= wanted.most:
        return None
    return NoticeStep(reminder=course.reminder + 1, attempt=1, due_s=course.begun_s + wanted.every_s)


class NotificationService:
    """Notices of all open questions of a desk. Make it, `start` it, and `close` it before the desk.

    Args:
        desk: The desk to follow. Something else must keep it up to date, such as the server, which watches the journal.
        settings: Notices that people want.
        ways: Ways that are set up.
        robots: Function that returns the names of the robots of the store.
        robot_of: Function that returns the name of the robot that a run belongs to; None where nobody knows.
    """

    def __init__(
        self,
        desk: Desk,
        settings: NotifySettings,
        ways: Sequence[Notifier],
        *,
        robots: Callable[[], Iterable[str]] = tuple,
        robot_of: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.desk = desk
        self.settings = settings
        self.robots = robots
        self._robot_of = robot_of
        self.lines = {way.way: NoticeLine(self, way) for way in ways}
        self.state = desk.state
        desk.listeners.append(self._hear)

    def start(self) -> None:
        """Start a thread for each way."""
        for line in self.lines.values():
            line.start()

    def close(self) -> None:
        """End the threads. One that waits for a server is left behind, and ends with the program."""
        until = time.monotonic() + CLOSE_S
        for line in self.lines.values():
            line.end()
        for line in self.lines.values():
            line.join(max(until - time.monotonic(), 0.0))

    def robot(self, run: str) -> str:
        """Return the name of the robot of a run, in one line."""
        known = self._robot_of(run)
        if known is None:
            names = set(self.robots())
            known = names.pop() if len(names) == 1 else NAMELESS
        return one_line(known)

    def now_s(self) -> float:
        """Return the journal's time, which never runs backwards here."""
        return max(self.desk.journal.clock.now_s(), self.state.at_s)

    def _hear(self, _before: DeskState, state: DeskState, entries: Sequence[Entry]) -> None:
        """Take a new state from the desk: from any thread, under its lock, so it returns at once."""
        self.state = state
        if any(isinstance(entry.event, QuestionEvent | Introduced | JournalErased) for entry in entries):
            for line in self.lines.values():
                line.wake()


class NoticeLine:
    """All notices on one way. `look` does what is due; the thread calls it, and so may a test.

    Args:
        service: The service that it belongs to.
        notifier: The way.
    """

    def __init__(self, service: NotificationService, notifier: Notifier) -> None:
        self.notifier = notifier
        self.way = notifier.way
        self._service = service
        self._journal = service.desk.journal
        self._courses: dict[tuple[str, str, float], Course] = {}
        self._latest: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST_PER_HOUR))
        """Times of the latest notices, by person, in order."""
        self._out: dict[str, Notice] | None = None
        """Notices that went out and were not taken back, by sequence; None before the first look."""
        self._shown: Mapping[str, Sequence[str]] | None = None
        """Sequences that the way shows by now, by robot; None where that is not known."""
        self._show_s = -math.inf
        """Time from which `update` is called again after it failed."""
        self._shows_failed = 0
        self._woken, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"handup notices {self.way}", daemon=True)

    # -- the thread ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Let the thread look at once."""
        self._woken.set()

    def end(self) -> None:
        """Ask the thread to end."""
        self._ended.set()
        self._woken.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        unavailable = False
        while not self._ended.is_set():
            self._woken.clear()
            wait_s = LONGEST_WAIT_S
            try:
                wait_s = min(max(self.look() - self._service.now_s(), 0.0), LONGEST_WAIT_S)
                unavailable = False
            except IllegalCall:
                break  # the journal is closed, as the server has ended
            except DamagedJournal as error:
                _log.error("no more notices by %s: %s", self.way, error)
                break
            except HandupError as error:
                if not unavailable:
                    _log.warning("notices by %s have to wait: %s", self.way, error)
                unavailable, wait_s = True, FIRST_PAUSE_S
            self._woken.wait(wait_s)
            self._ended.wait(REST_S)
        try:
            self.notifier.close()
        except (NotTold, *CHANNEL_FAILS) as error:
            _log.warning("the way %s did not end in order (%s)", self.way, type(error).__name__)

    # -- one look ------------------------------------------------------------------------------------------------------

    def look(self) -> float:
        """Show what holds, and send the notice that is due first, if any.

        Returns:
            Time in seconds of the next look, by the journal's clock; infinity where nothing is to come.

        Raises:
            StoreUnavailable: The journal cannot be read or written just now.
        """
        now_s, state = self._service.now_s(), self._service.state
        turns = [(record, person) for record in state.waiting if (person := self._wanted(state, record)) is not None]
        keys = {_key(record) for record, _ in turns}
        self._courses = {key: course for key, course in self._courses.items() if key in keys}
        for record, _ in turns:
            if _key(record) not in self._courses:
                self._courses[_key(record)] = self._course(record, self._journal.read(run=NOTICES, key=record.id))
        show_s = self._show(turns, now_s)
        due_s, first = math.inf, None
        free = cache(self._from_s)  # in a storm, thousands of questions ask for the same person and time
        for record, person in turns:
            step = self._next(record)
            if step is not None and (at_s := free(person, max(step.due_s, now_s))) < due_s:
                due_s, first = at_s, (record, step)
        if first is None or due_s > now_s:
            return min(due_s, show_s)
        record, step = first
        return now_s if self._tell(record, step) else now_s + FIRST_PAUSE_S  # other notices may be due, too

    def _wanted(self, state: DeskState, record: Record) -> Person | None:
        """Return the person who is to be told of a question on this way; None where nobody is."""
        person = state.people.get(record.turn or "")
        if person is None or record.status not in BEFORE or record.opened_s is None:
            return None
        wanted = self._service.settings.people.get(person.name)
        if wanted is None or self.way not in wanted.addresses:
            return None
        return person if not person.channels or self.way in person.channels else None

    def _settings(self, person: str) -> PersonNotices:
        return self._service.settings.people[person]

    def _next(self, record: Record) -> NoticeStep | None:
        """Return the next notice about a question; None for a claimed one, which somebody works on already."""
        if record.status is not Status.OPEN or record.turn is None or record.opened_s is None:
            return None
        return next_step(self._courses[_key(record)], self._settings(record.turn), record.opened_s)

    def _from_s(self, person: Person, at_s: float) -> float:
        """Return the time from which a person may get a notice: outside quiet hours, and not too many in an hour."""
        wanted, latest = self._settings(person.name), self._latest[person.name]
        if len(latest) >= wanted.per_hour:
            at_s = max(at_s, latest[-wanted.per_hour] + HOUR_S)
        return quiet_until((*person.limits.quiet, *wanted.quiet), at_s)

    def _course(self, record: Record, entries: Iterable[Entry]) -> Course:
        return Course.of(entries, person=record.turn or "", way=self.way, opened_s=record.opened_s or 0.0)

    def _notice(self, record: Record, reminder: int) -> Notice:
        wanted = self._settings(record.turn or "")
        left_s = None if record.deadline_s is None else max(record.deadline_s - self._service.now_s(), 0.0)
        return Notice(
            question=record.id,
            opened_s=record.opened_s or 0.0,
            robot=self._service.robot(record.run),
            address=wanted.addresses[self.way],
            left_s=left_s,
            reminder=reminder,
            words=record.question.prompt if wanted.words else "",
            link=self._service.settings.page,
        )

    # -- showing what holds --------------------------------------------------------------------------------------------

    def _show(self, turns: Sequence[tuple[Record, Person]], now_s: float) -> float:
        """Show the notices that went out and still hold. Return the time of the next try where it fails."""
        holds = [(record, course) for record, _ in turns if (course := self._courses[_key(record)]).sent]
        told: dict[str, list[Notice]] = {name: [] for name in self._service.robots()}
        for record, course in holds:
            notice = self._notice(record, course.reminder)
            told.setdefault(notice.robot, []).append(notice)
        shown = {robot: [notice.sequence for notice in notices] for robot, notices in told.items()}
        if shown == self._shown:
            return math.inf
        if now_s < self._show_s:
            return self._show_s
        holding = {notice.sequence: notice for notices in told.values() for notice in notices}
        self._out = {**(self._earlier(now_s) if self._out is None else self._out), **holding}
        gone = [notice for sequence, notice in self._out.items() if sequence not in holding][-MOST_GONE:]
        try:
            self.notifier.update(told, gone)
        except (NotTold, *CHANNEL_FAILS) as error:
            self._shown, self._shows_failed = None, self._shows_failed + 1
            self._show_s = now_s + min(FIRST_PAUSE_S * 2.0 ** min(self._shows_failed - 1, 10), LONGEST_PAUSE_S)
            if self._shows_failed == 1:
                _log.warning("the way %s cannot show what waits: %s", self.way, _why(error))
            return self._show_s
        self._out, self._shown, self._shows_failed = holding, shown, 0
        return math.inf

    def _earlier(self, now_s: float) -> dict[str, Notice]:
        """Return the latest notices that went out before this program began: they may not hold any more."""
        after = max(self._journal.head().seq - LOOK_BACK, 0)
        begun: dict[int, Notice] = {}
        earlier: dict[str, Notice] = {}
        for entry in self._journal.read(after, run=NOTICES):
            match entry.event:
                case NoticeBegun(way=self.way) as event if entry.at_s > now_s - DAY_S:
                    wanted = self._service.settings.people.get(event.person)
                    if wanted is not None and self.way in wanted.addresses:
                        address = wanted.addresses[self.way]
                        begun[entry.seq] = Notice(
                            question=entry.key, opened_s=event.opened_s, robot=NAMELESS, address=address
                        )
                case NoticeEnded(outcome=NoticeOutcome.SENT) as event if event.begun in begun:
                    notice = begun.pop(event.begun)
                    earlier[notice.sequence] = notice
        return dict(list(earlier.items())[-MOST_GONE:])

    # -- telling -------------------------------------------------------------------------------------------------------

    def _tell(self, record: Record, step: NoticeStep) -> bool:
        """Write that a notice begins, send it, and write how that ended. Return False where it was not due any more."""
        notice = self._notice(record, step.reminder)
        begun = self._begin(record, step)
        if begun is None:
            return False
        assert record.turn is not None
        self._latest[record.turn].append(begun.at_s)
        outcome, why = NoticeOutcome.SENT, ""
        try:
            self.notifier.tell(notice)
        except PerhapsTold as error:
            outcome, why = NoticeOutcome.UNSURE, error.why
        except NotTold as error:
            outcome, why = NoticeOutcome.FAILED, error.why
        except CHANNEL_FAILS as error:
            outcome, why = NoticeOutcome.UNSURE, _why(error)
        if why:
            _log.warning("a notice by %s did not go out as it should: %s", self.way, why)
        self._courses[_key(record)] = self._courses[_key(record)].after(outcome, self._service.now_s())
        ended = NoticeEnded(begun=begun.seq, way=self.way, outcome=outcome, why=why)
        self._journal.append(ended, run=NOTICES, key=record.id)
        return True

    def _begin(self, record: Record, step: NoticeStep) -> Entry | None:
        """Write that a notice begins; None where it is not due any more, as another program may have told first."""
        assert record.turn is not None
        assert record.opened_s is not None
        with self._journal.writing() as writer:
            entries = list(writer.read(key=record.id))
            now = replay(entry for entry in entries if isinstance(entry.event, QuestionEvent)).records.get(record.id)
            if now is None or (now.status, now.turn, now.opened_s) != (Status.OPEN, record.turn, record.opened_s):
                self._courses.pop(_key(record), None)
                return None
            course = self._course(record, entries)
            then = next_step(course, self._settings(record.turn), record.opened_s)
            if then is None or (then.reminder, then.attempt) != (step.reminder, step.attempt):
                self._courses[_key(record)] = course
                return None
            begins = NoticeBegun(
                person=record.turn,
                way=self.way,
                opened_s=record.opened_s,
                reminder=step.reminder,
                attempt=step.attempt,
            )
            begun = writer.append(begins, run=NOTICES, key=record.id)
        self._courses[_key(record)] = self._course(record, [*entries, begun])
        return begun


def _key(record: Record) -> tuple[str, str, float]:
    """Return the name of a person's turn at a question."""
    return record.id, record.turn or "", record.opened_s or 0.0


def _why(error: Exception) -> str:
    """Return the reason of a failure in words that hold no secret: only our own words are told."""
    return error.why if isinstance(error, NotTold) else f"it failed ({type(error).__name__})"
