"""People at the server: who sees and sets up whom, and being busy on all devices of a person."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deadlines import soon
from tests.server.houses import PEOPLE, House

SETUP: dict[str, Any] = {
    "abilities": ["hands"],
    "limits": {"at_once": 2, "per_hour": 6, "quiet": [{"start": "22:00", "end": "07:00", "zone": "Europe/Berlin"}]},
    "channels": ["page", "ntfy"],
}


def listed(home: House, role: str) -> dict[str, dict[str, Any]]:
    return {person["name"]: person for person in home.call("GET", "/people", role).json()["people"]}


def test_a_caregiver_sees_everybody_and_a_resident_only_themselves(home: House) -> None:
    assert list(listed(home, "caregiver")) == ["ana", "cem", "olu"]
    [ana] = listed(home, "resident").values()
    assert (ana["name"], ana["abilities"], ana["paired"], ana["here"], ana["busy"]) == (
        *("ana", ["see", "goal"], True, False, None),
    )
    with home.live("resident") as live:
        live.next("hello")
        assert listed(home, "caregiver")["ana"]["here"]


def test_a_caregiver_sets_somebody_up_and_the_journal_keeps_it(home: House) -> None:
    told = home.call("PUT", "/people/ana", "caregiver", json=SETUP).json()
    assert (told["abilities"], told["channels"], told["limits"]["per_hour"]) == (["hands"], ["page", "ntfy"], 6)
    person = home.service.desk.state.people["ana"]
    assert person.limits.quiet[0].zone == "Europe/Berlin"
    [entry] = [entry for entry in home.service.journal.read() if getattr(entry.event, "by", None) == "cem"]
    assert (entry.kind, getattr(entry.event, "person", "")) == ("desk.person", "ana")
    assert home.ask() == "meal/food/1"


def test_a_resident_sets_up_only_themselves(home: House) -> None:
    assert home.call("PUT", "/people/ana", "resident", json=SETUP).status_code == 200
    refused = home.call("PUT", "/people/cem", "resident", json=SETUP)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "HU502")
    assert home.service.desk.state.people["cem"] == PEOPLE[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"abilities": ["fly"]},
        {"limits": {"at_once": 0}},
        {"limits": {"quiet": [{"start": "7", "end": "8", "zone": "UTC"}]}},
        {"limits": {"quiet": [{"start": "22:00", "end": "07:00", "zone": "Mars"}]}},
        {"channels": ["a\nb"]},
        {"name": "ben"},
    ],
)
def test_what_is_no_setup_is_refused_and_changes_nothing(home: House, wrong: dict[str, Any]) -> None:
    assert home.call("PUT", "/people/ana", "caregiver", json={**SETUP, **wrong}).status_code == 422
    assert home.service.desk.state.people["ana"] == PEOPLE[0]


def test_a_stranger_cannot_be_set_up(home: House) -> None:
    assert home.call("PUT", "/people/mallory", "caregiver", json=SETUP).status_code == 404


def test_busy_on_one_device_is_busy_on_all_and_questions_go_on(home: House) -> None:
    with home.live("resident") as live:
        assert live.next("hello")["busy"] is None
        id_ = home.ask()
        told = home.call("POST", "/presence", "resident", json={"busy": True, "for_s": 3600}).json()
        assert told["status"] == "accepted"
        assert told["message"].endswith("Meanwhile I ask somebody else, or wait.")
        busy = live.next("busy")["busy"]
        assert busy == told["busy"]
        assert busy["until_s"] - busy["since_s"] == 3600
        assert home.call("GET", f"/questions/{id_}", "caregiver").json()["turn"] == "cem"
        with home.live("resident") as other:
            assert other.next("hello")["busy"] == busy
        assert home.call("POST", "/presence", "resident", json={"busy": False}).json()["busy"] is None
        assert live.next("busy")["busy"] is None


@pytest.mark.parametrize("wrong", [{}, {"busy": 1.5}, {"busy": True, "for_s": "long"}, {"busy": True, "by": "cem"}])
def test_what_is_no_word_is_refused(home: House, wrong: dict[str, Any]) -> None:
    assert home.call("POST", "/presence", "resident", json=wrong).status_code == 422


def test_half_made_answers_of_whoever_is_erased_are_forgotten(home: House) -> None:
    id_ = home.ask(to=["cem", "ana"])  # its words are of the first, so it stays
    home.call("PUT", f"/drafts/{id_}", "resident", json={"value": "plum"})
    home.call("PUT", f"/drafts/{id_}", "caregiver", json={"value": "pear"})
    home.service.journal.erase("ana")
    soon(lambda: home.service.drafts.get("ana", id_) is None)
    assert home.service.drafts.get("cem", id_) is not None
