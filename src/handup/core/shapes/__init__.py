"""The shapes of answers: each is one class, and nothing else knows how they differ."""

from handup.core.shapes.base import Shape, Talk
from handup.core.shapes.numbers import NumberShape, TruthShape
from handup.core.shapes.places import BoxShape, PointsShape
from handup.core.shapes.words import OptionShape, ResolutionShape, WordsShape

__all__ = [
    "BOX",
    "NUMBER",
    "OPTION",
    "POINTS",
    "RESOLUTION",
    "TRUTH",
    "WORDS",
    "Shape",
    "Talk",
]

OPTION, WORDS, RESOLUTION = OptionShape(), WordsShape(), ResolutionShape()
TRUTH, NUMBER = TruthShape(), NumberShape()
BOX, POINTS = BoxShape(), PointsShape()
