"""Why the claims about structure hold or not."""

from __future__ import annotations

from handup.lab.cell import Structure
from handup.lab.study.claims.places import algorithm, selector
from handup.lab.study.claims.why import (
    A_BIT,
    ASKS_LITTLE,
    CLOSER,
    OURS,
    THEIRS,
    alike,
    between,
    both,
    fails,
    holds,
    less,
)

EMPTY_SUM = fails(
    "in mixed structures the reference code's confidence sum is empty, so that until-confident acts after each "
    "question like query-then-execute",
    alike(
        "failed_attempts",
        *(algorithm(n, structure=Structure.OR_THEN_AND) for n in ("until-confident", "query-then-execute")),
    ),
    THEIRS,
)
NOTHING_TO_SAVE = fails(
    "methods that get every doubtful module answered before they act succeed at once in every structure, and nothing "
    "is lower than no failure",
    alike("failed_attempts", *(selector("graph", structure=s) for s in (Structure.OR, Structure.AND))),
)
BLIND_TO_STRUCTURE = fails(
    "workload-aware and query-for-all ask the same questions in every structure",
    alike("questions", *(algorithm("workload-aware", structure=s) for s in (Structure.OR, Structure.AND))),
    OURS,
)
SAME_IN_BOTH_PURE = fails(
    "workload-aware and until-confident ask the same three questions in all-or as in all-and",
    alike(
        "questions",
        *(
            algorithm(n, structure=s)
            for n in ("until-confident", "workload-aware")
            for s in (Structure.OR, Structure.AND)
        ),
    ),
    THEIRS,
)
MODULE_BY_MODULE = holds(
    "workload-aware weighs each module's gain against its cost and looks at no structure",
    alike("questions", *(selector("graph", structure=s) for s in (Structure.OR, Structure.AND))),
)
MODULE_BY_MODULE_ELSEWHERE = fails(
    "workload-aware weighs each module's gain against its cost and looks at no structure, so that nearly all selectors "
    "ask the same in all of them",
    alike("questions", *(selector("graph", structure=s, confidences=CLOSER) for s in (Structure.OR, Structure.AND))),
)
LAST_MODULE = fails(
    "even in all-or a policy has modules that no other stands in for, such as the last, and a method that "
    "does not ask repeats the failing act until the time is up",
    between("task_cost", selector("never", structure=Structure.OR), 0.2, 0.8),
)
SOMETIMES_WORTH_IT = fails(
    "where modules stand in for others a single question is sometimes worth its cost, so that brute-force recovers "
    "more often than in all-and",
    less(
        "task_cost",
        selector("brute-force", structure=Structure.AND_THEN_OR),
        selector("brute-force", structure=Structure.AND),
    ),
    OURS,
)
GRAPH_ANYWHERE = holds(
    "graph asks about the three modules whose answers gain more than they cost, which repairs the policy in "
    "any structure",
    between("task_cost", selector("graph", structure=Structure.AND_THEN_OR), 0.0, A_BIT),
)
TOO_EARLY_IN_OR = fails(
    "whoever acts before the doubtful modules are answered fails at times even in all-or, whoever asks first does not",
    less(
        "failed_attempts",
        algorithm("until-confident", structure=Structure.OR),
        algorithm("execute-first", structure=Structure.OR),
    ),
)
EXACT_STOPS_SOON = fails(
    "with the exact chance of success until-confident stops asking as soon as all-or is likely to succeed, and wastes "
    "no step on a failed act",
    less(
        "questions",
        algorithm("until-confident", structure=Structure.OR),
        algorithm("workload-aware", structure=Structure.OR),
    ),
    OURS,
)
ASKS_ALL_IN_OR = holds(
    "both confident variants ask about all three low modules, though in all-or an act often succeeds without",
    alike("questions", *(algorithm(n, structure=Structure.OR) for n in ("until-confident", "workload-aware"))),
    THEIRS,
)
WORKLOAD_AWARE_ASKS_ON = fails(
    "where modules stand in for others workload-aware asks about all three low modules though fewer answers would do",
    less(
        "questions",
        algorithm("until-confident", structure=Structure.AND_THEN_OR),
        algorithm("workload-aware", structure=Structure.AND_THEN_OR),
    ),
    OURS,
)
HARDLY_ASKS = fails(
    "topo stops at the first upstream module that is not worth a question, so that it depends on the structure as "
    "never does",
    both(
        between("questions", selector("topo"), 0.0, 1.0), alike("questions", selector("graph"), selector("brute-force"))
    ),
)
HARDLY_ASK = fails(
    "topo, which stops at the first upstream module that is not worth a question, and brute-force hardly ask, so that "
    "they depend on the structure as never does",
    both(between("questions", selector("topo"), 0.0, 1.0), ASKS_LITTLE),
)
REDUNDANCY_SAVES = holds(
    "redundancy saves some acts of a policy in which wrong modules are left unasked",
    less("task_cost", *(selector("graph", structure=s, confidences=CLOSER) for s in (Structure.OR, Structure.AND))),
)
BINARY_TREE_ASKS = fails(
    "the reference code's binary-tree does ask there, and even in all-or a policy that asks nothing fails "
    "where its last module does",
    between("questions", selector("binary-tree", structure=Structure.AND, confidences=CLOSER), 1.0, 10.0),
    THEIRS,
)
ALL_AND_NEEDS_ALL = fails(
    "in all-and every doubtful module is needed, so that algorithms that act in between ask most there",
    less(
        "questions",
        algorithm("execute-first", structure=Structure.AND_THEN_OR),
        algorithm("execute-first", structure=Structure.AND),
    ),
)
REDUNDANCY_HELPS = fails(
    "half a policy of redundant modules lets an act succeed sooner than all-and does, and whoever asks first fails in "
    "no structure",
    less(
        "failed_attempts",
        algorithm("execute-first", structure=Structure.OR_THEN_AND),
        algorithm("execute-first", structure=Structure.AND),
    ),
)
SAME_THREE_IN_AND = fails(
    "in all-and until-confident asks the same three questions as workload-aware",
    alike("questions", algorithm("until-confident"), algorithm("workload-aware")),
)
