"""Questions of the tour: one of every kind, as a feeding robot would ask them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handup.core import Question
from handup.core.files import shipped_data

PICTURES: Mapping[str, str] = {
    "tour/plate": "plate.jpg",
    "tour/chicken": "chicken.jpg",
    "tour/tomato": "tomato.jpg",
    "tour/lettuce": "lettuce.jpg",
}
"""Names of the pictures that the questions show, and the files that they come from."""
PLATE = "tour/plate"
TOUR: Mapping[str, Question] = {
    step: Question.from_json(record) for step, record in shipped_data(__file__, "tour/questions.yaml").items()
}
"""Questions by step: every kind once, and a choice with a guess besides the one with pictures."""


def picture(name: str) -> bytes:
    """Return a picture of the tour, as JPEG."""
    return (Path(__file__).parent / "tour" / PICTURES[name]).read_bytes()
