"""Events that an executive takes in or notes, as records for the journal. A run is rebuilt from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Self, TypeVar

from handup.core import ContractViolation, ResumeHint, event
from handup.executive.action import Aborted, Done, plain
from handup.executive.beliefs import Assertion
from handup.executive.failure import Failure

E = TypeVar("E")


class Ending(StrEnum):
    """Endings of a run. Every run ends in one of these."""

    DONE = "done"
    """The task is done."""
    STOPPED = "stopped"
    """Somebody said stop."""
    FAILED = "failed"
    """A recovery or a person said to give up, or a failure was seen that no rule is for."""
    OUT_OF_RECOVERIES = "out_of_recoveries"
    """There were rules for the failure, and they are used up or did not help."""
    UNANSWERED = "unanswered"
    """A person was needed, and nobody answered."""
    ERASED = "erased"
    """Somebody who had answered was erased, and without what they said the run can neither go on nor be rebuilt."""
    LIMIT = "limit"
    """The run took more starts, steps or failures than it may."""


@dataclass(frozen=True, kw_only=True)
class Wordy:
    """An entry with data that people's words may have gone into: in a journal the data is sealed as theirs.

    Codes, names of steps, beliefs and variables, and paths are words of the recipe: they are never sealed. Compute none
    of them from what people say.

    Args:
        of: People whose words may be in it; empty in a program, and where nobody has said anything.
        sealed: The data, in a journal: erased with any of these people. None where there is none, or it is gone.
    """

    EMPTY: ClassVar[Mapping[str, Any]] = {}
    """Names of the fields with data, each with the value that takes its place."""

    of: tuple[str, ...] = ()
    sealed: dict[str, Any] | None = None

    def _empty(self) -> Mapping[str, Any]:
        return self.EMPTY

    def _data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.EMPTY}

    def _with(self, data: Mapping[str, Any]) -> Self:
        return replace(self, **data)


def sealed(entry: E, of: tuple[str, ...]) -> E:
    """Return an entry as it is kept: its data belongs to these people, and the rest can stay for ever.

    Args:
        entry: An entry of a run.
        of: People whose words the run has taken in; where there are none, the entry is kept as it is.
    """
    if not of or not isinstance(entry, Wordy):
        return entry
    bare = entry._with(entry._empty())
    return entry if bare == entry else replace(bare, of=of, sealed=entry._data())


def opened(entry: E) -> E:
    """Return an entry that was kept, with its data in place again; empty where that was erased."""
    if not isinstance(entry, Wordy) or not entry.of:
        return entry
    bare = replace(entry, of=(), sealed=None)
    return bare if entry.sealed is None else bare._with(entry.sealed)


# -- what the machine is told ------------------------------------------------------------------------------------------


@event("task.begun")
@dataclass(frozen=True, kw_only=True)
class Begun:
    """An action is about to start.

    Args:
        number: Number of the start.
        action: Its name.
        path: Names of the tasks down to it.
        attempt: Number of the attempt at this step, from 1.
        again: True if it may have had its effect before.
        at_s: Time of it.
    """

    number: int
    action: str
    path: str = ""
    attempt: int = 1
    again: bool = False
    at_s: float = 0.0


class Known(StrEnum):
    """Sources of what is known about the end of an action."""

    SEEN = "seen"
    """The action said so."""
    SENSED = "sensed"
    """Its outcome was lost, and the robot looked."""
    SAID = "said"
    """Its outcome was lost, and a person said so."""


@event("task.acted", people=("by", "of"), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class ActionEnded(Wordy):
    """An action ended.

    Args:
        number: Number of the start.
        ok: True if the action succeeded.
        results: Values that it returned.
        code: Word for the failure; empty for a success.
        why: The reason, in one sentence.
        fields: Its own fields.
        beliefs: Facts that the script holds to be true from now on.
        known: Source of this knowledge.
        by: Person who said so.
        at_s: Time of it.
    """

    EMPTY: ClassVar[Mapping[str, Any]] = {"results": {}, "why": "", "fields": {}, "beliefs": {}}

    number: int
    ok: bool
    results: dict[str, Any] = field(default_factory=dict)
    code: str = ""
    why: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    beliefs: dict[str, Any] = field(default_factory=dict)
    known: Known = Known.SEEN
    by: str | None = None
    at_s: float = 0.0

    @classmethod
    def by_outcome(
        cls, number: int, outcome: object, at_s: float, known: Known = Known.SEEN, by: str | None = None
    ) -> ActionEnded:
        """Return the event for an action's outcome.

        Raises:
            ContractViolation: It is no outcome.
            BadRecord: It holds more than plain data.
        """
        match outcome:
            case Done():
                results, beliefs = plain(dict(outcome.results)), plain(dict(outcome.beliefs))
                return cls(number=number, ok=True, results=results, beliefs=beliefs, known=known, by=by, at_s=at_s)
            case Aborted(code=code, why=why):
                fields = plain(dict(outcome.fields))
                return cls(number=number, ok=False, code=code, why=why, fields=fields, known=known, by=by, at_s=at_s)
        hint = "Return Done(...) or Aborted(...) from step()."
        raise ContractViolation(f"an action gave {outcome!r}", hint=hint)


@event("task.void", people=("by",))
@dataclass(frozen=True, kw_only=True)
class Void:
    """An action that was begun had no effect, or may be started again: its step is due as before.

    Args:
        number: Number of the start.
        why: `not started`, as a person said, or `repeatable`.
        by: Person who said so.
    """

    number: int
    why: str = ""
    by: str | None = None


class Became(StrEnum):
    """Effects of an action that was interrupted, as far as the robot can see."""

    DONE = "done"
    """It had its effect."""
    ABORTED = "aborted"
    """It gave up; what is left of its effect it knows itself."""
    NOT_STARTED = "not_started"
    """It has left no trace."""
    UNKNOWN = "unknown"


@event("task.raised", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Raised(Wordy):
    """A monitor interrupted what was under way.

    Args:
        monitor: Its name.
        code: Word for what it saw.
        why: The reason, in one sentence.
        fields: Its own fields.
        became: Effect of the action under way; None where none was. Unless it left no trace, the next start of
            that step is marked as one that may be a repeat, until the step has worked.
        at_s: Time of it.
    """

    EMPTY: ClassVar[Mapping[str, Any]] = {"why": "", "fields": {}}

    monitor: str
    code: str
    why: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    became: Became | None = None
    at_s: float = 0.0


@event("task.believed", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Believed(Wordy):
    """The run takes a fact to be true from now on, because somebody or a script says so."""

    assertion: Assertion

    def _empty(self) -> Mapping[str, Any]:
        return {"value": None}

    def _data(self) -> dict[str, Any]:
        return {"value": self.assertion.value}

    def _with(self, data: Mapping[str, Any]) -> Self:
        return replace(self, assertion=replace(self.assertion, **data))


@event("task.answered", people=("by",), personal={"sets": "by", "beliefs": "by", "said": "by", "right": "by"})
@dataclass(frozen=True, kw_only=True)
class TaskAnswered:
    """A person said how to go on after a failure.

    Args:
        number: Number of the failure.
        hint: Way in which the task goes on; None to look for a recovery again, with what is now believed.
        level: Task that goes on; None for the one whose step failed.
        sets: Inputs of the next attempts at the failed step, until it works: what a module should have said.
        beliefs: Facts that the person holds to be true.
        said: The answer in words.
        fixed: True if the person did something with their hands.
        about: The names of these inputs and beliefs; they stay when the rest is erased. Computed: do not pass them.
        module: The module that they were asked about; empty where it was how to go on.
        right: True if that module had been right, by what they said; None where that is not known.
        by: Person who answered.
        at_s: Time of it.
    """

    number: int
    hint: ResumeHint | None
    level: str | None = None
    sets: dict[str, Any] | None = None
    beliefs: dict[str, Any] | None = None
    said: str | None = None
    fixed: bool = False
    about: tuple[str, ...] = ()
    module: str = ""
    right: bool | None = None
    by: str | None = None
    at_s: float = 0.0

    def __post_init__(self) -> None:
        if not self.about:
            object.__setattr__(self, "about", (*(self.sets or {}), *(self.beliefs or {})))

    @property
    def erased(self) -> bool:
        """True when the answer's values are gone, so that nobody can say how the run went on."""
        return bool(self.about) and self.sets is None and self.beliefs is None


@event("task.unanswered")
@dataclass(frozen=True, kw_only=True)
class TaskUnanswered:
    """Nobody answered, or nobody was there to ask."""

    number: int
    why: str = ""
    at_s: float = 0.0


@event("task.stopped")
@dataclass(frozen=True, kw_only=True)
class TaskStopped:
    """The run ends now."""

    why: str
    ending: Ending = Ending.STOPPED
    at_s: float = 0.0


@event("task.resumed")
@dataclass(frozen=True, kw_only=True)
class Resumed:
    """A program goes on with the run of another one that ended.

    Args:
        number: Number after which starts are counted on. Starts up to it may have been lost.
        at_s: Time of it.
        away_s: Time since the last entry in which no program ran; 0 by a clock that stood still.
    """

    number: int
    at_s: float = 0.0
    away_s: float = 0.0


Told = Begun | ActionEnded | Void | Raised | Believed | TaskAnswered | TaskUnanswered | TaskStopped | Resumed

# -- what the machine notes --------------------------------------------------------------------------------------------


@event("task.failed", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Failed(Wordy):
    """Something went wrong.

    Args:
        number: Number of the failure in the run, from 1.
        failure: Account of the failure, with all tasks around it.
    """

    EMPTY: ClassVar[Mapping[str, Any]] = {"why": "", "goal": {}, "fields": {}, "beliefs": {}}

    number: int
    failure: Failure

    def _empty(self) -> Mapping[str, Any]:
        return {"params": [{} for _ in self.failure.levels], **self.EMPTY}

    def _data(self) -> dict[str, Any]:
        params = [dict(level.params) for level in self.failure.levels]
        return {"params": params, **{name: getattr(self.failure, name) for name in self.EMPTY}}

    def _with(self, data: Mapping[str, Any]) -> Self:
        rest = {name: data[name] for name in self.EMPTY}
        levels = zip(self.failure.levels, data["params"], strict=True)
        known = tuple(replace(level, params=params) for level, params in levels)
        return replace(self, failure=replace(self.failure, levels=known, **rest))


@event("task.recovering")
@dataclass(frozen=True, kw_only=True)
class Recovering:
    """A recovery was chosen.

    Args:
        number: Number of the failure.
        recovery: Its name.
        path: Path that it was matched with: to the leaf, or to a task around it.
        use: Number of this use for this step, from 1.
        depth: 0 for a failure of the recipe, 1 for one inside a recovery, and so on.
    """

    number: int
    recovery: str
    path: str
    use: int
    depth: int


@event("task.recovered")
@dataclass(frozen=True, kw_only=True)
class Recovered:
    """A recovery, or a person, is through, and the task goes on.

    Args:
        number: Number of the failure.
        recovery: Its name; empty where a person or the policy for unseen errors said how to go on.
        helped: False where the recovery failed or had no branch for this case; then there is no hint.
        hint: Way in which the task goes on.
        level: Task that goes on.
        at_s: Time of it.
    """

    number: int
    recovery: str = ""
    helped: bool = True
    hint: ResumeHint = ResumeHint.NONE
    level: str = ""
    at_s: float = 0.0


@event("task.said", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class TaskPrinted(Wordy):
    """Text that the recipe prints."""

    EMPTY: ClassVar[Mapping[str, Any]] = {"message": ""}

    message: str


@event("task.over", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Over(Wordy):
    """The run is over."""

    EMPTY: ClassVar[Mapping[str, Any]] = {"outputs": {}}

    ending: Ending
    reason: str
    outputs: dict[str, Any] = field(default_factory=dict)
    at_s: float = 0.0


Note = Failed | Recovering | Recovered | TaskPrinted | Over

# -- what only the journal holds ---------------------------------------------------------------------------------------


@event("task.started")
@dataclass(frozen=True, kw_only=True)
class Started:
    """A run began.

    Args:
        sources: The recipe, recovery and database files as they were, by kind and name; empty where they were made in
            a program, which must bring the same ones again.
        main: The task.
        params: Its inputs.
        settings: `Settings.to_json`.
        at_s: Time of it.
    """

    sources: dict[str, Any]
    main: str
    params: dict[str, Any]
    settings: dict[str, Any]
    at_s: float = 0.0


@event("task.reloaded")
@dataclass(frozen=True, kw_only=True)
class Reloaded:
    """Recipes and recoveries were read anew between two steps. The texts are those that hold from here on."""

    sources: dict[str, Any]
    at_s: float = 0.0


@event("task.refused")
@dataclass(frozen=True, kw_only=True)
class ReloadRefused:
    """Recipes or recoveries were read anew and are wrong; the run goes on with those that it had."""

    problems: tuple[str, ...]
    at_s: float = 0.0


@event("task.asked", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class TaskAsked(Wordy):
    """A question is put to people. It is written before they hear it, and once: a program that goes on puts this one.

    Args:
        number: Number of the failure, or of the start whose outcome was lost.
        question: Name of the question: the step under which it is put, or its id at the desk where a start was lost.
        path: Path of the failure, or of the action.
        module: The module that it is about; empty where it is about how to go on.
        as_input: True if the answer will be an input of the failed action; otherwise it will be a belief.
        words: `Question.to_json` of the module's own wording; empty where there is no module.
        posterior: For each module that may be to blame, how likely it is, with what people have said of this fault.
        at_s: Time of it.
    """

    EMPTY: ClassVar[Mapping[str, Any]] = {"words": {}}

    number: int
    question: str
    path: str = ""
    module: str = ""
    as_input: bool = False
    words: dict[str, Any] = field(default_factory=dict)
    posterior: dict[str, float] = field(default_factory=dict)
    at_s: float = 0.0


Entry = Told | Note | Started | Reloaded | ReloadRefused | TaskAsked
