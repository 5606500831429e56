"""Intent: belief over what a person reaches for, goal questions, assistance. Pure: no I/O, no clock."""

from handup.intent.asking import About, Ask, AskKind
from handup.intent.assist import Assist
from handup.intent.assistant import PRESETS, Assistant, helper_of
from handup.intent.belief import Belief
from handup.intent.command import Command, Joystick
from handup.intent.goals import Goal, Goals
from handup.intent.helper import Choice, Helper, Situation
from handup.intent.observing import Directional, MaxEnt
from handup.intent.paper import Asking, Paper, Points
from handup.intent.planning import Plan, Problem, deepening, solve
from handup.intent.pose import Pose, PoseArray
from handup.intent.seconds import Seconds
from handup.intent.value import Huber, Metric

__all__ = [
    "PRESETS", "About", "Ask", "AskKind", "Asking", "Assist", "Assistant", "Belief", "Choice", "Command", "Directional",
    "Goal", "Goals", "Helper", "Huber", "Joystick", "MaxEnt", "Metric", "Paper", "Plan", "Points", "Pose", "PoseArray",
    "Problem", "Seconds", "Situation", "deepening", "helper_of", "solve",
]  # fmt: skip
