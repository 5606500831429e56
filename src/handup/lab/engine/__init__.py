"""The study engine: a study is data and one function that makes rows; the rest is here."""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.lab.engine.claims import Bar, Claim, Finding, Measure, Note, Verdict, where
from handup.lab.engine.judge import JudgedClaim
from handup.lab.engine.registry import study_of
from handup.lab.engine.report import Drawing, Section
from handup.lab.engine.results import Columns, Results, columns_of
from handup.lab.engine.runner import StudyOutcome, StudyProgress, here, processes, run_study
from handup.lab.engine.study import Batch, Place, Size, Study, StudyOption, seed_option
from handup.lab.engine.table import Table

__all__ = [
    "Bar",
    "Batch",
    "Claim",
    "Columns",
    "Drawing",
    "Finding",
    "JudgedClaim",
    "Measure",
    "Note",
    "Place",
    "Results",
    "Section",
    "Size",
    "Study",
    "StudyOption",
    "StudyOutcome",
    "StudyProgress",
    "Table",
    "Verdict",
    "columns_of",
    "here",
    "processes",
    "run_study",
    "seed_option",
    "study_of",
    "where",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
