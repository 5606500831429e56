"""Why the claims about confidences hold or not."""

from __future__ import annotations

from handup.lab.study.claims.places import algorithm, selector
from handup.lab.study.claims.why import (
    CLOSEST,
    EARLY,
    ERASED,
    OURS,
    STUCK,
    THEIRS,
    alike,
    between,
    both,
    fails,
    holds,
    less,
)

SAME_AT_ALL_LEVELS = alike("questions", algorithm("workload-aware"), algorithm("workload-aware", confidences=CLOSEST))

FROM_THE_START = fails(
    "methods that hardly ask fail nearly always from the start, and at every level the three low modules and no others "
    "are worth a question",
    both(SAME_AT_ALL_LEVELS, STUCK),
)
NO_WORSE = fails("methods that hardly ask fail nearly always from the start and cannot do much worse", STUCK)
NO_OTHERS_WORTH_IT = fails(
    "at every level the three low modules and no others are worth their question to workload-aware", SAME_AT_ALL_LEVELS
)
SAME_THREE_QUESTIONS = fails(
    "workload-aware asks the same three questions at every level",
    both(SAME_AT_ALL_LEVELS, between("task_cost", algorithm("query-then-execute", confidences=CLOSEST), 0.1, 1.0)),
)
ASKS_AND_RECOVERS = fails(
    "workload-aware asks the same three questions at every level, and query-then-execute recovers all the same by "
    "asking on after each failure",
    both(SAME_AT_ALL_LEVELS, between("task_cost", algorithm("query-then-execute", confidences=CLOSEST), 0.0, 0.02)),
)
MORE_TO_BE_SURE = fails(
    "until-confident needs more answers before success is likely enough, and so more steps",
    less("questions", algorithm("until-confident"), algorithm("until-confident", confidences=CLOSEST)),
)
SIX_OTHERS = fails(
    "once the three low modules are answered, the six others all work in 0.7^6 = 0.12 of the episodes, so that Task "
    "Cost stays below 1",
    between("task_cost", selector("graph", confidences=CLOSEST), 0.8, 0.95),
    THEIRS,
)
RARELY_ALL_WORK = holds("this selector asks nothing, and in all-and it is rare that all modules work", STUCK)
UNASKED = holds(
    "the high modules, which are left unasked, are wrong more often, and the failing act is repeated "
    "until the time is up",
    less("task_cost", selector("graph"), selector("graph", confidences=CLOSEST)),
)
ASK_ON = holds(
    "more modules are wrong, and all but workload-aware go on asking until the last of them is found",
    both(
        SAME_AT_ALL_LEVELS,
        less("questions", algorithm("execute-first"), algorithm("execute-first", confidences=CLOSEST)),
    ),
)
STOPS = fails(
    "workload-aware stops after the three low modules, where no gain covers its cost any more, and the others go on "
    "asking after each failure",
    less(
        "questions",
        algorithm("workload-aware", confidences=CLOSEST),
        algorithm("query-then-execute", confidences=CLOSEST),
    ),
)
MORE_ARE_WRONG = holds(
    "more modules are wrong, and acts fail until the last of them is answered",
    less(
        "failed_attempts",
        algorithm("query-then-execute"),
        algorithm("query-then-execute", confidences=CLOSEST),
    ),
)
SEVERAL_FIRST = holds("until-confident asks several questions before an act, the others one at most", EARLY)
OUT_OF_TIME = holds(
    "workload-aware leaves wrong modules unasked, and the others run out of time, for in the reference code a question "
    "erases the answers downstream of it",
    both(ERASED, between("task_cost", algorithm("workload-aware", confidences=CLOSEST), 0.5, 1.0)),
    THEIRS,
)
ALWAYS_RECOVER = fails(
    "answers stay valid here, so that query-then-execute and until-confident always recover by asking on",
    both(
        *(
            between("task_cost", algorithm(n, confidences=CLOSEST), 0.0, 0.02)
            for n in ("query-then-execute", "until-confident")
        )
    ),
    OURS,
)
