"""Whether whoever answers at an address has read the store that knows this robot. No secret is told to find out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from handup.client.address import Address
from handup.client.reading import body_of
from handup.client.tries import refusal
from handup.core import ServerRefused
from handup.core.proof import digest, proof_of

PROOF_S = 2.0
"""So long a server may take to prove itself to a robot that was linked before."""
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """What a server is asked before it gets a robot's token; use one once.

    Args:
        address: Where it is, with the token, which is not sent.
        id: What the store calls the token.
        nonce: Made anew for each.
    """

    address: Address
    id: str
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def request(self) -> dict[str, Any]:
        """The request, as httpx takes it."""
        return {"url": f"{self.address.api}/proof", "params": {"id": self.id, "nonce": self.nonce}}

    def met_by(self, body: Any) -> bool:
        """Whether an answer proves it."""
        given = body.get("proof") if isinstance(body, Mapping) else None
        parts = urlsplit(self.address.url)
        wanted = proof_of(digest(self.address.token), self.nonce, parts.port or PORTS[parts.scheme])
        return isinstance(given, str) and secrets.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


async def check_proof(address: Address, id_: str) -> None:
    """Ask a server to prove itself. Over TLS its certificate does that.

    Raises:
        HandupError: It does not.
        httpx.HTTPError: Nobody answers.
        TimeoutError: Nobody answers in time.
    """
    if address.url.startswith("https"):
        return
    challenge = Challenge(address=address, id=id_)
    async with (
        asyncio.timeout(PROOF_S),
        httpx.AsyncClient(trust_env=False, timeout=PROOF_S, verify=False) as client,  # plain HTTP: nothing to verify
    ):
        response = await client.get(**challenge.request)
    if response.status_code != httpx.codes.OK:
        raise refusal(response.status_code, body_of(response))
    if not challenge.met_by(body_of(response)):
        raise ServerRefused(
            f"whoever answers at {address.url} has not read this robot's store",
            hint="The robot holds. See which program listens there.",
        )
