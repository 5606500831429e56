"""`import handup` needs nothing of the web; what does says so, with the command that installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import handup
from handup.core import MissingExtra
from tests.client.servers import ENVIRONMENT, ROOT

WITHOUT = """
import sys
sys.modules["httpx"] = sys.modules["websockets"] = None
import handup
try:
    handup.Client
except handup.HandupError as error:
    print(error)
"""


def test_without_the_extra_the_rest_works_and_a_client_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(MissingExtra.of("web", "a client of a server"))


def test_importing_handup_loads_no_client() -> None:
    code = "import handup, sys; print([each for each in ('httpx', 'websockets', 'fastapi') if each in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_front_door_has_the_clients() -> None:
    for name in ("AsyncClient", "Client", "RemoteDesk", "RobotLink"):
        assert name in handup.__all__
        assert getattr(handup, name).__name__ == name
    with pytest.raises(AttributeError):
        _ = handup.NoSuchThing
