"""People: their load by questions, the quality of their answers, and limits on asking them."""

from handup.people.answers import (
    PROFILES,
    AnswerModel,
    Care,
    Chance,
    Evidence,
    KindFit,
    Latency,
    MotorProfile,
    Reply,
    SimulatedPerson,
    Suggestions,
    Support,
    Tap,
    answer_model,
)
from handup.people.limits import HOUR_S, Fit, Put, fit, quiet_until
from handup.people.workload import (
    BITE,
    Difficulty,
    Distraction,
    Features,
    PersonLoad,
    Response,
    Workload,
    WorkloadModel,
)

__all__ = [
    "BITE", "HOUR_S", "PROFILES", "AnswerModel", "Care", "Chance", "Difficulty", "Distraction", "Evidence", "Features",
    "Fit", "KindFit", "Latency", "MotorProfile", "PersonLoad", "Put", "Reply", "Response", "SimulatedPerson",
    "Suggestions", "Support", "Tap", "Workload", "WorkloadModel", "answer_model", "fit", "quiet_until",
]  # fmt: skip
