"""Our own helper: the guards against being too sure, questions that pay, letting go, and following the unknown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handup.core import Value
from handup.intent import (
    Ask,
    AskKind,
    Assist,
    Assistant,
    Command,
    GoalBelief,
    Joystick,
    Pose,
    QuestionProblem,
    Seconds,
    solve,
)
from handup.intent.assist import if_wanted, wait_and_see
from handup.intent.goal_questions import about_exactly, about_goal, ask
from handup.intent.helper import Catalogue, HelperSituation, MoveKind, moves, towards
from handup.intent.paper import Points
from handup.intent.seconds import Pace
from handup.intent.value import look
from handup.people import Features, Workload, WorkloadModel
from tests.intent.places import BOWL_TOP, CUP_SIDE, CUP_TOP, DOWN, START, TABLE
from tests.intent.places import towards as pushed_at

ASSIST = Assist()
CHEAP = replace(ASSIST, question_s=0.1, load_s=0.0)
"""For somebody whom questions cost nothing."""


def situation(helper: Assist, chances: list[float], pose: Pose = START, **more: object) -> HelperSituation:
    """A belief of the given chances: cup/top, cup/side, bowl/top, can/side, unlisted."""
    begun = helper.begin(TABLE)
    belief = replace(begun, weights=np.array(chances))
    given: dict[str, object] = {"stick": Joystick((0.06, 0.0, 0.0)), **more}
    return HelperSituation(belief=belief, pose=pose, catalogue=Catalogue(TABLE), **given)  # type: ignore[arg-type]


def test_it_asks_where_the_answer_pays_and_not_where_it_does_not() -> None:
    torn = [0.48, 0.48, 0.01, 0.01, 0.02]
    asked = CHEAP.decide(situation(CHEAP, torn))
    assert asked.about is not None
    assert set(asked.about.truth[:2]) == {0, 1} or asked.about.truth[0] != asked.about.truth[1]
    assert replace(CHEAP, question_s=60.0).decide(situation(CHEAP, torn)).about is None
    assert CHEAP.decide(situation(CHEAP, [0.96, 0.01, 0.01, 0.01, 0.01])).about is None
    assert CHEAP.decide(situation(CHEAP, torn, may_ask=False)).about is None


def test_a_loaded_person_is_asked_less() -> None:
    torn = [0.48, 0.48, 0.01, 0.01, 0.02]
    helper = replace(CHEAP, load_s=5.0)
    assert helper.decide(situation(helper, torn, loads=(0.0,))).about is not None
    assert helper.decide(situation(helper, torn, loads=(3.0,))).about is None


def test_load_comes_from_the_people_room() -> None:
    tired = Workload.of([Features()], WorkloadModel(people={"Maya": 50.0}), person="Maya")
    helper = replace(CHEAP, load_s=1.0)
    torn = replace(Assistant(TABLE, helper).state.belief, weights=np.array([0.48, 0.48, 0.01, 0.01, 0.02]))
    for workload, kind in ((None, Ask), (tired, Command)):
        assistant = Assistant(TABLE, helper, workload=workload)
        assistant.state = replace(assistant.state, belief=torn)
        assert isinstance(assistant.step(START, Joystick(), 0.1), kind)


def test_it_does_not_ask_for_what_the_next_push_will_tell() -> None:
    apart = [0.01, 0.48, 0.01, 0.48, 0.02]  # the cup and the can lie in different directions, grasped alike
    patient = replace(CHEAP, watch_s=8.0)
    hasty = replace(CHEAP, watch_s=0.1)
    assert hasty.decide(situation(hasty, apart)).about is not None
    assert patient.decide(situation(patient, apart)).about is None


def test_a_question_that_was_asked_is_not_asked_again_before_it_is_open_again() -> None:
    torn = [0.48, 0.48, 0.01, 0.01, 0.02]
    first = CHEAP.decide(situation(CHEAP, torn)).about
    assert first is not None
    second = CHEAP.decide(situation(CHEAP, torn, asked=frozenset({first.key}))).about
    assert second is None or second.key != first.key


def test_richer_questions_are_on_offer() -> None:
    offered = CHEAP._askable(situation(CHEAP, [0.4, 0.3, 0.2, 0.08, 0.02]), [0, 1, 2, 3])
    assert {each.kind for each in offered} == {
        AskKind.EXACTLY, AskKind.GOAL, AskKind.OBJECT, AskKind.GRASP, AskKind.CHOICE
    }  # fmt: skip


def test_it_lets_go_near_an_object_unless_it_is_sure_or_was_told() -> None:
    near = CUP_SIDE.poses[0].moved((-0.04, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0)
    doubtful = [0.3, 0.5, 0.1, 0.08, 0.02]
    push = Joystick((0.03, 0.0, 0.0))
    assert ASSIST.decide(situation(ASSIST, doubtful, near, stick=push)).why == "hands off near an object"
    told = ASSIST.decide(situation(ASSIST, doubtful, near, stick=push, confirmed=frozenset({1})))
    assert told.why != "hands off near an object"
    sure = ASSIST.decide(situation(ASSIST, [0.02, 0.95, 0.01, 0.01, 0.01], near, stick=push))
    assert sure.why == "to cup/side"
    assert sure.velocity[0] > 0.0


def test_who_turned_the_hand_decides_how_it_is_turned() -> None:
    surely_top = [0.95, 0.01, 0.01, 0.01, 0.02]
    push = pushed_at(START, CUP_TOP)
    assert ASSIST.decide(situation(ASSIST, surely_top, stick=push)).velocity[3:].any()
    assert ASSIST.decide(situation(ASSIST, surely_top, stick=push, turned_s=0.1)).velocity[3:].any(), "a slip"
    turned = ASSIST.decide(situation(ASSIST, surely_top, stick=push, turned_s=1.0))
    assert not turned.velocity[3:].any()
    assert turned.velocity[:3].any(), "help on the way goes on"
    turning = Joystick(angular=(0.0, 0.4, 0.0))
    assert ASSIST.decide(situation(ASSIST, surely_top, stick=turning, turned_s=1.0)).velocity[4] > 0.0, "faster"


def test_a_stick_that_drifts_drives_nothing_and_turns_nothing() -> None:
    surely_top = [0.95, 0.01, 0.01, 0.01, 0.02]
    for trace in (1e-9, 0.002):
        for drifting in (Joystick((trace, 0.0, -trace)), Joystick(angular=(0.0, trace, 0.0))):
            assert not ASSIST.decide(situation(ASSIST, surely_top, stick=drifting)).velocity.any()
    both = Joystick((0.06, 0.0, 0.0), (0.0, 1e-9, 0.0))
    assert not ASSIST.decide(situation(ASSIST, surely_top, stick=both, turned_s=1.0)).velocity[3:].any(), "no turn"


def test_a_careful_push_gets_careful_help() -> None:
    above = Pose.turned((0.20, 0.40, 0.20), DOWN)
    bowl = [0.01, 0.01, 0.95, 0.01, 0.02]

    def helped(push: float, pace: Pace) -> float:
        chosen = ASSIST.decide(situation(ASSIST, bowl, above, stick=Joystick((0.0, 0.0, -push)), pace=pace))
        return float(-chosen.velocity[2])

    usual = Pace()
    full = helped(0.06, usual)
    assert full > 0.05
    half = 0.06 * Seconds().cruise / 2.0
    assert helped(half, usual) == pytest.approx(full), "half of what is usual is a push like any other"
    assert helped(half / 2.0, usual) == pytest.approx(full / 2.0)
    assert helped(0.006, usual) < 0.3 * full, "a tenth of a push, and not six times as fast"
    gentle = usual.after(Joystick((0.0, 0.0, -0.018)), 1.0)
    assert helped(0.018, gentle) == pytest.approx(full), "who pushes gently from the beginning is helped fully soon"


def test_a_slow_person_is_asked_where_a_quick_one_is_not() -> None:
    torn = [0.48, 0.48, 0.01, 0.01, 0.02]
    helper = replace(ASSIST, question_s=2.0, load_s=0.0)
    slow = Pace().after(Joystick((0.009, 0.0, 0.0)), 60.0)
    assert helper.decide(situation(helper, torn)).about is None
    asked = helper.decide(situation(helper, torn, pace=slow)).about
    assert asked is not None
    assert asked.truth[0] != asked.truth[1]


def test_an_assistant_sees_the_pace_of_its_person() -> None:
    assistant = Assistant(TABLE)
    for _ in range(40):
        assistant.step(START, Joystick((0.015, 0.0, 0.0)), 0.1)
    assert assistant.state.pace == Pace().after(Joystick((0.015, 0.0, 0.0)), 4.0) or (
        assistant.state.pace.pushed == pytest.approx(1.0)
    )
    assert Assistant.from_json(assistant.to_json()).state.pace == assistant.state.pace


def test_waiting_costs_the_help_that_is_lost_meanwhile() -> None:
    rewards = np.array([[-10.0, -30.0], [-30.0, -10.0], [-22.0, -22.0]])
    about_first = np.array([[0.95, 0.05], [0.05, 0.95]])
    given = {"belief": np.array([0.5, 0.5]), "rewards": rewards, "questions": (about_first,), "costs": [-3.0]}
    gains = np.array([[1.0, -2.0], [-2.0, 1.0], [0.0, 0.0]])
    blind = QuestionProblem(**given, discount=1.0, seen=np.ones((1, 2)), at_once=[False, False, True])  # type: ignore[arg-type]
    now = solve(blind)
    assert now.question == 0
    nothing, something = np.zeros(2), np.full(2, 0.4)
    assert wait_and_see(blind, gains, nothing, depth=2) == pytest.approx(now.lower)
    assert wait_and_see(blind, gains, something, depth=2) == pytest.approx(now.lower - 0.4), (
        "no putting off for nothing"
    )
    telling = replace(blind, seen=np.array([[0.99, 0.01], [0.01, 0.99]]))
    assert wait_and_see(telling, gains, something, depth=2) > solve(telling).lower, "what will show need not be asked"
    late = np.full(2, 40.0)
    assert wait_and_see(blind, gains, late, depth=2) == pytest.approx(-22.0), "or never to ask"


def test_an_answer_that_lets_it_help_near_an_object_is_worth_more() -> None:
    near = Pose((0.36, 0.0, 0.13))
    torn = [0.70, 0.24, 0.02, 0.02, 0.02]
    slow = Pace().after(Joystick((0.009, 0.0, 0.0)), 60.0)
    helper = replace(CHEAP, hands_off_m=0.3, follow_m=0.3, question_s=1.0)
    free = replace(helper, hands_off_m=0.0)
    assert helper.decide(situation(helper, torn, near, pace=slow)).about is not None
    assert free.decide(situation(free, torn, near, pace=slow)).about is None


def test_a_question_with_many_answers_costs_more() -> None:
    torn = [0.24, 0.24, 0.25, 0.25, 0.02]
    quick = replace(CHEAP, option_s=0.0)
    chosen = quick.decide(situation(quick, torn)).about
    assert chosen is not None and chosen.kind is AskKind.CHOICE
    slow_to_read = replace(CHEAP, option_s=3.0)
    plain = slow_to_read.decide(situation(slow_to_read, torn)).about
    assert plain is None or len(plain.answers) == 2
    weighty = replace(quick, load_s=5.0)
    hard = weighty.decide(situation(weighty, torn, loads=(0.0, 10.0))).about
    assert hard is None or hard.module == 0, "hard questions have a load of their own"


def told(about: AskKind, value: Value, chances: list[float]) -> Assistant:
    """One that asked about the cup's top grasp and heard this."""
    assistant = Assistant(TABLE)
    made = {AskKind.EXACTLY: about_exactly(TABLE, 0), AskKind.GOAL: about_goal(TABLE, 0)}[about]
    belief = replace(assistant.state.belief, weights=np.array(chances))
    assistant.state = replace(assistant.state, belief=belief, open=ask(made, np.array(chances), why="test"))
    assistant.answer(value, by="Maya")
    return assistant


@pytest.mark.parametrize(("about", "yes"), [(AskKind.EXACTLY, "yes"), (AskKind.GOAL, True)])
def test_a_yes_leaves_alive_that_the_pose_is_not_listed(about: AskKind, yes: Value) -> None:
    assistant = told(about, yes, [0.5, 0.3, 0.1, 0.05, 0.05])
    assert assistant.belief["cup/top"] > 0.9
    assert assistant.state.belief.of_unknown > 0.02, "yes, but in a pose of their own"
    assert told(about, yes, [0.05, 0.3, 0.1, 0.05, 0.5]).state.belief.of_unknown > 0.1


@pytest.mark.parametrize("chances", [[0.25, 0.25, 0.25, 0.2, 0.05], [0.9, 0.03, 0.03, 0.02, 0.02]])
def test_a_wrong_yes_is_overcome_by_what_the_person_does(chances: list[float]) -> None:
    assistant, pose = told(AskKind.GOAL, True, chances), START
    assert assistant.state.confirmed == {0}
    for _ in range(50):
        stick = pushed_at(pose, BOWL_TOP)
        said = assistant.step(pose, stick, 0.1)
        if isinstance(said, Ask):
            assistant.unanswered()
        pose = pose.moved(stick.linear, stick.angular, 0.1)
    assert max(assistant.belief, key=lambda each: assistant.belief[each]) == "bowl/top"
    assert TABLE.index("bowl/top") not in assistant.state.confirmed, "what was not confirmed is not treated so"


def test_for_a_goal_that_is_not_listed_it_follows() -> None:
    choice = ASSIST.decide(situation(ASSIST, [0.02, 0.02, 0.02, 0.02, 0.92]))
    assert not choice.velocity.any()


def test_pushing_past_everything_makes_an_unlisted_goal_likelier() -> None:
    assistant = Assistant(TABLE)
    before = assistant.state.belief.of_unknown
    for _ in range(20):
        assistant.step(START, Joystick((-0.06, 0.0, 0.0)), 0.1)
    assert assistant.state.belief.of_unknown > 2.0 * before


def test_a_stick_at_rest_changes_nothing() -> None:
    assistant = Assistant(TABLE)
    assistant.step(START, pushed_at(START, CUP_TOP), 0.1)
    before = dict(assistant.belief)
    for _ in range(50):
        assistant.step(CUP_TOP.poses[0], Joystick(), 0.1)
    assert dict(assistant.belief) == before


def test_opposition_counts_only_when_it_lasts_and_then_opens_questions_again() -> None:
    assistant = Assistant(TABLE)
    sure = replace(assistant.state.belief, weights=np.array([0.9, 0.04, 0.02, 0.02, 0.02]))
    told = replace(assistant.state, belief=sure, asked=frozenset({"x"}), confirmed=frozenset({0}))
    assistant.state = told
    away = Joystick((-0.06, 0.0, 0.0))
    assistant.step(START, away, 0.1)
    assert assistant.state.confirmed == {0}, "a moment of it is noise"
    for _ in range(8):
        assistant.step(START, away, 0.1)
    assert assistant.state.confirmed == frozenset()
    assert assistant.state.asked == frozenset()
    assistant.state = told
    for _ in range(8):
        assistant.step(START, away, 0.1)
        assistant.step(START, pushed_at(START, CUP_TOP), 0.1)
    assert assistant.state.confirmed == {0}, "now and then is no opposition"


def test_the_floor_holds_against_a_whole_minute_of_pushing() -> None:
    assistant = Assistant(TABLE)
    for _ in range(600):
        assistant.step(START, pushed_at(START, BOWL_TOP), 0.1)
    assert min(assistant.belief.values()) >= assistant.state.belief.floor * (1.0 - 1e-9)
    assert assistant.belief["bowl/top"] <= ASSIST.ceiling


def test_what_works_against_a_person_who_wants_a_goal_is_not_made() -> None:
    view = look(TABLE, ASSIST.begin(TABLE).groups, START, ASSIST.metric)
    known = towards(view, ASSIST.metric)
    ways = view.way[view.nearest]
    free = if_wanted(known, view, closely=False, theirs=False)
    assert (free[..., :3] * ways >= 0.0).all()
    assert np.einsum("ggi->gi", free) == pytest.approx(known), "what is for a goal is made for it"
    near = if_wanted(known, view, closely=True, theirs=True)
    assert np.cross(near[..., :3], np.broadcast_to(ways, near[..., :3].shape)) == pytest.approx(0.0, abs=1e-12)
    assert not near[..., 3:].any()


def test_the_papers_points_by_hand() -> None:
    belief = GoalBelief.uniform(TABLE)
    pose = Pose.turned((0.40, 0.00, 0.17), DOWN)
    metric = ASSIST.metric
    view = look(TABLE, belief.groups, pose, metric)
    found = moves(belief, towards(view, metric), [], (MoveKind.NONE,))
    points = Points(look_ahead_s=1.0)
    still = points.table(belief, view, pose, Joystick(), found, 0.5)
    assert still[0, 0] == pytest.approx(-100.0 * (1.0 - 2.0 ** (-8.0 * 0.05))), "near and turned right"
    side = CUP_SIDE.poses[0]
    far = pose.distance_m(side)
    expected = -100.0 * (1.0 - 2.0 ** (-8.0 * far)) - (
        100.0 * pose.angle_rad(side) / (2.0 * math.pi) if far <= 0.1 else 0.0
    )
    assert still[0, 1] == pytest.approx(expected)
    there = points.table(belief, view, pose, Joystick((0.0, 0.0, -0.05)), found, 0.5)
    assert there[0, 0] == pytest.approx(100.0), "reached"
    opposed = moves(belief, towards(view, metric), [0], (MoveKind.GOAL,))
    up = Joystick((0.0, 0.0, 0.03))
    with_penalty = points.table(belief, view, pose, up, opposed, 0.5)
    without = replace(points, opposing=0.0).table(belief, view, pose, up, opposed, 0.5)
    assert with_penalty == pytest.approx(without - 5.0)
