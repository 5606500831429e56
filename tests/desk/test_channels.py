"""Channels without a screen: a Python function, and simulated people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from handup.core import (
    BadAnswer,
    BadSetting,
    Box,
    ManualClock,
    Person,
    Question,
    QuestionKind,
    Reply,
    ReplyKind,
    Resolution,
    StoreUnavailable,
    Value,
    check_value,
)
from handup.desk import Channel, Desk, Record, Status
from handup.desk.channel import Callback, Said
from handup.desk.simulated import DEVICE, Simulated
from handup.desk.terminal import Terminal
from handup.journal import Journal
from handup.people import Latency, SimulatedPerson
from tests.core.asked import FULL, VALUES

ADA, TOM = Person(name="Ada"), Person(name="Tom")
WHICH = Question("Which food?", QuestionKind.CHOICE, ("grape", "melon", "apple"))
SLOW = Latency(median_s=10.0, sigma=0.5, least_s=2.0)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000.0)


@pytest.fixture
def journal(tmp_path: Path, clock: ManualClock) -> Iterator[Journal]:
    with Journal.open(tmp_path / "store.db", clock=clock) as opened:
        yield opened


def who_takes(latency: Latency, name: str = DEVICE) -> SimulatedPerson:
    person = SimulatedPerson(name=name)
    return replace(person, answers=replace(person.answers, from_sight_latency=latency, latency=latency))


def ask(journal: Journal, channel: Channel, question: Question = WHICH, step: str = "food") -> tuple[Desk, Record]:
    desk = Desk(journal, [ADA, TOM], channels=[channel])
    return desk, desk.ask(question, run="meal", step=step)


def test_all_channels_keep_the_protocol() -> None:
    for made in (Callback(lambda _: None), Simulated(lambda _: "grape", random=np.random.default_rng(0)), Terminal()):
        assert isinstance(made, Channel)


def test_what_a_callback_returns_is_the_answer(journal: Journal) -> None:
    seen: list[Record] = []

    def answer(record: Record) -> str:
        seen.append(record)
        return "melon"

    _, record = ask(journal, Callback(answer))
    assert record.answer is not None
    assert (record.status, record.answer.value, record.by, record.device) == (
        Status.ANSWERED,
        "melon",
        "Ada",
        "callback",
    )
    assert [each.question.prompt for each in seen] == ["Which food?"]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (None, Status.OPEN),
        (ReplyKind.NOT_NOW, Status.DEFERRED),
        (ReplyKind.LET_ROBOT_TRY, Status.DELEGATED),
        (ReplyKind.STOP, Status.WITHDRAWN),
        (Reply(question="meal/food/1", kind=ReplyKind.ANSWER, by="Tom", token="x", value="apple"), Status.ANSWERED),
    ],
)
def test_a_callback_may_say_something_else_or_nothing_yet(journal: Journal, said: Said, status: Status) -> None:
    _, record = ask(journal, Callback(lambda _: said))
    assert record.status is status


def test_someone_else_reaches_the_next_person_of_a_callback(journal: Journal) -> None:
    _, record = ask(journal, Callback(lambda record: "grape" if record.turn == "Tom" else ReplyKind.SOMEONE_ELSE))
    assert (record.status, record.by) == (Status.ANSWERED, "Tom")


def test_a_callback_that_returns_nonsense_leaves_the_question_open_and_is_told(journal: Journal) -> None:
    callback = Callback(lambda _: "pear")
    desk, record = ask(journal, callback)
    assert record.status is Status.OPEN
    with pytest.raises(BadAnswer, match="callback' gave no answer to 'meal/food/1'"):
        callback.show(record, desk)


def test_a_callback_hears_of_what_was_settled_elsewhere(journal: Journal) -> None:
    gone: list[str] = []
    desk, record = ask(journal, Callback(lambda _: None, taken=lambda record: gone.append(record.id)))
    desk.withdraw(record.id, "found it")
    assert gone == [record.id]


def test_a_simulated_person_answers_when_the_clock_gets_there(journal: Journal, clock: ManualClock) -> None:
    channel = Simulated(lambda _: "melon", random=np.random.default_rng(1), accuracy=1.0, person=who_takes(SLOW))
    desk, record = ask(journal, channel)
    due_s = channel.next_s
    assert due_s is not None
    assert due_s > clock.now_s() + SLOW.least_s
    clock.advance(due_s - clock.now_s() - 0.01)
    assert channel.deliver() == []
    clock.advance(0.01)
    (receipt,) = channel.deliver()
    assert receipt.accepted
    now = desk.record(record.id)
    assert now is not None
    assert now.answer is not None
    assert (now.answer.value, now.by) == ("melon", "Ada")
    assert now.answer.latency_s == pytest.approx(due_s - 1000.0)
    assert (now.device or "").startswith(DEVICE)
    assert channel.next_s is None


def test_what_a_simulated_person_said_while_the_store_was_away_is_said_again(
    journal: Journal, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = Simulated(lambda _: "grape", random=np.random.default_rng(3), accuracy=1.0)
    ask(journal, channel)
    assert channel.next_s is not None
    clock.advance(channel.next_s - clock.now_s())

    def away() -> NoReturn:
        raise StoreUnavailable("the disk is full", hint="Make room.")

    with monkeypatch.context() as broken:
        broken.setattr(journal, "writing", away)
        with pytest.raises(StoreUnavailable):
            channel.deliver()
    assert [each.accepted for each in channel.deliver()] == [True]
    assert channel.next_s is None


def test_a_simulated_person_never_answers_what_is_settled(journal: Journal, clock: ManualClock) -> None:
    channel = Simulated(lambda _: "melon", random=np.random.default_rng(1))
    desk, record = ask(journal, channel)
    desk.withdraw(record.id, "found it")
    assert channel.next_s is None
    clock.advance(1e6)
    assert channel.deliver() == []


@pytest.mark.parametrize("kind", QuestionKind)
@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_a_simulated_person_answers_every_kind_with_what_it_allows(
    journal: Journal, kind: QuestionKind, accuracy: float
) -> None:
    question, right = Question.from_json({**FULL[kind].to_json(), "to": [], "deadline_s": None}), VALUES[kind]
    channel = Simulated(lambda _: right, random=np.random.default_rng(2), accuracy=accuracy)
    _, record = ask(journal, channel, question)
    (receipt,) = channel.deliver(channel.next_s)
    assert receipt.accepted, receipt.message
    assert receipt.record is not None
    assert receipt.record.answer is not None
    value = receipt.record.answer.value
    assert value is not None
    assert check_value(question, value) == value
    assert _like(value, right) == bool(accuracy)
    assert record.id == receipt.record.id


def _like(value: Value, right: Value) -> bool:
    """Whether a value is what is meant: on a picture, near it; of a resolution, the action."""
    if isinstance(value, Box) and isinstance(right, Box):
        corners = ("left", "top", "right", "bottom")
        return all(abs(getattr(value, each) - getattr(right, each)) < 0.05 for each in corners)
    if isinstance(value, tuple) and isinstance(right, tuple):
        return all(abs(a.x - b.x) < 0.05 and abs(a.y - b.y) < 0.05 for a, b in zip(value, right, strict=True))
    if isinstance(value, Resolution) and isinstance(right, Resolution):
        return value.action == right.action
    return value == right


def test_simulated_people_are_right_as_often_as_said_and_the_same_seed_says_the_same(
    journal: Journal, clock: ManualClock
) -> None:
    def answers(run: str) -> list[Value | None]:
        channel = Simulated(lambda _: "melon", random=np.random.default_rng(5), accuracy=0.7)
        said: list[Value | None] = []
        with Desk(journal, [ADA], channels=[channel]) as desk:
            for number in range(40):
                desk.ask(WHICH, run=run, step=f"s{number}")
                (receipt,) = channel.deliver(channel.next_s)
                assert receipt.record is not None
                assert receipt.record.answer is not None
                said.append(receipt.record.answer.value)
        return said

    first = answers("first")
    assert 0.5 < first.count("melon") / 40 < 0.9
    assert answers("second") == first


def test_a_simulated_person_in_real_time_needs_nobody_to_move_the_clock(tmp_path: Path) -> None:
    quick = Latency(median_s=0.02, sigma=0.1)
    with Journal.open(tmp_path / "live.db") as journal:
        person = who_takes(quick, "quick")
        channel = Simulated(lambda _: "grape", random=np.random.default_rng(3), person=person, accuracy=1.0)
        with Desk(journal, [ADA], channels=[channel]) as desk:
            record = desk.ask(WHICH, run="meal", step="food")
            told = desk.wait(record.id, 20.0)
    assert told is not None
    assert (told.status, told.device) == (Status.ANSWERED, f"{DEVICE}:quick")


def test_a_picture_without_a_size_is_refused() -> None:
    with pytest.raises(BadSetting, match="size_px"):
        Simulated(lambda _: "grape", random=np.random.default_rng(0), size_px=(0.0, 10.0))
