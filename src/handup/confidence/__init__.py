"""Calibrated evidence: raw scores turned into probabilities that hold, and guarantees that say how well."""

from handup.confidence.base import FittableCalibrator, Fitted, Summary, calibrator
from handup.confidence.beta import Beta
from handup.confidence.bootstrap import Estimate
from handup.confidence.calibrate import Calibration, calibrate
from handup.confidence.check import check_calibrator
from handup.confidence.conformal import ConformalSets
from handup.confidence.drift import DriftMonitor
from handup.confidence.dropout import Dropout
from handup.confidence.identity import Identity
from handup.confidence.interval import Interval, OneSidedInterval
from handup.confidence.isotonic import Isotonic
from handup.confidence.joint import calibrate_jointly, split_evenly
from handup.confidence.platt import Platt
from handup.confidence.risk import ActAlone
from handup.confidence.sample import Kind, Sample, softmax
from handup.confidence.scaled import Scaled
from handup.confidence.selecting import select
from handup.confidence.table import parse_rows
from handup.confidence.temperature import Temperature
from handup.confidence.venn_abers import VennAbers
from handup.core import CALIBRATORS, Calibrator, calibrator_from_json

__all__ = [
    "CALIBRATORS",
    "ActAlone",
    "Beta",
    "Calibration",
    "Calibrator",
    "ConformalSets",
    "DriftMonitor",
    "Dropout",
    "Estimate",
    "FittableCalibrator",
    "Fitted",
    "Identity",
    "Interval",
    "Isotonic",
    "Kind",
    "OneSidedInterval",
    "Platt",
    "Sample",
    "Scaled",
    "Summary",
    "Temperature",
    "VennAbers",
    "calibrate",
    "calibrate_jointly",
    "calibrator",
    "calibrator_from_json",
    "check_calibrator",
    "parse_rows",
    "select",
    "softmax",
    "split_evenly",
]
