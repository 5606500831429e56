"""What an executive is told and what it notes, as records for the journal. A run is what they make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.core import ResumeHint, event
from handup.executive.beliefs import Assertion
from handup.executive.failure import Failure
from handup.executive.wordy import Wordy


class Ending(StrEnum):
    """How a run ended. Every run ends in one of these."""

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


# -- what the machine is told ------------------------------------------------------------------------------------------


@event("task.begun")
@dataclass(frozen=True, kw_only=True)
class Begun:
    """An action is about to start.

    Args:
        number: Of the start.
        action: Its name.
        path: Task names down to it.
        attempt: Which attempt at this step.
        again: Whether it may have had its effect before.
        at_s: When.
    """

    number: int
    action: str
    path: str = ""
    attempt: int = 1
    again: bool = False
    at_s: float = 0.0


class Known(StrEnum):
    """How it is known how an action ended."""

    SEEN = "seen"
    """The action said so."""
    SENSED = "sensed"
    """Its outcome was lost, and the robot looked."""
    SAID = "said"
    """Its outcome was lost, and a person said so."""


@event("task.acted", people=("by", "of"), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Acted(Wordy):
    """An action ended.

    Args:
        number: Of the start.
        ok: Whether it did it.
        results: What it found out or made.
        code: Where it did not: the word for why.
        why: One sentence.
        fields: Its own fields.
        beliefs: What the script holds to be true from now on.
        known: How it is known.
        by: Who said so.
        at_s: When.
    """

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


@event("task.void", people=("by",))
@dataclass(frozen=True, kw_only=True)
class Void:
    """An action that was begun had no effect, or may be started again: its step is due as before.

    Args:
        number: Of the start.
        why: `not started`, as a person said, or `repeatable`.
        by: Who said so.
    """

    number: int
    why: str = ""
    by: str | None = None


class Became(StrEnum):
    """What became of an action that was interrupted, as far as the robot can see."""

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
        code: The word for what it saw.
        why: One sentence.
        fields: Its own fields.
        became: What became of the action under way; None where none was. Unless it left no trace, the next start of
            that step is marked as one that may be a repeat, until the step has worked.
        at_s: When.
    """

    monitor: str
    code: str
    why: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    became: Became | None = None
    at_s: float = 0.0


@event("task.believed", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Believed(Wordy):
    """Somebody holds something to be true."""

    assertion: Assertion


@event("task.answered", people=("by",), personal={"sets": "by", "beliefs": "by", "said": "by", "right": "by"})
@dataclass(frozen=True, kw_only=True)
class Answered:
    """A person said how to go on after a failure.

    Args:
        number: Of the failure.
        hint: How the task goes on; None to look for a recovery again, with what is now believed.
        level: At which task; the one whose step failed where it is None.
        sets: Inputs of the next attempts at the failed step, until it works: what a module should have said.
        beliefs: What the person holds to be true.
        said: The answer in words.
        fixed: Whether they did something with their hands.
        about: The names of these inputs and beliefs; they stay when the rest is erased. Not to be given.
        module: The module that they were asked about; empty where it was how to go on.
        right: Whether that module had been right, by what they said; None where that cannot be told.
        by: Who.
        at_s: When.
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
        """Whether what it gave to the run is gone, so that nobody can say how the run went on."""
        return bool(self.about) and self.sets is None and self.beliefs is None


@event("task.unanswered")
@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """Nobody answered, or nobody was there to ask."""

    number: int
    why: str = ""
    at_s: float = 0.0


@event("task.stopped")
@dataclass(frozen=True, kw_only=True)
class Stopped:
    """The run ends now."""

    why: str
    ending: Ending = Ending.STOPPED
    at_s: float = 0.0


@event("task.resumed")
@dataclass(frozen=True, kw_only=True)
class Resumed:
    """A program goes on with the run of another one that ended.

    Args:
        number: Starts go on after this one: up to so many may have been lost.
        at_s: When.
        away_s: How much of the time since the last entry passed while no program ran; none by a clock that stood still.
    """

    number: int
    at_s: float = 0.0
    away_s: float = 0.0


Told = Begun | Acted | Void | Raised | Believed | Answered | Unanswered | Stopped | Resumed

# -- what the machine notes --------------------------------------------------------------------------------------------


@event("task.failed", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Failed(Wordy):
    """Something went wrong.

    Args:
        number: Of the failure in the run, from 1.
        failure: The nested account.
    """

    number: int
    failure: Failure


@event("task.recovering")
@dataclass(frozen=True, kw_only=True)
class Recovering:
    """A recovery was chosen.

    Args:
        number: Of the failure.
        recovery: Its name.
        path: What it was matched with: the path to the leaf, or to a task around it.
        use: Which use of it for this step, from 1.
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
        number: Of the failure.
        recovery: Its name; empty where a person or the policy for unseen errors said how to go on.
        helped: False where the recovery failed or had no branch for this case; then there is no hint.
        hint: How the task goes on.
        level: At which task.
        at_s: When.
    """

    number: int
    recovery: str = ""
    helped: bool = True
    hint: ResumeHint = ResumeHint.NONE
    level: str = ""
    at_s: float = 0.0


@event("task.said", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Said(Wordy):
    """What the recipe prints."""

    message: str


@event("task.over", people=("of",), personal={"sealed": "of"})
@dataclass(frozen=True, kw_only=True)
class Over(Wordy):
    """The run is over."""

    ending: Ending
    reason: str
    outputs: dict[str, Any] = field(default_factory=dict)
    at_s: float = 0.0


Note = Failed | Recovering | Recovered | Said | Over

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
        at_s: When.
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
class Asked(Wordy):
    """A question is put to people. It is written before they hear it, and once: a program that goes on puts this one.

    Args:
        number: Of the failure, or of the start whose outcome was lost.
        question: Which one: the step under which it is put, or its id at the desk where a start was lost.
        path: Of the failure, or of the action.
        module: The module that it is about; empty where it is about how to go on.
        as_input: Whether the answer will be an input of the failed action; otherwise it will be a belief.
        words: `Question.to_json` of the module's own wording; empty where there is no module.
        posterior: For each module that may be to blame, how likely it is, with what people have said of this fault.
        at_s: When.
    """

    number: int
    question: str
    path: str = ""
    module: str = ""
    as_input: bool = False
    words: dict[str, Any] = field(default_factory=dict)
    posterior: dict[str, float] = field(default_factory=dict)
    at_s: float = 0.0
