"""The vocabulary that every room shares. Imports nothing else of handup."""

from handup.core.costs import Availability, CostModel, Costs, FixedCosts, check_probability
from handup.core.decision import Action, Alternative, Decision, Outcome
from handup.core.errors import (
    BadObservation,
    BadPolicy,
    BadRecord,
    BadSetting,
    ContractViolation,
    HandupError,
    IllegalCall,
    ImpossibleEvidence,
    MissingExtra,
    NotSolvable,
    ProcessLost,
    UnknownMethod,
    UnknownModule,
)
from handup.core.protocols import Clock, ManualClock, RandomSource
from handup.core.question import Question, QuestionKind
from handup.core.registry import Registry, settings_of

__all__ = [
    "Action",
    "Alternative",
    "Availability",
    "BadObservation",
    "BadPolicy",
    "BadRecord",
    "BadSetting",
    "Clock",
    "ContractViolation",
    "CostModel",
    "Costs",
    "Decision",
    "FixedCosts",
    "HandupError",
    "IllegalCall",
    "ImpossibleEvidence",
    "ManualClock",
    "MissingExtra",
    "NotSolvable",
    "Outcome",
    "ProcessLost",
    "Question",
    "QuestionKind",
    "RandomSource",
    "Registry",
    "UnknownMethod",
    "UnknownModule",
    "check_probability",
    "settings_of",
]
