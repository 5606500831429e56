"""`handup serve`: says where it is, ends at a signal, and refuses what cannot be in one line."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from handup.core import Limits, Person
from handup.desk import Desk
from handup.journal import Journal
from tests.cli.calls import SRC, assert_one_line_error, here, shell
from tests.deadlines import ENDS_S


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A server as a user's shell runs it, and what it says first."""
    process = subprocess.Popen(
        [sys.executable, "-m", "handup", "serve", "--port", "0", "--json", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SRC), "USER": "ana"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate(timeout=30)


def wait_until_up(url: str) -> None:
    until = time.monotonic() + 20.0
    while True:
        try:
            assert httpx.get(f"{url}/api/v1/health", verify=False).json()["status"] in {"ok", "damaged"}
            return
        except httpx.TransportError:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_pairs_a_first_device_and_ends_within_two_seconds_with_sockets_open(
    tmp_path: Path, sign: signal.Signals
) -> None:
    with serving(tmp_path) as (process, told):
        url = told["url"]
        assert told["name"] == "ana"
        assert told["link"] == f"{url}/#code={told['code']}"
        wait_until_up(url)
        paired = httpx.post(f"{url}/api/v1/pair", json={"code": told["code"], "device": "tablet"}).json()
        with (
            connect(
                f"{url.replace('http', 'ws')}/api/v1/live",
                additional_headers={"Authorization": f"Bearer {paired['token']}"},
            ) as live,
            httpx.Client() as kept_alive,
        ):
            assert json.loads(live.recv())["type"] == "hello"
            kept_alive.get(f"{url}/api/v1/health")
            crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # others want the same processors
            began = time.monotonic()
            process.send_signal(sign)
            kinds = []
            try:
                while True:
                    kinds.append(json.loads(live.recv(timeout=10))["type"])
            except ConnectionClosed:
                pass
            assert process.wait(10) == 0
            assert time.monotonic() - began < ENDS_S * crowd
            assert kinds[-1] == "bye"


def test_whoever_is_paired_as_a_resident_is_asked(tmp_path: Path) -> None:
    """The commands of docs/desk/own-robot.md, one after the other; nobody opens the link that the server prints."""
    with serving(tmp_path, "--store", "house.db") as (_, told):
        wait_until_up(told["url"])
        code = json.loads(shell("pair", "--store", "house.db", "--name", "Ada", "--json", cwd=tmp_path).out)["code"]
        drawer = shell("pair", "--store", "house.db", "--robot", "drawer", cwd=tmp_path).out.strip()
        with httpx.Client(base_url=f"{told['url']}/api/v1") as tablet:
            assert tablet.post("/pair", json={"code": code}).status_code == 200
            asked = httpx.post(
                f"{told['url']}/api/v1/questions",
                json={"question": {"prompt": "On which side?", "kind": "text"}, "run": "drawer-1", "step": "side"},
                headers={"Authorization": f"Bearer {drawer}"},
            )
            assert asked.json()["told"] == "It is with Ada."
            [seen] = tablet.get("/questions").json()["questions"]
            assert (seen["status"], seen["turn"]) == ("open", "Ada")


def test_people_come_from_a_file_and_lines_are_for_people(tmp_path: Path) -> None:
    (tmp_path / "people.yaml").write_text("[{name: Ada, role: caregiver}, {name: Ben}]")
    with Journal.open(tmp_path / "handup.db") as journal, Desk(journal, [Person(name="Ben")]) as desk:
        desk.introduce(Person(name="Ben", limits=Limits(per_hour=1)), by="Ada")
    process = subprocess.Popen(
        [sys.executable, "-m", "handup", "serve", "--port", "0", "--people", "people.yaml", "--no-browser"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Serving at http://127.0.0.1:")
        assert process.stdout.readline().startswith("To answer as Ada, open within 10 minutes: http://127.0.0.1:")
    finally:
        process.kill()
        _, notes = process.communicate(timeout=30)
    assert "Changed on the page, which holds until the file says something new about them: Ben.\n" in notes


def test_a_damaged_store_is_served_and_told(tmp_path: Path) -> None:
    shell("pair", "--robot", "plate", cwd=tmp_path)
    (tmp_path / "handup.db").write_bytes(b"no journal" * 1000)
    with serving(tmp_path) as (_, told):
        wait_until_up(told["url"])
        assert httpx.get(f"{told['url']}/api/v1/health").json()["status"] == "damaged"
        assert told["code"] is None


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        called = here("serve", "--store", str(tmp_path / "a.db"), "--port", port)
    assert_one_line_error(called, port, "--port", "HU509")
    assert not list(tmp_path.iterdir()), "nothing was made"


def test_a_folder_that_is_not_there_or_cannot_be_written(tmp_path: Path) -> None:
    called = here("serve", "--store", str(tmp_path / "no" / "a.db"), "--port", "0")
    assert_one_line_error(called, "HU403")
    (tmp_path / "file").write_text("")
    assert_one_line_error(here("serve", "--store", str(tmp_path / "file" / "a.db"), "--port", "0"), "HU403")


def test_other_machines_need_tls(tmp_path: Path) -> None:
    called = here("serve", "--store", str(tmp_path / "a.db"), "--host", "0.0.0.0")
    assert_one_line_error(called, "--tls-cert", "--insecure", "HU510")


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate")
    pem = str(tmp_path / "cert.pem")
    called = here("serve", "--store", str(tmp_path / "a.db"), "--port", "0", "--tls-cert", pem, "--tls-key", pem)
    assert_one_line_error(called, "certificate", "HU509")
    called = here("serve", "--store", str(tmp_path / "a.db"), "--port", "0", "--tls-cert", pem)
    assert_one_line_error(called, "HU103")


def test_a_host_that_is_not_this_machines(tmp_path: Path) -> None:
    called = here("serve", "--store", str(tmp_path / "a.db"), "--host", "192.0.2.1", "--insecure")
    assert_one_line_error(called, "192.0.2.1", "HU509")


@pytest.mark.parametrize("origin", ["robot.example", "ftp://robot.example", "https://robot.example/page"])
def test_an_origin_that_is_none(tmp_path: Path, origin: str) -> None:
    called = here("serve", "--store", str(tmp_path / "a.db"), "--origin", origin)
    assert_one_line_error(called, "origin", "HU103")


def test_a_missing_extra(tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError('No module named fastapi', name='fastapi')")
    called = subprocess.run(
        [sys.executable, "-m", "handup", "serve", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{SRC}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert called.returncode == 2
    assert len(called.stderr.splitlines()) == 1
    assert "[web]'. [HU301]" in called.stderr
