"""A robot asks, people answer, and everybody is told."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from tests.server.houses import CHOICE, House


def test_a_question_goes_to_a_person_and_the_answer_back(home: House) -> None:
    id_ = home.ask()
    seen = home.call("GET", "/questions", "resident").json()["questions"]
    assert [each["id"] for each in seen] == [id_]
    assert seen[0]["choices"] == ["plum", "pear"]
    assert seen[0]["told"] == "It is with ana."
    receipt = home.answer(id_)
    assert (receipt["status"], receipt["again"], receipt["record"]["status"]) == ("accepted", False, "answered")
    told = home.call("GET", "/wait", "robot", params={"id": id_}).json()
    assert told["answer"]["value"] == "plum"
    assert home.call("GET", "/questions", "resident").json() == {"questions": []}


def test_asking_again_is_the_same_question(home: House) -> None:
    assert home.ask() == home.ask()
    assert len(home.call("GET", "/questions", "operator").json()["questions"]) == 1


def test_the_same_reply_again_gets_the_same_receipt_and_a_late_one_is_told(home: House) -> None:
    id_ = home.ask()
    first, again = home.answer(id_), home.answer(id_)
    assert (first["message"], again["again"]) == (again["message"], True)
    late = home.answer(id_, "caregiver", "pear", token="other")
    assert late["status"] == "late"
    assert "Ana has already answered" in late["message"]


def test_a_reply_is_from_whose_token_it_comes_with(home: House) -> None:
    said = {"question": home.ask(), "kind": "answer", "value": "plum", "token": "t", "by": "cem"}
    refused = home.call("POST", "/replies", "resident", json=said)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "HU109")


@pytest.mark.parametrize("kind", ["permission", "physical"])
def test_what_only_people_can_settle_is_not_left_to_the_robot(home: House, kind: str) -> None:
    id_ = home.ask(kind=kind, options=[])
    said = {"question": id_, "kind": "let-robot-try", "token": "t"}
    refused = home.call("POST", "/replies", "resident", json=said).json()
    assert (refused["status"], refused["record"]["status"]) == ("invalid", "open")
    assert "the robot cannot try instead" in refused["message"]


def test_waiting_ends_with_the_answer_or_with_nothing(home: House) -> None:
    id_ = home.ask()
    assert home.call("GET", "/wait", "robot", params={"id": id_, "timeout_s": 0.05}).status_code == 204
    assert home.call("GET", "/wait", "robot", params={"id": "no/such/1"}).status_code == 404


def test_a_resident_sees_no_question_of_others_and_no_names_of_others(home: House) -> None:
    others = home.ask("others", to=["cem"])
    assert home.call("GET", f"/questions/{others}", "resident").status_code == 404
    both = home.ask("both", to=["cem", "ana"])
    mine = home.call("GET", f"/questions/{both}", "resident").json()
    assert (mine["audience"], mine["turn"]) == (["ana"], None)
    full = home.call("GET", f"/questions/{both}", "caregiver").json()
    assert (full["audience"], full["turn"]) == (["cem", "ana"], "cem")
    assert {"token", "replies"} & {*mine, *full} == set()
    home.answer(both, "caregiver")
    told = home.call("GET", f"/questions/{both}", "resident").json()
    assert (told["by"], told["answer"]["by"], told["told"]) == (None, None, "cem answered.")


def test_claims_keep_others_off_until_they_are_given_back(home: House) -> None:
    id_ = home.ask()
    assert home.call("POST", "/claim", "operator", json={"id": id_}).json()["status"] == "accepted"
    assert home.answer(id_)["status"] == "claimed"
    assert home.call("POST", "/release", "operator", json={"id": id_}).json()["status"] == "accepted"
    assert home.answer(id_)["status"] == "accepted"


def test_a_question_is_taken_back(home: House) -> None:
    id_ = home.ask()
    withdrawn = home.call("POST", "/withdraw", "robot", json={"id": id_, "why": "it fell off"}).json()
    assert withdrawn["record"]["status"] == "withdrawn"
    assert home.answer(id_)["status"] == "late"


def test_a_robot_hands_its_question_on_and_the_first_person_may_still_answer(home: House) -> None:
    id_ = home.ask()
    record = home.call("GET", f"/questions/{id_}", "robot").json()
    first, then = record["turn"], record["audience"][1]
    handed = home.call("POST", "/hand-on", "robot", json={"id": id_, "to": then}).json()
    assert (handed["status"], handed["record"]["turn"]) == ("accepted", then)
    stranger = home.call("POST", "/hand-on", "robot", json={"id": id_, "to": "nobody"}).json()
    assert stranger["status"] == "unauthorised"
    assert first == "ana"
    assert home.answer(id_)["status"] == "accepted"


KINDS = {
    "choice": (CHOICE, "plum", "apple"),
    "text": ({"prompt": "?", "kind": "text"}, "words", ""),
    "yes-no": ({"prompt": "?", "kind": "yes-no"}, True, "maybe"),
    "number": ({"prompt": "?", "kind": "number", "low": 1, "high": 3}, 2, 4),
    "box": ({"prompt": "?", "kind": "box", "image": "i"}, {"left": 0, "top": 0, "right": 1, "bottom": 1}, {"left": 0}),
    "points": (
        {"prompt": "?", "kind": "points", "image": "i", "marks": ["a", "b"]},
        [{"x": 0, "y": 0}, {"x": 1, "y": 1}],
        [{"x": 0, "y": 0}],
    ),
    "diagnosis": ({"prompt": "?", "kind": "diagnosis", "options": ["slip", "miss"]}, "slip", ""),
    "action": (
        {"prompt": "?", "kind": "action", "options": ["wipe", "wait"]},
        {"action": "wipe", "resume": "retry"},
        1,
    ),
    "permission": ({"prompt": "?", "kind": "permission"}, False, 2),
    "physical": ({"prompt": "?", "kind": "physical"}, True, "soon"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_says_what_answers_it(shared: House, kind: str) -> None:
    question, right, wrong = KINDS[kind]
    asked = {"question": question, "run": "kinds", "step": kind}
    record = shared.call("POST", "/questions", "robot", json=asked).json()
    jsonschema.validate(right, record["value_schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, record["value_schema"])
    refused = shared.answer(record["id"], value=wrong, token="wrong")
    assert "error" in refused or refused["status"] == "invalid"
    assert shared.answer(record["id"], value=right)["status"] == "accepted"


BAD: dict[str, dict[str, Any]] = {
    "no JSON": {"content": b"{", "headers": {"content-type": "application/json"}},
    "deep": {"content": b"[" * 30_000, "headers": {"content-type": "application/json"}},
    "no question": {"json": {"run": "r", "step": "s"}},
    "a question without words": {"json": {"question": {"prompt": "", "kind": "text"}, "run": "r", "step": "s"}},
    "a half character": {"content": b'{"question":{"prompt":"\\ud800","kind":"text"},"run":"r","step":"s"}'},
    "a run that is no name": {"json": {"question": CHOICE, "run": "\n", "step": "s"}},
    "a run of half a character": {"content": b'{"question":{"prompt":"a","kind":"text"},"run":"\\ud800","step":"s"}'},
    "somebody unknown": {"json": {"question": {**CHOICE, "to": ["nobody"]}, "run": "r", "step": "s"}},
    "no number": {"content": b'{"question":{"prompt":"a","kind":"text"},"run":"r","step":"s","load":NaN}'},
    "not a whole number": {"json": {"question": CHOICE, "run": "r", "step": "s", "attempt": 10**30}},
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_question_is_refused_clearly(shared: House, what: str) -> None:
    more = {"headers": {"content-type": "application/json"}, **BAD[what]}
    refused = shared.call("POST", "/questions", "robot", **more)
    assert refused.status_code in {400, 422}
    assert set(refused.json()["error"]) == {"code", "cause", "hint"}
