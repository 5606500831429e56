"""The words and limits of the files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_BYTES = 2 * 1024 * 1024
"""The largest file that is read."""
MAX_PROBLEMS = 200
"""So many problems are told; a file with more is no recipe."""
DEFAULT_MOST = 1000
"""How often a loop runs at most, where the file does not say it and the validator sees that it comes to an end."""
MOST_ROUNDS = 1_000_000
"""The largest bound of a loop."""
MOST_LIMIT = 1000
"""The largest limit of a recovery."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
"""Of parameters and variables: what an expression can refer to."""
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
"""Of tasks, actions and recoveries: what can stand in a path."""
REFERENCE = re.compile(r"(?:params|var|database|beliefs|failure|tried)\.")
"""A text that begins like this is no text but a reference."""

STEPS = ("action", "task", "op", "choice", "loop")


@dataclass(frozen=True)
class Op:
    """What an operation takes and gives.

    Args:
        needs: Parameters that must be there.
        one_of: Parameters of which exactly one must be there. `name` is a variable that is counted in its place.
        may: Parameters that may be there.
        sets: Whether it sets one variable.
    """

    needs: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    sets: bool = False


OPS: Mapping[str, Op] = {
    "assign": Op(needs=("value",), sets=True),
    "increment": Op(one_of=("value", "name"), may=("by",), sets=True),
    "decrement": Op(one_of=("value", "name"), may=("by",), sets=True),
    "make_boolean": Op(needs=("value",), sets=True),
    "negate": Op(needs=("value",), sets=True),
    "get_index": Op(needs=("value", "index"), sets=True),
    "check_value": Op(needs=("value", "equals")),
    "print": Op(needs=("message",)),
    "abort": Op(may=("code", "why")),
    "noop": Op(),
}
"""The operations by name."""
