"""Entries of a journal in plain words, one line each."""

from __future__ import annotations

from handup.cli.moments import day, near
from handup.cli.retelling_tasks import tell_task
from handup.core import Action, BadAnswer, BadRecord, Question, in_words, value_from_json
from handup.core.checks import one_line
from handup.desk import events as desk
from handup.desk.events import Delivered, RemoteSettled, RemoteStopped
from handup.desk.record import name_of, span
from handup.journal import Entry, JournalErased, JournalRepaired
from handup.memory import events as memory
from handup.recover import events as session
from handup.recover import trail
from handup.server import events as server

MOST_WORDS = 60
"""So many letters of a question or an answer are shown; the JSON has all of it."""
ERASED = "words that were erased"
UNANSWERED = {
    session.Unanswered.NOT_NOW: "not now",
    session.Unanswered.SOMEONE_ELSE: "everybody said: someone else",
    session.Unanswered.LET_ROBOT_TRY: "let the robot try",
    session.Unanswered.EXPIRED: "nobody answered in time",
}
SETTLED = {
    trail.Settled.SENSED: "the robot looked",
    trail.Settled.SAID: "a person said how it went",
    trail.Settled.LET_TRY: "a person said to go on",
    trail.Settled.VOID: "it had not started",
}

AGAINST = {
    memory.Cause.OTHER_ANSWER: "said something else of one like it",
    memory.Cause.SAID: "said that it is wrong",
    memory.Cause.FAILED: "it turned out wrong",
}
DROPPED = {
    memory.Dropping.OVERRULED: "a person's newer word holds",
    memory.Dropping.DISTRUSTED: "too much spoke against it",
    memory.Dropping.FULL: "others needed the room",
}


def shortened(text: str, most: int = MOST_WORDS) -> str:
    """A text in one line, printable, cut where it is long."""
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def quoted(text: str) -> str:
    """A person's or a robot's words."""
    return f"“{shortened(text)}”"


def about(key: str, run: str) -> str:
    """What an entry is about, without the run that stands before it."""
    return shortened(key.removeprefix(f"{run}/") if run else key)


def tell(entry: Entry, question: Question | None = None) -> str:
    """What happened, in one line.

    Args:
        entry: The entry.
        question: The question that it is about, for an answer's words.
    """
    what, event = about(entry.key, entry.run), entry.event
    if isinstance(event, desk.QuestionEvent):
        return f"{what}: {_question(entry, event, question)}"
    words = _robot(event, what) or _run(event, what) or _access(event, what) or _memory(entry.seq, event)
    words = words or tell_task(event, shortened)
    return words if words else f"{shortened(entry.kind)} {what}".rstrip()


def _question(entry: Entry, event: desk.QuestionEvent, question: Question | None) -> str:  # noqa: PLR0911 - a table
    match event:
        case desk.Asked():
            words = (
                "words that were erased" if event.question is None else quoted(str(event.question.get("prompt", "")))
            )
            limit = "" if event.deadline_s is None else f", until {near(event.deadline_s, day(entry.at_s))}"
            return f"asked {words} for {_names(event.audience)}{limit}"
        case desk.Held():
            return f"held for {_name(event.turn)}{_because(event.why)}"
        case desk.Opened():
            return f"put to {_name(event.turn)}"
        case desk.Claimed():
            return f"{_name(event.by)} took it on until {near(event.until_s, day(entry.at_s))}"
        case desk.ClaimEnded():
            return "given back" if event.given_back else "the claim ran out"
        case desk.Answered():
            return f"{_name(event.by)} answered {_answer(event.value, question)}"
        case desk.Deferred():
            return f"{_name(event.by)} said not now, for {span(event.until_s - entry.at_s)}"
        case desk.HandedOn():
            then = "nobody is left" if event.turn is None else f"next is {_name(event.turn)}"
            return f"{_name(event.by)} said someone else; {then}"
        case desk.Delegated():
            return f"{_name(event.by)} said let the robot try"
        case desk.Withdrawn():
            return f"taken back{_because(event.why)}"
        case desk.Expired():
            return "nobody answered in time"


def _answer(value: object, question: Question | None) -> str:
    if value is None:
        return "something that was erased"
    try:
        known = value_from_json(value)
        return quoted(in_words(question or Question("?"), known)) if known is not None else "nothing"
    except (BadAnswer, BadRecord, ValueError):
        return quoted(str(value))


def _robot(event: object, what: str) -> str:  # noqa: PLR0911 - a table
    match event:
        case desk.Stopped():
            why = ERASED if event.why is None else shortened(event.why)
            return f"STOP by {_name(event.by)}{_because(why)}"
        case desk.Enabled():
            return f"{_name(event.by)} enabled the robot again"
        case desk.Introduced():
            return f"{_name(event.person)} can be asked, as {event.role}"
        case Delivered():
            return f"{what}: the outcome reached the shell"
        case RemoteSettled():
            return f"{what}: {event.status}, says the server"
        case RemoteStopped():
            return "STOP, says the server"
        case JournalErased():
            many = f"{event.values} personal value" + ("" if event.values == 1 else "s")
            return f"a person was erased: the name and {many}"
        case JournalRepaired():
            lost = "an unknown number" if event.lost is None else str(event.lost)
            how = "STOP: went on from a backup" if event.from_backup else "STOP: repaired"
            return f"{how}: {event.last_good} entries kept, {lost} lost"
        case _:
            return ""


def _run(event: object, what: str) -> str:  # noqa: PLR0911 - a table
    match event:
        case trail.RunStarted():
            count = len(event.modules)
            method = event.record.get("method", "its method")
            return f"the run began: {method}, {count} module{'' if count == 1 else 's'}"
        case trail.RunTold():
            return _session(event.read(), what)
        case trail.RunForwarded():
            return "the policy ran" + (", with outputs that were erased" if event.outputs is None else "")
        case trail.RunBegun():
            return f"{what}: about to act"
        case trail.RunUnknown():
            return f"{what}: nobody knows what became of it"
        case trail.RunSettled():
            return f"{what}: settled, {SETTLED[event.how]}"
        case trail.RunEnded():
            return f"the run ended, {event.outcome}{_because(event.reason)}"
        case _:
            return ""


def _access(event: object, what: str) -> str:
    match event:
        case server.CodeMade():
            return f"a code was made for {_name(event.person)}, as {event.role}"
        case server.Granted():
            whose = _name(event.person) if event.person else shortened(event.robot)
            device = "" if event.device is None else shortened(event.device)
            return f"{whose} may come in, as {event.role}" + (f", with {device}" if device else "")
        case server.Revoked():
            return f"access {shortened(event.id)} was taken back"
        case server.RunTaken():
            return f"{what}: the run is {shortened(event.robot)}'s"
        case _:
            return ""


def _memory(seq: int, event: object) -> str:
    match event:
        case memory.MemoryRemembered():
            said = "something that was erased" if event.label is None else quoted(event.label)
            return f"remembered, as memory {seq}, that {_name(event.by)} said {said} about {shortened(event.module)}"
        case memory.MemoryConfirmed():
            who = "it turned out right" if event.by is None else f"{_name(event.by)} said the same"
            return f"memory {event.memory} is trusted more: {who}"
        case memory.MemoryContradicted():
            who = "" if event.by is None else f"{_name(event.by)} "
            return f"memory {event.memory} is trusted less: {who}{AGAINST[event.cause]}"
        case memory.MemoryDropped():
            return f"memory {event.memory} is no longer used: {DROPPED[event.why]}"
        case memory.MemoryForgotten():
            which = ", ".join(map(str, event.memories))
            many = f"memory {which} is" if len(event.memories) == 1 else f"memories {which} are"
            return f"{shortened(many)} forgotten{'' if event.by is None else f', as {_name(event.by)} wished'}"
        case _:
            return ""


def _session(told: session.Event, what: str) -> str:
    match told:
        case session.Decided():
            verb = {Action.ASK: f"ask about {told.decision.module}"}.get(
                told.decision.action, told.decision.action.value
            )
            return f"decided to {shortened(verb)}{_because(told.decision.reason)}"
        case session.Forwarded():
            return "took in new confidences"
        case session.Answered():
            changed = "" if told.changed is None else ", which was news" if told.changed else ", as it had thought"
            return f"took in the answer about {shortened(told.module)}{changed}"
        case session.NotAnswered():
            return f"no answer about {shortened(told.module)}: {UNANSWERED[told.why]}"
        case session.Executed():
            sure = "" if told.certainty >= 1.0 else f", {100 * told.certainty:.0f} % sure"
            return f"{what}: {'succeeded' if told.ok else 'failed'}{sure}"
        case session.Stopped():
            return f"was stopped{_because(told.why)}"


def _because(why: str) -> str:
    return f": {shortened(why)}" if why else ""


def _name(person: str | None) -> str:
    return shortened(name_of(person))


def _names(people: tuple[str, ...]) -> str:
    return ", ".join(map(_name, people))
