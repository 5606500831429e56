"""Every request of the API and how its answer is read: data only, shared by the clients that wait and that await."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from handup.client.views import Pairing, Robot, receipt_of, record_of, robot_of, strange
from handup.core import BadSetting, Question, Reply, ReplyKind, Value
from handup.core.panels import RobotState, plain
from handup.desk import Receipt, Record, question_id

T = TypeVar("T")
SHORT_S = 5.0
"""So long a plain request may take."""
STOP_S = 2.0
"""So long a stop may take: the server waits a second for it to be written."""
LONGEST_POLL_S = 20.0
"""So long one request waits for an answer before the next one does."""
POLL_GRACE_S = 3.0
"""So much longer than that the server may take to say that there is none."""
PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}


@dataclass(frozen=True, kw_only=True)
class Call(Generic[T]):
    """One request.

    Args:
        method: Of HTTP.
        path: Below the API.
        read: What its JSON means; it gets None where there is none.
        json: What is sent.
        params: What stands in the query.
        content: Bytes that are sent in place of JSON.
        content_type: What they are.
        again: Whether it may be sent again when nobody knows whether it arrived, because twice is as good as once.
        timeout_s: How long to wait for its answer.
        absent: Whether "there is none" is an answer and no error.
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
        """What httpx wants to know."""
        found: dict[str, Any] = {"method": self.method, "url": self.path, "timeout": self.timeout_s}
        if self.params is not None:
            found["params"] = dict(self.params)
        if self.json is not None:
            found["json"] = dict(self.json)
        if self.content is not None:
            found |= {"content": self.content, "headers": {"Content-Type": self.content_type}}
        return found


def ask(question: Question, *, run: str, step: str, attempt: int, load: float) -> Call[Record]:
    """Put a question. Its id comes from run, step and attempt, so sent twice it is the same question."""
    question_id(run, step, attempt)
    question.check_ready()
    body = {"question": question.to_json(), "run": run, "step": step, "attempt": attempt, "load": load}
    return Call(method="POST", path="/questions", json=body, read=_object(record_of))


def record(question: str) -> Call[Record | None]:
    """A question as it is."""
    path = f"/questions/{quote(question, safe='/')}"
    return Call(method="GET", path=path, read=_perhaps(record_of), absent=True)


def waiting() -> Call[tuple[Record, ...]]:
    """The questions that wait for an answer and that we may see."""

    def read(said: Mapping[str, Any]) -> tuple[Record, ...]:
        return tuple(record_of(each) for each in said.get("questions", ()))

    return Call(method="GET", path="/questions", params={"status": "waiting"}, read=_object(read))


def wait(question: str, left_s: float) -> Call[Record | None]:
    """Wait a while for news of a question; None where there is none yet."""
    poll_s = max(0.0, min(left_s, LONGEST_POLL_S))
    return Call(
        method="GET",
        path="/wait",
        params={"id": question, "timeout_s": f"{poll_s:.3f}"},
        read=_perhaps(record_of),
        timeout_s=poll_s + POLL_GRACE_S,
    )


def withdraw(question: str, why: str) -> Call[Receipt]:
    """Take a question back."""
    return Call(method="POST", path="/withdraw", json={"id": question, "why": why}, read=_object(receipt_of))


def reply(
    question: str,
    kind: ReplyKind,
    *,
    value: Value | None = None,
    until_s: float | None = None,
    certainty: float = 1.0,
    device: str = "",
    token: str | None = None,
) -> Call[Receipt]:
    """A person's reply, with a token that stays the same however often it is sent."""
    made = Reply(
        question=question,
        kind=kind,
        by="me",
        token=token or new_token(),
        value=value,
        until_s=until_s,
        certainty=certainty,
        device=device,
    ).to_json()
    del made["by"]  # the server knows whom it paired
    return Call(method="POST", path="/replies", json=made, read=_object(receipt_of))


def claim(question: str) -> Call[Receipt]:
    """Take a question on."""
    return Call(method="POST", path="/claim", json={"id": question}, read=_object(receipt_of))


def release(question: str) -> Call[Receipt]:
    """Give a claim back."""
    return Call(method="POST", path="/release", json={"id": question}, read=_object(receipt_of))


def stop(why: str) -> Call[None]:
    """Stop everything. Sent again until the server has written it."""
    return Call(method="POST", path="/stop", json={"why": why, "token": new_token()}, read=_nothing, timeout_s=STOP_S)


def enable(stop: int | None = None) -> Call[None]:
    """Lift the stop. Never sent twice by itself: between the two somebody may have said stop again."""
    return Call(method="POST", path="/enable", json={"stop": stop}, read=_nothing, again=False)


def pair(code: str, device: str) -> Call[Pairing]:
    """Turn a code into a token; a code works once."""

    def read(said: Mapping[str, Any]) -> Pairing:
        texts = {name: str(said.get(name, "")) for name in ("token", "id", "name", "role")}
        return Pairing(**texts, until_s=said.get("until_s"))

    return Call(method="POST", path="/pair", json={"code": code, "device": device}, read=_object(read), again=False)


def leave() -> Call[None]:
    """Give up the own token."""
    return Call(method="POST", path="/leave", json={}, read=_nothing, again=False)


def me() -> Call[Mapping[str, Any]]:
    """Who the server takes us for."""
    return Call(method="GET", path="/me", read=_object(dict))


def health() -> Call[Mapping[str, Any]]:
    """How the server is."""
    return Call(method="GET", path="/health", read=_object(dict))


def robots() -> Call[tuple[Robot, ...]]:
    """The robots that the server knows."""

    def read(said: Mapping[str, Any]) -> tuple[Robot, ...]:
        return tuple(robot_of(each) for each in said.get("robots", ()))

    return Call(method="GET", path="/robots", read=_object(read))


def put_state(robot: str, state: Mapping[str, Any] | RobotState) -> Call[None]:
    """What a robot does."""
    path = f"/robots/{quote(robot, safe='')}/state"
    return Call(method="PUT", path=path, json={**plain(state), "robot": robot}, read=_nothing)


def put_picture(name: str, picture: bytes) -> Call[None]:
    """A picture that questions and states name."""
    kind = next((kind for magic, kind in PICTURES.items() if picture.startswith(magic)), None)
    if kind is None:
        raise BadSetting(f"'{name}' is no picture", hint="Give the bytes of a PNG, JPEG or WebP file.")
    path = f"/pictures/{quote(name, safe='/')}"
    return Call(method="PUT", path=path, content=picture, content_type=kind, read=_nothing)


def new_token() -> str:
    """A token for one reply."""
    return secrets.token_hex(16)


def _object(read: Callable[[Any], T]) -> Callable[[Any], T]:
    def checked(said: Any) -> T:
        if not isinstance(said, Mapping):
            raise strange("something")
        return read(said)

    return checked


def _perhaps(read: Callable[[Any], T]) -> Callable[[Any], T | None]:
    checked = _object(read)
    return lambda said: None if said is None else checked(said)


def _nothing(said: Any) -> None:
    return None
