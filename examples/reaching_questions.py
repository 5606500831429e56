"""When does a question pay for somebody who steers a hand? The table of docs/intent/index.md.

    python -m examples.reaching_questions --seeds 30           # about half an hour of two cores
    python -m examples.reaching_questions --seeds 2 --scenes S1

The shipped `assist` asks the people of the study nothing, since an answer saves them less than it costs. Here the same
people, and some who push a third as hard, meet it with cheaper questions, beside the same `assist` that may not ask.
Simulated, on seeds for trying things out.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.console import Console
from rich.progress import track

from handup.domains.reaching import AttemptEnding, ReachRun, Rules, SteeringHabit, User, scene, scenes
from handup.domains.reaching.drawn_person import person_of, wish_of
from handup.domains.reaching.episode import PERSON
from handup.domains.reaching.trial import PLAN_S
from handup.intent import Ask, Assist, Assistant
from handup.lab.engine.runner import in_processes
from handup.lab.engine.stats import difference
from handup.lab.studies.reaching.trials import FIRST_TRYING

FIRST_SEED = FIRST_TRYING + 300
PACES = {"as in the study": 1.0, "a third as hard": 0.35}
"""How hard people push, as a share of what the people of the study do."""
HEAD = "| People push | A question costs | Asked per trial | Seconds | Not asked | Difference (95 %) | Asked about |"


@dataclass(frozen=True)
class Price:
    """What a question costs.

    Args:
        words: For the table.
        question_s: How long the hand stands still for it.
        load_s: What a load of one is worth in seconds.
    """

    words: str
    question_s: float
    load_s: float


PRICES = (
    Price("2.8 s and load (shipped)", 2.8, 5.0),
    Price("1 s and load", 1.0, 5.0),
    Price("1 s, no load", 1.0, 0.0),
    Price("0.3 s, no load", 0.3, 0.0),
)


@dataclass(frozen=True)
class Meeting:
    """One person, one task, and the price of questions; None: nothing may be asked."""

    scene: str
    task: str
    seed: int
    pace: float
    price: Price | None


@dataclass(frozen=True)
class Came:
    """How long it took, and what was asked. What failed took all the time there is."""

    time_s: float
    asked: tuple[str, ...]


def meet(meeting: Meeting) -> Came:
    """One attempt."""
    where, price = scene(meeting.scene), meeting.price or PRICES[0]
    rules = Rules(question_s=price.question_s)
    user = User(strategy=tuple(SteeringHabit)[meeting.seed % len(SteeringHabit)])
    wish = wish_of(where, meeting.task, user, meeting.seed)
    drawn = person_of(where, meeting.task, user, meeting.seed, 0, steps=rules.steps, questions=rules.questions)
    run = ReachRun(where, wish, replace(drawn, cruise=meeting.pace * drawn.cruise), rules)
    helper = replace(Assist(), question_s=price.question_s, load_s=price.load_s)
    most = 0 if meeting.price is None else None
    robot = Assistant(where.goals, helper, person=PERSON, most_questions=most, alpha=rules.alpha)
    asked: list[str] = []
    while not run.over:
        said = robot.step(run.pose, run.stick, PLAN_S)
        if isinstance(said, Ask):
            asked.append(str(said.about.kind))
            robot.answer(run.asked(said.about.answers, said.about.true_answer(wish.goal)), by=PERSON)
            run.go()
        else:
            run.go(said.linear, said.angular, gives_way=said.gives_way)
    return Came(run.at_s if run.ending is AttemptEnding.GRASPED else rules.limit_s, tuple(asked))


def measured(meetings: Sequence[Meeting], jobs: int) -> list[Came]:
    """What came of each, in their order."""
    work = in_processes(meet, meetings, jobs)
    found = dict(track(work, "trials", len(meetings), console=Console(stderr=True)))
    return [found[number] for number in range(len(meetings))]


def table(names: Sequence[str], seeds: int, jobs: int) -> str:
    """A row for each pace and price, beside the same people who are not asked."""
    people = [
        (name, task, FIRST_SEED + number) for name in names for task in scene(name).tasks for number in range(seeds)
    ]
    cells = [(pace, price) for pace in PACES for price in (None, *PRICES)]
    came = measured([Meeting(*who, PACES[pace], price) for pace, price in cells for who in people], jobs)
    by_cell = {cell: came[at * len(people) : (at + 1) * len(people)] for at, cell in enumerate(cells)}
    lines = [HEAD, "|---" * HEAD.count(" | ") + "|---|"]
    for pace, price in cells:
        if price is not None:
            lines.append(_line(pace, price, by_cell[pace, price], by_cell[pace, None]))
    return "\n".join(lines)


def _line(pace: str, price: Price, asked: Sequence[Came], not_asked: Sequence[Came]) -> str:
    seconds, others = (np.array([each.time_s for each in these]) for these in (asked, not_asked))
    gap = difference(seconds, others)
    kinds = Counter(kind for each in asked for kind in each.asked)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "nothing"
    low, high = gap.ci
    per_trial = f"{sum(kinds.values()) / len(asked):.2f}"
    means = (f"{seconds.mean():.1f}", f"{others.mean():.1f}")
    cells = (pace, price.words, per_trial, *means, f"{gap.mean:+.2f} ({low:+.2f} to {high:+.2f})", told)
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=30, help=f"people per task, from seed {FIRST_SEED} on")
    parser.add_argument("--scenes", nargs="+", choices=scenes(), default=list(scenes()), help="where; all four")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    given = parser.parse_args(arguments)
    if given.seeds < 1 or given.jobs < 1:
        parser.error("--seeds and --jobs are at least 1")
    print(table(given.scenes, given.seeds, given.jobs))


if __name__ == "__main__":
    main()
