"""The core paper's reference code imitated, quirks and all, for comparison only.

It differs from handup's own model: the state counts as a node; an answer is the module's gate applied to whatever
its inputs say now, and stands in for its output; asking a module erases the answers downstream of it; several
selectors offer answered modules again. `docs/lab/worlds.md` lists every difference.
"""

from __future__ import annotations

from dataclasses import dataclass

from handup.lab.cell import Cell


@dataclass(frozen=True, kw_only=True)
class ReplicaRules:
    """A pair as the replica reads it: costs and success weigh one to one, whatever w is.

    Args:
        what: The selector.
        when: The querying algorithm.
        epsilon: ε of graph.
        tau: τ of until-confident.
        lambda_: λ of workload-aware.
    """

    what: str
    when: str
    epsilon: float = 1.0
    tau: float = 0.5
    lambda_: float = 1.0

    @classmethod
    def of(cls, cell: Cell) -> ReplicaRules:
        """The rules of a cell."""
        what, _, when = cell.method.partition("+")
        given = {"epsilon": cell.epsilon, "tau": cell.tau, "lambda_": cell.lambda_}
        return cls(what=what, when=when, **{name: value for name, value in given.items() if value is not None})
