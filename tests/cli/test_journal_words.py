"""Every kind of entry is told in plain words, also where something was erased or is odd."""

from __future__ import annotations

import io
import re
import threading
from typing import Any

import pytest
from rich.console import Console

from handup.cli import output
from handup.cli.journal_lines import shortened, tell
from handup.cli.output import day, moment, near
from handup.core import Action, Decision, Outcome, Question, QuestionKind, ResumeHint, Role
from handup.core.event import _BY_CLASS, type_of
from handup.desk import WithdrawalCause
from handup.desk import events as desk
from handup.desk.events import Delivered, RemoteSettled, RemoteStopped
from handup.domains.runs import Ordered, TaskOver, TaskStarted
from handup.executive import events as task
from handup.executive.beliefs import Assertion
from handup.executive.failure import Failure
from handup.journal import Entry, JournalErased, JournalRepaired
from handup.memory import events as memory
from handup.recover import events as session
from handup.recover import run_record
from handup.recover.run_record import RunTold
from handup.server import events as server

NOON_S = 1_794_744_000.0
YES_NO = Question("Is it?", QuestionKind.YES_NO)
ACT = Decision(action=Action.ACT, reason="it is likely to work")
ASK = Decision(action=Action.ASK, module="food", reason="it is probably wrong")
ASK_ANA = Decision(action=Action.ASK, module="food", person="Ana", reason="she knows")
RECOVER = Decision(action=Action.RECOVER, recovery="back off", reason="it may help")
ASKED: dict[str, Any] = {"step": "food", "attempt": 1, "turn": "Ana", "audience": ("Ana", "Ben")}
LEARNED: dict[str, Any] = {"module": "food", "encoder": "e", "dimension": 8, "digest": "0" * 16, "whose": ("Ana",)}
SLIP = Failure(levels=(), leaf="grasp", kind="action", code="slip")
WORDS: list[tuple[object, str]] = [
    (desk.Asked(**ASKED, question={"prompt": "Which?"}), "food/1: asked “Which?” for Ana, Ben"),
    (desk.Asked(**ASKED, question=None), "food/1: asked words that were erased for Ana, Ben"),
    (
        desk.Asked(**ASKED, question={"prompt": "Which?"}, deadline_s=NOON_S + 60.0),
        "food/1: asked “Which?” for Ana, Ben, until 12:01:00",
    ),
    (desk.Held(turn="Ana", why="it is night"), "food/1: held for Ana: it is night"),
    (desk.Opened(turn="erased-0123456789abcdef"), "food/1: put to somebody"),
    (desk.Claimed(by="Ana", until_s=NOON_S + 86400.0), "food/1: Ana took it on until 2026-11-16 12:00"),
    (desk.ClaimEnded(), "food/1: the claim ran out"),
    (desk.ClaimEnded(given_back=True), "food/1: given back"),
    (desk.Answered(by="Ana", token="t", value=True), "food/1: Ana answered “yes”"),
    (desk.Answered(by="Ana", token="t", value=None), "food/1: Ana answered something that was erased"),
    (desk.Answered(by="Ana", token="t", value={"odd": 1}), "food/1: Ana answered “{'odd': 1}”"),
    (desk.Deferred(by="Ana", token="t", until_s=NOON_S + 600.0), "food/1: Ana said not now, for 10 minutes"),
    (desk.HandedOn(by="Ana", turn="Ben", token="t"), "food/1: Ana said someone else; next is Ben"),
    (desk.HandedOn(by="Ana", turn=None, token="t"), "food/1: Ana said someone else; nobody is left"),
    (desk.HandedOn(by="Ana", turn="Ben"), "food/1: it goes on from Ana; next is Ben"),
    (desk.HandedOn(by="Ana", turn="Ben", busy=True), "food/1: Ana is busy; next is Ben"),
    (desk.Joined(person="Ana"), "food/1: Ana may answer it, too"),
    (desk.Delegated(by="Ana", token="t"), "food/1: Ana said let the robot try"),
    (desk.Withdrawn(cause=WithdrawalCause.ASKER), "food/1: taken back"),
    (desk.Expired(), "food/1: nobody answered in time"),
    (desk.Stopped(by="Ana", why=None), "STOP by Ana: words that were erased"),
    (desk.Enabled(by="Ana"), "Ana enabled the robot again"),
    (desk.Introduced(person="Ana", role=Role.CAREGIVER), "Ana can be asked, as caregiver"),
    (desk.Introduced(person="Ana", role=Role.CAREGIVER, by="Ben"), "Ana can be asked, as caregiver, set up by Ben"),
    (desk.Presence(person="Ana", busy=True), "Ana is busy"),
    (desk.Presence(person="Ana", busy=True, until_s=NOON_S + 3600.0), "Ana is busy until 13:00:00"),
    (desk.Presence(person="Ana", busy=False), "Ana is back"),
    (desk.Presence(person="Ana", busy=None), "Ana said whether they can be asked, which was erased"),
    (desk.NoticeBegun(person="Ana", way="email", opened_s=NOON_S), "food/1: a notice to Ana by email"),
    (
        desk.NoticeBegun(person="Ana", way="email", opened_s=NOON_S, reminder=2, attempt=3),
        "food/1: reminder 2 to Ana by email, attempt 3",
    ),
    (
        desk.NoticeEnded(begun=1, way="email", outcome=desk.NoticeOutcome.SENT),
        "food/1: the notice by email went out",
    ),
    (
        desk.NoticeEnded(begun=1, way="email", outcome=desk.NoticeOutcome.FAILED, why="the server answered 554"),
        "food/1: the notice by email did not go out: the server answered 554",
    ),
    (
        desk.NoticeEnded(begun=1, way="ntfy", outcome=desk.NoticeOutcome.UNSURE),
        "food/1: the notice by ntfy may or may not have gone out",
    ),
    (RemoteSettled(status="answered"), "food/1: answered, says the server"),
    (RemoteStopped(), "STOP, says the server"),
    (Delivered(), "food/1: the outcome reached the shell"),
    (JournalErased(pseudonym="0" * 16, values=1), "a person was erased: the name and 1 personal value"),
    (JournalRepaired(source="x", last_good=3), "STOP: repaired: 3 entries kept, an unknown number lost"),
    (
        JournalRepaired(source="x", last_good=3, lost=2, from_backup=True),
        "STOP: went on from a backup: 3 entries kept, 2 lost",
    ),
    (run_record.RunStarted(record={"method": "troubleshoot"}, modules=("a",)), "the run began: troubleshoot, 1 module"),
    (run_record.RunForwarded(outputs=None), "the policy ran, with outputs that were erased"),
    (run_record.RunBegun(action="lunch/act/1"), "food/1: about to act"),
    (run_record.RunUnknown(action="lunch/act/1"), "food/1: nobody knows what became of it"),
    (run_record.RunSettled(action="lunch/act/1", how=run_record.Settled.SENSED), "food/1: settled, the robot looked"),
    (run_record.RunEnded(outcome=Outcome.RECOVERED, reason="It worked."), "the run ended, recovered: It worked."),
    (RunTold.of(session.Decided(now_s=0.0, decision=ACT)), "decided to act: it is likely to work"),
    (RunTold.of(session.Decided(now_s=0.0, decision=ASK)), "decided to ask about food: it is probably wrong"),
    (RunTold.of(session.Decided(now_s=0.0, decision=ASK_ANA)), "decided to ask Ana about food: she knows"),
    (
        RunTold.of(session.Decided(now_s=0.0, decision=RECOVER)),
        "decided to run the recovery back off: it may help",
    ),
    (RunTold.of(session.Rerouted(now_s=0.0, decision=ASK_ANA)), "decided to ask Ana about food instead: she knows"),
    (RunTold.of(session.Forwarded(confidences={"food": 0.5})), "took in new confidences"),
    (
        RunTold.of(session.ModuleAnswered(module="food", changed=True, expert=1.0)),
        "took in the answer about food, which was news",
    ),
    (
        RunTold.of(session.NotAnswered(module="food", why=session.Unanswered.EXPIRED)),
        "no answer about food: nobody answered in time",
    ),
    (RunTold.of(session.Executed(ok=False, certainty=0.9)), "food/1: failed, 90 % sure"),
    (RunTold.of(session.EpisodeStopped(why="enough")), "was stopped: enough"),
    (
        server.CodeMade(digest="d", role=Role.RESIDENT, person="Ana", until_s=NOON_S, token_s=1.0),
        "a code was made for Ana, as resident",
    ),
    (
        server.Granted(id="a1", digest="d", role=Role.RESIDENT, person="Ana", device="tablet", until_s=NOON_S),
        "Ana may come in, as resident, with tablet",
    ),
    (
        server.Granted(id="a2", digest="d", role="robot", robot="plate", until_s=NOON_S),
        "plate may come in, as robot",
    ),
    (server.Revoked(id="a1"), "access a1 was taken back"),
    (server.RunTaken(robot="plate"), "food/1: the run is plate's"),
    (
        memory.MemoryRemembered(**LEARNED, by="Ana", label="plum", embedding=""),
        "remembered, as memory 1, that Ana said “plum” about food",
    ),
    (
        memory.MemoryRemembered(**LEARNED, by="erased-0123456789abcdef", label=None, embedding=None),
        "remembered, as memory 1, that somebody said something that was erased about food",
    ),
    (memory.MemoryConfirmed(memory=3), "memory 3 is trusted more: it turned out right"),
    (memory.MemoryConfirmed(memory=3, by="Ana"), "memory 3 is trusted more: Ana said the same"),
    (
        memory.MemoryContradicted(memory=3, cause=memory.DropCause.FAILED),
        "memory 3 is trusted less: it turned out wrong",
    ),
    (
        memory.MemoryContradicted(memory=3, cause=memory.DropCause.OTHER_ANSWER, by="Ana"),
        "memory 3 is trusted less: Ana said something else of one like it",
    ),
    (
        memory.MemoryContradicted(memory=3, cause=memory.DropCause.SAID, by="Ana"),
        "memory 3 is trusted less: Ana said that it is wrong",
    ),
    *(
        (memory.MemoryDropped(memory=3, why=why), f"memory 3 is no longer used: {words}")
        for why, words in (
            (memory.Dropping.OVERRULED, "a person's newer word holds"),
            (memory.Dropping.DISTRUSTED, "too much spoke against it"),
            (memory.Dropping.FULL, "others needed the room"),
        )
    ),
    (memory.MemoryForgotten(memories=(3,), by="Ana"), "memory 3 is forgotten, as Ana wished"),
    (memory.MemoryForgotten(memories=(3, 4)), "memories 3, 4 are forgotten"),
    (Ordered(name="run-1", world="kitting", seed=7), "run-1 was ordered in kitting, seed 7"),
    (TaskStarted(options={"cups": 3, "seed": 2}), "the task began: cups 3, seed 2"),
    (TaskOver(result={"in_words": "3 of 3 cups."}), "the task is over: 3 of 3 cups."),
    (TaskOver(), "the task is over"),
    (task.Started(sources={}, main="build_kits", params={}, settings={}), "the run began: build kits"),
    (task.Begun(number=3, action="pick_kit", attempt=2), "about to pick kit, attempt 2"),
    (task.Begun(number=3, action="look", again=True), "about to look (perhaps once more)"),
    (task.ActionEnded(number=3, ok=True), "it worked"),
    (task.ActionEnded(number=3, ok=False, code="slip", known=task.Known.SENSED), "it gave up: slip, as the robot saw"),
    (task.Void(number=3, why="not started"), "what was begun had no effect (not started)"),
    (task.Failed(number=2, failure=SLIP), "failure 2: grasp failed (slip)"),
    (task.Recovering(number=2, recovery="shake", path="a/grasp", use=1, depth=0), "recovers with shake, use 1"),
    (task.Recovered(number=2, recovery="shake", hint=ResumeHint.RETRY, level="pick"), "goes on: retry at pick"),
    (task.Recovered(number=2, recovery="shake", helped=False), "shake did not help"),
    (task.TaskAsked(number=2, question="q", module="map"), "asked people about map"),
    (task.TaskAsked(number=2, question="q"), "asked people how to go on"),
    (task.TaskAnswered(number=2, hint=None, said="yes", by="Ana"), "Ana said: yes"),
    (
        task.TaskAnswered(number=2, hint=None, said=None, by="erased-0123456789abcdef"),
        "somebody said: words that were erased",
    ),
    (task.TaskUnanswered(number=2), "nobody answered"),
    (task.Raised(monitor="laser", code="person_near"), "laser interrupted: person_near"),
    (task.Believed(assertion=Assertion(key="at", value="bin")), "the script holds at to be bin"),
    (task.TaskPrinted(message="Hello."), "the recipe said: Hello."),
    (task.Resumed(number=9), "another program goes on with it"),
    (task.TaskStopped(why="Somebody said stop."), "the run ended, stopped: Somebody said stop."),
    (task.Over(ending=task.Ending.DONE, reason="The task is done."), "the run ended, done: The task is done."),
    (task.Reloaded(sources={}), "the files were read anew"),
    (task.ReloadRefused(problems=("p",)), "new files were wrong; the old ones hold"),
]


def entry(event: object, kind: str = "") -> Entry:
    named = {"run": "lunch", "key": "lunch/food/1", "kind": kind or type_of(event).kind}
    return Entry(seq=1, at_s=NOON_S, **named, version=1, event=event, previous="", hash="")


@pytest.mark.parametrize(("event", "words"), WORDS, ids=lambda value: value if isinstance(value, str) else "")
def test_an_entry_in_words(event: object, words: str) -> None:
    assert tell(entry(event), YES_NO) == words


def test_every_kind_of_this_package_has_words_here() -> None:
    ours = {made for made in _BY_CLASS if made.__module__.startswith("handup.")}
    ours -= {made for made in ours if re.match(r"handup\.domains\.\w+\.", made.__module__)}  # a robot has its own
    assert ours == {type(event) for event, _ in WORDS}


def test_a_kind_from_elsewhere_is_named() -> None:
    assert tell(entry(None, "mine.cleaned")) == "mine.cleaned food/1"


def test_long_and_odd_words_stay_in_one_line() -> None:
    assert shortened("one\ntwo\x1b[31m\u202ethree") == "one two�[31m�three"
    assert shortened("x" * 100) == "x" * 59 + "…"


def test_what_takes_its_time_is_shown_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(output, "err", Console(file=shown, force_terminal=True, width=80))
    with output.working("counting", 3) as tell_done:
        tell_done(2)
    assert shown.getvalue() == "", "what is done at once shows nothing"
    monkeypatch.setattr(output, "PATIENCE_S", 0.0)
    with output.working("counting", 3, quiet=True):
        threading.Event().wait(0.05)
    assert shown.getvalue() == ""
    with output.working("counting", 3) as tell_done:
        tell_done(2)
        while "counting" not in shown.getvalue():
            threading.Event().wait(0.01)
    assert "2/3" in shown.getvalue()


def test_times_are_told_in_utc() -> None:
    assert moment(NOON_S) == "2026-11-15 12:00:00"
    assert (near(NOON_S, day(NOON_S)), near(NOON_S, "2026-11-14")) == ("12:00:00", "2026-11-15 12:00")
    assert near(None, "") == ""


def test_a_clock_of_its_own_beyond_the_calendar_is_told_in_seconds() -> None:
    assert moment(1e300) == "1e+300 s"
