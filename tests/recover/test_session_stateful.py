"""Any course of an episode: what is legal is taken, what is not is refused, it ends, and it can be stored anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import assume, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from handup.core import Action, Decision, IllegalCall
from handup.policy import ModuleGraph
from handup.recover import Session, SessionPhase, Settings, TimeUnit, Unanswered
from tests.strategies import certainties, chances, experts, module_lists

METHODS = (
    "troubleshoot",
    "troubleshoot",
    "graph+workload-aware",
    "confidence+execute-first",
    "brute-force+query-then-execute",
    "topo+until-confident",
    "never+query-for-all",
    "binary-tree+workload-aware",
    "hybrid+until-confident",
)
STEPS_PER_MODULE = 4


def stored(session: Session) -> Any:
    """Through real JSON, which knows neither infinity nor nan."""
    return json.loads(json.dumps(session.to_json(), allow_nan=False))


@st.composite
def terms(draw: st.DrawFn) -> Settings:
    return Settings(
        w=draw(st.sampled_from((0.5, 0.5, 0.0, 1.0)) | st.floats(0.0, 1.0)),
        expert=draw(experts),
        time=draw(st.sampled_from(TimeUnit)),
        act_time=draw(st.sampled_from((1.0, 0.5, 20.0))),
        ask_time=draw(st.sampled_from((1.0, 0.0, 5.0))),
        horizon=draw(st.none() | st.floats(0.5, 40.0)),
        accept_success=draw(st.sampled_from((0.5, 0.9, 0.0, 1.0))),
        max_unanswered=draw(st.integers(1, 3)),
        max_wait_s=draw(st.sampled_from((3600.0, 100.0))),
        max_steps_per_module=STEPS_PER_MODULE,
    )


class Episode(RuleBasedStateMachine):
    """A robot and a person who may do anything that the session allows, and try what it does not."""

    session: Session
    now_s: float

    @initialize(modules=module_lists(most=4, confidence=chances), method=st.sampled_from(METHODS), settings=terms())
    def begin(self, modules: list[Any], method: str, settings: Settings) -> None:
        self.session = Session(ModuleGraph(modules), method, settings)
        self.now_s = 0.0

    # -- legal calls ---------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.session.phase in (SessionPhase.DECIDING, SessionPhase.WAITING))
    @rule(passed_s=st.floats(0.0, 30.0))
    def decide(self, passed_s: float) -> None:
        self.now_s += passed_s
        if self.session.pending is not None and self.session.pending.until_s is not None:
            self.now_s = max(self.now_s, self.session.pending.until_s)
        again = Session.from_json(stored(self.session))
        decision = self.session.next(self.now_s)
        assert again.next(self.now_s) == decision
        assert decision.reason.strip()
        self.check_phase(decision)

    def check_phase(self, decision: Decision) -> None:
        phases = {
            Action.ACT: SessionPhase.ACTING,
            Action.ASK: SessionPhase.ASKING,
            Action.WAIT: SessionPhase.WAITING,
            Action.YIELD: SessionPhase.ENDED,
        }
        assert self.session.phase is phases[decision.action]
        if decision.action is Action.ASK:
            assert decision.module in self.session.graph.names
        if decision.action is Action.WAIT:
            assert decision.until_s is not None and decision.until_s > self.now_s

    @precondition(lambda self: self.session.phase is SessionPhase.ASKING)
    @rule(changed=st.sampled_from((True, False, None)), expert=st.none() | experts)
    def answer(self, changed: bool | None, expert: float | None) -> None:
        self.session.answered(self.asked(), changed=changed, expert=expert, now_s=self.now_s)
        assert self.session.phase is SessionPhase.DECIDING

    @precondition(lambda self: self.session.phase is SessionPhase.ASKING)
    @rule(why=st.sampled_from(Unanswered), until_s=st.none() | st.floats(0.0, 500.0))
    def leave_unanswered(self, why: Unanswered, until_s: float | None) -> None:
        self.session.unanswered(self.asked(), why, until_s=until_s, now_s=self.now_s)
        assert self.session.phase is SessionPhase.DECIDING

    @precondition(lambda self: self.session.phase is SessionPhase.ACTING)
    @rule(ok=st.sampled_from((False, False, False, True)), certainty=certainties)
    def execute(self, ok: bool, certainty: float) -> None:
        self.session.executed(ok, certainty=certainty)
        assert self.session.phase in (SessionPhase.DECIDING, SessionPhase.ENDED)
        assert ok or self.session.phase is SessionPhase.DECIDING

    @precondition(lambda self: self.session.phase in (SessionPhase.DECIDING, SessionPhase.WAITING))
    @rule(data=st.data())
    def forward(self, data: st.DataObject) -> None:
        names = st.sampled_from(self.session.graph.names)
        brought, changed = (
            data.draw(st.dictionaries(names, chances, max_size=2)),
            data.draw(st.lists(names, max_size=1)),
        )
        if not self.session._state.forward_due:
            with pytest.raises(IllegalCall):
                self.session.forwarded(brought, changed=changed)
            return
        self.session.forwarded(brought, changed=changed)
        assert self.session.phase is SessionPhase.DECIDING

    @precondition(lambda self: self.session.phase in (SessionPhase.DECIDING, SessionPhase.WAITING, SessionPhase.ASKING))
    @rule(data=st.data(), changed=st.booleans())
    def answer_late(self, data: st.DataObject, changed: bool) -> None:
        late = sorted(self.session._state.late)
        assume(late)
        module = self.session.graph.names[data.draw(st.sampled_from(late))]
        self.session.answered(module, changed=changed)

    @rule(stop=st.sampled_from((False,) * 9 + (True,)))
    def stop(self, stop: bool) -> None:
        if stop:
            self.session.stopped("enough")
            assert self.session.phase is SessionPhase.ENDED

    @precondition(
        lambda self: self.session.phase in (SessionPhase.DECIDING, SessionPhase.WAITING) and self.session._state.late
    )
    @rule(why=st.sampled_from(Unanswered))
    def hear_the_end_of_a_question_that_was_put_off(self, why: Unanswered) -> None:
        session = self.session
        module, before = session.graph.names[min(session._state.late)], session.tally
        session.unanswered(module, why, now_s=self.now_s)
        assert session.phase is SessionPhase.DECIDING
        assert session.tally == before, "it was counted when it was put off"

    # -- illegal calls -------------------------------------------------------------------------------------------------

    @rule(data=st.data())
    def try_what_is_illegal(self, data: st.DataObject) -> None:
        session, names = self.session, self.session.graph.names
        phase, late = session.phase, {names[index] for index in session._state.late}
        other = [name for name in names if not (phase is SessionPhase.ASKING and name == self.asked())]
        never_asked = [name for name in other if name not in late]
        calls: list[Callable[[], object]] = []
        if phase not in (SessionPhase.DECIDING, SessionPhase.WAITING):
            calls += [lambda: session.next(self.now_s), lambda: session.forwarded({})]
        elif phase is SessionPhase.WAITING:
            calls += [lambda: session.next(self.now_s)]
        if phase is not SessionPhase.ACTING:
            calls += [lambda: session.executed(True), lambda: session.executed(False, certainty=0.7)]
        if never_asked:
            calls += [lambda: session.unanswered(never_asked[0], "not-now")]
            calls += [lambda: session.answered(never_asked[-1], changed=True)]
        if phase in (SessionPhase.ACTING, SessionPhase.ENDED):
            calls += [lambda: session.answered(names[0], changed=True), lambda: session.unanswered(names[0], "expired")]
        assume(calls)
        before = stored(session)
        with pytest.raises(IllegalCall):
            data.draw(st.sampled_from(calls))()
        assert stored(session) == before

    # -- always --------------------------------------------------------------------------------------------------------

    @invariant()
    def it_can_be_stored_and_goes_on_the_same(self) -> None:
        record = stored(self.session)
        again = Session.from_json(record)
        assert stored(again) == record
        assert (again.phase, again.outcome, again.pending) == (
            self.session.phase,
            self.session.outcome,
            self.session.pending,
        )
        assert again.tally == self.session.tally

    @invariant()
    def it_has_an_outcome_exactly_when_it_has_ended(self) -> None:
        assert (self.session.outcome is not None) == (self.session.phase is SessionPhase.ENDED)

    @invariant()
    def it_stays_within_its_bounds(self) -> None:
        tally, terms = self.session.tally, self.session.settings
        assert tally.steps <= STEPS_PER_MODULE * len(self.session.graph)
        assert tally.waited_s <= terms.max_wait_s
        assert 0.0 <= tally.failures <= tally.executions
        assert tally.objective >= 0.0

    def asked(self) -> str:
        assert self.session.pending is not None and self.session.pending.module is not None
        return self.session.pending.module

    def teardown(self) -> None:
        """From wherever it stands the episode ends, even if nobody answers and everything fails."""
        if not hasattr(self, "session"):
            return
        session = self.session
        most = (STEPS_PER_MODULE + 2) * len(session.graph) * (session.settings.max_unanswered + 2) + 10
        for _ in range(most):
            if session.phase is SessionPhase.ENDED:
                break
            if session.phase is SessionPhase.ACTING:
                session.executed(False)
            elif session.phase is SessionPhase.ASKING:
                session.unanswered(self.asked(), "expired", now_s=self.now_s)
            else:
                if session.pending is not None and session.pending.until_s is not None:
                    self.now_s = max(self.now_s, session.pending.until_s)
                session.next(self.now_s)
        assert session.outcome is not None


TestEpisode = Episode.TestCase
TestEpisode.settings = settings(stateful_step_count=25)
