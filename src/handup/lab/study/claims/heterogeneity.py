"""What the paper says of questions that differ in cost: section 7, Fig. 4b, appendix G."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from handup.lab.study.claim import Claim
from handup.lab.study.claims import why_costs as here
from handup.lab.study.claims.comparing import Comparison, lower, not_higher, rises_less
from handup.lab.study.claims.judging import GENERALLY, Judge
from handup.lab.study.claims.places import BETAS, CONFIDENCES, OVERLAPPING, Place, selector
from handup.lab.study.results import Results

PAIRS = (*CONFIDENCES, OVERLAPPING)
APART, CLOSE = CONFIDENCES[0], (CONFIDENCES[-1], OVERLAPPING)
EVEN, UNEVEN = BETAS[0], BETAS[-1]


def _places(pair: tuple[float, float], beta: float) -> tuple[Place, Place]:
    graph, confidence = (selector(name, confidences=pair, beta=beta) for name in ("graph", "confidence"))
    return graph, confidence


def better(metric: str, pairs: tuple[tuple[float, float], ...] = PAIRS) -> Iterator[Comparison]:
    """Graph is below confidence wherever costs differ."""
    for pair, beta in product(pairs, BETAS[1:]):
        yield lower(metric, *_places(pair, beta))


def at_least_as_good(results: Results) -> Iterator[Comparison]:
    """Graph is nowhere above confidence by more than the margin."""
    for metric, pair, beta in product(("task_cost", "timesteps"), PAIRS, BETAS):
        yield not_higher(metric, *_places(pair, beta))


def more_when_close(results: Results) -> Iterator[Comparison]:
    """The lead of graph in Task Cost is greater at close pairs than at the widest."""
    for pair, beta in product(CLOSE, BETAS[1:]):
        (graph, confidence), (wide_graph, wide_confidence) = _places(pair, beta), _places(APART, beta)
        yield rises_less("task_cost", (wide_graph, graph), (wide_confidence, confidence))


def more_when_uneven(results: Results) -> Iterator[Comparison]:
    """The lead of graph in Task Cost is greater where costs differ most than where they are equal."""
    for pair in CLOSE:
        (graph, confidence), (even_graph, even_confidence) = _places(pair, UNEVEN), _places(pair, EVEN)
        yield rises_less("task_cost", (even_graph, graph), (even_confidence, confidence))


CLAIMS = (
    Claim(
        "graph is faster than confidence",
        "section 7",
        "Graph consistently takes fewer timesteps than confidence where costs differ (read: for β of 0.2 and more, in "
        "at least three quarters of the cells).",
        Judge(lambda results: better("timesteps"), (here.SAME_WHEN_APART, here.HARDLY_MORE), share=GENERALLY),
    ),
    Claim(
        "graph recovers more than confidence",
        "section 7",
        "Graph consistently has a lower Task Cost than confidence where costs differ (read: for β of 0.2 and more, in "
        "at least three quarters of the cells).",
        Judge(lambda results: better("task_cost"), (here.SAME_WHEN_APART, here.HARDLY_MORE), share=GENERALLY),
    ),
    Claim(
        "the more so when confidences overlap",
        "section 7, Fig. 4b",
        "The lead of graph in Task Cost is greater when confidences lie close together (read: at (0.7, 0.4) and "
        "(0.6, 0.5) than at (1, 0.1), for β of 0.2 and more).",
        Judge(
            more_when_close,
            (here.STOPS_TOO_SOON, here.RUNS_OUT_OF_TIME),
        ),
    ),
    Claim(
        "the more so when costs differ much",
        "section 7, Fig. 4b",
        "The lead of graph in Task Cost is greater when costs differ much (read: at β = 0.6 than at 0, at (0.7, 0.4) "
        "and (0.6, 0.5)).",
        Judge(more_when_uneven, (here.STOPS_TOO_SOON, here.RUNS_OUT_OF_TIME)),
    ),
    Claim(
        "confidence asks the dear questions",
        "section 7",
        "That is because confidence asks about modules of low confidence whatever it costs (read: it pays more per "
        "question than graph at β = 0.6 and close confidences).",
        Judge(lambda results: (lower("overpaid", *_places(pair, UNEVEN)) for pair in CLOSE), (here.PASSES_OVER,)),
    ),
    Claim(
        "graph is nowhere worse",
        "appendix G",
        "Graph does at least as well as confidence in every setting (read: in Task Cost and timesteps, up to the "
        "margin).",
        Judge(at_least_as_good, (here.ALL_WORTH_ASKING, here.RUNS_OUT_OF_TIME)),
    ),
)
