"""What the journal keeps about access: codes, tokens and their end. Only hashes of secrets: who reads it is not let in.

A person's name and the name of their device can be erased, and with the name goes the access. Ids, roles and times
stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from handup.core import Role, event

ROBOT: Final = "robot"
AccessRole = Role | Literal["robot"]
"""What the owner of a token is to the server: a person in their role, or a robot."""
RUN = "access"
"""The run under which the journal keeps these, so that they are found without reading everything else."""


RUNS = "robots"
"""The run under which the journal keeps which robot's a run is; the key is that run's name."""


@event("access.code", people=("person",))
@dataclass(frozen=True, kw_only=True)
class CodeMade:
    """A code with which one device of a person may pair, once.

    Args:
        digest: SHA-256 of the code.
        role: What the device may do.
        person: Whose it will be.
        until_s: When it ends.
        token_s: How long the token lasts that it is exchanged for.
    """

    digest: str
    role: Role
    person: str
    until_s: float
    token_s: float


@event("access.granted", people=("person",), personal={"device": "person"})
@dataclass(frozen=True, kw_only=True)
class Granted:
    """A token was given out.

    Args:
        id: Its name, for lists and for revoking it.
        digest: SHA-256 of the token.
        role: What it allows.
        person: Whose it is; None for a robot.
        robot: Which robot's it is; empty for a person. It stays for ever: name nobody.
        device: Which device has it.
        until_s: When it ends.
        code: The digest of the code it was exchanged for, which is used up with that.
    """

    id: str
    digest: str
    role: AccessRole
    person: str | None = None
    robot: str = ""
    device: str | None = ""
    until_s: float
    code: str = ""


@event("access.revoked")
@dataclass(frozen=True, kw_only=True)
class Revoked:
    """A token is good no more."""

    id: str


@event("server.run")
@dataclass(frozen=True, kw_only=True)
class RunTaken:
    """A robot asked for the first time in a run, by the server; no other robot asks in it, waits or takes back.

    Args:
        robot: Which one. It stays for ever: name nobody.
    """

    robot: str
