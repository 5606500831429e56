"""What must hold after an episode, whoever died in it: from the journal, the effects and the devices' receipts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from handup.core import Outcome
from tests.kill.reader import Book, Line, read
from tests.kill.scenario import Scenario
from tests.kill.shared import Place
from tests.recover.robot import effects

KINDS = {
    "answer": "desk.answered",
    "not-now": "desk.deferred",
    "someone-else": "desk.handed-on",
    "let-robot-try": "desk.delegated",
    "stop": "desk.stopped",
}


def violations(scenario: Scenario, place: Place) -> list[str]:
    """Everything that is wrong; empty where all promises were kept."""
    book = read(place.store)
    done = effects(place.effects)
    sent = [line for device in scenario.devices for line in effects(place.outbox(device.name))]
    return [
        *book.faults,
        *_lost(book, sent),
        *_told_twice(book),
        *done_twice(book, done),
        *_ended(book),
    ]


def _twice(what: str, names: Counter[str]) -> Iterator[str]:
    yield from (f"{what} {name} {count} times" for name, count in names.items() if count > 1)


def _lost(book: Book, sent: list[dict[str, Any]]) -> Iterator[str]:
    """Each accepted reply is in the journal once, with what it said; nothing else is."""
    replies = {each["reply"]["token"]: each["reply"] for each in sent if "reply" in each}
    accepted = {each["token"] for each in sent if each.get("status") == "accepted"}
    refused = {each["token"] for each in sent if "status" in each} - accepted
    kept: dict[str, Line] = {}
    for line in book.of(*KINDS.values()):
        token = line.said.get("token")
        if not token:
            continue
        if token in kept:
            yield f"reply {token} took effect twice"
        kept[token] = line
    for token in sorted(accepted):
        reply, found = replies[token], kept.get(token)
        if found is None:
            yield f"reply {token} was acknowledged and is lost"
        elif (found.kind, found.key) != (KINDS[reply["kind"]], reply["question"]):
            yield f"reply {token} became another one"
        elif reply["kind"] == "answer" and found.said["value"] != reply["value"]:
            yield f"answer {token} says something else"
    yield from (f"reply {token} was refused and counted" for token in refused if token in kept)
    yield from (f"nobody sent reply {token}" for token in kept if token not in replies)


def _told_twice(book: Book) -> Iterator[str]:
    """A question is asked once, answered once, and its answer told to the session once and not forgotten."""
    answered = {line.key: line.seq for line in reversed(book.of("desk.answered"))}
    yield from _twice("asked", Counter(line.key for line in book.of("desk.asked")))
    yield from _twice("answered", Counter(line.key for line in book.of("desk.answered")))
    told = [line for line in book.of("run.told") if line.said["told"]["told"] == "answered"]
    yield from _twice("told the answer to", Counter(line.key for line in told))
    for line in told:
        if answered.get(line.key, line.seq) >= line.seq:
            yield f"the session was told an answer to {line.key} that nobody had given"
    decided = [line.seq for line in book.of("run.told") if line.said["told"]["told"] == "next"]
    for key in answered.keys() - {line.key for line in told}:
        if "/act:" not in key and sum(seq > answered[key] for seq in decided) > 1:
            yield f"the answer to {key} was never told to the session, which went on"


def done_twice(book: Book, done: list[dict[str, Any]]) -> Iterator[str]:
    """Nothing was done without an intent, twice, or again while nobody knew what had become of it."""
    counted = Counter(str(each["action"]) for each in done)
    begun = [line.key for line in book.of("run.begun")]
    yield from _twice("did", counted)
    yield from _twice("began", Counter(begun))
    yield from (f"did {action} without an intent" for action in counted.keys() - set(begun))
    outcomes = {
        line.key: line
        for line in book.of("run.told", "run.settled")
        if line.kind == "run.settled" or line.said["told"]["told"] == "executed"
    }
    starts = book.of("run.begun")
    for line, after in zip_longest(starts, starts[1:]):
        outcome = outcomes.get(line.key)
        if after is not None and (outcome is None or outcome.seq > after.seq):
            yield f"began {after.key} before anybody knew what became of {line.key}"
    unknown = {line.key for line in book.of("run.unknown")}
    looked = {str(each["action"]): each["ok"] for each in done}
    for line in book.of("run.settled"):
        if line.said["how"] == "void" and line.key in counted:
            yield f"{line.key} was done, and then done again as if it had not been"
    for line in book.of("run.told"):
        if line.said["told"]["told"] != "executed":
            continue
        let_try = any(each.key == line.key and each.said["how"] == "let-try" for each in book.of("run.settled"))
        if not let_try and looked.get(line.key) != line.said["told"]["ok"]:
            yield f"{line.key} did not go as the session was told"
        if line.key in unknown and line.key not in {each.key for each in book.of("run.settled")}:
            yield f"nobody settled what became of {line.key}"


def _ended(book: Book) -> Iterator[str]:
    ends = [line.said["outcome"] for line in book.of("run.ended")]
    if len(ends) != 1 or ends[0] not in tuple(Outcome):
        yield f"the run ended as {ends}"
    if len(book.of("run.started")) != 1:
        yield "the run did not start once"
