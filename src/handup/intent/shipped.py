"""The fitted numbers that come with handup: small, made by `python -m train.intent`, with where they come from."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from handup.core import BadRecord

KIND, SCHEMA = "fitted-intent", 1


@cache
def fitted_record() -> dict[str, Any]:
    """Parameters, scores and provenance, as the script wrote them."""
    text = files("handup.intent").joinpath("data/fitted.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    if (record.get("kind"), record.get("schema")) != (KIND, SCHEMA):
        raise BadRecord("the fitted numbers of intent are damaged", hint="Install handup anew.")
    return record


def fitted(part: str, name: str) -> float:
    """One of the numbers: of `pushes` or of `times`."""
    return float(fitted_record()[part][name])
