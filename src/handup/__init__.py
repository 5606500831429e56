"""handup: robots that put their hand up.

A robot that is stuck or unsure decides whether to act, ask, wait or yield, and which part of its policy to ask a
person about. Start with `ModuleGraph` and `Session`.
"""

from handup.confidence import calibrate
from handup.core import Action, Decision, HandupError, Outcome, Question, QuestionKind
from handup.policy import Gate, Module, ModuleGraph, load_policy
from handup.recover import Episode, Look, Pass, Session, Settings, Unanswered, run
from handup.when import strategy

__version__ = "0.1.0"

__all__ = [
    "Action",
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
    "Session",
    "Settings",
    "Unanswered",
    "__version__",
    "calibrate",
    "load_policy",
    "run",
    "strategy",
]
