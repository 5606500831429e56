"""Servers of the tests' own, each on a free port of this machine: a web server, a mail server, a broker of MQTT."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from tests.deadlines import soon

HOST = "127.0.0.1"
USER, PASSWORD = "handup", "a secret of the tests"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of localhost, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2"]
    subprocess.run([*made, *named, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


# -- HTTP --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Web:
    """A web server that keeps what arrives, and answers as it is told."""

    port: int
    arrived: list[Posted] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    """Statuses of the next answers; 200 afterwards."""
    act: Callable[[BaseHTTPRequestHandler], object] | None = None
    """What is done instead of answering."""

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def posts(self) -> list[Posted]:
        return [posted for posted in self.arrived if posted.method == "POST"]


@contextmanager
def web(port: int = 0, tls: tuple[Path, Path] | None = None) -> Iterator[Web]:
    """A web server, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.arrived.append(Posted(method=self.command, path=self.path, headers=headers, body=body))
            if made.act is not None:
                made.act(self)
                return
            self.send_response(made.statuses.pop(0) if made.statuses else 200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_PUT = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((HOST, port), Handler)
    server.daemon_threads = True
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    made = Web(int(server.server_address[1]))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.create_server((HOST, 0)) as listener:
        yield int(listener.getsockname()[1])


@contextmanager
def dripping(line: bytes) -> Iterator[int]:
    """The port of a server that says the same again and again, and never comes to an end."""
    ended = threading.Event()

    def drip(near: socket.socket) -> None:
        with near, contextlib.suppress(OSError):
            while not ended.wait(0.02):
                near.sendall(line)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                threading.Thread(target=drip, args=(near,), daemon=True).start()

    with socket.create_server((HOST, 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield int(listener.getsockname()[1])
        ended.set()


# -- mail --------------------------------------------------------------------------------------------------------------


@dataclass
class Post:
    """A mail server that keeps what arrives, and answers as it is told."""

    port: int = 0
    arrived: list[Message] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    """Replies to the next e-mails; it takes them afterwards."""
    hang_up: bool = False
    """Whether the connection ends instead of a reply to an e-mail."""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.arrived.append(message_from_bytes(envelope.original_content or b"", policy=default))
        self.envelopes.append((str(envelope.mail_from), list(envelope.rcpt_tos)))
        if self.hang_up:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        return self.replies.pop(0) if self.replies else "250 taken"


@contextmanager
def mail(*, tls: tuple[Path, Path] | None = None, login: bool = False) -> Iterator[Post]:
    """A mail server, for as long as the block lasts; with a certificate it wants STARTTLS first."""
    post, more = Post(free_port()), dict[str, Any]()
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        more |= {"tls_context": context, "require_starttls": True}
    if login:

        def check(_s: SMTP, _session: Session, _e: Envelope, _mechanism: str, given: Any) -> AuthResult:
            good = isinstance(given, LoginPassword) and (given.login, given.password) == (
                USER.encode(),
                PASSWORD.encode(),
            )
            return AuthResult(success=good, handled=False)

        more |= {"authenticator": check, "auth_required": True, "auth_require_tls": tls is not None}
    controller = Controller(post, hostname=HOST, port=post.port, **more)
    controller.start()
    try:
        yield post
    finally:
        controller.stop()


# -- MQTT --------------------------------------------------------------------------------------------------------------


class Broker:
    """Debian's mosquitto with a port of its own; `start` and `stop` as often as needed."""

    def __init__(self, folder: Path, *more: str) -> None:
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
        if program is None:
            pytest.fail("no broker here; run: apt-get install mosquitto", pytrace=False)
        self.port = free_port()
        self._program = program
        self._settings = folder / "mosquitto.conf"
        lines = [f"listener {self.port} {HOST}", "user root", "persistence false", *(more or ("allow_anonymous true",))]
        self._settings.write_text("\n".join(lines) + "\n")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        soon(self._answers)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1.0):
            return True
        return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None


def passwords(folder: Path) -> Path:
    """A file for a broker with the one who may come in."""
    path = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(path), USER, PASSWORD], check=True, capture_output=True)
    return path


@dataclass
class Listener:
    """Somebody who hears everything at a broker, as a home's own program would."""

    heard: queue.Queue[tuple[str, str, bool]]
    retained: dict[str, str]

    def state(self, topic: str, payload: str) -> None:
        """Wait until a topic has a payload."""
        soon(lambda: self.retained.get(topic) == payload)

    def json(self, topic: str) -> dict[str, Any]:
        soon(lambda: topic in self.retained)
        read: dict[str, Any] = json.loads(self.retained[topic])
        return read


@contextmanager
def listening(port: int) -> Iterator[Listener]:
    """Somebody who hears everything at a broker, for as long as the block lasts."""
    made = Listener(queue.Queue(), {})
    subscribed = threading.Event()
    client = Client(CallbackAPIVersion.VERSION2)

    def connected(client: Client, *_: Any) -> None:
        client.subscribe("#", qos=1)

    client.on_connect = connected
    client.on_subscribe = lambda *_: subscribed.set()

    def hear(_client: object, _data: object, message: Any) -> None:
        made.heard.put((message.topic, message.payload.decode(), message.retain))
        made.retained[message.topic] = message.payload.decode()

    client.on_message = hear
    client.connect(HOST, port)
    client.loop_start()
    assert subscribed.wait(30)
    try:
        yield made
    finally:
        client.disconnect()
        client.loop_stop()
