"""Simulated helpers: they take their time, are wrong at times, and do what they can."""

from __future__ import annotations

from dataclasses import replace

from handup.core import Question, QuestionKind
from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.actions import KINDS
from handup.domains.kitting.causes import ASKED
from handup.domains.kitting.helpers import BYSTANDER, GO_ON, OPERATOR, SILENT, HallHelper, OperatorFirst
from handup.domains.kitting.variants import recipes
from handup.executive.escalation import AGAIN, FIXED, escalate
from handup.executive.failure import Failure, FailureLevel
from handup.executive.machine import AskPerson
from handup.people import Suggestions, Support

TASKS = ("build_kits", "build_kit", "fill_kit", "pick_object", "perceive_pick", "pick_part")


def asked(leaf: str, code: str, tasks: tuple[str, ...] = TASKS, *, turn: int = 1, at_s: float = 0.0) -> AskPerson:
    levels = tuple(FailureLevel(task=each, step=(0,), name=leaf) for each in tasks)
    failure = Failure(levels=levels, leaf=leaf, kind="action", code=code, at_s=at_s)
    return AskPerson(number=1, failure=failure, tried=(), turn=turn)


def how(about: AskPerson) -> Question:
    return escalate(about, None, last=True).question


def answers(helper: HallHelper, cause: str, about: tuple[str, str], count: int = 200) -> list[tuple[object, bool]]:
    """What is said, and whether the cause is gone then."""
    found: list[tuple[object, bool]] = []
    for number in range(count):
        world = KittingWorld(number, rates=rates().without_faults())
        world.state = replace(world.state, causes=(cause,))
        question = asked(*about)
        said = helper.says(world, question, how(question))
        found.append((said.value, cause not in world.state.causes))
    return found


def test_a_bystander_removes_nine_causes_in_ten_and_says_how_to_go_on() -> None:
    found = answers(BYSTANDER, "out_of_reach", ("pick", "no_plan"))
    assert 0.84 < sum(gone for _, gone in found) / len(found) < 0.96
    assert {value for value, gone in found if gone} == {"Start again with perceive pick"}
    assert {value for value, gone in found if not gone} == {AGAIN}


def test_an_operator_is_right_less_often_than_somebody_on_the_spot() -> None:
    far = sum(gone for _, gone in answers(OPERATOR, "out_of_reach", ("pick", "no_plan")))
    near = sum(gone for _, gone in answers(BYSTANDER, "out_of_reach", ("pick", "no_plan")))
    assert 0 < far < near


def test_suggestions_make_an_operator_right_more_often() -> None:
    shown = replace(OPERATOR, supports={"action": Support(Suggestions.BOTH)})
    with_them, without = (
        sum(gone for _, gone in answers(helper, "out_of_reach", ("pick", "no_plan"))) for helper in (shown, OPERATOR)
    )
    assert with_them > 1.2 * without


def test_the_line_delays_each_look_and_each_remedy() -> None:
    delays = set()
    for seed in range(20):
        latency = []
        for lag_s in (0.0, 7.0):
            world = KittingWorld(seed, rates=rates().without_faults())
            world.state = replace(world.state, causes=("out_of_reach",))
            question = asked("pick", "no_plan")
            latency.append(replace(OPERATOR, lag_s=lag_s).says(world, question, how(question)).latency_s)
        delays.add(round(latency[1] - latency[0], 6))
    assert delays == {7.0, 14.0}, "a wrong answer is one look, a right one also a remedy"


def test_with_an_operator_first_the_bystander_comes_at_the_second_question() -> None:
    helper = OperatorFirst()
    first, second = (asked("navigate", "stuck", turn=turn) for turn in (1, 2))
    replies = [helper.says(KittingWorld(5), question, how(question)) for question in (first, second)]
    assert [reply.by for reply in replies] == ["operator", "bystander"]
    alone = BYSTANDER.says(KittingWorld(5), first, how(first))
    assert replies[1].latency_s == alone.latency_s, "they have to walk up as if it were the first question"


def test_helpers_say_what_is_wrong_with_a_module_and_are_mistaken_at_times() -> None:
    for helper in (BYSTANDER, OPERATOR):
        said: list[object] = []
        for seed in range(200):
            world = KittingWorld(seed, rates=rates().without_faults())
            world.state = replace(world.state, causes=("out_of_reach",))
            question = Question(ASKED["reach"], QuestionKind.YES_NO)
            said.append(helper.says(world, asked("pick", "no_plan"), question).value)
        assert 0.5 < sum(each is True for each in said) / len(said) < 1.0


def test_who_is_there_already_need_not_come_again() -> None:
    for helper in (BYSTANDER, OPERATOR):
        first, second = (asked("navigate", "stuck", turn=turn) for turn in (1, 2))
        times = [
            [helper.says(KittingWorld(seed), each, how(each)).latency_s for seed in range(60)]
            for each in (first, second)
        ]
        assert sum(times[0]) > 1.5 * sum(times[1])


def test_the_same_question_gets_the_same_answer() -> None:
    for helper in (BYSTANDER, OPERATOR):
        question = asked("pick", "no_plan", at_s=17.0)
        assert helper.says(KittingWorld(3), question, how(question)) == helper.says(
            KittingWorld(3), question, how(question)
        )


def test_a_person_takes_what_should_not_be_in_the_hand() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    world.state = replace(world.state, hand="bolt")
    question = asked("pick", "hand_full")
    said = BYSTANDER.says(world, question, how(question))
    assert (said.value, world.state.hand) == ("Start again with perceive pick", "")


def test_a_step_without_a_better_place_is_tried_again() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    world.state = replace(world.state, causes=("stuck_base",))
    question = asked("navigate", "stuck")
    assert BYSTANDER.says(world, question, how(question)).value == FIXED


def test_everything_that_helpers_name_is_there() -> None:
    codes = {code for kind in KINDS.values() for code in kind.codes}
    assert set(GO_ON) <= codes | set(KINDS)
    assert set(SILENT) <= codes
    assert {level for _, levels in GO_ON.values() for level in levels} <= set(recipes().tasks)
