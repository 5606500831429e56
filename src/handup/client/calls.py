"""Requests of the API: content, reading of answers, and repetition. The clients have a method of each."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from handup.client.views import Json, KnownRobot, Pairing, receipt_of, record_of, robot_of, strange
from handup.core import HandupError, Malformed, Question, Reply, ReplyKind, Value, errors
from handup.core.panels import RobotState, plain
from handup.desk import Receipt, Record, question_id

T = TypeVar("T")
CONNECT_S = 2.0
"""Longest time in seconds to connect."""
SHORT_S = 5.0
"""Longest time in seconds of a plain request."""
STOP_S = 2.0
"""Longest time in seconds of a stop: the server waits a second for it to be written."""
LONGEST_POLL_S = 20.0
"""Longest time in seconds that one request waits for an answer; then the next one does."""
POLL_GRACE_S = 3.0
"""Further time in seconds in which the server may say that there is no answer yet."""
PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5
PATIENCE_S = 10.0
"""Time in seconds for which a request is repeated while the server is busy or cannot be reached."""
NOT_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before anything was sent."""
BUSY = (429, 502, 503, 504)
"""Status of answers after which the request may be repeated: it was not carried out."""
NOT_WRITTEN = 202
"""Status of a stop that holds, but is not in the journal yet."""
PASSING = (errors.ServerBusy, errors.ServerUnreachable, errors.StoreUnavailable, errors.TooFast)
"""Errors that pass: `watch` connects again after them."""
_ABSENT = 404
_HINTS = {
    401: "Pair again: `handup pair` makes a new code or token.",
    403: "This needs another role; see `handup pair --list`.",
    413: "Send less at a time.",
    429: "Send requests less often.",
}
_BY_CODE = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HandupError) and kind.__base__ is HandupError
}


@dataclass(frozen=True, kw_only=True)
class ServerCall(Generic[T]):
    """One request.

    Args:
        method: HTTP method.
        path: Path below the API.
        read: Function that turns the JSON of its answer, or None without any, into the result.
        json: JSON that is sent.
        params: Parameters of the query.
        content: Bytes that are sent in place of JSON.
        content_type: Media type of these bytes.
        again: True where it may be repeated if nobody knows whether it arrived, since a second one has no effect.
        timeout_s: Longest time in seconds to wait for its answer.
        absent: True where "there is none" (404) is an answer and no error.
    """

    method: str
    path: str
    read: Callable[[Any], T]
    json: Mapping[str, Any] | None = None
    params: Mapping[str, str] | None = None
    content: bytes | None = None
    content_type: str = "application/json"
    again: bool = True
    timeout_s: float = SHORT_S
    absent: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the request in the form that httpx takes."""
        timeout = httpx.Timeout(self.timeout_s, connect=min(CONNECT_S, self.timeout_s))
        sent = {"params": self.params, "json": self.json, "content": self.content}
        headers = None if self.content is None else {"Content-Type": self.content_type}
        return {"method": self.method, "url": self.path, "timeout": timeout, "headers": headers, **sent}


def ask(question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> ServerCall[Record]:
    """Put a question to people. The same run, step and attempt give the same question back, also after a crash."""
    question_id(run, step, attempt)
    question.check_ready()
    body = {"question": question.to_json(), "run": run, "step": step, "attempt": attempt, "load": load}
    return ServerCall(method="POST", path="/questions", json=body, read=_object(record_of))


def record(question: str) -> ServerCall[Record | None]:
    """Look at a question as it is; None where there is none."""
    path = f"/questions/{quote(question, safe='/')}"
    return ServerCall(method="GET", path=path, read=_perhaps(record_of), absent=True)


def waiting() -> ServerCall[tuple[Record, ...]]:
    """List the questions that wait for an answer and that we may see."""
    read = _object(lambda body: tuple(record_of(view) for view in body.get("questions", ())))
    return ServerCall(method="GET", path="/questions", params={"status": "waiting"}, read=read)


def polls(question: str, timeout_s: float | None) -> Iterator[tuple[ServerCall[Record | None], float]]:
    """Yield requests that wait for news of a question, until the time is up; each with the time that is left."""
    until = math.inf if timeout_s is None else time.monotonic() + timeout_s
    left_s = until - time.monotonic()
    yield _wait(question, left_s), max(left_s, 0.0)
    while (left_s := until - time.monotonic()) > 0:
        yield _wait(question, left_s), left_s


def _wait(question: str, left_s: float) -> ServerCall[Record | None]:
    poll_s = max(0.0, min(left_s, LONGEST_POLL_S))
    params = {"id": question, "timeout_s": f"{poll_s:.3f}"}
    return ServerCall(
        method="GET", path="/wait", params=params, read=_perhaps(record_of), timeout_s=poll_s + POLL_GRACE_S
    )


def withdraw(question: str, why: str) -> ServerCall[Receipt]:
    """Take a question back that is no longer needed. People read `why`."""
    return ServerCall(method="POST", path="/withdraw", json={"id": question, "why": why}, read=_object(receipt_of))


def hand_on(question: str, to: str) -> ServerCall[Receipt]:
    """Hand a question on to another of its people. Whoever had it may still answer."""
    return ServerCall(method="POST", path="/hand-on", json={"id": question, "to": to}, read=_object(receipt_of))


def answer(question: str, value: Value, *, certainty: float = 1.0, device: str = "") -> ServerCall[Receipt]:
    """Answer a question. The receipt says whether it counts."""
    return _reply(question, ReplyKind.ANSWER, value=value, certainty=certainty, device=device)


def reply(question: str, kind: ReplyKind, *, until_s: float | None = None, device: str = "") -> ServerCall[Receipt]:
    """Say *not now*, *someone else* or *let the robot try*."""
    return _reply(question, kind, until_s=until_s, device=device)


def _reply(question: str, kind: ReplyKind, **content: Any) -> ServerCall[Receipt]:
    """Make a person's reply, with a token that stays the same however often it is sent."""
    reply = Reply(question=question, kind=kind, by="me", token=new_token(), **content).to_json()
    del reply["by"]  # the server knows whom it paired
    return ServerCall(method="POST", path="/replies", json=reply, read=_object(receipt_of))


def claim(question: str) -> ServerCall[Receipt]:
    """Claim a question, so that nobody else answers it meanwhile."""
    return ServerCall(method="POST", path="/claim", json={"id": question}, read=_object(receipt_of))


def release(question: str) -> ServerCall[Receipt]:
    """Give a claim back."""
    return ServerCall(method="POST", path="/release", json={"id": question}, read=_object(receipt_of))


def stop(why: str = "") -> ServerCall[None]:
    """Stop every robot until a person enables them. It is *not* a safety function: that belongs to the hardware.

    Sent again until the server has written it.

    Raises:
        StoreUnavailable: It holds on the server, which could not write it in time.
    """
    return ServerCall(
        method="POST", path="/stop", json={"why": why, "token": new_token()}, read=_nothing, timeout_s=STOP_S
    )


def enable(stop: int | None = None) -> ServerCall[None]:
    """Let the robots go on after a stop. Never repeated by itself: somebody may have pressed stop in between.

    Args:
        stop: Number (`ActiveStop.seq`) of the last stop that was seen; all stops so far where it is None.

    Raises:
        IllegalCall: There is a newer stop, which holds.
    """
    return ServerCall(method="POST", path="/enable", json={"stop": stop}, read=_nothing, again=False)


def pair(code: str, device: str) -> ServerCall[Pairing]:
    """Turn a code into a token; a code works once."""

    def read(body: Mapping[str, Any]) -> Pairing:
        texts = {name: str(body.get(name, "")) for name in ("token", "id", "name", "role")}
        return Pairing(**texts, until_s=body.get("until_s"))

    return ServerCall(
        method="POST", path="/pair", json={"code": code, "device": device}, read=_object(read), again=False
    )


def leave() -> ServerCall[None]:
    """Give up the token."""
    return ServerCall(method="POST", path="/leave", json={}, read=_nothing, again=False)


def me() -> ServerCall[Mapping[str, Any]]:
    """Return the owner of the token as the server knows them: id, name, role, device, until_s."""
    return ServerCall(method="GET", path="/me", read=_object(dict))


def health() -> ServerCall[Mapping[str, Any]]:
    """Return the state of the server: status (`ok`, `stopped` or `damaged`), version, now_s."""
    return ServerCall(method="GET", path="/health", read=_object(dict))


def robots() -> ServerCall[tuple[KnownRobot, ...]]:
    """List the robots that the server knows, each with its state and True where it is alive."""
    read = _object(lambda body: tuple(robot_of(view) for view in body.get("robots", ())))
    return ServerCall(method="GET", path="/robots", read=read)


def put_state(robot: str, state: Mapping[str, Any] | RobotState) -> ServerCall[None]:
    """Show people the state of a robot. A `RobotLink` does this without making the robot wait."""
    path = f"/robots/{quote(robot, safe='')}/state"
    return ServerCall(method="PUT", path=path, json={**plain(state), "robot": robot}, read=_nothing)


def put_picture(name: str, picture: bytes) -> ServerCall[None]:
    """Keep a picture (PNG, JPEG or WebP) that questions and states name."""
    kind = next((kind for magic, kind in PICTURES.items() if picture.startswith(magic)), None)
    if kind is None:
        raise Malformed(f"'{name}' is no picture", hint="Give the bytes of a PNG, JPEG or WebP file.")
    path = f"/pictures/{quote(name, safe='/')}"
    return ServerCall(method="PUT", path=path, content=picture, content_type=kind, read=_nothing)


def new_token() -> str:
    """Return a new token for one reply."""
    return secrets.token_hex(16)


def _object(read: Callable[[Any], T]) -> Callable[[Any], T]:
    def checked(body: Any) -> T:
        if not isinstance(body, Mapping):
            raise strange("something")
        return read(body)

    return checked


def _perhaps(read: Callable[[Any], T]) -> Callable[[Any], T | None]:
    checked = _object(read)
    return lambda body: None if body is None else checked(body)


def _nothing(body: Any) -> None:
    return None


class Tries:
    """Repetition of one request.

    Args:
        call: The request.
        shown: Address of the server, for messages.
        patience_s: Time in seconds for which it is repeated.
    """

    def __init__(self, call: ServerCall[Any], shown: str, patience_s: float) -> None:
        self._call = call
        self._shown = shown
        self._until = time.monotonic() + patience_s
        self._pause_s = FIRST_PAUSE_S

    def lost(self, error: Exception) -> float:
        """Return the pause in seconds after a connection that failed.

        Raises:
            ServerUnreachable: The time is up, or the request may have arrived and must not be sent twice.
        """
        if not self._call.again and not isinstance(error, NOT_ARRIVED):
            raise errors.ServerUnreachable(
                f"the connection to {self._shown} was lost before it answered ({_named(error)})",
                hint="It may have been carried out: look before you send it again.",
            ) from error
        away = errors.ServerUnreachable(
            f"no handup server answers at {self._shown} ({_named(error)})",
            hint="Start one with `handup serve`, or set HANDUP_URL to where it is.",
        )
        away.__cause__ = error
        return self._pause(away)

    def busy(self, status: int, retry_after: str | None, body: Any) -> float | None:
        """Return the pause in seconds after an answer; None where the answer is final.

        Raises:
            HandupError: The server is still busy when the time is up.
        """
        if status == NOT_WRITTEN and isinstance(body, dict) and body.get("written") is False:
            return self._pause(
                errors.StoreUnavailable(
                    "the stop holds, but the server could not write it yet",
                    hint="Keep the robot still by its own means, and send the stop again.",
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


def _named(error: Exception) -> str:
    return str(error) or type(error).__name__


def refusal(status: int, body: Any) -> HandupError:
    """Return the refusal of a server as the error that it names, so that programs can catch it by its class."""
    record: Json = body.get("error", {}) if isinstance(body, dict) and isinstance(body.get("error"), dict) else {}
    cause = str(record.get("cause") or f"the server answered with status {status}")
    hint = str(record.get("hint") or _HINTS.get(status) or "Check the address, and the server's log.")
    error_class = _BY_CODE.get(str(record.get("code")), errors.ServerRefused)
    return error_class(cause, hint=hint)


def answered(call: ServerCall[T], status: int, body: Any) -> T:
    """Return the result of a request from its answer.

    Raises:
        HandupError: The server refused it, or sent what no handup server sends.
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
