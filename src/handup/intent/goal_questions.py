"""Questions about goals, as words for a person and as numbers for the planner.

The meaning of a question is a table: for each goal of the scene, and for a goal that is not listed, the true answer.
The planner therefore treats questions about an object, about a grasp and among several goals alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from handup.core import BadRecord, Question, QuestionKind, Value, WrongSize, check_value, value_from_json, value_to_json
from handup.core.checks import shown
from handup.intent.goals import Goals
from handup.intent.value import Array
from handup.people import Difficulty, Features
from handup.people.workload import refusing_damage

DIFFERENTLY = "yes, but differently"
NONE_OF_THESE = "none of these"
OTHER_POSE = 0.5
"""Share of the people with an unlisted goal who want a listed grasp in another pose; the others want another object."""
FEATURES = (Features(), Features(Difficulty.HARD))
"""Features for the workload model: of a plain yes or no, and of a choice among several answers."""
DOING = "helping you to reach for something"


class AskKind(StrEnum):
    """Kind of a question about goals."""

    GOAL = "goal"
    """An object and a grasp: yes or no."""
    EXACTLY = "exactly"
    """An object and a grasp: yes; yes, but differently; no."""
    OBJECT = "object"
    GRASP = "grasp"
    CHOICE = "choice"
    """One of several goals."""


@dataclass(frozen=True, kw_only=True)
class About:
    """Meaning of a question: its possible answers, and which of them is true for each goal.

    Args:
        kind: Kind of the question.
        names: The goals, object or grasp that it mentions, in order.
        answers: The possible answers.
        truth: For each goal of the scene, in order, the index of the true answer; last, for an unlisted goal.
        goals: Names of all goals of the scene, in order.
    """

    kind: AskKind
    names: tuple[str, ...]
    answers: tuple[Value, ...]
    truth: tuple[int, ...]
    goals: tuple[str, ...]

    @property
    def key(self) -> str:
        """Text that is equal for two questions that ask the same, in whatever order they name the goals."""
        return f"{self.kind}: {', '.join(sorted(self.names))}"

    def true_answer(self, goal: str | None) -> Value:
        """Return the answer of a truthful person who wants this goal; None stands for an unlisted goal."""
        index = self.goals.index(goal) if goal in self.goals else len(self.goals)
        return self.answers[self.truth[index]]

    def likelihood(self, right: float, chances: Array | None = None) -> Array:
        """Return the probability of each answer (row) for each goal and, last, an unlisted goal (column).

        Args:
            right: Share of answers that are right, from 0 to 1.
            chances: Probability of each goal; equal for all goals where none are given.
        """
        count = len(self.answers)
        table = np.full((count, len(self.truth)), (1.0 - right) / (count - 1))
        table[list(self.truth), range(len(self.truth))] = right
        # People who want a listed grasp in an unlisted pose answer like those who want a listed pose of it. With them
        # in the last column, no answer rules out that the pose is unknown to the robot.
        listed = table[:, :-1].mean(axis=1) if chances is None else table[:, :-1] @ (chances / chances.sum())
        table[:, -1] = OTHER_POSE * listed + (1.0 - OTHER_POSE) * table[:, -1]
        return table

    @property
    def module(self) -> int:
        """Index of its features in `FEATURES`: more than two answers have to be read and weighed."""
        return int(len(self.answers) > 2)

    def tells_apart(self, among: Iterable[int]) -> bool:
        """Return whether some of these goals, given by index, have different true answers."""
        return len({self.truth[index] for index in among}) > 1


@dataclass(frozen=True)
class Ask:
    """Decision to stand still and ask a question.

    Args:
        question: The question for a person.
        about: The meaning of its answers, for example for a simulated person.
    """

    question: Question
    about: About

    def to_json(self) -> dict[str, Any]:
        """A plain record; `ask_from_json` reads it back beside the goals."""
        return {
            "question": self.question.to_json(),
            "kind": str(self.about.kind),
            "names": list(self.about.names),
            "answers": [value_to_json(answer) for answer in self.about.answers],
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
            answers=tuple(check_value(question, value_from_json(answer)) for answer in record["answers"]),
            truth=tuple(map(int, record["truth"])),
            goals=goals.names,
        )
    if len(about.truth) != len(goals) + 1 or not all(0 <= index < len(about.answers) for index in about.truth):
        cause = f"a question must be about the {len(goals)} goals of this scene, got the table {shown(about.truth)}"
        raise BadRecord(cause, hint="Begin a new assistant.")
    return Ask(question, about)


def about_goal(goals: Goals, index: int) -> About:
    """Return the paper's question: is it this goal?"""
    truth = [int(goal != index) for goal in range(len(goals) + 1)]
    return _about(goals, AskKind.GOAL, (goals[index].name,), (True, False), truth)


def about_exactly(goals: Goals, index: int) -> About:
    """Return the question: is it this goal, or the same object with another grasp?"""
    same = [0 if goal is goals[index] else 1 if goal.object == goals[index].object else 2 for goal in goals]
    return _about(goals, AskKind.EXACTLY, (goals[index].name,), ("yes", DIFFERENTLY, "no"), [*same, 2])


def about_object(goals: Goals, name: str) -> About:
    """Return the question: is it this object, with any grasp?"""
    truth = [int(goal.object != name) for goal in goals]
    return _about(goals, AskKind.OBJECT, (name,), (True, False), [*truth, 1])


def about_grasp(goals: Goals, name: str) -> About:
    """Return the question: is it this grasp, of any object?"""
    truth = [int(goal.grasp != name) for goal in goals]
    return _about(goals, AskKind.GRASP, (name,), (True, False), [*truth, 1])


def about_choice(goals: Goals, chosen: Sequence[int]) -> About:
    """Return the question: which of these goals is it, or none of them?

    Raises:
        WrongSize: There are fewer than two goals, or one twice.
    """
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        raise WrongSize.of("a choice", list(chosen), "name at least 2 different goals", hint="Give their indices.")
    truth = [chosen.index(goal) if goal in chosen else len(chosen) for goal in range(len(goals) + 1)]
    names = tuple(goals[index].name for index in chosen)
    return _about(goals, AskKind.CHOICE, names, (*map(spoken, names), NONE_OF_THESE), truth)


def _about(goals: Goals, kind: AskKind, names: tuple[str, ...], answers: tuple[Value, ...], truth: list[int]) -> About:
    return About(kind=kind, names=names, answers=answers, truth=tuple(truth), goals=goals.names)


def spoken(name: str) -> str:
    """Return a goal's name as a person would say it: "cup/top" is "cup, top grasp"."""
    thing, _, grasp = name.partition("/")
    return f"{thing}, {grasp} grasp"


def ask(about: About, chances: Array, *, why: str) -> Ask:
    """Put a question into words, with the robot's own guess.

    Args:
        about: The question's meaning.
        chances: Probability of each goal of the scene and, last, of an unlisted goal.
        why: The robot's reason for asking, for the person who answers.
    """
    share = np.zeros(len(about.answers))
    np.add.at(share, list(about.truth), chances)
    best = int(share.argmax())
    negative = about.answers[best] in (False, "no", NONE_OF_THESE)  # a guess of no would push the person towards a no
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
        options=() if two else tuple(str(answer) for answer in about.answers),
        doing=DOING,
        why=why,
        guess=None if negative else about.answers[best],
        sure=None if negative else float(min(max(share[best], 0.0), 1.0)),
    )
    return Ask(question, about)
