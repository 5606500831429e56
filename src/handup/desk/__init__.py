"""The desk: questions that survive, answers that count once, people who are not asked more than they allow."""

from handup.core import SkippingClock
from handup.desk.channel import CHANNEL_FAILS, Callback, Channel, TimedChannel
from handup.desk.deadlines import Terms
from handup.desk.desk import Desk
from handup.desk.events import Delivered, WithdrawalCause
from handup.desk.question_state import DeskState, apply, replay
from handup.desk.record import ERASED, Receipt, ReceiptStatus, Record, question_id
from handup.desk.rules import Ruling, decide
from handup.desk.simulated import Simulated
from handup.desk.status import TABLE, Move, Status
from handup.desk.terminal import Terminal

__all__ = [
    "CHANNEL_FAILS",
    "ERASED",
    "TABLE",
    "Callback",
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
    "TimedChannel",
    "WithdrawalCause",
    "apply",
    "decide",
    "question_id",
    "replay",
]
