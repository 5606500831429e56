"""Installation of this handup, and the command that adds an extra to it."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import suppress
from pathlib import Path

CLONE = Path(__file__, *[".."] * 4).resolve()
"""Folder of the sources, if they are run in place."""


def install_command(extra: str = "") -> str:
    """Return the command that installs an extra into the environment that runs this, from a clone or as a package.

    Args:
        extra: Its name; without one, the base install with whatever is missing of it.
    """
    ending = f"[{extra}]" if extra else ""
    python = sys.executable or "python"
    if _runs_in_place():
        return shlex.join([_from_here(python), "-m", "pip", "install", "-e", f"{_from_here(CLONE)}{ending}"])
    return shlex.join([python, "-m", "pip", "install", f"handup{ending}"])


def _runs_in_place() -> bool:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow to import, seldom needed

    with suppress(PackageNotFoundError, ValueError, AttributeError):
        record = json.loads(distribution("handup").read_text("direct_url.json") or "{}")
        return bool(record.get("dir_info", {}).get("editable"))
    return False


def _from_here(path: str | Path) -> str:
    """Return a path relative to the working directory, where it lies below it."""
    with suppress(OSError, ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return str(path)
