"""Where a server is and who asks: from arguments, or from `HANDUP_URL` and `HANDUP_TOKEN`."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from handup.core import BadSetting

DEFAULT_URL = "http://127.0.0.1:8765"
API = "/api/v1"


@dataclass(frozen=True)
class Address:
    """A server and the token that it knows us by.

    Args:
        url: Such as `http://127.0.0.1:8765`.
        token: What pairing gave; empty for what everybody may do. Never shown.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Raises:
        BadSetting: The URL is none of a web server, or a token cannot be sent.
    """

    url: str
    token: str = field(default="", repr=False)
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise BadSetting(f"'{self.url}' is no address of a server", hint=f"Give one such as {DEFAULT_URL}.")
        if parts.username or parts.password:
            raise BadSetting("an address holds a name or a password", hint="Give the token as a token.")
        if not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise BadSetting("a token holds what no token has", hint="Copy it again, as `handup pair` printed it.")
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @classmethod
    def of(cls, url: str | None, token: str | None, ca_file: str | Path | None = None) -> Address:
        """What is given, and what the environment says where something is not."""
        return cls(
            url if url is not None else os.environ.get("HANDUP_URL") or DEFAULT_URL,
            token if token is not None else os.environ.get("HANDUP_TOKEN", ""),
            Path(ca_file) if ca_file is not None else None,
        )

    @property
    def api(self) -> str:
        """Where the paths of the API begin."""
        return f"{self.url}{API}"

    @property
    def live(self) -> str:
        """The address of the live socket."""
        return f"ws{self.api.removeprefix('http')}/live"

    @property
    def headers(self) -> dict[str, str]:
        """What says who asks."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def trust(self) -> ssl.SSLContext | None:
        """Which certificates are trusted; None where there are none to look at.

        Raises:
            BadSetting: The file holds no certificates.
        """
        if not self.url.startswith("https"):
            return None
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise BadSetting(
                f"no certificates can be read from {self.ca_file}: {error.strerror or error}",
                hint="Give a file of certificates in PEM form.",
            ) from None
