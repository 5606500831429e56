"""Events about access: codes, tokens and their end. They hold only hashes: reading the journal lets nobody in.

A person's name and the name of their device can be erased, and with the name goes the access. Ids, roles and times
stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from handup.core import Role, event

ROBOT: Final = "robot"
AccessRole = Role | Literal["robot"]
"""Role of a token's owner: the role of a person, or a robot."""
RUN = "access"
"""Run under which the journal keeps events about access, so that they are found without reading everything else."""


RUNS = "robots"
"""Run under which the journal keeps the robot of each run; the key is the name of that run."""


@event("access.code", people=("person",))
@dataclass(frozen=True, kw_only=True)
class CodeMade:
    """A code with which one device of a person may pair, once.

    Args:
        digest: SHA-256 of the code.
        role: Role of the device's owner.
        person: Name of the device's owner.
        until_s: Time in seconds at which the code expires.
        token_s: Lifetime in seconds of the token that it is exchanged for.
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
        role: Role of its owner.
        person: Name of its owner; None for a robot.
        robot: Name of the robot that owns it; empty for a person. It stays for ever: it must name no person.
        device: Name of the device that has it.
        until_s: Time in seconds at which it expires.
        code: Digest of the code it was exchanged for, which is used up by that.
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
    """A token was revoked."""

    id: str


@event("server.run")
@dataclass(frozen=True, kw_only=True)
class RunTaken:
    """A robot asked its first question of a run. From then on, no other robot may use that run.

    Args:
        robot: Name of the robot. It stays for ever: it must name no person.
    """

    robot: str
