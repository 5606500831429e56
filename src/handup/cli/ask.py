"""`handup ask`: put one question to a person from the shell, and wait for the answer."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import typer

from handup import recover  # noqa: F401 - what other programs wrote in the store must be known
from handup.cli.options import DEFAULT_STORE, PeopleFile, StoreOption, store_named
from handup.cli.output import FAILED, INTERRUPTED, note, out, print_json
from handup.cli.people_file import load_people, people_named, user_name
from handup.core import (
    ConflictingSettings,
    Malformed,
    MissingSetting,
    OutOfRange,
    Person,
    Question,
    QuestionKind,
    UnknownName,
    value_to_json,
)
from handup.core.checks import one_line
from handup.core.kinds import RULES, KindRule, shape_of
from handup.desk import Delivered, Desk, Record, question_id
from handup.desk.status import Status
from handup.desk.terminal import How, Terminal
from handup.journal import Journal
from handup.server import Access
from handup.server.house_router import HouseRouter
from handup.whom import InOrder

EPILOG = """Example: handup ask "Which bowl?" --option left --option right --guess left --sure 0.8

Standard output holds the answer and nothing else: words; yes or no; a number; left, top, right and bottom of a box as
shares of the picture; one line for each point; an action, and in a second line how to resume, if the person said so.

The same command, run again after Ctrl-C, a crash or --timeout, waits for the same question and finds an answer that
came meanwhile. Once it has printed an outcome, the next call asks a new question; with --step it prints the same
outcome again.

Exit codes: 0 answered; 1 not answered (not now, someone else, let the robot try, too late, stopped, or --timeout: it
stays open); 2 bad input or store; 130 Ctrl-C: it stays open."""
RUN = "ask"


def ask(
    prompt: Annotated[str, typer.Argument(help="Question, in the words of the person who answers.")],
    kind: Annotated[str | None, typer.Option(help=f"Kind of the question: {', '.join(RULES)}.", metavar="KIND")] = None,
    option: Annotated[list[str] | None, typer.Option(help="Option of a choice. Give it several times.")] = None,
    effect: Annotated[list[str] | None, typer.Option(help="Effect of an option. Give one for each, in order.")] = None,
    guess: Annotated[str | None, typer.Option(help="Answer that the robot expects; boxes and points as JSON.")] = None,
    sure: Annotated[float | None, typer.Option(help="Probability that the guess is right, 0 to 1.")] = None,
    why: Annotated[str, typer.Option(help="Reason for the question.")] = "",
    doing: Annotated[str, typer.Option(help="Work that the robot was doing.")] = "",
    support: Annotated[str, typer.Option(help="Hint that helps to answer.")] = "",
    image: Annotated[str | None, typer.Option(help="Name of the picture that the question is about.")] = None,
    low: Annotated[float | None, typer.Option(help="Smallest number that is allowed as an answer.")] = None,
    high: Annotated[float | None, typer.Option(help="Largest number that is allowed as an answer.")] = None,
    unit: Annotated[str, typer.Option(help="Unit of the number.")] = "",
    mark: Annotated[list[str] | None, typer.Option(help="Name of a point to mark on the picture. Repeatable.")] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of a person to ask. Repeat it for others, in order. Default: whoever has a device, or you."
        ),
    ] = None,
    people: PeopleFile = None,
    store: StoreOption = DEFAULT_STORE,
    run: Annotated[str, typer.Option(help="Name of the run that asks.")] = RUN,
    step: Annotated[str | None, typer.Option(help="Name of the step. Default: made from the question.")] = None,
    attempt: Annotated[int | None, typer.Option(help="Number of the attempt at the step, from 1.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Longest wait for an answer.", metavar="SECONDS")] = None,
    here: Annotated[
        bool | None,
        typer.Option("--here/--elsewhere", help="Let the person answer in this terminal, or with `handup answer`."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Ask a person one question and print the answer; it survives whatever happens to this command."""
    rule = _rule(kind, bool(option))
    if len(option or ()) < (least := rule.least_options):
        must = f"a {rule.kind} must have at least {least} options, got {len(option or ())}"
        raise MissingSetting(must, hint=f"Give --option {least} times or more.")
    question = Question(
        prompt,
        rule.kind,
        tuple(option or ()),
        doing=doing,
        why=why,
        guess=_guess(rule, guess),
        sure=sure,
        effects=tuple(effect or ()),
        image=image,
        support=support,
        low=low,
        high=high,
        unit=unit,
        marks=tuple(mark or ()),
        to=tuple(to or ()),
    )
    question.check_ready()
    if timeout is not None and not 0.0 <= timeout < float("inf"):
        raise OutOfRange.of("--timeout", f"{timeout:g}", "be at least 0 and finite", hint="Give a number of seconds.")
    known = load_people(people)
    named = step if step is not None else _step_of(question)
    own = step is None and attempt is None
    question_id(run, named, 1 if attempt is None else attempt)
    if known:
        InOrder().audience(question, known, 0.0)
    with Journal.open(store) as journal, _desk(journal, known, to or (), here=here is True) as desk:
        number = next_attempt(journal, run, named) if own else 1 if attempt is None else attempt
        record = desk.ask(question, run=run, step=named, attempt=number)
        if replace(record.question, to=()) != replace(question, to=()):
            words = f"'{record.id}' must be asked in the words of the first time, got others"
            raise ConflictingSettings(words, hint="Give another --step or --attempt.")
        at_terminal = bool(desk.people) and sys.stdin is not None and sys.stdin.isatty()
        sits_here = at_terminal if here is None else here
        try:
            outcome = _wait(desk, record, journal.store, timeout, sits_here)
        except KeyboardInterrupt:
            now = desk.record(record.id) or record
            note(f"Left {_still(now)} as '{now.id}'. {_how_to_answer(now, journal.store)}")
            raise typer.Exit(INTERRUPTED) from None
        code = _print(desk, outcome, journal.store, as_json)
        if own and outcome.ended:
            journal.append(Delivered(), run=run, key=record.id)
    raise typer.Exit(code)


def _desk(journal: Journal, known: Sequence[Person], to: Sequence[str], *, here: bool) -> Desk:
    """Return the desk that asks.

    It asks the people of the file, or those who are named. Else it asks whom the server would, where somebody has a
    device, and otherwise the user of this machine.
    """
    if not (known or to or here):
        access = Access(journal)
        house = Desk(journal, router=HouseRouter(access.with_devices))
        if access.with_devices() & set(house.state.people):
            return house
    return Desk(journal, known or people_named(journal, to or [user_name()]))


def next_attempt(journal: Journal, run: str, step: str) -> int:
    """Return the first attempt at a step whose outcome has not reached the asker yet.

    Attempts are made in order, each once the outcome of the one before was delivered, so a few looks find it
    however many there were.
    """

    def delivered(attempt: int) -> bool:
        return any(isinstance(entry.event, Delivered) for entry in journal.read(key=question_id(run, step, attempt)))

    high = 1
    while delivered(high):
        high *= 2
    first = high // 2 + 1
    return first + bisect_left(range(first, high), True, key=lambda attempt: not delivered(attempt))


def _rule(kind: str | None, has_options: bool) -> KindRule:
    if kind is None:
        return RULES[QuestionKind.CHOICE if has_options else QuestionKind.TEXT]
    if kind not in RULES:
        raise UnknownName.of("--kind", f"'{kind}'", "be a kind of question", hint=f"Use one of: {', '.join(RULES)}.")
    return RULES[kind]


def _guess(rule: KindRule, guess: str | None) -> Any:
    if guess is not None and rule.two and guess.casefold() not in rule.two:
        hint = f"Give {rule.two[0]} or {rule.two[1]}."
        raise Malformed.of("--guess", f"'{guess[:60]}'", "be one of the two answers", hint=hint)
    if guess is None or not rule.shape.is_json(guess):
        return guess
    try:
        return json.loads(guess)
    except (ValueError, RecursionError):
        raise Malformed.of("--guess", f"'{guess[:60]}'", "be JSON", hint=rule.shape.shell_hint) from None


def _step_of(question: Question) -> str:
    """Return the name of a step made from a question: the same question makes the same step."""
    content = json.dumps(question.to_json(), sort_keys=True, ensure_ascii=True)
    return f"q-{hashlib.sha256(content.encode()).hexdigest()[:16]}"


def _wait(desk: Desk, record: Record, store: str, timeout_s: float | None, here: bool) -> Record:
    """Return the question once there is an outcome, or as it is when the time is up or the person left."""
    until = float("inf") if timeout_s is None else time.monotonic() + timeout_s
    if here and not record.settled:
        terminal, who = Terminal(), record.turn
        while not record.settled and not desk.stopped and time.monotonic() < until:
            left_s = None if timeout_s is None else until - time.monotonic()
            if record.status is Status.OPEN and record.turn == who:
                how: How | None = terminal.put(record, desk, timeout_s=left_s)
            else:
                note(_waits(desk, record, store))
                how = terminal.stand_by(record, desk, partial(_moved, record), timeout_s=left_s)
            if how is How.INTERRUPTED:
                raise KeyboardInterrupt
            if how is How.LEFT:
                return desk.record(record.id) or record
            record = desk.record(record.id) or record
    if not record.settled:
        if not here and time.monotonic() < until and not desk.stopped:
            note(_waits(desk, record, store))
        left_s = None if timeout_s is None else max(until - time.monotonic(), 0.0)
        record = desk.wait(record.id, left_s) or desk.record(record.id) or record
    return record


def _print(desk: Desk, record: Record, store: str, as_json: bool) -> int:
    """Print the outcome, or one line on stderr that says why there is none; return the exit code."""
    answer = record.answer
    value = None if answer is None else answer.value
    if as_json:
        settled = {"by": record.by, "latency_s": None if answer is None else answer.latency_s}
        print_json({"id": record.id, "status": str(record.status), "value": value_to_json(value), **settled})
    elif value is not None:
        out.file.write("\n".join(shape_of(record.question, value).lines(record.question, value)) + "\n")
    out.file.flush()
    if value is not None:
        return 0
    if answer is not None:
        note("The answer was erased.")
    elif desk.stopped:
        note(f"Stopped: {record.told} Once it is safe, let the robot go on: handup answer --enable{store_named(store)}")
    elif not record.settled:
        again = "The same command waits for it again."
        note(f"No answer yet; '{record.id}' stays {_still(record)}. {again} {_how_to_answer(record, store)}")
    else:
        note(record.told)
    return FAILED


def _moved(before: Record, now: Record) -> bool:
    """Return whether a question is settled, or with another person, by now."""
    return now.settled or (now.status, now.turn) != (before.status, before.turn)


def _waits(desk: Desk, record: Record, store: str) -> str:
    """Return a line that says where a question is, which one comes before it, and how to answer."""
    pending = desk.pending(record.turn) if record.status is Status.HELD else ()
    rivals = (rival for rival in pending if rival.id != record.id)
    front = next((rival for rival in rivals if rival.status in (Status.OPEN, Status.CLAIMED)), None)
    if front is None:
        return f"{record.told} {_how_to_answer(record, store)}"
    return f"{record.told} Before it: '{one_line(front.question.prompt)}'. {_how_to_answer(front, store)}"


def _still(record: Record) -> str:
    """Return the state in which an unanswered question stays, in words."""
    return f"held ({record.why or 'it does not fit yet'})" if record.status == "held" else "open"


def _how_to_answer(record: Record, store: str) -> str:
    by = f" --by {shlex.quote(record.turn)}" if record.turn else ""
    return f"To answer: handup answer{by}{store_named(store)}"
