"""Whom a robot's question goes to: whoever is let in as a resident is asked, and where nobody is, it waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handup.core import Person, Question, Role
from handup.server.house_router import HouseRouter
from handup.whom import check_router
from tests.server.houses import House, house


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[House]:
    """A server that knows nobody."""
    with house(tmp_path / "house.db", people=()) as made:
        yield made


def let_in(house: House, name: str, role: Role = Role.RESIDENT) -> dict[str, Any]:
    """Pair a device of a person, as the page does; what the device is told."""
    code, _ = house.service.access.make_code(name, role)
    paired: dict[str, Any] = house.client.post("/api/v1/pair", json={"code": code}).json()
    return paired


def seen_by(house: House, device: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions that a device lists."""
    found = house.client.get("/api/v1/questions", headers={"Authorization": f"Bearer {device['token']}"})
    questions: list[dict[str, Any]] = found.json()["questions"]
    return questions


def turn(house: House, question: str) -> str | None:
    record = house.service.desk.record(question)
    assert record is not None
    return record.turn


def test_it_keeps_the_contract_of_routers() -> None:
    check_router(HouseRouter(lambda: ("cem",), ("ben",)))


def test_people_with_a_device_come_first_and_of_these_residents() -> None:
    people = [Person(name="pat"), Person(name="ben", role=Role.CAREGIVER), Person(name="ada")]
    question = Question("Which food?")
    assert HouseRouter(lambda: ("ada", "ben")).audience(question, people, 0.0) == ("ada", "ben", "pat")
    assert HouseRouter(lambda: ("ben",)).audience(question, people, 0.0) == ("ben", "pat", "ada")
    assert HouseRouter(lambda: ()).audience(question, people, 0.0) == ("pat", "ada", "ben")
    assert HouseRouter(lambda: ("ada",), ("ben",)).audience(question, people, 0.0) == ("ben", "ada", "pat")


def test_a_question_waits_while_there_is_nobody_and_says_so(empty: House) -> None:
    id_ = empty.ask()
    told = empty.call("GET", f"/questions/{id_}", "robot").json()
    assert (told["status"], told["audience"], told["turn"]) == ("held", [], None)
    assert told["told"] == "Waits for its turn: nobody can be asked yet."
    ada = let_in(empty, "ada")
    [seen] = seen_by(empty, ada)
    assert (seen["id"], seen["status"], seen["turn"], seen["told"]) == (id_, "open", "ada", "It is with ada.")


def test_who_is_let_in_while_a_question_is_open_may_answer_it_too(empty: House) -> None:
    let_in(empty, "ben", Role.CAREGIVER)
    id_ = empty.ask()
    assert turn(empty, id_) == "ben"
    assert [seen["id"] for seen in seen_by(empty, let_in(empty, "ada"))] == [id_]
    let_in(empty, "ada")
    record = empty.service.desk.record(id_)
    assert record is not None
    assert (record.turn, record.audience) == ("ben", ("ben", "ada"))
    assert turn(empty, empty.ask("next")) == "ada"


def test_a_question_for_somebody_stays_theirs(empty: House) -> None:
    let_in(empty, "ben", Role.CAREGIVER)
    empty.ask(to=["ben"])
    assert seen_by(empty, let_in(empty, "ada")) == []


def test_a_bystander_is_not_asked_for_a_permission(empty: House) -> None:
    permission = empty.ask(kind="permission", options=[])
    let_in(empty, "bo", Role.BYSTANDER)
    assert turn(empty, permission) is None
    let_in(empty, "dev", Role.DEVELOPER)
    assert turn(empty, permission) is None
    let_in(empty, "ada")
    assert turn(empty, permission) == "ada"


def test_whose_access_was_taken_back_comes_after_those_who_are_in(empty: House) -> None:
    ada = let_in(empty, "ada")
    let_in(empty, "ben", Role.CAREGIVER)
    assert turn(empty, empty.ask("before")) == "ada"
    empty.service.access.revoke(ada["id"])
    assert turn(empty, empty.ask("after")) == "ben"


def test_the_order_of_the_file_holds(home: House) -> None:
    let_in(home, "zoe")
    record = home.service.desk.record(home.ask())
    assert record is not None
    assert record.audience == ("ana", "cem", "olu", "zoe")


def test_a_wrong_code_introduces_nobody(empty: House) -> None:
    assert empty.client.post("/api/v1/pair", json={"code": "AAAA-AAAA"}).status_code == 403
    assert empty.service.desk.state.people == {}
