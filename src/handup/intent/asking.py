"""Questions about goals: in words for a person, and in numbers for the planner.

What a question asks is a table: for each goal of the scene, and for one that is not listed, the answer that would be
true. So a question about an object, about a grasp, or with several options is planned like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from handup.core import (
    BadRecord,
    BadSetting,
    Question,
    QuestionKind,
    Value,
    check_value,
    value_from_json,
    value_to_json,
)
from handup.intent.goals import Goals
from handup.intent.value import Array
from handup.people import Difficulty, Features
from handup.people.workload import refusing_damage

DIFFERENTLY = "yes, but differently"
NONE_OF_THESE = "none of these"
OTHER_POSE = 0.5
"""Of those who want what is not listed, so many want a listed grasp in another pose; the others want another thing."""
FEATURES = (Features(), Features(Difficulty.HARD))
"""Questions about goals as a workload sees them: a plain yes or no, and one among several answers."""
DOING = "helping you to reach for something"


class AskKind(StrEnum):
    """What a question is about."""

    GOAL = "goal"
    """An object and a grasp: yes or no."""
    EXACTLY = "exactly"
    """An object and a grasp: yes; yes, but differently; no."""
    OBJECT = "object"
    GRASP = "grasp"
    CHOICE = "choice"
    """Which of several goals."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What a question is about, as a table.

    Args:
        kind: What kind of thing.
        names: The goals, object or grasp it names, in order.
        answers: The values that it can be answered with.
        truth: For each goal of the scene, in order, the number of the true answer; last, for an unlisted goal.
        goals: Names of the goals of the scene, in order.
    """

    kind: AskKind
    names: tuple[str, ...]
    answers: tuple[Value, ...]
    truth: tuple[int, ...]
    goals: tuple[str, ...]

    @property
    def key(self) -> str:
        """The same for two questions that ask the same, in whatever order they name it."""
        return f"{self.kind}: {', '.join(sorted(self.names))}"

    def true_answer(self, goal: str | None) -> Value:
        """What somebody truthful says who wants this goal; None: one that is not listed."""
        index = self.goals.index(goal) if goal in self.goals else len(self.goals)
        return self.answers[self.truth[index]]

    def likelihood(self, right: float, chances: Array | None = None) -> Array:
        """The chance of each answer (row) for each goal and an unlisted one (column).

        Somebody who wants a listed grasp in a pose that is not listed answers as that grasp's own people do, so no
        answer rules out that the robot does not know the pose.

        Args:
            right: Share of answers that are right.
            chances: Of each goal; all alike where none are given.
        """
        count = len(self.answers)
        table = np.full((count, len(self.truth)), (1.0 - right) / (count - 1))
        table[list(self.truth), range(len(self.truth))] = right
        alike = table[:, :-1].mean(axis=1) if chances is None else table[:, :-1] @ (chances / chances.sum())
        table[:, -1] = OTHER_POSE * alike + (1.0 - OTHER_POSE) * table[:, -1]
        return table

    @property
    def module(self) -> int:
        """Which of `FEATURES` it has: more than two answers have to be read and weighed."""
        return int(len(self.answers) > 2)

    def tells_apart(self, among: Iterable[int]) -> bool:
        """Whether some of these goals, given by number, have different true answers."""
        return len({self.truth[each] for each in among}) > 1


@dataclass(frozen=True)
class Ask:
    """The robot stands still and asks.

    Args:
        question: For a person.
        about: For whoever wants to know what the answers mean, such as a simulated person.
    """

    question: Question
    about: About

    def to_json(self) -> dict[str, Any]:
        """A plain record; `ask_from_json` reads it back beside the goals."""
        return {
            "question": self.question.to_json(),
            "kind": str(self.about.kind),
            "names": list(self.about.names),
            "answers": [value_to_json(each) for each in self.about.answers],
            "truth": list(self.about.truth),
        }


def ask_from_json(goals: Goals, record: Mapping[str, Any]) -> Ask:
    """The question that `to_json` wrote.

    Raises:
        BadRecord: It is damaged, or of other goals.
    """
    with refusing_damage("question about goals"):
        question = Question.from_json(record["question"])
        about = About(
            kind=AskKind(record["kind"]),
            names=tuple(map(str, record["names"])),
            answers=tuple(check_value(question, value_from_json(each)) for each in record["answers"]),
            truth=tuple(map(int, record["truth"])),
            goals=goals.names,
        )
    if len(about.truth) != len(goals) + 1 or not all(0 <= each < len(about.answers) for each in about.truth):
        raise BadRecord("a question is about other goals", hint="Begin anew.")
    return Ask(question, about)


def about_goal(goals: Goals, index: int) -> About:
    """Is it this goal? The paper's question."""
    truth = [int(each != index) for each in range(len(goals) + 1)]
    return _about(goals, AskKind.GOAL, (goals[index].name,), (True, False), truth)


def about_exactly(goals: Goals, index: int) -> About:
    """Is it this goal, or the same object differently?"""
    same = [0 if goal is goals[index] else 1 if goal.object == goals[index].object else 2 for goal in goals]
    return _about(goals, AskKind.EXACTLY, (goals[index].name,), ("yes", DIFFERENTLY, "no"), [*same, 2])


def about_object(goals: Goals, name: str) -> About:
    """Is it this object, however it is grasped?"""
    truth = [int(goal.object != name) for goal in goals]
    return _about(goals, AskKind.OBJECT, (name,), (True, False), [*truth, 1])


def about_grasp(goals: Goals, name: str) -> About:
    """Is it to be grasped this way, whatever it is?"""
    truth = [int(goal.grasp != name) for goal in goals]
    return _about(goals, AskKind.GRASP, (name,), (True, False), [*truth, 1])


def about_choice(goals: Goals, chosen: Sequence[int]) -> About:
    """Which of these goals, or none of them?

    Raises:
        BadSetting: There are fewer than two, or one twice.
    """
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        raise BadSetting(f"a choice among {len(chosen)} goals", hint="Give at least two, each once.")
    truth = [chosen.index(each) if each in chosen else len(chosen) for each in range(len(goals) + 1)]
    names = tuple(goals[each].name for each in chosen)
    return _about(goals, AskKind.CHOICE, names, (*map(spoken, names), NONE_OF_THESE), truth)


def _about(goals: Goals, kind: AskKind, names: tuple[str, ...], answers: tuple[Value, ...], truth: list[int]) -> About:
    return About(kind=kind, names=names, answers=answers, truth=tuple(truth), goals=goals.names)


def spoken(name: str) -> str:
    """A goal's name as one says it: "cup/top" is "cup, top grasp"."""
    thing, _, grasp = name.partition("/")
    return f"{thing}, {grasp} grasp"


def ask(about: About, chances: Array, *, why: str) -> Ask:
    """A question in words, with the robot's own guess; without it where that is no, which would push towards a no.

    Args:
        about: What to ask.
        chances: Of each goal of the scene and an unlisted one.
        why: Why the robot asks.
    """
    share = np.zeros(len(about.answers))
    np.add.at(share, list(about.truth), chances)
    best = int(share.argmax())
    negative = about.answers[best] in (False, "no", NONE_OF_THESE)
    two = about.answers == (True, False)
    thing, _, grasp = about.names[0].partition("/")
    prompt = {
        AskKind.GOAL: f"Do you want the {thing}, with a {grasp} grasp?",
        AskKind.EXACTLY: f"The {thing}, with a {grasp} grasp?",
        AskKind.OBJECT: f"Do you want the {thing}?",
        AskKind.GRASP: f"With a {thing} grasp?",
        AskKind.CHOICE: "Which one do you want?",
    }[about.kind]
    question = Question(
        prompt=prompt,
        kind=QuestionKind.YES_NO if two else QuestionKind.CHOICE,
        options=() if two else tuple(str(each) for each in about.answers),
        doing=DOING,
        why=why,
        guess=None if negative else about.answers[best],
        sure=None if negative else float(min(max(share[best], 0.0), 1.0)),
    )
    return Ask(question, about)
