"""Calibration: raw scores turned into calibrated probabilities, and conformal guarantees."""

from handup.confidence.base import FittableCalibrator, Fitted, Summary, calibrator, check_calibrator
from handup.confidence.calibrate import Calibration, calibrate, select
from handup.confidence.conformal import ActAlone, ConformalSets, DriftMonitor, calibrate_jointly, split_evenly
from handup.confidence.curves import Beta, Dropout, Platt, Temperature
from handup.confidence.metrics import Estimate
from handup.confidence.plain import Identity, Interval, OneSidedInterval, Scaled
from handup.confidence.sample import Sample, ScoreKind, parse_rows, softmax
from handup.confidence.steps import Isotonic, VennAbers
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
    "OneSidedInterval",
    "Platt",
    "Sample",
    "Scaled",
    "ScoreKind",
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
]  # fmt: skip
