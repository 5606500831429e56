"""View of a run for somebody who watches: the steps under way, what happened, and what is believed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from handup.core import ResumeHint
from handup.core.panels import (
    BeliefPart,
    BeliefsPanel,
    NumberPart,
    NumbersPanel,
    Panel,
    StatementPart,
    StepPart,
    StepsPanel,
    TimelineEntry,
    TimelinePanel,
)
from handup.executive.beliefs import BeliefSource
from handup.executive.events import (
    Begun,
    Entry,
    Failed,
    Recovered,
    Recovering,
    TaskAnswered,
    TaskAsked,
    TaskPrinted,
    TaskUnanswered,
)
from handup.executive.failure import IN_RECOVERY, Failure
from handup.executive.machine import AskPerson, LastLook, Machine, MachinePhase, RunAction
from handup.executive.machine.machine_state import Frame, Repair
from handup.executive.machine.program import Line, StepKind
from handup.executive.recipe_tree import given_in_words, value_in_words

BEFORE, AFTER = 12, 20
"""Number of steps that are shown before and after the present one, of each task."""
MOST_STEPS = 300
MOST_NEWS = 12
MOST_BELIEFS = 60
LONG, SHORT = 300, 120
"""Most letters that are shown of a reason, and of a value."""
MOST_DEPTH = 200
"""Greatest depth at which steps are shown: those that are nested deeper stand here, too."""
Status = Literal["done", "now", "next", "failed", "asking"]
CONDITIONAL: Mapping[StepKind, str] = {StepKind.LOOP: "again and again", StepKind.CHOICE: "choose the way"}
"""Words for steps that hang on a condition."""
GOES_ON: Mapping[ResumeHint, str] = {
    ResumeHint.CONTINUE: "tries that step again",
    ResumeHint.RETRY: "starts {} again",
    ResumeHint.NEXT: "goes on with the next step",
    ResumeHint.PREVIOUS: "goes one step back",
    ResumeHint.NONE: "stops",
}
Happening = Literal["failed", "recovering", "recovered", "asked", "answered", "said"]


class PresentStep(NamedTuple):
    """Status of the present step, and its inputs in words."""

    status: Status
    given: str


class RunView:
    """View of a run: give each event to `told`, and take `panels` whenever something is to be shown.

    Args:
        machine: Machine of the run.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._news: deque[TimelineEntry] = deque(maxlen=MOST_NEWS)
        self._counts = dict.fromkeys(("actions", "failures", "recoveries", "questions"), 0)
        self._now_s = 0.0

    def told(self, event: Entry) -> None:
        """Take in an event of the run."""
        at_s = getattr(event, "at_s", None)
        if isinstance(at_s, int | float):
            self._now_s = max(self._now_s, float(at_s))
        counted = {Begun: "actions", Failed: "failures", Recovering: "recoveries", TaskAsked: "questions"}.get(
            type(event)
        )
        if counted is not None:
            self._counts[counted] += 1
        if (happened := self._words(event)) is not None:
            kind, words = happened
            self._news.append(TimelineEntry(at_s=self._now_s, kind=kind, words=words[:LONG]))

    def _words(self, event: Entry) -> tuple[Happening, str] | None:  # noqa: PLR0911 - a table
        match event:
            case Failed():
                return "failed", f"{named(what_failed(event.failure))}. {event.failure.why}"
            case Recovering():
                rules = (rule.recovery for rule in self._machine.program.rules)
                about = next((recovery.about for recovery in rules if recovery.name == event.recovery), "")
                return "recovering", f"{named(event.recovery)}{f': {about}' if about else ''}"
            case Recovered(helped=False):
                return "failed", f"{named(event.recovery)} did not help."
            case Recovered():
                return "recovered", GOES_ON[event.hint].format(named(event.level) or "the task")
            case TaskAsked():
                return "asked", f"asks about {named(event.module)}" if event.module else "asks how to go on"
            case TaskAnswered():
                return "answered", f"{event.by or 'somebody'} said: {event.said or ''}"
            case TaskUnanswered():
                return "failed", "nobody answered"
            case TaskPrinted():
                return "said", event.message
            case _:
                return None

    def panels(self, result: str = "") -> list[Panel]:
        """Return everything that is shown.

        Args:
            result: State of the task, in a few words.
        """
        beliefs = list(_beliefs(self._machine))
        numbers = [NumberPart(label=label, value=count) for label, count in self._counts.items()]
        return [
            StepsPanel(steps=_fitting(list(_steps(self._machine)))),
            TimelinePanel(entries=list(self._news)),
            *([BeliefsPanel(beliefs=beliefs)] if beliefs else ()),
            NumbersPanel(summary=result[:LONG], numbers=numbers),
        ]

    @property
    def doing(self) -> str:
        """Activity of the robot, in a few words."""
        command = self._machine.next()
        match command:
            case RunAction():
                inputs = given_in_words(command.goal, SHORT)
                again = f", attempt {command.attempt}" if command.attempt > 1 else ""
                return f"{named(command.action)}{f' ({inputs})' if inputs else ''}{again}"
            case AskPerson():
                return f"{named(command.failure.leaf)} failed; waiting for a person"
            case LastLook():
                return "a last look"
            case _:
                return f"{named(str(command.ending))}: {command.reason}"

    @property
    def why(self) -> str:
        """Recovery that is under way, and the failure that it is for; empty if everything goes as planned."""
        repairs = [frame.repair for frame in self._machine.frames if frame.repair is not None]
        if not repairs:
            return ""
        repair, failure = repairs[-1], repairs[-1].failure
        rule = repair.rule.recovery
        return (f"recovery “{named(rule.name)}”, because of this: {named(what_failed(failure))}. {failure.why}")[:LONG]


def named(name: str) -> str:
    """Return the name of a task, action or recovery as people read it."""
    return name.removeprefix(IN_RECOVERY).replace("_", " ")


def what_failed(failure: Failure) -> str:
    """Return what went wrong, in a few words."""
    if failure.kind == "monitor":
        action = failure.fields.get("action")
        return f"{named(failure.code)} {f'during {named(str(action))}' if action else 'at the end'}"
    return f"{named(failure.leaf)} failed ({failure.code})"


def _steps(machine: Machine) -> Iterator[StepPart]:
    frames = machine.frames
    if not frames:
        return
    status: Status = (
        "asking" if machine.phase is MachinePhase.ASKING else "done" if machine.phase is MachinePhase.ENDED else "now"
    )
    yield StepPart(kind="task", name=frames[0].name[:LONG], status="done" if status == "done" else "now")
    yield from _lines(frames, 0, 1, PresentStep(status, _inputs(machine)))


def _inputs(machine: Machine) -> str:
    """Return the inputs of the present step, in words."""
    match machine.next():
        case RunAction(goal=goal):
            return given_in_words(goal, SHORT)
        case AskPerson(failure=failure):
            return given_in_words(failure.goal, SHORT)
        case _:
            return ""


def _fitting(steps: list[StepPart]) -> list[StepPart]:
    """Return the steps that can be shown: of a tree that is too large, only the way to the present step."""
    if len(steps) <= MOST_STEPS:
        return steps
    return [step for step in steps if step.status not in ("done", "next")][-MOST_STEPS:]


def _lines(frames: Sequence[Frame], index: int, depth: int, present: PresentStep, level: int = 0) -> Iterator[StepPart]:
    """Yield one list of steps of a frame, with what is below the present one."""
    frame = frames[index]
    cursor = frame.cursors[level]
    first, last = max(0, cursor.index - BEFORE), min(len(cursor.lines), cursor.index + AFTER + 1)
    if first:
        yield _more(first, depth, "done")
    # Only the innermost list of a frame has the next frame below its present step.
    inner = frames[index + 1] if index + 1 < len(frames) and level == len(frame.cursors) - 1 else None
    for place in range(first, last):
        line = cursor.lines[place]
        if place != cursor.index:
            yield _row(frame, line, depth, "done" if place < cursor.index else "next")
            continue
        if level < len(frame.cursors) - 1 and line.kind is StepKind.CHOICE:
            yield from _lines(frames, index, depth, present, level + 1)  # which way it went is seen
        elif level < len(frame.cursors) - 1:
            yield _row(frame, line, depth, "now", f"round {cursor.rounds}")
            yield from _lines(frames, index, depth + 1, present, level + 1)
        elif inner is None:
            yield _row(frame, line, depth, present.status, present.given)
        elif inner.repair is None:
            yield _row(frame, line, depth, "now", given_in_words(inner.params, SHORT))
            yield from _lines(frames, index + 1, depth + 1, present)
        else:
            failure = inner.repair.failure
            inputs = given_in_words(failure.goal, SHORT) if failure.leaf == line.name else ""
            yield _row(frame, line, depth, "failed", inputs)
            yield from _recovery(frames, index + 1, inner.repair, depth + 1, present)
    if last < len(cursor.lines):
        yield _more(len(cursor.lines) - last, depth, "next")
    elif cursor.line is None and inner is not None and inner.repair is not None:  # behind the last step
        yield from _recovery(frames, index + 1, inner.repair, depth, present)


def _recovery(
    frames: Sequence[Frame], index: int, repair: Repair, depth: int, present: PresentStep
) -> Iterator[StepPart]:
    recovery = repair.rule.recovery
    yield StepPart(
        depth=min(depth, MOST_DEPTH),
        kind="recovery",
        name=recovery.name[:LONG],
        status="now",
        details=recovery.about[:SHORT],
    )
    yield from _lines(frames, index, depth + 1, present)


def _row(frame: Frame, line: Line, depth: int, status: Status, details: str = "") -> StepPart:
    # A condition is written for who writes recipes; whoever watches sees which way it went.
    name = CONDITIONAL.get(line.kind, line.name)
    tally = frame.tally.get(line.path)
    tried = tally is not None and (tally.uses or line.kind in (StepKind.ACTION, StepKind.OP))
    return StepPart(
        depth=min(depth, MOST_DEPTH),
        kind=line.kind.value,
        name=name[:LONG],
        status=status,
        details="" if status in ("done", "next") else details[:SHORT],
        aborts=tally.aborts if tally is not None and tried else 0,
        tried=[f"{named(rule)} ×{uses}" for rule, uses in tally.uses.items()] if tally is not None else [],
    )


def _more(count: int, depth: int, status: Status) -> StepPart:
    return StepPart(depth=min(depth, MOST_DEPTH), kind="more", name=f"{count} more", status=status)


def _beliefs(machine: Machine) -> Iterator[BeliefPart]:
    beliefs = machine.beliefs
    keys = list(dict.fromkeys(assertion.key for assertion in beliefs.assertions))
    for key in keys[:MOST_BELIEFS]:
        statements = [latest for source in BeliefSource if (latest := beliefs.by(key, source)) is not None]
        yield BeliefPart(
            key=key[:LONG],
            contradicted=beliefs.contradicts(key),
            said=[
                StatementPart(
                    source=latest.source.value,
                    value=value_in_words(latest.value, SHORT),
                    probability=latest.probability,
                    at_s=latest.at_s,
                )
                for latest in sorted(statements, key=lambda latest: -latest.at_s)
            ],
        )
