"""What a server says, as typed things: questions, receipts, robots, and what changes while one watches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from handup.core import HandupError, ServerRefused
from handup.core.panels import Unshown
from handup.desk import Receipt, ReceiptStatus, Record

Json = Mapping[str, Any]
_FIELDS = tuple(each.name for each in fields(Record))
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
"""What a server may leave out of a question, since it is not for everybody to know."""


def record_of(view: Json) -> Record:
    """The question that a server shows, as far as it shows it. Fields that this handup does not know are left out.

    Raises:
        ServerRefused: It is no question.
    """
    known = {name: view[name] for name in _FIELDS if name in view}
    try:
        return Record.from_json({**_UNSAID, **known})
    except (HandupError, TypeError, ValueError, KeyError, AttributeError):
        raise strange("a question") from None


def strange(what: str) -> ServerRefused:
    """The error for what no handup server says."""
    return ServerRefused(
        f"the server sent {what} that cannot be read", hint="Check that the address is a handup server's, and its age."
    )


def receipt_of(view: Json) -> Receipt:
    """What is said to a reply.

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
    """What a device is known by from now on.

    Args:
        token: The secret; keep it where only the device can read it.
        id: Names the device, to revoke it.
        name: Of the person or robot.
        role: What it may do.
        until_s: When it ends; never where it is None.
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
    """A stop that holds: who said it, why, and when by the server's clock."""

    by: str = ""
    why: str = ""
    at_s: float | None = None
    seq: int | None = field(default=None, compare=False)
    """Its number, once it is written; `enable` takes it."""
    written: bool = field(default=True, compare=False)
    """Whether it survives the server. Where not, who hears of it keeps it."""


@dataclass(frozen=True, kw_only=True)
class KnownRobot:
    """A robot as people see it.

    Args:
        robot: Its name.
        alive: Whether it has been heard within the time that makes it hold.
        state: What it said last of what it does: `handup.core.panels.RobotState`, as plain data.
    """

    robot: str
    alive: bool
    state: Json | None = None


# -- what changes while one watches ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Connected:
    """The server is there, and this is everything as it is now; what one knew before is old."""

    stopped: ActiveStop | None
    questions: tuple[Record, ...]
    robots: tuple[KnownRobot, ...]


@dataclass(frozen=True, kw_only=True)
class Lost:
    """The server cannot be heard; it is tried again until it can."""

    why: str


@dataclass(frozen=True, kw_only=True)
class Changed:
    """A question is new, or no longer what it was."""

    record: Record


@dataclass(frozen=True, kw_only=True)
class StopChanged:
    """Somebody said stop; or, with None, somebody enabled the robots again."""

    stop: ActiveStop | None


Change = Connected | Lost | Changed | StopChanged | KnownRobot
"""What `watch` yields."""


def change_of(frame: Json) -> Change | None:
    """What a frame of the live socket says; None for beats, and for what this handup does not know.

    Raises:
        ServerRefused: It cannot be read.
    """
    match frame.get("type"):
        case "hello":
            return Connected(
                stopped=stop_of(frame.get("stopped")),
                questions=tuple(record_of(each) for each in frame.get("questions") or ()),
                robots=tuple(robot_of(each) for each in frame.get("robots") or ()),
            )
        case "question" | "record":
            return Changed(record=record_of(frame.get("record") or {}))
        case "stopped":
            return StopChanged(stop=stop_of(frame.get("stopped")))
        case "robot":
            return robot_of(frame)
    return None


def stop_of(view: Any) -> ActiveStop | None:
    """The stop that a server tells of. Whatever is not plainly no stop is one."""
    if view is None or view is False:
        return None
    said = view if isinstance(view, Mapping) else {}
    return ActiveStop(
        by=str(said.get("by") or ""),
        why=str(said.get("why") or ""),
        at_s=said.get("at_s"),
        seq=said.get("seq"),
        written=said.get("written") is not False,
    )


def unshown_of(view: Json) -> Unshown:
    """The parts of a state that a server tells it does not show."""
    names = {key: view.get(key) for key in ("panels", "fields")}
    return Unshown(**{key: tuple(map(str, said)) for key, said in names.items() if isinstance(said, list)})


def count_of(said: Any) -> int:
    """A number of things that a server tells of; none where it is no number."""
    return said if type(said) is int and said > 0 else 0


def robot_of(view: Json) -> KnownRobot:
    """A robot that a server tells of.

    Raises:
        ServerRefused: It has no name.
    """
    if not isinstance(view.get("robot"), str):
        raise strange("a robot")
    return KnownRobot(robot=view["robot"], alive=bool(view.get("alive")), state=view.get("state"))
