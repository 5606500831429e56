"""Why the claims about structure hold or not."""

from __future__ import annotations

from handup.lab.cell import Structure
from handup.lab.study.claims.covering import (
    A_BIT,
    asks_alike,
    at,
    either,
    every,
    first_has,
    first_is,
    first_less,
    first_more,
    has,
    in_metric,
    of,
    second_is,
)
from handup.lab.study.claims.places import ALTERNATING, CONFIDENT
from handup.lab.study.claims.why import RECOVER, THEIRS, fails, holds

MIXED = at("structure", Structure.OR_THEN_AND, Structure.AND_THEN_OR)
EMPTY = (
    "in mixed structures the reference code's confidence sum is empty, so that until-confident acts after each "
    "question like query-then-execute"
)
EMPTY_SUM = fails(EMPTY, every(of("until-confident"), MIXED), THEIRS)
EMPTY_SUM_HELPS = holds(EMPTY, every(of("until-confident"), MIXED), THEIRS)
EMPTY_SUM_NO_WORSE = holds(
    f"{EMPTY}, and fails as often",
    every(first_is("until-confident"), second_is(*ALTERNATING), MIXED, first_has("failed_attempts", A_BIT, 20.0)),
    THEIRS,
)
SAME_THREE_EVERYWHERE = fails(
    "these selectors ask the same three questions in every structure and then succeed, so that timesteps are level",
    every(in_metric("timesteps"), asks_alike, RECOVER),
)
BLIND_TO_STRUCTURE = fails(
    "workload-aware asks the same questions in every structure", every(of("workload-aware"), asks_alike)
)
BLIND_IN_PURE = fails(
    "workload-aware asks the same questions in every structure, and until-confident the same in all-or as in all-and",
    every(of(*CONFIDENT), asks_alike),
    THEIRS,
)
CONFIDENT_ASK_ON = fails(
    "where modules stand in for others the confident variants ask about all three low modules though fewer answers "
    "would do",
    every(first_is(*CONFIDENT), first_has("questions", 2.9, 3.1), first_more("questions", A_BIT)),
    THEIRS,
)
FIRST_ACT_SUCCEEDS = fails(
    "in all-or the act that execute-first makes before its first question often succeeds",
    every(second_is("execute-first"), at("structure", Structure.OR), first_more("questions")),
)
FEWER_NEEDED = holds(
    "in all-or fewer answers do, and algorithms that act or estimate success between questions find out",
    first_less("questions"),
)
SUCCEEDS_SOONER = holds(
    "in all-or an act often succeeds before the last doubtful module is answered",
    every(of(*ALTERNATING), first_less("failed_attempts")),
)
MODULE_BY_MODULE = holds(
    "workload-aware weighs each module's gain against its cost and looks at no structure", asks_alike
)
SAME_IN_ALL = fails(
    "workload-aware weighs each module's gain against its cost and looks at no structure, so that these selectors ask "
    "the same in all of them",
    asks_alike,
)
SAME_ORDER = holds(
    "selectors that ask about the three low modules succeed at once in these structures, and never and topo fail most "
    "often in each",
    either(first_has("failed_attempts", 0.0, A_BIT), has("questions", 0.0, 1.0)),
)
LAST_MODULE = fails(
    "even in all-or a policy has modules that no other stands in for, such as the last, and a method that "
    "hardly asks repeats the failing act until the time is up",
    every(first_has("questions", 0.0, 1.0), at("structure", Structure.OR)),
)
SOMETIMES_WORTH_IT = fails(
    "where modules stand in for others a single question is sometimes worth its cost to brute-force, more often than "
    "in all-and",
    every(of("brute-force"), either(has("questions", A_BIT, 1.0), first_more("questions"), first_less("questions"))),
)
GRAPH_ANYWHERE = holds(
    "graph asks about the three modules whose answers gain more than they cost, which repairs the policy in "
    "any structure",
    every(first_is("graph"), first_has("task_cost", 0.0, A_BIT)),
)
TOO_EARLY_IN_OR = fails(
    "whoever acts before the doubtful modules are answered fails at times even in all-or, whoever asks first does not",
    every(first_more("failed_attempts"), second_is(*CONFIDENT)),
)
EXACT_STOPS_SOON = fails(
    "with the exact chance of success until-confident stops asking as soon as all-or is likely to succeed, and wastes "
    "no step on a failed act",
    every(second_is("until-confident"), first_more("failed_attempts"), has("questions", 0.0, 2.5, "until-confident")),
)
ASKS_ALL_IN_OR = holds(
    "both confident variants ask about all three low modules, though in all-or an act often succeeds without",
    has("questions", 2.9, 3.1, *CONFIDENT),
)
WORKLOAD_AWARE_ASKS_ON = fails(
    "where modules stand in for others workload-aware asks about all three low modules though fewer answers would do",
    every(first_is("workload-aware"), first_more("questions", A_BIT)),
)
TOPO_HARDLY_ASKS = fails(
    "topo stops at the first upstream module that is not worth a question, hardly asks, and so depends on the "
    "structure as never does",
    has("questions", 0.0, 1.0, "topo"),
)
BRUTE_FORCE_HARDLY_ASKS = fails(
    "brute-force hardly asks here, and so depends on the structure as never does",
    has("questions", 0.0, 1.0, "brute-force"),
)
REDUNDANCY_SAVES = holds(
    "redundancy saves some acts of a policy in which wrong modules are left unasked", first_less("task_cost")
)
BINARY_TREE_ASKS = fails(
    "the reference code's binary-tree asks about the three low modules, and so recovers at times in every structure",
    every(has("questions", 1.0, 10.0, "binary-tree"), has("task_cost", A_BIT, 1.0 - A_BIT)),
    THEIRS,
)
ALL_AND_NEEDS_ALL = fails(
    "in all-and every doubtful module is needed, so that algorithms that can do with fewer answers elsewhere ask most "
    "there",
    every(at("structure", Structure.AND), first_more("questions")),
)
REDUNDANCY_HELPS = fails(
    "half a policy of redundant modules lets an act succeed sooner than all-and does",
    every(at("structure", Structure.AND), at("structure", Structure.OR_THEN_AND), first_more("failed_attempts")),
)
SWARM = fails(
    "with a hundred modules that stand in for each other most acts succeed without an answer, so that to ask about all "
    "three low modules first takes more steps",
    every(in_metric("timesteps"), first_has("questions", 2.9, 3.1), first_more("questions", 1.0)),
)
SAME_THREE = fails("until-confident asks the same three questions as workload-aware there", asks_alike)
