"""Any course of events at a desk on a real journal, with a plain dictionary beside it that says what must come out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from handup.core import BadSetting, Limits, Person, Question, QuestionKind, Reply, ReplyKind
from handup.desk import Desk, DeskState, Receipt, ReceiptStatus, Status, Terms, replay
from handup.journal import Journal
from tests.desk.checking import (
    assert_in_order,
    assert_limits_hold,
    assert_one_answer_each,
    assert_table_respected,
)
from tests.desk.desks import SetClock

START_S = 1_740_000_000.0
PEOPLE = (
    Person(name="ana", limits=Limits(at_once=1, per_hour=3)),
    Person(name="ben", limits=Limits(at_once=2, load_per_hour=1.0)),
    Person(name="cem", limits=Limits(at_once=4, per_hour=9)),
)
NAMES = tuple(person.name for person in PEOPLE)
TERMS = Terms(lease_s=60.0, longest_lease_s=200.0, not_now_s=100.0, longest_not_now_s=500.0, snapshot_every=7)
GOOD, BAD = ("plum", "pear"), ("fig", 3.0, True)

who = st.integers(0, 9)
tokens = st.sampled_from(("t1", "t2", "t3"))
devices = st.sampled_from(("tablet", "telephone"))
audiences = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple)
values = st.sampled_from((*GOOD, *GOOD, *BAD))
untils = st.sampled_from((None, None, -10.0, 30.0, 1e6))
which = st.sampled_from((0, 0, 0, 1, 1, 2, 3, 9))
desk_of = st.integers(0, 1)
taps = st.sampled_from(((0,), (1,), (0, 1), (1, 1)))
"""Which process a reply comes to, and where it comes to again."""


def masked(names: tuple[str, ...]) -> tuple[str | None, ...]:
    """Names without those of people who were erased, whatever stands for them."""
    return tuple(None if name.startswith("erased-") else name for name in names)


SEEN: Counter[str] = Counter()
"""What came out in all courses together, so that a test can tell whether they went everywhere."""


class DeskMachine(RuleBasedStateMachine):
    """Robots, people with two devices each, strangers, a clock that jumps, and two processes that come and go."""

    open_store: Callable[[SetClock], tuple[Callable[[], Journal], Callable[[], None]]]

    @initialize()
    def begin(self) -> None:
        self.clock = SetClock(START_S)
        self.latest_s = START_S
        self.open, self.clean = type(self).open_store(self.clock)
        self.journals = [self.open(), self.open()]
        self.desks = [Desk(journal, PEOPLE, terms=TERMS) for journal in self.journals]
        self.model: dict[str, dict[str, Any]] = {}
        self.sent: list[Reply] = []
        self.stopped = False
        self.stops: set[tuple[str, str]] = set()
        self.stops_seen = 0
        self.here = list(NAMES)
        self.withdrawals = self.erasures = 0
        for audience in (("ana", "ben"), ("ben", "cem", "ana"), ("cem",)):
            self._ask(len(self.model), audience, 0.3, None, 0)

    # -- what happens ------------------------------------------------------------------------------------------------

    @rule(
        fresh=st.booleans(),
        audience=audiences,
        load=st.sampled_from((0.0, 0.3, 0.6)),
        due_s=st.sampled_from((None, None, 50.0, 400.0, 4000.0)),
        at=desk_of,
    )
    def ask(self, fresh: bool, audience: tuple[str, ...], load: float, due_s: float | None, at: int) -> None:
        """A new question, or the last one again in other words."""
        self._ask(len(self.model) - (not fresh), audience, load, due_s, at)

    @precondition(lambda self: not any(each["ended"] is None for each in getattr(self, "model", {}).values()))
    @rule(audience=audiences, due_s=st.sampled_from((None, 300.0)), at=desk_of)
    def ask_where_nothing_waits(self, audience: tuple[str, ...], due_s: float | None, at: int) -> None:
        self._ask(len(self.model), audience, 0.1, due_s, at)

    @precondition(lambda self: len(getattr(self, "model", ())) < 25)
    @rule(audience=audiences, load=st.sampled_from((0.0, 0.3, 0.6)), at=desk_of)
    def storm(self, audience: tuple[str, ...], load: float, at: int) -> None:
        for _ in range(4):
            self._ask(len(self.model), audience, load, None, at)

    @rule(at=desk_of)
    def all_answer_what_is_before_them(self, at: int) -> None:
        for record in self.desks[at].pending():
            if record.status is Status.OPEN and record.turn is not None:
                token, value = f"for {record.id}", GOOD[0]
                by = record.turn
                reply = Reply(question=record.id, kind=ReplyKind.ANSWER, by=by, token=token, value=value)
                self._send(reply, at)

    def _ask(self, step: int, audience: tuple[str, ...], load: float, due_s: float | None, at: int) -> None:
        self._pass_time()
        deadline_s = None if due_s is None else self._now_s() + due_s
        question = Question("Which one?", QuestionKind.CHOICE, GOOD, to=audience, deadline_s=deadline_s)
        if f"run/{step}/1" not in self.model and not set(audience) <= set(self.here):
            with pytest.raises(BadSetting):
                self.desks[at].ask(question, run="run", step=str(step), load=load)
            return
        record = self.desks[at].ask(question, run="run", step=str(step), load=load)
        known = self.model.setdefault(
            record.id,
            {
                "audience": audience,
                "turn": audience[0],
                "owners": {audience[0], *self._answerers()},
                "deadline_s": deadline_s,
                "passed": [],
                "ended": None,
                "claim": None,
                "deferred_s": None,
                "done": {},
                "load": load,
                "answer": None,
            },
        )
        assert (record.id, masked(record.audience)) == (f"run/{step}/1", known["audience"])

    def _answerers(self) -> set[str | None]:
        """Those who had answered in the run: their words may be in a question."""
        return {known["answer"][0] for known in self.model.values() if known["answer"] is not None}

    def _question(self, which: int) -> str:
        """Mostly one that waits, now and then one that ended or that nobody asked."""
        waiting = [id_ for id_, known in self.model.items() if known["ended"] is None]
        if which == 9:
            return "run/never/1"
        if which < 3 and waiting:
            return waiting[-1 - which % len(waiting)]
        return f"run/{max(0, len(self.model) - 1 - which)}/1"

    def _person(self, id_: str, who: int) -> str:
        """Mostly the person whose turn it is, or another of the audience; now and then a stranger."""
        known = self.model.get(id_)
        if who == 9 or known is None:
            return "mallory"
        if who == 8:
            return "ana"
        return str(known["turn"] or "ben") if who < 5 else str(known["audience"][-1] or "mallory")

    def _reply(
        self,
        which: int,
        kind: str,
        who: int,
        token: str,
        value: Any,
        until: float | None,
        device: str,
        taps: tuple[int, ...],
    ) -> None:
        id_ = self._question(which)
        more: dict[str, Any] = {"value": value} if kind == "answer" else {}
        if kind == "not-now" and until is not None:
            more["until_s"] = self._now_s() + until
        by = self._person(id_, who)
        reply = Reply(question=id_, kind=ReplyKind(kind), by=by, token=token, device=device, **more)
        self._send(reply, taps[0])
        for at in taps[1:]:
            self._send(reply, at)

    @rule(which=which, who=who, token=tokens, value=values, device=devices, taps=taps)
    def answer(self, which: int, who: int, token: str, value: Any, device: str, taps: tuple[int, ...]) -> None:
        self._reply(which, "answer", who, token, value, None, device, taps)

    @rule(which=which, who=who, token=tokens, until=untils, device=devices, taps=taps)
    def not_now(
        self, which: int, who: int, token: str, until: float | None, device: str, taps: tuple[int, ...]
    ) -> None:
        self._reply(which, "not-now", who, token, None, until, device, taps)

    @rule(which=which, who=who, token=tokens, device=devices, taps=taps)
    def someone_else(self, which: int, who: int, token: str, device: str, taps: tuple[int, ...]) -> None:
        self._reply(which, "someone-else", who, token, None, None, device, taps)

    @rule(which=which, who=who, token=tokens, device=devices, taps=taps)
    def let_robot_try(self, which: int, who: int, token: str, device: str, taps: tuple[int, ...]) -> None:
        self._reply(which, "let-robot-try", who, token, None, None, device, taps)

    @precondition(lambda self: bool(getattr(self, "sent", None)))
    @rule(back=st.integers(0, 3), at=desk_of)
    def send_again(self, back: int, at: int) -> None:
        self._send(self.sent[-1 - back % len(self.sent)], at)

    @rule(which=which, who=who, lease_s=st.sampled_from((None, 5.0, 1e9, -1.0)), device=devices, at=desk_of)
    def claim(self, which: int, who: int, lease_s: float | None, device: str, at: int) -> None:
        id_ = self._question(which)
        by = self._person(id_, who)
        self._pass_time()
        self.desks[at].tick()
        before = self.desks[at].record(id_)
        receipt = self.desks[at].claim(id_, by, device=device, lease_s=lease_s)
        refused = self._barred(id_, by)
        if refused is None and before is not None and before.status not in (Status.OPEN, Status.CLAIMED):
            refused = ReceiptStatus.STALE
        elif refused is None and lease_s == -1.0:
            refused = ReceiptStatus.INVALID
        self._saw("claim", receipt)
        assert receipt.status is (refused or ReceiptStatus.ACCEPTED)
        if receipt.accepted:
            lease_s = min(TERMS.lease_s if lease_s is None else lease_s, TERMS.longest_lease_s)
            until_s, held = self._now_s() + lease_s, self.model[id_]["claim"]
            again = held is not None and held[2] == device and until_s < held[1] + 0.1 * lease_s
            assert receipt.again == again
            if not again:
                self.model[id_]["claim"] = (by, until_s, device)
            assert receipt.record is not None
            assert receipt.record.until_s == self.model[id_]["claim"][1]

    @rule(which=which, who=who, at=desk_of)
    def release(self, which: int, who: int, at: int) -> None:
        id_ = self._question(which)
        by = self._person(id_, who)
        self._pass_time()
        receipt = self.desks[at].release(id_, by)
        refused = self._barred(id_, by)
        if refused is None and self.model[id_]["claim"] is None:
            refused = ReceiptStatus.STALE
        self._saw("release", receipt)
        assert receipt.status is (refused or ReceiptStatus.ACCEPTED)
        if receipt.accepted:
            self.model[id_]["claim"] = None

    @precondition(lambda self: getattr(self, "withdrawals", 0) < 3)
    @rule(which=which, at=desk_of)
    def withdraw(self, which: int, at: int) -> None:
        self.withdrawals += 1
        id_ = self._question(which)
        self._pass_time()
        receipt = self.desks[at].withdraw(id_, "no need")
        self._saw("withdraw", receipt)
        known = self.model.get(id_)
        if known is None:
            assert receipt.status is ReceiptStatus.UNKNOWN
        elif known["ended"] in (None, "withdrawn"):
            assert receipt.accepted
            assert receipt.again == (known["ended"] == "withdrawn")
            known["ended"] = "withdrawn"
        else:
            assert receipt.status is ReceiptStatus.LATE

    @precondition(lambda self: len(getattr(self, "model", ())) >= 3 and self.stops_seen < 3)
    @rule(which=which, who=who, token=tokens, at=desk_of)
    def stop(self, which: int, who: int, token: str, at: int) -> None:
        id_ = self._question(which)
        by = self._person(id_, who)
        self._send(Reply(question=id_, kind=ReplyKind.STOP, by=by, token=f"stop {token}"), at)

    @precondition(lambda self: getattr(self, "stopped", False))
    @rule(by=st.sampled_from(NAMES), at=desk_of)
    def enable(self, by: str, at: int) -> None:
        self._pass_time()
        if by not in self.here:
            with pytest.raises(BadSetting):
                self.desks[at].enable(by)
            return
        self.desks[at].enable(by)
        self.stopped = False

    @precondition(lambda self: getattr(self, "erasures", 1) < 1 and len(self.model) > 4)
    @rule(name=st.sampled_from(NAMES), at=desk_of)
    def somebody_is_erased(self, name: str, at: int) -> None:
        """Nothing of them is left in the model either; what only they could answer goes on or is taken back."""
        if name not in self.here:
            return
        self.erasures += 1
        self._pass_time()
        self.desks[at].tick()
        self.journals[at].erase(name)
        self.desks[1 - at].tick()
        self.here.remove(name)
        self.stops = {each for each in self.stops if each[1] != name}
        for known in self.model.values():
            self._forget(known, name)

    def _forget(self, known: dict[str, Any], name: str) -> None:
        def without(names: tuple[str | None, ...]) -> tuple[str | None, ...]:
            return tuple(None if each == name else each for each in names)

        was_owner, had_turn = name in known["owners"], known["turn"] == name
        known["audience"], known["passed"] = without(known["audience"]), list(without(tuple(known["passed"])))
        known["done"] = {key: said for key, said in known["done"].items() if key[1] != name}
        if known["answer"] is not None and known["answer"][0] == name:
            known["answer"] = (None, None)
        if known["claim"] is not None and known["claim"][0] == name:
            known["claim"] = (None, *known["claim"][1:])
        if known["ended"] is not None or not (was_owner or had_turn):
            return
        left = [each for each in known["audience"] if each is not None and each not in known["passed"]]
        if was_owner or not left:
            known["ended"] = "withdrawn"
        else:
            known["turn"], known["claim"], known["deferred_s"] = left[0], None, None

    @rule(seconds=st.sampled_from((0.5, 5.0, 60.0, 100.0, 1000.0, 3600.0, 20_000.0)))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(seconds=st.sampled_from((10.0, 5000.0)))
    def the_clock_is_set_back(self, seconds: float) -> None:
        self.clock.set(self.clock.now_s() - seconds)

    @rule(at=desk_of)
    def tick(self, at: int) -> None:
        self._pass_time()
        self.desks[at].tick()

    @rule(at=desk_of, in_peace=st.booleans())
    def restart(self, at: int, in_peace: bool) -> None:
        if in_peace:
            self.desks[at].close()
        self.journals[at].close()
        self.journals[at] = self.open()
        self.desks[at] = Desk(self.journals[at], PEOPLE, terms=TERMS)
        self.here = list(NAMES)  # who was erased and is still on the list of a new desk is new to the journal

    # -- what must come out ------------------------------------------------------------------------------------------

    def _saw(self, what: str, receipt: Receipt) -> None:
        SEEN[f"{what}: {receipt.status}{' again' if receipt.again else ''}"] += 1

    def _now_s(self) -> float:
        self.latest_s = max(self.clock.now_s(), self.journals[0].head().at_s)
        return self.latest_s

    def _pass_time(self) -> None:
        now_s = self._now_s()
        for known in self.model.values():
            if known["ended"] is None and known["deadline_s"] is not None and known["deadline_s"] <= now_s:
                known["ended"] = "expired"
            if known["claim"] is not None and known["claim"][1] <= now_s:
                known["claim"] = None
            if known["deferred_s"] is not None and known["deferred_s"] <= now_s:
                known["deferred_s"] = None

    def _barred(self, id_: str, by: str) -> ReceiptStatus | None:
        known = self.model.get(id_)
        if known is None:
            return ReceiptStatus.UNKNOWN
        if by not in known["audience"]:
            return ReceiptStatus.UNAUTHORISED
        if known["ended"] is not None:
            return ReceiptStatus.LATE
        if self.stopped:
            return ReceiptStatus.STOPPED
        if known["claim"] is not None and known["claim"][0] != by:
            return ReceiptStatus.CLAIMED
        return None

    def _expected(self, reply: Reply) -> tuple[ReceiptStatus, bool]:
        """What the receipt must say, and whether it was said before."""
        if reply.kind is ReplyKind.STOP:
            status = ReceiptStatus.ACCEPTED if reply.by in self.here else ReceiptStatus.UNAUTHORISED
            return status, self.stopped and (reply.token, reply.by) in self.stops
        said = self.model.get(reply.question, {"done": {}})["done"].get((reply.token, reply.by))
        if said is not None:
            same = said == (reply.kind, reply.value, reply.until_s)
            return (ReceiptStatus.ACCEPTED, True) if same else (ReceiptStatus.INVALID, False)
        refused = self._barred(reply.question, reply.by)
        if refused is not None:
            return refused, False
        known_q = self.model[reply.question]
        holder = known_q["turn"] if known_q["claim"] is None else known_q["claim"][0]
        if reply.kind is ReplyKind.ANSWER and reply.value not in GOOD:
            return ReceiptStatus.INVALID, False
        if reply.kind in (ReplyKind.NOT_NOW, ReplyKind.SOMEONE_ELSE) and reply.by != holder:
            return ReceiptStatus.STALE, False
        if reply.kind is ReplyKind.NOT_NOW and reply.until_s is not None and reply.until_s <= self.latest_s:
            return ReceiptStatus.INVALID, False
        return ReceiptStatus.ACCEPTED, False

    def _send(self, reply: Reply, at: int) -> None:
        self._pass_time()
        expected, again = self._expected(reply)
        receipt = self.desks[at].reply(reply)
        self._saw(str(reply.kind), receipt)
        assert (receipt.status, receipt.again) == (expected, again and receipt.accepted)
        self.sent.append(reply)
        if receipt.accepted and not again:
            self._accepted(reply, receipt)

    def _accepted(self, reply: Reply, receipt: Receipt) -> None:
        if reply.kind is ReplyKind.STOP:
            self.stopped = True
            self.stops_seen += 1
            self.stops.add((reply.token, reply.by))
            for each in self.model.values():
                each["ended"] = each["ended"] or "withdrawn"
            return
        known = self.model[reply.question]
        known["done"][reply.token, reply.by] = (reply.kind, reply.value, reply.until_s)
        known["claim"] = known["deferred_s"] = None
        if reply.kind is ReplyKind.ANSWER:
            known["ended"], known["answer"] = "answered", (reply.by, reply.value)
        elif reply.kind is ReplyKind.LET_ROBOT_TRY:
            known["ended"] = "delegated"
        elif reply.kind is ReplyKind.NOT_NOW:
            assert receipt.record is not None
            known["deferred_s"] = receipt.record.until_s
        else:
            known["passed"].append(reply.by)
            left = [name for name in known["audience"] if name is not None and name not in known["passed"]]
            known["turn"] = left[0] if left else None
            known["ended"] = None if left else "handed-on"

    @invariant()
    def both_desks_agree_with_each_other_and_with_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        first, second = (desk.state for desk in self.desks)
        assert first == second
        assert (first.stopped is not None) == self.stopped
        assert (first.last_stop > 0) == (self.stops_seen > 0)
        assert dict(first.people) == {each.name: each for each in PEOPLE if each.name in self.here}
        for id_, known in self.model.items():
            record = first.records[id_]
            if record.ended:
                self._pass_time()
                assert record.status == known["ended"]
            elif known["ended"] is not None:
                assert known["ended"] == "expired", "only time ends a question before anybody looks"
            if known["answer"] is not None:
                assert record.answer is not None
                assert (*masked((record.by or "",)), record.answer.value) == known["answer"]
            if not record.ended:
                assert record.turn == known["turn"]

    def teardown(self) -> None:
        if not hasattr(self, "model"):
            return
        try:
            self._check_the_journal()
        finally:
            for journal in self.journals:
                journal.close()
            self.clean()

    def _check_the_journal(self) -> None:
        for desk in self.desks:
            desk.tick()
        entries = list(self.journals[0].read())
        live = self.desks[0].state
        assert replay(entries) == live
        half = replay(entries[: len(entries) // 2])
        through_json = DeskState.from_json(json.loads(json.dumps(half.to_json(), allow_nan=False)))
        assert through_json == half
        assert replay(entries[half.seq :], through_json) == live
        assert_table_respected(entries)
        assert_one_answer_each(entries)
        assert_in_order(entries)
        assert_limits_hold(entries, PEOPLE, {id_: known["load"] for id_, known in self.model.items()})
        assert self.journals[0].verify().ok
