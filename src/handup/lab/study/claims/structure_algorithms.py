"""What the paper says of querying algorithms and the structure of the policy: section 6.2, appendix F.3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from handup.lab.cell import Structure
from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims import why_structure as here
from handup.lab.study.claims.comparing import ALL, Comparison, lower
from handup.lab.study.claims.judging import GENERALLY, MOST, Judge
from handup.lab.study.claims.patterns import below, descending, slowest, slowing, unbeaten, unchanged
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    CONFIDENT,
    NOT_ALL_OR,
    STRUCTURES,
    algorithm,
)
from handup.lab.study.claims.structure import lower_in_or
from handup.lab.study.claims.timing import TimeJudge
from handup.lab.study.results import Results

CLOSER = (0.9, 0.2)
CHEAP = 0.08
ORDER = (("execute-first",), ("query-then-execute",), CONFIDENT)
OR_ONLY = (Structure.OR,)


def _structure_order(results: Results) -> Iterator[Comparison]:
    order = (Structure.OR_THEN_AND, Structure.AND, Structure.AND_THEN_OR, Structure.OR)
    for name, (more, less) in product(ALGORITHMS, pairwise(order)):
        yield lower("failed_attempts", algorithm(name, structure=less), algorithm(name, structure=more))


def _mixed_cost_more(results: Results) -> Iterator[Comparison]:
    mixed, pure = (Structure.OR_THEN_AND, Structure.AND_THEN_OR), (Structure.AND, Structure.OR)
    for name, less, more in product(ALGORITHMS, pure, mixed):
        places = (algorithm(name, structure=each, query_cost=CHEAP) for each in (less, more))
        yield lower("query_cost", *places)


CLAIMS = (
    Claim(
        "algorithms do better in all-or",
        "section 6.2",
        "Every querying algorithm has lower metrics of all sorts in all-or than in each other structure.",
        Judge(
            lambda results: lower_in_or(algorithm, ALGORITHMS, ALL),
            (here.BLIND_TO_STRUCTURE, here.BLIND_IN_PURE, here.EMPTY_SUM),
        ),
    ),
    Claim(
        "confident variants fail least",
        "section 6.2",
        "Until-confident and workload-aware have the fewest failed attempts in every structure but all-or.",
        Judge(
            lambda results: unbeaten(("failed_attempts",), algorithm, CONFIDENT, ALGORITHMS, "structure", NOT_ALL_OR),
            (why.ASKED_BEFORE_ACTING, here.EMPTY_SUM_NO_WORSE),
        ),
    ),
    Claim(
        "alternating algorithms fail less in all-or",
        "section 6.2",
        "In all-or, execute-first and query-then-execute have fewer failed attempts than both confident variants.",
        Judge(
            lambda results: below(("failed_attempts",), algorithm, ALTERNATING, CONFIDENT, "structure", OR_ONLY),
            (here.TOO_EARLY_IN_OR,),
        ),
    ),
    Claim(
        "algorithms ask less in all-or",
        "appendix F.3.2",
        "Most querying algorithms have a lower Query Cost in all-or (read: of the paper's four, in more than half of "
        "the comparisons).",
        Judge(
            lambda results: lower_in_or(algorithm, ALGORITHMS, ("query_cost",)),
            (here.FEWER_NEEDED, here.EMPTY_SUM_HELPS, here.BLIND_IN_PURE, here.EMPTY_SUM),
            share=MOST,
        ),
    ),
    Claim(
        "workload-aware asks most when questions are cheap",
        "appendix F.3.2",
        "Where questions cost little, workload-aware has a higher Query Cost than the other querying algorithms (read: "
        "at q = 0.08, than the paper's other three).",
        Judge(
            lambda results: below(
                ("query_cost",),
                algorithm,
                (*ALTERNATING, "until-confident"),
                ("workload-aware",),
                "structure",
                STRUCTURES,
                query_cost=CHEAP,
            ),
            (here.SAME_THREE,),
        ),
    ),
    Claim(
        "mixed structures cost more when questions are cheap",
        "appendix F.3.2",
        "Where questions cost little, every querying algorithm has a higher Query Cost in the mixed structures than in "
        "the pure ones (read: at q = 0.08).",
        Judge(
            _mixed_cost_more,
            (here.BLIND_TO_STRUCTURE, here.ALL_AND_NEEDS_ALL, here.EMPTY_SUM),
        ),
    ),
    Claim(
        "algorithms fail less in all-or",
        "appendix F.3.2",
        "Every querying algorithm has fewer failed attempts in all-or than in each other structure.",
        Judge(
            lambda results: lower_in_or(algorithm, ALGORITHMS, ("failed_attempts",)),
            (here.SUCCEEDS_SOONER, here.EMPTY_SUM_HELPS),
        ),
    ),
    Claim(
        "order of algorithms by failed attempts",
        "appendix F.3.2",
        "In any structure execute-first fails most often, then query-then-execute, then the confident variants, which "
        "are alike (a rough order; read: in at least three quarters of the comparisons).",
        Judge(
            lambda results: descending("failed_attempts", algorithm, ORDER, "structure", STRUCTURES),
            (why.ONE_BY_ONE,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "order of structures by failed attempts",
        "appendix F.3.2",
        "For every querying algorithm, failed attempts fall from or-then-and over all-and and and-then-or to all-or.",
        Judge(_structure_order, (here.REDUNDANCY_HELPS, here.EMPTY_SUM)),
    ),
    Claim(
        "algorithms compute less in all-or",
        "appendix F.3.2",
        "Every querying algorithm needs less computation in all-or.",
        TimeJudge(
            lambda results: slowing(algorithm, ALGORITHMS, "structure", Structure.OR, NOT_ALL_OR),
            (why.REDUNDANCY_IS_DEAR,),
        ),
        about_code=True,
    ),
    Claim(
        "workload-aware computes longest",
        "appendix F.3.2",
        "Workload-aware needs slightly more computation than the other querying algorithms in any structure.",
        TimeJudge(
            lambda results: slowest(
                algorithm, "workload-aware", (*ALTERNATING, "until-confident"), "structure", STRUCTURES
            ),
            (why.ONE_SUBTRACTION, why.FEWER_DECISIONS),
        ),
        about_code=True,
    ),
    Claim(
        "algorithms recover in every structure alike",
        "appendix F.3.2",
        "The Task Cost of every querying algorithm is much the same in every structure.",
        Judge(
            lambda results: unchanged(results, ("task_cost",), algorithm, ALGORITHMS, "structure", STRUCTURES),
            (why.ANSWERED_IN_TIME,),
        ),
    ),
    Claim(
        "workload-aware recovers most elsewhere",
        "appendix F.3.2",
        "In other settings, workload-aware tends to recover most often of all querying algorithms (read: at (0.9, 0.2) "
        "no other has a lower Task Cost, in at least three quarters of the comparisons).",
        Judge(
            lambda results: unbeaten(
                ("task_cost",), algorithm, ("workload-aware",), ALGORITHMS, "structure", STRUCTURES, confidences=CLOSER
            ),
            (why.LEAVES_ALONE,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "algorithms are faster in all-or",
        "appendix F.3.2",
        "Most querying algorithms take fewer timesteps in all-or (read: of the paper's four, in more than half of the "
        "comparisons).",
        Judge(
            lambda results: lower_in_or(algorithm, ALGORITHMS, ("timesteps",)),
            (here.FEWER_NEEDED, here.EMPTY_SUM_HELPS),
            share=MOST,
        ),
    ),
    Claim(
        "order of algorithms by timesteps",
        "appendix F.3.2",
        "In any structure execute-first takes most timesteps, then query-then-execute, then the confident variants, "
        "which are alike (a rough order; read: in at least three quarters of the comparisons).",
        Judge(
            lambda results: descending("timesteps", algorithm, ORDER, "structure", STRUCTURES),
            (why.ONE_BY_ONE, here.EMPTY_SUM, here.CONFIDENT_ASK_ON, here.FIRST_ACT_SUCCEEDS),
            share=GENERALLY,
        ),
    ),
    Claim(
        "recommended algorithms outside all-or",
        "appendix F.3",
        "Both confident variants are best in all metrics in every structure but all-or.",
        Judge(
            lambda results: unbeaten(ALL, algorithm, CONFIDENT, ALGORITHMS, "structure", NOT_ALL_OR),
            (
                here.WORKLOAD_AWARE_ASKS_ON,
                here.EMPTY_SUM,
            ),
        ),
    ),
    Claim(
        "recommended algorithms in all-or",
        "appendices F.3, F.4 and F.5",
        "In all-or, execute-first and query-then-execute have a lower Query Cost and fewer timesteps than the "
        "confident variants.",
        Judge(
            lambda results: below(("query_cost", "timesteps"), algorithm, ALTERNATING, CONFIDENT, "structure", OR_ONLY),
            (
                here.EXACT_STOPS_SOON,
                here.ASKS_ALL_IN_OR,
            ),
        ),
    ),
)
