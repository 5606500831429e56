"""The five roles, in every record that has one; an old `remote` is an operator in all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handup.cli.people_file import load_people
from handup.core import HandupError, Person, QuestionKind, Role
from handup.core.event import event_type
from handup.desk.events import Introduced
from handup.people import answer_model
from handup.server.events import CodeMade, Granted
from handup.server.models import Me

Read = Callable[[str, Path], tuple[Any, Any]]
"""What a role is read as, and what is written then."""


def _person(role: str, folder: Path) -> tuple[Any, Any]:
    person = Person.from_json({"name": "Ada", "role": role})
    return person.role, person.to_json()["role"]


def _file(role: str, folder: Path) -> tuple[Any, Any]:
    (folder / "people.yaml").write_text(f"- {{name: Ada, role: {role}}}\n")
    (person,) = load_people(folder / "people.yaml")
    return person.role, person.to_json()["role"]


def _event(kind: str, written: object) -> Read:
    def read(role: str, folder: Path) -> tuple[Any, Any]:
        declared = event_type(kind)
        event = declared.from_body({**declared.to_body(written), "role": role}, 1)
        return event.role, declared.to_body(event)["role"]

    return read


def _wire(role: str, folder: Path) -> tuple[Any, Any]:
    me = Me.model_validate({"id": "1", "name": "Ada", "role": role, "device": "", "until_s": 1.0, "store": "s"})
    return me.role, me.model_dump(mode="json")["role"]


READS: dict[str, Read] = {
    "person": _person,
    "file": _file,
    "introduced": _event("desk.person", Introduced(person="Ada", role=Role.RESIDENT)),
    "code": _event("access.code", CodeMade(digest="d", role=Role.RESIDENT, person="Ada", until_s=1.0, token_s=1.0)),
    "token": _event("access.granted", Granted(id="1", digest="d", role=Role.RESIDENT, person="Ada", until_s=1.0)),
    "wire": _wire,
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(("name", "role"), [*((str(role), role) for role in Role), ("remote", Role.OPERATOR)])
def test_a_role_is_read_and_written_by_its_name(read: str, name: str, role: Role, tmp_path: Path) -> None:
    found, written = READS[read](name, tmp_path)
    assert found is role
    assert written == str(role)


@pytest.mark.parametrize("read", READS)
def test_an_unknown_role_is_told_with_the_five_there_are(read: str, tmp_path: Path) -> None:
    with pytest.raises((HandupError, ValueError)) as refused:
        READS[read]("king", tmp_path)
    assert all(role in str(refused.value) for role in Role)


def test_only_operators_answer_as_people_at_a_console_did() -> None:
    fitted = {role for role in Role if answer_model().fit_of(role, QuestionKind.ACTION) is not None}
    assert fitted == {Role.OPERATOR}
