"""The desk: questions that survive, answers that count once, people who are not asked more than they allow."""

from handup.core import SkippingClock
from handup.desk.channel import CHANNEL_FAILS, Callback, Channel, Timed
from handup.desk.desk import Desk
from handup.desk.events import Cause, Delivered
from handup.desk.record import ERASED, Receipt, ReceiptStatus, Record, question_id
from handup.desk.rules import Ruling, decide
from handup.desk.simulated import Simulated
from handup.desk.state import DeskState, apply, replay
from handup.desk.status import TABLE, Move, Status
from handup.desk.terminal import Terminal
from handup.desk.timing import Terms

__all__ = [
    "CHANNEL_FAILS",
    "ERASED",
    "TABLE",
    "Callback",
    "Cause",
    "Channel",
    "Delivered",
    "Desk",
    "DeskState",
    "Move",
    "Receipt",
    "ReceiptStatus",
    "Record",
    "Ruling",
    "Simulated",
    "SkippingClock",
    "Status",
    "Terminal",
    "Terms",
    "Timed",
    "apply",
    "decide",
    "question_id",
    "replay",
]
