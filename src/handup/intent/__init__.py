"""Intent: belief over what a person reaches for, goal questions, assistance. Pure: no I/O, no clock."""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.intent.assist import Assist
from handup.intent.assistant import PRESETS, Assistant, helper_of
from handup.intent.belief import GoalBelief
from handup.intent.command import Command, Joystick
from handup.intent.goal_problem import Plan, QuestionProblem, deepening, solve
from handup.intent.goal_questions import About, Ask, AskKind
from handup.intent.goals import Goal, Goals
from handup.intent.helper import Helper, HelperChoice, HelperSituation
from handup.intent.paper import Asking, Paper, Points
from handup.intent.pose import Pose, PoseArray
from handup.intent.push_models import Directional, MaxEnt
from handup.intent.seconds import Seconds
from handup.intent.value import Huber, Metric

__all__ = [
    "PRESETS",
    "About",
    "Ask",
    "AskKind",
    "Asking",
    "Assist",
    "Assistant",
    "Command",
    "Directional",
    "Goal",
    "GoalBelief",
    "Goals",
    "Helper",
    "HelperChoice",
    "HelperSituation",
    "Huber",
    "Joystick",
    "MaxEnt",
    "Metric",
    "Paper",
    "Plan",
    "Points",
    "Pose",
    "PoseArray",
    "QuestionProblem",
    "Seconds",
    "deepening",
    "helper_of",
    "solve",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
