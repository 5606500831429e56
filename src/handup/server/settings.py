"""What a server is told before it starts: where it listens, whom it lets in, and every limit as a named number."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from handup.core import BadSetting, Person, UnsafeHost
from handup.desk.deadlines import check_above_zero

DEFAULT_PORT = 8765
LAST_PORT = 65535


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much the server takes from anybody. Times in seconds, sizes in bytes.

    Args:
        body: The largest body of a request.
        picture: The largest picture.
        frame: The largest frame of a WebSocket.
        per_s: Requests and frames per second for each token of a person.
        burst: So many may come at once.
        robot_per_s: The same for a robot.
        robot_burst: The same for a robot.
        address_per_s: Requests without a good token per second, for each address.
        address_burst: So many may come at once.
        tries_per_min: Tries at pairing per minute, for each address.
        all_tries_per_min: The same for all addresses together.
        sockets: WebSockets in all.
        sockets_each: WebSockets for each token.
        waiting_frames: So many frames may wait for a slow reader before it is let go.
        connections: Connections without a WebSocket in all; fewer where the system lets the process open few files.
        connections_each: The same for each address but this machine's own.
        head_s: So long the head of a request may take; a connection that takes longer is closed.
        body_s: So long the rest of it may take.
        greeted: So many waiting questions are in the first frame of a socket; the others are asked for.
        watched: So many questions a robot may watch by one socket.
        pictures: So many pictures are kept.
        pictures_bytes: So large they may be together.
        drafts: So many half-made answers are kept.
        threads: So many threads speak with the store.
        queued: So many calls may wait for one of them.
        wait_s: The longest that a robot may wait in one request.

    Raises:
        BadSetting: A number that is not above zero.
    """

    body: int = 64 * 1024
    picture: int = 2 * 1024 * 1024
    frame: int = 64 * 1024
    per_s: float = 20.0
    burst: float = 40.0
    robot_per_s: float = 200.0
    robot_burst: float = 400.0
    address_per_s: float = 50.0
    address_burst: float = 200.0
    tries_per_min: float = 5.0
    all_tries_per_min: float = 60.0
    connections: int = 1000
    connections_each: int = 100
    head_s: float = 5.0
    body_s: float = 60.0
    greeted: int = 200
    sockets: int = 1000
    sockets_each: int = 16
    waiting_frames: int = 256
    watched: int = 1000
    pictures: int = 500
    pictures_bytes: int = 200 * 1024 * 1024
    drafts: int = 2000
    threads: int = 4
    queued: int = 512
    wait_s: float = 30.0

    def __post_init__(self) -> None:
        check_above_zero(self)


@dataclass(frozen=True, kw_only=True)
class Beats:
    """How heartbeats go, in seconds.

    Args:
        beat_s: How often each side says that it is there.
        hold_s: A robot that was silent for so long is shown as gone; it holds by itself after the same time.
        silent_s: A socket that was silent for so long is closed.

    Raises:
        BadSetting: A number that is not above zero.
    """

    beat_s: float = 0.25
    hold_s: float = 1.0
    silent_s: float = 3.0

    def __post_init__(self) -> None:
        check_above_zero(self)


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Where a server listens and on what it works.

    Args:
        store: The journal: a file, or a URL of PostgreSQL.
        host: Where to listen; beyond this machine only with TLS, or with `insecure`.
        port: On which port; 0 takes a free one.
        people: Who can be asked, in order; kept in the store. Everybody whom it knows where it is empty.
        origins: Further origins of pages, such as https://robot.example: for a proxy in front of the server.
        tls_cert: A certificate with its chain, as PEM.
        tls_key: Its key.
        insecure: Listen beyond this machine without TLS all the same.
        pictures: The folder for pictures; beside the store where it is None. PostgreSQL needs one.
        open_metrics: Give metrics to programs on this machine without a token.
        bounds: What it takes at most.
        beats: How heartbeats go.

    Raises:
        BadSetting: A setting that cannot be.
        UnsafeHost: Other machines could reach it, without TLS.
    """

    store: str = "handup.db"
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    people: tuple[Person, ...] = ()
    origins: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    pictures: Path | None = None
    open_metrics: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    beats: Beats = field(default_factory=Beats)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= LAST_PORT:
            raise BadSetting(f"port is {self.port}", hint=f"Give a number from 0 to {LAST_PORT}.")
        if (self.tls_cert is None) != (self.tls_key is None):
            raise BadSetting("TLS needs a certificate and its key", hint="Give --tls-cert and --tls-key.")
        for each in self.origins:
            found = urlsplit(each)
            if found.scheme not in {"http", "https"} or not found.netloc or each != f"{found.scheme}://{found.netloc}":
                raise BadSetting(f"'{each}' is no origin", hint="Write it like https://robot.example:8443.")
        if not self.tls and not self.insecure and not is_loopback(self.host):
            raise UnsafeHost(
                f"other machines could reach {self.host}, and nothing would be encrypted",
                hint="Give --tls-cert and --tls-key, or --insecure in a network that you trust.",
            )

    @property
    def tls(self) -> bool:
        """Whether it speaks TLS."""
        return self.tls_cert is not None

    @property
    def scheme(self) -> str:
        """How its addresses begin."""
        return "https" if self.tls else "http"

    def url(self, port: int | None = None) -> str:
        """Where to open it, from this machine."""
        host = "127.0.0.1" if self.host in {"", "0.0.0.0"} else "::1" if self.host == "::" else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"{self.scheme}://{shown}:{self.port if port is None else port}"


def is_loopback(host: str) -> bool:
    """Whether a name or address leads to this machine and nowhere else."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
