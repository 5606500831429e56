"""The tables of the study of recoveries, once, for the page, for the docs and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from handup.confidence.bootstrap import Estimate
from handup.domains.kitting.variants import variant
from handup.lab.recoveries.definition import Day
from handup.lab.recoveries.judging import RULES, Judged
from handup.lab.recoveries.results import Results
from handup.lab.study.bars import claims_table
from handup.lab.study.tables import Table, share, shown

MOST_RULES = 20
"""So many of the rules that were used most are listed."""
LONG_S = 6000.0
"""From here on times are told in hours."""


def tables(results: Results) -> Iterator[Table]:
    """All of them, day by day."""
    for day in results.study.days:
        yield measures(results, day)
        yield reliability(results, day)
        yield differences(results, day)
        yield endings(results, day)
    yield rules(results)


def measures(results: Results, day: Day) -> Table:
    """What came out of each way of running."""
    columns = ("way of running", "kits", "points", "interventions", "questions", "runs that needed nobody", "failures")
    rows = tuple(
        (
            way,
            shown(results.mean("kits", way, day.name)),
            shown(results.mean("points", way, day.name), 1),
            shown(results.mean("interventions", way, day.name)),
            shown(results.mean("questions", way, day.name)),
            share(results.mean("alone", way, day.name)),
            shown(results.mean("faults", way, day.name), 1),
        )
        for way in results.study.ways
    )
    caption = (
        f"{day.name.capitalize()} day ({day.about}): means per run of 45 simulated minutes with 95 % bootstrap "
        f"intervals over {results.count} runs; all ways of running have the same seeds"
    )
    return Table(caption, columns, rows)


def reliability(results: Results, day: Day) -> Table:
    """How long between interventions, how long for one, and what is left of the time."""
    columns = ("way of running", "MTBI", "MTCI", "availability", "recoveries per kit", "unresolved", "kits given up")
    rows = tuple(
        (
            way,
            _between(results, way, day),
            _minutes(results.ratio("mtci_s", way, day.name)),
            share(results.ratio("availability", way, day.name)),
            _per_kit(results.ratio("recoveries_per_kit", way, day.name)),
            share(results.ratio("unresolved_share", way, day.name)),
            shown(results.mean("given_up", way, day.name)),
        )
        for way in results.study.ways
    )
    caption = (
        f"{day.name.capitalize()} day: mean time between interventions (all nominal time over all interventions; where "
        "there was none, it is longer than all of it), mean time for one (waiting and help; a run that broke off "
        "stands still for the rest of its time), availability, uses of rules per kit, share of failures that the rules "
        "alone did not get over, and kits put away unfinished per run; 95 % intervals over runs"
    )
    return Table(caption, columns, rows)


def differences(results: Results, day: Day) -> Table:
    """What our way has more than each other one, seed by seed."""
    ours = results.study.ours
    rows = []
    for way in results.study.ways:
        if way != ours:
            kits, points, needed = (
                results.difference(name, ours, way, day.name) for name in ("kits", "points", "interventions")
            )
            free = results.availability_difference(ours, way, day.name)
            cells = [f"{each.mean:+.2f} ({each.ci[0]:+.2f} to {each.ci[1]:+.2f})" for each in (kits, points, needed)]
            low, high = (100 * end for end in free.ci)
            cells += [
                f"{100 * free.value:+.0f} ({low:+.0f} to {high:+.0f})",
                f"{kits.more} / {kits.same} / {kits.less}",
            ]
            rows.append((way, *cells, f"{kits.p:.2g}"))
    caption = (
        f"{day.name.capitalize()} day: what '{ours}' has more than each other way, run by run, with 95 % intervals; p "
        "of Wilcoxon's test on kits, not corrected"
    )
    columns = (
        "other way",
        "kits",
        "points",
        "interventions",
        "availability, %",
        "runs with more / same / less kits",
        "p",
    )
    return Table(caption, columns, tuple(rows))


def endings(results: Results, day: Day) -> Table:
    """How runs ended."""
    names = sorted({name for way in results.study.ways for name in results.endings(way, day.name)})
    rows = tuple(
        (way, *(str(results.endings(way, day.name).get(name, 0)) for name in names)) for way in results.study.ways
    )
    caption = (
        f"{day.name.capitalize()} day: how {results.count} runs ended. *done*: the 45 minutes were over, or in what "
        "was left of them no kit could be finished"
    )
    return Table(caption, ("way of running", *names), rows)


def rules(results: Results) -> Table:
    """The rules that our way used most."""
    ours = results.study.ours
    days = [results.counted("recoveries", ours, day.name) for day in results.study.days]
    about = {each.name: each.about for each in variant(ours).recoveries()}
    names = sorted(
        {name for each in days for name in each}, key=lambda name: (-sum(d.get(name, 0) for d in days), name)
    )
    rows = tuple(
        (f"`{name}`", *(f"{each.get(name, 0) / results.count:.2f}" for each in days), about.get(name, ""))
        for name in names[:MOST_RULES]
    )
    caption = f"The rules that '{ours}' used most, in uses per run; {len(names)} of {len(about)} were used at all"
    return Table(caption, ("rule", *(f"{day.name} day" for day in results.study.days), "what it does"), rows)


def everything(results: Results, judged: Sequence[Judged]) -> tuple[Table, ...]:
    """All tables, and the claims one by one."""
    return (*tables(results), claims_table(judged, RULES))


def markdown(results: Results, judged: Sequence[Judged]) -> str:
    """Everything, for a page of the docs."""
    return "\n\n".join(each.markdown() for each in everything(results, judged)) + "\n"


def _between(results: Results, way: str, day: Day) -> str:
    found = results.ratio("mtbi_s", way, day.name)
    if math.isinf(found.value):
        return f"none in {results.hours(way, day.name):.0f} h"
    return _minutes(found)


def _minutes(found: Estimate) -> str:
    unit, seconds = ("min", 60.0) if found.value < LONG_S else ("h", 3600.0)
    low, high = (each / seconds for each in found.ci)
    top = "∞" if math.isinf(high) else f"{high:.1f}"
    return f"{found.value / seconds:.1f} {unit} ({low:.1f}–{top})" if found.value else "–"


def _per_kit(found: Estimate) -> str:
    return "no kit" if math.isinf(found.value) else shown(found, 1).replace("inf", "∞")
