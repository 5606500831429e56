"""`handup doctor`: list of installed and missing parts, with the commands that install them."""

from __future__ import annotations

import importlib.util
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from rich.markup import escape

from handup import __version__
from handup.cli.output import FAILED, plain_table, print_result, print_table
from handup.core.installation import install_command
from handup.policy import Belief, Module, ModuleGraph

EPILOG = """Example: handup doctor --json

Exit codes: 0 the base install works, 1 it does not."""

BASE = ("numpy", "scipy", "pydantic", "ruamel.yaml", "ruamel.yaml.clib", "typer", "rich", "sqlalchemy", "alembic")
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "mujoco": "mujoco-core",
    "PIL": "pillow",
    "pycrfsuite": "python-crfsuite",
    "OpenGL": "pyopengl",
    "paho.mqtt": "paho-mqtt",
}
"""Names by which packages are installed, where they are imported by other names."""
MODULES = {"ruamel.yaml.clib": "_ruamel_yaml"}
"""Names by which packages are imported, where they are known by other names."""
EXTRAS = {
    "lab": ("matplotlib", "networkx", "sklearn", "hmmlearn", "pycrfsuite"),
    "mip": ("pyscipopt",),
    "models": ("onnxruntime", "PIL"),
    "sim": ("mujoco", "OpenGL", "gymnasium", "onnxruntime", "PIL"),
    "web": ("fastapi", "uvicorn", "websockets", "httpx", "segno"),
    "trees": ("py_trees",),
    "postgres": ("psycopg",),
    "notify": ("paho.mqtt",),
    "docs": ("mkdocs",),
}


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """Check this installation and say what to do about what is missing."""
    found: dict[str, Any] = {
        "handup": __version__,
        "python": platform.python_version(),
        "base": {package: _version(package) for package in BASE},
        "extras": {extra: {package: _version(package) for package in packages} for extra, packages in EXTRAS.items()},
        "self_test": _self_test(),
    }
    print_result(found, lambda: _show(found), as_json=as_json)
    if not found["self_test"] or None in found["base"].values():
        raise typer.Exit(FAILED)


def _version(package: str) -> str | None:
    try:
        installed = importlib.util.find_spec(MODULES.get(package, package)) is not None
        return version(DISTRIBUTIONS.get(package, package)) if installed else None
    except (PackageNotFoundError, ModuleNotFoundError):
        return None


def _self_test() -> bool:
    """Return whether a two-module policy gets the posterior that can be worked out by hand."""
    belief = Belief.of(ModuleGraph.chain([Module("a", 0.5), Module("b", 0.5)])).after_execution(False)
    return abs(float(belief.wrong[0]) - 2.0 / 3.0) < 1e-12


def _show(found: dict[str, Any]) -> None:
    table = plain_table(wrap=True, show_header=False)
    table.add_row("handup", str(found["handup"]))
    table.add_row("Python", str(found["python"]))
    for package, number in found["base"].items():
        table.add_row(package, number or f"[red]missing[/red]: {escape(install_command())}")
    for extra, packages in found["extras"].items():
        missing = [package for package, number in packages.items() if number is None]
        hint = escape(f"missing {', '.join(missing)}: {install_command(extra)}") if missing else "installed"
        table.add_row(f"extra {extra}", hint)
    table.add_row("self-test", "passed" if found["self_test"] else "[red]failed[/red]: reinstall handup")
    print_table(table)
