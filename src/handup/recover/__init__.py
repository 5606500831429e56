"""Recovery of one task: the session that every loop drives."""

from handup.recover.events import Unanswered
from handup.recover.observed import observe
from handup.recover.session import Session
from handup.recover.settings import Settings, TimeUnit
from handup.recover.state import Phase, Tally

__all__ = ["Phase", "Session", "Settings", "Tally", "TimeUnit", "Unanswered", "observe"]
