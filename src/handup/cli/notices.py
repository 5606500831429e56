"""Notices to people outside the page, while a server of `handup` runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from handup.adapters.notify import NotificationService, NotifySettings, notifiers
from handup.cli.output import note
from handup.server import RunningServer

NOTIFY_VARIABLE = "HANDUP_NOTIFY"
"""Variable of the environment that names the file of notices, for every server that a command starts."""


@contextmanager
def notifying(server: RunningServer, settings: NotifySettings | None) -> Iterator[None]:
    """Send notices to people while the block runs; do nothing without settings, or on a damaged store.

    Raises:
        MissingExtra: The settings name a way whose package is not installed.
    """
    service = server.service
    if settings is None or not service.opened:
        yield
        return
    strangers = sorted(set(settings.people) - set(service.desk.state.people))
    if strangers:
        note(f"Not asked here yet, so they get no notices either: {', '.join(strangers)}.")
    notices = NotificationService(
        service.desk,
        settings,
        notifiers(settings),
        robots=lambda: [grant.name for grant in service.access.grants() if grant.is_robot],
        robot_of=service.owners.robot_of,
    )
    notices.start()
    try:
        yield
    finally:
        notices.close()
