"""Service behind the routes of one server: journal, desk, access, sockets, and the threads between them."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from handup.core import DamagedJournal, HandupError, Person, ServerBusy
from handup.core.proof import digest
from handup.desk import Desk, DeskState, Record
from handup.desk.events import Stopped
from handup.journal import Entry, Journal, JournalErased, WallClock
from handup.journal.address import address_of
from handup.server.house_router import HouseRouter, introduce
from handup.server.hub import Hub, LinkedRobot, RobotHub, Socket
from handup.server.metrics import Metrics
from handup.server.pictures import Pictures, named_by
from handup.server.settings import ServerSettings
from handup.server.stops import Guarded, Pool, StopDelivery, Stopping, stop_view
from handup.server.tokens import Access, Grant, Owners, Paired
from handup.server.views import Views, busy_view, encoded, may_see, me_view, sees_names

T = TypeVar("T")
CLOSE_S = 1.0
"""Longest time in seconds that the service waits for the store when it ends."""
STOP_S = 10.0
"""The same where a stop is not written yet: it must hold after the next start, too."""
STORE_LETTERS = 32
WATCH_S = 0.25
"""Longest time in seconds of one wait for new entries, so that the thread can end."""
REST_S = 0.03
"""Rest in seconds after each look for new entries. It delays only what other processes write."""
PAUSE_S = 0.25
"""Pause in seconds after the store could not be read."""
_log = logging.getLogger("handup.server")


@dataclass(frozen=True)
class ReplyDraft:
    """Half-made answer of a person, and its time by the clock of their device."""

    value: Any
    at_s: float


class Drafts:
    """All half-made answers. Use it in the event loop only.

    Args:
        most: The most answers that are kept; the oldest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], ReplyDraft] = OrderedDict()

    def get(self, person: str, question: str) -> ReplyDraft | None:
        """Return the half-made answer of a person; None where there is none."""
        return self._kept.get((question, person))

    def put(self, person: str, question: str, draft: ReplyDraft) -> None:
        """Keep a half-made answer in place of the last."""
        self._kept.pop((question, person), None)
        self._kept[question, person] = draft
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def drop(self, person: str, question: str) -> None:
        """Forget the half-made answer of a person."""
        self._kept.pop((question, person), None)

    def keep_of(self, people: Collection[str]) -> None:
        """Forget the half-made answers of everybody else: somebody was erased."""
        for key in [key for key in self._kept if key[1] not in people]:
            del self._kept[key]

    def ended(self, question: str) -> None:
        """Forget all half-made answers to a question that has ended."""
        for key in [key for key in self._kept if key[0] == question]:
            del self._kept[key]


@dataclass(frozen=True, kw_only=True)
class News:
    """New entries of the journal, and their effects.

    Args:
        records: The questions that changed, as they are now, in the order of the entries.
        entries: The new entries.
        state: The desk's state after them.
        access: True where somebody's access may have ended.
    """

    records: tuple[Record, ...]
    entries: tuple[Entry, ...]
    state: DeskState
    access: bool


class Service:
    """Service of one server. Its threads run between `start` and `close`, both called in the event loop.

    Args:
        journal: An open journal, which stays open; or the store to open, which is closed with the service.
        people: People who can be asked, in order; everybody whom the journal knows where it is empty.
        settings: All settings of the server.
        version: Version of handup.

    Raises:
        StoreUnavailable: The store or the folder of pictures cannot be used. A damaged store raises nothing:
            the service reports it to everybody, and does nothing else.
    """

    def __init__(
        self, journal: Journal | str | Path, people: Sequence[Person], settings: ServerSettings, version: str
    ) -> None:
        self.settings = settings
        self.version = version
        self.damage: DamagedJournal | None = None
        self.opened = False
        self.hub = Hub(settings.bounds, settings.beats)
        self.views = Views()
        self.drafts = Drafts(settings.bounds.drafts)
        self.metrics = Metrics()
        self.robots = RobotHub(settings.beats.hold_s, self.now_s, self._tell_robot)
        self._own_journal = not isinstance(journal, Journal)
        self._store_id = ""
        self._waiters: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)
        self._tasks: set[asyncio.Task[None]] = set()
        self._journal_stop: dict[str, Any] | None = None
        self._clock = WallClock()
        self._queued = 0
        self._ending = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._erased, self._end = threading.Event(), threading.Event()
        self._follower = threading.Thread(target=self._guarded, name="handup server follower", daemon=True)
        try:
            self._open(journal, people)
        except DamagedJournal as error:
            self.damage = error

    def _open(self, journal: Journal | str | Path, people: Sequence[Person]) -> None:
        bounds = self.settings.bounds
        self.journal = journal if isinstance(journal, Journal) else Journal.open(journal)
        try:
            self.access = Access(self.journal)
            router = HouseRouter(self.access.with_devices, tuple(person.name for person in people))
            self.desk = Desk(self.journal, router=router, newcomers=True)
            self.desk.introduce(*people)
            self.owners = Owners(self.journal)
            self.desk.listeners.append(self._hear)
            self.pictures = Pictures(self._folder(), bounds, lambda: named_by(self.desk.state.waiting))
            self._state = self.desk.state
            self._journal_stop = self._last_stop()
            self.store_id()
        except HandupError:
            if self._own_journal:
                self.journal.close()
            raise
        self.stopping = Stopping(self.desk, self._tell_stop)
        self._pool = Pool(bounds.threads)
        self.opened = True

    def _folder(self) -> Path:
        if self.settings.pictures is not None:
            return self.settings.pictures
        path = address_of(self.journal.store).path
        return Path("handup.pictures") if path is None else path.with_name(f"{path.name}.pictures")

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the threads and the heartbeats."""
        self._loop = asyncio.get_running_loop()
        if self.opened:
            self.stopping.start()
            self._pool.start()
            self._follower.start()
            self._loop.call_soon(self._take_news)
        self.spawn(self._beat())

    def spawn(self, work: Any) -> None:
        """Run a task in the event loop that nobody waits for."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def say_bye(self) -> None:
        """Tell every socket and every waiting request that the server ends, and give them a moment."""
        self._ending = True
        self._wake_all()
        for socket in self.hub:
            socket.bye("The server ends; connect again soon.")
        for _ in range(10):
            if not len(self.hub):
                return
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        """End, within about two seconds unless a stop is still to be written. Safe to call twice."""
        self._ending = True
        self._wake_all()
        for task in tuple(self._tasks):
            task.cancel()
        if self.opened:
            closing = threading.Thread(target=self._close, name="handup server end", daemon=True)
            closing.start()
            await asyncio.to_thread(closing.join, CLOSE_S if self.stopping.pending is None else STOP_S)
            if closing.is_alive():
                _log.warning("the store is busy, so the server ends without its last snapshot; nothing is lost")

    def _close(self) -> None:
        self.stopping.close()
        self._end.set()
        if self._follower.is_alive():
            self._follower.join(2.0)
        self._pool.close()
        with suppress(HandupError):
            self.desk.close()
        if self._own_journal:
            self.journal.close()

    async def _beat(self) -> None:
        beats = self.settings.beats
        while True:
            slept = self.hub.tick(self.now_s())
            self.robots.tick(slept=slept)
            self._let_go()
            await asyncio.sleep(beats.beat_s)

    # -- asking the store ---------------------------------------------------------------------------------------------

    async def call(self, do: Callable[..., T], *args: Any, **more: Any) -> T:
        """Call a function that may wait for the store in one of a few threads, so that the event loop goes on.

        Raises:
            ServerBusy: Too many calls wait already, or the server ends.
        """
        if self._queued >= self.settings.bounds.queued or self._ending:
            raise ServerBusy("the server has too much to do", hint="Try again in a moment.")
        self._queued += 1
        try:
            result: T = await asyncio.wrap_future(self._pool.submit(partial(do, *args, **more)))
            return result
        finally:
            self._queued -= 1

    def now_s(self) -> float:
        """Return the time of the journal's clock."""
        return self.access.now_s() if self.opened else self._clock.now_s()

    def store_id(self) -> str:
        """Return the unique name of the store, made from its first entry; empty as long as it has none.

        Devices keep unsent replies under this name, since another store may have a question with the same id. The store
        is read only as long as it has no entry.
        """
        if not self._store_id:
            first = next(iter(self.journal.read(0, limit=1)), None)
            self._store_id = "" if first is None else digest(f"store {first.hash}")[:STORE_LETTERS]
        return self._store_id

    def me(self, grant: Grant) -> dict[str, Any]:
        """Return the owner of a token and the name of the store."""
        return {**me_view(grant), "store": self.store_id()}

    def let_in(self, code: str, device: str) -> Paired:
        """Exchange a code for a token. The desk knows its owner from then on. Waits for the store.

        Raises:
            BadCode: It is wrong, used or expired.
        """
        owner = self.access.owner_of(code)
        introduce(self.desk, owner.person, owner.role)
        return self.access.pair(code, device)

    async def record(self, question: str) -> Record | None:
        """Return a question by its id, from memory where it is there."""
        return self.desk.known(question) or await self.call(self.desk.record, question)

    async def check_own(self, question: str, robot: str) -> None:
        """Check that a question belongs to a robot; from memory where that is known.

        Raises:
            NotForYou: It belongs to a run of another robot.
        """
        if not self.owners.owns(question, robot):
            await self.call(self.owners.check, question, robot)

    # -- stop ---------------------------------------------------------------------------------------------------------

    @property
    def stopped(self) -> dict[str, Any] | None:
        """The stop that holds, if any: from this server, from the journal, or because of damage."""
        if self.damage is not None:
            return stop_view("the server", self.damage.cause, self.now_s())
        pending = self.stopping.pending
        return pending.view() if pending is not None else self._journal_stop

    @property
    def last_stop(self) -> int:
        """Number of the last stop in the journal, as far as this process knows it."""
        return self._state.last_stop

    async def stop(self, by: str, why: str, at_s: float, token: str = "", *, begun: StopDelivery | None = None) -> bool:
        """Stop; see `Stopping.stop`."""
        holds = self._journal_stop is not None
        written = await self.stopping.stop(by, why, at_s, token, holds=holds, begun=begun)
        if begun is not None and not begun.token:
            self.hub.broadcast(encoded({"type": "stopped", "stopped": self.stopped}), urgent=True)
        return written

    def _tell_stop(self, stop: dict[str, Any]) -> None:
        self.hub.broadcast(encoded({"type": "stopped", "stopped": stop}), urgent=True)
        self._wake_all()

    def _last_stop(self) -> dict[str, Any] | None:
        state = self._state
        if state.stopped is None:
            return None
        entry = next(iter(self.journal.read(state.last_stop - 1, limit=1)), None)
        return _view(state.stopped, state.at_s if entry is None else entry.at_s, state.last_stop)

    # -- following the journal ----------------------------------------------------------------------------------------
    # The thread that writes an entry also passes it on, without a look into the journal. A thread of its own finds what
    # other processes write, and what becomes due.

    def _hear(self, _before: DeskState, state: DeskState, entries: Sequence[Entry]) -> None:
        """Take new entries from the desk: in order, from any thread and under its lock, so it returns at once."""
        if any(isinstance(entry.event, JournalErased) for entry in entries):
            self._erased.set()
        ended = self.access.take(entries)
        keys = dict.fromkeys(entry.key for entry in entries)
        records = tuple(state.records[key] for key in keys if key in state.records)
        self._tell(News(records=records, entries=tuple(entries), state=state, access=ended))

    def _guarded(self) -> None:
        """Follow the journal. Without this thread nobody hears of stops elsewhere: if it fails, everything stops."""
        with Guarded(self._lost, "the journal cannot be followed any more, and everything stops"):
            self._follow()

    def _lost(self, error: BaseException) -> None:
        why = f"the journal cannot be followed any more ({type(error).__name__})"
        self._found_damage(DamagedJournal(why, hint="Start the server again, and see its log."))

    def _follow(self) -> None:
        unavailable = False
        while not self._end.is_set():
            try:
                self.desk.watch(WATCH_S)
                self._see_to_erasures()
                unavailable = False
                self._end.wait(REST_S)
            except DamagedJournal as error:
                _log.error("the journal is damaged, and everything stops: %s", error)
                self._found_damage(error)
                return
            except HandupError as error:
                if self._end.is_set():
                    return
                if not unavailable:
                    _log.warning("the journal cannot be followed just now: %s", error)
                unavailable = True
                self._end.wait(PAUSE_S)

    def _see_to_erasures(self) -> None:
        """End the access of people who were erased. That reads the journal, so the follower's thread does it."""
        if not self._erased.is_set():
            return
        self._erased.clear()
        try:
            self.access.build_again()
        except HandupError:
            self._erased.set()
            raise
        self._tell(News(records=(), entries=(), state=self.desk.state, access=True))

    def _found_damage(self, error: DamagedJournal) -> None:
        def take() -> None:
            self.damage = error
            self._tell_stop(self.stopped or {})

        self._in_loop(take)

    # -- news ---------------------------------------------------------------------------------------------------------

    def _tell(self, news: News) -> None:
        """Pass news on to the event loop, in order."""
        self._news.put(news)
        self._in_loop(self._take_news)

    def _in_loop(self, do: Callable[[], None]) -> None:
        """Call a function in the event loop, from any thread; do nothing where the loop does not run."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed already
                self._loop.call_soon_threadsafe(do)

    def _take_news(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._take(self._news.get_nowait())

    def _take(self, news: News) -> None:
        """Send everybody the changes that concern them."""
        self.metrics.take(news.entries)
        before = self.stopped
        self._tell_busy(self._state, news.state)
        self._state = state = news.state
        if any(isinstance(entry.event, JournalErased) for entry in news.entries):
            self.drafts.keep_of(state.people)
        if state.stopped is None:
            self._journal_stop = None
        for entry in news.entries:
            if isinstance(entry.event, Stopped):
                pressed_s = self.stopping.seen(entry.event.by, entry.event.token, entry.seq)
                if state.stopped is not None:
                    self._journal_stop = _view(state.stopped, entry.at_s if pressed_s is None else pressed_s, entry.seq)
        if state.stopped is not None and self._journal_stop is None:  # a repaired journal
            self._journal_stop = _view(state.stopped, state.at_s, state.last_stop)
        if self.damage is None and self.stopped != before:
            self.hub.broadcast(encoded({"type": "stopped", "stopped": self.stopped}), urgent=True)
        for record in news.records:
            self._tell_record(record)
        if news.access:
            self._let_go()

    def _let_go(self) -> None:
        """Close the sockets of those who are not paired any more."""
        for socket in self.hub:
            if not self.access.good(socket.grant):
                socket.bye("You are not paired any more.")

    def _tell_record(self, record: Record) -> None:
        now_s = self.now_s()
        if record.settled:
            for waiter in self._waiters.get(record.id, ()):
                if not waiter.done():
                    waiter.set_result(None)
        if record.ended:
            self.drafts.ended(record.id)
        watchers = self.hub.watchers(record.id)
        if watchers:
            frame = encoded({"type": "record", "record": self.views.of(record, now_s)})
            for socket in watchers:
                socket.send(frame)
                if record.ended:
                    self.hub.unwatch(socket, record.id)
        # One frame for all who see every name, and one for each other person: encoding is the expensive part.
        frames: dict[str, str] = {}
        for socket in self.hub.people():
            if may_see(socket.grant, record):
                for_whom = "" if sees_names(socket.grant) else socket.grant.name
                if for_whom not in frames:
                    view = self.views.of(record, now_s, socket.grant)
                    frames[for_whom] = encoded({"type": "question", "record": view})
                socket.send(frames[for_whom])

    def _tell_busy(self, before: DeskState, state: DeskState) -> None:
        """Tell the devices of a person what another one of theirs has said."""
        changed = {name for name in {**before.busy, **state.busy} if before.busy.get(name) != state.busy.get(name)}
        for socket in self.hub.people() if changed else ():
            if (name := socket.grant.name) in changed:
                busy = busy_view(state, name, self.now_s())
                socket.send(encoded({"type": "busy", "busy": busy}), slot="busy")

    def _tell_robot(self, robot: LinkedRobot) -> None:
        kinds = {socket.panels for socket in self.hub.people()}
        frames = {panels: encoded({"type": "robot", **robot.view(panels=panels)}) for panels in kinds}
        for socket in self.hub.people():
            socket.send(frames[socket.panels], slot=f"robot {robot.name}")

    # -- waiting and greeting -----------------------------------------------------------------------------------------

    async def wait(self, question: str, timeout_s: float) -> None:
        """Wait until a question may have changed, a stop comes, or the time is up."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[question].add(future)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(future, timeout_s)
        finally:
            self._waiters[question].discard(future)
            if not self._waiters[question]:
                del self._waiters[question]

    def _wake_all(self) -> None:
        for waiters in tuple(self._waiters.values()):
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def hello(self, socket: Socket) -> str:
        """Return the first frame of a socket: everything it needs to begin."""
        grant, now_s = socket.grant, self.now_s()
        people = not grant.is_robot
        waiting = [record for record in self._state.waiting if may_see(grant, record)] if people else []
        most = self.settings.bounds.greeted
        return encoded(
            {
                "type": "hello",
                "server": self.version,
                "me": self.me(grant),
                "now_s": now_s,
                "beat_s": self.settings.beats.beat_s,
                "hold_s": self.settings.beats.hold_s,
                "stopped": self.stopped,
                "questions": [self.views.of(record, now_s, grant) for record in waiting[:most]],
                "more": max(len(waiting) - most, 0),
                "people": None if people else self.hub.answering,
                "robots": [robot.view(panels=socket.panels) for robot in self.robots] if people else [],
                "busy": busy_view(self._state, grant.name, now_s) if people else None,
            }
        )

    def numbers(self) -> str:
        """Return the metrics, with the present values, as text."""
        waiting, alive = len(self._state.waiting), self.robots.alive
        gauges = {"open_questions": waiting, "sockets": len(self.hub), "robots_alive": alive}
        return self.metrics.text(self.now_s(), **gauges, stopped=self.stopped is not None)


def _view(stop: Stopped, at_s: float, seq: int) -> dict[str, Any]:
    return stop_view(stop.by, stop.why or "", at_s, seq)
