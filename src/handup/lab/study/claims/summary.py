"""The headline claims: the caption of Fig. 4, the choice of section 8 with footnote 3, the examples of section 9."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    BASELINE,
    BEST,
    CONFIDENCES,
    CONFIDENT,
    MODULES,
    QUERY_COSTS,
    SELECTORS,
    STRUCTURES,
    algorithm,
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


def _chosen(results: Results) -> Iterator[Comparison]:
    for metric in ("timesteps", "task_cost"):
        for name in SELECTORS:
            if name != "graph":
                yield not_higher(metric, selector("graph"), selector(name))
        for name in EVERY:
            if name != "workload-aware":
                yield not_higher(metric, algorithm("workload-aware"), algorithm(name))


def _false_positives(results: Results) -> Iterator[Comparison]:
    for size in MODULES:
        yield lower("questions", selector("graph", modules=size), selector("brute-force", modules=size))


def _visuo_haptic(results: Results) -> Iterator[Comparison]:
    for settings in ({"structure": Structure.OR_THEN_AND}, {"query_cost": 0.16}):
        for metric, name in product(("timesteps", "task_cost"), SELECTORS):
            if name != "graph":
                yield not_higher(metric, selector("graph", **settings), selector(name, **settings))
        for metric, name in product(("timesteps", "task_cost"), EVERY):
            if name != "workload-aware":
                yield not_higher(metric, algorithm("workload-aware", **settings), algorithm(name, **settings))


def _swarm(results: Results) -> Iterator[Comparison]:
    for metric, name in product(OUTCOME, EVERY):
        for good in CONFIDENT:
            if name != good:
                places = (algorithm(each, structure=Structure.OR) for each in (good, name))
                yield not_higher(metric, *places)


def _time_varying(results: Results) -> Finding:
    return Finding(
        Verdict.OPEN, (), "No cell has costs that change with time, so that this study cannot show a difference."
    )


CLAIMS = (
    Claim(
        "best selectors in any structure",
        "Fig. 4a",
        f"Brute-force, graph and confidence are the selectors most robust to structure ({READ}).",
        _robust(selector, BEST, SELECTORS, "structure", STRUCTURES, why.BRUTE_FORCE, why.ALL_THAT_ASK),
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
        TimeJudge(_scalable, (why.EVERY_STEP,)),
        about_code=True,
    ),
    Claim(
        "best algorithms in any structure",
        "Fig. 4a",
        f"Until-confident and workload-aware are the algorithms most robust to structure ({READ}).",
        _robust(
            algorithm, CONFIDENT, EVERY, "structure", STRUCTURES, structure.WORKLOAD_AWARE_ASKS_ON, structure.EMPTY_SUM
        ),
    ),
    Claim(
        "best algorithms at any cost",
        "Fig. 4a",
        f"Until-confident and workload-aware are the algorithms most robust to what a question costs ({READ}).",
        _robust(algorithm, CONFIDENT, EVERY, "query_cost", QUERY_COSTS, why.ASKED_BEFORE_ACTING),
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
            (
                why.ANSWERS_STAY,
                why.TIME_ON_QUESTIONS,
            ),
        ),
    ),
    Claim(
        "graph outperforms confidence",
        "Fig. 4b, section 7",
        "Where costs differ, graph has a lower Task Cost than confidence (read: for β of 0.2 and more, in at least "
        "three quarters of the cells).",
        Judge(lambda results: heterogeneity.better("task_cost"), (costs.SAME_WHEN_APART,), share=GENERALLY),
    ),
    Claim(
        "the more so when confidences overlap and costs differ much",
        "Fig. 4b, section 7",
        "The lead of graph is greatest when confidences lie close together and costs differ much (read: greater at "
        "(0.7, 0.4) and (0.6, 0.5) than at (1, 0.1), and there greater at β = 0.6 than at 0).",
        Judge(
            lambda results: (*heterogeneity.more_when_close(results), *heterogeneity.more_when_uneven(results)),
            (
                costs.EVERY_QUESTION_WORTH_IT,
                costs.STOPS_TOO_SOON,
            ),
        ),
    ),
    Claim(
        "the pair for feeding",
        "section 8",
        "Graph with workload-aware does best in timesteps and Task Cost in the setting closest to feeding, which is "
        "the base cell (read: no other selector or algorithm has less of either).",
        Judge(_chosen, (why.NEEDED_AND_NO_MORE,)),
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
        "For or-then-and and cheap questions (q = 0.16) graph with workload-aware is best too (read: in each of the "
        "two settings alone no other selector or algorithm has a lower Task Cost or fewer timesteps).",
        Judge(_visuo_haptic, (why.NEEDED_AND_NO_MORE,)),
    ),
    Claim(
        "confident variants for a swarm",
        "section 9",
        "For a swarm, all-or, either confident variant is the algorithm to use (read: no other has a lower Task Cost "
        "or fewer failed attempts or timesteps, at N = 10).",
        Judge(_swarm, (structure.WORKLOAD_AWARE_ASKS_ON,)),
    ),
)
