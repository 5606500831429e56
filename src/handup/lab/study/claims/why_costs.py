"""Why the claims about costs and about the expert hold or not."""

from __future__ import annotations

from handup.lab.study.claims.places import CONFIDENT, OVERLAPPING, algorithm, selector
from handup.lab.study.claims.why import A_BIT, CLOSEST, OURS, THEIRS, alike, between, both, fails, holds, less

CHEAP, DEAR = 0.08, 0.64
SAME_QUESTIONS_ASKED = alike("questions", selector("graph", query_cost=CHEAP), selector("graph", query_cost=DEAR))

PRICE = fails(
    "Query Cost is the number of questions times their cost, and graph asks the same three at every cost",
    SAME_QUESTIONS_ASKED,
)
PAID_FOR = holds("the same questions are asked at every cost, and each is paid for", SAME_QUESTIONS_ASKED)
SAME_AT_ANY_COST = holds(
    "an answer about a low module gains 0.9, more than any of these costs, so that graph asks the same questions",
    SAME_QUESTIONS_ASKED,
)
TOO_DEAR = fails(
    "brute-force asks nothing at any cost, and binary-tree nothing at 0.64, where the three questions cost more than "
    "success is worth by its objective",
    both(*(between("questions", selector(n, query_cost=DEAR), 0.0, 0.05) for n in ("brute-force", "binary-tree"))),
    OURS,
)
NEITHER_ASKS = fails(
    "neither asks anything there, and a policy with wrong modules that are left alone fails; a success "
    "rate of 0 would fit",
    both(
        *(
            between("task_cost", selector(n, query_cost=DEAR, confidences=CLOSEST), 0.9, 1.0)
            for n in ("never", "binary-tree")
        )
    ),
)
GAIN_TOO_SMALL = holds(
    "at (0.7, 0.4) a gain of 0.6 does not cover a cost of 0.64, so that workload-aware asks nothing and fails to the "
    "end, which is more than slightly",
    between("questions", algorithm("workload-aware", query_cost=DEAR, confidences=CLOSEST), 0.0, 0.05),
)
WORKLOAD_AWARE_STOPS = fails(
    "it is workload-aware that asks nothing, for a gain of 0.6 does not cover a cost of 0.64, and the others ask "
    "whatever it costs",
    between("questions", algorithm("workload-aware", query_cost=DEAR, confidences=CLOSEST), 0.0, 0.05),
)

NOT_WORTH_IT = holds(
    "an answer gains 0.3 at most, less than the 0.32 that it costs, so that workload-aware asks nothing",
    between("questions", selector("graph", expert=0.4), 0.0, 0.05),
)
HARDLY_ASKS = fails(
    "a selector that hardly asks fails nearly always, however reliable the expert",
    between("questions", selector("topo"), 0.0, 1.0),
)
ASKS_NO_MORE = fails(
    "at 0.4 no answer is worth its cost and nothing is asked, and at 0.6 no more is asked than of a reliable expert",
    both(
        between("questions", selector("graph", expert=0.4), 0.0, 0.05),
        between("questions", selector("confidence", expert=0.6), 0.0, 3.05),
    ),
)
ONLY_IF_ASKED_ON = fails(
    "workload-aware stops where a selector offers an answered module again, so that this shows only where an algorithm "
    "goes on asking, as until-confident does with 20 questions about 9 modules",
    between("questions", algorithm("until-confident", expert=0.6), 15.0, 20.0),
    THEIRS,
)
ENDS_ALIKE = fails(
    "with a reliable expert binary-tree asks the same three questions as graph, and at 0.4 neither asks anything",
    both(*(alike("questions", selector("binary-tree", expert=e), selector("graph", expert=e)) for e in (1.0, 0.4))),
    OURS,
)
GRAPH_IS_STUCK = fails(
    "at 0.6 the reference code's graph offers the module that was just answered again, which ends workload-aware's "
    "questions after one",
    both(
        between("questions", selector("graph", expert=0.6), 0.9, 1.1),
        less("questions", selector("graph", expert=0.6), selector("binary-tree", expert=0.6)),
    ),
    THEIRS,
)
ONLY_SO_OFTEN = holds(
    "an answer puts a module right only with probability c_e, and these algorithms learn nothing from the "
    "failures that follow",
    less("task_cost", algorithm("workload-aware"), algorithm("workload-aware", expert=0.8)),
)
TAKEN_FOR_RIGHT = fails(
    "at 0.8 workload-aware takes every answer for right and repeats the failing act to the end, where the alternating "
    "algorithms go on asking",
    less("failed_attempts", algorithm("query-then-execute", expert=0.8), algorithm("workload-aware", expert=0.8)),
)
NEVER_SURE = holds(
    "until-confident's own estimate of success does not pass 0.5, so that it asks about all that it can before it acts",
    between("questions", algorithm("until-confident", expert=0.4), 9.5, 20.0),
)
NO_GAIN = holds(
    "workload-aware stops when c_e - c no longer covers the cost, at 0.4 before the first question",
    between("questions", algorithm("workload-aware", expert=0.4), 0.0, 0.05),
)
ASKS_THE_SOUND_TOO = fails(
    "with an unreliable expert until-confident asks about every module before it acts, and so spoils "
    "some that were right",
    both(
        between("questions", algorithm("until-confident", expert=0.6), 9.5, 20.0),
        less("timesteps", algorithm("query-then-execute", expert=0.6), algorithm("until-confident", expert=0.6)),
    ),
    OURS,
)
ACT_IN_BETWEEN = holds(
    "they ask on after a failure, as workload-aware does not, and act in between, as until-confident does not",
    both(
        *(less("task_cost", algorithm("query-then-execute", expert=0.6), algorithm(n, expert=0.6)) for n in CONFIDENT)
    ),
    OURS,
)
ALL_FAIL = fails(
    "all fail nearly always there, for the reference code's graph asks about the first module again and again",
    between("task_cost", algorithm("query-then-execute", expert=0.6), 0.95, 1.0),
    THEIRS,
)

UNEVEN = 0.6
SAME_WHEN_APART = fails(
    "at (1, 0.1) and (0.9, 0.2) both ask about the same three low modules; the lead is where confidences lie close "
    "together",
    both(
        alike("task_cost", *(selector(n, confidences=(1.0, 0.1), beta=UNEVEN) for n in ("graph", "confidence"))),
        less("task_cost", *(selector(n, confidences=OVERLAPPING, beta=UNEVEN) for n in ("graph", "confidence"))),
    ),
)
EVERY_QUESTION_WORTH_IT = fails(
    "at (0.6, 0.5) and β = 0.2 every module is worth its question, so that both ask about all of them and recover",
    between("task_cost", selector("confidence", confidences=OVERLAPPING, beta=0.2), 0.0, A_BIT),
    OURS,
)
STOPS_TOO_SOON = holds(
    "confidence offers the least confident module whatever its question costs, and workload-aware stops at the first "
    "that is not worth it though others are",
    less("questions", *(selector(n, confidences=CLOSEST, beta=UNEVEN) for n in ("confidence", "graph"))),
)
PASSES_OVER = holds(
    "graph passes over modules that are not worth their question, so that it pays less for each that it asks",
    less("overpaid", *(selector(n, confidences=CLOSEST, beta=UNEVEN) for n in ("graph", "confidence"))),
)
ALL_WORTH_ASKING = holds(
    "graph asks about every module that is worth its question, among them those that confidence asks about first",
    alike("task_cost", *(selector(n, confidences=(1.0, 0.1), beta=UNEVEN) for n in ("graph", "confidence"))),
)
BOTH_ASK_THREE = holds(
    "both ask about the three low modules before they act",
    alike("questions", selector("graph"), selector("brute-force")),
)
NOT_THE_ROBOT = fails(
    "both ask about the three low modules only; the robot's own scores, where this was seen, are not simulated",
    alike("questions", selector("graph"), selector("brute-force")),
    THEIRS,
)
