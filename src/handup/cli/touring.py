"""The questions of the tour: one of every kind, as a feeding robot would ask them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from handup.core import Box, Point, Question, QuestionKind, Resolution, ResumeHint

PICTURES: Mapping[str, str] = {
    "tour/plate": "plate.jpg",
    "tour/chicken": "chicken.jpg",
    "tour/tomato": "tomato.jpg",
    "tour/lettuce": "lettuce.jpg",
}
"""Names of the pictures that the questions show, and the files that they come from."""
PLATE = "tour/plate"

TOUR: Mapping[str, Question] = {
    "choice": Question(
        "Which food would you like next?",
        QuestionKind.CHOICE,
        ("chicken", "cherry tomato", "lettuce"),
        doing="looking for the next bite",
        why="I am not sure what you would like",
        effects=("I take a piece of chicken next.", "I take a cherry tomato next.", "I take some lettuce next."),
        pictures=("tour/chicken", "tour/tomato", "tour/lettuce"),
    ),
    "guess": Question(
        "What is the red food on the plate?",
        QuestionKind.CHOICE,
        ("cherry tomato", "watermelon", "strawberry"),
        doing="looking for the next bite",
        why="I have not seen it from this side before",
        guess="cherry tomato",
        sure=0.83,
        effects=("I pierce it from above.", "I push the fork under it.", "I pierce it from the side."),
        image=PLATE,
    ),
    "box": Question(
        "Where is the chicken? Tap two opposite corners of a box around one piece.",
        QuestionKind.BOX,
        doing="looking for a piece of chicken",
        why="two pieces lie close together",
        guess=Box(left=0.608, top=0.56, right=0.705, bottom=0.667),
        sure=0.62,
        image=PLATE,
    ),
    "points": Question(
        "How should I skewer the chicken? Tap the two ends of its longer side.",
        QuestionKind.POINTS,
        doing="about to skewer the chicken",
        why="I tried once, and it slipped off",
        image=PLATE,
        marks=("one end of the long side", "the other end"),
        guess=(Point(0.62, 0.58), Point(0.70, 0.632)),
        sure=0.45,
    ),
    "yes-no": Question(
        "Is this bite small enough?",
        QuestionKind.YES_NO,
        doing="holding a bite before you",
        guess=True,
        sure=0.71,
        effects=("I bring it to your mouth.", "I put it back and cut it."),
        image="tour/chicken",
    ),
    "permission": Question(
        "May I move your cup to reach the plate?",
        QuestionKind.PERMISSION,
        doing="about to reach for the far side of the plate",
        why="your cup stands in the way",
        effects=("I lift the cup and put it down on your left.", "I leave the cup and take another bite."),
    ),
    "number": Question(
        "How long shall I wait between two bites?",
        QuestionKind.NUMBER,
        doing="resting",
        why="you are still chewing when I come back",
        guess=20.0,
        sure=0.5,
        low=0,
        high=120,
        unit="seconds",
    ),
    "text": Question(
        "What shall I call this dish?",
        QuestionKind.TEXT,
        ("salad", "lunch", "savory salad"),
        doing="writing down what you ate",
        why="I want to find it again next time",
        image=PLATE,
    ),
    "diagnosis": Question(
        "The chicken fell off the fork. What went wrong?",
        QuestionKind.DIAGNOSIS,
        ("it is too soft", "I pierced its edge", "the plate moved"),
        doing="lifting a piece of chicken",
        why="the fork came up empty",
        guess="I pierced its edge",
        sure=0.66,
    ),
    "action": Question(
        "The plate has moved. What shall I do?",
        QuestionKind.ACTION,
        ("look at the plate again", "push the plate back", "rest"),
        doing="about to take the next bite",
        why="nothing is where I saw it last",
        effects=("I take a new picture.", "I nudge its rim with the fork.", "I put the fork down and wait."),
        guess=Resolution(action="look at the plate again", resume=ResumeHint.RETRY),
        sure=0.88,
    ),
    "physical": Question(
        "Please turn the plate a little, so that I can reach the lettuce.",
        QuestionKind.PHYSICAL,
        doing="reaching for the lettuce",
        why="it lies behind the rim of the plate",
        effects=("I look again and go on.", "I ask somebody else to help."),
        support="A quarter turn is enough. I keep still while you do it.",
    ),
}
"""By step: every kind once, and a choice with a guess besides the one with pictures."""


def picture(name: str) -> bytes:
    """A picture of the tour, as JPEG."""
    return files("handup.cli").joinpath("tour", PICTURES[name]).read_bytes()
