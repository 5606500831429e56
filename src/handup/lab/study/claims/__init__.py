"""The paper's claims about its synthetic experiments, one by one, by study."""

from collections.abc import Mapping

from handup.lab.study.claim import Claim
from handup.lab.study.claims import (
    confidences,
    expert,
    heterogeneity,
    modules,
    query_costs,
    structure,
    structure_algorithms,
    summary,
)

__all__ = ["CLAIMS"]

CLAIMS: Mapping[str, tuple[Claim, ...]] = {
    "modules": modules.CLAIMS,
    "structure": (*structure.CLAIMS, *structure_algorithms.CLAIMS),
    "confidences": confidences.CLAIMS,
    "query-costs": query_costs.CLAIMS,
    "expert": expert.CLAIMS,
    "heterogeneity": heterogeneity.CLAIMS,
    "summary": summary.CLAIMS,
}
"""By study; each claim's judge looks at the study's results in one world."""
