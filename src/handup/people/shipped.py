"""The fitted numbers that come with handup: small, made by `python -m train.answers`, with where they come from."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from handup.core import QuestionKind
from handup.people.answers import AnswerModel, KindFit
from handup.people.helping import Care
from handup.people.latency import Latency
from handup.people.model import check_record, refusing_damage


@cache
def answers_record() -> dict[str, Any]:
    """Parameters, summary statistics and provenance, as the script wrote them."""
    text = files("handup.people").joinpath("data/answers.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    check_record(record, "fitted-answers")
    return record


def answer_model(care: Care = Care.USUAL) -> AnswerModel:
    """The answer model: human data for operators' diagnosis and action questions, assumptions for the rest."""
    record = answers_record()
    with refusing_damage("fitted-answers"):
        fits = {QuestionKind(kind): KindFit.from_json(each) for kind, each in record["fits"].items()}
        return AnswerModel(fits=fits, latency=Latency.from_json(record["latency"]), care=care)
