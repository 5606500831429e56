"""What the paper says of the number of modules: section 6.1, footnote 2, appendix F.2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims.comparing import ALL, Comparison, lower, not_higher, rises_less
from handup.lab.study.claims.judging import Judge
from handup.lab.study.claims.patterns import at_level, below, slowest, unbeaten, unchanged
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    ASKING,
    BASELINE,
    BEST,
    CONFIDENT,
    MODULES,
    SELECTORS,
    algorithm,
    replica,
    selector,
)
from handup.lab.study.claims.timing import Ratio, TimeJudge, as_fast, slower
from handup.lab.study.results import Results

CLOSER = (0.9, 0.2)
LARGE = (50, 100)
EFFORT = ("failed_attempts", "timesteps")


def _growing(results: Results) -> Iterator[Comparison]:
    for name, large in product(("never", "topo"), LARGE):
        yield lower("timesteps", selector(name, modules=10), selector(name, modules=large))


def _growing_baseline(results: Results) -> Iterator[Comparison]:
    for metric, large in product(("query_cost", "timesteps"), LARGE):
        yield lower(metric, algorithm(BASELINE, modules=10), algorithm(BASELINE, modules=large))


def _degrading(results: Results) -> Iterator[Comparison]:
    for name, large in product(("binary-tree", "graph", "brute-force"), LARGE):
        small, big = (selector(name, modules=each, confidences=CLOSER) for each in (10, large))
        yield lower("task_cost", small, big)


def _sparing_the_robust(results: Results) -> Iterator[Comparison]:
    """Were it underflow, `confidence`, which multiplies nothing, would be better than those that do."""
    for name, large in product(("graph", "binary-tree", "brute-force"), LARGE):
        plain, multiplying = (selector(each, modules=large, confidences=CLOSER) for each in ("confidence", name))
        yield lower("task_cost", plain, multiplying)


def _sensitivity(results: Results) -> Iterator[Comparison]:
    for less, more in (("graph", "binary-tree"), ("brute-force", "graph")):
        for large in LARGE:
            one, other = (
                (selector(name, modules=10, confidences=CLOSER), selector(name, modules=large, confidences=CLOSER))
                for name in (less, more)
            )
            yield rises_less("task_cost", one, other)


def _confidence_scales(results: Results) -> Iterator[Ratio]:
    for name, large in product(("topo", "brute-force", "binary-tree", "graph"), (50, 75, 100)):
        yield slower(selector(name, modules=large), selector("confidence", modules=large))


def _linear(results: Results) -> Iterator[Ratio]:
    for large in (25, 50, 75, 100):
        start, end = selector("confidence", modules=10), selector("confidence", modules=large)
        yield Ratio(end, start, most=large / 10, per_decision=True)


def _many_steps(results: Results) -> Iterator[Ratio]:
    for name, other, large in product(("never", "topo"), ASKING, (50, 75, 100)):
        yield slower(selector(name, modules=large), selector(other, modules=large))


def _nearly_alike(results: Results) -> Iterator[Ratio]:
    for size, (one, other) in product(
        MODULES, (("execute-first", "query-then-execute"), ("query-then-execute", "until-confident"))
    ):
        yield as_fast(algorithm(one, modules=size), algorithm(other, modules=size))


def _graph_over_a_second(results: Results) -> Iterator[Ratio]:
    for size in (50, 75, 100):
        yield Ratio(selector("graph", modules=size), least=1.0)


def _mip_over_a_second(results: Results) -> Iterator[Ratio]:
    for size in () if replica(results) else (3, 5, 10, 15):
        yield Ratio(selector("mip", modules=size), least=1.0)


CLAIMS = (
    Claim(
        "selectors do not notice N",
        "section 6.1, appendix F.2",
        "Task Cost, Query Cost, failed attempts and timesteps do not depend on the number of modules, for every "
        "selector but never and topo.",
        Judge(
            lambda results: unchanged(results, ALL, selector, ASKING, "modules", MODULES),
            (
                why.BRUTE_FORCE,
                why.TWO_MODULES,
            ),
        ),
    ),
    Claim(
        "never and topo do notice N",
        "section 6.1",
        "The exceptions, never and topo, need more timesteps the more modules there are (read: at N = 50 and 100 more "
        "than at 10).",
        Judge(_growing, (why.REPEATS,)),
    ),
    Claim(
        "confidence scales best",
        "section 6.1, appendix F.2",
        "Among the selectors that ask, confidence needs the least computation on large policies (N of 50 and more).",
        TimeJudge(_confidence_scales, (why.ONE_SORT,)),
        about_code=True,
    ),
    Claim(
        "confidence is linear",
        "section 6.1",
        "The time that confidence takes for a decision grows no faster than the number of modules.",
        TimeJudge(_linear),
        about_code=True,
    ),
    Claim(
        "many steps, much computation",
        "section 6.1",
        "Never and topo, which take many timesteps, need more computation per episode than the other selectors on "
        "large policies.",
        TimeJudge(_many_steps, (why.EVERY_STEP,)),
        about_code=True,
    ),
    Claim(
        "algorithms do not notice N",
        "section 6.1, appendix F.2",
        "Task Cost, Query Cost, failed attempts and timesteps do not depend on the number of modules, for every "
        "querying algorithm but query-for-all.",
        Judge(
            lambda results: unchanged(results, ALL, algorithm, ALGORITHMS, "modules", MODULES),
            (
                why.TIME_IS_UP,
                why.TWO_MODULES,
            ),
        ),
    ),
    Claim(
        "algorithms always recover",
        "section 6.1",
        "All querying algorithms but query-for-all have a Task Cost of 0 at every N.",
        Judge(
            lambda results: at_level("task_cost", algorithm, ALGORITHMS, "modules", MODULES, 0.0),
            (why.TIME_IS_UP, why.IN_TIME),
        ),
    ),
    Claim(
        "algorithms ask three questions",
        "section 6.1",
        "All querying algorithms but query-for-all have a Query Cost of 0.96 at every N.",
        Judge(
            lambda results: at_level("query_cost", algorithm, ALGORITHMS, "modules", MODULES, 0.96),
            (why.THREE_QUESTIONS, why.TWO_MODULES),
        ),
    ),
    Claim(
        "query-for-all grows with N",
        "section 6.1",
        "The exception, query-for-all, costs more questions and timesteps the more modules there are (read: at N = 50 "
        "and 100 more than at 10).",
        Judge(_growing_baseline, (why.ONE_EACH, why.ONE_EACH_AND_AGAIN)),
    ),
    Claim(
        "workload-aware computes longest",
        "section 6.1",
        "Workload-aware has the highest computation time of the querying algorithms.",
        TimeJudge(
            lambda results: slowest(algorithm, "workload-aware", (*ALTERNATING, "until-confident"), "modules", MODULES),
            (why.ONE_SUBTRACTION, why.FEWER_DECISIONS),
        ),
        about_code=True,
    ),
    Claim(
        "the other algorithms compute alike",
        "section 6.1",
        "Execute-first, query-then-execute and until-confident have nearly the same computation time.",
        TimeJudge(_nearly_alike, (why.DECISIONS_ALIKE,)),
        about_code=True,
    ),
    Claim(
        "graph takes over a second",
        "footnote 2",
        "Graph computes for more than a second at N of 50 and more.",
        TimeJudge(_graph_over_a_second, (why.ONE_PASS,)),
        about_code=True,
    ),
    Claim(
        "mip takes over a second",
        "footnote 2",
        "MIP computes for more than a second at every N.",
        TimeJudge(_mip_over_a_second, (why.LINEAR_PROGRAMME,)),
        about_code=True,
    ),
    Claim(
        "large policies suffer from closer confidences",
        "appendix F.2",
        "With confidences other than (1, 0.1) the selectors do worse on large policies (read: at (0.9, 0.2) the Task "
        "Cost of binary-tree, graph and brute-force is higher at N = 50 and 100 than at 10).",
        Judge(
            _degrading,
            (
                why.MORE_TO_GO_WRONG,
                why.NOTHING_LEFT_TO_LOSE,
            ),
        ),
    ),
    Claim(
        "underflow is the cause",
        "appendix F.2",
        "Numerical underflow is why (read: confidence, which multiplies nothing, keeps a lower Task Cost than the "
        "selectors that multiply, at (0.9, 0.2) and N = 50 and 100).",
        Judge(_sparing_the_robust, (why.NOT_UNDERFLOW,)),
    ),
    Claim(
        "binary-tree suffers most",
        "appendix F.2",
        "Of these, binary-tree suffers most from size, then graph, then brute-force (read: by the rise of Task Cost "
        "from N = 10).",
        Judge(
            _sensitivity,
            (
                why.NOTHING_LEFT_TO_LOSE,
                why.ALL_SUFFER_ALIKE,
            ),
        ),
    ),
    Claim(
        "recommended selectors at any N",
        "appendix F.2",
        "Brute-force, graph and confidence are the selectors to use (read: no other has a lower Task Cost or fewer "
        "failed attempts or timesteps at any N).",
        Judge(
            lambda results: unbeaten(("task_cost", *EFFORT), selector, BEST, SELECTORS, "modules", MODULES),
            (
                why.BRUTE_FORCE,
                why.ALL_THAT_ASK,
            ),
        ),
    ),
    Claim(
        "recommended algorithms at any N",
        "appendix F.2",
        "Until-confident and workload-aware have the fewest failed attempts and timesteps (read: fewer of both than "
        "execute-first and query-then-execute, and query-for-all beats them in neither).",
        Judge(
            lambda results: (
                *below(EFFORT, algorithm, CONFIDENT, ALTERNATING, "modules", MODULES),
                *(
                    not_higher(metric, algorithm(name, modules=size), algorithm(BASELINE, modules=size))
                    for metric, name, size in product(EFFORT, CONFIDENT, MODULES)
                ),
            ),
            (why.ASKED_BEFORE_ACTING, why.BASELINE_ASKS_MORE),
        ),
    ),
)
