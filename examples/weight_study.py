"""Does a robot ask less of a person whose load counts more?"""

from handup.lab.cell import Cell
from handup.lab.engine import (
    Bar,
    Batch,
    Claim,
    Columns,
    Measure,
    Note,
    Place,
    Study,
    StudyOption,
    Verdict,
    seed_option,
    where,
)
from handup.lab.simulate import simulate

LIGHT, HEAVY = where(w=0.2), where(w=0.95)


def make(batch: Batch) -> Columns:
    """Simulate the episodes of one method under one weight."""
    cell = Cell(method=batch.arm, w=batch.place["w"], confidences=(0.9, 0.2), episodes=batch.count, seed=batch.first)
    episodes = simulate(cell)
    return {
        "seed": list(range(batch.first, batch.first + batch.count)),
        "questions": episodes.questions.tolist(),
        "J": episodes.objective.tolist(),
    }


STUDY = Study(
    name="weight",
    title="Weight of load against time",
    figure="ours",
    question="Does a robot ask less of a person whose load counts more?",
    make=make,
    arms=("troubleshoot", "graph+workload-aware"),
    places=tuple(Place(name=f"w = {w:g}", settings=where(w=w)) for w in (0.2, 0.5, 0.8, 0.95)),
    measures=(Measure(name="questions", label="questions", alike=0.5), Measure(name="J", label="J", alike=0.5)),
    claims=(
        Claim(
            name="asks less",
            source="handup",
            text="With more weight on load, troubleshoot asks less.",
            bars=(Bar(measure="questions", arm="troubleshoot", where=HEAVY, elsewhere=LIGHT, less=True),),
            notes=(Note(Verdict.HOLDS, "It weighs load against time; at 0.95 it tries once and gives up."),),
        ),
    ),
    options=(
        StudyOption(name="episodes", help="Episodes of each method and weight.", default=200, quick=40),
        seed_option(),
    ),
    units="episodes",
    block=50,
)
