"""The state of an episode and how each event changes it: an enum, one table, one pure function."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from handup.core import Action, Burden, BurdenKind, Decision, Outcome, objective_of
from handup.policy import Belief, ModuleGraph
from handup.recover.events import (
    Decided,
    EpisodeStopped,
    Event,
    Executed,
    Forwarded,
    ModuleAnswered,
    NotAnswered,
    Rerouted,
    Unanswered,
)
from handup.recover.settings import Settings, TimeUnit


class SessionPhase(StrEnum):
    """Phases of a session, named after what it waits for."""

    DECIDING = "deciding"
    """To be asked what to do next."""
    ASKING = "asking"
    """For the reply to a question."""
    ACTING = "acting"
    """For the outcome of an execution."""
    WAITING = "waiting"
    """For a time, or for news."""
    ENDED = "ended"


LEGAL: Mapping[SessionPhase, frozenset[str]] = {
    SessionPhase.DECIDING: frozenset({"next", "forwarded", "answered", "unanswered", "stopped"}),
    SessionPhase.ASKING: frozenset({"answered", "unanswered", "rerouted", "stopped"}),
    SessionPhase.ACTING: frozenset({"executed", "stopped"}),
    SessionPhase.WAITING: frozenset({"next", "forwarded", "answered", "unanswered", "stopped"}),
    SessionPhase.ENDED: frozenset(),
}
"""The one table of legal calls in each phase. The late end of a question that was put off is welcome whenever no
execution is under way."""

EXPECTED: Mapping[SessionPhase, str] = {
    SessionPhase.DECIDING: "Call next().",
    SessionPhase.ASKING: "Call answered() or unanswered() for the open question, or stopped().",
    SessionPhase.ACTING: "Call executed() with the outcome first and tell the rest then, or stopped().",
    SessionPhase.WAITING: "Call next() when the wait is over, or tell what changed.",
    SessionPhase.ENDED: "Start a new session for the next episode.",
}
"""Hint for each phase: the calls that are legal instead."""

PHASE_AFTER: Mapping[Action, SessionPhase] = {
    Action.ACT: SessionPhase.ACTING,
    Action.RECOVER: SessionPhase.ACTING,
    Action.ASK: SessionPhase.ASKING,
    Action.WAIT: SessionPhase.WAITING,
    Action.YIELD: SessionPhase.ENDED,
}


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Costs of an episode so far.

    Args:
        questions: How many were put to a person, answered or not.
        executions: How many times the robot acted.
        failures: How many of those looked like failures.
        load: Sum of the query costs of the questions.
        waited_s: Seconds spent in decided waits.
        time_lost: Time of questions and of executions that did not end the episode, in the episode's own unit; by
            the clock, all time before the execution that succeeded; and after giving up, all the time that was left.
        objective: The paper's J, not divided by time: `core.objective_of` load and time_lost.
    """

    questions: int = 0
    executions: int = 0
    failures: int = 0
    load: float = 0.0
    waited_s: float = 0.0
    time_lost: float = 0.0
    objective: float = 0.0

    def priced(self, w: float) -> Tally:
        """Return the tally with the objective that belongs to the load and the time lost."""
        return replace(self, objective=objective_of(w, self.load, self.time_lost))

    @property
    def steps(self) -> int:
        """Questions and executions together."""
        return self.questions + self.executions


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """All that a session knows, beside its settings. Immutable.

    Args:
        belief: What is believed about the policy.
        phase: What the session waits for.
        pending: The decision that is being carried out.
        outcome: How the episode ended.
        tally: What it cost.
        now_s: The latest time told.
        started_s: The time of the first decision.
        spent: Nominal time of all questions and executions.
        waiting: Since when and until when a wait was decided.
        forward_due: Whether something happened that a forward pass may follow.
        try_wanted: Whether a person said to let the robot try.
        held_for_try: Modules not to be asked about before that.
        late: Modules whose deferred or expired question may still be answered.
        asked: For each module, how many questions there were.
        unanswered: For each module, how many questions brought no answer.
        tried: People to whom the open question was put before the present one.
        used: For each recovery, how often it was run and did not help.
    """

    belief: Belief
    phase: SessionPhase = SessionPhase.DECIDING
    pending: Decision | None = None
    outcome: Outcome | None = None
    tally: Tally = field(default_factory=Tally)
    now_s: float = -math.inf
    started_s: float | None = None
    spent: float = 0.0
    waiting: tuple[float, float] | None = None
    forward_due: bool = True
    try_wanted: bool = False
    held_for_try: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()
    asked: tuple[int, ...] = ()
    unanswered: tuple[int, ...] = ()
    tried: tuple[str, ...] = ()
    used: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: ModuleGraph, settings: Settings) -> SessionState:
        """Return the state before anything happened."""
        return cls(belief=Belief.of(graph, seed=settings.seed), asked=(0,) * len(graph), unanswered=(0,) * len(graph))

    def is_open(self, module: str) -> bool:
        """Return whether a question about this module is open."""
        return self.phase is SessionPhase.ASKING and self.pending is not None and self.pending.module == module

    def after(self, event: Event, settings: Settings) -> SessionState:
        """Return the state after an event. The event must be legal; the session sees to that."""
        match event:
            case Decided():
                after = self._decided(event, settings)
            case Forwarded():
                after = self._forwarded(event)
            case ModuleAnswered():
                after = self._answered(event, settings)
            case NotAnswered():
                after = self._not_answered(event, settings)
            case Rerouted():
                after = self._rerouted(event, settings)
            case Executed():
                after = self._executed(event, settings)
            case EpisodeStopped():
                after = replace(self, phase=SessionPhase.ENDED, pending=None, outcome=Outcome.STOPPED)
        return after

    def _forwarded(self, event: Forwarded) -> SessionState:
        index = self.belief.graph.index
        confidences = {index(name): confidence for name, confidence in event.confidences.items()}
        changed, renewed = ([index(name) for name in names] for names in (event.changed, event.renewed))
        belief = self.belief.after_forward(confidences, changed=changed, renewed=renewed)
        return replace(self, belief=belief, forward_due=False)._with_news()

    def _decided(self, event: Decided, settings: Settings) -> SessionState:
        decision, tally, spent = event.decision, self.tally, self.spent
        started_s = event.now_s if self.started_s is None else self.started_s
        if self.waiting is not None:
            since_s, until_s = self.waiting
            tally = replace(tally, waited_s=tally.waited_s + min(event.now_s, until_s) - since_s)
        waiting, asked = None, self.asked
        # By the clock, all time up to now is lost until an execution succeeds; by steps, only what each step takes.
        lost = tally.time_lost if settings.time is TimeUnit.STEPS else event.now_s - started_s
        if decision.action is Action.ASK:
            tally = replace(tally, questions=tally.questions + 1, load=tally.load + event.load)
            asked = _one_more(asked, self.belief.graph.index(decision.module or ""))
            spent += settings.ask_time
            lost += settings.ask_time if settings.time is TimeUnit.STEPS else 0.0
        elif decision.action in (Action.ACT, Action.RECOVER):
            tally = replace(tally, executions=tally.executions + 1)
            spent += settings.act_time
        elif decision.action is Action.WAIT and decision.until_s is not None:
            waiting = (event.now_s, decision.until_s)
        elif event.outcome is Outcome.YIELDED:
            elapsed = spent if settings.time is TimeUnit.STEPS else event.now_s - started_s
            lost += max(settings.horizon_of(len(self.belief.graph)) - elapsed, 0.0)
        return replace(
            self,
            phase=PHASE_AFTER[decision.action],
            pending=decision,
            outcome=event.outcome,
            tally=replace(tally, time_lost=lost).priced(settings.w),
            now_s=event.now_s,
            started_s=started_s,
            spent=spent,
            waiting=waiting,
            asked=asked,
            try_wanted=False,
            tried=(),
        )

    def _answered(self, event: ModuleAnswered, settings: Settings) -> SessionState:
        module = self.belief.graph.index(event.module)
        belief = self.belief.after_answer(module, changed=event.changed, expert=event.expert)
        if self.asked[module] >= settings.max_questions_per_module:
            belief = belief.blocked(module, math.inf)
        state = replace(
            self,
            belief=belief,
            forward_due=True,
            late=self.late - {module},
            held_for_try=self.held_for_try - {module},
            now_s=_later(self.now_s, event.now_s),
        )
        if self.is_open(event.module):
            return replace(state, phase=SessionPhase.DECIDING, pending=None)
        return state._with_news()

    def _not_answered(self, event: NotAnswered, settings: Settings) -> SessionState:
        module = self.belief.graph.index(event.module)
        now_s = _later(self.now_s, event.now_s)
        is_open = self.is_open(event.module)
        unanswered = _one_more(self.unanswered, module) if is_open else self.unanswered  # a late end was counted before
        for_good = unanswered[module] >= settings.max_unanswered
        for_good |= self.asked[module] >= settings.max_questions_per_module
        for_try = event.why is Unanswered.LET_ROBOT_TRY
        until_s = event.until_s if event.until_s is not None else now_s + settings.pause_s(event.why)
        if for_try or for_good:
            # Blocked for ever; `_executed` lifts the block again for modules that only wait for the robot's try.
            until_s = math.inf
        state = replace(
            self,
            belief=self.belief.blocked(module, until_s),
            now_s=now_s,
            try_wanted=for_try or (self.try_wanted and not is_open),
            held_for_try=self.held_for_try | {module} if for_try and not for_good else self.held_for_try,
            late=self.late | {module},
            unanswered=unanswered,
        )
        return replace(state, phase=SessionPhase.DECIDING, pending=None) if is_open else state._with_news()

    def _rerouted(self, event: Rerouted, settings: Settings) -> SessionState:
        before = "" if self.pending is None or self.pending.person is None else self.pending.person
        tally = replace(self.tally, load=self.tally.load + event.load).priced(settings.w)
        tried = tuple(dict.fromkeys((*self.tried, before)))
        now_s = _later(self.now_s, event.now_s)
        return replace(self, pending=event.decision, tally=tally, tried=tried, now_s=now_s)

    def _executed(self, event: Executed, settings: Settings) -> SessionState:
        recovery = None if self.pending is None else self.pending.recovery
        # A recovery is not the policy's own action: how it went says nothing about the policy's modules.
        belief = self.belief
        if recovery is None:
            belief = belief.after_execution(event.ok, certainty=event.certainty)
        for module in self.held_for_try:
            belief = belief.blocked(module, -math.inf)
        done = event.ended
        if done is None:  # What was executed is what would be executed now, so its success is the reliability.
            likely = event.certainty >= 1.0 or recovery is not None or belief.reliability >= settings.accept_success
            done = event.ok and likely
        counted = not done and settings.time is TimeUnit.STEPS
        tally = replace(
            self.tally,
            failures=self.tally.failures + (not event.ok),
            time_lost=self.tally.time_lost + (settings.act_time if counted else 0.0),
        ).priced(settings.w)
        return replace(
            self,
            belief=belief,
            phase=SessionPhase.ENDED if done else SessionPhase.DECIDING,
            pending=None,
            outcome=Outcome.RECOVERED if done else None,
            tally=tally,
            now_s=_later(self.now_s, event.now_s),
            forward_due=True,
            held_for_try=frozenset(),
            used=self.used if recovery is None else {**self.used, recovery: self.used.get(recovery, 0) + (not done)},
        )

    def _with_news(self) -> SessionState:
        """Return to deciding if the session waits: after news the next decision may differ."""
        return replace(self, phase=SessionPhase.DECIDING, pending=None) if self.phase is SessionPhase.WAITING else self


def _one_more(counts: tuple[int, ...], module: int) -> tuple[int, ...]:
    return (*counts[:module], counts[module] + 1, *counts[module + 1 :])


def _later(now_s: float, told_s: float | None) -> float:
    """Return the later time: time does not run backwards, whatever a clock says."""
    return now_s if told_s is None else max(now_s, told_s)


def burdens_of(event: Event, before: SessionState, after: SessionState) -> Iterator[Burden]:
    """Yield what people bore by an event, oldest first.

    A person waits while the robot acts, from the decision to the time that is told with the outcome, and while it
    has decided to wait. Without a time no wait is known, and the event counts at the latest time told.

    Args:
        event: What the session was told.
        before: Its state before …
        after: … and after.
    """
    match event:
        case ModuleAnswered():
            module = before.belief.graph.index(event.module)
            yield Burden(kind=BurdenKind.ANSWERED, now_s=after.now_s, module=module, by=event.by)
        case Executed():
            yield from _waited(after.now_s - before.now_s, after.now_s)
            if not event.ok:
                yield Burden(kind=BurdenKind.FAILED, now_s=after.now_s)
        case Decided() if before.waiting is not None:
            since_s, until_s = before.waiting
            yield from _waited(min(event.now_s, until_s) - since_s, event.now_s)
        case _:
            return


def _waited(seconds: float, now_s: float) -> Iterator[Burden]:
    if seconds > 0.0:
        yield Burden(kind=BurdenKind.WAITED, now_s=now_s, waited_s=seconds)
