"""Everything behind the routes of one server: journal, desk, access, sockets, and the threads between them."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from handup.core import DamagedJournal, HandupError, Person, ServerBusy
from handup.core.proof import digest
from handup.desk import Desk, Record
from handup.desk.events import Stopped
from handup.journal import Journal, WallClock
from handup.journal.address import address_of
from handup.server.drafts import Drafts
from handup.server.hub import Hub, Socket
from handup.server.journal_watcher import JournalWatcher, News
from handup.server.metrics import Gauges, Metrics
from handup.server.ownership import Owners
from handup.server.pictures import Pictures, named_by
from handup.server.pool import Pool
from handup.server.robots import Robot, Robots
from handup.server.settings import ServerSettings
from handup.server.stops import Stop, Stopping
from handup.server.tokens import Access, Grant
from handup.server.views import Views, encoded, may_see, me_view, sees_names

T = TypeVar("T")
CLOSE_S = 1.0
"""So long it waits for the store when it ends."""
STOP_S = 10.0
"""So long where a stop is not written yet: it must hold after the next start, too."""
STORE_LETTERS = 32
_log = logging.getLogger("handup.server")


class Service:
    """One server's inside. Its threads run between `start` and `close`, both called in the event loop.

    Args:
        journal: An open journal, which stays open; or the store to open, which is closed with the service.
        people: Who can be asked, in order; everybody whom the journal knows where it is empty.
        settings: The rest.
        version: Of handup.

    Raises:
        StoreUnavailable: The store or the folder of pictures cannot be used. A damaged store is no error: the
            service then says so to everybody, and does nothing else.
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
        self.robots = Robots(settings.beats.hold_s, self.now_s, self._tell_robot)
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
        try:
            self._open(journal, people)
        except DamagedJournal as error:
            self.damage = error

    def _open(self, journal: Journal | str | Path, people: Sequence[Person]) -> None:
        bounds = self.settings.bounds
        self.journal = journal if isinstance(journal, Journal) else Journal.open(journal)
        try:
            self.desk = Desk(self.journal, people)
            self.access = Access(self.journal)
            self.owners = Owners(self.journal)
            self._watcher = JournalWatcher(self.desk, self.access, self._from_watcher, self._found_damage)
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
        """Begin: threads and heartbeats."""
        self._loop = asyncio.get_running_loop()
        if self.opened:
            self.stopping.start()
            self._pool.start()
            self._watcher.start()
            self._loop.call_soon(self._take_news)
        self.spawn(self._beat())

    def spawn(self, work: Any) -> None:
        """Run something in the event loop that nobody waits for."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def say_bye(self) -> None:
        """Tell every socket and whoever waits that the server ends, and give them a moment."""
        self._ending = True
        self._wake_all()
        for socket in self.hub:
            socket.end('{"type":"bye","why":"The server ends; connect again soon."}')
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
        self._watcher.close()
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
            for socket in self.hub:
                if not self.access.good(socket.grant):
                    socket.end('{"type":"bye","why":"You are not paired any more."}')
            await asyncio.sleep(beats.beat_s)

    # -- asking the store ---------------------------------------------------------------------------------------------

    async def call(self, do: Callable[..., T], *args: Any, **more: Any) -> T:
        """Do something that waits for the store, in one of a few threads.

        Raises:
            ServerBusy: Too much waits already.
        """
        if self._queued >= self.settings.bounds.queued or self._ending:
            raise ServerBusy("the server has too much to do", hint="Try again in a moment.")
        self._queued += 1
        try:
            done: T = await asyncio.wrap_future(self._pool.submit(partial(do, *args, **more)))
            return done
        finally:
            self._queued -= 1

    def now_s(self) -> float:
        """The time: the journal's."""
        return self.access.now_s() if self.opened else self._clock.now_s()

    def store_id(self) -> str:
        """A name for the store that no other has, made of its first entry; empty as long as it has none.

        Devices keep what they have not sent yet by it: ids of questions come again in other stores. The store is looked
        at until there is an entry, so never again once somebody is paired.
        """
        if not self._store_id:
            first = next(iter(self.journal.read(0, limit=1)), None)
            self._store_id = "" if first is None else digest(f"store {first.hash}")[:STORE_LETTERS]
        return self._store_id

    def me(self, grant: Grant) -> dict[str, Any]:
        """Whose token it is, and of which store."""
        return {**me_view(grant), "store": self.store_id()}

    async def record(self, question: str) -> Record | None:
        """A question by its id, from memory where it is there."""
        return self.desk.known(question) or await self.call(self.desk.record, question)

    async def check_own(self, question: str, robot: str) -> None:
        """Refuse a robot a question of another one; from memory where that is known.

        Raises:
            NotForYou: It is not of one of its runs.
        """
        if not self.owners.owns(question, robot):
            await self.call(self.owners.check, question, robot)

    # -- stop ---------------------------------------------------------------------------------------------------------

    @property
    def stopped(self) -> dict[str, Any] | None:
        """The stop that holds, if one does: said here, or seen in the journal, or for damage."""
        if self.damage is not None:
            return _view("the server", self.damage.cause, self.now_s(), None)
        pending = self.stopping.pending
        return pending.view() if pending is not None else self._journal_stop

    @property
    def last_stop(self) -> int:
        """The number of the last stop in the journal, as far as it is known here."""
        return self._state.last_stop

    async def stop(self, by: str, why: str, at_s: float, token: str = "", *, begun: Stop | None = None) -> bool:
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
        return _stop_view(state.stopped, state.at_s if entry is None else entry.at_s, state.last_stop)

    # -- news ---------------------------------------------------------------------------------------------------------

    def _from_watcher(self, news: News) -> None:
        self._news.put(news)
        self._in_loop(self._take_news)

    def _in_loop(self, do: Callable[[], None]) -> None:
        """Have something done in the event loop, from any thread; nothing where there is none yet, or no more."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed already
                self._loop.call_soon_threadsafe(do)

    def _take_news(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._take(self._news.get_nowait())

    def _found_damage(self, error: DamagedJournal) -> None:
        def take() -> None:
            self.damage = error
            self._tell_stop(self.stopped or {})

        self._in_loop(take)

    def _take(self, news: News) -> None:
        """Tell everybody what has changed."""
        self.metrics.take(news.entries)
        before = self.stopped
        self._state = state = news.state
        if state.stopped is None:
            self._journal_stop = None
        for entry in news.entries:
            if isinstance(entry.event, Stopped):
                said_s = self.stopping.seen(entry.event.by, entry.event.token, entry.seq)
                if state.stopped is not None:
                    at_s = entry.at_s if said_s is None else said_s
                    self._journal_stop = _stop_view(state.stopped, at_s, entry.seq)
        if state.stopped is not None and self._journal_stop is None:  # a repaired journal
            self._journal_stop = _stop_view(state.stopped, state.at_s, state.last_stop)
        if self.damage is None and self.stopped != before:
            self.hub.broadcast(encoded({"type": "stopped", "stopped": self.stopped}), urgent=True)
        for record in news.records:
            self._tell_record(record)
        if news.access:
            for socket in self.hub:
                if not self.access.good(socket.grant):
                    socket.end('{"type":"bye","why":"You are not paired any more."}')

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
        frames: dict[str, str] = {}
        for socket in self.hub.people():
            if may_see(socket.grant, record):
                for_whom = "" if sees_names(socket.grant) else socket.grant.name
                if for_whom not in frames:
                    view = self.views.of(record, now_s, socket.grant)
                    frames[for_whom] = encoded({"type": "question", "record": view})
                socket.send(frames[for_whom])

    def _tell_robot(self, robot: Robot) -> None:
        frame = encoded({"type": "robot", **robot.view()})
        for socket in self.hub.people():
            socket.send(frame, slot=f"robot {robot.name}")

    # -- waiting and greeting -----------------------------------------------------------------------------------------

    async def wait(self, question: str, timeout_s: float) -> None:
        """Wait until there may be something to tell about a question, a stop comes, or the time is up."""
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
            for each in waiters:
                if not each.done():
                    each.set_result(None)

    def hello(self, socket: Socket) -> str:
        """The first frame of a socket: everything it needs to begin anew."""
        grant, now_s = socket.grant, self.now_s()
        people = not grant.is_robot
        waiting = self._waiting(grant) if people else []
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
                "questions": [self.views.of(each, now_s, grant) for each in waiting[:most]],
                "more": max(len(waiting) - most, 0),
                "people": None if people else self.hub.answering,
                "robots": [each.view() for each in self.robots] if people else [],
            }
        )

    def _waiting(self, viewer: Grant) -> list[Record]:
        """The questions that wait, as far as they are for somebody's eyes; without a look into the store."""
        return [each for each in self._state.waiting if may_see(viewer, each)]

    def gauges(self) -> Gauges:
        """What holds just now."""
        return Gauges(
            open_questions=len(self._state.waiting),
            sockets=len(self.hub),
            robots_alive=self.robots.alive,
            stopped=self.stopped is not None,
        )


def _stop_view(stop: Stopped, at_s: float, seq: int) -> dict[str, Any]:
    return _view(stop.by, stop.why or "", at_s, seq)


def _view(by: str, why: str, at_s: float, seq: int | None) -> dict[str, Any]:
    return {"by": by, "why": why, "at_s": at_s, "seq": seq, "written": True}
