"""What a robot wants people to see, on its way to the server: the latest only, and never too much."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

from handup.client import live
from handup.core.panels import RobotState, plain

MOST_PICTURES = 8
"""So many pictures may wait to be sent; then the oldest is dropped."""
MOST_STATE = 60_000
"""A state may be so long, as JSON."""
_log = logging.getLogger("handup.client")


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
            text = live.frame("state", state={"at_s": now_s, **plain(state), "robot": self._robot})
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
