"""handup: robots that put their hand up.

A robot that is stuck or unsure decides whether to act, ask, wait or yield, and which part of its policy to ask a
person about. Start with `ModuleGraph` and `Session`.
"""

from typing import TYPE_CHECKING, Any

from handup.confidence import calibrate
from handup.core import Action, Decision, HandupError, Outcome, Question, QuestionKind
from handup.policy import Gate, Module, ModuleGraph, load_policy
from handup.recover import Episode, Look, Pass, Session, Settings, Unanswered, run
from handup.when import strategy

if TYPE_CHECKING:
    from handup.client import AsyncClient, Client, RemoteDesk, RobotLink

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AsyncClient",
    "Client",
    "Decision",
    "Episode",
    "Gate",
    "HandupError",
    "Look",
    "Module",
    "ModuleGraph",
    "Outcome",
    "Pass",
    "Question",
    "QuestionKind",
    "RemoteDesk",
    "RobotLink",
    "Session",
    "Settings",
    "Unanswered",
    "__version__",
    "calibrate",
    "load_policy",
    "run",
    "strategy",
]
_OF_CLIENT = ("AsyncClient", "Client", "RemoteDesk", "RobotLink")


def __getattr__(name: str) -> Any:
    """What needs the extra `web`, when it is used."""
    if name in _OF_CLIENT:
        from handup import client  # noqa: PLC0415

        return getattr(client, name)
    raise AttributeError(f"module 'handup' has no attribute '{name}'")
