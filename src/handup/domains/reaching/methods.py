"""What may help a person: nobody, the paper's policy with its baselines and ablations, and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from handup.core import UnknownMethod, Value
from handup.intent import Ask, Assistant, Command, Goals, Helper, Joystick, Pose
from handup.intent.assistant import PRESETS

PERSON = "person"
"""Whom robots ask in a trial."""


class Robot(Protocol):
    """What helps during one attempt. `handup.intent.Assistant` is one; so may be a class of your own."""

    @property
    def belief(self) -> Mapping[str, float]:
        """The chance of each goal, by name; empty where it has no opinion."""
        ...

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        """What to do until the next plan, `dt` seconds after the last one."""
        ...

    def answer(self, value: Value, by: str) -> None:
        """What the person answered."""
        ...

    def again(self) -> Robot:
        """What helps the same person in a second attempt; it may remember how they drive and what they bore."""
        ...


@dataclass(frozen=True)
class Method:
    """A way of helping, by name.

    Args:
        name: In tables.
        begin: Makes the robot for a first attempt, from the goals of the scene and α.
    """

    name: str
    begin: Callable[[Goals, float], Robot]


def helped_by(helper: Helper) -> Method:
    """A method out of a helper with settings of your own. How often it asks is its own affair: that is measured."""
    return Method(
        helper.name, lambda goals, alpha: Assistant(goals, helper, person=PERSON, most_questions=None, alpha=alpha)
    )


def methods() -> Mapping[str, Method]:
    """All methods by name: the helpers of `handup.intent`, a person alone (`manual`) among them."""
    return {name: helped_by(each) for name, each in PRESETS.items()}


def method(name: str) -> Method:
    """The method of this name.

    Raises:
        UnknownMethod: There is none.
    """
    found = methods().get(name)
    if found is None:
        raise UnknownMethod(f"no method is called '{name}'", hint=f"Known: {', '.join(methods())}.")
    return found
