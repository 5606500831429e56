"""Hashes that a server and a robot both compute: of a token, and the proof that a server knows that hash."""

from __future__ import annotations

import hashlib
import hmac


def digest(secret: str) -> str:
    """Return the hash that is kept in place of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def proof_of(known: str, nonce: str, port: int) -> str:
    """Return the proof that a server knows a token's hash; the token itself is not sent.

    Args:
        known: The hash, which only readers of the store and the robot itself have.
        nonce: A random text, new for each proof, from the side that asks for it.
        port: Port of the server. It is part of the proof, so that a program on another port cannot pass it on.
    """
    return hmac.new(known.encode(), f"proof {port} {nonce}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()
