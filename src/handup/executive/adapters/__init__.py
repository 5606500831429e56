"""Other people's code as actions, and a check for anybody's action.

`trees` is not imported here: py_trees is an extra.
"""

from handup.executive.adapters.check import check_action
from handup.executive.adapters.functions import Background, as_action

__all__ = ["Background", "as_action", "check_action"]
