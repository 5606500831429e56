"""Loop that ties policy, session and desk together, and that may be killed at any point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from handup.core import (
    Action,
    BadAnswer,
    BadSetting,
    ContractViolation,
    CostModel,
    Outcome,
    Question,
    Value,
    WrongSize,
    value_from_json,
    value_to_json,
)
from handup.core.panels import Phase
from handup.journal.run_log import Erased
from handup.recover.durable import DurableSession
from handup.recover.events import Decided, EpisodeStopped, Executed, Forwarded, Unanswered
from handup.recover.protocols import (
    AskingDesk,
    AtDesk,
    Compares,
    DeskQuestion,
    HandsOn,
    Look,
    Pass,
    Policy,
    Recovers,
    SeesAnew,
    Supports,
    Words,
    look_of,
    shown,
)
from handup.recover.run_record import Attempt, RunEnded, Settled
from handup.recover.settings import Settings
from handup.recover.state import SessionPhase, Tally
from handup.recover.unknown_outcome import doubt_of, questions_about, settle_unknown
from handup.when import OptionSource, Strategy
from handup.when import strategy as strategy_of

if TYPE_CHECKING:
    from handup.journal.run_claim import Hold

NO_ANSWER: Mapping[str, Unanswered] = {
    "deferred": Unanswered.NOT_NOW,
    "handed-on": Unanswered.SOMEONE_ELSE,
    "delegated": Unanswered.LET_ROBOT_TRY,
}
"""Meaning of the desk's end states to a session; any other one means that nobody answered."""

ENDS: Mapping[Outcome, str] = {
    Outcome.RECOVERED: "finished: it worked",
    Outcome.HORIZON: "finished: the time for it is over",
    Outcome.YIELDED: "finished: nothing is left that is worth trying",
    Outcome.STOPPED: "stopped: this run does not go on",
}
"""Words for people on the end of a run."""
LONGEST_RUN = 200
STOP = "Somebody said stop."
REPAIR = "The journal was repaired, so what the robot did last may be missing from it."


@dataclass(frozen=True, kw_only=True)
class Episode:
    """Result of a run.

    Args:
        run: Its id.
        outcome: Ending of the run.
        reason: Reason for this ending, in one sentence.
        tally: Counts of questions, executions and costs.
        answers: Answers of people, the latest for each module; without what was erased.
        actions: Actions of the robot, oldest first.
        asked: The modules that people were asked about, in order.
        costs: Costs of questions now: pass a `people.Workload` on to the next run of the same person.
    """

    run: str
    outcome: Outcome
    reason: str
    tally: Tally
    answers: Mapping[str, Value]
    actions: tuple[Attempt, ...]
    asked: tuple[str, ...]
    costs: CostModel


def run(
    policy: Policy,
    strategy: str | Strategy,
    desk: AskingDesk,
    *,
    run: str = "run",
    settings: Settings | None = None,
    costs: CostModel | None = None,
    options: OptionSource | None = None,
    look_every_s: float = 1.0,
    keep_trying_s: float = 30.0,
) -> Episode:
    """Recover one task, from the first forward pass to a named outcome.

    Everything is journaled before it counts, so a program may end at any point. Call `run` again with the same id,
    and it goes on exactly there:

    - An open question is the same question. An answer that came meanwhile is told to the session, once.
    - The outputs of the last forward pass are taken from the journal. `forward` runs again only after an answer, and,
      where the policy's world changes by acting (`SeesAnew`), after an attempt that did not end the run.
    - An action that was begun and has no outcome is *unknown*: `policy.sense` is asked where there is one, and
      otherwise a person. It is never repeated blindly; only when it had not started, it starts under a new id.
    - A run that is over gives its episode at once and touches nothing.

    If the policy raises, the exception is passed on. An action that it interrupted is unknown at the next start.

    A stop at the desk ends the run as `stopped`, before anything else is done, however soon it is lifted. So does a
    repair of the journal, after which nobody knows what the run did last. A stop does not reach into `act`: stop the
    robot by its own means, too. A person lifts it with `desk.enable(…)`; then begin a new run, under another id.

    One program drives a run. It claims the run for as long as it does, and makes sure of that just before each
    action; a second program is refused at once. The claim ends with the program, also when it is killed. A program
    that hangs keeps it: kill it first. What a claim cannot prevent is a program that is suspended inside `act`, loses
    its connection to a database server, and wakes after another has gone on. So the robot's driver should refuse action
    ids that were declared void.

    Args:
        policy: The robot's policy.
        strategy: `troubleshoot`, `SELECTOR+WHEN`, or a strategy of your own.
        desk: Desk to which questions go; the run is written in its journal.
        run: Id of the run. Give each task its own, and the same one after a restart.
        settings: Weights and limits.
        costs: Costs of questions over time, such as `people.Workload`, as it was when the run began.
        options: Everything that may be weighed, with whom, such as `whom.Options` of the people at the desk. A question
            that is not answered in the time that its person usually takes, or whose person becomes very busy, is
            weighed again and may go on to somebody else; the first one may still answer.
        look_every_s: Interval at which the desk's clock is read while the robot waits, in real seconds.
        keep_trying_s: If the store is busy or away when an action is over, time for which writing its outcome is tried,
            in real seconds, since an outcome that is not written is unknown.

    Raises:
        WrongSize: The id is empty, longer than 200 characters, or not printable.
        BadRecord: The id belongs to a run with another policy, method or settings.
        IllegalCall: Another program drives this run.
        ContractViolation: `forward` gave no `Pass`, or something that no answer could say; `act` or `sense` gave no
            `Look`. After `act` the outcome is unknown then.
        StoreUnavailable: The journal cannot be written; start again when it can.
    """
    if not (0 < len(run) <= LONGEST_RUN and run.isprintable()):
        cut, must = repr(run[:LONGEST_RUN]), f"be 1 to {LONGEST_RUN} printable characters"
        raise WrongSize.of("the id of a run", cut, must, hint="Give another id.")
    method = strategy_of(strategy) if isinstance(strategy, str) else strategy
    limits = _Everybody(desk, len(policy.graph))
    if settings is not None and not settings.ask_again and isinstance(policy, SeesAnew):
        settings = replace(settings, outdated_by_acting=tuple(policy.outdated_by_acting))

    def session() -> DurableSession:
        return DurableSession.of_run(
            desk.journal,
            run,
            policy.graph,
            method,
            settings=settings,
            costs=costs,
            availability=limits,
            options=options,
        )

    # A run that is over is read without a claim: nothing is written, so nobody needs to be kept away.
    if any(isinstance(entry.event, RunEnded) for entry in desk.journal.read(run=run)):
        return _episode(session(), desk)
    with desk.journal.holding(run) as claim:
        driven = session()
        at_desk = AtDesk(desk, look_every_s, driven.first)
        _Loop(policy, at_desk, driven, claim, keep_trying_s).to_the_end()
        return _episode(driven, desk)


def _episode(session: DurableSession, desk: AskingDesk) -> Episode:
    """Return the result of a run that is over, and show people that it is."""
    ended = session.trail.ended
    assert ended is not None
    phase = Phase.STOPPED if ended.outcome is Outcome.STOPPED else Phase.DONE
    AtDesk(desk, 0.0, session.first).show(phase, ENDS[ended.outcome])
    return Episode(
        run=session.run,
        outcome=ended.outcome,
        reason=ended.reason,
        tally=session.tally,
        answers=AtDesk(desk, 0.0, session.first).answers(session.trail.answers),
        actions=session.trail.attempts,
        asked=_asked(session),
        costs=session.costs,
    )


@dataclass(frozen=True)
class _Everybody:
    """The desk's limits for a session: the same for every module. A stop is not among them; the loop hears it."""

    desk: AskingDesk
    modules: int

    def free_from_s(self, now_s: float) -> Sequence[float]:
        free_s = now_s if self.desk.stopped else self.desk.free_from_s(now_s)
        return [free_s] * self.modules


@dataclass(frozen=True)
class _Loop:
    policy: Policy
    at_desk: AtDesk
    session: DurableSession
    claim: Hold
    keep_trying_s: float

    @property
    def desk(self) -> AskingDesk:
        return self.at_desk.desk

    def to_the_end(self) -> None:
        session = self.session
        if session.trail.ended is None:
            session.mark_unknown()
            while session.outcome is None:
                with suppress(Erased):  # the session forgot them; the next step sees what is left
                    self._step()
            self._take_back()
            session.end(self._reason())

    def _step(self) -> None:
        session, seq = self.session, self.desk.journal.head().seq
        self.desk.tick()  # deferrals that are over end before anything is decided
        session.refresh()
        if self.at_desk.stopped:
            session.stopped(REPAIR if self.at_desk.repaired else STOP)
        elif session.phase is SessionPhase.ASKING:
            self._ask()
        elif session.phase is SessionPhase.ACTING:
            self._act()
        elif self._take_late_news():
            return
        elif session.trail.forward_due or self._acted_since_pass():
            self._forward()
        elif session.phase is SessionPhase.WAITING and self.desk.now_s() < (until_s := self._until_s()):
            self.at_desk.pause(min(until_s, self.at_desk.next_end_s(self._put_off().values())), seq)
        else:
            self.at_desk.show(Phase.DECIDING)
            session.next(self.desk.now_s())

    # -- asking ------------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        module, load = self._asked_about()
        record = self.desk.ask(
            self._addressed(module),
            run=self.session.run,
            step=module,
            attempt=self.session.trail.turn(module),
            load=load,
        )
        until_s = self._reroute(record)
        settled = self.at_desk.settled(record.id, self.session.trail.put_off.get(module), until_s)
        if settled is not None:
            self._tell(module, settled)

    def _reroute(self, record: DeskQuestion) -> float:
        """Hand the open question on where somebody else should be asked now, and return when to look again."""
        session, desk, pending = self.session, self.desk, self.session.pending
        if pending is None or pending.person is None or not isinstance(desk, HandsOn):
            return math.inf
        if record.status in ("held", "open"):
            if record.turn in session.tried:  # a program ended between the decision and this
                desk.hand_on(record.id, pending.person)
            else:
                since_s = record.asked_s if record.opened_s is None else record.opened_s
                decision = session.reroute(desk.now_s(), person=record.turn, since_s=since_s)
                if decision is not None and decision.person is not None:
                    desk.hand_on(record.id, decision.person)
        return desk.now_s() + self.at_desk.look_every_s

    def _addressed(self, module: str) -> Question:
        """Return the question to the people who were chosen, with the support that was chosen for them."""
        session, pending = self.session, self.session.pending
        question = session.addressed(self._question(module))
        if pending is None or pending.support is None or not isinstance(self.policy, Supports):
            return question
        return replace(question, support=self.policy.support(module, pending.support, session.outputs or {}))

    def _asked_about(self) -> tuple[str, float]:
        """Return the module that the open question is about, and the load of the question."""
        decided = next(event for event in reversed(self.session.history) if isinstance(event, Decided))
        assert decided.decision.module is not None
        return decided.decision.module, decided.load

    def _tell(self, module: str, record: DeskQuestion) -> None:
        session, now_s = self.session, self.desk.now_s()
        answer = record.answer
        if record.status == "answered" and answer is not None and answer.value is not None:
            expert = min(session.settings.expert, answer.certainty)
            changed = self._differs(module, answer.value)
            session.answered(module, changed=changed, by=answer.by, expert=expert, now_s=now_s)
        elif record.status == "withdrawn" and record.cause == "stop":
            session.stopped(STOP)
        else:
            why = NO_ANSWER.get(record.status, Unanswered.EXPIRED)
            until_s = record.until_s if why is Unanswered.NOT_NOW else None
            session.unanswered(module, why, until_s=until_s, now_s=now_s)

    def _differs(self, module: str, answer: Value) -> bool | None:
        """Return whether an answer differs from the module's last output; None where there is none."""
        output = (self.session.outputs or {}).get(module)
        if output is None:
            return None
        return self.policy.differs(module, output, answer) if isinstance(self.policy, Compares) else output != answer

    def _put_off(self) -> dict[str, str]:
        """Return the questions that were put off, by module."""
        return {module: self.session.question_id(module) for module in self.session.trail.put_off}

    def _take_late_news(self) -> bool:
        """Tell the session the end of one question that had been put off, if there is one."""
        for module, question in self._put_off().items():
            record = self.desk.record(question)
            if record is not None and record.ended:
                self._tell(module, record)
                return True
        return False

    def _question(self, module: str) -> Question:
        """Return the question in the policy's words, with the robot's own guess and why it asks."""
        session, outputs = self.session, self.session.outputs or {}
        if isinstance(self.policy, Words):
            return self.policy.question(module, outputs)
        question = session.question
        assert question is not None
        failed = session.tally.failures
        tried = f"I tried {failed} time{'s' * (failed > 1)}, and it did not work" if failed else "I am not sure"
        question = replace(question, why=question.why or f"{tried}; '{module}' may be wrong.")
        if module not in outputs or question.guess is not None:
            return question
        try:
            return replace(question, guess=outputs[module], sure=1.0 - session.posterior[module])
        except BadSetting:  # the output is no answer to this question, so it cannot be its guess
            return question

    # -- the policy --------------------------------------------------------------------------------------------------

    def _acted_since_pass(self) -> bool:
        """Return whether the policy must look again, because its last action changed the world."""
        passes = (event for event in reversed(self.session.history) if isinstance(event, Forwarded | Executed))
        return isinstance(self.policy, SeesAnew) and isinstance(next(passes, None), Executed)

    def _forward(self) -> None:
        session = self.session
        gone: list[str] = []
        # Answers about a world that is gone, such as places on a picture, are not given to the policy again.
        if isinstance(self.policy, SeesAnew) and self._acted_since_pass():
            gone = [module for module in self.policy.outdated_by_acting if module in session.trail.answers]
        holding = {module: key for module, key in session.trail.answers.items() if module not in gone}
        answers = self.at_desk.answers(holding)
        self.at_desk.show(Phase.LOOKING)
        result: object = self.policy.forward(answers)
        if not isinstance(result, Pass):
            raise ContractViolation(
                f"forward() gave {shown(result)}", hint="forward() must return Pass(outputs=…, confidences=…)."
            )
        outputs = {module: _as_stored(module, output) for module, output in result.outputs.items()}
        gone += [module for module in result.outdated if module in answers]
        own = [name for name in session.graph.names if name in outputs and (name not in answers or name in gone)]
        changed = [module for module in own if self._differs(module, outputs[module])]
        session.passed(outputs, result.confidences, changed, gone, people=result.people)

    def _act(self) -> None:
        session = self.session
        if session.open_attempt is not None:
            settle_unknown(session, session.open_attempt, self.policy, self.at_desk)
            return
        if session.outputs is None:  # erased, with somebody whose answers had shaped them
            self._forward()
        # `begin` is in the journal before the robot moves: a program that dies from here on leaves an unknown outcome.
        action = session.begin()
        self.claim.check()
        session.check_alone()
        outputs = session.outputs
        if self.at_desk.stopped or outputs is None:  # the last moment at which a stop, or an erasure, is heard
            session.settle(Settled.VOID)
            return
        self.at_desk.show(Phase.MOVING)
        look = self._done(outputs, action)
        if doubt_of(self.policy, action) is None:
            self.desk.journal.patiently(lambda: self._executed(look), self.keep_trying_s)
        else:
            self.desk.journal.patiently(session.mark_unknown, self.keep_trying_s)

    def _done(self, outputs: Mapping[str, Value], action: str) -> Look:
        """Act, or run the recovery that was decided, and return what became of it."""
        recovery = None if self.session.pending is None else self.session.pending.recovery
        if recovery is None:
            return look_of("act()", self.policy.act(outputs, action))
        if not isinstance(self.policy, Recovers):
            cause = f"the policy has no recover(), and '{recovery}' was decided"
            raise ContractViolation(cause, hint="Give it one, or leave recoveries out of the options.")
        return look_of("recover()", self.policy.recover(recovery, outputs, action))

    def _executed(self, look: Look) -> None:
        self.session.executed(look.ok, certainty=look.certainty, now_s=self.desk.now_s())

    # -- ending -------------------------------------------------------------------------------------------------------

    def _until_s(self) -> float:
        pending = self.session.pending
        assert pending is not None
        assert pending.until_s is not None
        return pending.until_s

    def _take_back(self) -> None:
        session = self.session
        self.at_desk.withdraw([session.question_id(module) for module in session.graph.names])
        if session.open_attempt is not None:
            self.at_desk.withdraw(questions_about(session, session.open_attempt))

    def _reason(self) -> str:
        """Return why the run ended, from the session's last event."""
        match self.session.history[-1]:
            case Decided() as last:
                return last.decision.reason
            case EpisodeStopped() as last:
                return last.why
            case _:
                return f"It worked at try {self.session.tally.executions}."


def _asked(session: DurableSession) -> tuple[str, ...]:
    decisions = (event.decision for event in session.history if isinstance(event, Decided))
    questions = (decision for decision in decisions if decision.action is Action.ASK)
    return tuple(question.module for question in questions if question.module is not None)


def _as_stored(module: str, output: Value) -> Value:
    """Return an output as the journal gives it back, so that live and restarted programs see the same.

    Raises:
        ContractViolation: No answer could say this output.
    """
    hint = "Give words, truth, a number, a box or points; name what is larger by a word."
    try:
        stored = value_from_json(value_to_json(output))
    except BadAnswer as error:
        raise ContractViolation(f"forward() says for '{module}': {error.cause}", hint=hint) from None
    if stored is None:
        raise ContractViolation(f"forward() says nothing for '{module}'", hint=hint)
    return stored
