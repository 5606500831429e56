"""Entries of a journal in plain words, one line each: a table from kinds of events to words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handup.cli.output import day, many, near
from handup.core import Action, BadAnswer, BadRecord, Question, in_words, value_from_json
from handup.core.checks import one_line
from handup.desk import events as desk
from handup.desk.record import name_of, span
from handup.domains.runs import Ordered, TaskOver, TaskStarted
from handup.executive import events as task
from handup.executive.run_view import named, what_failed
from handup.journal import Entry, JournalErased, JournalRepaired
from handup.memory import events as memory
from handup.recover import events as session
from handup.recover import run_record
from handup.server import events as server

MOST_WORDS = 60
"""Most letters of a question or an answer that a line shows; the JSON has all of them."""
ERASED = "words that were erased"
UNANSWERED = {
    session.Unanswered.NOT_NOW: "not now",
    session.Unanswered.SOMEONE_ELSE: "everybody said: someone else",
    session.Unanswered.LET_ROBOT_TRY: "let the robot try",
    session.Unanswered.EXPIRED: "nobody answered in time",
}
SETTLED = {
    run_record.Settled.SENSED: "the robot looked",
    run_record.Settled.SAID: "a person said how it went",
    run_record.Settled.LET_TRY: "a person said to go on",
    run_record.Settled.VOID: "it had not started",
}
NOTICED = {
    desk.NoticeOutcome.SENT: "went out",
    desk.NoticeOutcome.FAILED: "did not go out",
    desk.NoticeOutcome.UNSURE: "may or may not have gone out",
}
CHANGED = {None: "", True: ", which was news", False: ", as it had thought"}
AGAINST = {
    memory.DropCause.OTHER_ANSWER: "said something else of one like it",
    memory.DropCause.SAID: "said that it is wrong",
    memory.DropCause.FAILED: "it turned out wrong",
}
DROPPED = {
    memory.Dropping.OVERRULED: "a person's newer word holds",
    memory.Dropping.DISTRUSTED: "too much spoke against it",
    memory.Dropping.FULL: "others needed the room",
}
KNOWN = {task.Known.SENSED: ", as the robot saw", task.Known.SAID: ", as a person said"}

Words = str | Callable[[Any, Entry, Question | None], str]
"""Fixed words, or a function that makes them of an event, its entry, and the question that the event is about."""


def shortened(text: str, most: int = MOST_WORDS) -> str:
    """Return a text in one line, printable, cut where it is longer than `most` letters."""
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def quoted(text: str) -> str:
    """Return the words of a person or a robot in quotes, shortened."""
    return f"“{shortened(text)}”"


def tell(entry: Entry, question: Question | None = None) -> str:
    """Return in one line what happened.

    Args:
        entry: Entry of the journal.
        question: Question that the entry is about, for the words of an answer.
    """
    event = entry.event.read() if isinstance(entry.event, run_record.RunTold) else task.opened(entry.event)
    about = shortened(entry.key.removeprefix(f"{entry.run}/") if entry.run else entry.key)
    kind = type(event)
    words = WORDS_OF_A_STEP.get(kind) or WORDS.get(kind)
    if words is None:
        return f"{shortened(entry.kind)} {about}".rstrip()
    line = words if isinstance(words, str) else words(event, entry, question)
    return f"{about}: {line}" if kind in WORDS_OF_A_STEP else line


def _name(person: str | None) -> str:
    return shortened(name_of(person))


def _because(why: str) -> str:
    return f": {shortened(why)}" if why else ""


def _listed(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())


def _time(at_s: float, entry: Entry) -> str:
    """Return the time of day, with the date where the entry is of another day."""
    return near(at_s, day(entry.at_s))


def _asked(event: desk.Asked, entry: Entry, _: object) -> str:
    words = ERASED if event.question is None else quoted(str(event.question.get("prompt", "")))
    limit = "" if event.deadline_s is None else f", until {_time(event.deadline_s, entry)}"
    return f"asked {words} for {', '.join(map(_name, event.audience)) or 'nobody yet'}{limit}"


def _reminder(number: int) -> str:
    return f"reminder {number}" if number else "a notice"


def _answered(event: desk.Answered, _: object, question: Question | None) -> str:
    if event.value is None:
        answer = "something that was erased"
    else:
        try:
            value = value_from_json(event.value)
            answer = quoted(in_words(question or Question("?"), value)) if value is not None else "nothing"
        except (BadAnswer, BadRecord, ValueError):  # an answer that this version cannot read stands as it is
            answer = quoted(str(event.value))
    return f"{_name(event.by)} answered {answer}"


def _presence(event: desk.Presence, entry: Entry, _: object) -> str:
    if event.busy is None:
        return f"{_name(event.person)} said whether they can be asked, which was erased"
    until = "" if event.until_s is None else f" until {_time(event.until_s, entry)}"
    return f"{_name(event.person)} is {'busy' if event.busy else 'back'}{until}"


def _repaired(event: JournalRepaired, *_: object) -> str:
    lost = "an unknown number" if event.lost is None else str(event.lost)
    how = "STOP: went on from a backup" if event.from_backup else "STOP: repaired"
    return f"{how}: {event.last_good} entries kept, {lost} lost"


def _remembered(event: memory.MemoryRemembered, entry: Entry, _: object) -> str:
    label = "something that was erased" if event.label is None else quoted(event.label)
    return f"remembered, as memory {entry.seq}, that {_name(event.by)} said {label} about {shortened(event.module)}"


def _forgotten(event: memory.MemoryForgotten, *_: object) -> str:
    which = ", ".join(map(str, event.memories))
    memories = f"memory {which} is" if len(event.memories) == 1 else f"memories {which} are"
    return f"{shortened(memories)} forgotten{'' if event.by is None else f', as {_name(event.by)} wished'}"


def _decided(event: session.Decided, *_: object) -> str:
    decision = event.decision
    verb = decision.action.value
    if decision.action is Action.ASK:
        verb = f"ask {'' if decision.person is None else f'{_name(decision.person)} '}about {decision.module}"
    elif decision.recovery is not None:
        verb = f"run the recovery {decision.recovery}"
    return f"decided to {shortened(verb)}{_because(decision.reason)}"


def _recovered(event: task.Recovered, *_: object) -> str:
    if not event.helped:
        return f"{shortened(event.recovery)} did not help"
    return f"goes on: {event.hint}{f' at {shortened(event.level)}' if event.level else ''}"


def _why_handed_on(event: desk.HandedOn) -> str:
    if event.busy:
        return f"{_name(event.by)} is busy"
    return f"{_name(event.by)} said someone else" if event.token else f"it goes on from {_name(event.by)}"


WORDS_OF_A_STEP: Mapping[type, Words] = {
    desk.Asked: _asked,
    desk.Held: lambda e, *_: f"held for {_name(e.turn)}{_because(e.why)}",
    desk.Opened: lambda e, *_: f"put to {_name(e.turn)}",
    desk.Claimed: lambda e, entry, _: f"{_name(e.by)} took it on until {_time(e.until_s, entry)}",
    desk.ClaimEnded: lambda e, *_: "given back" if e.given_back else "the claim ran out",
    desk.Answered: _answered,
    desk.Deferred: lambda e, entry, _: f"{_name(e.by)} said not now, for {span(e.until_s - entry.at_s)}",
    desk.Joined: lambda e, *_: f"{_name(e.person)} may answer it, too",
    desk.HandedOn: lambda e, *_: (
        f"{_why_handed_on(e)}; {'nobody is left' if e.turn is None else f'next is {_name(e.turn)}'}"
    ),
    desk.Delegated: lambda e, *_: f"{_name(e.by)} said let the robot try",
    desk.Withdrawn: lambda e, *_: f"taken back{_because(e.why)}",
    desk.Expired: "nobody answered in time",
    desk.Delivered: "the outcome reached the shell",
    desk.NoticeBegun: lambda e, *_: (
        f"{_reminder(e.reminder)} to {_name(e.person)} by {shortened(e.way)}"
        f"{f', attempt {e.attempt}' if e.attempt > 1 else ''}"
    ),
    desk.NoticeEnded: lambda e, *_: f"the notice by {shortened(e.way)} {NOTICED[e.outcome]}{_because(e.why)}",
    desk.RemoteSettled: lambda e, *_: f"{e.status}, says the server",
    run_record.RunBegun: "about to act",
    run_record.RunUnknown: "nobody knows what became of it",
    run_record.RunSettled: lambda e, *_: f"settled, {SETTLED[e.how]}",
    session.Executed: lambda e, *_: (
        f"{'succeeded' if e.ok else 'failed'}{'' if e.certainty >= 1.0 else f', {100 * e.certainty:.0f} % sure'}"
    ),
    server.RunTaken: lambda e, *_: f"the run is {shortened(e.robot)}'s",
}
"""Words for events of a question, an action or a run; its name stands before them."""

WORDS: Mapping[type, Words] = {
    desk.Stopped: lambda e, *_: f"STOP by {_name(e.by)}{_because(ERASED if e.why is None else e.why)}",
    desk.Enabled: lambda e, *_: f"{_name(e.by)} enabled the robot again",
    desk.Introduced: lambda e, *_: (
        f"{_name(e.person)} can be asked, as {e.role}{'' if e.by is None else f', set up by {_name(e.by)}'}"
    ),
    desk.Presence: _presence,
    desk.RemoteStopped: "STOP, says the server",
    JournalErased: lambda e, *_: f"a person was erased: the name and {many(e.values, 'personal value')}",
    JournalRepaired: _repaired,
    # sessions
    run_record.RunStarted: lambda e, *_: (
        f"the run began: {e.record.get('method', 'its method')}, {many(len(e.modules), 'module')}"
    ),
    run_record.RunForwarded: lambda e, *_: (
        f"the policy ran{', with outputs that were erased' if e.outputs is None else ''}"
    ),
    run_record.RunEnded: lambda e, *_: f"the run ended, {e.outcome}{_because(e.reason)}",
    session.Decided: _decided,
    session.Forwarded: "took in new confidences",
    session.ModuleAnswered: lambda e, *_: f"took in the answer about {shortened(e.module)}{CHANGED[e.changed]}",
    session.Rerouted: lambda e, *_: (
        f"decided to ask {_name(e.decision.person)} about {shortened(e.decision.module)} instead"
        f"{_because(e.decision.reason)}"
    ),
    session.NotAnswered: lambda e, *_: f"no answer about {shortened(e.module)}: {UNANSWERED[e.why]}",
    session.EpisodeStopped: lambda e, *_: f"was stopped{_because(e.why)}",
    # access
    server.CodeMade: lambda e, *_: f"a code was made for {_name(e.person)}, as {e.role}",
    server.Granted: lambda e, *_: (
        f"{_name(e.person) if e.person else shortened(e.robot)} may come in, as {e.role}"
        f"{f', with {shortened(e.device)}' if e.device else ''}"
    ),
    server.Revoked: lambda e, *_: f"access {shortened(e.id)} was taken back",
    # memory
    memory.MemoryRemembered: _remembered,
    memory.MemoryConfirmed: lambda e, *_: (
        f"memory {e.memory} is trusted more: "
        f"{'it turned out right' if e.by is None else f'{_name(e.by)} said the same'}"
    ),
    memory.MemoryContradicted: lambda e, *_: (
        f"memory {e.memory} is trusted less: {'' if e.by is None else f'{_name(e.by)} '}{AGAINST[e.cause]}"
    ),
    memory.MemoryDropped: lambda e, *_: f"memory {e.memory} is no longer used: {DROPPED[e.why]}",
    memory.MemoryForgotten: _forgotten,
    # recipes
    Ordered: lambda e, *_: (
        f"{shortened(e.name)} was ordered{f' in {shortened(e.world)}' if e.world else ''}"
        f"{f', seed {e.seed}' if e.world and e.seed is not None else ''}"
    ),
    TaskStarted: lambda e, *_: f"the task began{_because(_listed(e.options))}",
    TaskOver: lambda e, *_: f"the task is over{_because(str(e.result.get('in_words', '')))}",
    task.Started: lambda e, *_: f"the run began: {shortened(named(e.main))}",
    task.Begun: lambda e, *_: (
        f"about to {shortened(named(e.action))}{f', attempt {e.attempt}' if e.attempt > 1 else ''}"
        f"{' (perhaps once more)' if e.again else ''}"
    ),
    task.ActionEnded: lambda e, *_: (
        f"it {'worked' if e.ok else f'gave up: {shortened(e.code)}'}{KNOWN.get(e.known, '')}"
    ),
    task.Failed: lambda e, *_: f"failure {e.number}: {shortened(what_failed(e.failure))}",
    task.Recovering: lambda e, *_: f"recovers with {shortened(e.recovery)}, use {e.use}",
    task.Recovered: _recovered,
    task.TaskAnswered: lambda e, *_: f"{_name(e.by)} said: {shortened(e.said or ERASED)}",
    task.TaskAsked: lambda e, *_: f"asked people {f'about {shortened(e.module)}' if e.module else 'how to go on'}",
    task.TaskUnanswered: "nobody answered",
    task.Raised: lambda e, *_: f"{shortened(e.monitor)} interrupted: {shortened(e.code)}",
    task.Believed: lambda e, *_: (
        f"the {e.assertion.source} holds {shortened(e.assertion.key)} to be {shortened(str(e.assertion.value))}"
    ),
    task.TaskPrinted: lambda e, *_: f"the recipe said: {shortened(e.message)}",
    task.Resumed: "another program goes on with it",
    task.Void: lambda e, *_: f"what was begun had no effect ({shortened(e.why)})",
    task.TaskStopped: lambda e, *_: f"the run ended, {e.ending}: {shortened(e.why)}",
    task.Over: lambda e, *_: f"the run ended, {e.ending}: {shortened(e.reason)}",
    task.Reloaded: "the files were read anew",
    task.ReloadRefused: "new files were wrong; the old ones hold",
}
