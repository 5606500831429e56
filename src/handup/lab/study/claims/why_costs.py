"""Why the claims about costs and about the expert hold or not."""

from __future__ import annotations

from handup.lab.study.claims.comparing import Outcome, mean_of
from handup.lab.study.claims.covering import (
    A_BIT,
    asks_alike,
    asks_nothing,
    at,
    either,
    every,
    first_has,
    first_is,
    first_less,
    first_more,
    has,
    in_metric,
    level,
    one_asks_nothing,
    second_is,
)
from handup.lab.study.claims.places import ALTERNATING, CONFIDENT
from handup.lab.study.claims.why import CLOSEST, OURS, THEIRS, fails, holds
from handup.lab.study.results import Results

DEAR = 0.64

PRICE = fails(
    "Query Cost is the number of questions times their cost, and as many are asked at every cost",
    every(in_metric("query_cost"), asks_alike),
)
PAID_FOR = holds("about as many questions are asked at every cost, and each is paid for", first_less("query_cost"))
SAME_AT_ANY_COST = holds(
    "an answer about a low module gains 0.9, more than any of these costs, and one about another module nothing, so "
    "that the same is asked at every cost",
    asks_alike,
)
TOO_DEAR = fails(
    "at q = 0.64 the three questions cost more than success is worth by binary-tree's objective, so that it asks "
    "nothing and fails to the end",
    every(at("query_cost", DEAR), one_asks_nothing("binary-tree")),
    OURS,
)
NEITHER_ASKS = fails(
    "neither asks anything there, and a policy with wrong modules that are left alone fails; a success "
    "rate of 0 would fit",
    every(asks_nothing(), has("task_cost", 0.9, 1.0)),
)
GAIN_TOO_SMALL = holds(
    "at (0.7, 0.4) a gain of 0.6 does not cover a cost of 0.64, so that workload-aware asks nothing and fails to the "
    "end, which is more than slightly",
    every(at("confidences", CLOSEST), first_less("task_cost")),
)
WORKLOAD_AWARE_STOPS = fails(
    "it is workload-aware that asks nothing, for a gain of 0.6 does not cover a cost of 0.64, and the others ask "
    "whatever it costs",
    either(asks_nothing("workload-aware"), first_has("questions", 3.0, 20.0)),
)

NOT_WORTH_IT = holds(
    "at c_e = 0.4 an answer gains 0.3 at most, less than the 0.32 that it costs, so that workload-aware asks nothing",
    every(at("expert", 0.4), either(asks_nothing(), one_asks_nothing("workload-aware"))),
)
NOT_WORTH_ASKING = fails(
    "at c_e = 0.4 an answer gains 0.3 at most, less than the 0.32 that it costs, so that nothing is asked under "
    "workload-aware",
    every(
        at("expert", 0.4),
        either(asks_nothing(), has("questions", 0.0, A_BIT, "workload-aware"), first_more("questions", 1.0)),
    ),
)
HARDLY_ASKS = fails(
    "a selector that hardly asks fails nearly always, however reliable the expert",
    every(first_has("questions", 0.0, 1.0), first_has("task_cost", 0.95, 1.0)),
)
NO_MORE_AT_06 = fails(
    "at c_e = 0.6 no more is asked than of a reliable expert, for workload-aware stops when the module that is offered "
    "has nothing to gain",
    every(at("expert", 0.6), either(asks_alike, first_more("questions"))),
)
GRAPH_IS_STUCK = fails(
    "at c_e = 0.6 the reference code's graph offers the module that was just answered again, which ends "
    "workload-aware's questions after one",
    every(at("expert", 0.6), has("questions", 0.9, 1.1, "graph")),
    THEIRS,
)
ONLY_SO_OFTEN = holds(
    "an answer puts a module right only with probability c_e, and may spoil one that was right",
    every(first_less("task_cost"), has("questions", A_BIT, 200.0)),
)
TAKEN_FOR_RIGHT = fails(
    "at c_e = 0.8 workload-aware takes every answer for right and repeats the failing act to the end, where the others "
    "ask more",
    every(at("expert", 0.8), first_is("workload-aware"), first_less("questions")),
)
NEVER_SURE = holds(
    "until-confident's own estimate of success does not pass 0.5, so that it asks about all that it can before it acts",
    has("questions", 9.5, 20.0, "until-confident"),
)
NO_GAIN = holds(
    "workload-aware stops when c_e - c of the module that is offered no longer covers the cost, at c_e = 0.4 before "
    "the first question",
    every(first_is("workload-aware"), first_less("questions")),
)
ASKS_THE_SOUND_TOO = fails(
    "with an unreliable expert until-confident asks about every module before it acts, and so spoils "
    "some that were right",
    every(first_is("until-confident"), first_has("questions", 9.5, 20.0), first_more("task_cost")),
    OURS,
)
ACT_IN_BETWEEN = holds(
    "they ask on after a failure, as workload-aware does not, and act in between, as until-confident does not",
    every(first_is(*ALTERNATING), second_is(*CONFIDENT), first_less("task_cost")),
    OURS,
)
ALL_FAIL = fails(
    "all fail nearly always there, for the reference code's graph asks about the first module again and again",
    has("task_cost", 0.95, 1.0),
    THEIRS,
)


def _of(results: Results, outcome: Outcome, metric: str) -> tuple[float, float]:
    """Means of graph and of confidence at the closest confidences and the most uneven costs of a comparison."""

    def mean(name: str) -> float:
        places = [place for place in outcome.places if place.name == name]
        cells = [(place.cell(results.base), place) for place in places]
        return mean_of(results, metric, min(cells, key=lambda each: (each[0].confidences[0], -each[0].beta))[1])

    return mean("graph"), mean("confidence")


def _stops(results: Results, outcome: Outcome) -> bool:
    """Confidence asks less than graph, or acts and fails more often."""
    (graph, confidence), failed = _of(results, outcome, "questions"), _of(results, outcome, "failed_attempts")
    return confidence < graph - A_BIT or failed[1] > failed[0] + 1.0


def _asks_again(results: Results, outcome: Outcome) -> bool:
    """Confidence asks more than graph and yet gets nowhere to act."""
    (graph, confidence), failed = _of(results, outcome, "questions"), _of(results, outcome, "failed_attempts")
    return confidence > graph + A_BIT and failed[1] <= A_BIT


STOPS_EARLY = (
    "confidence offers the least confident module whatever its question costs, and workload-aware stops at the first "
    "that is not worth it though others are"
)
ASKS_UPSTREAM_LAST = (
    "in the reference code a question erases the answers downstream of it, and confidence, which asks in any order, "
    "has to ask again and runs out of time"
)
SAME_WHEN_APART = fails(
    "both ask the same questions where confidences lie far apart or costs differ little; the lead is where confidences "
    "lie close together",
    every(level, asks_alike),
)
HARDLY_MORE = fails(
    "at (0.8, 0.3) few high modules are cheap enough to be asked about besides",
    every(level, at("confidences", (0.8, 0.3))),
)
STOPS_TOO_SOON = holds(STOPS_EARLY, _stops)
RUNS_OUT_OF_TIME = holds(ASKS_UPSTREAM_LAST, _asks_again, THEIRS)
PASSES_OVER = holds(
    "graph passes over modules that are not worth their question, so that it pays less for each that it asks",
    first_less("overpaid"),
)
ALL_WORTH_ASKING = holds(
    "graph asks about every module that is worth its question, among them those that confidence asks about first",
    either(asks_alike, _stops),
)
BOTH_ASK_THREE = holds("both ask about the three low modules before they act", asks_alike)
NOT_THE_ROBOT = fails(
    "both ask about the same low modules only; the robot's own scores, where this was seen, are not simulated",
    asks_alike,
    THEIRS,
)
