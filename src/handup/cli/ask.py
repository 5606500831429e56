"""`handup ask`: put one question to a person from the shell, and wait for the answer."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handup.cli.output import FAILED, INTERRUPTED, err, out, print_json
from handup.cli.people import load_people, user_name
from handup.cli.store import DEFAULT_STORE, StoreOption
from handup.core import (
    BadSetting,
    Box,
    Person,
    Question,
    QuestionKind,
    Resolution,
    ResumeHint,
    Value,
    value_to_json,
)
from handup.core.kinds import RULES, Shape

if TYPE_CHECKING:
    from handup.desk import Desk, Record

EPILOG = """Example: handup ask "Which bowl?" --option left --option right --guess left --sure 0.8

Standard output holds the answer and nothing else: words; yes or no; a number; left, top, right and bottom of a box as
shares of the picture; one line for each point; an action, and in a second line how to resume where that was said.

The same command, run again after Ctrl-C, a crash or --timeout, waits for the same question and finds an answer that
came meanwhile. Once it has printed an outcome it asks anew; with --step it never does.

Exit codes: 0 answered; 1 not answered (not now, someone else, let the robot try, too late, stopped, or --timeout: it
stays open); 2 bad input or store; 130 Ctrl-C: it stays open."""
RUN = "ask"


def ask(
    prompt: Annotated[str, typer.Argument(help="The question, in the words of the person who answers.")],
    kind: Annotated[str | None, typer.Option(help=f"{', '.join(QuestionKind)}.", metavar="KIND")] = None,
    option: Annotated[list[str] | None, typer.Option(help="An option; makes it a choice. Repeat it.")] = None,
    effect: Annotated[list[str] | None, typer.Option(help="What happens for each option, in their order.")] = None,
    guess: Annotated[str | None, typer.Option(help="What you think; boxes and points as JSON.")] = None,
    sure: Annotated[float | None, typer.Option(help="The probability that the guess is right.")] = None,
    why: Annotated[str, typer.Option(help="Why you ask.")] = "",
    doing: Annotated[str, typer.Option(help="What the robot was doing.")] = "",
    support: Annotated[str, typer.Option(help="What helps to answer.")] = "",
    image: Annotated[str | None, typer.Option(help="The picture it is about, by name.")] = None,
    low: Annotated[float | None, typer.Option(help="Smallest number that is an answer.")] = None,
    high: Annotated[float | None, typer.Option(help="Largest number that is an answer.")] = None,
    unit: Annotated[str, typer.Option(help="Unit of the number.")] = "",
    mark: Annotated[list[str] | None, typer.Option(help="Name of a point on the picture. Repeat it.")] = None,
    to: Annotated[list[str] | None, typer.Option(help="Whom to ask. Repeat it for others, in order.")] = None,
    people: Annotated[Path | None, typer.Option(help="Who there is, with limits, as YAML.", metavar="FILE")] = None,
    store: StoreOption = DEFAULT_STORE,
    run: Annotated[str, typer.Option(help="Which run asks.")] = RUN,
    step: Annotated[str | None, typer.Option(help="Which step of it; made from the question.")] = None,
    attempt: Annotated[int | None, typer.Option(help="Which attempt at that step.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Wait so long at most.", metavar="SECONDS")] = None,
    here: Annotated[
        bool | None, typer.Option("--here/--elsewhere", help="Answer in this terminal, or with `handup answer`.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Ask a person one question and print the answer; it survives whatever happens to this command."""
    from handup import recover  # noqa: F401, PLC0415 - what other programs wrote in the store must be known
    from handup.desk import Desk  # noqa: PLC0415
    from handup.desk.delivered import Delivered, next_attempt  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415 - the help does without databases

    given_kind = QuestionKind(_kind(kind, bool(option)))
    question = Question(
        prompt,
        given_kind,
        tuple(option or ()),
        doing=doing,
        why=why,
        guess=_guess(given_kind, guess),
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
        raise BadSetting(f"timeout is {timeout:g}", hint="Give a number of seconds from 0 on.")
    known = load_people(people) if people is not None else tuple(Person(name=each) for each in to or [user_name()])
    named = step if step is not None else _step_of(question)
    own = step is None and attempt is None
    with Journal.open(store) as journal, Desk(journal, known) as desk:
        number = next_attempt(journal, run, named) if own else 1 if attempt is None else attempt
        record = desk.ask(question, run=run, step=named, attempt=number)
        if replace(record.question, to=()) != replace(question, to=()):
            raise BadSetting(f"'{record.id}' was asked in other words", hint="Give another --step or --attempt.")
        sits_here = sys.stdin is not None and sys.stdin.isatty() if here is None else here
        try:
            outcome = _wait(desk, record, journal.store, timeout, sits_here)
        except KeyboardInterrupt:
            _say(f"Left open as '{record.id}'. {_how_to_answer(record, journal.store)}")
            raise typer.Exit(INTERRUPTED) from None
        code = _print(desk, outcome, journal.store, as_json)
        if own and outcome.ended:
            journal.append(Delivered(), run=run, key=record.id)
    raise typer.Exit(code)


def _kind(kind: str | None, has_options: bool) -> str:
    if kind is None:
        return QuestionKind.CHOICE if has_options else QuestionKind.TEXT
    if kind not in tuple(QuestionKind):
        raise BadSetting(f"--kind is '{kind}'", hint=f"Use one of: {', '.join(QuestionKind)}.")
    return kind


def _guess(kind: QuestionKind, guess: str | None) -> Any:
    shape = RULES[kind].shape
    as_data = shape in (Shape.NUMBER, Shape.BOX, Shape.POINTS) or (shape is Shape.RESOLUTION and guess and "{" in guess)
    if guess is None or not as_data:
        return guess
    try:
        return json.loads(guess)
    except (ValueError, RecursionError):
        hint = "Give a number." if shape is Shape.NUMBER else "Give JSON, such as [0.1, 0.2, 0.5, 0.75] for a box."
        raise BadSetting(f"--guess is '{guess[:60]}'", hint=hint) from None


def _step_of(question: Question) -> str:
    """The same question makes the same step."""
    content = json.dumps(question.to_json(), sort_keys=True, ensure_ascii=True)
    return f"q-{hashlib.sha256(content.encode()).hexdigest()[:16]}"


def _wait(desk: Desk, record: Record, store: str, timeout_s: float | None, here: bool) -> Record:
    """The question once there is an outcome, or as it is when the time is up or the person left."""
    until = float("inf") if timeout_s is None else time.monotonic() + timeout_s
    if here and not record.settled:
        from handup.desk.status import Status  # noqa: PLC0415
        from handup.desk.terminal import How, Terminal  # noqa: PLC0415

        terminal, who = Terminal(), record.turn
        if record.status is Status.HELD and not desk.stopped:
            _say(record.told)
        while not record.settled and not desk.stopped and time.monotonic() < until and record.turn == who:
            if record.status is Status.OPEN:
                left_s = None if timeout_s is None else until - time.monotonic()
                ended = terminal.put(record, desk, timeout_s=left_s)
                if ended.how is How.INTERRUPTED:
                    raise KeyboardInterrupt
                if ended.how is How.LEFT:
                    return desk.record(record.id) or record
            else:
                desk.watch(1.0)
            record = desk.record(record.id) or record
    if not record.settled:
        if time.monotonic() < until and not desk.stopped:
            _say(f"{record.told} {_how_to_answer(record, store)}")
        left_s = None if timeout_s is None else max(until - time.monotonic(), 0.0)
        record = desk.wait(record.id, left_s) or desk.record(record.id) or record
    return record


def _print(desk: Desk, record: Record, store: str, as_json: bool) -> int:
    """The outcome on standard output, or one line that says why there is none; the exit code."""
    answer = record.answer
    value = None if answer is None else answer.value
    if as_json:
        print_json(
            {
                "id": record.id,
                "status": str(record.status),
                "value": value_to_json(value),
                "by": record.by,
                "latency_s": None if answer is None else answer.latency_s,
            }
        )
    elif value is not None:
        out.file.write("\n".join(_lines(record.question, value)) + "\n")
    out.file.flush()
    if value is not None:
        return 0
    if answer is not None:
        _say("The answer was erased.")
    elif desk.stopped:
        _say(f"Stopped: {record.told} Once it is safe, let the robot go on: handup answer --enable{_at(store)}")
    elif not record.settled:
        again = "The same command waits for it again."
        _say(f"No answer yet; '{record.id}' stays open. {again} {_how_to_answer(record, store)}")
    else:
        _say(record.told)
    return FAILED


def _lines(question: Question, value: Value) -> list[str]:
    """A value for the shell."""
    if isinstance(value, bool):
        return [question.choices[0] if value else question.choices[1]]
    if isinstance(value, Box):
        return [f"{value.left:.10g} {value.top:.10g} {value.right:.10g} {value.bottom:.10g}"]
    if isinstance(value, Resolution):
        return [value.action, *([] if value.resume is ResumeHint.NONE else [str(value.resume)])]
    if isinstance(value, tuple):
        return [f"{each.x:.10g} {each.y:.10g}" for each in value]
    return [f"{value:.15g}" if isinstance(value, float) else value]


def _how_to_answer(record: Record, store: str) -> str:
    by = f" --by {shlex.quote(record.turn)}" if record.turn else ""
    return f"To answer: handup answer{by}{_at(store)}"


def _at(store: str) -> str:
    return "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"


def _say(line: str) -> None:
    err.print(" ".join(line.split()), markup=False, soft_wrap=True)
