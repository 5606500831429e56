"""The simulated FetchIt: a mobile robot builds kits, and its failures have hidden causes that recoveries remove.

`World` is the door; `run_once` runs the task in one, with some rules and people.
"""

from handup.domains.kitting.causes import CAUSES
from handup.domains.kitting.rates import rates
from handup.domains.kitting.running import run_in, run_once
from handup.domains.kitting.state import State
from handup.domains.kitting.variants import recipes, variant
from handup.domains.kitting.world import World

__all__ = ["CAUSES", "State", "World", "rates", "recipes", "run_in", "run_once", "variant"]
