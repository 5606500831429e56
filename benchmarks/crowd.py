"""Robots that ask and people who answer, all in one event loop, against handup's server or the bare relay."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from handup.client import AsyncClient, link_protocol
from handup.client.address import ServerAddress
from handup.core import Question, QuestionKind

OPTIONS = ("carrot", "cherry tomato", "broccoli", "chicken")
THINK_S = (0.2, 1.0)
"""How long a person looks at a question, from and to."""
LAST_S = 15.0
"""So long the last answers may take before they are lost."""


@dataclass
class Seen:
    """What was measured, all by one clock.

    Args:
        asked: When a robot began to ask, by question.
        shown: When the question was before the person.
        replied: When the person sent the answer.
        told: When the robot had it.
        accepted: Answers that the server acknowledged.
        connections: How often a socket was made; more than there are robots and people where some were lost.
        ready: When everybody is there.
    """

    asked: dict[str, float] = field(default_factory=dict)
    shown: dict[str, float] = field(default_factory=dict)
    replied: dict[str, float] = field(default_factory=dict)
    told: dict[str, float] = field(default_factory=dict)
    accepted: set[str] = field(default_factory=set)
    connections: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def spans_s(self, since: str, until: str) -> list[float]:
        """How long it took from one to another."""
        first, last = getattr(self, since), getattr(self, until)
        return [last[each] - first[each] for each in last if each in first]

    @property
    def lost(self) -> int:
        """Answers that were acknowledged, and questions that were asked, of which a robot was told nothing."""
        return len((set(self.asked) | self.accepted) - set(self.told))


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """How many, and how often.

    Args:
        robots: For each robot its token, by name.
        people: For each person their token, by name.
        audience: So many people may answer a question; the first of them does.
        every_s: A robot asks so often.
        seconds: For how long.
    """

    robots: dict[str, str]
    people: dict[str, str]
    audience: int
    every_s: float
    seconds: float

    def audience_of(self, number: int) -> list[str]:
        """Whom the robot of a number asks, first the one who answers."""
        names = list(self.people)
        first = number % len(names)
        return (names[first:] + names[:first])[: self.audience]


async def at_server(crowd: Crowd, url: str, seen: Seen) -> None:
    """The crowd at a handup server: sockets with heartbeats for all, as a page and a `RobotLink` have them."""
    rng = random.Random(0)
    async with asyncio.TaskGroup() as group:
        sockets = []
        for each in [
            *(_person(url, name, token, seen) for name, token in crowd.people.items()),
            *(_link(url, name, token, seen) for name, token in crowd.robots.items()),
        ]:
            sockets.append(group.create_task(each))
            await asyncio.sleep(0.005)
        while seen.connections < len(sockets):
            await asyncio.sleep(0.05)
        until = time.monotonic() + crowd.seconds
        robots = [
            group.create_task(_robot(crowd, url, number, rng.uniform(0, crowd.every_s), until, seen))
            for number in range(len(crowd.robots))
        ]
        seen.ready.set()
        await asyncio.wait(robots)
        for task in sockets:
            task.cancel()


async def _robot(crowd: Crowd, url: str, number: int, offset_s: float, until: float, seen: Seen) -> None:
    """Asks and waits, by the client of the package."""
    name, token = list(crowd.robots.items())[number]
    to = tuple(crowd.audience_of(number))
    question = Question(
        "Which food is this?",
        QuestionKind.CHOICE,
        OPTIONS,
        doing="about to skewer the food at the upper left of the plate",
        why="The picture is dark there.",
        guess="carrot",
        sure=0.6,
        to=to,
    )
    async with AsyncClient(url, token, patience_s=60.0) as client:
        await asyncio.sleep(offset_s)
        attempt = 0
        while time.monotonic() < until:
            began, attempt = time.monotonic(), attempt + 1
            id_ = f"{name}/food/{attempt}"
            seen.asked[id_] = began
            await client.ask(question, run=name, step="food", attempt=attempt)
            record = await client.wait(id_, LAST_S)
            if record is not None and record.answer is not None:
                seen.told[id_] = time.monotonic()
            await asyncio.sleep(max(0.0, crowd.every_s - (time.monotonic() - began)))


async def _person(url: str, name: str, token: str, seen: Seen) -> None:
    async with asyncio.TaskGroup() as group:
        async for socket, frame in _frames(url, token, seen):
            if frame["type"] == "receipt" and frame["receipt"]["status"] == "accepted":
                seen.accepted.add(frame["receipt"]["record"]["id"])
            records: list[dict[str, Any]] = frame["questions"] if frame["type"] == "hello" else []
            if frame["type"] == "question":
                records = [frame["record"]]
            for record in records:
                again = frame["type"] == "hello" or record["id"] not in seen.shown
                if record["status"] == "open" and record["turn"] == name and again:
                    seen.shown.setdefault(record["id"], time.monotonic())
                    group.create_task(_answer(socket, record["id"], seen))


async def _answer(socket: ClientConnection, question: str, seen: Seen) -> None:
    await asyncio.sleep(random.uniform(*THINK_S))
    seen.replied.setdefault(question, time.monotonic())
    value = OPTIONS[len(question) % len(OPTIONS)]
    with suppress(*link_protocol.FAILS):  # sent again, with the same token, when the socket is there again
        await socket.send(link_protocol.frame("reply", question=question, kind="answer", token=question, value=value))


async def _link(url: str, name: str, token: str, seen: Seen) -> None:
    """A robot's own socket: it is there, and has said what it does."""
    async for socket, frame in _frames(url, token, seen):
        if frame["type"] == "hello":
            state = {"robot": name, "phase": "asking", "at_s": frame["now_s"], "doing": "about to skewer the food"}
            await socket.send(link_protocol.frame("state", state=state))


async def _frames(url: str, token: str, seen: Seen) -> AsyncIterator[tuple[ClientConnection, dict[str, Any]]]:
    """What comes in on a socket that sends heartbeats and is made again when it is lost."""
    while True:
        try:
            async with connect(**link_protocol.how(ServerAddress(url, token))) as socket:
                seen.connections += 1
                task = asyncio.create_task(_beats(socket))
                try:
                    async for text in socket:
                        yield socket, json.loads(text)
                finally:
                    task.cancel()
        except link_protocol.FAILS:
            await asyncio.sleep(0.25)


async def _beats(socket: ClientConnection) -> None:
    number = 0
    with suppress(*link_protocol.FAILS):  # whoever reads finds out
        while True:
            await asyncio.sleep(link_protocol.BEAT_S)
            number += 1
            await socket.send(link_protocol.beat(number))


async def at_relay(crowd: Crowd, port: int, seen: Seen) -> None:
    """The same crowd at the bare relay: the same questions and audiences, the same times, no heartbeats."""
    rng = random.Random(0)
    async with asyncio.TaskGroup() as group:
        people = [group.create_task(_relay_person(port, name, seen)) for name in crowd.people]
        await asyncio.sleep(1.0)
        seen.ready.set()
        until = time.monotonic() + crowd.seconds
        robots = [
            group.create_task(_relay_robot(crowd, port, number, rng.uniform(0, crowd.every_s), until, seen))
            for number in range(len(crowd.robots))
        ]
        await asyncio.wait(robots)
        for each in people:
            each.cancel()


async def _relay_robot(crowd: Crowd, port: int, number: int, offset_s: float, until: float, seen: Seen) -> None:
    name, to = list(crowd.robots)[number], crowd.audience_of(number)
    async with connect(f"ws://127.0.0.1:{port}/live/{name}", proxy=None, compression=None) as socket:
        await asyncio.sleep(offset_s)
        attempt = 0
        while time.monotonic() < until:
            began, attempt = time.monotonic(), attempt + 1
            id_ = f"{name}/food/{attempt}"
            seen.asked[id_] = began
            asked: dict[str, Any] = {"type": "question", "id": id_, "robot": name, "to": to, "options": OPTIONS}
            await socket.send(json.dumps(asked))
            async with asyncio.timeout(LAST_S):
                await socket.recv()
            seen.told[id_] = time.monotonic()
            await asyncio.sleep(max(0.0, crowd.every_s - (time.monotonic() - began)))


async def _relay_person(port: int, name: str, seen: Seen) -> None:
    uri = f"ws://127.0.0.1:{port}/live/{name}"
    async with connect(uri, proxy=None, compression=None) as socket, asyncio.TaskGroup() as group:
        async for text in socket:
            frame = json.loads(text)
            if frame["to"][0] == name:
                seen.shown[frame["id"]] = time.monotonic()
                group.create_task(_relay_answer(socket, frame, seen))


async def _relay_answer(socket: ClientConnection, frame: dict[str, Any], seen: Seen) -> None:
    await asyncio.sleep(random.uniform(*THINK_S))
    seen.replied[frame["id"]] = time.monotonic()
    seen.accepted.add(frame["id"])
    answer = {"type": "answer", "id": frame["id"], "to": [frame["robot"]], "value": random.choice(OPTIONS)}
    await socket.send(json.dumps(answer))
