"""Settings of a server: its address, its access, and every limit as a named number."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from handup.core import Malformed, MissingSetting, OutOfRange, Person, UnsafeHost
from handup.core.checks import is_loopback
from handup.desk.deadlines import check_above_zero

DEFAULT_PORT = 8765
LAST_PORT = 65535


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of what the server takes from anybody. Times in seconds, sizes in bytes.

    Args:
        body: The largest body of a request.
        picture: The largest picture.
        frame: The largest frame of a WebSocket.
        per_s: Requests and frames per second for each token of a person.
        burst: Requests and frames that may come at once.
        robot_per_s: Like `per_s`, for a robot.
        robot_burst: Like `burst`, for a robot.
        address_per_s: Requests without a good token per second, for each address.
        address_burst: Such requests that may come at once.
        tries_per_min: Tries at pairing per minute, for each address.
        all_tries_per_min: The same for all addresses together.
        sockets: WebSockets in all.
        sockets_each: WebSockets for each token.
        waiting_frames: Frames that may wait for a slow reader before it is disconnected.
        connections: Connections without a WebSocket in all; fewer where the system lets the process open few files.
        connections_each: The same for each address but this machine's own.
        head_s: Longest time for the head of a request; a connection that takes longer is closed.
        body_s: Longest time for the rest of a request.
        greeted: Waiting questions in the first frame of a socket; the page asks for the others.
        watched: Questions that a robot may watch by one socket.
        pictures: Pictures that are kept.
        pictures_bytes: Size of all pictures together.
        drafts: Half-made answers that are kept.
        threads: Threads that speak with the store.
        queued: Calls that may wait for one of these threads.
        wait_s: Longest time that a robot may wait in one request.

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
    """Times of the heartbeats, in seconds.

    Args:
        beat_s: Time between two heartbeats of each side.
        hold_s: Silence after which a robot is shown as gone; it stands still by itself after the same time.
        silent_s: Silence after which a socket is closed.

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
    """Address, store, access and limits of a server.

    Args:
        store: The journal: a file, or a URL of PostgreSQL.
        host: Address to listen on; beyond this machine only with TLS, or with `insecure`.
        port: Port to listen on; 0 takes a free one.
        people: People who can be asked, in order; kept in the store. Everybody whom the store knows where it is empty.
        origins: Further origins of pages, such as https://robot.example: for a proxy in front of the server.
        tls_cert: A certificate with its chain, as PEM.
        tls_key: Its key.
        insecure: Listen beyond this machine even without TLS.
        pictures: The folder for pictures; beside the store where it is None. PostgreSQL needs one.
        open_metrics: Give metrics to programs on this machine without a token.
        bounds: Limits of what it takes.
        beats: Times of the heartbeats.

    Raises:
        BadSetting: A setting is out of range or malformed, or TLS lacks its certificate or key.
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
            raise OutOfRange.of("port", self.port, f"lie between 0 and {LAST_PORT}", hint="Give 0 for any free port.")
        if (self.tls_cert is None) != (self.tls_key is None):
            raise MissingSetting("TLS needs a certificate and its key", hint="Give --tls-cert and --tls-key.")
        for origin in self.origins:
            parts = urlsplit(origin)
            if (
                parts.scheme not in {"http", "https"}
                or not parts.netloc
                or origin != f"{parts.scheme}://{parts.netloc}"
            ):
                raise Malformed(f"'{origin}' is no origin", hint="Write it like https://robot.example:8443.")
        if not self.tls and not self.insecure and not is_loopback(self.host):
            raise UnsafeHost(
                f"other machines could reach {self.host}, and nothing would be encrypted",
                hint="Give --tls-cert and --tls-key, or --insecure in a network that you trust.",
            )

    @property
    def tls(self) -> bool:
        """True where it speaks TLS."""
        return self.tls_cert is not None

    @property
    def scheme(self) -> str:
        """First part of its addresses: http or https."""
        return "https" if self.tls else "http"

    def url(self, port: int | None = None) -> str:
        """Return the address at which to open it from this machine."""
        host = "127.0.0.1" if self.host in {"", "0.0.0.0"} else "::1" if self.host == "::" else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"{self.scheme}://{shown}:{self.port if port is None else port}"
