"""Secrets: made from the system's randomness, kept as hashes only."""

from __future__ import annotations

import secrets

from handup.core.proof import digest

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody takes for one another: no I, L, O, 0, 1."""
CODE_LETTERS = 8
TOKEN_BYTES = 32
ID_BYTES = 6
LONGEST_TOKEN = 200
"""Longer ones are refused without a look."""


def new_code() -> str:
    """A code that a person can type: eight letters in two groups."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
    return f"{letters[:4]}-{letters[4:]}"


def new_token() -> str:
    """Return a token for a device or a robot. A command would take a leading dash for an option, so it is a letter."""
    return "t" + secrets.token_urlsafe(TOKEN_BYTES)


def new_id() -> str:
    """A name for a token that may be shown."""
    return secrets.token_hex(ID_BYTES)


def code_digest(code: str) -> str:
    """What is kept of a code, however it was typed: in small letters, with spaces or without the dash."""
    letters = "".join(each for each in code.upper() if each.isalnum())
    return digest(f"code {letters}")
