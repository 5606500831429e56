"""How an assistant asks, what it makes of answers, and how it spares the person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handup.core import BadAnswer, BadSetting, IllegalCall, QuestionKind, Value
from handup.intent import About, Ask, Assistant, Command, Joystick
from handup.intent.asking import (
    DIFFERENTLY,
    NONE_OF_THESE,
    about_choice,
    about_exactly,
    about_goal,
    about_object,
    ask,
    spoken,
)
from handup.intent.assistant import MOST_QUESTIONS
from handup.intent.pose import STILL
from handup.people import Features, Workload
from tests.intent.askers import CURIOUS, EAGER, TORN, asked_ours, asking, torn
from tests.intent.places import CUP_SIDE, START, TABLE, towards


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
