"""Querying algorithms and strategies: when to ask and when to act."""

from handup.when.base import WHENS, Choice, Strategy, When, check_strategy, check_when
from handup.when.execute_first import ExecuteFirst
from handup.when.flips import Flips, flips_at
from handup.when.query_for_all import QueryForAll
from handup.when.query_then_execute import QueryThenExecute
from handup.when.strategies import DEFAULT, STRATEGIES, Pair, methods, settings_in_force, strategy
from handup.when.troubleshoot import Troubleshoot
from handup.when.until_confident import UntilConfident
from handup.when.workload_aware import WorkloadAware

__all__ = [
    "DEFAULT",
    "STRATEGIES",
    "WHENS",
    "Choice",
    "ExecuteFirst",
    "Flips",
    "Pair",
    "QueryForAll",
    "QueryThenExecute",
    "Strategy",
    "Troubleshoot",
    "UntilConfident",
    "When",
    "WorkloadAware",
    "check_strategy",
    "check_when",
    "flips_at",
    "methods",
    "settings_in_force",
    "strategy",
]
