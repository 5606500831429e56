"""Recovery of one task: the session that every loop drives, a session that survives, and a loop to begin with."""

from handup.journal.run_log import Erased
from handup.recover.durable import DurableSession
from handup.recover.events import Unanswered
from handup.recover.loop import Episode, run
from handup.recover.observed import observe
from handup.recover.protocols import (
    AskingDesk,
    Doubts,
    HandsOn,
    Look,
    Pass,
    Policy,
    Recovers,
    SeesAnew,
    Supports,
)
from handup.recover.run_record import Attempt, Settled
from handup.recover.session import Session
from handup.recover.settings import Settings, TimeUnit
from handup.recover.state import SessionPhase, Tally

__all__ = [
    "AskingDesk",
    "Attempt",
    "Doubts",
    "DurableSession",
    "Episode",
    "Erased",
    "HandsOn",
    "Look",
    "Pass",
    "Policy",
    "Recovers",
    "SeesAnew",
    "Session",
    "SessionPhase",
    "Settings",
    "Settled",
    "Supports",
    "Tally",
    "TimeUnit",
    "Unanswered",
    "observe",
    "run",
]
