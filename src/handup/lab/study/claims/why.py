"""Why claims hold or not: mechanisms, each with the comparisons that it explains.

A text is the second half of a sentence whose first half tells how many comparisons agree. Where one mechanism does not
explain all comparisons that decide a verdict, two or three are given, or none.
"""

from __future__ import annotations

from handup.lab.cell import WorldKind
from handup.lab.study.claim import Verdict
from handup.lab.study.claims.covering import (
    A_BIT,
    Covers,
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
    of,
    second_is,
)
from handup.lab.study.claims.judging import Reason
from handup.lab.study.claims.places import ALTERNATING, BASELINE

OURS, THEIRS = WorldKind.DEFAULT, WorldKind.REPLICA
APART, CLOSER, CLOSEST = (1.0, 0.1), (0.9, 0.2), (0.7, 0.4)


def holds(text: str, covers: Covers, world: WorldKind | None = None) -> Reason:
    """Why something holds."""
    return Reason(text, Verdict.HOLDS, covers, world)


def fails(text: str, covers: Covers, world: WorldKind | None = None) -> Reason:
    """Why something does not hold."""
    return Reason(text, Verdict.FAILS, covers, world)


THE_THREE = has("questions", 2.8, 3.1)
RECOVER = has("task_cost", 0.0, A_BIT)

BRUTE_FORCE = fails(
    "with three modules likely to be wrong no single question is worth its cost to brute-force, by Eq. 4 with the "
    "exact chance of success, which one answer lifts from 0.001 to 0.01 at (1, 0.1), so that in all-and it asks "
    "nothing and repeats the failing act",
    asks_nothing("brute-force"),
    OURS,
)
BRUTE_FORCE_ELSEWHERE = fails(
    "where modules stand in for others brute-force finds a single question worth its cost now and then, and repeats "
    "the failing act otherwise",
    has("questions", A_BIT, 1.0, "brute-force"),
    OURS,
)
ALL_THAT_ASK = holds(
    "all selectors that ask about the three low modules do equally well, and never and topo, where they hardly ask, "
    "recover less often",
    either(asks_alike, every(second_is("never", "topo"), first_less("task_cost"))),
)
SAME_QUESTIONS = fails(
    "binary-tree asks about the same three low modules as the selectors beside it, so that they are level",
    every(of("binary-tree"), THE_THREE),
)
NO_SET_WORTH_IT = fails(
    "away from (1, 0.1) no set of questions is worth its cost by the product objective, so that binary-tree asks "
    "nothing there and fails like never",
    every(asks_nothing("binary-tree"), at("confidences", (0.9, 0.2), (0.8, 0.3), (0.7, 0.4))),
    OURS,
)
NONE_LEFT_AT_CLOSER = fails(
    "away from (1, 0.1) no set of questions is worth its cost by the product objective, so that binary-tree asks "
    "nothing any more",
    every(of("binary-tree"), first_more("questions", 1.0)),
    OURS,
)
TWO_MODULES = fails(
    "at N = 3 the replica, which counts the state as a module, has only two modules to ask about, so that two "
    "questions do",
    at("modules", 3),
    THEIRS,
)
TIME_IS_UP = fails(
    "at N = 3 the six steps are up when execute-first has its third answer and has not acted on it",
    every(of("execute-first"), at("modules", 3)),
    OURS,
)
REPEATS = holds(
    "a failed act teaches them nothing, and they repeat it until the 2N steps are up", has("questions", 0.0, 1.0)
)
NEVER_REPEATS = holds("without a question the failing act is repeated until the time is up", asks_nothing("never"))
IN_TIME = holds(
    "no more than three modules are in doubt at any N, and their answers come in time", has("questions", 0.0, 3.1)
)
THREE_QUESTIONS = holds(
    "three modules are in doubt at any N, and an act before the third answer rarely succeeds", THE_THREE
)
ONE_EACH = holds("query-for-all asks about every module", of(BASELINE), OURS)
ONE_EACH_AND_AGAIN = holds(
    "query-for-all sets out to ask about every module, and asks again what later questions erase", of(BASELINE), THEIRS
)
MORE_TO_GO_WRONG = holds(
    "modules of confidence 0.9 are not worth a question, and the more of them there are the surer one of them is wrong "
    "and stays so",
    THE_THREE,
)
NOTHING_LEFT_TO_LOSE = fails(
    "at (0.9, 0.2) binary-tree and brute-force ask nothing and fail from the start, whatever the size",
    either(asks_nothing("binary-tree"), asks_nothing("brute-force")),
    OURS,
)
NOT_UNDERFLOW = fails(
    "confidence multiplies nothing and fails as often, for all but three modules stay unasked at 0.9 each, and one of "
    "them is wrong nearly always",
    every(has("questions", 0.0, 3.1, "confidence"), has("task_cost", 0.95, 1.0)),
)
ALL_SUFFER_ALIKE = fails("all three ask about the same low modules and lose the same episodes", asks_alike)
ASKED_BEFORE_ACTING = holds(
    "until-confident and workload-aware ask before they act, until what is in doubt is answered or success is likely "
    "enough, and hardly an act of theirs fails, where the alternating algorithms act too early",
    every(second_is(*ALTERNATING), first_has("failed_attempts", 0.0, A_BIT)),
)
BASELINE_ASKS_MORE = holds(
    "query-for-all asks no fewer questions than they do",
    every(second_is(BASELINE), first_has("failed_attempts", 0.0, A_BIT), either(first_less("questions"), asks_alike)),
)
ONE_BY_ONE = holds(
    "an act before the last doubtful module is answered often fails; execute-first makes one before its first "
    "question, query-then-execute only after it, and the confident variants, where the order holds, when they have "
    "asked enough",
    either(first_less("failed_attempts"), has("failed_attempts", 0.0, A_BIT)),
)
ANSWERED_IN_TIME = holds("every algorithm gets the answers that it needs within the time", RECOVER)
LEAVES_ALONE = fails(
    "workload-aware leaves high modules, which are wrong at times, unasked and then repeats the failing act, where the "
    "others go on asking",
    first_is("workload-aware"),
)
STOPS_ASKING = holds(
    "workload-aware stops asking while high modules, which are wrong at times, are left, and repeats the failing act",
    of("workload-aware"),
)
LAST_ANSWER_TOO_LATE = holds(
    "execute-first, which acts before its first question, has no step left to act on its last answer",
    of("execute-first"),
    OURS,
)
TIME_ON_QUESTIONS = holds(
    "until-confident spends its steps on questions rather than on acts that fail, and so gets more modules answered "
    "before the time is up",
    every(of(*ALTERNATING), either(in_metric("task_cost"), first_less("failed_attempts"))),
    THEIRS,
)
QUESTIONS_NOT_FAILURES = holds(
    "until-confident spends its steps on questions rather than on acts that fail",
    every(second_is(*ALTERNATING), first_less("failed_attempts")),
)
THREE_THEN_ACT = holds(
    "graph with workload-aware gets the three low modules answered before it acts, and its act succeeds, where others "
    "ask as many or nearly as many questions or fail first",
    every(first_has("questions", 2.9, 3.1), first_has("failed_attempts", 0.0, A_BIT)),
)
ONE_PASS = fails(
    "graph is solved in one pass here rather than by a shortest path through a literal graph", first_is("graph")
)
ONE_SUBTRACTION = fails(
    "workload-aware's stopping rule is one subtraction here, and until-confident's an estimate of success",
    every(first_is("workload-aware"), second_is("until-confident")),
)
FEWER_DECISIONS = fails(
    "workload-aware's stopping rule is one subtraction here, and it decides fewer times in an episode than the "
    "alternating algorithms",
    every(first_is("workload-aware"), second_is(*ALTERNATING), first_less("timesteps")),
)
EVERY_STEP = fails(
    "brute-force asks nothing in all-and here, and so computes the exact chance of success in each of 2N steps",
    asks_nothing("brute-force"),
    OURS,
)
LINEAR_PROGRAMME = fails("the programme is linear here, and HiGHS solves it", of("mip"))
ONE_SORT = fails("binary-tree is one sort here rather than the search of a tree", of("binary-tree"))
DECISIONS_ALIKE = holds(
    "most of a decision is graph's, whatever the algorithm, and an episode has four to seven of them",
    has("timesteps", 3.5, 7.5),
)
MORE_DECISIONS = holds("an episode has more decisions there", first_more("timesteps"))
REDUNDANCY_IS_DEAR = fails(
    "the exact chance of success, which until-confident estimates here, takes longest where modules are redundant",
    of("until-confident"),
    OURS,
)
FEW_STEPS = fails(
    "never decides in each of 2N steps, and binary-tree, where it asks, in four",
    every(of("never"), of("binary-tree"), first_less("timesteps", 5.0)),
)
