"""handup: robots that put their hand up.

A robot that is stuck or unsure decides whether to act, ask, wait or yield, and which part of its policy to ask a
person about. Start with `ModuleGraph` and `Session`.
"""

from typing import TYPE_CHECKING

from handup.core.lazy import lazily
from handup.core.moved import keep_old_modules

if TYPE_CHECKING:
    from handup.client import AsyncClient, Client, RemoteDesk, RobotLink
    from handup.confidence import calibrate
    from handup.core import Action, Decision, HandupError, Outcome, Question, QuestionKind, panels
    from handup.policy import Gate, Module, ModuleGraph, load_policy
    from handup.recover import Episode, Look, Pass, Session, Settings, Unanswered, run
    from handup.when import strategy

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
    "panels",
    "run",
    "strategy",
]
__getattr__ = lazily(
    __name__,
    {
        "client": ("AsyncClient", "Client", "RemoteDesk", "RobotLink"),
        "confidence": ("calibrate",),
        "core": ("Action", "Decision", "HandupError", "Outcome", "Question", "QuestionKind", "panels"),
        "policy": ("Gate", "Module", "ModuleGraph", "load_policy"),
        "recover": ("Episode", "Look", "Pass", "Session", "Settings", "Unanswered", "run"),
        "when": ("strategy",),
    },
)
keep_old_modules()
