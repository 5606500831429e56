"""A robot's link to its server: heartbeats both ways, state and pictures out, stop in; the robot never waits for it."""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from handup.client.calls import new_token
from handup.client.client import AsyncClient
from handup.client.live import BEAT_S
from handup.client.views import Stop, count_of, stop_of, unshown_of
from handup.client.wire import Outbox, Pulse, Wire
from handup.core import HandupError
from handup.core.panels import RobotState, Unshown

TURN_S = 1.0
"""Whoever steers is the only one until so long after their last push. Only to say that one is there is no push."""
MODES = ("translate", "rotate")
HOLD_S = 1.0
"""So long after the last heartbeat that it trusts a robot may move."""
END_S = 4.0
"""So long a link may take to end."""
MOST_WARNINGS = 20
"""So often it is logged that something of a state is not shown."""
_log = logging.getLogger("handup.client")


@dataclass(frozen=True, kw_only=True)
class Stick:
    """How somebody pushes the stick.

    Args:
        by: Who.
        device: On which device.
        mode: `translate` or `rotate`.
        push: Along three axes, each from -1 to 1.
        close: Whether they press to close the hand.
        heard_s: When it was heard, by `time.monotonic`.
    """

    by: str
    device: str
    mode: str
    push: tuple[float, float, float]
    close: bool
    heard_s: float

    @property
    def idle(self) -> bool:
        """Whether it asks for nothing."""
        return not (any(self.push) or self.close)


class Sticks:
    """What of the pushes that come in counts. One thread hears, any thread may look.

    Args:
        clock: Tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pushed_s = -math.inf
        self.latest: Stick | None = None

    def hear(self, frame: Mapping[str, Any]) -> None:
        """Take a push, unless somebody else steers just now or it is none."""
        found = _stick_of(frame, self._clock())
        known = self.latest
        if found is None:
            return
        last_s = self._pushed_s if not found.idle or known is None else known.heard_s  # who rests takes nobody's place
        if known is None or known.device == found.device or found.heard_s - last_s > TURN_S:
            self.latest = found
            if not found.idle:
                self._pushed_s = found.heard_s


def _stick_of(frame: Mapping[str, Any], now_s: float) -> Stick | None:
    push, mode = frame.get("push"), frame.get("mode")
    if mode not in MODES or not isinstance(push, list) or len(push) != 3:
        return None
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in push):
        return None
    x, y, z = (max(-1.0, min(1.0, float(each))) for each in push)
    return Stick(
        by=str(frame.get("by") or ""),
        device=str(frame.get("device") or ""),
        mode=str(mode),
        push=(x, y, z),
        close=frame.get("close") is True,
        heard_s=now_s,
    )


class ServerClock:
    """Tells the server's time, as it was last heard, carried on by a clock that never jumps.

    Deadlines and *not now until* are times of the server. A robot whose local journal has this clock has one time in
    all of it. Before the server was heard it is the machine's own time.
    """

    def __init__(self) -> None:
        self._ahead_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        """Seconds since the epoch, by the server."""
        return time.monotonic() + self._ahead_s

    def hear(self, now_s: Any) -> None:
        """Take in what the server said its time is. What was held up on the way says less than it is."""
        if isinstance(now_s, bool) or not isinstance(now_s, int | float):
            return
        self._ahead_s = float(now_s) - time.monotonic()


class RobotLink:
    """Keeps a robot in touch with a server, in a thread of its own. It begins at once and never raises later on.

    A robot moves only while `alive` is true, and looks often: before each motion and during it. That is all there is
    to holding when the server dies, the network is gone or somebody says stop. *Not* a safety function: that is the
    hardware's.

    Args:
        url: Where the server is; `HANDUP_URL`, or this machine, where it is not given.
        token: The robot's token from `handup pair --robot NAME`; `HANDUP_TOKEN` where it is not given.
        robot: Its name, as it was paired.
        hold_s: How long after a heartbeat it may still move.
        id: What the store calls the token. Where it is given, the server proves that it has read the store before it
            gets the token; else the first one is believed, and each later one has to prove it.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Attributes:
        clock: The server's time.
        problem: Why there is no link, where there is none.
        stops_heard: How many stops were heard so far, lifted or not.
        people: How many pages of people who may answer were open when the server was last heard.
        unshown: Parts of our states that this server is too old to show; None where it shows all that was sent.

    Raises:
        BadSetting: The address or the token cannot be one.

    Example:
        >>> with RobotLink("http://127.0.0.1:9", "token", "plate") as link:  # nobody is there
        ...     link.alive, link.stopped, link.hold(timeout_s=0.01)
        (False, False, False)
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        robot: str = "robot",
        *,
        hold_s: float = HOLD_S,
        id: str = "",
        ca_file: str | Path | None = None,
    ) -> None:
        self.robot = robot
        self.clock = ServerClock()
        self.problem: HandupError | None = None
        self._pulse = Pulse(hold_s)
        self._news = threading.Condition()
        self.stops_heard = 0
        self.people = 0
        self.unshown: Unshown | None = None
        self._sticks = Sticks()
        self._warned = set[Unshown]()
        self._id = id
        self._stop: Stop | None = None
        self._own_stop: tuple[str, str] | None = None  # why, and its token
        self._outbox = Outbox(robot)
        self._wire = Wire(
            client=AsyncClient(url, token, patience_s=0.0, ca_file=ca_file),
            pulse=self._pulse,
            outbox=self._outbox,
            hear=self._hear,
            own_stop=lambda: self._own_stop,
            note=self._note,
            id=lambda: self._id,
        )
        self._thread = threading.Thread(target=self._wire.run, name=f"handup link {robot}", daemon=True)
        self._thread.start()

    # -- what the robot looks at -------------------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether the robot may move: the server was heard within `hold_s`, and nobody says stop."""
        return self.heard and not self.stopped

    @property
    def heard(self) -> bool:
        """Whether the server was heard within `hold_s`."""
        return self._pulse.fresh

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop. Latched, also while the server is away, until it says that a person enabled."""
        return self._stop is not None or self._own_stop is not None

    @property
    def stop_heard(self) -> Stop | None:
        """The stop that holds, as the server told it."""
        return self._stop

    @property
    def stick(self) -> Stick | None:
        """How somebody steers this robot from a page, as last heard. Look at its age: people let go, and links fail."""
        return self._sticks.latest

    def hold(self, timeout_s: float | None = None, *, only_heard: bool = False) -> bool:
        """Wait while the robot may not move.

        Args:
            timeout_s: How long at most; for ever where it is None.
            only_heard: Wait only until the server is heard; it may say stop.

        Returns:
            Whether it may now.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        with self._news:
            while not (good := self.heard if only_heard else self.alive):
                left_s = None if until is None else until - time.monotonic()
                if (left_s is not None and left_s <= 0) or not self._thread.is_alive():
                    break
                self._news.wait(BEAT_S if left_s is None else min(left_s, BEAT_S))
        return good

    # -- what the robot says -----------------------------------------------------------------------------------------

    def state(self, state: Mapping[str, Any] | RobotState) -> None:
        """Show people what the robot does. Returns at once; of several states the latest is sent.

        Args:
            state: `phase`, and where you like `title`, `doing`, `why` and `panels`: those of `handup.core.panels`, or
                the same as plain data.
        """
        self._outbox.put_state(state, self.clock.now_s())
        self._wire.tell(self._wire.to_send)

    def picture(self, name: str, picture: bytes) -> None:
        """Show a picture (PNG, JPEG or WebP). Returns at once; it is there before the next state is."""
        self._outbox.put_picture(name, picture)
        self._wire.tell(self._wire.to_send)

    def stop(self, why: str = "") -> None:
        """Stop every robot of this server. Holds here at once, and is sent until the server has written it."""
        if self._own_stop is None:
            self._own_stop = (why, new_token())
        self._wire.tell(self._wire.urgent)

    def close(self) -> None:
        """End the link. People are told that the robot does not answer. Safe to call twice."""
        self._wire.tell(self._wire.over)
        self._thread.join(END_S)
        self._pulse.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- called from its own thread ----------------------------------------------------------------------------------

    def _hear(self, frame: Mapping[str, Any]) -> None:
        match frame.get("type"):
            case "beat":
                self.clock.hear(frame.get("at_s"))
            case "hello":
                self.clock.hear(frame.get("now_s"))
                self._keep_unwritten(stop_of(frame.get("stopped")))
                self._take_stop(frame.get("stopped"))
                self.people = count_of(frame.get("people"))
                self._id = self._id or _id_of(frame)
                self.problem = self.unshown = None
            case "stopped":
                self._take_stop(frame.get("stopped"))
            case "people":
                self.people = count_of(frame.get("people"))
            case "stick":
                self._sticks.hear(frame)
            case "stop":
                own = self._own_stop
                if own is not None and frame.get("token") == own[1] and frame.get("written") is True:
                    self._own_stop = None
            case "unshown":
                self._take_unshown(unshown_of(frame))
            case "error":
                _log.warning("the server refused something of '%s': %s", self.robot, json.dumps(frame.get("error")))
        with self._news:
            self._news.notify_all()

    def _take_unshown(self, unshown: Unshown) -> None:
        """Keep what is not shown; log it where that is new, also since the last connection."""
        self.unshown = unshown
        if unshown not in self._warned and len(self._warned) < MOST_WARNINGS:
            self._warned.add(unshown)
            _log.warning("the server is too old to show %s of '%s'; update handup there", unshown, self.robot)

    def _take_stop(self, said: Any) -> None:
        stop = stop_of(said)
        known = self._stop
        if stop is not None and (known is None or (stop.by, stop.at_s) != (known.by, known.at_s)):
            self.stops_heard += 1
        self._stop = stop

    def _keep_unwritten(self, now: Stop | None) -> None:
        """A server that ended before it had written a stop knows nothing of it: then the stop is ours to say."""
        lost = self._stop
        if lost is None or lost.written or self._own_stop is not None:
            return
        if now is None or now.by != lost.by:
            self._own_stop = (f"{lost.by or 'somebody'} said stop before the server was lost", new_token())
            self._wire.tell(self._wire.urgent)

    def _note(self, problem: HandupError) -> None:
        """Keep why there is no link; log it when it is new."""
        if self.problem is None or self.problem.cause != problem.cause:
            _log.warning("robot '%s' holds: %s", self.robot, problem)
        self.problem = problem


def _id_of(hello: Mapping[str, Any]) -> str:
    """What a server calls our token; empty where it does not say."""
    me = hello.get("me")
    return str(me.get("id") or "") if isinstance(me, Mapping) else ""
