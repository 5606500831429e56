"""Somebody's model in the place of a module gives an answer to the question, or an error that says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from handup.core import Box, ContractViolation, HandupError, Point, Question
from handup.models import Model, Output, check_model
from handup.models.pictures import Picture

RGB: Picture = np.full((12, 16, 3), 90, np.uint8)
PART = Question("What is it?", "choice", ("bolt", "nut", "washer"))
WHERE, FORCE = Question("Where is it?", "box"), Question("How firmly?", "number", low=1, high=20)
READY, EDGE = Question("Is it there?", "yes-no"), Question("Where is its edge?", "points")
BOX = Box(left=0.1, top=0.1, right=0.5, bottom=0.5)
CORNER = Box(left=0, top=0, right=0.2, bottom=0.2)


def model(given: object, question: Question = PART, **settings: Any) -> Model:
    def mine(*_: object) -> object:
        return given

    return Model(call=mine, question=question, **settings)


@pytest.mark.parametrize(
    ("question", "given", "values", "scores"),
    [
        (PART, {"nut": 0.8, "bolt": 0.3}, ("nut", "bolt", "washer"), (0.8, 0.3, 0.0)),
        (PART, {"nut": 0.5, "bolt": 0.5}, ("bolt", "nut", "washer"), (0.5, 0.5, 0.0)),
        (PART, Output(("nut",), (0.5,)), ("nut", "bolt", "washer"), (0.5, 0.0, 0.0)),
        (
            WHERE,
            [((0.0, 0.0, 0.2, 0.2), 0.4), (BOX, 0.9)],
            (BOX, Box(left=0, top=0, right=0.2, bottom=0.2)),
            (0.9, 0.4),
        ),
        (WHERE, [(np.array([0.1, 0.1, 0.5, 0.5]), np.float32(0.5))], (BOX,), (0.5,)),
        (WHERE, [], (), ()),
        (FORCE, [(4, 0.8)], (4.0,), (0.8,)),
        (READY, [("no", 0.3), (True, 0.7)], (True, False), (0.7, 0.3)),
        (EDGE, [([(0.1, 0.2), (0.3, 0.4)], 1)], ((Point(0.1, 0.2), Point(0.3, 0.4)),), (1.0,)),
    ],
)
def test_plain_python_becomes_an_output(question: Question, given: object, values: object, scores: object) -> None:
    output = model(given, question)(RGB)
    assert (output.values, output.scores) == (values, scores)
    assert (output.value, output.score) == ((values[0], scores[0]) if values else (None, 0.0))  # type: ignore[index]


@pytest.mark.parametrize(
    ("question", "given", "what"),
    [
        (PART, "nut", "gives 'nut'"),
        (PART, None, "gives None"),
        (PART, {}, "no scores"),
        (PART, {"gear": 0.5}, "'gear', which is none of: bolt, nut, washer"),
        (PART, {"nut": 50}, "score of 'nut' must lie between 0 and 1, got 50"),
        (PART, {"nut": float("nan")}, "must be finite, got nan"),
        (PART, {"nut": True}, "True"),
        (PART, Output(("nut",), ()), "1 values and 0 scores"),
        (WHERE, None, "gives None"),
        (WHERE, [BOX], "for a box and its score"),
        (WHERE, [((0.1, 0.1, 0.5), 0.9)], "3 numbers for a box"),
        (WHERE, [((32, 20, 60, 40), 0.9)], "a box that is none"),
        (WHERE, [(("a", "b", "c", "d"), 0.9)], "a box that is none"),
        (WHERE, [((0.5, 0.5, 0.2, 0.2), 0.9)], "a box from 0.5, 0.5 to 0.2, 0.2"),
        (WHERE, [(BOX, 1.5)], "a score must lie between 0 and 1, got 1.5"),
        (WHERE, [(BOX, 0.5)] * 300, "more than 256"),
        (FORCE, [(40, 0.8)], "a number that is none: 40 is out of range"),
    ],
)
def test_what_is_no_answer_to_the_question_is_refused(question: Question, given: object, what: str) -> None:
    with pytest.raises(ContractViolation) as refused:
        model(given, question)(RGB)
    assert refused.value.cause.startswith("mine ")
    assert what in refused.value.cause
    assert refused.value.hint.startswith("Give ")


def test_probabilities_add_up_where_that_is_said() -> None:
    assert model({"nut": 0.7, "bolt": 0.3}, adds_up=True)().value == "nut"
    with pytest.raises(ContractViolation, match=r"add up to 0\.5"):
        model({"nut": 0.5}, adds_up=True)()


# -- the check ---------------------------------------------------------------------------------------------------------


def test_a_sound_model_is_not_complained_of() -> None:
    check_model(model({"nut": 0.7}), RGB)


def test_every_breach_is_told_and_the_picture_stays_as_it_was() -> None:
    draw, picture = np.random.default_rng(1), RGB.copy()

    def restless(rgb: Picture) -> object:
        rgb[0] = 0
        return {"nut": draw.random()}

    with pytest.raises(ContractViolation, match="restless breaks the contract") as refused:
        check_model(Model(call=restless, question=PART), picture)
    assert "(1) restless changes the picture" in str(refused.value)
    assert "(2) restless gives two different outputs for one input" in str(refused.value)
    assert (picture == RGB).all()


def test_what_a_model_raises_is_told_by_the_check_and_goes_up_otherwise() -> None:
    def broken(rgb: Picture, label: str) -> object:
        raise KeyError(label)

    mine = Model(call=broken, question=PART, name="parts-2")
    with pytest.raises(HandupError, match=r"parts-2 raises KeyError \('nut'\) when given the picture, nut\. Let it"):
        check_model(mine, RGB, "nut")
    with pytest.raises(KeyError):
        mine(RGB, "nut")
