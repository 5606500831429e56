"""Simulated helpers: they take their time, are wrong at times, and do what they can."""

from __future__ import annotations

from dataclasses import replace

from handup.core import Question, QuestionKind
from handup.domains.kitting import KittingWorld, rates
from handup.domains.kitting.actions import KINDS
from handup.domains.kitting.causes import ASKED
from handup.domains.kitting.helpers import GO_ON, SILENT, Bystander, HallHelper, RemoteOperator
from handup.domains.kitting.variants import recipes
from handup.executive.escalation import AGAIN, FIXED, escalate
from handup.executive.failure import Failure, Level
from handup.executive.machine import AskPerson

TASKS = ("build_kits", "build_kit", "fill_kit", "pick_object", "perceive_pick", "pick_part")


def asked(leaf: str, code: str, tasks: tuple[str, ...] = TASKS, *, turn: int = 1, at_s: float = 0.0) -> AskPerson:
    levels = tuple(Level(task=each, step=(0,), name=leaf) for each in tasks)
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
    found = answers(Bystander(), "out_of_reach", ("pick", "no_plan"))
    assert 0.84 < sum(gone for _, gone in found) / len(found) < 0.96
    assert {value for value, gone in found if gone} == {"Start again with perceive pick"}
    assert {value for value, gone in found if not gone} == {AGAIN}


def test_an_operator_is_right_less_often_than_somebody_on_the_spot() -> None:
    far = sum(gone for _, gone in answers(RemoteOperator(), "out_of_reach", ("pick", "no_plan")))
    near = sum(gone for _, gone in answers(Bystander(), "out_of_reach", ("pick", "no_plan")))
    assert 0 < far < near


def test_helpers_say_what_is_wrong_with_a_module_and_are_mistaken_at_times() -> None:
    for helper in (Bystander(), RemoteOperator()):
        said: list[object] = []
        for seed in range(200):
            world = KittingWorld(seed, rates=rates().without_faults())
            world.state = replace(world.state, causes=("out_of_reach",))
            question = Question(ASKED["reach"], QuestionKind.YES_NO)
            said.append(helper.says(world, asked("pick", "no_plan"), question).value)
        assert 0.5 < sum(each is True for each in said) / len(said) < 1.0


def test_who_is_there_already_need_not_come_again() -> None:
    for helper in (Bystander(), RemoteOperator()):
        first, second = (asked("navigate", "stuck", turn=turn) for turn in (1, 2))
        times = [
            [helper.says(KittingWorld(seed), each, how(each)).latency_s for seed in range(60)]
            for each in (first, second)
        ]
        assert sum(times[0]) > 1.5 * sum(times[1])


def test_the_same_question_gets_the_same_answer() -> None:
    for helper in (Bystander(), RemoteOperator()):
        question = asked("pick", "no_plan", at_s=17.0)
        assert helper.says(KittingWorld(3), question, how(question)) == helper.says(
            KittingWorld(3), question, how(question)
        )


def test_a_person_takes_what_should_not_be_in_the_hand() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    world.state = replace(world.state, hand="bolt")
    question = asked("pick", "hand_full")
    said = Bystander().says(world, question, how(question))
    assert (said.value, world.state.hand) == ("Start again with perceive pick", "")


def test_a_step_without_a_better_place_is_tried_again() -> None:
    world = KittingWorld(1, rates=rates().without_faults())
    world.state = replace(world.state, causes=("stuck_base",))
    question = asked("navigate", "stuck")
    assert Bystander().says(world, question, how(question)).value == FIXED


def test_everything_that_helpers_name_is_there() -> None:
    codes = {code for kind in KINDS.values() for code in kind.codes}
    assert set(GO_ON) <= codes | set(KINDS)
    assert set(SILENT) <= codes
    assert {level for _, levels in GO_ON.values() for level in levels} <= set(recipes().tasks)
