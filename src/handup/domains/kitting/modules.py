"""What may be wrong, in the robot's own eyes: modules with honest confidences, for questions to people.

A module says a score of its own output, likelier high where it is right (`Turn.score`). By Bayes with the rates of the
world the score becomes the probability that the module is right: no more is claimed than can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import Question, QuestionKind
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.state import State
from handup.policy import Module, ModuleGraph

BEHIND: Mapping[str, tuple[str, ...]] = {
    "camera": ("shaking_camera",),
    "view": ("occlusion", "out_of_view"),
    "name": ("wrong_part",),
    "pile": ("clutter",),
    "base": ("mislocalised",),
    "reach": ("out_of_reach",),
    "map": ("stale_map", "wedged_arm"),
    "grasp": ("shifted_part",),
    "approach": ("moved_approach",),
    "alignment": ("misaligned_gear",),
}
"""The hidden causes behind each module."""

ASKED: Mapping[str, str] = {
    "camera": "Does my camera still shake?",
    "view": "Is something before my camera, or the part outside my picture?",
    "name": "Do I take one part for another?",
    "pile": "Do the parts lie on top of each other?",
    "base": "Do I stand beside the place where I should stand?",
    "reach": "Is the part too far away for my arm?",
    "map": "Do I see obstacles that are not there, or is my arm stuck?",
    "grasp": "Has the part moved since I saw it?",
    "approach": "Have I moved since I saw the machine?",
    "alignment": "Is the gear turned in my hand?",
}
"""What people are asked about each module. Whatever the robot decided on, it took the answer to be no."""

GRAPHS: Mapping[str, tuple[str, ...]] = {
    "segment": ("camera", "view"),
    "recognise": ("camera", "view", "name"),
    "calculate_grasps": ("view", "name", "pile"),
    "pick": ("base", "reach", "map", "grasp"),
    "verify_grasp": ("base", "name", "grasp"),
    "insert_gear": ("base", "map", "approach", "alignment"),
    "retrieve_gear": ("base", "map", "approach"),
}
"""Which modules stand behind an action, in the order in which each feeds the next."""

REMEDIED: Mapping[str, tuple[str, ...]] = {
    "wait": ("camera",),
    "sweep_head": ("view",),
    "nudge_parts": ("pile",),
    "open_gripper": ("name", "grasp"),
    "put_back": ("name",),
    "reposition_base": ("reach",),
    "localise": ("base",),
    "reload_map": ("map",),
    "detect_chuck": ("approach",),
    "realign": ("alignment",),
}
"""Actions after which what a person said about a module no longer holds."""


def confidence(module: str, state: State, rates: Rates) -> float:
    """P(the module is right | its last score): what it was before, by how well the score fits either way."""
    prior = 1.0
    for cause in BEHIND[module]:
        prior *= 1.0 - rates.causes[cause].rate
    score = min(max(state.scores.get(module, 0.5), 1e-6), 1.0 - 1e-6)
    right, wrong = prior * score, (1.0 - prior) * (1.0 - score)
    return right / (right + wrong)


def modules_of(action: str, state: State, rates: Rates) -> ModuleGraph | None:
    """The modules behind an action, each with its confidence now; None for actions that have none."""
    names = GRAPHS.get(action)
    if names is None:
        return None
    return ModuleGraph.chain(
        Module(name, confidence(name, state, rates), question=Question(ASKED[name], QuestionKind.YES_NO, guess=False))
        for name in names
    )
