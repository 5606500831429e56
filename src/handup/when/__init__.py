"""Querying algorithms and strategies: when to ask and when to act."""

from handup.when.base import (
    WHENS,
    Choice,
    DecisionMoment,
    OptionSource,
    Strategy,
    When,
    check_strategy,
    check_when,
)
from handup.when.flips import Flips, flips_at
from handup.when.joint import Joint
from handup.when.paper import ExecuteFirst, QueryForAll, QueryThenExecute, UntilConfident, WorkloadAware
from handup.when.strategies import DEFAULT, STRATEGIES, Pair, methods, settings_in_force, strategy
from handup.when.troubleshoot import Troubleshoot

__all__ = [
    "DEFAULT", "STRATEGIES", "WHENS", "Choice", "DecisionMoment", "ExecuteFirst", "Flips", "Joint", "OptionSource",
    "Pair", "QueryForAll", "QueryThenExecute", "Strategy", "Troubleshoot", "UntilConfident", "When", "WorkloadAware",
    "check_strategy", "check_when", "flips_at", "methods", "settings_in_force", "strategy",
]  # fmt: skip
