"""The assistant: what it promises whatever happens, how it asks and hears answers, and what it refuses."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import (
    BadAnswer,
    BadGoals,
    BadPose,
    BadRecord,
    BadSetting,
    BadStep,
    HandupError,
    IllegalCall,
    QuestionKind,
    UnknownMethod,
)
from handup.intent import PRESETS, Ask, Assist, Assistant, Command, Goal, Joystick, Metric, Paper, Points, Pose
from handup.intent.motion import opposing
from handup.people import Features, Workload
from tests.intent.places import BOWL_TOP, CAN_SIDE, CUP_SIDE, CUP_TOP, START, TABLE, places, sticks, towards

steps = st.lists(st.tuples(places, sticks), min_size=1, max_size=12)
names = st.sampled_from(sorted(PRESETS))
EAGER = Paper(points=Points(look_ahead_s=2.0))
"""Looks so far ahead that it asks."""


def asking(assistant: Assistant, goal: Goal = CUP_TOP, most: int = 200) -> Ask:
    """Push at a goal until it asks."""
    pose = START
    for _ in range(most):
        stick = towards(pose, goal)
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            return said
        pose = pose.moved(stick.linear, stick.angular, 0.1)
    pytest.fail("it never asked")


@settings(max_examples=60, deadline=None)
@given(names, steps, st.randoms(use_true_random=False))
def test_whatever_is_pushed_the_promises_hold(name: str, pushed: list[tuple[Pose, Joystick]], chance: Any) -> None:
    assistant, metric = Assistant(TABLE, name), Metric()
    for pose, stick in pushed:
        said = assistant.step(pose, stick, 0.1)
        chances = assistant.state.belief.chances
        assert math.fsum(chances.values()) + assistant.state.belief.of_unknown == pytest.approx(1.0)
        assert all(math.isfinite(each) and each > 0.0 for each in chances.values())
        assert math.hypot(*assistant.command.linear) <= metric.most_m_s + 1e-9, "velocity caps hold"
        assert math.hypot(*assistant.command.angular) <= metric.most_rad_s + 1e-9
        if isinstance(said, Ask):
            assert assistant.command.still, "the robot stands still while it asks"
            assert assistant.step(pose, stick, 0.1) is said, "and asks the same until it is answered"
            assert assistant.command.still
            assistant.answer(chance.choice(said.about.answers), by="Maya")
        else:
            assert said == assistant.command
            if said.why == "no-assist":
                assert said.still, "no-assist is full user speed"


@settings(max_examples=40, deadline=None)
@given(steps)
def test_ours_never_works_against_the_stick(pushed: list[tuple[Pose, Joystick]]) -> None:
    assistant = Assistant(TABLE)
    for pose, stick in pushed:
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            assistant.unanswered()
            continue
        assert not opposing(np.array([*said.linear, *said.angular]), stick).any()


def test_a_person_alone_gets_nothing_added_and_is_not_watched() -> None:
    assistant = Assistant(TABLE, "manual")
    assert assistant.step(START, towards(START, CUP_TOP), 0.1) == Command(why="no-assist")
    assert assistant.belief == {}


@pytest.mark.parametrize("name", ["ho", "paper", "assist"])
def test_help_goes_where_the_person_goes(name: str) -> None:
    assistant, pose = Assistant(TABLE, name), START
    for _ in range(40):
        stick = towards(pose, BOWL_TOP)
        said = assistant.step(pose, stick, 0.1)
        assert isinstance(said, Command)
        pose = pose.moved(stick.linear, stick.angular, 0.1)
    assert max(assistant.belief, key=lambda each: assistant.belief[each]) == "bowl/top"
    assert np.dot(assistant.command.linear, pose.twist_to(BOWL_TOP.poses[0])[0]) > 0.0


def test_plans_are_made_once_per_apply_time_however_fast_control_is() -> None:
    slow, fast = Assistant(TABLE, "ho"), Assistant(TABLE, "ho")
    stick = towards(START, BOWL_TOP)
    for _ in range(3):
        slow.step(START, stick, 0.1)
    for _ in range(12):
        fast.step(START, stick, 0.025)
    assert fast.belief == pytest.approx(slow.belief)
    first = Assistant(TABLE, "ho").step(START, stick, 0.025)
    assert isinstance(first, Command)
    assert first.still
    assert first.why == "hold"


def test_the_papers_question_and_its_answers() -> None:
    assistant = Assistant(TABLE, EAGER)
    said = asking(assistant)
    assert said.question.kind is QuestionKind.YES_NO
    assert said.question.prompt.startswith("Is cup with ")
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


def test_a_question_costs_the_person_who_answers_it() -> None:
    assistant = Assistant(TABLE, EAGER, workload=Workload.of([Features()], person="Maya"))
    before = assistant.state.workload.query_costs(assistant.state.now_s)[0]
    asking(assistant)
    assistant.answer(True, by="Maya")
    assert assistant.state.workload.query_costs(assistant.state.now_s)[0] > before


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


NAN = float("nan")
GOOD_POSE, GOOD_STICK = START.to_json(), Joystick((0.06, 0.0, 0.0)).to_json()


@pytest.mark.parametrize(
    ("pose", "stick", "dt", "error"),
    [
        ({"position": [NAN, 0.0, 0.0]}, GOOD_STICK, 0.1, BadPose),
        ({"position": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 0.0]}, GOOD_STICK, 0.1, BadPose),
        (None, GOOD_STICK, 0.1, BadPose),
        (GOOD_POSE, {"linear": [math.inf, 0.0, 0.0]}, 0.1, BadPose),
        (GOOD_POSE, (0.0, 0.0, 0.0), 0.1, BadPose),
        (GOOD_POSE, GOOD_STICK, 0.0, BadStep),
        (GOOD_POSE, GOOD_STICK, -0.1, BadStep),
        (GOOD_POSE, GOOD_STICK, NAN, BadStep),
        (GOOD_POSE, GOOD_STICK, 1e9, BadStep),
        (GOOD_POSE, GOOD_STICK, "soon", BadStep),
    ],
)
def test_bad_input_has_a_name_and_holds_the_command_at_zero(
    pose: Any, stick: Any, dt: Any, error: type[HandupError]
) -> None:
    assistant = Assistant(TABLE, "ho")
    assistant.step(GOOD_POSE, GOOD_STICK, 0.1)
    assert assistant.command.why == "hindsight"
    belief = dict(assistant.belief)
    with pytest.raises(error):
        assistant.step(pose, stick, dt)
    assert assistant.command.still
    assert dict(assistant.belief) == belief
    assert isinstance(assistant.step(GOOD_POSE, GOOD_STICK, 0.1), Command), "and it goes on with good input"


def test_goals_that_are_none_and_unknown_helpers_are_refused() -> None:
    with pytest.raises(BadGoals):
        Assistant([])
    with pytest.raises(BadGoals):
        Assistant([CUP_TOP, CUP_TOP])
    with pytest.raises(UnknownMethod, match="Known: assist, paper"):
        Assistant(TABLE, "magic")


def test_one_goal_alone_is_helped_without_questions() -> None:
    for name in PRESETS:
        assistant, pose = Assistant([CAN_SIDE], name), START
        for _ in range(20):
            stick = towards(pose, CAN_SIDE)
            assert isinstance(assistant.step(pose, stick, 0.1), Command)
            pose = pose.moved(stick.linear, stick.angular, 0.1)


@pytest.mark.parametrize("name", ["assist", "paper", "ho"])
def test_a_stored_assistant_goes_on_as_if_nothing_had_happened(name: str) -> None:
    assistant, pose = Assistant(TABLE, name), START
    for _ in range(25):
        stick = towards(pose, CUP_TOP)
        if isinstance(assistant.step(pose, stick, 0.07), Ask):
            break
        pose = pose.moved(stick.linear, stick.angular, 0.07)
    again = Assistant.from_json(json.loads(json.dumps(assistant.to_json())))
    assert again.to_json() == assistant.to_json()
    for _ in range(10):
        one, two = (each.step(pose, stick, 0.07) for each in (assistant, again))
        assert type(one) is type(two)
        if isinstance(one, Command) and isinstance(two, Command):
            assert one.linear == pytest.approx(two.linear)
            assert one.why == two.why


def test_an_open_question_survives_a_restart() -> None:
    assistant = Assistant(TABLE, EAGER)
    said = asking(assistant)
    again = Assistant.from_json(json.loads(json.dumps(assistant.to_json())), EAGER)
    assert again.question == said
    again.answer(True, by="Maya")
    assistant.answer(True, by="Maya")
    assert again.belief == pytest.approx(assistant.belief)


def test_damaged_records_are_refused() -> None:
    record = Assistant(TABLE).to_json()
    damaged: list[Any] = [
        {},
        3,
        {**record, "goals": []},
        {**record, "helper": "magic"},
        {**record, "schema": 99},
        {**record, "belief": {}},
        {**record, "stick": 3},
        {**record, "command": {"speed": 3}},
        {**record, "now_s": "late"},
        {**record, "alpha": 7},
        {**record, "open": {"question": 3}},
        {**record, "more": 1},
    ]
    for each in damaged:
        with pytest.raises(BadRecord):
            Assistant.from_json(each)


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"right": 1.5}, {"most_asked": 0}):
        with pytest.raises(HandupError):
            Assist(**wrong)
    with pytest.raises(HandupError):
        Paper(right=0.2)
    with pytest.raises(HandupError):
        Points(look_ahead_s=0.0)
    with pytest.raises(BadSetting, match="alpha"):
        Assistant(TABLE, alpha=2.0)
