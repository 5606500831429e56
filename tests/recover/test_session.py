"""One episode: what may be told when, and what each thing told means."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from handup.core import (
    Action,
    BadRecord,
    BadSetting,
    ContractViolation,
    Costs,
    Decision,
    HandupError,
    IllegalCall,
    Outcome,
    Question,
    QuestionKind,
    UnknownModule,
)
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.recover import Session, SessionPhase, Settings, TimeUnit, Unanswered
from handup.when import Troubleshoot, flips_at
from tests.make import chain_of
from tests.recover.drive import BITE, IN_PHASE, SURE, acting, asking, ended, step, waiting

Call = Callable[[Session], object]

CALLS: dict[str, Call] = {
    "next": lambda session: session.next(1000.0),
    "forwarded": lambda session: session.forwarded({"m0": 0.5}),
    "answered": lambda session: session.answered("m1", changed=True),
    "answered another": lambda session: session.answered("m0", changed=True),
    "unanswered": lambda session: session.unanswered("m1", "not-now"),
    "unanswered another": lambda session: session.unanswered("m0", "expired"),
    "executed": lambda session: session.executed(False),
    "succeeded": lambda session: session.executed(True),
    "stopped": lambda session: session.stopped(),
}
LEGAL = {
    SessionPhase.DECIDING: {"next", "forwarded", "stopped"},
    SessionPhase.ASKING: {"answered", "unanswered", "stopped"},
    SessionPhase.ACTING: {"executed", "succeeded", "stopped"},
    SessionPhase.WAITING: {"next", "forwarded", "answered", "unanswered", "stopped"},
    SessionPhase.ENDED: {"stopped"},
}
"""What may be told in each of the phases that `drive` makes; while waiting, m1's question may still come to an end."""


def record(session: Session) -> str:
    return json.dumps(session.to_json())


# -- what may be told when ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", SessionPhase)
def test_each_phase_can_be_reached(phase: SessionPhase) -> None:
    assert IN_PHASE[phase]().phase is phase


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("phase", SessionPhase)
def test_what_is_legal_is_taken_and_what_is_not_changes_nothing(phase: SessionPhase, call: str) -> None:
    session = IN_PHASE[phase]()
    before, belief = record(session), session.belief
    if call in LEGAL[phase]:
        CALLS[call](session)
        assert record(session) != before or (call, phase) == ("stopped", SessionPhase.ENDED)
        return
    with pytest.raises(IllegalCall) as caught:
        CALLS[call](session)
    assert caught.value.hint
    assert record(session) == before
    assert session.phase is phase
    assert session.belief is belief


@pytest.mark.parametrize(
    ("phase", "call", "error"),
    [
        (SessionPhase.DECIDING, lambda session: session.next(math.nan), BadSetting),
        (SessionPhase.DECIDING, lambda session: session.next(math.inf), BadSetting),
        (SessionPhase.DECIDING, lambda session: session.forwarded({"nobody": 0.5}), UnknownModule),
        (SessionPhase.DECIDING, lambda session: session.forwarded({"m0": 1.5}), BadSetting),
        (SessionPhase.DECIDING, lambda session: session.forwarded({"m0": 0.5, "m1": math.nan}), BadSetting),
        (SessionPhase.ASKING, lambda session: session.answered("nobody", changed=True), UnknownModule),
        (SessionPhase.ASKING, lambda session: session.answered("m1", changed=True, expert=1.1), BadSetting),
        (SessionPhase.ASKING, lambda session: session.answered("m1", changed=True, expert=math.nan), BadSetting),
        (SessionPhase.ASKING, lambda session: session.answered("m1", changed=True, now_s=math.nan), BadSetting),
        (SessionPhase.ASKING, lambda session: session.answered("m1", changed=True, now_s=math.inf), BadSetting),
        (SessionPhase.ASKING, lambda session: session.unanswered("nobody", "not-now"), UnknownModule),
        (SessionPhase.ASKING, lambda session: session.unanswered("m1", "gone fishing"), BadSetting),
        (SessionPhase.ASKING, lambda session: session.unanswered("m1", "not-now", until_s=math.nan), BadSetting),
        (SessionPhase.ASKING, lambda session: session.unanswered("m1", "not-now", until_s=math.inf), BadSetting),
        (SessionPhase.ASKING, lambda session: session.unanswered("m1", "not-now", now_s=math.nan), BadSetting),
        (SessionPhase.ACTING, lambda session: session.executed(True, certainty=0.4), BadSetting),
        (SessionPhase.ACTING, lambda session: session.executed(True, certainty=1.1), BadSetting),
        (SessionPhase.ACTING, lambda session: session.executed(True, certainty=math.nan), BadSetting),
    ],
)
def test_a_wrong_value_is_refused_and_changes_nothing(
    phase: SessionPhase, call: Call, error: type[HandupError]
) -> None:
    session = IN_PHASE[phase]()
    before = record(session)
    with pytest.raises(error):
        call(session)
    assert record(session) == before


@pytest.mark.parametrize("phase", [SessionPhase.DECIDING, SessionPhase.ENDED])
def test_nothing_that_is_not_decided_can_flip(phase: SessionPhase) -> None:
    with pytest.raises(IllegalCall, match="nothing is decided"):
        IN_PHASE[phase]().flips()


@pytest.mark.parametrize("phase", SessionPhase)
def test_it_can_be_stopped_at_any_time_and_twice(phase: SessionPhase) -> None:
    session = IN_PHASE[phase]()
    outcome_before = session.outcome
    session.stopped("hand on the arm")
    session.stopped()
    assert session.phase is SessionPhase.ENDED
    assert session.outcome is (outcome_before or Outcome.STOPPED)
    assert session.pending is None
    with pytest.raises(IllegalCall):
        session.next(5.0)


def test_a_stop_does_not_change_how_an_ended_episode_ended() -> None:
    session = ended()
    session.stopped()
    assert session.outcome is Outcome.RECOVERED


# -- questions ---------------------------------------------------------------------------------------------------------


def test_an_open_question_is_put_in_the_policys_words() -> None:
    question = Question("Which bite?", QuestionKind.CHOICE, ("grape", "melon"))
    session = Session(ModuleGraph([Module("food", 0.1, 0.1, question=question)]))
    session.next(0.0)
    assert session.question == question


@pytest.mark.parametrize("phase", [each for each in SessionPhase if each is not SessionPhase.ASKING])
def test_where_nothing_is_asked_there_is_no_question(phase: SessionPhase) -> None:
    assert IN_PHASE[phase]().question is None


def test_an_answered_question_is_closed() -> None:
    session = asking()
    session.answered("m1", changed=True)
    assert session.question is None


def test_a_module_without_words_gets_a_plain_question() -> None:
    question = asking().question
    assert question is not None
    assert "m1" in question.prompt


def test_an_answer_makes_the_module_right_and_shows_whether_it_was() -> None:
    session = asking()
    session.answered("m1", changed=True)
    assert session.posterior["m1"] == 0.0
    assert session.reliability == pytest.approx(0.81)


def test_an_answer_of_an_expert_who_errs_counts_as_far_as_it_goes() -> None:
    session = asking()
    session.answered("m1", changed=True, expert=0.7, by="Ada")
    assert session.posterior["m1"] == pytest.approx(0.3)


def test_the_settings_expert_counts_where_the_answer_does_not_say() -> None:
    session = asking(settings=Settings(expert=0.8))
    session.answered("m1", changed=True)
    assert session.posterior["m1"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("why", "pause_s"),
    [(Unanswered.NOT_NOW, 120.0), (Unanswered.SOMEONE_ELSE, 30.0), (Unanswered.EXPIRED, 60.0), ("not-now", 120.0)],
)
def test_an_unanswered_question_is_not_put_again_before_its_reason_ends(why: Unanswered | str, pause_s: float) -> None:
    session = asking(SURE)
    session.unanswered("m1", why, now_s=10.0)
    step(session, 11.0)
    decision = session.next(12.0)
    assert (decision.action, decision.until_s) == (Action.WAIT, 10.0 + pause_s)
    decision = session.next(10.0 + pause_s)
    assert (decision.action, decision.module) == (Action.ASK, "m1")


def test_the_pauses_are_settings() -> None:
    session = asking(SURE, Settings(not_now_s=7.0))
    session.unanswered("m1", "not-now", now_s=0.0)
    step(session, 1.0)
    assert session.next(2.0).until_s == 7.0


def test_who_says_until_when_is_taken_at_their_word() -> None:
    session = asking(SURE)
    session.unanswered("m1", "not-now", until_s=999.0)
    step(session, 1.0)
    assert session.next(2.0).until_s == 999.0


def test_an_unanswered_question_is_remembered_in_steps_and_load() -> None:
    session = asking()
    session.unanswered("m1", "expired")
    assert session.tally.questions == 1
    assert session.tally.load == pytest.approx(0.3)


def test_let_the_robot_try_makes_it_act_next_and_frees_the_question_afterwards() -> None:
    session = asking(SURE)
    session.unanswered("m1", "let-robot-try", now_s=5.0)
    decision = session.next(6.0)
    assert decision.action is Action.ACT
    assert "let the robot try" in decision.reason
    session.executed(False)
    decision = session.next(7.0)
    assert (decision.action, decision.module) == (Action.ASK, "m1")


def test_let_the_robot_try_holds_for_one_try() -> None:
    session = asking(SURE)
    session.unanswered("m1", "let-robot-try")
    step(session, 1.0, ok=False)
    assert session.next(2.0).action is Action.ASK


def test_let_the_robot_try_said_late_ends_the_wait_and_makes_it_act() -> None:
    session = waiting()
    asked = session._state.unanswered
    session.unanswered("m1", "let-robot-try", now_s=3.0)
    assert (session.phase, session._state.unanswered) == (SessionPhase.DECIDING, asked)
    assert session.next(3.0).action is Action.ACT


def test_a_question_that_ends_late_does_not_disturb_the_open_one() -> None:
    session = asking()
    session.unanswered("m1", "not-now", now_s=0.0)
    session._state = replace(session._state, late=frozenset({0}))
    while session.next(200.0).action is not Action.ASK:
        session.executed(False)
    session.unanswered("m0", "let-robot-try", now_s=200.0)
    assert session.phase is SessionPhase.ASKING
    session.answered(session.pending.module or "" if session.pending else "", changed=False)
    assert session.next(201.0).action is Action.ACT, "what was said meanwhile is not forgotten"


def test_after_so_many_unanswered_questions_a_module_is_not_asked_about_again() -> None:
    session = waiting(Settings(max_unanswered=2))
    assert session.next(120.0).action is Action.ASK
    session.unanswered("m1", "expired", now_s=130.0)
    decision = session.next(131.0)
    assert decision.action is Action.YIELD
    assert "may not be asked any more" in decision.reason
    assert session.outcome is Outcome.YIELDED


def test_let_the_robot_try_counts_as_unanswered_too() -> None:
    session = Session(SURE, settings=Settings(max_unanswered=1))
    session.next(0.0)
    session.unanswered("m1", "let-robot-try")
    step(session, 1.0, ok=False)
    assert session.next(2.0).action is Action.YIELD


def test_a_late_answer_ends_a_wait() -> None:
    session = waiting()
    session.answered("m1", changed=True, now_s=50.0)
    assert session.phase is SessionPhase.DECIDING
    assert session.next(51.0).action is Action.ACT


def test_a_late_answer_is_taken_while_another_question_is_open() -> None:
    session = Session(chain_of((0.2, 0.2), 0.3), "topo+query-for-all")
    assert session.next(0.0).module == "m0"
    session.unanswered("m0", "expired", now_s=1.0)
    assert session.next(2.0).module == "m1"
    session.answered("m0", changed=True)
    assert session.phase is SessionPhase.ASKING
    assert session.posterior["m0"] == 0.0
    session.answered("m1", changed=True)
    assert session.next(3.0).action is Action.ACT


def test_a_late_answer_is_taken_once() -> None:
    session = waiting()
    session.answered("m1", changed=True)
    with pytest.raises(IllegalCall, match="no question about 'm1' is open"):
        session.answered("m1", changed=False)


def test_a_late_answer_is_not_taken_during_an_execution() -> None:
    session = asking(SURE)
    session.unanswered("m1", "not-now")
    session.next(1.0)
    with pytest.raises(IllegalCall):
        session.answered("m1", changed=True)


def test_an_answer_after_the_person_said_let_the_robot_try_still_lets_it_try() -> None:
    session = asking(SURE)
    session.unanswered("m1", "let-robot-try")
    session.answered("m1", changed=True)
    assert session.next(1.0).action is Action.ACT


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_a_wait_names_its_time_and_next_is_refused_before_it() -> None:
    session = waiting()
    assert session.pending is not None and session.pending.until_s == 120.0
    with pytest.raises(IllegalCall, match="the wait is not over: it is 119"):
        session.next(119.0)
    assert session.next(120.0).action is Action.ASK


def test_waiting_takes_no_steps_but_is_tallied_when_it_is_over() -> None:
    session = waiting()
    assert (session.tally.steps, session.tally.waited_s) == (2, 0.0)
    session.next(500.0)
    assert session.tally.waited_s == 118.0


def test_a_wait_that_news_ends_is_tallied_as_long_as_it_was() -> None:
    session = waiting()
    session.answered("m1", changed=True, now_s=12.0)
    session.next(12.0)
    assert session.tally.waited_s == 10.0


def test_an_episode_does_not_wait_longer_than_its_limit() -> None:
    session = asking(SURE, Settings(max_wait_s=100.0))
    session.unanswered("m1", "not-now", now_s=0.0)
    step(session, 1.0)
    decision = session.next(2.0)
    assert decision.action is Action.YIELD
    assert "over 100 s" in decision.reason
    assert session.outcome is Outcome.YIELDED


def test_it_does_not_wait_for_a_module_that_would_not_help() -> None:
    session = Session(SURE, settings=Settings(max_unanswered=1))
    session.next(0.0)
    session.unanswered("m1", "expired", now_s=0.0)
    step(session, 1.0)
    blocked = session.belief.blocked(0, 500.0)
    decision = Troubleshoot().decide(blocked, Costs.of(SURE.query_costs, time_left=4.0), 2.0)
    assert decision.action is Action.YIELD, "m0 is free at 500 s but is known to be right"
    assert "'m1' would help, and it may not be asked any more" in decision.reason


def test_it_waits_for_the_question_that_may_be_asked_again_rather_than_give_up_for_the_other() -> None:
    graph = ModuleGraph(
        [
            Module("camera", 0.2, 0.1),
            Module("haptics", 0.3, 0.3),
            Module("grasp", 1.0, 0.3, ("camera", "haptics"), Gate.OR),
        ]
    )
    failed = Belief.of(graph).after_execution(False)
    held = failed.blocked(0, math.inf).blocked(1, 100.0)
    decision = Troubleshoot().decide(held, Costs.of(graph.query_costs), 2.0)
    assert (decision.action, decision.module, decision.until_s) == (Action.WAIT, "haptics", 100.0)


# -- time --------------------------------------------------------------------------------------------------------------


def test_the_horizon_ends_the_episode_by_name() -> None:
    session = Session(BITE, "never+execute-first", Settings(horizon=3))
    for _ in range(3):
        step(session)
    decision = session.next(0.0)
    assert (decision.action, session.outcome) == (Action.YIELD, Outcome.HORIZON)
    assert "used up after 3 steps" in decision.reason


@pytest.mark.parametrize(("modules", "steps"), [(1, 8), (3, 8), (5, 10)])
def test_an_episode_lasts_twice_its_modules_and_at_least_eight_steps(modules: int, steps: int) -> None:
    session = Session(chain_of((0.5,) * modules, 0.2), "never+execute-first")
    while session.outcome is None:
        step(session)
    assert session.tally.executions == steps


def test_in_steps_the_clock_does_not_count() -> None:
    session = Session(BITE, "never+execute-first", Settings(horizon=2))
    step(session, 0.0)
    assert session.next(1e6).action is Action.ACT


def test_in_seconds_the_clock_counts_from_the_first_decision() -> None:
    terms = Settings(time=TimeUnit.SECONDS, act_time=10.0, ask_time=5.0, horizon=60.0)
    session = Session(BITE, "never+execute-first", terms)
    step(session, 1000.0)
    step(session, 1059.0)
    assert session.next(1060.0).action is Action.YIELD
    assert session.outcome is Outcome.HORIZON


def test_whatever_the_clock_says_steps_are_bounded() -> None:
    terms = Settings(time=TimeUnit.SECONDS, max_steps_per_module=2, horizon=1e6)
    session = Session(BITE, "never+execute-first", terms)
    for _ in range(6):
        step(session, 0.0)
    assert session.next(0.0).action is Action.YIELD
    assert session.outcome is Outcome.HORIZON


def test_questions_that_take_no_time_are_bounded_too() -> None:
    session = Session(BITE, settings=Settings(ask_time=0.0, expert=0.5))
    for _ in range(1000):
        if session.outcome is not None:
            break
        step(session)
    assert session.outcome is not None


def test_a_clock_that_jumps_back_counts_as_no_time_passed() -> None:
    session = asking(SURE)
    session.unanswered("m1", "not-now", now_s=100.0)
    step(session, 50.0)
    assert session.next(3.0).until_s == 220.0
    with pytest.raises(IllegalCall):
        session.next(219.0)
    assert session.next(220.0).action is Action.ASK


def test_a_pause_begins_at_the_latest_time_told() -> None:
    session = Session(chain_of((0.2, 0.2), 0.3), "topo+query-for-all")
    session.next(100.0)
    session.answered("m0", changed=True)
    session.next(50.0)
    session.unanswered("m1", "not-now")
    assert session.belief.blocked_until_s[1] == 220.0


def test_the_time_of_an_answer_counts() -> None:
    terms = Settings(time=TimeUnit.SECONDS, ask_time=1.0, horizon=10.0)
    session = Session(chain_of((0.2, 0.2), 0.3), "topo+query-for-all", terms)
    session.next(0.0)
    session.answered("m0", changed=True, now_s=10.0)
    session.next(5.0)
    assert session.outcome is Outcome.HORIZON


def test_in_seconds_a_jump_back_gives_no_time_back() -> None:
    session = Session(BITE, "never+execute-first", Settings(time=TimeUnit.SECONDS, horizon=10.0))
    step(session, 0.0)
    step(session, 9.0)
    step(session, -1e9)
    assert session.next(10.0).action is Action.YIELD


def test_slow_executions_make_it_ask_where_quick_ones_make_it_try() -> None:
    graph = chain_of((0.9, 0.7, 0.9), 0.3)
    quick = Session(graph, settings=Settings(time=TimeUnit.SECONDS, act_time=1.0, ask_time=10.0, horizon=600.0))
    slow = Session(graph, settings=Settings(time=TimeUnit.SECONDS, act_time=60.0, ask_time=1.0, horizon=600.0))
    assert quick.next(0.0).action is Action.ACT
    assert slow.next(0.0).action is Action.ASK


# -- costs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mealtime:
    """Questions are dear until a time, and cheap afterwards."""

    until_s: float

    def query_costs(self, now_s: float) -> Sequence[float]:
        return [5.0 if now_s < self.until_s else 0.1] * 3


def test_a_cost_model_that_changes_over_time_is_seen_at_every_decision() -> None:
    session = Session(BITE, "confidence+workload-aware", costs=Mealtime(100.0))
    assert step(session, 0.0).action is Action.ACT
    assert step(session, 99.0).action is Action.ACT
    assert step(session, 100.0).action is Action.ASK
    assert session.tally.load == pytest.approx(0.1)


def test_troubleshoot_sees_the_cost_model_too() -> None:
    costs = Mealtime(100.0)
    assert Session(BITE, costs=costs).next(0.0).action is Action.ACT
    assert Session(BITE, costs=costs).next(100.0).action is Action.ASK


@dataclass(frozen=True)
class Broken:
    costs: Sequence[float]

    def query_costs(self, now_s: float) -> Sequence[float]:
        return self.costs


@pytest.mark.parametrize("costs", [[0.1], [0.1] * 4, [-1.0] * 3, [math.nan] * 3, [math.inf] * 3, []])
@pytest.mark.parametrize("method", ["troubleshoot", "graph+workload-aware"])
def test_a_cost_model_that_makes_no_sense_is_refused_and_changes_nothing(costs: list[float], method: str) -> None:
    session = Session(BITE, method, costs=Broken(costs))
    before = record(session)
    with pytest.raises(BadSetting, match="cost"):
        session.next(0.0)
    assert record(session) == before


# -- executions --------------------------------------------------------------------------------------------------------


def test_a_success_that_is_certain_ends_the_episode() -> None:
    session = acting()
    session.executed(True)
    assert (session.outcome, session.phase, session.pending) == (Outcome.RECOVERED, SessionPhase.ENDED, None)


def test_a_failure_is_evidence() -> None:
    session = Session(chain_of((0.5, 0.5), 3.0))
    step(session)
    assert session.posterior == pytest.approx({"m0": 2 / 3, "m1": 2 / 3})
    assert session.reliability == 0.0


@pytest.mark.parametrize(("certainty", "accepted"), [(0.9, True), (0.5, True), (0.6, True)])
def test_a_success_that_is_likely_enough_is_accepted(certainty: float, accepted: bool) -> None:
    session = acting()  # acts with probability .81
    session.executed(True, certainty=certainty)
    assert (session.outcome is Outcome.RECOVERED) == accepted


def test_a_success_that_is_too_unlikely_is_weighed_and_the_episode_goes_on() -> None:
    session = Session(chain_of((0.1,), 5.0), "never+execute-first")
    session.next(0.0)
    session.executed(True, certainty=0.6)  # .1 * .6 / (.1 * .6 + .9 * .4) = 1/7
    assert session.outcome is None
    assert session.reliability == pytest.approx(1 / 7)


@pytest.mark.parametrize(("accept", "outcome"), [(0.9, None), (0.85, Outcome.RECOVERED)])
def test_how_likely_is_enough_is_a_setting(accept: float, outcome: Outcome | None) -> None:
    session = Session(chain_of((0.5,), 5.0), "never+execute-first", Settings(accept_success=accept))
    session.next(0.0)
    session.executed(True, certainty=0.86)
    assert session.outcome is outcome


def test_an_uncertain_failure_leaves_room_for_trying_again() -> None:
    session = Session(chain_of((0.9,), 50.0))
    session.next(0.0)
    session.executed(False, certainty=0.6)
    assert session.reliability == pytest.approx(0.9 * 0.4 / (0.9 * 0.4 + 0.1 * 0.6))
    assert session.next(1.0).action is Action.ACT


def test_a_failure_that_nothing_explains_makes_it_doubt_what_was_certain() -> None:
    session = Session(chain_of((1.0, 1.0), 0.3))
    step(session)
    assert session.posterior == pytest.approx({"m0": 0.5, "m1": 0.5}, abs=1e-6)
    decision = session.next(1.0)
    assert (decision.action, decision.module) == (Action.ASK, "m0")
    session.answered("m0", changed=True)
    assert session.posterior == pytest.approx({"m0": 0.0, "m1": 0.0}, abs=1e-6)
    assert session.next(2.0).action is Action.ACT


# -- forward passes ----------------------------------------------------------------------------------------------------


def test_a_new_confidence_is_a_new_own_state_that_the_failure_says_nothing_about() -> None:
    session = Session(chain_of((0.5, 0.5), 3.0))
    step(session)
    session.forwarded({"m0": 0.6})
    assert session.posterior["m0"] == pytest.approx(0.4)
    assert session.reliability > 0.0


def test_an_unchanged_confidence_keeps_the_evidence() -> None:
    session = Session(chain_of((0.5, 0.5), 3.0))
    step(session)
    session.forwarded({"m0": 0.5, "m1": 0.5})
    assert session.posterior == pytest.approx({"m0": 2 / 3, "m1": 2 / 3})


def test_a_forward_pass_keeps_answers() -> None:
    session = asking()
    session.answered("m1", changed=True)
    session.forwarded({"m1": 0.3, "m2": 0.4})
    assert session.posterior["m1"] == 0.0
    assert session.posterior["m2"] == pytest.approx(0.6)


def test_a_forward_pass_before_anything_happened_replaces_the_confidences() -> None:
    session = Session(BITE)
    session.forwarded({"m0": 0.1})
    assert session.posterior["m0"] == pytest.approx(0.9)


@pytest.mark.parametrize("after", ["start", "answer", "failure"])
def test_two_forward_passes_with_nothing_between_are_refused(after: str) -> None:
    session = Session(BITE) if after == "start" else asking() if after == "answer" else acting()
    if after == "answer":
        session.answered("m1", changed=True)
    elif after == "failure":
        session.executed(False)
    session.forwarded({"m0": 0.5})
    before = record(session)
    with pytest.raises(IllegalCall, match="nothing happened since the last forward pass"):
        session.forwarded({"m0": 0.6})
    assert record(session) == before


def test_a_forward_pass_ends_a_wait() -> None:
    session = waiting()
    session.forwarded({"m1": 0.9})
    assert session.phase is SessionPhase.DECIDING
    assert session.next(3.0).action is Action.ACT


# -- what it cost ------------------------------------------------------------------------------------------------------


def test_the_objective_adds_load_time_and_failures() -> None:
    session = Session(BITE, "confidence+workload-aware", Settings(w=0.25))
    assert step(session).action is Action.ASK
    assert step(session).action is Action.ACT
    assert step(session, ok=True).action is Action.ACT
    # One question of .3: .25 * .3 + .75; one failure: .75; the success costs nothing.
    assert session.tally.objective == pytest.approx(0.25 * 0.3 + 0.75 + 0.75)
    assert (session.tally.questions, session.tally.executions, session.tally.failures) == (1, 2, 1)


def test_giving_up_costs_the_time_that_was_left() -> None:
    session = Session(chain_of((0.5, 0.5), 100.0), settings=Settings(w=0.25, horizon=5.0))
    step(session)
    assert session.next(0.0).action is Action.YIELD
    assert session.tally.objective == pytest.approx(0.75 * 5)


def test_reaching_the_horizon_costs_no_more_than_the_time_used() -> None:
    session = Session(BITE, "never+execute-first", Settings(w=0.25, horizon=6.0))
    while session.outcome is None:
        step(session)
    assert session.tally.objective == pytest.approx(0.75 * 6)


def test_durations_weigh_in_the_objective() -> None:
    session = Session(BITE, "confidence+workload-aware", Settings(act_time=10.0, ask_time=2.0))
    step(session)
    step(session)
    assert session.tally.objective == pytest.approx(0.5 * 0.3 + 0.5 * 2.0 + 0.5 * 10.0)


def test_a_success_that_is_not_believed_costs_its_time() -> None:
    session = Session(chain_of((0.1,), 5.0), "never+execute-first")
    session.next(0.0)
    session.executed(True, certainty=0.6)
    assert session.tally.objective == pytest.approx(0.5)
    assert session.tally.failures == 0, "it did not look like one"


# -- strategies of one's own -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stubborn:
    """Always decides the same."""

    decision: Decision
    name: str = "stubborn"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return self.decision

    def parameters(self, costs: Costs) -> dict[str, float]:
        return {}

    def with_parameter(self, name: str, value: float) -> Stubborn:
        return self


@pytest.mark.parametrize(
    "decision",
    [
        Decision(action=Action.ASK, reason="Ask."),
        Decision(action=Action.ASK, module="nobody", reason="Ask."),
        Decision(action=Action.WAIT, reason="Wait."),
        Decision(action=Action.WAIT, reason="Wait.", until_s=0.0),
        Decision(action=Action.ACT, module="nobody", reason="Act."),
    ],
)
def test_a_decision_that_cannot_be_carried_out_is_refused_and_changes_nothing(decision: Decision) -> None:
    session = Session(BITE, Stubborn(decision))
    with pytest.raises((ContractViolation, UnknownModule), match=r"'stubborn' decides|no module 'nobody'"):
        session.next(0.0)
    assert session.phase is SessionPhase.DECIDING
    assert session.to_json()["events"] == []


def test_a_strategy_of_ones_own_drives_a_session() -> None:
    session = Session(BITE, Stubborn(Decision(action=Action.ACT, reason="Act.")))
    step(session, ok=True)
    assert session.outcome is Outcome.RECOVERED


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("w", 1.5),
        ("w", math.nan),
        ("expert", -0.1),
        ("accept_success", 2.0),
        ("horizon", 0.0),
        ("horizon", math.inf),
        ("act_time", 0.0),
        ("ask_time", -1.0),
        ("not_now_s", -1.0),
        ("max_wait_s", math.inf),
        ("max_unanswered", 0),
        ("max_steps_per_module", 0),
        ("time", "minutes"),
        ("seed", -1),
        ("seed", 0.5),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadSetting, match=name):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_settings_survive_json() -> None:
    terms = Settings(w=0.3, time=TimeUnit.SECONDS, horizon=90.0, max_unanswered=5)
    assert Settings(**json.loads(json.dumps(terms.to_json(), allow_nan=False))) == terms


# -- what it costs by the clock, and how far a pending decision is from flipping ---------------------------------------


def test_in_seconds_time_is_lost_by_the_clock() -> None:
    session = acting(settings=Settings(time=TimeUnit.SECONDS, w=0.5, horizon=100.0))
    session.executed(False)
    session.next(41.0)
    assert session.tally.time_lost == 41.0
    assert session.tally.objective == pytest.approx(0.5 * session.tally.load + 0.5 * 41.0)


def test_in_seconds_a_successful_execution_costs_no_time() -> None:
    session = acting(settings=Settings(time=TimeUnit.SECONDS, horizon=100.0))
    session.executed(True)
    assert session.tally.time_lost == 1.0


def test_in_seconds_giving_up_costs_the_whole_horizon() -> None:
    hopeless = Settings(time=TimeUnit.SECONDS, horizon=50.0, w=0.999)
    session = Session(chain_of((0.0, 0.0), 9.0), settings=hopeless)
    session.next(3.0)
    assert session.outcome is Outcome.YIELDED
    assert session.tally.time_lost == 50.0


def test_a_forward_pass_can_name_new_outputs_of_the_same_confidence() -> None:
    told, untold = (acting() for _ in range(2))
    for session in (told, untold):
        session.executed(False)
    untold.forwarded({"m2": 0.9})
    told.forwarded({"m2": 0.9}, changed=["m2"])
    assert untold.posterior["m2"] > 0.5
    assert told.posterior["m2"] == pytest.approx(0.1)
    assert json.loads(record(told))["events"][-1]["changed"] == ["m2"]
    assert Session.from_json(told.to_json()).posterior == told.posterior


def test_an_unknown_module_among_the_changed_is_refused() -> None:
    session = Session(BITE)
    with pytest.raises(UnknownModule):
        session.forwarded({}, changed=["nobody"])
    session.forwarded({})


def test_a_pending_decision_flips_where_it_would_have_flipped_when_it_was_made() -> None:
    session = Session(BITE)
    before = flips_at(session.strategy, session.belief, Costs.of(BITE.query_costs), 0.0, session.next(0.0))
    assert session.flips() == before


# -- when questions may be asked ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rota:
    """Nobody is there before a time."""

    from_s: float

    def free_from_s(self, now_s: float) -> Sequence[float]:
        return [self.from_s if now_s < self.from_s else -math.inf] * 3


def test_while_nobody_is_there_the_robot_tries_and_then_waits_for_them() -> None:
    session = Session(BITE, availability=Rota(600.0))
    assert step(session, 0.0).action is Action.ACT
    decision = session.next(1.0)
    assert (decision.action, decision.until_s) == (Action.WAIT, 600.0)
    assert step(session, 600.0).action is Action.ASK


def test_where_nobody_will_ever_be_there_it_gives_up_for_that_reason() -> None:
    session = Session(BITE, availability=Rota(math.inf))
    step(session, 0.0)
    assert session.next(1.0).action is Action.YIELD
    assert session.pending is not None and "may not be asked any more" in session.pending.reason


def test_a_wait_is_not_shorter_than_its_limit() -> None:
    session = Session(BITE, settings=Settings(min_wait_s=30.0), availability=Rota(2.0))
    step(session, 0.0)
    assert session.next(1.0).until_s == 31.0


def test_a_rota_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadSetting, match="got 3 for 4 modules"):
        Session(chain_of((0.5,) * 4), availability=Rota(2.0)).next(0.0)


def test_the_limits_of_a_person_are_not_forgotten_on_reload() -> None:
    record = Session(BITE, availability=Rota(600.0)).to_json()
    with pytest.raises(BadRecord, match="limits"):
        Session.from_json(record)
    assert step(Session.from_json(record, availability=Rota(600.0))).action is Action.ACT


def test_in_seconds_it_does_not_wait_past_the_horizon() -> None:
    session = Session(SURE, settings=Settings(time=TimeUnit.SECONDS, horizon=60.0))
    session.next(0.0)
    session.unanswered("m1", "not-now", now_s=0.0)
    assert step(session, 1.0).action is Action.ACT
    assert session.next(2.0).action is Action.YIELD
    assert session.pending is not None and "used up" in session.pending.reason


# -- only what means something is taken --------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["failed", "no", 0, 1.0, None])
def test_an_outcome_is_true_or_false(word: object) -> None:
    session = acting()
    before = record(session)
    with pytest.raises(BadSetting, match="ok must be"):
        session.executed(word)  # type: ignore[arg-type]
    assert record(session) == before


@pytest.mark.parametrize("word", ["no", "a spoon", 1])
def test_whether_an_answer_changed_something_is_true_false_or_unknown(word: object) -> None:
    with pytest.raises(BadSetting, match="changed must be"):
        asking().answered("m1", changed=word)  # type: ignore[arg-type]


def test_what_numpy_gives_is_taken_and_stored_plainly() -> None:
    session = asking()
    changed, now_s = np.bool_(True), np.float32(1.5)
    session.answered("m1", changed=changed, expert=np.float64(0.9), now_s=now_s)  # type: ignore[arg-type]
    session.next(np.float64(2.0))
    session.executed(np.bool_(False))  # type: ignore[arg-type]
    stored = json.loads(json.dumps(session.to_json()))
    assert Session.from_json(stored).to_json() == stored
