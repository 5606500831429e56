"""One run as its events tell of it: what failed and how that ended, when people were needed, how long things took."""

from __future__ import annotations

from dataclasses import dataclass, field

from handup.core import ResumeHint
from handup.executive.events import (
    Acted,
    Answered,
    Asked,
    Begun,
    Ending,
    Failed,
    Over,
    Recovered,
    Recovering,
    Resumed,
    Started,
    Stopped,
    Unanswered,
    Void,
)
from handup.executive.failure import Failure
from handup.executive.settings import Settings


@dataclass
class Case:
    """One failure.

    Attributes:
        failure: What went wrong.
        over_s: When the task went on; None where it did not.
        by_rule: Whether a rule said how; None while nobody did.
        rules: The rules that were used for it, each as often as it was.
        questions: The ids of what people were asked about it.
        posterior: For each module, how likely it was to be to blame when they were last asked.
        said: For each module that they could tell of, whether they said that it was right.
    """

    failure: Failure
    over_s: float | None = None
    by_rule: bool | None = None
    rules: list[str] = field(default_factory=list)
    questions: set[str] = field(default_factory=set)
    posterior: dict[str, float] = field(default_factory=dict)
    said: dict[str, bool] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The module that is most likely to blame; empty where nobody was asked, or all were said to be right."""
        wrong = {name: 0.0 if right else 1.0 for name, right in self.said.items()}
        blamed = {name: share for name, share in {**self.posterior, **wrong}.items() if share > 0.0}
        return max(blamed, key=lambda name: blamed[name], default="")


class Account:
    """What happened in one run. Give each event to `take`, in order: those of a journal, or those that a `Run` tells.

    Attributes:
        cases: The failures by their number. One at which a rule ended the run as done is none.
        asked: What people were asked about: failures, and starts whose outcome was lost, each by its number.
        questions: The ids of what they were asked.
        starts: Actions that were started and not taken back.
        time_s: How long it took, without what passed while no program ran.
        help_s: Of that, the time of waiting for or receiving help.
        lasts_s: How long it was to last; None where that is not known.
        unit: The action that is one unit of work; empty where there is none.
        units: How often it was done within the time that the run was to last.
        ending: None while it is under way.
        by_rule: Whether a rule ended it as done, so that what was under way then was cut off.
    """

    def __init__(self) -> None:
        self.cases: dict[int, Case] = {}
        self.asked: set[tuple[type, int]] = set()
        self.questions: set[str] = set()
        self.starts = 0
        self.time_s = self.help_s = self._last_s = 0.0
        self.lasts_s: float | None = None
        self.unit = ""
        self.units = 0
        self.ending: Ending | None = None
        self.by_rule = False
        self._acting: Begun | None = None
        self._waiting = False
        self._gave_up: int | None = None

    @property
    def broke_off(self) -> bool:
        """Whether it ended and was not done, so that somebody would have to come."""
        return self.ending is not None and self.ending is not Ending.DONE

    @property
    def _in_time(self) -> bool:
        return self.lasts_s is None or self.time_s <= self.lasts_s

    @property
    def ended_s(self) -> float:
        """When the last thing happened."""
        return self._last_s

    def take(self, event: object) -> None:
        """The next thing that happened. What is no event of a run is passed over."""
        if isinstance(event, Started):
            self._last_s = event.at_s
        elif isinstance(event, Resumed):
            self._last_s += event.away_s  # what passed while no program ran is nobody's time
        at_s = getattr(event, "at_s", None)
        if isinstance(at_s, float | int):
            passed_s = max(0.0, at_s - self._last_s)
            self.time_s += passed_s
            self.help_s += passed_s if self._waiting else 0.0
            self._last_s += passed_s
        gave_up, self._gave_up = self._gave_up, None
        match event:
            case Started():
                settings = Settings.from_json(event.settings)
                self.lasts_s, self.unit = settings.lasts_s, settings.unit
            case Begun() | Acted() | Void() | Answered() | Unanswered() | Stopped():
                self._goes_on(event)
            case Asked():
                self._ask(event)
            case Failed():
                self._acting = None
                self.cases[event.number] = Case(event.failure)
            case Recovering() if event.number in self.cases:
                self.cases[event.number].rules.append(event.recovery)
            case Recovered(helped=True) if event.number in self.cases:
                self._recovered(event)
            case Over():
                self.ending, self._waiting = event.ending, False
                if gave_up is not None and not self.broke_off:
                    del self.cases[gave_up]
                    self.by_rule = True
            case _:
                pass

    def _goes_on(self, event: Begun | Acted | Void | Answered | Unanswered | Stopped) -> None:
        if isinstance(event, Answered) and event.right is not None and event.number in self.cases:
            self.cases[event.number].said[event.module] = event.right
        if not isinstance(event, Void):
            self._waiting = False  # a lost action that had no effect is told without a time: the next event has it
        if isinstance(event, Begun):
            self._acting = event
            self.starts += 1
        elif isinstance(event, Void):
            self.starts -= 1
        elif isinstance(event, Acted) and event.ok and self._in_time:
            self.units += self._acting is not None and self._acting.action == self.unit
        if isinstance(event, Acted | Void):
            self._acting = None

    def _ask(self, asked: Asked) -> None:
        self._waiting = True
        self.questions.add(asked.question)
        if self._acting is not None and self._acting.number == asked.number:
            self.asked.add((Begun, asked.number))
            return
        self.asked.add((Failed, asked.number))
        case = self.cases.get(asked.number)
        if case is not None:
            case.questions.add(asked.question)
            case.posterior = asked.posterior

    def _recovered(self, event: Recovered) -> None:
        case = self.cases[event.number]
        case.over_s = event.at_s
        case.by_rule = bool(event.recovery) and event.hint is not ResumeHint.NONE
        self._gave_up = event.number if event.hint is ResumeHint.NONE else None
