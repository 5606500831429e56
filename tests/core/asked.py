"""Questions of every kind, for the tests: drawn ones, and one of each kind that has everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from handup.core import Box, Joining, Point, Question, QuestionKind, Resolution, ResumeHint, Value
from handup.core.kinds import RULES
from handup.core.shapes.numbers import NumberShape, TruthShape
from handup.core.shapes.places import BoxShape, PointsShape
from handup.core.shapes.words import OptionShape, ResolutionShape

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12).filter(str.strip)
names = st.text(st.characters(min_codepoint=33, max_codepoint=0x17F, exclude_categories=["C", "Z"]), min_size=1)
shares = st.floats(0.0, 1.0)
points = st.builds(Point, shares, shares)
finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, right = sorted(draw(st.lists(shares, min_size=2, max_size=2, unique=True)))
    top, bottom = sorted(draw(st.lists(shares, min_size=2, max_size=2, unique=True)))
    return Box(left=left, top=top, right=right, bottom=bottom)


@st.composite
def values_for(draw: st.DrawFn, question: Question) -> Value:
    """A value that the question allows."""
    shape = RULES[question.kind].shape
    if isinstance(shape, OptionShape):
        return draw(st.sampled_from(question.options))
    if isinstance(shape, ResolutionShape):
        return Resolution(action=draw(st.sampled_from(question.options)), resume=draw(st.sampled_from(ResumeHint)))
    if isinstance(shape, TruthShape):
        return draw(st.booleans())
    if isinstance(shape, NumberShape):
        return draw(st.floats(question.low, question.high, allow_nan=False, allow_infinity=False))
    if isinstance(shape, BoxShape):
        return draw(boxes())
    if isinstance(shape, PointsShape):
        count = len(question.marks)
        return tuple(draw(st.lists(points, min_size=count or 1, max_size=count or 3)))
    return draw(words).strip()


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A question of any kind, with or without each field that it may have."""
    kind = draw(st.sampled_from(QuestionKind))
    rule = RULES[kind]
    given: dict[str, Any] = {"options": tuple(draw(st.lists(words, min_size=2, max_size=4, unique=True)))}
    if not rule.least_options and draw(st.booleans()):
        given["options"] = ()
    for name in ("doing", "why", "support"):
        given[name] = draw(st.just("") | words)
    if "low" in rule.own:
        low, high = sorted(draw(st.lists(finite, min_size=2, max_size=2)))
        given |= {"low": draw(st.just(low) | st.none()), "high": draw(st.just(high) | st.none()), "unit": draw(words)}
    if "marks" in rule.own:
        given["marks"] = tuple(draw(st.lists(names, max_size=3, unique=True)))
        given["joined"] = draw(st.none() | st.sampled_from(Joining))
    given["image"] = draw(st.none() | words)
    given["to"] = tuple(draw(st.lists(names, max_size=2, unique=True)))
    given["deadline_s"] = draw(st.none() | finite)
    question = Question(draw(words), kind, **given)
    each = st.lists(words, min_size=len(question.choices), max_size=len(question.choices)).map(tuple)
    question = replace(question, effects=draw(st.just(()) | each), pictures=draw(st.just(()) | each))
    if draw(st.booleans()):
        return replace(question, guess=draw(values_for(question)), sure=draw(st.none() | shares))
    return question


FULL: dict[QuestionKind, Question] = {
    QuestionKind.CHOICE: Question(
        "Which food is this?",
        QuestionKind.CHOICE,
        ("cherry tomato", "grape"),
        doing="Looking at the plate",
        why="I failed to pick it up twice",
        guess="cherry tomato",
        sure=0.85,
        effects=("I skewer it", "I scoop it"),
        pictures=("tomato.png", "grape.png"),
        image="plate.png",
        support="It is red and round",
        to=("Ada", "Tom"),
        deadline_s=1700000000.5,
    ),
    QuestionKind.TEXT: Question("What should I call this?", QuestionKind.TEXT, ("bowl", "cup"), guess="mug", sure=0.3),
    QuestionKind.YES_NO: Question(
        "Is the plate empty?", QuestionKind.YES_NO, guess=False, sure=0.97, effects=("I clear it", "I go on")
    ),
    QuestionKind.NUMBER: Question(
        "How far?", QuestionKind.NUMBER, guess=12.5, sure=0.5, low=0, high=40, unit="cm", why="I cannot see the edge"
    ),
    QuestionKind.BOX: Question(
        "Where is the strawberry?",
        QuestionKind.BOX,
        guess=Box(left=0.1, top=0.2, right=0.5, bottom=0.75),
        sure=0.7,
        image="plate.png",
    ),
    QuestionKind.POINTS: Question(
        "Where does the scoop begin and end?",
        QuestionKind.POINTS,
        guess=(Point(0.25, 0.5), Point(0.75, 0.5)),
        image="plate.png",
        marks=("start", "end"),
    ),
    QuestionKind.DIAGNOSIS: Question(
        "What went wrong?", QuestionKind.DIAGNOSIS, ("it slipped", "it is stuck"), guess="it slipped", sure=0.6
    ),
    QuestionKind.ACTION: Question(
        "What should I do?",
        QuestionKind.ACTION,
        ("try again", "leave it"),
        guess=Resolution(action="try again", resume=ResumeHint.RETRY),
        effects=("I lower the fork again", "I take the next bite"),
    ),
    QuestionKind.PERMISSION: Question(
        "May I come closer?", QuestionKind.PERMISSION, effects=("I move to your mouth", "I wait here")
    ),
    QuestionKind.PHYSICAL: Question(
        "Please turn the plate.", QuestionKind.PHYSICAL, effects=("I look again", "I use the other arm"), to=("Tom",)
    ),
}
"""One of each kind, as it stands in the golden files."""

VALUES: dict[QuestionKind, Value] = {
    QuestionKind.CHOICE: "grape",
    QuestionKind.TEXT: "mug",
    QuestionKind.YES_NO: True,
    QuestionKind.NUMBER: 7.0,
    QuestionKind.BOX: Box(left=0.0, top=0.25, right=0.5, bottom=1.0),
    QuestionKind.POINTS: (Point(0.0, 1.0), Point(0.5, 0.5)),
    QuestionKind.DIAGNOSIS: "the fork is bent",
    QuestionKind.ACTION: Resolution(action="leave it", resume=ResumeHint.NEXT),
    QuestionKind.PERMISSION: False,
    QuestionKind.PHYSICAL: True,
}
