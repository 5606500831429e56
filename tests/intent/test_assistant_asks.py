"""How an assistant asks, what it makes of answers, and how it spares the person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadAnswer, BadSetting, IllegalCall, QuestionKind, Value
from handup.intent import About, Ask, Assistant, Command, Goal, Joystick
from handup.intent.assistant import MOST_QUESTIONS, MOST_REOPENED
from handup.intent.goal_questions import (
    DIFFERENTLY,
    NONE_OF_THESE,
    about_choice,
    about_exactly,
    about_goal,
    about_grasp,
    about_object,
    ask,
    spoken,
)
from handup.intent.pose import STILL
from handup.people import Features, Workload
from tests.intent.askers import CURIOUS, EAGER, TORN, asked_ours, asking, torn
from tests.intent.places import CUP_SIDE, CUP_TOP, START, TABLE, sticks, towards
from tests.strategies import share_of_examples


def test_the_papers_question_and_its_answers() -> None:
    assistant = Assistant(TABLE, EAGER)
    said = asking(assistant)
    assert said.question.kind is QuestionKind.YES_NO
    assert "cup" in said.question.prompt
    assert said.question.why
    said.question.check_ready()
    about = said.about.names[0]
    before = assistant.belief[about]
    assistant.answer(True, by="Maya")
    assert assistant.belief[about] > max(before, 0.9)
    assert said.about.key in assistant.state.asked
    assert assistant.question is None


def test_the_paper_never_repeats_a_question() -> None:
    assistant, seen, pose = Assistant(TABLE, EAGER), [], START
    for _ in range(300):
        stick = towards(pose, CUP_SIDE)
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            seen.append(said.about.key)
            assistant.answer(False, by="Maya")
        pose = pose.moved(stick.linear, stick.angular, 0.1)
    assert seen
    assert len(set(seen)) == len(seen)


def cost(assistant: Assistant) -> float:
    """q(t) of whom it would ask now."""
    return assistant.state.workload.query_costs(assistant.state.now_s)[0]


@pytest.mark.parametrize("person", [None, "Maya", "Ben"])
def test_a_question_costs_the_person_who_answers_it(person: str | None) -> None:
    assistant = Assistant(TABLE, EAGER, person=person)
    before = cost(assistant)
    asking(assistant)
    assistant.answer(True, by="Maya")
    assert cost(assistant) > before, "whoever was thought to drive: who answers is who is asked next"
    assert assistant.state.workload.person == "Maya"


def test_who_was_asked_much_today_is_asked_less() -> None:
    borne = Workload.of([Features()])
    for minute in range(8):
        borne = borne.answered(0, now_s=1000.0 + minute, by="Maya")
    helper = replace(CURIOUS, load_s=10.0)
    tired = torn(helper, person="Maya", workload=borne, now_s=1008.0)
    rested = torn(helper, person="Ben", workload=borne, now_s=1008.0)
    assert cost(tired) > cost(rested) + 0.1
    later = Assistant(TABLE, helper, person="Maya", workload=borne, now_s=1e6)
    assert cost(later) == pytest.approx(cost(rested), abs=0.05), "and it leaks away"


def test_who_does_not_answer_is_left_alone_longer_each_time() -> None:
    assistant, quiet = torn(most_questions=None), []
    asked_ours(assistant)
    for _ in range(3):
        before = cost(assistant)
        assistant.unanswered()
        assert cost(assistant) > before, "it was read all the same"
        assistant.state, waited = replace(assistant.state, asked=frozenset()), 0
        while isinstance(assistant.step(START, Joystick(), 0.1), Command):
            waited += 1
            assert waited < 1000
        quiet.append(waited * 0.1)
    assert quiet == pytest.approx([10.0, 20.0, 40.0], abs=0.2)
    assert assistant.question is not None
    assistant.answer(assistant.question.about.answers[0], by="Maya")
    assert (assistant.state.unheard, assistant.state.quiet_until_s) == (0, 0.0), "an answer ends that"


def test_there_is_a_most_of_questions_in_one_attempt() -> None:
    bounded, free = Assistant(TABLE, "entropy", most_questions=1), Assistant(TABLE, "entropy", most_questions=None)
    for assistant, most in ((bounded, 1), (free, 2)):
        for _ in range(60):
            if isinstance(said := assistant.step(START, Joystick(), 0.1), Ask):
                assistant.answer(said.about.answers[-1], by="Maya")
        assert assistant.state.questions == most
    assert Assistant(TABLE).most_questions == MOST_QUESTIONS <= 10
    for wrong in (-1, 1.5, "many"):
        with pytest.raises(BadSetting):
            Assistant(TABLE, most_questions=wrong)  # type: ignore[arg-type]


def confirmed_after(about: About, *values: Value) -> set[str]:
    """What counts as confirmed after these answers to one question."""
    assistant = Assistant(TABLE)
    for value in values:
        said = ask(about, np.full(5, 0.2), why="a test")
        assistant.state = replace(assistant.state, open=said)
        assistant.answer(value, by="Maya")
    return {TABLE[each].name for each in assistant.state.confirmed}


def test_only_a_positive_answer_confirms() -> None:
    top = about_goal(TABLE, 0)
    assert confirmed_after(top, True) == {"cup/top"}
    assert confirmed_after(top, False) == set(), "a no confirms nothing"
    assert confirmed_after(top, True, False) == set(), "and takes away what was confirmed"
    assert confirmed_after(about_exactly(TABLE, 0), DIFFERENTLY) == {"cup/side"}
    assert confirmed_after(about_exactly(TABLE, 0), "no") == set()
    assert confirmed_after(about_object(TABLE, "cup"), True) == {"cup/top", "cup/side"}
    assert confirmed_after(about_object(TABLE, "cup"), False) == set()
    assert confirmed_after(about_choice(TABLE, [0, 2]), spoken("bowl/top")) == {"bowl/top"}
    assert confirmed_after(about_choice(TABLE, [0, 2]), NONE_OF_THESE) == set()


def left_after(*told: tuple[About, Value]) -> set[str]:
    """The goals that these answers leave."""
    assistant = Assistant(TABLE)
    for about, value in told:
        assistant.state = replace(assistant.state, open=ask(about, np.full(5, 0.2), why="a test"))
        assistant.answer(value, by="Maya")
    again = Assistant.from_json(assistant.to_json())
    assert (again.state.confirmed, again.state.denied) == (assistant.state.confirmed, assistant.state.denied)
    return {TABLE[each].name for each in assistant._situation(assistant.state, START).left}


def test_what_answers_leave() -> None:
    cup, top = about_object(TABLE, "cup"), about_grasp(TABLE, "top")
    assert left_after() == set(TABLE.names)
    assert left_after((cup, True)) == {"cup/top", "cup/side"}
    assert left_after((cup, False)) == {"bowl/top", "can/side"}
    assert left_after((cup, True), (top, False)) == {"cup/side"}
    assert left_after((top, False), (cup, True)) == {"cup/side"}
    assert left_after((cup, False), (top, False)) == {"can/side"}
    assert left_after((about_exactly(TABLE, 0), DIFFERENTLY)) == {"cup/side"}
    assert left_after((cup, False), (about_goal(TABLE, 0), True)) == {"cup/top"}, "who contradicts themselves is heard"
    assert left_after((about_choice(TABLE, [0, 1, 2]), NONE_OF_THESE)) == {"can/side"}


def test_two_choices_among_the_same_ask_the_same() -> None:
    assert about_choice(TABLE, [0, 1, 2]).key == about_choice(TABLE, [2, 0, 1]).key
    assert about_choice(TABLE, [0, 1, 2]).key != about_choice(TABLE, [0, 1, 3]).key


def told_top() -> Assistant:
    """One that asked about the cup's top grasp and heard a yes, and is torn all the same."""
    assistant = torn(most_questions=None)
    said = ask(about_goal(TABLE, 0), TORN, why="a test")
    assistant.state = replace(assistant.state, open=said, asked=frozenset({said.about.key}), against_s=0.7)
    assistant.answer(True, by="Maya")
    assistant.state = replace(assistant.state, belief=replace(assistant.state.belief, weights=TORN))
    return assistant


def test_after_a_yes_nothing_about_it_is_asked() -> None:
    assistant = told_top()
    for _ in range(20):
        assert isinstance(assistant.step(START, towards(START, CUP_TOP), 0.1), Command)
    assert isinstance(asked_ours(torn()), Ask), "whom nobody told anything asks"


def test_only_opposition_since_the_answer_opens_it_again() -> None:
    assistant = told_top()
    away = Joystick((-0.06, 0.0, 0.0))
    assert assistant.state.against_s == 0.0, "what was before the answer is over"
    for _ in range(6):
        assistant.step(START, away, 0.1)
    assert (assistant.state.confirmed, assistant.state.reopened) == (frozenset({0}), 0)
    for _ in range(4):
        assistant.step(START, away, 0.1)
    assert (assistant.state.confirmed, assistant.state.reopened) == (frozenset(), 1)


def test_opposition_after_a_no_takes_it_back_once_and_does_not_ask_the_same_again() -> None:
    """The no may have been a slip; but who wants something that is not listed would hear every question twice."""
    assistant, about = Assistant(TABLE), about_object(TABLE, "can")
    assistant.state = replace(assistant.state, open=ask(about, TORN, why="a test"), asked=frozenset({about.key}))
    assistant.answer(False, by="Maya")
    surely = replace(assistant.state.belief, weights=np.array([0.9, 0.04, 0.02, 0.02, 0.02]))
    assistant.state = replace(assistant.state, belief=surely)
    for _ in range(30):
        assistant.step(START, Joystick((-0.06, 0.0, 0.0)), 0.1)
    assert assistant.belief["cup/top"] < 0.5, "doubt"
    assert (assistant.state.asked, assistant.state.denied) == (frozenset({about.key}), frozenset())
    assert assistant.state.reopened == 1, "and what is not answered is not opened again"


def test_whose_pushes_contradict_their_answers_twice_is_not_asked_any_more() -> None:
    assistant, asked = torn(most_questions=None), 0
    for _ in range(400):
        if isinstance(said := assistant.step(START, Joystick((-0.06, 0.0, 0.0)), 0.1), Ask):
            asked += 1
            assistant.answer(said.about.answers[0], by="Maya")
        assistant.state = replace(assistant.state, belief=replace(assistant.state.belief, weights=TORN))
    assert assistant.state.reopened == MOST_REOPENED + 1
    assert 2 <= asked <= 4
    assert Assistant.from_json(assistant.to_json(), CURIOUS).state.reopened == assistant.state.reopened


@share_of_examples(0.3)
@given(st.lists(st.tuples(sticks, st.integers(0, 4)), min_size=1, max_size=6), st.sampled_from(TABLE.goals))
def test_questions_in_one_attempt_are_few_and_none_is_answered_already(
    pushed: list[tuple[Joystick, int]], wanted: Goal
) -> None:
    """Free of cost, answered and pushed anyhow: each asks what is not known, none more than twice, and soon it ends."""
    assistant, pose, keys = Assistant(TABLE, CURIOUS, most_questions=None), START, list[str]()
    for number in range(120):
        push, which = pushed[number // 10 % len(pushed)]
        stick = towards(pose, wanted) if number % 3 else push
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            keys.append(said.about.key)
            left = assistant._situation(assistant.state, pose).left
            assert said.about.tells_apart(left), "the answers say it already"
            assistant.answer(said.about.answers[which % len(said.about.answers)], by="Maya")
        else:
            pose = pose.moved(stick.linear, stick.angular, 0.1)
    assert all(keys.count(each) <= 1 + MOST_REOPENED for each in keys)
    assert len(keys) <= (1 + MOST_REOPENED) * len(TABLE)


def test_after_a_no_hands_stay_off() -> None:
    """Four centimetres from the cup, not sure: nothing was said for the side grasp."""
    assistant, near = Assistant(TABLE), CUP_SIDE.poses[0].moved((-0.04, 0.0, 0.0), STILL, 1.0)
    belief = replace(assistant.state.belief, weights=np.array([0.35, 0.45, 0.1, 0.08, 0.02]))
    assistant.state = replace(assistant.state, belief=belief, open=ask(about_goal(TABLE, 2), TORN, why="a test"))
    assistant.answer(False, by="Maya")
    said = assistant.step(near, Joystick((0.03, 0.0, 0.0)), 0.1)
    assert isinstance(said, Command)
    assert said.still


def test_answers_out_of_turn_or_out_of_range_are_refused() -> None:
    assistant = Assistant(TABLE, EAGER)
    with pytest.raises(IllegalCall, match="nothing was asked"):
        assistant.answer(True, by="Maya")
    with pytest.raises(IllegalCall, match="nothing was asked"):
        assistant.unanswered()
    said = asking(assistant)
    with pytest.raises(BadAnswer):
        assistant.answer("perhaps", by="Maya")
    assert assistant.question is said, "it stays open"
    before = dict(assistant.belief)
    assistant.unanswered()
    assert dict(assistant.belief) == before, "nothing is learnt from silence"
    assert assistant.question is None
