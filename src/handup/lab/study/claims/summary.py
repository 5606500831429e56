"""The headline claims: the caption of Fig. 4, the choice of section 8 with footnote 3, the examples of section 9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from handup.lab.cell import Structure
from handup.lab.study.claim import Claim, Finding, Verdict
from handup.lab.study.claims import heterogeneity, why
from handup.lab.study.claims import why_costs as costs
from handup.lab.study.claims import why_structure as structure
from handup.lab.study.claims.comparing import Comparison, lower, not_higher, rises_less, same
from handup.lab.study.claims.judging import GENERALLY, Judge, Reason
from handup.lab.study.claims.patterns import Make, unbeaten
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    BASELINE,
    BEST,
    CONFIDENCES,
    CONFIDENT,
    MODULES,
    QUERY_COSTS,
    SELECTORS,
    STRUCTURES,
    Place,
    algorithm,
    replica,
    selector,
)
from handup.lab.study.claims.timing import Ratio, TimeJudge, slower
from handup.lab.study.results import Results

OUTCOME = ("task_cost", "failed_attempts", "timesteps")
EVERY = (*ALGORITHMS, BASELINE)
READ = "read: at no value does another one have a lower Task Cost or fewer failed attempts or timesteps"


def _robust(
    make: Make, good: Sequence[str], rest: Sequence[str], axis: str, values: Sequence[Any], *reasons: Reason
) -> Judge:
    return Judge(lambda results: unbeaten(OUTCOME, make, good, rest, axis, values), reasons)


def _scalable(results: Results) -> Iterator[Ratio]:
    for fast, name, size in product(("brute-force", "confidence"), ("topo", "binary-tree", "graph"), (50, 75, 100)):
        yield slower(selector(name, modules=size), selector(fast, modules=size))


def _scalable_algorithm(results: Results) -> Iterator[Ratio]:
    for name, size in product(("execute-first", "query-then-execute", "workload-aware"), (50, 75, 100)):
        yield slower(algorithm(name, modules=size), algorithm("until-confident", modules=size))


def _steadiest(results: Results) -> Iterator[Comparison]:
    wide = CONFIDENCES[0]
    for name, pair in product(("execute-first", "query-then-execute", "workload-aware"), CONFIDENCES[1:]):
        one, other = (
            (algorithm(each, confidences=wide), algorithm(each, confidences=pair)) for each in ("until-confident", name)
        )
        yield rises_less("task_cost", one, other)


def _pair(**at: Any) -> Iterator[Comparison]:
    """Graph with workload-aware is behind no other selector nor algorithm, in timesteps or Task Cost."""
    for metric in ("timesteps", "task_cost"):
        for name in SELECTORS:
            if name != "graph":
                yield not_higher(metric, selector("graph", **at), selector(name, **at))
        for name in EVERY:
            if name != "workload-aware":
                yield not_higher(metric, algorithm("workload-aware", **at), algorithm(name, **at))


def _false_positives(results: Results) -> Iterator[Comparison]:
    for size in MODULES:
        yield lower("questions", selector("graph", modules=size), selector("brute-force", modules=size))


def _visuo_haptic(results: Results) -> Iterator[Comparison]:
    yield from _pair(structure=Structure.OR_THEN_AND, query_cost=0.16)


def _swarm_algorithms(results: Results) -> Iterator[Comparison]:
    """With confidence, which is recommended for the swarm, and with graph, which the ablations use."""
    good = CONFIDENT if replica(results) else ("workload-aware",)
    for with_selector, metric, one, other in product(("confidence", "graph"), OUTCOME, good, ALTERNATING):
        places = (_in_swarm(with_selector, each, f"{each} with {with_selector}") for each in (one, other))
        yield not_higher(metric, *places)


def _swarm_selector(results: Results) -> Iterator[Comparison]:
    others = ("never", "topo", "binary-tree", "graph", *(("brute-force",) if replica(results) else ()))
    for metric, other in product(OUTCOME, others):
        yield not_higher(metric, *(_in_swarm(each, "workload-aware", each) for each in ("confidence", other)))


def _in_swarm(what: str, when: str, name: str) -> Place:
    return Place(f"{what}+{when}", name, (("structure", Structure.OR), ("modules", 100)))


def _too_slow(what: str) -> Callable[[Results], str]:
    """What handup's world leaves out of the swarm."""
    text = f"; {what} is not among them, for the exact chance of success of 100 such modules takes too long here"
    return lambda results: "" if replica(results) else text


def _time_varying(results: Results) -> Finding:
    return Finding(
        Verdict.OPEN, (), "No cell has costs that change with time, so that this study cannot show a difference."
    )


CLAIMS = (
    Claim(
        "best selectors in any structure",
        "Fig. 4a",
        f"Brute-force, graph and confidence are the selectors most robust to structure ({READ}).",
        _robust(
            selector,
            BEST,
            SELECTORS,
            "structure",
            STRUCTURES,
            why.BRUTE_FORCE,
            why.BRUTE_FORCE_ELSEWHERE,
            why.ALL_THAT_ASK,
        ),
    ),
    Claim(
        "best selectors at any confidences",
        "Fig. 4a",
        f"Brute-force, graph and confidence are the selectors most robust to confidences ({READ}).",
        _robust(selector, BEST, SELECTORS, "confidences", CONFIDENCES, why.BRUTE_FORCE, why.ALL_THAT_ASK),
    ),
    Claim(
        "best selectors at any cost",
        "Fig. 4a",
        f"Brute-force, graph and confidence are the selectors most robust to what a question costs ({READ}).",
        _robust(selector, BEST, SELECTORS, "query_cost", QUERY_COSTS, why.BRUTE_FORCE, why.ALL_THAT_ASK),
    ),
    Claim(
        "most scalable selectors",
        "Fig. 4a",
        "Brute-force and confidence scale best (read: topo, binary-tree and graph need more computation at N of 50 and "
        "more).",
        TimeJudge(_scalable, (why.EVERY_STEP, why.ONE_SORT)),
        about_code=True,
    ),
    Claim(
        "best algorithms in any structure",
        "Fig. 4a",
        f"Until-confident and workload-aware are the algorithms most robust to structure ({READ}).",
        _robust(
            algorithm,
            CONFIDENT,
            ALGORITHMS,
            "structure",
            STRUCTURES,
            structure.WORKLOAD_AWARE_ASKS_ON,
            structure.EMPTY_SUM,
        ),
    ),
    Claim(
        "best algorithms at any cost",
        "Fig. 4a",
        f"Until-confident and workload-aware are the algorithms most robust to what a question costs ({READ}).",
        _robust(
            algorithm, CONFIDENT, ALGORITHMS, "query_cost", QUERY_COSTS, why.ASKED_BEFORE_ACTING, why.BASELINE_ASKS_MORE
        ),
    ),
    Claim(
        "most scalable algorithm",
        "Fig. 4a",
        "Until-confident scales best (read: the paper's other three need more computation at N of 50 and more).",
        TimeJudge(_scalable_algorithm),
        about_code=True,
    ),
    Claim(
        "steadiest algorithm at any confidences",
        "Fig. 4a",
        "Until-confident is the algorithm most robust to confidences (read: its Task Cost rises less from (1, 0.1) to "
        "each closer pair than that of the paper's other three).",
        Judge(
            _steadiest,
            (why.STOPS_ASKING, why.LAST_ANSWER_TOO_LATE, why.TIME_ON_QUESTIONS),
        ),
    ),
    Claim(
        "graph outperforms confidence",
        "Fig. 4b, section 7",
        "Where costs differ, graph has a lower Task Cost than confidence (read: for β of 0.2 and more, in at least "
        "three quarters of the cells).",
        Judge(
            lambda results: heterogeneity.better("task_cost"),
            (costs.SAME_WHEN_APART, costs.HARDLY_MORE),
            share=GENERALLY,
        ),
    ),
    Claim(
        "the more so when confidences overlap and costs differ much",
        "Fig. 4b, section 7",
        "The lead of graph is greatest when confidences lie close together and costs differ much (read: greater at "
        "(0.7, 0.4) and (0.6, 0.5) than at (1, 0.1), and there greater at β = 0.6 than at 0).",
        Judge(
            lambda results: (*heterogeneity.more_when_close(results), *heterogeneity.more_when_uneven(results)),
            (costs.STOPS_TOO_SOON, costs.RUNS_OUT_OF_TIME),
        ),
    ),
    Claim(
        "the pair for feeding",
        "section 8",
        "Graph with workload-aware does best in timesteps and Task Cost in the setting closest to feeding, which is "
        "the base cell (read: no other selector or algorithm has less of either).",
        Judge(lambda results: _pair(), (why.THREE_THEN_ACT,)),
    ),
    Claim(
        "graph and brute-force are level",
        "footnote 3",
        "Graph and brute-force are equally good in that setting (read: alike in Task Cost, Query Cost, failed attempts "
        "and timesteps).",
        Judge(
            lambda results: (
                same(metric, selector("graph"), selector("brute-force")) for metric in (*OUTCOME, "query_cost")
            ),
            (
                why.BRUTE_FORCE,
                costs.BOTH_ASK_THREE,
            ),
        ),
    ),
    Claim(
        "brute-force asks needlessly",
        "footnote 3",
        "With confidences that are nearly all or nothing, brute-force asks about modules that need no help (seen on "
        "the robot; read: at (1, 0.1) it asks more questions than graph, at every N).",
        Judge(
            _false_positives,
            (
                why.BRUTE_FORCE,
                costs.NOT_THE_ROBOT,
            ),
        ),
    ),
    Claim(
        "workload-aware for changing workload",
        "footnote 3",
        "Workload-aware copes better than until-confident with workload that changes with time.",
        _time_varying,
    ),
    Claim(
        "same pair for visuo-haptic feeding",
        "section 9",
        "For visuo-haptic feeding, or-then-and with cheap questions (q = 0.16), graph with workload-aware is best too "
        "(read: no other selector or algorithm has a lower Task Cost or fewer timesteps).",
        Judge(_visuo_haptic, (why.THREE_THEN_ACT,)),
    ),
    Claim(
        "confidence for a swarm",
        "section 9",
        "For a swarm, all-or with N = 100, confidence is the selector to use (read: no other has a lower Task Cost or "
        "fewer failed attempts or timesteps; that it computes least is a claim of section 6.1).",
        Judge(_swarm_selector, (why.ALL_THAT_ASK,), caveat=_too_slow("brute-force")),
    ),
    Claim(
        "confident variants for a swarm",
        "section 9",
        "For a swarm, all-or with N = 100, either confident variant is the algorithm to use (read: neither "
        "execute-first nor query-then-execute has a lower Task Cost or fewer failed attempts or timesteps, "
        "with confidence or graph).",
        Judge(_swarm_algorithms, (structure.SWARM,), caveat=_too_slow("until-confident")),
    ),
)
