"""The assistant: what it promises whatever happens, how it asks and hears answers, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import (
    BadGoals,
    BadPose,
    BadRecord,
    BadSetting,
    BadStep,
    HandupError,
    UnknownMethod,
)
from handup.intent import (
    PRESETS,
    Ask,
    Assist,
    Assistant,
    Command,
    GoalBelief,
    Helper,
    HelperChoice,
    HelperSituation,
    Joystick,
    MaxEnt,
    Metric,
    Paper,
    Points,
    Pose,
)
from handup.intent.pose import STILL
from handup.intent.value import Array
from tests.intent.askers import CURIOUS, EAGER, asking, torn
from tests.intent.places import BOWL_TOP, CAN_SIDE, CUP_TOP, START, TABLE, places, sticks, towards

steps = st.lists(st.tuples(places, sticks), min_size=1, max_size=12)
helpers = st.sampled_from([*PRESETS.values(), EAGER, CURIOUS])


@settings(max_examples=60, deadline=None)
@given(helpers, steps, st.randoms(use_true_random=False))
def test_whatever_is_pushed_the_promises_hold(helper: Helper, pushed: list[tuple[Pose, Joystick]], chance: Any) -> None:
    keeps_the_promises(Assistant(TABLE, helper, most_questions=None), pushed, chance)


@settings(max_examples=25, deadline=None)
@given(steps, st.randoms(use_true_random=False))
def test_ours_keeps_them_while_it_asks(pushed: list[tuple[Pose, Joystick]], chance: Any) -> None:
    assert keeps_the_promises(torn(), [(START, towards(START, CUP_TOP)), *pushed], chance) >= 1


def keeps_the_promises(assistant: Assistant, pushed: list[tuple[Pose, Joystick]], chance: Any) -> int:
    """How many questions came."""
    metric = Metric()
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
    return assistant.state.questions


@settings(max_examples=60, deadline=None)
@given(steps, st.lists(st.sampled_from([0.01, 0.025, 0.1]), min_size=12, max_size=12))
def test_ours_never_works_against_the_stick_as_it_is_now(
    pushed: list[tuple[Pose, Joystick]], lasting: list[float]
) -> None:
    """Also between two plans, when the stick was let go or turned round since."""
    assistant = Assistant(TABLE)
    for (pose, stick), dt in zip(pushed, lasting, strict=False):
        said = assistant.step(pose, stick, dt)
        if isinstance(said, Ask):
            assistant.unanswered()
            continue
        assert said == assistant.command
        assert not (np.array([*said.linear, *said.angular]) * [*stick.linear, *stick.angular] < 0.0).any()
        assert stick.moves or said.linear == STILL, "nothing goes along while nobody moves the hand"
        assert not stick.idle or said.still, "and nothing moves while the stick is at rest"


@pytest.mark.parametrize("drift", [Joystick(), Joystick((1e-9, 0.0, 0.0)), Joystick(angular=(0.0, 0.0, 1e-9))])
def test_letting_go_stops_ours_at_once_and_what_is_published_goes_on_until_the_next_plan(drift: Joystick) -> None:
    for name, stops in (("assist", True), ("ho", False)):
        assistant = Assistant(TABLE, name)
        stick = towards(START, BOWL_TOP)
        for _ in range(20):
            assistant.step(START, stick, 0.1)
        assert not assistant.command.still
        planned = assistant.command
        said = assistant.step(START, drift, 0.025)
        assert isinstance(said, Command)
        assert said.still == stops
        assert planned.beside(drift).still == stops, "and so for who holds a command of its own"
        back = assistant.step(START, stick, 0.025)
        assert back == planned, "who pushes on is helped on"


def test_a_trace_of_the_stick_moves_nothing() -> None:
    assistant = Assistant(TABLE)
    for _ in range(30):
        assistant.step(START, towards(START, BOWL_TOP), 0.1)
    assert not assistant.command.still
    for trace in (Joystick((0.0, 1e-9, 0.0)), Joystick((0.001, 0.0, 0.0), (0.0, 0.001, 0.0))):
        said = assistant.step(START, trace, 0.1)
        assert isinstance(said, Command)
        assert said.still


def test_turning_is_noted_without_traces_and_fades() -> None:
    assistant = Assistant(TABLE)
    for _ in range(10):
        assistant.step(START, Joystick(angular=(0.0, 1e-9, 0.0)), 0.1)
    assert assistant.state.turned_s == 0.0
    for _ in range(16):
        assistant.step(START, Joystick(angular=(0.0, 0.4, 0.0)), 0.025)
    assert assistant.state.turned_s == pytest.approx(0.4)
    for _ in range(20):
        assistant.step(START, Joystick((0.06, 0.0, 0.0)), 0.1)
    assert assistant.state.turned_s == pytest.approx(0.2), "a slip is forgotten"


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


@pytest.mark.parametrize("dt", [0.07, 0.09, 0.03])
def test_evidence_comes_ten_times_a_second_at_any_rate(dt: float) -> None:
    seen: list[Pose] = []

    class Counting(MaxEnt):
        def log_likelihood(self, belief: GoalBelief, pose: Pose, stick: Joystick, metric: Metric) -> Array | None:
            seen.append(pose)
            return super().log_likelihood(belief, pose, stick, metric)

    assistant = Assistant(TABLE, Paper(observation=Counting()))
    steps = round(6.3 / dt)
    for _ in range(steps):
        assistant.step(START, Joystick((0.06, 0.0, 0.0)), dt)
    assert len(seen) == pytest.approx(steps * dt / 0.1, abs=1.0)
    assistant.step(START, Joystick((0.06, 0.0, 0.0)), 5.0)
    before = len(seen)
    for _ in range(2):
        assistant.step(START, Joystick((0.06, 0.0, 0.0)), 0.04)
    assert len(seen) == before, "what was missed in a long gap is not made up for"


def speed(assistant: Assistant) -> float:
    """Of what it adds to the stick, moving and turning."""
    return math.hypot(*assistant.command.linear, *assistant.command.angular)


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
        ({"position": [1e200, 0.0, 0.0]}, GOOD_STICK, 0.1, BadPose),
        ({"position": [0.0, 0.0, 1e3]}, GOOD_STICK, 0.1, BadPose),
        (GOOD_POSE, {"linear": [1e200, 0.0, 0.0]}, 0.1, BadPose),
        (GOOD_POSE, {"angular": [0.0, 1e200, 0.0]}, 0.1, BadPose),
    ],
)
@pytest.mark.parametrize("name", ["assist", "paper", "ho"])
def test_bad_input_has_a_name_and_holds_the_command_at_zero(
    name: str, pose: Any, stick: Any, dt: Any, error: type[HandupError]
) -> None:
    assistant = Assistant([BOWL_TOP], name)
    assistant.step(GOOD_POSE, GOOD_STICK, 0.1)
    assert speed(assistant) > 0.0
    belief = dict(assistant.belief)
    with pytest.raises(error):
        assistant.step(pose, stick, dt)
    assert speed(assistant) == 0.0
    assert dict(assistant.belief) == belief
    assert isinstance(assistant.step(GOOD_POSE, GOOD_STICK, 0.1), Command), "and it goes on with good input"


class Broken(Paper):
    """A helper of one's own that fails now and then."""

    def decide(self, situation: HelperSituation) -> HelperChoice:
        if situation.stick.turns:
            raise ZeroDivisionError
        return super().decide(situation)


def test_a_helper_that_raises_leaves_the_command_at_zero_and_forgets_nothing() -> None:
    assistant, push = Assistant(TABLE, Broken()), Joystick((0.06, 0.0, 0.0))
    assistant.step(START, push, 0.1)
    assert speed(assistant) > 0.0
    before = assistant.to_json()
    with pytest.raises(ZeroDivisionError):
        assistant.step(START, Joystick(angular=(0.0, 0.4, 0.0)), 0.1)
    assert speed(assistant) == 0.0
    assert assistant.to_json() == before
    assistant.step(START, push, 0.1)
    assert speed(assistant) > 0.0, "and it goes on"


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
    assert again.command == Command(why="hold"), "a record moves nothing"
    for step in range(10):
        one, two = (each.step(pose, stick, 0.07) for each in (assistant, again))
        assert type(one) is type(two)
        if step == 0:
            continue  # it may come before the next plan
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
        {**record, "command": {"linear": [50.0, 0.0, 0.0]}},
        {**record, "settings": "other"},
        {**record, "questions": -1},
        {**record, "now_s": "late"},
        {**record, "alpha": 7},
        {**record, "open": {"question": 3}},
        {**record, "more": 1},
    ]
    for each in damaged:
        with pytest.raises(BadRecord):
            Assistant.from_json(each)


def test_a_record_of_other_settings_is_refused() -> None:
    record = json.loads(json.dumps(Assistant(TABLE, EAGER, most_questions=3).to_json()))
    with pytest.raises(BadRecord, match="'paper', got others"):
        Assistant.from_json(record)
    again = Assistant.from_json(record, EAGER)
    assert again.helper is EAGER
    assert again.most_questions == 3
    mine = Assistant(TABLE, Broken())
    assert Assistant.from_json(mine.to_json(), Broken()).to_json() == mine.to_json()


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


def test_a_second_attempt_knows_the_pace_and_the_load_of_the_first_and_nothing_of_the_goal() -> None:
    first = Assistant(TABLE, EAGER, person="Maya", most_questions=3, alpha=0.4)
    first.answer(asking(first).about.answers[0], by="Maya")
    first.state = replace(first.state, quiet_until_s=first.state.now_s + 10.0, unheard=1)
    second = first.again()
    assert (second.state.quiet_until_s, second.state.unheard) == (first.state.quiet_until_s, 1), "a 'not now' lasts"
    assert (second.state.pace, second.state.workload) == (first.state.pace, first.state.workload)
    assert second.state.pace.seconds > 0.0 and second.state.workload.loads["Maya"].answers == 1
    assert second.state.now_s == first.state.now_s, "load leaks by one clock"
    assert second.belief == Assistant(TABLE, EAGER).belief
    assert (second.state.asked, second.state.confirmed, second.state.questions) == (frozenset(), frozenset(), 0)
    assert (second.helper, second.most_questions, second.alpha) == (EAGER, 3, 0.4)
    assert second.command.still
