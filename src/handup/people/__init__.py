"""People: what a question costs them, and how good their answer will be."""

from handup.people.answers import AnswerModel, KindFit
from handup.people.features import BITE, Difficulty, Distraction, Features, Response
from handup.people.helping import Care, Chance, Evidence, Suggestions, Support
from handup.people.latency import Latency
from handup.people.limits import HOUR_S, Fit, Put, fit, quiet_until
from handup.people.model import WorkloadModel
from handup.people.motor import PROFILES, MotorProfile, Tap
from handup.people.shipped import answer_model
from handup.people.simulated import Reply, SimulatedPerson
from handup.people.workload import PersonLoad, Workload

__all__ = [
    "BITE",
    "HOUR_S",
    "PROFILES",
    "AnswerModel",
    "Care",
    "Chance",
    "Difficulty",
    "Distraction",
    "Evidence",
    "Features",
    "Fit",
    "KindFit",
    "Latency",
    "MotorProfile",
    "PersonLoad",
    "Put",
    "Reply",
    "Response",
    "SimulatedPerson",
    "Suggestions",
    "Support",
    "Tap",
    "Workload",
    "WorkloadModel",
    "answer_model",
    "fit",
    "quiet_until",
]
