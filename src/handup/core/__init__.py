"""The vocabulary that every room shares. Imports nothing else of handup."""

from handup.core.burden import Burden, BurdenKind, LivingCosts
from handup.core.calibrator import CALIBRATORS, Calibrator, RawScore, calibrator_from_json
from handup.core.costs import Availability, CostModel, Costs, FixedCosts, check_probability
from handup.core.decision import Action, Alternative, Decision, Outcome
from handup.core.errors import (
    BadData,
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
    "CALIBRATORS",
    "Action",
    "Alternative",
    "Availability",
    "BadData",
    "BadObservation",
    "BadPolicy",
    "BadRecord",
    "BadSetting",
    "Burden",
    "BurdenKind",
    "Calibrator",
    "Clock",
    "ContractViolation",
    "CostModel",
    "Costs",
    "Decision",
    "FixedCosts",
    "HandupError",
    "IllegalCall",
    "ImpossibleEvidence",
    "LivingCosts",
    "ManualClock",
    "MissingExtra",
    "NotSolvable",
    "Outcome",
    "ProcessLost",
    "Question",
    "QuestionKind",
    "RandomSource",
    "RawScore",
    "Registry",
    "UnknownMethod",
    "UnknownModule",
    "calibrator_from_json",
    "check_probability",
    "settings_of",
]
