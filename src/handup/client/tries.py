"""When a request is sent again, and what is said when it is not: one rule for both clients."""

from __future__ import annotations

import time
from typing import Any, TypeVar

import httpx

from handup.client.calls import Call
from handup.client.views import Json
from handup.core import HandupError, ServerBusy, ServerRefused, ServerUnreachable, StoreUnavailable, TooFast, errors

T = TypeVar("T")
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5
PATIENCE_S = 10.0
"""So long a request is tried while the server cannot be reached or is busy."""
NOT_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before anything was sent."""
BUSY = (429, 502, 503, 504)
"""Answers after which the same request may do better a little later: it was not carried out."""
NOT_WRITTEN = 202
"""A stop holds, and would be lost with the server."""
PASSING = (ServerBusy, ServerUnreachable, StoreUnavailable, TooFast)
"""What goes by: who watches for ever tries again."""
_ABSENT = 404
_HINTS = {
    401: "Pair again: `handup pair` makes a new code or token.",
    403: "It takes another role; see `handup pair --list`.",
    413: "Send less.",
    429: "Ask less often.",
}
_BY_CODE = {
    each.code: each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, HandupError)
}


class Tries:
    """The tries of one request.

    Args:
        call: The request.
        shown: The server, for messages.
        patience_s: How long to try.
    """

    def __init__(self, call: Call[Any], shown: str, patience_s: float) -> None:
        self._call = call
        self._shown = shown
        self._until = time.monotonic() + patience_s
        self._pause_s = FIRST_PAUSE_S

    def lost(self, error: Exception) -> float:
        """How long to pause after a connection that failed.

        Raises:
            ServerUnreachable: It is not worth trying again, or it may have arrived and may not be sent twice.
        """
        if not self._call.again and not isinstance(error, NOT_ARRIVED):
            raise ServerUnreachable(
                f"the connection to {self._shown} was lost before it answered ({_named(error)})",
                hint="It may have been done: look before you send it again.",
            ) from error
        return self._pause(unreachable(self._shown, error))

    def busy(self, status: int, retry_after: str | None, body: Any) -> float | None:
        """How long to pause after an answer; None where it is to be taken as it is.

        Raises:
            HandupError: The server is still busy when our patience ends.
        """
        if status == NOT_WRITTEN and isinstance(body, dict) and body.get("written") is False:
            return self._pause(
                StoreUnavailable(
                    "the stop holds, but the server could not write it yet",
                    hint="Keep the robot still by its own means, and say stop again.",
                )
            )
        if status not in BUSY or (status != 429 and not self._call.again):
            return None
        return self._pause(refusal(status, body), _seconds(retry_after))

    def _pause(self, error: HandupError, least_s: float = 0.0) -> float:
        pause_s = max(self._pause_s, least_s)
        if time.monotonic() + pause_s > self._until:
            raise error
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        return pause_s


def unreachable(shown: str, error: Exception) -> ServerUnreachable:
    """The error for a server that does not answer."""
    made = ServerUnreachable(
        f"no handup server answers at {shown} ({_named(error)})",
        hint="Start one with `handup serve`, or set HANDUP_URL to where it is.",
    )
    made.__cause__ = error
    return made


def _named(error: Exception) -> str:
    return str(error) or type(error).__name__


def refusal(status: int, body: Any) -> HandupError:
    """What a server refused, as the error that it names, so that programs can catch it by its kind."""
    said: Json = body.get("error", {}) if isinstance(body, dict) and isinstance(body.get("error"), dict) else {}
    cause = str(said.get("cause") or f"the server answered with status {status}")
    hint = str(said.get("hint") or _HINTS.get(status) or "Check the address, and the server's log.")
    made = _BY_CODE.get(str(said.get("code")), ServerRefused)
    return made(cause, hint=hint)


def answered(call: Call[T], status: int, body: Any) -> T:
    """What an answer means.

    Raises:
        HandupError: The server refused it, or said something that no handup server says.
    """
    if status < 300:
        return call.read(body)
    if status == _ABSENT and call.absent:
        return call.read(None)
    raise refusal(status, body)


def body_of(response: httpx.Response) -> Any:
    """Return the JSON of an answer; None where there is none."""
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        return response.text[:200]


def _seconds(retry_after: str | None) -> float:
    try:
        return max(0.0, float(retry_after or 0.0))
    except ValueError:  # a date, which no handup server sends
        return 0.0
