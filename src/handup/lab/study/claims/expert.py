"""What the paper says of answers that may be wrong: section 6, appendix F.6."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from handup.lab.study.claim import Claim
from handup.lab.study.claims import why
from handup.lab.study.claims import why_costs as here
from handup.lab.study.claims.comparing import Comparison, lower
from handup.lab.study.claims.judging import Judge
from handup.lab.study.claims.patterns import at_level, below, rising, unbeaten
from handup.lab.study.claims.places import (
    ALGORITHMS,
    ALTERNATING,
    BEST,
    CONFIDENT,
    EXPERTS,
    SELECTORS,
    algorithm,
    selector,
)
from handup.lab.study.results import Results

RIGHT, *LESS = EXPERTS
WRONG = tuple(LESS)
HIGH, LOW = EXPERTS[:2], EXPERTS[2:]
BUT_NEVER = tuple(name for name in SELECTORS if name != "never")
EFFORT = ("failed_attempts", "timesteps")


def _asking_again(results: Results) -> Iterator[Comparison]:
    for name, expert in product(BEST, LOW):
        yield lower("questions", selector(name, expert=RIGHT), selector(name, expert=expert))


CLAIMS = (
    Claim(
        "selectors do worse with a less reliable expert",
        "appendix F.6.1",
        "Every selector that asks has a higher Task Cost the less often answers are right (read: at c_e of 0.8, 0.6 "
        "and 0.4 higher than at 1).",
        Judge(lambda results: rising(("task_cost",), selector, BUT_NEVER, "expert", RIGHT, WRONG), (here.HARDLY_ASKS,)),
    ),
    Claim(
        "no selector recovers at the lowest",
        "appendix F.6.1",
        "At c_e = 0.4 no selector recovers (printed as Task Cost 0, which would mean that all do; read as a success "
        "rate of 0, Task Cost 1).",
        Judge(lambda results: at_level("task_cost", selector, SELECTORS, "expert", (0.4,), 1.0), (here.NOT_WORTH_IT,)),
    ),
    Claim(
        "selectors ask the same again",
        "appendix F.6.1",
        "With an unreliable expert the selectors ask about the same upstream module again and again (read: "
        "brute-force, graph and confidence ask more questions at c_e of 0.6 and 0.4 than at 1).",
        Judge(
            _asking_again,
            (here.NOT_WORTH_ASKING, here.NO_MORE_AT_06),
        ),
    ),
    Claim(
        "best selectors with a reliable expert",
        "appendix F.6.1, section 6",
        "Brute-force, graph and confidence do best with a reliable expert (read: at c_e of 1 and 0.8 no other selector "
        "has a lower Task Cost or fewer failed attempts or timesteps).",
        Judge(
            lambda results: unbeaten(("task_cost", *EFFORT), selector, BEST, SELECTORS, "expert", HIGH),
            (
                why.BRUTE_FORCE,
                why.ALL_THAT_ASK,
            ),
        ),
    ),
    Claim(
        "binary-tree asks too little",
        "appendix F.6.1",
        "Binary-tree asks too little however reliable the expert (read: fewer questions than graph).",
        Judge(
            lambda results: below(("questions",), selector, ("binary-tree",), ("graph",), "expert", EXPERTS),
            (why.SAME_QUESTIONS, here.GRAPH_IS_STUCK),
        ),
    ),
    Claim(
        "binary-tree recovers less",
        "appendix F.6.1",
        "That gives binary-tree a high Task Cost (read: higher than graph's, at every c_e).",
        Judge(
            lambda results: below(("task_cost",), selector, ("graph",), ("binary-tree",), "expert", EXPERTS),
            (why.SAME_QUESTIONS, here.GRAPH_IS_STUCK, here.NOT_WORTH_ASKING),
        ),
    ),
    Claim(
        "algorithms do worse with a less reliable expert",
        "appendix F.6.2, section 6",
        "Every querying algorithm has a higher Task Cost the less often answers are right (read: at c_e of 0.8, 0.6 "
        "and 0.4 higher than at 1).",
        Judge(
            lambda results: rising(("task_cost",), algorithm, ALGORITHMS, "expert", RIGHT, WRONG),
            (here.ONLY_SO_OFTEN, here.NOT_WORTH_IT),
        ),
    ),
    Claim(
        "best algorithms with a reliable expert",
        "appendix F.6.2, section 6",
        "Until-confident and workload-aware have the fewest timesteps and failed attempts with a reliable expert "
        "(read: at c_e of 1 and 0.8).",
        Judge(
            lambda results: unbeaten(EFFORT, algorithm, CONFIDENT, ALGORITHMS, "expert", HIGH), (here.TAKEN_FOR_RIGHT,)
        ),
    ),
    Claim(
        "until-confident asks too much",
        "appendix F.6.2",
        "With an unreliable expert until-confident asks too much (read: at c_e of 0.6 and 0.4 it asks more questions "
        "than the paper's other three algorithms).",
        Judge(
            lambda results: below(
                ("questions",), algorithm, (*ALTERNATING, "workload-aware"), ("until-confident",), "expert", LOW
            ),
            (here.NEVER_SURE,),
        ),
    ),
    Claim(
        "workload-aware asks too little",
        "appendix F.6.2",
        "With an unreliable expert workload-aware asks too little (read: at c_e of 0.6 and 0.4 it asks fewer questions "
        "than the paper's other three algorithms).",
        Judge(
            lambda results: below(
                ("questions",), algorithm, ("workload-aware",), (*ALTERNATING, "until-confident"), "expert", LOW
            ),
            (here.NO_GAIN,),
        ),
    ),
    Claim(
        "recommended selectors",
        "appendix F.6",
        "Brute-force, graph and confidence have the lowest Task Cost with few timesteps unless the expert is very "
        "unreliable (read: no other selector has less of either at c_e of 1, 0.8 and 0.6).",
        Judge(
            lambda results: unbeaten(("task_cost", "timesteps"), selector, BEST, SELECTORS, "expert", EXPERTS[:3]),
            (
                why.BRUTE_FORCE,
                here.GRAPH_IS_STUCK,
            ),
        ),
    ),
    Claim(
        "confident variants for speed",
        "appendix F.6",
        "Until-confident and workload-aware are the algorithms to use where timesteps matter most (read: none has "
        "fewer at any c_e).",
        Judge(
            lambda results: unbeaten(("timesteps",), algorithm, CONFIDENT, ALGORITHMS, "expert", EXPERTS),
            (here.ASKS_THE_SOUND_TOO, here.NOT_WORTH_ASKING),
        ),
    ),
    Claim(
        "alternating algorithms otherwise",
        "appendix F.6",
        "Execute-first and query-then-execute are the algorithms to use in other cases (read: they have a lower Task "
        "Cost than both confident variants at c_e of 0.6 and 0.4).",
        Judge(
            lambda results: below(("task_cost",), algorithm, ALTERNATING, CONFIDENT, "expert", LOW),
            (
                here.ACT_IN_BETWEEN,
                here.ALL_FAIL,
            ),
        ),
    ),
)
