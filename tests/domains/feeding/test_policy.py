"""The policy of a bite: it re-runs what an answer changes, asks the paper's questions, and looks again after a try."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from examples.feeding_sweep import nudged
from handup.core import BadSetting, Box, Point, QuestionKind, Value, check_value
from handup.domains.feeding import HARD, PlateWorld, Skill
from handup.domains.feeding.attempt_record import BiteAttempt
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.meal_result import cause_of
from handup.domains.feeding.modules import CLAIMED, Faulty
from handup.domains.feeding.policy import LOST, NOWHERE, BitePolicy
from handup.domains.feeding.skills import SkillExecution
from handup.domains.feeding.truth import (
    MODULES,
    BiteJudgement,
    LossCause,
    aims_well,
    box_of,
    judge,
    points_of,
    right_answer,
    tolerance,
)
from handup.recover import Look
from tests.fakes.feeding import Oracle, calibrators


@pytest.fixture
def world() -> Iterator[PlateWorld]:
    with PlateWorld("savory salad", seed=4, size=(320, 240)) as made:
        yield made


@pytest.fixture
def oracle(world: PlateWorld) -> Oracle:
    return Oracle(world)


@pytest.fixture
def policy(world: PlateWorld, oracle: Oracle) -> BitePolicy:
    return BitePolicy(world, oracle, calibrators())


def other_box(world: PlateWorld, said: Value) -> Box:
    """Another piece's box."""
    assert isinstance(said, Box)
    return next(box_of(each) for each in world.truth() if overlap(box_of(each), said) < 0.2)


# -- the forward pass --------------------------------------------------------------------------------------------------


def test_the_chain_costs_what_the_workload_model_says(policy: BitePolicy) -> None:
    assert policy.graph.names == MODULES
    assert policy.graph.query_costs.tolist() == pytest.approx([0.24, 0.34, 0.24, 0.46])
    assert policy.graph.is_series


def test_each_module_says_something_with_its_calibrated_confidence(policy: BitePolicy) -> None:
    made = policy.forward({})
    assert isinstance(made.outputs["food"], str)
    assert isinstance(made.outputs["box"], Box)
    assert made.outputs["skill"] in tuple(Skill)
    assert made.confidences["food"] == pytest.approx(0.9)
    assert 0.9 < made.confidences["params"] < 1.0


@pytest.mark.parametrize(
    ("answered", "again"),
    [
        ("food", {"box": 1, "skill": 1, "params": 1}),
        ("box", {"skill": 1, "params": 1}),
        ("skill", {"params": 1}),
        ("params", {}),
    ],
)
def test_an_answer_makes_exactly_what_follows_run_again(
    policy: BitePolicy, oracle: Oracle, world: PlateWorld, answered: str, again: dict[str, int]
) -> None:
    said = policy.forward({}).outputs
    answers: dict[str, Value] = {
        "food": next(name for name in world.plate.pieces if name != said["food"]),
        "box": other_box(world, said["box"]),
        "skill": "twirl",
        "params": (Point(0.2, 0.2), Point(0.3, 0.2)),
    }
    oracle.calls.clear()
    made = policy.forward({answered: answers[answered]})
    assert oracle.calls == again
    assert made.outputs[answered] == answers[answered]
    assert answered not in made.confidences
    policy.forward({answered: answers[answered]})
    assert oracle.calls == again, "the same pass again computes nothing"


def test_an_answer_that_says_the_same_makes_nothing_run_again(policy: BitePolicy, oracle: Oracle) -> None:
    said = policy.forward({}).outputs
    oracle.calls.clear()
    policy.forward({"food": said["food"], "skill": said["skill"]})
    assert not oracle.calls


def test_an_answer_about_something_else_is_left_aside(policy: BitePolicy, world: PlateWorld) -> None:
    said = policy.forward({}).outputs
    box = other_box(world, said["box"])
    assert policy.forward({"box": box}).outputs["box"] == box
    other = next(name for name in world.plate.pieces if name != said["food"])
    made = policy.forward({"box": box, "food": other})
    assert tuple(made.outdated) == ("box",)
    assert made.outputs["box"] != box
    assert "box" in made.confidences


def test_where_nothing_is_found_the_box_is_a_bad_guess_and_no_error(world: PlateWorld) -> None:
    made = BitePolicy(world, Oracle(world, blind=True), calibrators()).forward({})
    assert (made.outputs["box"], made.confidences["box"]) == (NOWHERE, LOST)
    assert set(made.outputs) == set(MODULES)


# -- acting ------------------------------------------------------------------------------------------------------------


def test_a_right_decision_is_a_bite_and_the_plate_is_written_down(policy: BitePolicy, world: PlateWorld) -> None:
    outputs = policy.forward({}).outputs
    look = policy.act(outputs, "a")
    acted = policy.acts.of("a")
    assert isinstance(acted, BiteAttempt)
    assert (look.ok, acted.got, acted.food) == (True, True, outputs["food"])
    assert acted.judged.cause is LossCause.PHYSICS
    assert acted.plate == world.save()
    assert policy.sense("a") == look
    assert policy.sense("b") == Look(False, started=False)


def test_after_a_failure_it_looks_again_and_what_says_the_same_is_no_surer_than_before(world: PlateWorld) -> None:
    oracle = Oracle(world, off=0.12)
    policy = BitePolicy(world, oracle, calibrators())
    first = policy.forward({})
    look = policy.act(first.outputs, "a")
    assert not look.ok
    assert look.certainty <= 0.93
    oracle.calls.clear()
    oracle.score = 0.7
    second = policy.forward({})
    assert oracle.calls["food"] == 1, "another picture"
    assert second.confidences["food"] == first.confidences["food"]


@pytest.mark.parametrize(("score", "moves_on"), [(0.6, True), (0.4, False)])
def test_after_a_failure_another_food_is_tried_if_that_is_likely_there(
    world: PlateWorld, score: float, moves_on: bool
) -> None:
    first, other, *_ = world.left()
    oracle = Oracle(world, label=first, off=0.12, others={other: score})
    policy = BitePolicy(world, oracle, calibrators())
    made = policy.forward({})
    assert made.outputs["food"] == first, "before an attempt it is the best one"
    assert not policy.act(made.outputs, "a").ok
    again = policy.forward({})
    assert (again.outputs["food"], again.confidences["food"]) == ((other, 0.6) if moves_on else (first, 0.9))
    assert policy.forward({"food": first}).outputs["food"] == first, "a person's word stands"
    oracle.hidden = frozenset({other})
    unseen = BitePolicy(world, oracle, calibrators(), acts=policy.acts)
    assert unseen.forward({}).outputs["food"] == first, "M2 must find it"


def test_outputs_that_mean_the_same_do_not_differ(policy: BitePolicy) -> None:
    box = Box(left=0.2, top=0.2, right=0.4, bottom=0.4)
    assert not policy.differs("box", box, Box(left=0.21, top=0.2, right=0.41, bottom=0.4))
    assert policy.differs("box", box, Box(left=0.35, top=0.2, right=0.55, bottom=0.4))
    line = (Point(0.2, 0.2), Point(0.4, 0.2))
    assert not policy.differs("params", line, (Point(0.4, 0.205), Point(0.2, 0.2))), "whichever end comes first"
    assert policy.differs("params", line, (Point(0.2, 0.3), Point(0.4, 0.3)))
    assert policy.differs("food", "chicken", "tofu")


# -- asking ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_the_four_questions_are_ready_for_people(policy: BitePolicy, world: PlateWorld, module: str) -> None:
    outputs = policy.forward({}).outputs
    question = policy.question(module, outputs)
    question.check_ready()
    assert question.guess == outputs[module]
    assert question.image == "bite/picture-0"
    assert question.doing and question.why and question.sure is not None
    assert len(question.effects) == len(question.choices)
    check_value(question, right_answer(world, module, outputs))
    kinds = {"food": QuestionKind.CHOICE, "box": QuestionKind.BOX, "skill": QuestionKind.CHOICE}
    assert question.kind is kinds.get(module, QuestionKind.POINTS)


def test_true_answers_are_right_whatever_the_modules_say() -> None:
    for seed in range(3):
        with PlateWorld("noodles", seed=seed, looks=HARD, size=(320, 240)) as world:
            policy = BitePolicy(world, Oracle(world, label="tofu", skill=Skill.TWIRL, off=0.1), calibrators())
            answers: dict[str, Value] = {}
            for module in MODULES:
                answers[module] = right_answer(world, module, policy.forward(answers).outputs)
            assert judge(world, answers).cause is LossCause.PHYSICS


# -- why a bite is lost ------------------------------------------------------------------------------------------------


def tried(picked: str | None = None, *, wrong: str = "", ok: bool = False, meant: str = "tofu") -> BiteAttempt:
    """An attempt at a food, with one module wrong or none."""
    return BiteAttempt(
        action="a",
        said={"food": meant},
        confidences={},
        ok=ok,
        certainty=0.9,
        execution=SkillExecution(picked=picked, seconds=1.0, reason="as told"),
        judged=BiteJudgement(**{module: module != wrong for module in MODULES}),
        plate={},
    )


@pytest.mark.parametrize(
    ("attempts", "cause"),
    [
        ([], LossCause.UNTRIED),
        ([tried(wrong="box")], LossCause.BOX),
        ([tried()], LossCause.PHYSICS),
        ([tried(ok=True)], LossCause.PHYSICS),
        ([tried("peas", wrong="params", ok=True)], LossCause.PARAMS),
        ([tried("tofu")], LossCause.DETECTOR),
        ([tried("tofu", wrong="params")], LossCause.DETECTOR),
        ([tried("tofu"), tried(wrong="food")], LossCause.DETECTOR),
        ([tried(wrong="skill"), tried("tofu"), tried(wrong="food")], LossCause.DETECTOR),
        ([tried(wrong="params"), tried(wrong="food")], LossCause.PARAMS),
        ([tried(), tried(wrong="box", meant="peas")], LossCause.PHYSICS),
    ],
)
def test_a_lost_bite_has_the_cause_of_its_first_attempt_unless_the_food_was_on_the_fork(
    attempts: list[BiteAttempt], cause: LossCause
) -> None:
    assert cause_of(attempts) is cause


def test_the_first_wrong_module_of_an_attempt_counts() -> None:
    assert BiteJudgement(food=True, box=False, skill=True, params=False).cause is LossCause.BOX


def test_each_module_can_be_caught_wrong(world: PlateWorld) -> None:
    policy = BitePolicy(world, Oracle(world), calibrators())
    right = dict(policy.forward({}).outputs)
    assert not judge(world, {**right, "food": "tofu"}).food
    assert not judge(world, {**right, "box": Box(left=0.0, top=0.0, right=0.1, bottom=0.1)}).box
    assert not judge(world, {**right, "skill": "twirl"}).skill
    beside = points_of(Oracle(world, off=0.08).aim(policy.picture(), NOWHERE, Skill.SKEWER, seed=0).params)
    assert not judge(world, {**right, "params": beside}).params


def test_parameters_are_right_as_far_off_as_the_table_says_and_no_further(world: PlateWorld) -> None:
    item = next(each for each in world.truth() if each.food == "chicken")
    bears = tolerance("chicken", Skill.SKEWER)
    for share, right in ((0.9, True), (1.1, False)):
        for by_mm, turn_deg in ((bears.place_mm * share, 0.0), (0.0, bears.angle_deg * share)):
            moved = nudged(
                world, Skill.SKEWER, item.best[Skill.SKEWER], by_m=(by_mm / 1e3, 0.0), turn_rad=math.radians(turn_deg)
            )
            assert aims_well(world, item, Skill.SKEWER, moved) is right, (by_mm, turn_deg)


# -- the faulty detector -----------------------------------------------------------------------------------------------


def test_the_faulty_detector_errs_as_often_and_as_surely_as_the_papers(oracle: Oracle, world: PlateWorld) -> None:
    on_plate = frozenset(world.plate.pieces)
    faulty = Faulty(modules=oracle, on_plate=on_plate, highest=0.8, seed=1)
    pictures = np.random.default_rng(0).integers(0, 255, (400, 4, 4, 3)).astype(np.uint8)
    named = [faulty.name(each) for each in pictures]
    wrong = [each for each in named if each.label not in on_plate]
    assert 0.85 < len(wrong) / len(named) < 0.95
    assert {each.score / faulty.highest for each in wrong} == {CLAIMED}
    assert len({each.label for each in wrong}) == len(faulty.foods) - len(on_plate)
    assert all(each.score == oracle.score for each in named if each.label in on_plate)
    assert faulty.name(pictures[0]) == named[0]
    with pytest.raises(BadSetting, match="some food must not be on the plate"):
        Faulty(modules=oracle, on_plate=frozenset(oracle.foods), highest=0.8)
