"""What the paper says of what a question costs: section 6.4, appendix F.5."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims import why_costs as here
from handup.lab.study.claims.comparing import Comparison, lower, near
from handup.lab.study.claims.judging import GENERALLY, Judge
from handup.lab.study.claims.patterns import (
    Make,
    at_level,
    below,
    descending,
    slowest,
    unbeaten,
    unchanged,
)
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    ASKING,
    BEST,
    CONFIDENT,
    QUERY_COSTS,
    SELECTORS,
    algorithm,
    selector,
)
from handup.lab.study.claims.timing import Ratio, TimeJudge, as_fast, slower
from handup.lab.study.results import Results

OUTCOME = ("task_cost", "failed_attempts", "timesteps")
ORDER = (("execute-first",), ("query-then-execute",), CONFIDENT)
CLOSE = (0.7, 0.4)
DEAREST = QUERY_COSTS[-1]
MOSTLY = "read: in at least three quarters of the comparisons"


def _dearer(make: Make, names: tuple[str, ...]) -> Iterator[Comparison]:
    for name, (cheap, dear) in product(names, pairwise(QUERY_COSTS)):
        yield lower("query_cost", make(name, query_cost=cheap), make(name, query_cost=dear))


def _fails_more(results: Results) -> Iterator[Comparison]:
    """One comparison that shows it is enough, so only the one with the largest step is made."""
    for settings in ({}, {"confidences": CLOSE}):
        cheap, dear = (algorithm("workload-aware", query_cost=each, **settings) for each in (QUERY_COSTS[0], DEAREST))
        yield lower("failed_attempts", cheap, dear)


def _degrading_but_aware(results: Results) -> Iterator[Comparison]:
    for name in (*ALTERNATING, "until-confident"):
        yield near("task_cost", algorithm(name, query_cost=DEAREST, confidences=CLOSE), 1.0)
        places = (algorithm(each, query_cost=DEAREST, confidences=CLOSE) for each in ("workload-aware", name))
        yield lower("task_cost", *places)


def _time_order(results: Results) -> Iterator[Ratio]:
    for cost, (slow, fast) in product(QUERY_COSTS, (("brute-force", "never"), ("binary-tree", "brute-force"))):
        yield slower(selector(slow, query_cost=cost), selector(fast, query_cost=cost))


def _times_alike(results: Results) -> Iterator[Ratio]:
    for cost, (one, other) in product(QUERY_COSTS, pairwise(ALGORITHMS)):
        yield as_fast(algorithm(one, query_cost=cost), algorithm(other, query_cost=cost))
    for name, cost in product(ALGORITHMS, QUERY_COSTS):
        if cost != 0.32:
            yield as_fast(algorithm(name, query_cost=cost), algorithm(name, query_cost=0.32))


CLAIMS = (
    Claim(
        "selectors do not notice the cost",
        "section 6.4",
        "Query Cost, failed attempts and timesteps of every selector do not depend on what a question costs (read as "
        "printed, which excepts Task Cost; section 6.4's next paragraph and appendix F.5.1 except Query Cost instead).",
        Judge(
            lambda results: unchanged(
                results,
                ("query_cost", "failed_attempts", "timesteps"),
                selector,
                SELECTORS,
                "query_cost",
                QUERY_COSTS,
            ),
            (here.PRICE, here.TOO_DEAR),
        ),
    ),
    Claim(
        "recommended selectors are fastest",
        "section 6.4",
        "Brute-force, graph and confidence take fewer timesteps than never, topo and binary-tree at every cost.",
        Judge(
            lambda results: below(
                ("timesteps",), selector, BEST, ("never", "topo", "binary-tree"), "query_cost", QUERY_COSTS
            ),
            (
                why.BRUTE_FORCE,
                why.SAME_QUESTIONS,
            ),
        ),
    ),
    Claim(
        "algorithms hardly notice the cost",
        "section 6.4",
        f"All metrics of querying algorithms but Query Cost are largely independent of what a question costs "
        f"({MOSTLY}).",
        Judge(
            lambda results: unchanged(results, OUTCOME, algorithm, ALGORITHMS, "query_cost", QUERY_COSTS),
            (here.SAME_AT_ANY_COST,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "confident variants fail least",
        "section 6.4",
        "Until-confident and workload-aware have the fewest failed attempts at every cost.",
        Judge(
            lambda results: unbeaten(("failed_attempts",), algorithm, CONFIDENT, ALGORITHMS, "query_cost", QUERY_COSTS),
            (why.ASKED_BEFORE_ACTING,),
        ),
    ),
    Claim(
        "confident variants are faster",
        "section 6.4, appendix F.5.2",
        "Until-confident and workload-aware generally take fewer timesteps than execute-first and query-then-execute "
        f"at every cost ({MOSTLY}).",
        Judge(
            lambda results: below(("timesteps",), algorithm, CONFIDENT, ALTERNATING, "query_cost", QUERY_COSTS),
            (why.ASKED_BEFORE_ACTING,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "selectors pay more for dearer questions",
        "appendix F.5.1",
        "The Query Cost of every selector that asks rises with what a question costs, from each cost to the next.",
        Judge(
            lambda results: _dearer(selector, ("topo", *ASKING)),
            (here.TOO_DEAR, here.PAID_FOR),
        ),
    ),
    Claim(
        "binary-tree pays most",
        "appendix F.5.1",
        f"Binary-tree generally has the highest Query Cost, brute-force and graph a lower one ({MOSTLY}).",
        Judge(
            lambda results: below(
                ("query_cost",), selector, ("brute-force", "graph"), ("binary-tree",), "query_cost", QUERY_COSTS
            ),
            (why.SAME_QUESTIONS, here.TOO_DEAR),
            share=GENERALLY,
        ),
    ),
    Claim(
        "selectors fail as often at any cost",
        "appendix F.5.1",
        f"Failed attempts of selectors are relatively independent of what a question costs ({MOSTLY}).",
        Judge(
            lambda results: unchanged(results, ("failed_attempts",), selector, SELECTORS, "query_cost", QUERY_COSTS),
            (here.SAME_AT_ANY_COST,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "graph computes longest",
        "appendix F.5.1",
        f"Graph generally needs most computation at every cost ({MOSTLY}).",
        TimeJudge(
            lambda results: slowest(
                selector, "graph", ("never", "brute-force", "binary-tree"), "query_cost", QUERY_COSTS
            ),
            (why.ONE_PASS,),
            share=GENERALLY,
        ),
        about_code=True,
    ),
    Claim(
        "order of other selectors by computation",
        "appendix F.5.1",
        "Of the other selectors never generally needs least computation, then brute-force, then binary-tree "
        f"({MOSTLY}; appendix F.4.1 gives the last two the other way round).",
        TimeJudge(_time_order, (why.ONE_SORT, why.EVERY_STEP), share=GENERALLY),
        about_code=True,
    ),
    Claim(
        "selectors recover alike at any cost",
        "appendix F.5.1",
        f"The Task Cost of selectors generally does not depend on what a question costs ({MOSTLY}).",
        Judge(
            lambda results: unchanged(results, ("task_cost",), selector, SELECTORS, "query_cost", QUERY_COSTS),
            (here.SAME_AT_ANY_COST,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "binary-tree and never at 0.0",
        "appendix F.5.1",
        "With dear questions and less separated confidences, binary-tree and never have a Task Cost of 0.0 throughout "
        "(read as printed, at q = 0.64 and (0.7, 0.4), though 0 means recovered and a success rate of 0 may be meant).",
        Judge(
            lambda results: at_level(
                "task_cost", selector, ("binary-tree", "never"), "query_cost", (DEAREST,), 0.0, confidences=CLOSE
            ),
            (here.NEITHER_ASKS,),
        ),
    ),
    Claim(
        "selectors take as long at any cost",
        "appendix F.5.1",
        f"Timesteps of selectors are generally independent of what a question costs ({MOSTLY}).",
        Judge(
            lambda results: unchanged(results, ("timesteps",), selector, SELECTORS, "query_cost", QUERY_COSTS),
            (here.SAME_AT_ANY_COST,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "binary-tree takes slightly longer",
        "appendix F.5.1",
        "Binary-tree takes more timesteps than brute-force and graph at every cost.",
        Judge(
            lambda results: below(
                ("timesteps",), selector, ("brute-force", "graph"), ("binary-tree",), "query_cost", QUERY_COSTS
            ),
            (why.SAME_QUESTIONS, why.BRUTE_FORCE),
        ),
    ),
    Claim(
        "algorithms pay more for dearer questions",
        "appendix F.5.2",
        f"The Query Cost of querying algorithms generally rises with what a question costs ({MOSTLY}).",
        Judge(lambda results: _dearer(algorithm, ALGORITHMS), (here.PAID_FOR,), share=GENERALLY),
    ),
    Claim(
        "order of algorithms by failed attempts",
        "appendix F.5.2",
        "At every cost execute-first fails most often, then query-then-execute, then the confident variants, which are "
        f"alike (a typical trend; {MOSTLY}).",
        Judge(
            lambda results: descending("failed_attempts", algorithm, ORDER, "query_cost", QUERY_COSTS),
            (why.ONE_BY_ONE,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "workload-aware sometimes fails more when questions are dear",
        "appendix F.5.2",
        "In some settings workload-aware has slightly more failed attempts the more a question costs (read: at (1, "
        "0.1) or at (0.7, 0.4), more at q = 0.64 than at 0.08).",
        Judge(_fails_more, (here.GAIN_TOO_SMALL,), share=0.5),
    ),
    Claim(
        "algorithms compute alike at any cost",
        "appendix F.5.2",
        f"Querying algorithms generally need about as much computation as each other and at every cost ({MOSTLY}).",
        TimeJudge(_times_alike, (why.DECISIONS_ALIKE,), share=GENERALLY),
        about_code=True,
    ),
    Claim(
        "workload-aware sometimes computes longest",
        "appendix F.5.2",
        "In some settings, among them this one, workload-aware needs more computation than the other algorithms.",
        TimeJudge(
            lambda results: slowest(
                algorithm, "workload-aware", (*ALTERNATING, "until-confident"), "query_cost", QUERY_COSTS
            ),
            (why.ONE_SUBTRACTION, why.FEWER_DECISIONS),
        ),
        about_code=True,
    ),
    Claim(
        "algorithms always recover",
        "appendix F.5.2",
        f"Querying algorithms generally have a Task Cost of 0 at every cost ({MOSTLY}).",
        Judge(
            lambda results: at_level("task_cost", algorithm, ALGORITHMS, "query_cost", QUERY_COSTS, 0.0),
            (why.ANSWERED_IN_TIME,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "all but workload-aware degrade when confidences overlap",
        "appendix F.5.2",
        "With closer confidences, Task Cost goes to 1 for every querying algorithm but workload-aware (read: at q = "
        "0.64 and (0.7, 0.4), and workload-aware stays lower).",
        Judge(_degrading_but_aware, (here.WORKLOAD_AWARE_STOPS,)),
    ),
    Claim(
        "algorithms take as long at any cost",
        "appendix F.5.2",
        f"Timesteps of querying algorithms are generally independent of what a question costs ({MOSTLY}).",
        Judge(
            lambda results: unchanged(results, ("timesteps",), algorithm, ALGORITHMS, "query_cost", QUERY_COSTS),
            (here.SAME_AT_ANY_COST,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "recommended selectors at any cost",
        "section 6.4, appendix F.5",
        "Brute-force, graph and confidence are the most competitive at every cost (read: no other selector has a lower "
        "Task Cost or fewer failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(OUTCOME, selector, BEST, SELECTORS, "query_cost", QUERY_COSTS),
            (why.BRUTE_FORCE, why.ALL_THAT_ASK),
        ),
    ),
    Claim(
        "workload-aware spares questions and failures",
        "appendix F.5",
        "Workload-aware is the algorithm to use where Query Cost and failed attempts matter most (read: no other has "
        "less of either at any cost).",
        Judge(
            lambda results: unbeaten(
                ("query_cost", "failed_attempts"), algorithm, ("workload-aware",), ALGORITHMS, "query_cost", QUERY_COSTS
            ),
            (why.THREE_THEN_ACT,),
        ),
    ),
    Claim(
        "until-confident spares computation",
        "appendix F.5",
        "Until-confident is the algorithm to use where computation matters most (read: workload-aware needs more at "
        "every cost).",
        TimeJudge(
            lambda results: slowest(algorithm, "workload-aware", ("until-confident",), "query_cost", QUERY_COSTS)
        ),
        about_code=True,
    ),
)
