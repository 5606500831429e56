"""A robot that sorts parts: a detector from a file, a vision model at an endpoint, and a person in doubt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from handup import Look, Module, ModuleGraph, Pass, Question, run
from handup.confidence import Sample, calibrate
from handup.core import Box, Person, QuestionKind, Value
from handup.desk import Callback, Desk
from handup.journal import Journal
from handup.models import DetectorFormat, Endpoint, Layout, Model, OnnxDetector, Scores, around, check_model
from handup.models.pictures import Picture
from tests.models.graphs import CELL, SIDE, detector
from tests.models.toy import likes, options_of, serving

WHERE = Question("Where is the red part?", QuestionKind.BOX, image="belt")
WHICH = Question("Which part is it?", QuestionKind.CHOICE, ("bolt", "nut"))
SPOT = Box(left=0.25, top=0.5, right=0.375, bottom=0.625)
RAW = np.linspace(0.0, 1.0, 200)
TOO_SURE = calibrate(Sample.of_scores(RAW, RAW * 200 % 2 < RAW)).calibrator


def belt() -> Picture:
    picture = np.full((SIDE, SIDE, 3), 114, np.uint8)
    picture[4 * CELL : 5 * CELL, 2 * CELL : 3 * CELL] = (250, 10, 10)
    return picture


class Sorter:
    """Finds the red part, says which it is, and takes it."""

    def __init__(self, where: Model, which: Model) -> None:
        self.where, self.which = where, which
        modules = [Module("where", 0.5, question=WHERE), Module("which", 0.5, question=WHICH, calibrator=TOO_SURE)]
        self.graph = ModuleGraph.chain(modules)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        where = self.where(belt())
        box = answers.get("where", where.value)
        assert isinstance(box, Box)
        which = self.which(around(belt(), box))
        assert which.value is not None
        outputs: dict[str, Value] = {"where": box, "which": which.value} | dict(answers)
        return Pass(
            outputs=outputs,
            confidences={"where": where.score, "which": self.graph.modules[1].calibrated(which.score)},
        )

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        return Look(outputs == {"where": SPOT, "which": "nut"})


def test_a_robot_that_is_no_feeding_robot_takes_models_of_others_and_asks_where_they_err(tmp_path: Path) -> None:
    layout = {"layout": Layout.PER_CLASS, "scores": Scores.SIGMOID}
    form = DetectorFormat(width=SIDE, height=SIDE, classes=("red", "green"), **layout)  # type: ignore[arg-type]
    parts = OnnxDetector(detector(tmp_path / "parts.onnx"), form)
    where = Model(call=lambda picture: parts.find(picture, "red"), question=WHERE, name="parts.onnx")
    with serving(likes({"bolt": 0.7, "nut": 0.3})) as toy:
        there = Endpoint(url=toy.url, model="toy")
        which = Model(call=lambda picture: there.choose(picture, WHICH.prompt, WHICH.options), question=WHICH)
        for model in (where, which):
            check_model(model, belt())
        asked = []
        with Journal.open(tmp_path / "belt.db") as book:
            person = Callback(lambda record: asked.append(record.step) or "nut")  # type: ignore[func-returns-value]
            with Desk(book, [Person(name="Mia")], channels=[person]) as desk:
                episode = run(Sorter(where, which), "troubleshoot", desk, run="part-1")
    assert episode.outcome == "recovered"
    assert asked == ["which"], "the detector is sure and right; the vision model is neither"
    assert list(options_of(toy.asked[-1]).values()) == ["bolt", "nut"]
