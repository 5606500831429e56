"""The question of the plate, "push together or take a bite?", in plain words, and when it is worth asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handup.core import Question, QuestionKind, Value
from handup.domains.plate.choosers import PlateChoice
from handup.domains.plate.policies import ACQUIRE, GROUP
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from handup.people import BITE, WorkloadModel
from handup.policy import Module, ModuleGraph
from handup.recover import Settings

CHOICE = "choice"
"""The one module of the policy: which primitive comes next."""
EXPERT = 0.97
"""Probability that an answer is right, as the robot counts; as in a meal."""
LOAD = WorkloadModel().base(BITE["M3"])
"""Load of the question: an easy choice between two words."""
QUESTION_SHARE = 0.003
"""Share of a full plate that a question must be expected to save: a twentieth of a bean. Little is at stake in one
choice: the fair oracle, which is the surest of all, hardly ever stands to gain more than twice as much."""


@dataclass(frozen=True, kw_only=True)
class PlateWords:
    """Words about a food.

    Args:
        prompt: The question.
        options: Its two answers: acquire, group.
        effects: Effect of each answer.
        deeds: What the robot does, after "about to".
        doing: What it is doing.
        done: What it has done, for a list of events.
    """

    prompt: str
    options: Mapping[PlatePrimitive, str]
    effects: Mapping[PlatePrimitive, str]
    deeds: Mapping[PlatePrimitive, str]
    doing: Mapping[PlatePrimitive, str]
    done: Mapping[PlatePrimitive, str]


WORDS: Mapping[PlateFood, PlateWords] = {
    PlateFood.NOODLES: PlateWords(
        prompt="Shall I push the noodles together first, or take a bite now?",
        options={ACQUIRE: "Take a bite now", GROUP: "Push them together first"},
        effects={
            ACQUIRE: "I twirl the fork in the green ring, where most noodles lie, and lift it.",
            GROUP: "I push the noodles in the blue ring to those in the green ring. Then I look again.",
        },
        deeds={ACQUIRE: "twirl noodles onto the fork", GROUP: "push the noodles together"},
        doing={ACQUIRE: "twirling noodles onto the fork", GROUP: "pushing the noodles together"},
        done={ACQUIRE: "Twirled the fork", GROUP: "Pushed noodles together"},
    ),
    PlateFood.BEANS: PlateWords(
        prompt="Shall I push the beans together first, or take a bite now?",
        options={ACQUIRE: "Take a bite now", GROUP: "Push them together first"},
        effects={
            ACQUIRE: "I scoop up the beans in the green ring, where most of them lie.",
            GROUP: "I push the beans in the blue ring to those in the green ring. Then I look again.",
        },
        deeds={ACQUIRE: "scoop up beans", GROUP: "push the beans together"},
        doing={ACQUIRE: "scooping up beans", GROUP: "pushing the beans together"},
        done={ACQUIRE: "Scooped", GROUP: "Pushed beans together"},
    ),
}


def bare_question(food: PlateFood) -> Question:
    """Return the question without a guess or a picture."""
    words = WORDS[food]
    return Question(
        words.prompt, QuestionKind.CHOICE, tuple(words.options.values()), effects=tuple(words.effects.values())
    )


def graph_of(food: PlateFood) -> ModuleGraph:
    """Return the policy of one action: a single module. How sure it is comes with its first pass."""
    return ModuleGraph.chain([Module(CHOICE, 0.5, LOAD, question=bare_question(food))])


def primitive_of(food: PlateFood, option: Value) -> PlatePrimitive:
    """Return the primitive that an option names."""
    return next(primitive for primitive, words in WORDS[food].options.items() if words == option)


def settings_of(choice: PlateChoice, question_share: float) -> Settings:
    """Return the terms of one action. The robot acts once, and nobody sees whether the other choice had been better.

    A question costs as much as `question_share` of the plate. So it is asked if its answer can be expected to save
    more: if (1 − sure) · cost_if_wrong exceeds that share, and a little more, as people err.

    Args:
        choice: What the robot would do, and what it expects.
        question_share: Share of a full plate that a question must be expected to save, above 0.
    """
    unseen_cost = choice.cost_if_wrong / question_share * price_of_question()
    return Settings(
        expert=EXPERT,
        max_executions=1,
        ask_again=False,
        unseen={CHOICE: 1.0},
        unseen_cost=unseen_cost,
        horizon=4.0 * (1.0 + unseen_cost),  # so long that giving up is never cheaper than acting
    )


def price_of_question() -> float:
    """Return the cost of one question in a session's own unit, J: the person's load, and the robot's time."""
    usual = Settings()
    return usual.w * LOAD + (1.0 - usual.w) * usual.ask_time
