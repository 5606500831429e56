"""What the paper says of selectors and the structure of the policy: section 6.2, appendix F.3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from handup.lab.cell import Structure
from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims import why_structure as here
from handup.lab.study.claims.comparing import MARGIN, Comparison, lower, near, not_higher, same
from handup.lab.study.claims.judging import GENERALLY, Judge
from handup.lab.study.claims.patterns import Make, below, descending, slowest, slowing, unbeaten, unchanged
from handup.lab.study.claims.places import (
    ASKING,
    BEST,
    NOT_ALL_OR,
    SELECTORS,
    STRUCTURES,
    selector,
)
from handup.lab.study.claims.timing import TimeJudge
from handup.lab.study.results import Results

EFFORT = ("failed_attempts", "timesteps")
OUTCOME = ("task_cost", *EFFORT)
CLOSER = (0.9, 0.2)
BUT_NEVER = tuple(name for name in SELECTORS if name != "never")
OR_ONLY = (Structure.OR,)


def lower_in_or(make: Make, names: tuple[str, ...], metrics: tuple[str, ...], **at: Any) -> Iterator[Comparison]:
    """Each metric of each method is lower in all-or than in each other structure."""
    for metric, name, structure in product(metrics, names, NOT_ALL_OR):
        yield lower(metric, make(name, structure=Structure.OR, **at), make(name, structure=structure, **at))


def _same_ranking(results: Results) -> Iterator[Comparison]:
    """Whoever is ahead in all-and is not behind elsewhere; whoever is level there is level elsewhere."""
    for one, other in combinations(SELECTORS, 2):
        if not all(selector(name, structure=Structure.AND).known(results) for name in (one, other)):
            continue
        ahead = results.difference("failed_attempts", *(f"{name}+workload-aware" for name in (one, other))).mean
        for structure in (Structure.OR_THEN_AND, Structure.AND_THEN_OR):
            first, second = (selector(name, structure=structure) for name in (one, other))
            if abs(ahead) < MARGIN:
                yield same("failed_attempts", first, second)
            else:
                yield not_higher("failed_attempts", *((first, second) if ahead < 0.0 else (second, first)))


def _only_in_or(results: Results) -> Iterator[Comparison]:
    for name, structure in product(("never", "binary-tree"), STRUCTURES):
        place = selector(name, structure=structure, confidences=CLOSER)
        yield near("task_cost", place, 0.0 if structure is Structure.OR else 1.0)


CLAIMS = (
    Claim(
        "selectors do better in all-or",
        "section 6.2",
        "Every selector has a lower Task Cost and fewer failed attempts and timesteps in the all-or structure than in "
        "each other one.",
        Judge(lambda results: lower_in_or(selector, SELECTORS, OUTCOME), (here.SAME_THREE_EVERYWHERE,)),
    ),
    Claim(
        "Query Cost does not notice structure",
        "section 6.2, appendix F.3.1",
        "The Query Cost of every selector is the same in every structure.",
        Judge(
            lambda results: unchanged(results, ("query_cost",), selector, SELECTORS, "structure", STRUCTURES),
            (
                here.MODULE_BY_MODULE,
                here.SOMETIMES_WORTH_IT,
            ),
        ),
    ),
    Claim(
        "all-or needs no help",
        "section 6.2",
        "In all-or, never and topo do well in failed attempts and timesteps (read: no selector that asks by "
        "confidence has fewer).",
        Judge(
            lambda results: unbeaten(EFFORT, selector, ("never", "topo"), ASKING, "structure", OR_ONLY),
            (here.LAST_MODULE,),
        ),
    ),
    Claim(
        "ranking of selectors stays",
        "section 6.2",
        "Selectors rank alike in the other three structures (read: by failed attempts, the metric of Fig. 4a; those "
        "apart in all-and are not turned round elsewhere, those level there are level elsewhere).",
        Judge(
            _same_ranking,
            (here.SOMETIMES_WORTH_IT, here.SAME_ORDER),
        ),
    ),
    Claim(
        "graph is competitive in every structure",
        "section 6.2",
        "Graph keeps up with the other selectors in every structure, whether or not its objective fits it (read: none "
        "has a lower Task Cost or fewer failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(OUTCOME, selector, ("graph",), SELECTORS, "structure", STRUCTURES),
            (here.GRAPH_ANYWHERE,),
        ),
    ),
    Claim(
        "elsewhere all-or costs fewer questions",
        "appendix F.3.1",
        "In other settings, selectors generally have a lower Query Cost in all-or (read: at (0.9, 0.2), in at least "
        "three quarters of the comparisons).",
        Judge(
            lambda results: lower_in_or(selector, BUT_NEVER, ("query_cost",), confidences=CLOSER),
            (here.SAME_IN_ALL, here.SOMETIMES_WORTH_IT),
            share=GENERALLY,
        ),
    ),
    Claim(
        "or-then-and costs more questions than and-then-or",
        "appendix F.3.1",
        "In other settings, or-then-and has a slightly higher Query Cost than and-then-or (read: at (0.9, 0.2), in at "
        "least three quarters of the selectors that ask).",
        Judge(
            lambda results: (
                lower(
                    "query_cost",
                    selector(name, structure=Structure.AND_THEN_OR, confidences=CLOSER),
                    selector(name, structure=Structure.OR_THEN_AND, confidences=CLOSER),
                )
                for name in BUT_NEVER
            ),
            (here.SAME_IN_ALL, here.SOMETIMES_WORTH_IT),
            share=GENERALLY,
        ),
    ),
    Claim(
        "failed attempts do not notice structure",
        "appendix F.3.1",
        "The failed attempts of every selector but never are the same in every structure.",
        Judge(
            lambda results: unchanged(results, ("failed_attempts",), selector, BUT_NEVER, "structure", STRUCTURES),
            (here.TOPO_HARDLY_ASKS, here.BRUTE_FORCE_HARDLY_ASKS),
        ),
    ),
    Claim(
        "elsewhere all-or fails less",
        "appendix F.3.1",
        "In other settings, selectors have fewer failed attempts in all-or (read: at (0.9, 0.2)).",
        Judge(
            lambda results: lower_in_or(selector, SELECTORS, ("failed_attempts",), confidences=CLOSER),
            (here.REDUNDANCY_SAVES,),
        ),
    ),
    Claim(
        "order of selectors by failed attempts",
        "appendix F.3.1",
        "In any structure never fails most often, then binary-tree, brute-force and graph (a rough order; read: in "
        "other settings, at (0.9, 0.2), in at least three quarters of the comparisons).",
        Judge(
            lambda results: descending(
                "failed_attempts",
                selector,
                (("never",), ("binary-tree",), ("brute-force",), ("graph",)),
                "structure",
                STRUCTURES,
                confidences=CLOSER,
            ),
            (
                why.NO_SET_WORTH_IT,
                why.ALL_SUFFER_ALIKE,
            ),
            share=GENERALLY,
        ),
    ),
    Claim(
        "selectors compute less in all-or",
        "appendix F.3.1",
        "Selectors need less computation in all-or.",
        TimeJudge(lambda results: slowing(selector, SELECTORS, "structure", Structure.OR, NOT_ALL_OR)),
        about_code=True,
    ),
    Claim(
        "graph computes longest",
        "appendix F.3.1",
        "Graph needs more computation than the other selectors in any structure (tends to; read: in at least three "
        "quarters of the comparisons).",
        TimeJudge(
            lambda results: slowest(
                selector, "graph", [name for name in SELECTORS if name != "graph"], "structure", STRUCTURES
            ),
            (why.ONE_PASS,),
            share=GENERALLY,
        ),
        about_code=True,
    ),
    Claim(
        "Task Cost does not notice structure",
        "appendix F.3.1",
        "The Task Cost of every selector but never is the same in every structure.",
        Judge(
            lambda results: unchanged(results, ("task_cost",), selector, BUT_NEVER, "structure", STRUCTURES),
            (here.TOPO_HARDLY_ASKS, here.BRUTE_FORCE_HARDLY_ASKS),
        ),
    ),
    Claim(
        "never and binary-tree succeed only in all-or",
        "appendix F.3.1",
        "In other settings, never and binary-tree always recover in all-or and in no other structure (read: at "
        "(0.9, 0.2)).",
        Judge(
            _only_in_or,
            (here.LAST_MODULE, here.BINARY_TREE_ASKS),
        ),
    ),
    Claim(
        "timesteps do not notice structure",
        "appendix F.3.1",
        "The timesteps of every selector but never are the same in every structure.",
        Judge(
            lambda results: unchanged(results, ("timesteps",), selector, BUT_NEVER, "structure", STRUCTURES),
            (here.TOPO_HARDLY_ASKS, here.BRUTE_FORCE_HARDLY_ASKS),
        ),
    ),
    Claim(
        "binary-tree takes slightly longer",
        "appendix F.3.1",
        "Binary-tree takes more timesteps than graph, brute-force and confidence in every structure.",
        Judge(
            lambda results: below(("timesteps",), selector, BEST, ("binary-tree",), "structure", STRUCTURES),
            (why.SAME_QUESTIONS, why.BRUTE_FORCE, why.BRUTE_FORCE_ELSEWHERE),
        ),
    ),
    Claim(
        "recommended selectors in every structure",
        "appendix F.3",
        "Brute-force, graph and confidence are best in every structure (read: no other has a lower Task Cost or fewer "
        "failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(OUTCOME, selector, BEST, SELECTORS, "structure", STRUCTURES),
            (why.BRUTE_FORCE, why.BRUTE_FORCE_ELSEWHERE, why.ALL_THAT_ASK),
        ),
    ),
)
