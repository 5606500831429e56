"""Which store a server works on: its name for devices, the proof for robots, and files that others may not read."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from handup.core import Role
from handup.journal import Journal
from handup.server import Access, Bounds
from tests.server.houses import PNG, House, house

NONCE = "0123456789abcdef"


@pytest.fixture
def open_umask() -> Iterator[None]:
    """As where everybody may read what is made."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_store_keeps_its_name_and_no_other_has_it(tmp_path: Path) -> None:
    def name(store: str) -> str:
        with house(tmp_path / store, people=()) as home:
            told = home.call("GET", "/me", "resident").json()["store"]
            with home.live("robot") as live:
                assert live.next("hello")["me"]["store"] == told
            return str(told)

    first = name("one.db")
    assert len(first) == 32
    assert name("one.db") == first
    assert name("two.db") != first


def test_what_is_meant_for_another_store_is_refused_but_never_a_stop(home: House) -> None:
    asked = home.ask()
    reply = {"question": asked, "kind": "answer", "value": "plum", "token": "t"}
    other, own = {"Handup-Store": "0" * 32}, {"Handup-Store": home.service.store_id()}
    refused = home.call("POST", "/replies", "resident", json=reply, headers=other)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HU503")
    assert home.call("POST", "/replies", "resident", json=reply, headers=own).json()["status"] == "accepted"
    assert home.call("POST", "/stop", "resident", headers=other).status_code == 200


def test_a_server_proves_that_it_reads_the_store(home: House, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "house.db") as journal:
        paired = Access(journal).robot_token("plate")  # by another program, just now
    params = {"id": paired.grant.id, "nonce": NONCE}
    given = home.call("GET", "/proof", None, params=params).json()["proof"]
    key = hashlib.sha256(paired.token.encode()).hexdigest().encode()
    port = 8765  # of the server, so that another one cannot pass the proof on
    assert given == hmac.new(key, f"proof {port} {NONCE}".encode(), hashlib.sha256).hexdigest()
    assert home.call("GET", "/proof", None, params={**params, "nonce": NONCE[::-1]}).json()["proof"] != given
    home.service.access.revoke(paired.grant.id)
    assert home.call("GET", "/proof", None, params=params).status_code == 404


@pytest.mark.parametrize("params", [{}, {"nonce": NONCE}, {"id": "x"}, {"id": "x", "nonce": "short"}])
def test_a_proof_of_nothing_is_refused(shared: House, params: dict[str, str]) -> None:
    assert shared.call("GET", "/proof", None, params=params).status_code == 422


def test_only_robots_have_a_proof(shared: House) -> None:
    shared.token("resident")
    for each in shared.service.access.grants():
        asked = shared.call("GET", "/proof", None, params={"id": each.id, "nonce": NONCE})
        assert asked.status_code == (200 if each.is_robot else 404)


def test_proofs_are_limited(tmp_path: Path) -> None:
    with house(tmp_path / "house.db", bounds=Bounds(address_per_s=0.001, address_burst=3)) as home:
        params = {"id": "x", "nonce": NONCE}
        found = [home.call("GET", "/proof", None, params=params).status_code for _ in range(5)]
        assert found == [404, 404, 404, 429, 429]


def test_nobody_else_on_the_machine_reads_what_is_kept(tmp_path: Path, open_umask: None) -> None:
    with house(tmp_path / "house.db") as home:
        assert home.call("PUT", "/pictures/live/plate", "robot", content=PNG).status_code == 204
        home.ask()
        with home.service.journal.holding("meal"):
            made = {each: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.rglob("*")}
        folder = tmp_path / "house.db.pictures"
        assert {"house.db", "house.db-wal", "house.db-shm", "house.db.lock", "house.db.witness"} <= {
            each.name for each in made
        }
        assert made.pop(folder) == 0o700
        assert len([each for each in made if each.parent == folder]) == 2
        assert set(made.values()) == {0o600}, made


@pytest.mark.parametrize(
    ("origins", "sent", "secure"),
    [
        (("https://robot.example",), {"Origin": "https://robot.example", "Host": "robot.example"}, True),
        (("https://robot.example",), {"Origin": "https://robot.example"}, True),  # the proxy names another host
        (("https://robot.example",), {}, True),
        (("https://robot.example",), {"Origin": "http://127.0.0.1:8765"}, False),  # past the proxy, on the machine
        (("http://robot.example",), {"Origin": "http://robot.example"}, False),
        ((), {}, False),
    ],
)
def test_behind_a_proxy_that_speaks_tls_the_cookie_goes_by_tls_only(
    tmp_path: Path, origins: tuple[str, ...], sent: dict[str, str], secure: bool
) -> None:
    with house(tmp_path / "house.db", origins=origins) as home:
        code, _ = home.service.access.make_code("ana", Role.RESIDENT)
        paired = home.call("POST", "/pair", None, json={"code": code}, headers=sent)
        assert ("Secure" in paired.headers["set-cookie"].split("; ")) is secure
