"""Why the claims about confidences hold or not."""

from __future__ import annotations

from handup.lab.study.claims.covering import (
    A_BIT,
    asks_alike,
    asks_nothing,
    at,
    every,
    first_has,
    first_less,
    first_more,
    has,
    in_metric,
    of,
)
from handup.lab.study.claims.places import ALTERNATING, BASELINE
from handup.lab.study.claims.why import APART, CLOSEST, THEIRS, fails, holds

NO_WORSE = fails(
    "methods that hardly ask fail nearly always from the start and cannot do much worse",
    every(first_has("task_cost", 0.95, 1.0), first_has("questions", 0.0, 1.0)),
)
NO_OTHERS_WORTH_IT = fails(
    "at every level the low modules and no others are worth their question to workload-aware",
    every(in_metric("query_cost"), asks_alike),
)
SAME_THREE_QUESTIONS = fails(
    "workload-aware asks the same three questions at every level",
    every(of("workload-aware"), in_metric("query_cost"), asks_alike),
)
MORE_TO_BE_SURE = fails(
    "until-confident needs more answers before success is likely enough, and acts that fail come in between",
    every(of("until-confident"), in_metric("query_cost", "failed_attempts", "timesteps"), first_more("questions")),
)
MORE_THAN_TIME = fails(
    "as a question erases the answers downstream of it in the reference code, until-confident runs out of time at "
    "times",
    every(of("until-confident"), in_metric("task_cost")),
    THEIRS,
)
SIX_OTHERS = fails(
    "once the three low modules are answered, the six others all work in 0.7^6 = 0.12 of the episodes, so that Task "
    "Cost stays below 1",
    every(at("confidences", CLOSEST), has("task_cost", 0.8, 0.95)),
    THEIRS,
)
FAILS_FROM_THE_START = fails(
    "topo and brute-force, where they hardly ask, fail nearly always from the start",
    every(at("confidences", APART), has("task_cost", 0.95, 1.0)),
)
RARELY_ALL_WORK = holds("it asks nothing, and in all-and it is rare that all modules work", asks_nothing("never"))
UNASKED = holds(
    "the high modules, which are left unasked, are wrong more often, and the failing act is repeated "
    "until the time is up",
    every(first_less("task_cost"), asks_alike),
)
ASK_ON = holds(
    "more modules are wrong, and all but workload-aware go on asking until the last of them is found",
    first_less("questions"),
)
STOPS = fails(
    "workload-aware stops after the three low modules, where no gain covers its cost any more, and the others go on "
    "asking after each failure",
    every(of("workload-aware"), first_more("questions", A_BIT)),
)
MORE_ARE_WRONG = holds(
    "more modules are wrong, and acts fail until the last of them is answered",
    every(of(*ALTERNATING, "until-confident"), first_less("failed_attempts")),
)
SEVERAL_FIRST = holds(
    "until-confident asks several questions before an act, the others one at most", first_less("failed_attempts")
)
OUT_OF_TIME = holds(
    "the others run out of time, for in the reference code a question erases the answers downstream of it",
    of(*ALTERNATING, "until-confident", BASELINE),
    THEIRS,
)
