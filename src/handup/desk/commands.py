"""What the desk can be told, besides a person's `Reply`."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import Person, Question, Reply


@dataclass(frozen=True, kw_only=True)
class Ask:
    """Put a question to people. `audience`: who may answer, in order. Name nobody in `run` and `step`."""

    run: str
    step: str
    attempt: int
    question: Question
    audience: tuple[str, ...]
    load: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Take a question on for a while; `lease_s` as the terms say where it is None."""

    question: str
    by: str
    device: str = ""
    lease_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class Release:
    """Give a claim back."""

    question: str
    by: str


@dataclass(frozen=True, kw_only=True)
class Withdraw:
    """Take a question back. `why` is for a person to read and names nobody."""

    question: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Stop, from a program or a button; never refused."""

    by: str
    why: str = ""
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class Enable:
    """Let the robot go on after a stop. `stop`: the entry of the last stop that is meant; any where it is None."""

    by: str
    stop: int | None = None


@dataclass(frozen=True)
class Tick:
    """See what time has brought."""


@dataclass(frozen=True, kw_only=True)
class Introduce:
    """Say who can be asked, and how much. Writes only what is news."""

    people: tuple[Person, ...]


Command = Ask | Reply | Claim | Release | Withdraw | Stop | Enable | Tick | Introduce
