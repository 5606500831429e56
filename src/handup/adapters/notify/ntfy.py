"""Notices by HTTP in the manner of ntfy: a POST to a person's topic, with title, priority and link as headers."""

from __future__ import annotations

import http.client
import ssl
from base64 import b64encode
from collections.abc import Mapping, Sequence
from email.header import Header
from socket import SHUT_RDWR
from urllib.parse import quote, urlsplit

from handup.adapters.notify.notifier import Notice, NotTold, PerhapsTold, Urgency, reason, time_limit
from handup.adapters.notify.notify_file import NtfySettings

PRIORITY = {Urgency.NORMAL: "3", Urgency.SOON: "4", Urgency.URGENT: "5"}
MOST_READ = 64 * 1024
"""Most bytes that are read of an answer."""
REFUSED_LOGIN = (401, 403)
GATEWAY_FAILED = (502, 504)
"""Statuses of a proxy that got no answer from the server behind it, though that may have taken the notice."""
FAILURES = (OSError, http.client.HTTPException, ValueError)
"""Errors of a connection; `ValueError` comes from one that was cut while it was read."""


class Ntfy:
    """Notices to the topics of people on a server such as ntfy.

    A notice and its reminders share a sequence, so that a reminder takes the place of the notice; it is cleared once
    the question no longer waits for the person. Redirections are not followed, and no proxy is used.

    Args:
        settings: Address of the server, login and time limit.
    """

    way = "ntfy"

    def __init__(self, settings: NtfySettings) -> None:
        self._settings = settings
        self._parts = urlsplit(settings.url)

    def tell(self, notice: Notice) -> None:
        """Post a notice."""
        headers = {
            "Title": _in_ascii(notice.title),
            "Priority": PRIORITY[notice.urgency],
            "Tags": "raising_hand",
            "X-Sequence-ID": notice.sequence,
            "Content-Type": "text/plain; charset=utf-8",
        }
        if notice.link:
            headers["Click"] = notice.link
        status = self._send("POST", notice.address, headers, notice.text.encode())
        if status in REFUSED_LOGIN:
            raise NotTold(f"the server refused the login ({status})")
        if status in GATEWAY_FAILED:
            raise PerhapsTold(f"the server answered {status}")
        if not 200 <= status < 300:
            raise NotTold(f"the server answered {status}")

    def update(self, told: Mapping[str, Sequence[Notice]], gone: Sequence[Notice]) -> None:
        """Clear the notices that no longer hold. A server that cannot clear, as an older one, keeps them."""
        for notice in gone:
            self._send("PUT", f"{notice.address}/{notice.sequence}/clear", {}, b"")

    def close(self) -> None:
        """Do nothing: each notice has a connection of its own."""

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> int:
        """Send a request, and return the status of the answer."""
        settings = self._settings
        connection = self._connection()

        def cut() -> None:
            connection.sock.shutdown(SHUT_RDWR)

        handed_over = False
        try:
            with time_limit(settings.timeout_s, cut):
                connection.connect()
                handed_over = True
                target = f"{self._parts.path.rstrip('/')}/{quote(path)}"
                connection.request(method, target, body, {**headers, **self._login(), "User-Agent": "handup"})
                answer = connection.getresponse()
                status = answer.status
                answer.read(MOST_READ)
        except FAILURES as error:
            why = reason(error, settings.timeout_s)
            raise (PerhapsTold if handed_over else NotTold)(why) from None
        finally:
            connection.close()
        return status

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._settings.timeout_s)
        context = ssl.create_default_context(cafile=self._settings.ca_file)
        return http.client.HTTPSConnection(host, port, timeout=self._settings.timeout_s, context=context)

    def _login(self) -> dict[str, str]:
        settings = self._settings
        if settings.token:
            return {"Authorization": f"Bearer {settings.token}"}
        if settings.user:
            pair = b64encode(f"{settings.user}:{settings.password}".encode()).decode()
            return {"Authorization": f"Basic {pair}"}
        return {}


def _in_ascii(text: str) -> str:
    """Return a header as encoded words in ASCII, which ntfy decodes."""
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=10_000).encode()
