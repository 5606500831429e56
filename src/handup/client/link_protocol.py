"""The live socket without its network: how to connect, what to send, and what a robot's link knows of what it hears."""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from handup.client.address import ServerAddress
from handup.client.calls import refusal
from handup.client.views import strange
from handup.core import HandupError
from handup.core.panels import RobotState, plain
from handup.core.stick import Stick

BEAT_S = 0.25
"""So often both sides say that they are there."""
SILENT_S = 3.0
"""A socket on which nothing is heard for so long is dead, whatever TCP believes."""
OPEN_S = 3.0
"""So long a connection may take to be made."""
MOST_FRAME = 8 * 2**20
"""A frame of the server may be so large: the first one holds every question that waits."""
FAILS = (OSError, WebSocketException, TimeoutError, EOFError)
"""How a connection fails. It is made again then."""
REFUSED = (401, 403)
TURN_S = 1.0
"""Whoever steers is the only one until so long after their last push. Only to say that one is there is no push."""
MODES = ("translate", "rotate")
MOST_PICTURES = 8
"""So many pictures may wait to be sent; then the oldest is dropped."""
MOST_STATE = 60_000
"""A state may be so long, as JSON."""
REMEMBERED = 64
"""So many of our own beats are remembered, the latest."""
_log = logging.getLogger("handup.client")


def how(address: ServerAddress) -> dict[str, Any]:
    """What both kinds of sockets want to know. No proxy is used: a server is on this machine or in the house."""
    protocols = [Subprotocol("handup")]
    if address.token:
        protocols.append(Subprotocol(f"bearer.{address.token}"))
    return {
        "uri": address.live,
        "subprotocols": protocols,
        "open_timeout": OPEN_S,
        "close_timeout": 0.2,
        "ping_interval": None,  # the beats are our own
        "max_size": MOST_FRAME,
        "proxy": None,
        "ssl": address.trust(),
        "compression": None,
    }


def beat(number: int) -> str:
    """That we are there. The server repeats the number, so that we know how old what we hear can be."""
    return json.dumps({"type": "beat", "n": number})


def frame(kind: str, /, **said: object) -> str:
    """A frame to send."""
    return json.dumps({"type": kind, **said})


def read(text: str | bytes) -> Mapping[str, Any]:
    """A frame that came.

    Raises:
        ServerRefused: It is no frame.
    """
    try:
        found = json.loads(text)
    except ValueError:
        raise strange("a frame") from None
    if not isinstance(found, Mapping):
        raise strange("a frame")
    return found


def refused(error: BaseException) -> HandupError | None:
    """Why a server did not let us in, where trying again will not help by itself."""
    if not isinstance(error, InvalidStatus) or error.response.status_code not in REFUSED:
        return None
    try:
        body = json.loads(error.response.body or b"{}")
    except ValueError:
        body = {}
    return refusal(error.response.status_code, body)


def why(error: BaseException) -> str:
    """How a connection failed, in a few words."""
    if isinstance(error, TimeoutError):
        return "nothing was heard for too long"
    return str(error) or type(error).__name__


class Outbox:
    """The latest state and the pictures that wait. Threads may share it, and nothing here waits or raises.

    Args:
        robot: Whose.
    """

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self._lock = threading.Lock()
        self._pictures: dict[str, bytes] = {}
        self.state: str | None = None

    def put_state(self, state: Mapping[str, Any] | RobotState, now_s: float) -> None:
        """Take a state, as the frame that says it; one that cannot be sent is told in the log and left out."""
        try:
            text = frame("state", state={"at_s": now_s, **plain(state), "robot": self._robot})
        except (TypeError, ValueError) as error:
            _log.warning("a state of '%s' cannot be sent: %s", self._robot, error)
            return
        if len(text) > MOST_STATE:
            _log.warning("a state of '%s' is too large to be sent: %d characters", self._robot, len(text))
            return
        self.state = text

    def put_picture(self, name: str, picture: bytes) -> None:
        """Take a picture, in place of the last one of that name."""
        with self._lock:
            self._pictures.pop(name, None)
            self._pictures[name] = picture
            while len(self._pictures) > MOST_PICTURES:
                del self._pictures[next(iter(self._pictures))]

    def picture(self) -> tuple[str, bytes] | None:
        """The picture that waits for longest."""
        with self._lock:
            return next(iter(self._pictures.items()), None)

    def done(self, name: str, picture: bytes) -> None:
        """A picture need not be sent any more, unless another one has taken its place."""
        with self._lock:
            if self._pictures.get(name) is picture:
                del self._pictures[name]


class Pulse:
    """Heartbeats both ways, and how old what we hear can be.

    Each beat of ours has a number, and the server's beats repeat the last one that it heard. So a beat that was held
    up on the way, by a network or by a program that slept, is dated by when *we* sent the number in it, and not by when
    it came in. No wall clock is asked, neither here nor there.

    Args:
        hold_s: How long a beat is good for.
        now_s: A clock that never jumps.
    """

    def __init__(self, hold_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self.hold_s = hold_s
        self._now_s = now_s
        self._last_s = -math.inf
        self._number = 0
        self._echoes = False
        self._sent: OrderedDict[int, float] = OrderedDict()

    @property
    def age_s(self) -> float:
        """How long ago the server was surely there; infinity where it never was."""
        return self._now_s() - self._last_s

    @property
    def fresh(self) -> bool:
        """Whether the server was there just now."""
        return self.age_s < self.hold_s

    def send(self) -> int:
        """The number of a beat that goes out now."""
        self._number += 1
        self._sent[self._number] = self._now_s()
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)
        return self._number

    def connected(self, began_s: float) -> None:
        """A connection was made that we began to make at a time of our clock; the server was there after that."""
        self._echoes = False
        self._there_at(began_s)

    def hear(self, beat: Mapping[str, Any]) -> None:
        """Take in a beat. From a server that repeats no numbers it is dated by when it came in."""
        number = beat.get("heard")
        self._echoes = self._echoes or "heard" in beat
        if not self._echoes:
            self._there_at(self._now_s())
        elif isinstance(number, int) and number in self._sent:
            self._there_at(self._sent[number])

    def _there_at(self, at_s: float) -> None:
        self._last_s = max(self._last_s, at_s)

    def forget(self) -> None:
        """The server is not there, as far as we are concerned."""
        self._last_s = -math.inf


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
