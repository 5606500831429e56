"""The words and limits of the files."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

MAX_BYTES = 2 * 1024 * 1024
"""The largest file that is read."""
MAX_VALUES = 150_000
"""The most keys and values in a file."""
MAX_DEPTH = 50
"""The deepest nesting of lists and maps; each choice or loop needs three or four."""
MAX_WORD = 100
"""The longest key or name, in characters."""
MAX_SCALAR = 10_000
"""The longest text, in characters."""
MAX_COMPARED = 100
"""With so many known names, or else with the likeliest of them, a misspelt one is compared."""
MAX_LISTED = 12
"""So many known names are listed in a hint."""
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


def nearest(word: str, known: Collection[str]) -> str:
    """A hint with the known name that is most like a word, and with all of them where they are few."""
    few = len(known) <= MAX_COMPARED
    like = (each for each in known if each[:1] == word[:1] and abs(len(each) - len(word)) <= 3)
    near = get_close_matches(word[:MAX_WORD], known if few else list(islice(like, MAX_COMPARED)), 1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    if not known:
        return f"{guess}There are none."
    if not few:
        return f"{guess}There are {len(known)} others."
    shown = sorted(known)
    return f"{guess}Known: {', '.join(shown if len(shown) <= MAX_LISTED else [*shown[:MAX_LISTED], '…'])}."
