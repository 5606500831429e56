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
from handup.desk import Desk, Record
from handup.desk.events import Stopped
from handup.journal import Journal, WallClock
from handup.journal.address import address_of
from handup.server.access import Access, Grant
from handup.server.drafts import Drafts
from handup.server.following import Follower, News
from handup.server.hub import Hub, Socket
from handup.server.metrics import Gauges, Metrics
from handup.server.pictures import Pictures, named_by
from handup.server.pool import Pool
from handup.server.robots import Robot, Robots
from handup.server.settings import ServerSettings
from handup.server.stopping import Stopping
from handup.server.views import Views, encoded, may_see, sees_names

T = TypeVar("T")
CLOSE_S = 1.0
"""So long it waits for the store when it ends."""
STOP_S = 10.0
"""So long where a stop is not written yet: it must hold after the next start, too."""
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
            self._follower = Follower(self.desk, self.access, self._from_follower, self._found_damage)
            self.pictures = Pictures(self._folder(), bounds, lambda: named_by(self.desk.state.waiting))
            self._state = self.desk.state
            self._journal_stop = self._last_stop()
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
            self._follower.start()
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
        self._follower.close()
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

    async def record(self, question: str) -> Record | None:
        """A question by its id, from memory where it is there."""
        return self.desk.known(question) or await self.call(self.desk.record, question)

    # -- stop ---------------------------------------------------------------------------------------------------------

    @property
    def stopped(self) -> dict[str, Any] | None:
        """The stop that holds, if one does: said here, or seen in the journal, or for damage."""
        if self.damage is not None:
            return {"by": "the server", "why": self.damage.cause, "at_s": self.now_s()}
        pending = self.stopping.pending
        return pending.view() if pending is not None else self._journal_stop

    def _tell_stop(self, stop: dict[str, Any]) -> None:
        self.hub.broadcast(encoded({"type": "stopped", "stopped": stop}), urgent=True)
        self._wake_all()

    def _last_stop(self) -> dict[str, Any] | None:
        state = self._state
        if state.stopped is None:
            return None
        entry = next(iter(self.journal.read(state.last_stop - 1, limit=1)), None)
        return _stop_view(state.stopped, state.at_s if entry is None else entry.at_s)

    # -- news ---------------------------------------------------------------------------------------------------------

    def _from_follower(self, news: News) -> None:
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
                self.stopping.seen(entry.event.by)
                if state.stopped is not None:
                    self._journal_stop = _stop_view(state.stopped, entry.at_s)
        if state.stopped is not None and self._journal_stop is None:  # a repaired journal
            self._journal_stop = _stop_view(state.stopped, state.at_s)
        if (self.stopped is None) != (before is None) or (self.stopped or {}).get("by") != (before or {}).get("by"):
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
        return encoded(
            {
                "type": "hello",
                "server": self.version,
                "me": me_view(grant),
                "now_s": now_s,
                "beat_s": self.settings.beats.beat_s,
                "hold_s": self.settings.beats.hold_s,
                "stopped": self.stopped,
                "questions": self.waiting(grant) if people else [],
                "robots": [each.view() for each in self.robots] if people else [],
            }
        )

    def waiting(self, viewer: Grant) -> list[dict[str, Any]]:
        """The questions that wait, as somebody may see them; without a look into the store."""
        now_s = self.now_s()
        return [self.views.of(each, now_s, viewer) for each in self._state.waiting if may_see(viewer, each)]

    def gauges(self) -> Gauges:
        """What holds just now."""
        return Gauges(
            open_questions=len(self._state.waiting),
            sockets=len(self.hub),
            robots_alive=self.robots.alive,
            stopped=self.stopped is not None,
        )


def me_view(grant: Grant) -> dict[str, Any]:
    """Whose token it is."""
    return {
        "id": grant.id,
        "name": grant.name,
        "role": str(grant.role),
        "device": grant.device,
        "until_s": grant.until_s,
    }


def _stop_view(stop: Stopped, at_s: float) -> dict[str, Any]:
    return {"by": stop.by, "why": stop.why or "", "at_s": at_s}
