"""Notices: messages to people outside the page that a robot has a question for them. None is sent by default."""

from __future__ import annotations

from handup.adapters.notify.notifier import Notice, Notifier, NotTold, PerhapsTold, Urgency
from handup.adapters.notify.notify_file import NotifySettings, PersonNotices, load_notify, notifiers
from handup.adapters.notify.notify_service import NotificationService

__all__ = [
    "NotTold",
    "Notice",
    "NotificationService",
    "Notifier",
    "NotifySettings",
    "PerhapsTold",
    "PersonNotices",
    "Urgency",
    "load_notify",
    "notifiers",
]
