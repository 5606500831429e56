"""`handup pair`: codes, tokens, the list, and the door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup.desk import Desk
from handup.journal import Journal
from handup.server import Access
from tests.cli.calls import assert_one_line_error, here


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "a.db")


def test_a_code_for_a_person_whom_the_desk_knows_then(store: str) -> None:
    called = here(
        "pair", "--name", "Ada", "--role", "caregiver", "--url", "https://robot:1/", "--store", store, "--json"
    )
    told = json.loads(called.out)
    assert told["url"] == f"https://robot:1/#code={told['code']}"
    with Journal.open(store) as journal:
        paired = Access(journal).pair(told["code"], "tablet")
        assert (paired.grant.name, paired.grant.role) == ("Ada", "caregiver")
        assert Desk(journal).state.people["Ada"].role == "caregiver"


def test_the_terminal_shows_code_address_and_picture(store: str) -> None:
    called = here("pair", "--name", "Ada", "--store", store)
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0].startswith("Code for Ada (resident), good for ten minutes: ")
    assert lines[1].startswith("Or open: http://127.0.0.1:8765/#code=")
    assert len(lines) > 10
    assert "█" in lines[5]


@pytest.mark.parametrize(
    ("url", "only_here"),
    [(None, True), ("http://localhost:9", True), ("http://[::1]:9", True), ("https://robot.local:8765", False)],
)
def test_an_address_that_no_other_device_reaches_is_told(store: str, url: str | None, only_here: bool) -> None:
    called = here("pair", "--name", "Ada", "--store", store, *(() if url is None else ("--url", url)))
    assert ("works on this machine only" in called.err) == only_here
    assert ("--host" in called.err) == only_here


def test_a_known_person_keeps_role_and_limits(store: str) -> None:
    here("pair", "--name", "Ada", "--role", "operator", "--store", store)
    told = json.loads(here("pair", "--name", "Ada", "--store", store, "--json").out)
    assert told["role"] == "operator"


def test_a_developer_is_let_in_but_not_asked(store: str) -> None:
    assert here("pair", "--name", "dev", "--role", "developer", "--store", store).code == 0
    with Journal.open(store) as journal:
        assert "dev" not in Desk(journal).state.people


def test_a_robot_gets_a_token_and_is_shown_the_door(store: str) -> None:
    token = here("pair", "--robot", "plate", "--store", store).out.strip()
    listed = json.loads(here("pair", "--list", "--store", store, "--json").out)["devices"]
    assert [(each["name"], each["role"]) for each in listed] == [("plate", "robot")]
    assert listed[0]["id"] in here("pair", "--list", "--store", store).out
    with Journal.open(store) as journal:
        assert Access(journal).find(token) is not None
    assert here("pair", "--revoke", listed[0]["id"], "--store", store).code == 0
    with Journal.open(store) as journal:
        assert Access(journal).find(token) is None
    assert here("pair", "--list", "--store", store).out == "Nobody is in.\n"


def test_what_is_wrong_is_one_line(store: str) -> None:
    assert_one_line_error(here("pair", "--store", store), "--name", "HU103")
    assert_one_line_error(here("pair", "--name", "a", "--robot", "b", "--store", store), "HU103")
    assert_one_line_error(here("pair", "--name", "a", "--role", "king", "--store", store), "resident", "HU103")
    assert_one_line_error(here("pair", "--name", "", "--store", store), "HU103")
    assert_one_line_error(here("pair", "--robot", "a/b", "--store", store), "HU103")
    assert_one_line_error(here("pair", "--revoke", "nothing", "--store", store), "HU508")
    assert_one_line_error(here("pair", "--list", "--store", f"{store}-not"), "HU403")
