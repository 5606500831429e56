"""Answers and frames of a server as typed objects: questions, receipts, robots, and changes while watching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from handup.core import HandupError, ServerRefused
from handup.core.panels import Unshown
from handup.desk import Receipt, ReceiptStatus, Record

Json = Mapping[str, Any]
_FIELDS = tuple(field.name for field in fields(Record))
_UNSAID: Json = {
    "answer": None,
    "attempt": 1,
    "audience": (),
    "cause": None,
    "load": 0.0,
    "number": 0,
    "passed": (),
    "replies": (),
    "run": "",
    "step": "",
    "turn": None,
}
"""Default values of the fields that a server leaves out of a question for those who may not see them."""


def record_of(view: Json) -> Record:
    """Return the question that a server shows. Fields that this handup does not know are left out.

    Raises:
        ServerRefused: It is no question.
    """
    known = {name: view[name] for name in _FIELDS if name in view}
    try:
        return Record.from_json({**_UNSAID, **known})
    except (HandupError, TypeError, ValueError, KeyError, AttributeError):
        raise strange("a question") from None


def strange(what: str) -> ServerRefused:
    """Return the error for an answer that no handup server sends."""
    return ServerRefused(
        f"the server sent {what} that cannot be read",
        hint="Check that a handup server is at the address, and its version.",
    )


def receipt_of(view: Json) -> Receipt:
    """Return the receipt that a server sends for a reply.

    Raises:
        ServerRefused: It is no receipt.
    """
    record = view.get("record")
    try:
        return Receipt(
            status=ReceiptStatus(view["status"]),
            message=str(view["message"]),
            record=None if record is None else record_of(record),
            again=bool(view.get("again", False)),
        )
    except (ValueError, KeyError):
        raise strange("a receipt") from None


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Result of pairing a device.

    Args:
        token: The secret; keep it where only the device can read it.
        id: Id of the token, with which it can be revoked.
        name: Name of the person or robot.
        role: Role of the person, or `robot`.
        until_s: Time in seconds at which it expires; never where it is None.
    """

    token: str
    id: str
    name: str
    role: str
    until_s: float | None = None

    def __repr__(self) -> str:
        return f"Pairing(id={self.id!r}, name={self.name!r}, role={self.role!r})"


@dataclass(frozen=True, kw_only=True)
class ActiveStop:
    """A stop that holds: the person, the reason, and the time by the server's clock."""

    by: str = ""
    why: str = ""
    at_s: float | None = None
    seq: int | None = field(default=None, compare=False)
    """Number of its entry, once it is written; `enable` takes it."""
    written: bool = field(default=True, compare=False)
    """True once it survives the end of the server. Until then, each robot that heard it keeps it."""


@dataclass(frozen=True, kw_only=True)
class KnownRobot:
    """A robot as people see it.

    Args:
        robot: Its name.
        alive: True where it was heard lately; otherwise it stands still.
        state: Its latest state: `handup.core.panels.RobotState`, as plain data.
    """

    robot: str
    alive: bool
    state: Json | None = None


# -- what changes while one watches ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Connected:
    """The connection works. It brings the whole present state, which replaces all earlier changes."""

    stopped: ActiveStop | None
    questions: tuple[Record, ...]
    robots: tuple[KnownRobot, ...]


@dataclass(frozen=True, kw_only=True)
class Lost:
    """The connection is lost; it is tried again until it works."""

    why: str


@dataclass(frozen=True, kw_only=True)
class Changed:
    """A question is new or has changed."""

    record: Record


@dataclass(frozen=True, kw_only=True)
class StopChanged:
    """Somebody pressed stop; with None, somebody enabled the robots again."""

    stop: ActiveStop | None


Change = Connected | Lost | Changed | StopChanged | KnownRobot
"""Changes that `watch` yields."""


def change_of(frame: Json) -> Change | None:
    """Return the change in a frame of the live socket; None for heartbeats and for unknown frames.

    Raises:
        ServerRefused: It cannot be read.
    """
    match frame.get("type"):
        case "hello":
            return Connected(
                stopped=stop_of(frame.get("stopped")),
                questions=tuple(record_of(view) for view in frame.get("questions") or ()),
                robots=tuple(robot_of(view) for view in frame.get("robots") or ()),
            )
        case "question" | "record":
            return Changed(record=record_of(frame.get("record") or {}))
        case "stopped":
            return StopChanged(stop=stop_of(frame.get("stopped")))
        case "robot":
            return robot_of(frame)
    return None


def stop_of(view: Any) -> ActiveStop | None:
    """Return the stop that a server sends. Only null and false mean that there is none."""
    if view is None or view is False:
        return None
    fields_of_stop = view if isinstance(view, Mapping) else {}  # even an unreadable stop must stop robots
    return ActiveStop(
        by=str(fields_of_stop.get("by") or ""),
        why=str(fields_of_stop.get("why") or ""),
        at_s=fields_of_stop.get("at_s"),
        seq=fields_of_stop.get("seq"),
        written=fields_of_stop.get("written") is not False,
    )


def unshown_of(view: Json) -> Unshown:
    """Return the parts of a state that a server does not show."""
    names = {key: view.get(key) for key in ("panels", "fields")}
    return Unshown(**{key: tuple(map(str, parts)) for key, parts in names.items() if isinstance(parts, list)})


def count_of(value: Any) -> int:
    """Return a count that a server sends; 0 where it is no number."""
    return value if type(value) is int and value > 0 else 0


def robot_of(view: Json) -> KnownRobot:
    """Return the robot that a server sends.

    Raises:
        ServerRefused: It has no name.
    """
    if not isinstance(view.get("robot"), str):
        raise strange("a robot")
    return KnownRobot(robot=view["robot"], alive=bool(view.get("alive")), state=view.get("state"))
