"""Notices by e-mail, over SMTP with STARTTLS, with TLS from the start, or without either."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import localtime
from socket import SHUT_RDWR

from handup.adapters.notify.notifier import Notice, NotTold, PerhapsTold, Urgency, reason, time_limit
from handup.adapters.notify.notify_file import EMAIL, MailSecurity, MailSettings

FAILURES = (smtplib.SMTPException, OSError, ValueError)
"""Errors of a connection; `ValueError` comes from one that was cut while it was read."""
GREETING, OK, WILL_FORWARD = 220, 250, 251


class Mail:
    """Notices to the e-mail addresses of people. An e-mail cannot be taken back.

    Args:
        settings: Mail server, login and time limit.
    """

    way = EMAIL

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings

    def tell(self, notice: Notice) -> None:
        """Hand an e-mail over to the mail server."""
        settings = self._settings
        message = self._message(notice).as_bytes(policy=SMTP)
        with self._server() as server:
            server.ehlo_or_helo_if_needed()
            if settings.security is MailSecurity.STARTTLS:
                server.starttls(context=self._context())
                server.ehlo_or_helo_if_needed()  # a server forgets the greeting that came before encryption
            if settings.user:
                server.login(settings.user, settings.password)
            _check(server.mail(settings.sender), OK)
            _check(server.rcpt(notice.address), OK, WILL_FORWARD)
            try:
                taken = server.data(message)
            except smtplib.SMTPDataError:
                raise  # the server refused before it got the message
            except FAILURES as error:  # nobody knows whether the server took it
                raise PerhapsTold(reason(error, settings.timeout_s)) from None
            _check(taken, OK)
            with suppress(*FAILURES):
                server.quit()

    def update(self, told: Mapping[str, Sequence[Notice]], gone: Sequence[Notice]) -> None:
        """Do nothing: an e-mail cannot be taken back."""

    def close(self) -> None:
        """Do nothing: each e-mail has a connection of its own."""

    @contextmanager
    def _server(self) -> Iterator[smtplib.SMTP]:
        """Connect to the mail server, for as long as one e-mail takes.

        Raises:
            NotTold: Anything went wrong before the e-mail was handed over.
        """
        settings = self._settings
        server: smtplib.SMTP
        if settings.security is MailSecurity.TLS:
            server = smtplib.SMTP_SSL(timeout=settings.timeout_s, context=self._context(), local_hostname="localhost")
        else:
            server = smtplib.SMTP(timeout=settings.timeout_s, local_hostname="localhost")
        server._host = settings.host  # type: ignore[attr-defined]  # the name that the certificate must bear

        def cut() -> None:
            if server.sock is not None:
                server.sock.shutdown(SHUT_RDWR)

        try:
            with time_limit(settings.timeout_s, cut):
                _check(server.connect(settings.host, settings.port), GREETING)
                yield server
        except FAILURES as error:
            raise NotTold(_reason(error, settings.timeout_s)) from None
        finally:
            server.close()

    def _context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self._settings.ca_file)

    def _message(self, notice: Notice) -> EmailMessage:
        message = EmailMessage()
        host = self._settings.sender.rpartition("@")[2]
        message["From"] = Address(display_name=notice.robot, addr_spec=self._settings.sender)
        message["To"] = notice.address
        message["Subject"] = notice.title
        message["Date"] = localtime()
        message["Message-ID"] = f"<{notice.sequence}.{notice.reminder}@{host}>"  # the same however often it is sent
        message["Auto-Submitted"] = "auto-generated"
        if notice.reminder:
            message["In-Reply-To"] = message["References"] = f"<{notice.sequence}.0@{host}>"
        if notice.urgency is not Urgency.NORMAL:
            message["Importance"] = "high"
        lines = [notice.text] + ([f"\nAnswer on the page: {notice.link}"] if notice.link else [])
        message.set_content("\n".join(lines) + "\n")
        return message


def _check(reply: tuple[int, bytes], *wanted: int) -> None:
    """Raise `NotTold` for any reply but the wanted ones. Only its number is told: its words may hold addresses."""
    if reply[0] not in wanted:
        raise NotTold(f"the server answered {reply[0]}")


def _reason(error: Exception, timeout_s: float) -> str:
    """Return the reason of a failure in words that hold no address and no secret."""
    match error:
        case smtplib.SMTPAuthenticationError():
            return f"the server refused the login ({error.smtp_code})"
        case smtplib.SMTPResponseException():
            return f"the server answered {error.smtp_code}"
        case smtplib.SMTPNotSupportedError():
            return "the server offers no STARTTLS, or no login that is known here"
    return reason(error, timeout_s)
