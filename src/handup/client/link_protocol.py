"""Protocol of the live socket without its network: connection settings, frames, and the state of a robot's link."""

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
"""Time in seconds between two heartbeats of each side."""
SILENT_S = 3.0
"""Silence in seconds after which a socket counts as dead, whatever TCP believes."""
OPEN_S = 3.0
"""Longest time in seconds to connect."""
MOST_FRAME = 8 * 2**20
"""Largest frame from the server in bytes: the first one holds the waiting questions."""
FAILS = (OSError, WebSocketException, TimeoutError, EOFError)
"""Errors of a connection that fails; it is made again then."""
REFUSED = (401, 403)
TURN_S = 1.0
"""Time in seconds after their last push for which one person alone steers. A stick at rest is no push."""
MODES = ("translate", "rotate")
MOST_PICTURES = 8
"""The most pictures that wait to be sent; a further one drops the oldest."""
MOST_STATE = 60_000
"""Longest state in characters of JSON."""
REMEMBERED = 64
"""Number of our latest heartbeats that are remembered."""
_log = logging.getLogger("handup.client")


def how(address: ServerAddress) -> dict[str, Any]:
    """Return the arguments of both kinds of sockets. No proxy is used: a server is on this machine or in the house."""
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
    """Return a heartbeat. The server repeats its number, so that we know the age of what we hear."""
    return json.dumps({"type": "beat", "n": number})


def frame(kind: str, /, **content: object) -> str:
    """Return a frame to send."""
    return json.dumps({"type": kind, **content})


def read(text: str | bytes) -> Mapping[str, Any]:
    """Return the content of a received frame.

    Raises:
        ServerRefused: It is no frame.
    """
    try:
        content = json.loads(text)
    except ValueError:
        raise strange("a frame") from None
    if not isinstance(content, Mapping):
        raise strange("a frame")
    return content


def refused(error: BaseException) -> HandupError | None:
    """Return the error with which a server did not let us in; None where trying again may help."""
    if not isinstance(error, InvalidStatus) or error.response.status_code not in REFUSED:
        return None
    try:
        body = json.loads(error.response.body or b"{}")
    except ValueError:
        body = {}
    return refusal(error.response.status_code, body)


def why(error: BaseException) -> str:
    """Return in a few words why a connection failed."""
    if isinstance(error, TimeoutError):
        return "nothing was heard for too long"
    return str(error) or type(error).__name__


class Outbox:
    """Latest state and waiting pictures of a robot. Threads may share it, and no method waits or raises.

    Args:
        robot: Name of the robot.

    Attributes:
        state: Frame with the latest state; None before the first.
        sent: The last such frame that was sent.
    """

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self._lock = threading.Lock()
        self._pictures: dict[str, bytes] = {}
        self._given: Mapping[str, Any] = {}
        self._phase: Mapping[str, Any] = {}
        self.state: str | None = None
        self.sent: str | None = None

    def put_state(self, state: Mapping[str, Any] | RobotState, now_s: float, **over: object) -> None:
        """Take a state, as the frame to send; one that cannot be sent is logged and left out.

        Args:
            state: The state; one without a phase keeps that of the last.
            now_s: Present time in seconds, by the server's clock.
            over: Fields to send in place of those of the state.
        """
        try:
            given = plain(state)
            told = {"at_s": now_s, **self._phase, **given, **over}
            text = frame("state", state={**told, "robot": self._robot})
        except (TypeError, ValueError) as error:
            _log.warning("a state of '%s' cannot be sent: %s", self._robot, error)
            return
        if len(text) > MOST_STATE:
            _log.warning("a state of '%s' is too large to be sent: %d characters", self._robot, len(text))
            return
        self._given, self.state = given, text
        self._phase = {"phase": told["phase"]} if "phase" in told else {}

    def put_phase(self, phase: str, doing: str | None, now_s: float) -> None:
        """Send the last state again with another phase, and with other words where they are given."""
        words = {} if doing is None else {"doing": doing, "why": ""}
        self.put_state(self._given, now_s, at_s=now_s, phase=phase, **words)

    def put_picture(self, name: str, picture: bytes) -> None:
        """Take a picture, in place of the last one of that name."""
        with self._lock:
            self._pictures.pop(name, None)
            self._pictures[name] = picture
            while len(self._pictures) > MOST_PICTURES:
                del self._pictures[next(iter(self._pictures))]

    def picture(self) -> tuple[str, bytes] | None:
        """Return the picture that waits for longest; None without one."""
        with self._lock:
            return next(iter(self._pictures.items()), None)

    def done(self, name: str, picture: bytes) -> None:
        """Forget a picture that was sent, unless another one has taken its place."""
        with self._lock:
            if self._pictures.get(name) is picture:
                del self._pictures[name]


class Pulse:
    """Heartbeats both ways, and the age of the last one that counts.

    Each heartbeat of ours has a number, and the server's heartbeats repeat the last one that it heard. So a heartbeat
    that was delayed, by a network or by a suspended program, is dated by the time at which *we* sent the number in it,
    not by its arrival. No wall clock is used, neither here nor there.

    Args:
        hold_s: Time in seconds for which a heartbeat counts.
        now_s: Clock in seconds that never jumps.
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
        """Seconds since the server was surely there; infinity where it never was."""
        return self._now_s() - self._last_s

    @property
    def fresh(self) -> bool:
        """True where the server was there within `hold_s`."""
        return self.age_s < self.hold_s

    def send(self) -> int:
        """Return the number of a heartbeat that is sent now."""
        self._number += 1
        self._sent[self._number] = self._now_s()
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)
        return self._number

    def connected(self, began_s: float) -> None:
        """Note a new connection that we began at this time of our clock; the server was there after that."""
        self._echoes = False
        self._there_at(began_s)

    def hear(self, beat: Mapping[str, Any]) -> None:
        """Take in a heartbeat. From a server that repeats no numbers, it is dated by its arrival."""
        number = beat.get("heard")
        self._echoes = self._echoes or "heard" in beat
        if not self._echoes:
            self._there_at(self._now_s())
        elif isinstance(number, int) and number in self._sent:
            self._there_at(self._sent[number])

    def _there_at(self, at_s: float) -> None:
        self._last_s = max(self._last_s, at_s)

    def forget(self) -> None:
        """Count the server as gone."""
        self._last_s = -math.inf


class Sticks:
    """Filter of incoming pushes: one person steers at a time. One thread calls `hear`, any thread may read `latest`.

    Args:
        clock: Clock in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pushed_s = -math.inf
        self.latest: Stick | None = None

    def hear(self, frame: Mapping[str, Any]) -> None:
        """Take a push, unless somebody else steers just now or it is malformed."""
        stick = _stick_of(frame, self._clock())
        known = self.latest
        if stick is None:
            return
        last_s = self._pushed_s if not stick.idle or known is None else known.heard_s  # who rests takes nobody's place
        if known is None or known.device == stick.device or stick.heard_s - last_s > TURN_S:
            self.latest = stick
            if not stick.idle:
                self._pushed_s = stick.heard_s


def _stick_of(frame: Mapping[str, Any], now_s: float) -> Stick | None:
    push, mode = frame.get("push"), frame.get("mode")
    if mode not in MODES or not isinstance(push, list) or len(push) != 3:
        return None
    if not all(isinstance(share, int | float) and math.isfinite(share) for share in push):
        return None
    x, y, z = (max(-1.0, min(1.0, float(share))) for share in push)
    return Stick(
        by=str(frame.get("by") or ""),
        device=str(frame.get("device") or ""),
        mode=str(mode),
        push=(x, y, z),
        close=frame.get("close") is True,
        heard_s=now_s,
    )


class ServerClock:
    """Clock of the server: its last known time, carried on by a clock that never jumps.

    Deadlines and *not now until* are times of the server. With this clock in the robot's own journal, all its times are
    of one kind. Before the server was heard, it shows the machine's own time.
    """

    def __init__(self) -> None:
        self._ahead_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        """Return seconds since the epoch, by the server."""
        return time.monotonic() + self._ahead_s

    def hear(self, now_s: Any) -> None:
        """Take in the server's time. After a delay on the way it is a little behind."""
        if isinstance(now_s, bool) or not isinstance(now_s, int | float):
            return
        self._ahead_s = float(now_s) - time.monotonic()
