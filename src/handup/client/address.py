"""Address of a server and token of the client: from arguments, or from `HANDUP_URL` and `HANDUP_TOKEN`."""

from __future__ import annotations

import asyncio
import os
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from handup.client.calls import body_of, refusal
from handup.core import Malformed, ServerRefused
from handup.core.proof import digest, proof_of

DEFAULT_URL = "http://127.0.0.1:8765"
API = "/api/v1"
PROOF_S = 2.0
"""Longest time in seconds that a server may take to prove itself to a robot that was linked before."""
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServerAddress:
    """Address of a server, and the token that it knows us by.

    Args:
        url: URL such as `http://127.0.0.1:8765`.
        token: Token from pairing; empty for requests that everybody may send. Never shown.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Raises:
        BadSetting: The URL is not that of a web server, or the token has characters that no token has.
    """

    url: str
    token: str = field(default="", repr=False)
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise Malformed(f"'{self.url}' is no address of a server", hint=f"Give one such as {DEFAULT_URL}.")
        if parts.username or parts.password:
            raise Malformed("an address holds a name or a password", hint="Remove them, and give the token by itself.")
        if not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise Malformed(
                "a token holds characters that no token has", hint="Copy it again, as `handup pair` printed it."
            )
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @classmethod
    def of(cls, url: str | None, token: str | None, ca_file: str | Path | None = None) -> ServerAddress:
        """Return the address from these values; the environment gives those that are None."""
        return cls(
            url if url is not None else os.environ.get("HANDUP_URL") or DEFAULT_URL,
            token if token is not None else os.environ.get("HANDUP_TOKEN", ""),
            Path(ca_file) if ca_file is not None else None,
        )

    @property
    def api(self) -> str:
        """URL at which the paths of the API begin."""
        return f"{self.url}{API}"

    @property
    def live(self) -> str:
        """URL of the live socket, for a program that knows panels."""
        return f"ws{self.api.removeprefix('http')}/live?panels=1"

    @property
    def headers(self) -> dict[str, str]:
        """Headers with the token."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def trust(self) -> ssl.SSLContext | None:
        """Return the trusted certificates; None for an address without TLS.

        Raises:
            BadSetting: The file holds no certificates.
        """
        if not self.url.startswith("https"):
            return None
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise Malformed(
                f"no certificates can be read from {self.ca_file}: {error.strerror or error}",
                hint="Give a file of certificates in PEM form.",
            ) from None


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """Request of proof to a server before it gets a robot's token. Use it once.

    Args:
        address: Address of the server, with the token, which is not sent.
        id: Id of the token in the store.
        nonce: Random text, new for each challenge.
    """

    address: ServerAddress
    id: str
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def request(self) -> dict[str, Any]:
        """Request in the form that httpx takes."""
        return {"url": f"{self.address.api}/proof", "params": {"id": self.id, "nonce": self.nonce}}

    def met_by(self, body: Any) -> bool:
        """Tell whether the body of an answer holds the right proof."""
        proof = body.get("proof") if isinstance(body, Mapping) else None
        parts = urlsplit(self.address.url)
        expected = proof_of(digest(self.address.token), self.nonce, parts.port or PORTS[parts.scheme])
        return isinstance(proof, str) and secrets.compare_digest(proof.encode("utf-8", "replace"), expected.encode())


async def check_proof(address: ServerAddress, id_: str, timeout_s: float = PROOF_S) -> None:
    """Ask a server to prove itself. With TLS, its certificate is the proof.

    Args:
        address: Address of the server, with the token, which is not sent.
        id_: Id of the token in the store.
        timeout_s: Longest time in seconds for its proof.

    Raises:
        HandupError: Its proof is missing or wrong.
        httpx.HTTPError: Nobody answers.
        TimeoutError: Nobody answers in time.
    """
    if address.url.startswith("https"):
        return
    challenge = Challenge(address=address, id=id_)
    async with (
        asyncio.timeout(timeout_s),
        httpx.AsyncClient(trust_env=False, timeout=timeout_s, verify=False) as client,  # plain HTTP: nothing to verify
    ):
        response = await client.get(**challenge.request)
    if response.status_code != httpx.codes.OK:
        raise refusal(response.status_code, body_of(response))
    if not challenge.met_by(body_of(response)):
        raise ServerRefused(
            f"the program at {address.url} has not read this robot's store",
            hint="The robot stands still. See which program listens there.",
        )
