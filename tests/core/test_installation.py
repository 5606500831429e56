"""The command that installs an extra: from a clone and from a wheel, with the interpreter that runs."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from handup.core import installation
from handup.core.installation import install_command

PIP = ("-m", "pip", "install")
WHEEL = {"url": "file:///downloads/handup-0.1.0-py3-none-any.whl", "archive_info": {}}


def installed(monkeypatch: pytest.MonkeyPatch, origin: object) -> None:
    text = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))


@pytest.mark.parametrize("origin", [None, WHEEL], ids=["from an index", "from a file"])
def test_a_package_takes_the_extra_by_name(origin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, origin)
    assert shlex.split(install_command("web")) == [sys.executable, *PIP, "handup[web]"]
    assert install_command("web").endswith(" 'handup[web]'"), "a shell takes brackets for a pattern"


def test_a_clone_takes_it_from_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch, {"url": "file:///somewhere", "dir_info": {"editable": True}})
    clone = tmp_path / "my clone"
    monkeypatch.setattr(installation, "CLONE", clone)
    monkeypatch.setattr(sys, "executable", str(clone / ".venv/bin/python"))
    assert shlex.split(install_command("web")) == [f"{clone}/.venv/bin/python", *PIP, "-e", f"{clone}[web]"]
    clone.mkdir()
    monkeypatch.chdir(clone)
    assert install_command("web") == ".venv/bin/python -m pip install -e '.[web]'"
    assert install_command() == ".venv/bin/python -m pip install -e ."


def test_sources_that_nobody_installed_take_it_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "distribution", missing)
    assert shlex.split(install_command("web"))[-1] == "handup[web]"
