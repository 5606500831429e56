"""Tables of a study of meals, and the failure triage: cause, blame and price of every lost bite.

The cause is the simulation's (`domains.feeding.judging.Cause`), the belief the robot's own (see `blame`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate
from handup.core.files import shipped_data
from handup.domains.feeding.truth import MODULES, LossCause
from handup.lab.engine import Results, Table, stats, where
from handup.lab.engine.claims import Row
from handup.lab.engine.table import share, shown
from handup.lab.studies.meals.blame import BLAMED, CHANCES, SUCCESS, TRUE_BLAME
from handup.people import PROFILES, Care

CAPTIONS = shipped_data(__file__, "captions.yaml")
CAUSES = tuple(map(str, LossCause))
Triage = Mapping[str, Any]
OF_A_DAY = ("queries", "labels", "bites", "recalls", "wrong_recalls")
PRICES = ("bites", "wrong", "questions", "attempts")
SHARES = ("agreed", "unseen", "belief_in_true_cause")


def questions(results: Results[Any], arm: str) -> dict[str, float]:
    """Return questions per meal by module."""
    rows = results.rows(arm)
    counts = Counter(module for row in rows for bite in row["bites_taken"] for module in bite["asked"])
    return {module: counts[module] / len(rows) for module in MODULES}


def triage(results: Results[Any], arm: str) -> dict[str, Any]:
    """Return the lost bites of an arm: their price by cause, and their numbers by cause and blame (`confusion`).

    Shares are of lost bites, with intervals over participants: `agreed`, whose true cause the robot blamed, and
    `unseen`, which it took for a success. `belief_in_true_cause` is how likely it held the true cause, on average over
    those that it saw fail. `J_true` of a cause is J above what as many bites that were got cost on average.
    """
    by_person: list[list[Row]] = [[] for _ in range(results.count())]
    for unit, row in zip(results.units(arm).tolist(), results.rows(arm), strict=True):
        by_person[unit] += [bite for bite in row["bites_taken"] if not bite["got"]]
    lost = [bite for bites in by_person for bite in bites]
    taken = [bite for row in results.rows(arm) for bite in row["bites_taken"]]
    usual = [bite["J_true"] for bite in taken if bite["got"]]
    usual_cost = float(np.mean(usual)) if usual else 0.0

    def fraction(part: Callable[[Row], float], whole: Callable[[Row], bool] = lambda _: True) -> Estimate:
        chosen = [[bite for bite in bites if whole(bite)] for bites in by_person]
        parts, wholes = [float(sum(map(part, bites))) for bites in chosen], [float(len(bites)) for bites in chosen]
        return stats.ratio(np.array(parts), np.array(wholes))

    def price(cause: str) -> dict[str, Any]:
        bites = [bite for bite in lost if bite["cause"] == cause]
        return {
            "cause": cause,
            "bites": len(bites),
            "share": fraction(lambda bite: bite["cause"] == cause),
            "wrong": sum(bite["wrong"] for bite in bites),
            "questions": sum(len(bite["asked"]) for bite in bites),
            "attempts": sum(bite["attempts"] for bite in bites),
            "J_true": round(sum(bite["J_true"] - usual_cost for bite in bites), 6),
        }

    def can_blame(bite: Row) -> bool:
        return bite["blamed"] != SUCCESS and TRUE_BLAME[bite["cause"]] is not None

    def belief(bite: Row) -> float:
        return float(bite["chances"][CHANCES.index(str(TRUE_BLAME[bite["cause"]]))])

    pairs = Counter((bite["cause"], bite["blamed"]) for bite in lost)
    return {
        "arm": arm,
        "taken": len(taken),
        "lost": len(lost),
        "causes": [price(cause) for cause in CAUSES],
        "confusion": {cause: {blamed: pairs[cause, blamed] for blamed in BLAMED} for cause in CAUSES},
        "agreed": fraction(lambda bite: bite["blamed"] == TRUE_BLAME[bite["cause"]]),
        "unseen": fraction(lambda bite: bite["blamed"] == SUCCESS),
        "belief_in_true_cause": fraction(belief, can_blame),
    }


def differences(results: Results[Any]) -> Table:
    """Return every measure of the last arm of each menu less that of the other arms, participant by participant."""
    study, rows = results.study, []
    for last, rival in ((arms[-1], rival) for arms in map(study.arms_at, study.places) for rival in arms[:-1]):
        gaps = [results.difference(measure.name, last, rival) for measure in study.measures]
        cells = [f"{gap.mean:+.2f} ({gap.ci[0]:+.2f} to {gap.ci[1]:+.2f}), p {gap.p:.2g}" for gap in gaps]
        rows.append((f"{last} against {rival}", *cells))
    return Table(CAPTIONS["differences"], ("difference", *(measure.label for measure in study.measures)), tuple(rows))


def questions_asked(results: Results[Any]) -> Table:
    """Return the number of questions by module."""
    rows = tuple((arm, *(f"{count:.2f}" for count in questions(results, arm).values())) for arm in results.study.arms)
    return Table(CAPTIONS["questions"], ("method", *MODULES), rows)


def by_day(results: Results[Any]) -> Table:
    """Return the measures that a memory changes, day by day."""
    study, days = results.study, range(1, len(results.study.places[0].plates) + 1)
    rows = tuple(
        (f"{arm}: {study.measure(name).label}", *(shown(results.mean(name, arm, where(meal=day))) for day in days))
        for arm in study.arms
        for name in OF_A_DAY
    )
    return Table(CAPTIONS["days"], ("method", *(f"day {day}" for day in days)), rows)


def by_people(results: Results[Any]) -> Table:
    """Return successful bites and questions by how carefully people answer and how they point."""
    arms, rows = results.study.arms, []
    for chosen in (*(where(care=str(care)) for care in Care), *(where(motor=motor) for motor in PROFILES)):
        if count := results.count(chosen):
            means = [[results.mean(measure, arm, chosen).value for measure in ("bites", "queries")] for arm in arms]
            rows.append((f"{chosen[0][1]} ({count})", *(f"{bites:.2f} / {asked:.1f}" for bites, asked in means)))
    return Table(CAPTIONS["people"], ("people", *arms), tuple(rows))


def losses(triages: Sequence[Triage]) -> Table:
    """Return lost bites by cause, with their shares."""
    rows = []
    for lost in triages:
        cells = [f"{cause['bites']} ({share(cause['share'])})" if cause["bites"] else "0" for cause in lost["causes"]]
        rows.append((lost["arm"], f"{lost['lost']} of {lost['taken']}", *cells))
    return Table(CAPTIONS["losses"], ("method", "lost", *CAUSES), tuple(rows))


def confusion(lost: Triage) -> Table:
    """Return the numbers of lost bites by cause and by the robot's blame."""
    counts = lost["confusion"].items()
    rows = tuple((cause, *map(str, row.values())) for cause, row in counts if any(row.values()))
    caption = CAPTIONS["confusion"].format(arm=lost["arm"], **{name: share(lost[name]) for name in SHARES})
    return Table(caption, ("what was wrong", *BLAMED), rows)


def costs(triages: Sequence[Triage]) -> Table:
    """Return the costs of lost bites."""
    causes = [(lost["arm"], cause) for lost in triages for cause in lost["causes"] if cause["bites"]]
    rows = tuple(
        (arm, cause["cause"], *(str(cause[name]) for name in PRICES), f"{cause['J_true']:.1f}") for arm, cause in causes
    )
    return Table(CAPTIONS["costs"], ("method", "cause", "bites", "wrong bites", "questions", "attempts", "J"), rows)
