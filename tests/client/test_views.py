"""What a server says becomes typed things, also where it says more or less than expected."""

from __future__ import annotations

from typing import Any

import pytest

from handup.client.address import ServerAddress
from handup.client.views import Changed, Connected, KnownRobot, StopChanged, change_of, record_of, stop_of
from handup.core import BadSetting, Question, QuestionKind, ServerRefused
from handup.desk import Record, Status


def a_record() -> Record:
    question = Question("Which?", QuestionKind.CHOICE, ("plum", "pear"), to=("ana",))
    return Record(
        id="run/food/1",
        run="run",
        step="food",
        attempt=1,
        question=question,
        load=0.3,
        audience=("ana",),
        turn="ana",
        status=Status.OPEN,
        number=4,
        asked_s=1.0,
    )


def a_view(**more: Any) -> dict[str, Any]:
    view = a_record().to_json()
    del view["replies"], view["token"]
    return {**view, "told": "It is with ana.", "now_s": 5.0, "of_a_newer_server": True, **more}


def test_a_view_is_the_record_again() -> None:
    assert record_of(a_view()) == a_record()


def test_a_view_may_leave_out_what_is_not_for_everybody() -> None:
    view = a_view()
    for name in ("audience", "turn", "passed", "load", "number", "run", "step"):
        del view[name]
    assert record_of(view).question.prompt == "Which?"


@pytest.mark.parametrize("view", [{}, {"id": 3}, a_view(status="gone"), a_view(question={"prompt": ""})])
def test_what_is_no_question_is_refused(view: dict[str, Any]) -> None:
    with pytest.raises(ServerRefused):
        record_of(view)


def test_frames_become_changes() -> None:
    hello = change_of({"type": "hello", "stopped": {"by": "ana"}, "questions": [a_view()], "robots": []})
    assert isinstance(hello, Connected)
    assert (hello.questions, hello.robots) == ((a_record(),), ())
    assert hello.stopped is not None
    assert hello.stopped.by == "ana"
    assert change_of({"type": "question", "record": a_view()}) == Changed(record=a_record())
    assert change_of({"type": "stopped", "stopped": None}) == StopChanged(stop=None)
    assert change_of({"type": "robot", "robot": "plate", "alive": False}) == KnownRobot(robot="plate", alive=False)
    assert change_of({"type": "beat", "at_s": 1.0}) is None
    assert change_of({"type": "of a newer server"}) is None
    with pytest.raises(ServerRefused):
        change_of({"type": "robot"})


def test_whatever_is_not_plainly_no_stop_is_one() -> None:
    assert stop_of(None) is None
    assert stop_of(False) is None
    odd: tuple[object, ...] = (True, "yes", 1, {}, [])
    for said in odd:
        assert stop_of(said) is not None


@pytest.mark.parametrize(
    "url", ["", "here", "ftp://here", "http://", "http://here/?a=b", "http://ana:secret@here", "http://here#code=1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadSetting):
        ServerAddress(url)


def test_an_address_comes_from_the_environment_and_keeps_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDUP_URL", "https://robot.example/")
    monkeypatch.setenv("HANDUP_TOKEN", "secret")
    address = ServerAddress.of(None, None)
    assert address.live == "wss://robot.example/api/v1/live?panels=1"
    assert address.headers == {"Authorization": "Bearer secret"}
    assert "secret" not in repr(address)
    assert ServerAddress.of("http://here", "").headers == {}
    with pytest.raises(BadSetting, match="token"):
        ServerAddress("http://here", "two words")
    with pytest.raises(BadSetting, match="certificates"):
        ServerAddress.of("https://here", "", "no-such-file.pem").trust()
