"""The tables of a study of meals, once, for the page, for the docs and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handup.domains.feeding.judging import MODULES, Cause
from handup.lab.meals.blame import BLAMED
from handup.lab.meals.claim import Part
from handup.lab.meals.definition import Sitting
from handup.lab.meals.judging import RULES, Judged
from handup.lab.meals.results import Results
from handup.lab.meals.triage import Triage
from handup.lab.study.bars import claims_table
from handup.lab.study.tables import Table, share, shown
from handup.people import PROFILES, Care

HEADINGS = {
    "bites": "bites of 5",
    "wrong": "wrong bites",
    "queries": "questions",
    "executions": "attempts",
    "workload": "workload",
    "J": "J",
    "J_true": "J, true",
    "labels": "questions about food and skill",
    "recalls": "recalls",
    "wrong_recalls": "wrong recalls",
}
OF_A_DAY = ("queries", "labels", "bites", "recalls", "wrong_recalls")


def tables(results: Results, triages: Sequence[Triage]) -> Iterator[Table]:
    """All of them: what came out, against each other, by skill and by hand, and the lost bites."""
    yield from came_out(results)
    yield losses(triages)
    yield from (confusion(each) for each in triages)
    yield costs(triages)


def came_out(results: Results) -> Iterator[Table]:
    """Those of measures. Day by day only where a robot remembers: otherwise meals do not know of each other."""
    yield measures(results)
    yield differences(results)
    yield questions(results)
    if results.study.remembers:
        yield by_day(results)
    yield by_people(results)


def measures(results: Results) -> Table:
    """Every measure of every arm."""
    bites, names = str(results.study.bites), results.study.measures
    headings = (HEADINGS[name].replace("5", bites) for name in names)
    rows = tuple(
        (f"`{label}`", *(shown(results.mean(name, label)) for name in names)) for label in results.study.labels
    )
    caption = (
        f"Means per meal with 95 % bootstrap intervals over {results.participants} simulated participants, "
        f"plates each: {results.plates}, looks {results.size.looks}"
    )
    return Table(caption, ("method", *headings), rows)


def differences(results: Results) -> Table:
    """Every measure of the last arm of each menu less that of each other one of it, participant by participant."""
    rows, names = [], results.study.measures
    for *others, last in results.study.menus:
        for other in others:
            found = [results.difference(name, last.label, other.label) for name in names]
            cells = [f"{each.mean:+.2f} ({each.ci[0]:+.2f} to {each.ci[1]:+.2f}), p {each.p:.2g}" for each in found]
            rows.append((f"`{last.label}` against `{other.label}`", *cells))
    caption = (
        "What the first has more than the second, person by person, with 95 % intervals; p of Wilcoxon's test, not "
        "corrected"
    )
    return Table(caption, ("difference", *(HEADINGS[name] for name in names)), tuple(rows))


def questions(results: Results) -> Table:
    """What questions are about."""
    rows = tuple(
        (f"`{label}`", *(f"{results.questions(label)[module]:.2f}" for module in MODULES))
        for label in results.study.labels
    )
    return Table("Questions per meal, by what they are about", ("method", *MODULES), rows)


def by_day(results: Results) -> Table:
    """What matters of a memory, day by day."""
    days = range(1, results.plates + 1)
    rows = tuple(
        (
            f"`{label}`: {HEADINGS[name]}",
            *(shown(results.mean(name, label, Part(meals=(day,)))) for day in days),
        )
        for label in results.study.labels
        for name in OF_A_DAY
    )
    return Table("Day by day, with 95 % intervals", ("method", *(f"day {day}" for day in days)), rows)


def by_people(results: Results) -> Table:
    """Successful bites, and questions, by how carefully people answer and how they point."""
    groups = [("care", str(care)) for care in Care] + [("motor", name) for name in PROFILES]
    rows = []
    for kind, name in groups:
        chosen = [
            number
            for number, sitting in enumerate(_sittings(results))
            if str(getattr(sitting.participant, kind)) == name
        ]
        if chosen:
            cells = [
                f"{results.values('bites', label)[chosen].mean():.2f} / "
                f"{results.values('queries', label)[chosen].mean():.1f}"
                for label in results.study.labels
            ]
            rows.append((f"{name} ({len(chosen)})", *cells))
    labels = tuple(f"`{label}`" for label in results.study.labels)
    return Table("Successful bites / questions per meal, by participants (how many)", ("people", *labels), tuple(rows))


def losses(triages: Sequence[Triage]) -> Table:
    """Lost bites by cause, with their shares."""
    rows = []
    for each in triages:
        cells = [f"{lost.bites} ({share(lost.share)})" if lost.bites else "0" for lost in each.lost]
        rows.append((f"`{each.arm}`", f"{each.total} of {each.taken}", *cells))
    caption = "Lost bites by their one cause, and the share of each with its 95 % interval over participants"
    return Table(caption, ("method", "lost", *(str(cause) for cause in Cause)), tuple(rows))


def confusion(found: Triage) -> Table:
    """What was wrong against what the robot blamed."""
    rows = tuple(
        (cause, *(str(row[blamed]) for blamed in BLAMED)) for cause, row in found.confusion.items() if sum(row.values())
    )
    caption = (
        f"`{found.arm}`: what was wrong (rows) against what the robot blamed (columns). It blamed the true cause of "
        f"{share(found.agreed)} of the lost bites, took {share(found.unseen)} for a success, and held the true cause "
        f"{share(found.belief)} likely where it saw a failure"
    )
    return Table(caption, ("what was wrong", *BLAMED), rows)


def costs(triages: Sequence[Triage]) -> Table:
    """What lost bites cost."""
    rows = tuple(
        (
            f"`{each.arm}`",
            lost.cause,
            str(lost.bites),
            str(lost.wrong),
            str(lost.questions),
            str(lost.attempts),
            f"{lost.J_true:.1f}",
        )
        for each in triages
        for lost in each.lost
        if lost.bites
    )
    caption = (
        "What lost bites cost, all meals together; J above what as many bites that were got cost the same method on "
        "average"
    )
    return Table(caption, ("method", "cause", "bites", "wrong bites", "questions", "attempts", "J"), rows)


def markdown(results: Results, triages: Sequence[Triage], judged: Sequence[Judged]) -> str:
    """Everything, for a page of the docs."""
    return "\n\n".join(each.markdown() for each in (*tables(results, triages), claims_table(judged, RULES))) + "\n"


def _sittings(results: Results) -> Iterator[Sitting]:
    first = results.study.labels[0]
    return (sitting for sitting in results.eaten if sitting.arm.label == first)
