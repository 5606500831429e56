"""The simulated FetchIt: a mobile robot builds kits, and its failures have hidden causes that recoveries remove.

`KittingWorld` is the door; `run_once` runs the task in one, with some rules and people.
"""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.domains.kitting.causes import CAUSES
from handup.domains.kitting.hall_state import HallState
from handup.domains.kitting.kitting_run import run_in, run_once
from handup.domains.kitting.rates import rates
from handup.domains.kitting.variants import recipes, variant
from handup.domains.kitting.world import KittingWorld

__all__ = ["CAUSES", "HallState", "KittingWorld", "rates", "recipes", "run_in", "run_once", "variant"]

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
