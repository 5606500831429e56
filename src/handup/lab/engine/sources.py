"""Digests of the files that make rows: rows of other code are not used again.

`sources/FAMILY.txt` lists the files of a family of rows, relative to the package, and whatever data they read.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
LISTS = Path(__file__).with_name("sources")


@cache
def code_digest(family: str) -> str:
    """Hash the files that make the rows of a family, as its list names them."""
    whole = hashlib.sha256()
    for name in (LISTS / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        whole.update(name.encode())
        whole.update((PACKAGE / name).read_bytes())
    return whole.hexdigest()[:12]


def file_digest(make: Callable[..., object]) -> str:
    """Hash the file that a function stands in, for a study without a list; its code where it stands in none."""
    path = getattr(sys.modules.get(make.__module__), "__file__", None)
    return hashlib.sha256(Path(path).read_bytes() if path else repr(make).encode()).hexdigest()[:12]
