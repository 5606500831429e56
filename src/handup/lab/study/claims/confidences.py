"""What the paper says of confidences that lie closer together: section 6.3, appendix F.4."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims import why_confidences as here
from handup.lab.study.claims import why_structure as structure
from handup.lab.study.claims.comparing import ALL, Comparison, near, not_higher, rises_less
from handup.lab.study.claims.judging import GENERALLY, Judge
from handup.lab.study.claims.patterns import (
    at_level,
    below,
    descending,
    rising,
    slowest,
    slowing,
    unbeaten,
    unchanged,
)
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    BASELINE,
    BEST,
    CONFIDENCES,
    SELECTORS,
    algorithm,
    selector,
)
from handup.lab.study.claims.timing import Ratio, TimeJudge, slower
from handup.lab.study.results import Results

APART, *REST = CONFIDENCES
CLOSER = tuple(REST)
CLOSEST = CLOSER[-1]
OUTCOME = ("task_cost", "failed_attempts", "timesteps")
BUT_NEVER = tuple(name for name in SELECTORS if name != "never")
UNSURE = (*ALTERNATING, "workload-aware")
READ = "read: at each closer pair than at (1, 0.1)"
MOSTLY = f"{READ}, in at least three quarters of the comparisons"


def _not_rising(results: Results) -> Iterator[Comparison]:
    for metric, name, pair in product(ALL, ("until-confident", BASELINE), CLOSER):
        yield not_higher(metric, algorithm(name, confidences=pair), algorithm(name, confidences=APART))


def _most_robust(results: Results) -> Iterator[Comparison]:
    for name, pair in product(UNSURE, CLOSER):
        one, other = (
            (algorithm(each, confidences=APART), algorithm(each, confidences=pair))
            for each in ("until-confident", name)
        )
        yield rises_less("task_cost", one, other)


def _nought_to_one(results: Results) -> Iterator[Comparison]:
    for name in BUT_NEVER:
        yield near("task_cost", selector(name, confidences=APART), 0.0)
        yield near("task_cost", selector(name, confidences=CLOSEST), 1.0)


def _time_order(results: Results) -> Iterator[Ratio]:
    for pair, (slow, fast) in product(
        CONFIDENCES, (("graph", "brute-force"), ("brute-force", "binary-tree"), ("binary-tree", "never"))
    ):
        yield slower(selector(slow, confidences=pair), selector(fast, confidences=pair))


CLAIMS = (
    Claim(
        "selectors do worse when confidences overlap",
        "section 6.3",
        f"All metrics of every selector are higher when confidences lie closer together ({READ}).",
        Judge(
            lambda results: rising(ALL, selector, SELECTORS, "confidences", APART, CLOSER),
            (here.NO_WORSE, here.NO_OTHERS_WORTH_IT, why.NONE_LEFT_AT_CLOSER),
        ),
    ),
    Claim(
        "recommended selectors at any confidences",
        "section 6.3, appendix F.4",
        "Brute-force, graph and confidence are the most competitive at every level of confidence (read: no other "
        "selector has a lower Task Cost or fewer failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(OUTCOME, selector, BEST, SELECTORS, "confidences", CONFIDENCES),
            (
                why.BRUTE_FORCE,
                why.ALL_THAT_ASK,
            ),
        ),
    ),
    Claim(
        "algorithms do worse when confidences overlap",
        "section 6.3",
        f"All metrics of execute-first, query-then-execute and workload-aware are higher when confidences lie closer "
        f"together ({READ}).",
        Judge(
            lambda results: rising(ALL, algorithm, UNSURE, "confidences", APART, CLOSER),
            (here.SAME_THREE_QUESTIONS,),
        ),
    ),
    Claim(
        "until-confident and query-for-all do not",
        "section 6.3",
        "Until-confident and query-for-all are the exceptions: no metric of theirs is higher when confidences lie "
        f"closer together ({READ}).",
        Judge(_not_rising, (here.MORE_TO_BE_SURE, here.MORE_THAN_TIME)),
    ),
    Claim(
        "until-confident is the most robust",
        "section 6.3",
        "Task Cost rises least with until-confident when confidences lie closer together, compared with the paper's "
        "other three algorithms.",
        Judge(
            _most_robust,
            (why.STOPS_ASKING, why.LAST_ANSWER_TOO_LATE, why.TIME_ON_QUESTIONS),
        ),
    ),
    Claim(
        "any algorithm when confidences are far apart",
        "section 6.3",
        "With well-separated confidences it does not matter which querying algorithm is used (read: at (1, 0.1) the "
        "paper's four have a Task Cost of 0).",
        Judge(
            lambda results: at_level("task_cost", algorithm, ALGORITHMS, "confidences", (APART,), 0.0),
            (why.ANSWERED_IN_TIME,),
        ),
    ),
    Claim(
        "until-confident when confidences overlap",
        "section 6.3, appendix F.4",
        "With overlapping confidences until-confident is the algorithm to use (read: none of the other three has a "
        "lower Task Cost or fewer failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(OUTCOME, algorithm, ("until-confident",), UNSURE, "confidences", CLOSER),
            (why.STOPS_ASKING, why.TIME_ON_QUESTIONS, why.QUESTIONS_NOT_FAILURES),
        ),
    ),
    Claim(
        "selectors ask more when confidences overlap",
        "appendix F.4.1",
        f"Query Cost is generally higher for selectors when confidences lie closer together ({MOSTLY}, of the "
        "selectors that ask).",
        Judge(
            lambda results: rising(("query_cost",), selector, BUT_NEVER, "confidences", APART, CLOSER),
            (here.NO_OTHERS_WORTH_IT, why.NONE_LEFT_AT_CLOSER),
            share=GENERALLY,
        ),
    ),
    Claim(
        "order of selectors by Query Cost",
        "appendix F.4.1",
        "At every level of confidence binary-tree has the highest Query Cost, then graph and brute-force, which are "
        "alike, then never (generally; read: in at least three quarters of the comparisons).",
        Judge(
            lambda results: descending(
                "query_cost",
                selector,
                (("binary-tree",), ("graph", "brute-force"), ("never",)),
                "confidences",
                CONFIDENCES,
            ),
            (why.SAME_QUESTIONS, why.NO_SET_WORTH_IT, why.BRUTE_FORCE),
            share=GENERALLY,
        ),
    ),
    Claim(
        "selectors fail more when confidences overlap",
        "appendix F.4.1",
        f"Failed attempts are generally more for selectors when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("failed_attempts",), selector, SELECTORS, "confidences", APART, CLOSER),
            (here.NO_WORSE,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "order of selectors by failed attempts",
        "appendix F.4.1",
        "At every level of confidence never fails most often, then graph and brute-force, which are alike, then "
        "binary-tree (generally; read: in at least three quarters of the comparisons; appendix F.3.1 gives another "
        "order).",
        Judge(
            lambda results: descending(
                "failed_attempts",
                selector,
                (("never",), ("graph", "brute-force"), ("binary-tree",)),
                "confidences",
                CONFIDENCES,
            ),
            (why.SAME_QUESTIONS, why.NO_SET_WORTH_IT, why.BRUTE_FORCE),
            share=GENERALLY,
        ),
    ),
    Claim(
        "selectors compute longer when confidences overlap",
        "appendix F.4.1",
        f"Selectors generally need more computation when confidences lie closer together ({MOSTLY}).",
        TimeJudge(
            lambda results: slowing(selector, SELECTORS, "confidences", APART, CLOSER),
            (why.MORE_DECISIONS,),
            share=GENERALLY,
        ),
        about_code=True,
    ),
    Claim(
        "order of selectors by computation",
        "appendix F.4.1",
        "Graph needs most computation, then brute-force, binary-tree and never.",
        TimeJudge(_time_order, (why.ONE_PASS, why.ONE_SORT, why.FEW_STEPS)),
        about_code=True,
    ),
    Claim(
        "Task Cost of selectors goes from 0 to 1",
        "appendix F.4.1",
        "For every selector but never, Task Cost tends to go from 0 at (1, 0.1) to 1 at (0.7, 0.4) (read: in at least "
        "three quarters of the comparisons with these values).",
        Judge(_nought_to_one, (here.SIX_OTHERS, here.FAILS_FROM_THE_START), share=GENERALLY),
    ),
    Claim(
        "never always fails",
        "appendix F.4.1",
        "The Task Cost of never is 1 at every level of confidence outside all-or.",
        Judge(
            lambda results: at_level("task_cost", selector, ("never",), "confidences", CONFIDENCES, 1.0),
            (here.RARELY_ALL_WORK,),
        ),
    ),
    Claim(
        "selectors take longer when confidences overlap",
        "appendix F.4.1",
        f"Every selector but never generally takes more timesteps when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("timesteps",), selector, BUT_NEVER, "confidences", APART, CLOSER),
            (
                here.NO_WORSE,
                here.UNASKED,
            ),
            share=GENERALLY,
        ),
    ),
    Claim(
        "never takes as long at any confidences",
        "appendix F.4.1",
        "The exception, never, takes as many timesteps at every level of confidence.",
        Judge(
            lambda results: unchanged(results, ("timesteps",), selector, ("never",), "confidences", CONFIDENCES),
            (why.NEVER_REPEATS,),
        ),
    ),
    Claim(
        "algorithms ask more when confidences overlap",
        "appendix F.4.2",
        f"Query Cost is generally higher for querying algorithms when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("query_cost",), algorithm, ALGORITHMS, "confidences", APART, CLOSER),
            (here.ASK_ON,),
            share=GENERALLY,
        ),
    ),
    Claim(
        "workload-aware asks most",
        "appendix F.4.2",
        "Workload-aware has the highest Query Cost of the querying algorithms at every level of confidence (read: of "
        "the paper's four; higher than each other one).",
        Judge(
            lambda results: below(
                ("query_cost",),
                algorithm,
                (*ALTERNATING, "until-confident"),
                ("workload-aware",),
                "confidences",
                CONFIDENCES,
            ),
            (here.STOPS, structure.SAME_THREE),
        ),
    ),
    Claim(
        "algorithms fail more when confidences overlap",
        "appendix F.4.2",
        f"Failed attempts are generally more for querying algorithms when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("failed_attempts",), algorithm, ALGORITHMS, "confidences", APART, CLOSER),
            (here.MORE_ARE_WRONG, why.STOPS_ASKING),
            share=GENERALLY,
        ),
    ),
    Claim(
        "until-confident fails less than alternating",
        "appendix F.4.2",
        "Until-confident has fewer failed attempts than execute-first and query-then-execute at every level of "
        "confidence.",
        Judge(
            lambda results: below(
                ("failed_attempts",), algorithm, ("until-confident",), ALTERNATING, "confidences", CONFIDENCES
            ),
            (here.SEVERAL_FIRST,),
        ),
    ),
    Claim(
        "algorithms compute longer when confidences overlap",
        "appendix F.4.2",
        f"Querying algorithms generally need more computation when confidences lie closer together ({MOSTLY}).",
        TimeJudge(
            lambda results: slowing(algorithm, ALGORITHMS, "confidences", APART, CLOSER),
            (why.MORE_DECISIONS,),
            share=GENERALLY,
        ),
        about_code=True,
    ),
    Claim(
        "workload-aware computes longest",
        "appendix F.4.2",
        "Workload-aware needs slightly more computation than the other querying algorithms.",
        TimeJudge(
            lambda results: slowest(
                algorithm, "workload-aware", (*ALTERNATING, "until-confident"), "confidences", CONFIDENCES
            ),
            (why.ONE_SUBTRACTION, why.FEWER_DECISIONS),
        ),
        about_code=True,
    ),
    Claim(
        "algorithms recover less when confidences overlap",
        "appendix F.4.2",
        f"Task Cost is generally higher for querying algorithms when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("task_cost",), algorithm, ALGORITHMS, "confidences", APART, CLOSER),
            (why.STOPS_ASKING, why.LAST_ANSWER_TOO_LATE, here.OUT_OF_TIME),
            share=GENERALLY,
        ),
    ),
    Claim(
        "until-confident recovers more than alternating",
        "appendix F.4.2",
        "Until-confident has a lower Task Cost than execute-first and query-then-execute (read: at each pair closer "
        "than (1, 0.1), where all recover).",
        Judge(
            lambda results: below(("task_cost",), algorithm, ("until-confident",), ALTERNATING, "confidences", CLOSER),
            (why.LAST_ANSWER_TOO_LATE, why.TIME_ON_QUESTIONS),
        ),
    ),
    Claim(
        "algorithms take longer when confidences overlap",
        "appendix F.4.2",
        f"Querying algorithms generally take more timesteps when confidences lie closer together ({MOSTLY}).",
        Judge(
            lambda results: rising(("timesteps",), algorithm, ALGORITHMS, "confidences", APART, CLOSER),
            (here.MORE_ARE_WRONG, why.STOPS_ASKING),
            share=GENERALLY,
        ),
    ),
    Claim(
        "until-confident is faster than alternating",
        "appendix F.4.2",
        "At every level of confidence until-confident generally takes fewer timesteps than execute-first and "
        "query-then-execute (read: in at least three quarters of the comparisons).",
        Judge(
            lambda results: below(
                ("timesteps",), algorithm, ("until-confident",), ALTERNATING, "confidences", CONFIDENCES
            ),
            (here.SEVERAL_FIRST,),
            share=GENERALLY,
        ),
    ),
)
