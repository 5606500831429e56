"""The four questions of the core paper's appendix C.4, in the plain words of `data/questions.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handup.core import Joining, Question, QuestionKind, Value
from handup.core.files import shipped_data
from handup.domains.feeding.skills import Skill

_WORDS: Mapping[str, Any] = shipped_data(__file__, "data/questions.yaml")
_SKILLS: Mapping[str, Mapping[str, Any]] = _WORDS["skills"]
_MODULES: Mapping[str, Mapping[str, str]] = _WORDS["modules"]
HOW: Mapping[Skill, str] = {skill: _SKILLS[skill]["how"] for skill in Skill}
"""Description of each skill, in the robot's own words."""
JOINED: Mapping[Value, Joining] = {skill: Joining(_SKILLS[skill].get("joined", Joining.LINE)) for skill in Skill}
"""Line that is drawn between the two points of an aim, by skill."""
NONE_THERE = "If there is none on the plate, box what I should take instead."
"""Help for the box of a food that may not be there: a box is the only answer, and the fork goes where it is."""
SURE = 0.8
"""Confidence from which on it does not say that it is not sure: it calls its guess fairly or almost sure."""
BEFORE = "My guess is what I was told before."


def bare(module: str, foods: Sequence[str]) -> Question:
    """Return the question about a module, without a guess or a picture."""
    match module:
        case "food":
            prompt = "Could you tell me a food item that is on the plate?"
            effects = tuple(f"I take {food} next." for food in foods)
            return Question(prompt, QuestionKind.CHOICE, tuple(foods), effects=effects)
        case "box":
            return Question("Where is it? Tap two opposite corners of a box around one piece.", QuestionKind.BOX)
        case "skill":
            prompt = "For the food item on the plate, what skill should I use?"
            return Question(prompt, QuestionKind.CHOICE, tuple(map(str, Skill)), effects=tuple(HOW.values()))
        case _:
            return Question("Where should the fork go?", QuestionKind.POINTS, marks=("the first point", "the second"))


def about(module: str, said: Mapping[str, Value], foods: Sequence[str]) -> Question:
    """Return the question in the words that suit what the robot is about to do."""
    food, skill = str(said.get("food", "food")), Skill(str(said.get("skill", Skill.SKEWER)))
    plain = bare(module, foods)
    match module:
        case "box":
            verb = "are" if food in _WORDS["plural"] else "is"
            prompt = f"Where {verb} the {food}? Tap two opposite corners of a box around one piece."
            return Question(prompt, plain.kind, support=NONE_THERE)
        case "skill":
            prompt = f"For the {food} on the plate, what skill should I use?"
            return Question(prompt, plain.kind, plain.options, effects=plain.effects)
        case "params":
            tap, marks = _SKILLS[skill]["tap"], tuple(_SKILLS[skill]["marks"])
            return Question(f"How should I {skill} the {food}? {tap}", plain.kind, marks=marks, joined=JOINED[skill])
        case _:
            return plain


def about_fork(food: str, seen: bool, certainty: float, picture: str) -> Question:
    """Return the question about the fork when the success detector is in doubt.

    Args:
        food: Food that was meant.
        seen: Verdict of the detector: True for food on the fork.
        certainty: Certainty of the detector, from 0.5 to 1.
        picture: Name of the picture of the fork.
    """
    return Question(
        f"Did I get the {food}?",
        QuestionKind.YES_NO,
        doing="looking at the fork",
        why="I cannot see well whether it is on the fork.",
        guess=seen,
        sure=certainty,
        effects=("I take it as a bite.", "I take it as missed and decide what to do next."),
        image=picture,
    )


def doing(module: str, said: Mapping[str, Value]) -> str:
    """Return what the robot was doing, in a few words."""
    food = said.get("food", "food")
    words = _MODULES[module]["doing"]
    words = words.replace("a piece of ", "") if food in _WORDS["plural"] else words
    return words.format(food=food, skill=said.get("skill", "pick"))


def plan_of(said: Mapping[str, Value]) -> str:
    """Return what the robot would do, in a few words."""
    return f"{said.get('skill', 'pick')} the {said.get('food', 'food')}"


def why(module: str, failed: int, sure: float | None = None, *, recalled: bool = False) -> str:
    """Return why it asks.

    Args:
        module: Module that it asks about.
        failed: Number of attempts at this bite that failed.
        sure: Confidence of the module; None if it does not say.
        recalled: True if its guess is what somebody said before.
    """
    reason = _MODULES[module]["unsure" if sure is None or sure < SURE else "check"] + (f" {BEFORE}" if recalled else "")
    if not failed:
        return reason
    times = "once" if failed == 1 else f"{failed} times"
    return f"I tried {times}, and it did not work. {reason}"
