"""What a server and a robot must both reckon: what is kept of a token, and what shows that a server has it."""

from __future__ import annotations

import hashlib
import hmac


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def proof_of(known: str, nonce: str, port: int) -> str:
    """What shows that a server knows a token's hash without being told the token.

    Args:
        known: The hash, which only readers of the store and the robot itself have.
        nonce: Made anew by whoever wants to see it.
        port: Where the server is reached, so that no other program passes on what the server says.
    """
    return hmac.new(known.encode(), f"proof {port} {nonce}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
