"""Packages of others, installed for a test without pip: a module, and the metadata that announces it."""

from __future__ import annotations

import os
from pathlib import Path


def install(folder: Path, module: str, source: str, group: str, *names: str) -> Path:
    """Put a package of one module into a folder, which then belongs on `PYTHONPATH`.

    Args:
        folder: Made where it is not there.
        module: Name of the module, and of the package.
        source: Text of the module.
        group: Group of entry points in which it announces something.
        names: What it announces, such as `shelf = shelf_domain:DOMAIN`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *names, ""]), encoding="utf-8")
    return folder


def environment(folder: Path, *more: Path) -> dict[str, str]:
    """Return the environment of a process that has the package, and further folders with modules."""
    there = os.environ.get("PYTHONPATH", "")
    paths = [str(folder), *map(str, more), *([there] if there else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
