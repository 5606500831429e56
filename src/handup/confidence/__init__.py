"""Calibrated evidence: raw scores turned into probabilities that hold, and guarantees that say how well."""

from handup.confidence.base import FittableCalibrator, Fitted, Summary, calibrator, check_calibrator
from handup.confidence.beta import Beta
from handup.confidence.calibrate import Calibration, calibrate, select
from handup.confidence.conformal import ActAlone, ConformalSets, calibrate_jointly, split_evenly
from handup.confidence.drift import DriftMonitor
from handup.confidence.dropout import Dropout
from handup.confidence.identity import Identity
from handup.confidence.interval import Interval, OneSidedInterval
from handup.confidence.isotonic import Isotonic
from handup.confidence.metrics import Estimate
from handup.confidence.platt import Platt
from handup.confidence.sample import Kind, Sample, parse_rows, softmax
from handup.confidence.scaled import Scaled
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
