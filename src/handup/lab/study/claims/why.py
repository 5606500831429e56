"""Why claims hold or not: mechanisms, each with the numbers that must show it before it is said.

A text is the second half of a sentence whose first half tells how many comparisons agree.
"""

from __future__ import annotations

from collections.abc import Callable

from handup.lab.cell import WorldKind
from handup.lab.study.claim import Verdict
from handup.lab.study.claims.comparing import mean_of
from handup.lab.study.claims.judging import Reason
from handup.lab.study.claims.places import BASELINE, Place, algorithm, selector
from handup.lab.study.results import Results

Shown = Callable[[Results], bool]
OURS, THEIRS = WorldKind.DEFAULT, WorldKind.REPLICA
A_BIT = 0.02
CLOSER, CLOSEST = (0.9, 0.2), (0.7, 0.4)


def less(metric: str, one: Place, other: Place) -> Shown:
    """Whether one mean is clearly below another."""
    return lambda results: mean_of(results, metric, one) < mean_of(results, metric, other) - A_BIT


def alike(metric: str, *places: Place) -> Shown:
    """Whether the means of all places are nearly the same."""
    return lambda results: all(
        abs(mean_of(results, metric, each) - mean_of(results, metric, places[0])) <= A_BIT for each in places
    )


def between(metric: str, place: Place, least: float, most: float) -> Shown:
    """Whether a mean lies within limits."""
    return lambda results: least <= mean_of(results, metric, place) <= most


def both(*shown: Shown) -> Shown:
    """Whether all are shown."""
    return lambda results: all(each(results) for each in shown)


def always(results: Results) -> bool:
    """For what is known of the code and needs no numbers."""
    return True


def holds(text: str, shown: Shown, world: WorldKind | None = None) -> Reason:
    """Why something holds."""
    return Reason(text, Verdict.HOLDS, world, shown)


def fails(text: str, shown: Shown, world: WorldKind | None = None) -> Reason:
    """Why something does not hold."""
    return Reason(text, Verdict.FAILS, world, shown)


SAME_THREE = alike("questions", *(selector(name) for name in ("graph", "confidence", "binary-tree")))
ASKS_LITTLE = less("questions", selector("brute-force"), selector("graph"))
STUCK = between("failed_attempts", selector("never"), 15.0, 20.0)
EARLY = less("failed_attempts", algorithm("until-confident"), algorithm("query-then-execute"))
ERASED = between("task_cost", algorithm(BASELINE), 0.05, 1.0)
LEFT_ALONE = between("task_cost", algorithm("workload-aware", confidences=CLOSER), 0.2, 1.0)

BRUTE_FORCE = fails(
    "with three modules likely to be wrong no single question is worth its cost by Eq. 4 with the exact "
    "chance of success, which one answer lifts from 0.001 to 0.01 at (1, 0.1), so that in all-and brute-force "
    "asks nothing",
    both(ASKS_LITTLE, between("questions", selector("brute-force"), 0.0, 0.05)),
    OURS,
)
ALL_THAT_ASK = holds(
    "all selectors that ask about the three low modules do equally well, and the others mostly fail to the end",
    both(alike("task_cost", *(selector(name) for name in ("graph", "confidence", "brute-force"))), STUCK),
)
SAME_QUESTIONS = fails(
    "binary-tree asks about the same three low modules as graph and confidence, so that they are level", SAME_THREE
)
NO_SET_WORTH_IT = fails(
    "away from (1, 0.1) no set of questions is worth its cost by the product objective, so that binary-tree asks "
    "nothing there and fails like never",
    between("questions", selector("binary-tree", confidences=CLOSER), 0.0, 0.05),
    OURS,
)
TWO_MODULES = fails(
    "at N = 3 the replica, which counts the state as a module, has only two modules to ask about, so that two "
    "questions do; from N = 5 on nothing changes",
    both(
        between("questions", selector("graph", modules=3), 1.9, 2.1),
        alike("questions", selector("graph", modules=5), selector("graph", modules=100)),
    ),
    THEIRS,
)
TIME_IS_UP = fails(
    "at N = 3 the six steps are up when execute-first has its third answer and has not acted on it",
    between("task_cost", algorithm("execute-first", modules=3), 0.5, 1.0),
    OURS,
)
REPEATS = holds("a failed act teaches them nothing, and they repeat it until the 2N steps are up", STUCK)
NEVER_REPEATS = holds("without a question the failing act is repeated until the time is up", STUCK)
THREE_LOW = holds(
    "three modules are in doubt at any N, and all three are answered in time",
    alike("questions", algorithm("workload-aware", modules=10), algorithm("workload-aware", modules=100)),
)
ONE_EACH = holds(
    "query-for-all asks about every module",
    less("questions", algorithm(BASELINE, modules=10), algorithm(BASELINE, modules=100)),
)
MORE_TO_GO_WRONG = holds(
    "modules of confidence 0.9 are not worth a question, and the more of them there are the surer one of them is wrong "
    "and stays so",
    less(
        "task_cost",
        selector("confidence", modules=10, confidences=CLOSER),
        selector("confidence", modules=100, confidences=CLOSER),
    ),
)
NOTHING_LEFT_TO_LOSE = fails(
    "at (0.9, 0.2) binary-tree and brute-force ask nothing and fail from the start, whatever the size",
    between("task_cost", selector("binary-tree", modules=10, confidences=CLOSER), 0.95, 1.0),
    OURS,
)
NOT_UNDERFLOW = fails(
    "confidence multiplies nothing and fails as often, for more than 90 modules stay unasked at 0.9 each, and "
    "one of them is wrong nearly always",
    between("task_cost", selector("confidence", modules=100, confidences=CLOSER), 0.95, 1.0),
)
ALL_SUFFER_ALIKE = fails(
    "all three ask about the same low modules and lose the same episodes",
    alike("task_cost", *(selector(n, modules=10, confidences=CLOSER) for n in ("graph", "binary-tree", "brute-force"))),
)
ASKED_BEFORE_ACTING = holds(
    "until-confident and workload-aware ask about every doubtful module before they act, and then succeed at "
    "once, where the alternating algorithms act too early",
    EARLY,
)
ONE_BY_ONE = holds(
    "an act before the last doubtful module is answered mostly fails, and execute-first makes one more of "
    "these than query-then-execute, the confident variants none",
    EARLY,
    OURS,
)
ONE_BY_ONE_REPLICA = holds(
    "an act before the last doubtful module is answered mostly fails, and execute-first makes one more of "
    "these than query-then-execute, the confident variants none where the reference code's confidence sum is "
    "not empty",
    EARLY,
    THEIRS,
)
ANSWERED_IN_TIME = holds(
    "every algorithm gets the three low modules answered within the time",
    both(
        *(between("task_cost", algorithm(name), 0.0, A_BIT) for name in ("execute-first", "until-confident", BASELINE))
    ),
)
ERASING = fails(
    "in the reference code a question erases the answers downstream of it, so that query-for-all asks again and again "
    "and runs out of time",
    ERASED,
    THEIRS,
)
MOSTLY_IN_TIME = holds(
    "all but query-for-all, which the reference code makes ask again what later questions erase, get the three low "
    "modules answered within the time",
    ERASED,
    THEIRS,
)
LEAVES_ALONE = fails(
    "workload-aware leaves high modules, which are wrong at times, unasked and then repeats the failing act, where the "
    "others go on asking",
    LEFT_ALONE,
)
ANSWERS_STAY = fails(
    "answers stay valid here, so that algorithms that ask on after a failure always recover in the end, "
    "query-then-execute like until-confident",
    between("task_cost", algorithm("query-then-execute", confidences=CLOSEST), 0.0, A_BIT),
    OURS,
)
TIME_ON_QUESTIONS = holds(
    "until-confident spends its time on questions rather than on acts that fail, and so gets more modules answered "
    "before the time is up",
    both(
        less(
            "failed_attempts", *(algorithm(n, confidences=CLOSEST) for n in ("until-confident", "query-then-execute"))
        ),
        less("questions", *(algorithm(n, confidences=CLOSEST) for n in ("query-then-execute", "until-confident"))),
    ),
    THEIRS,
)
QUESTIONS_NOT_FAILURES = holds(
    "until-confident spends its steps on questions rather than on acts that fail",
    less("failed_attempts", *(algorithm(n, confidences=CLOSEST) for n in ("until-confident", "query-then-execute"))),
    OURS,
)
NEEDED_AND_NO_MORE = holds(
    "graph with workload-aware asks the three questions that are needed before it acts, and no more",
    both(
        between("questions", algorithm("workload-aware"), 2.9, 3.1),
        between("failed_attempts", algorithm("workload-aware"), 0.0, A_BIT),
    ),
)
ONE_PASS = fails("graph is solved in one pass here rather than by a shortest path through a literal graph", always)
ONE_SUBTRACTION = fails(
    "workload-aware's stopping rule is one subtraction here, and it decides fewer steps than the alternating ones",
    less("timesteps", algorithm("workload-aware"), algorithm("query-then-execute")),
)
EVERY_STEP = fails(
    "brute-force asks nothing in all-and here, and so computes the exact chance of success in each of 2N steps",
    ASKS_LITTLE,
    OURS,
)
LINEAR_PROGRAMME = fails("the programme is linear here, and HiGHS solves it", always)
ONE_SORT = fails("binary-tree is one sort here rather than the search of a tree", always)
