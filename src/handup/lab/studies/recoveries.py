"""Study `recoveries`: runs of the kitting task with and without rules and people, chapter 2 of the dissertation."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate, intervals
from handup.core.files import shipped_data
from handup.domains.kitting.rates import rates_digest
from handup.domains.kitting.variants import VARIANTS, variant
from handup.lab.engine import Claim, Drawing, JudgedClaim, Measure, Place, Results, Section, Study, Table, stats
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Row, Where, where
from handup.lab.engine.report import claims_table
from handup.lab.engine.stats import Vector
from handup.lab.engine.study import Files, count_option, seed_option
from handup.lab.engine.table import share, shown
from handup.lab.studies.recovery_runs import FACTORS, make, rates_on

Runs = Results[Any]
WORDS = shipped_data(__file__, "recoveries.yaml")
FIRST_SEED = 1000
"""First seed of the study; smaller ones were used while the rules were written."""
RUNS, QUICK_RUNS = 200, 12
GIVING_UP = ("begin_another_kit", "begin_the_kit_anew")
"""Rules that put a kit away unfinished."""
MOST_RULES = 20
"""Number of the most used rules that are listed."""
LONG_S = 6000.0
"""Time from which on hours are shown instead of minutes."""
DAYS = (
    Place(name="usual", about="the world's own rates of faults", settings=where(day="usual")),
    # Declared with the study: at the usual rates the time is the limit, not the faults.
    Place(name="hard", about="everything goes wrong three times as often", settings=where(day="hard")),
)
MEASURES = (
    Measure(name="kits", label="kits", alike=0.1),
    Measure(name="points", label="points", alike=0.7),
    Measure(name="interventions", label="interventions", alike=0.25),
    Measure(name="questions", label="questions", alike=0.25),
    Measure(name="alone", label="share of runs without an intervention", alike=0.05,
            of=lambda row: row["interventions"] == 0),
    Measure(name="faults", label="failures"),
    Measure(name="recoveries", label="recoveries", of=lambda row: sum(row["recoveries"].values())),
    Measure(name="given_up", label="kits given up",
            of=lambda row: sum(row["recoveries"].get(name, 0) for name in GIVING_UP)),
    Measure(name="unresolved", label="unresolved failures"),
    Measure(name="up_s", label="nominal time, s", of=lambda row: row["ended_s"] - row["waited_s"]),
    Measure(name="down_s", label="time in need of somebody, s", of=lambda row: row["waited_s"] + row["lost_s"]),
    Measure(name="all_s", label="time, s", of=lambda row: row["ended_s"] + row["lost_s"]),
)  # fmt: skip
PUBLISHED = ("kits", "points", "interventions", "questions", "alone", "faults", "recoveries", "given_up")
RATIOS = {
    "mtbi_s": ("up_s", "interventions"),
    "mtci_s": ("down_s", "interventions"),
    "availability": ("up_s", "all_s"),
    "recoveries_per_kit": ("recoveries", "kits"),
    "unresolved_share": ("unresolved", "faults"),
}
TURNED = ("mtbi_s", "recoveries_per_kit")
"""Ratios whose lower part may be 0 in a resample: their intervals are those of the ratio turned over."""
SPENT_S: Mapping[str, Callable[[Row, float], float]] = {
    "works alone": lambda row, run_s: row["ended_s"] - row["waited_s"],
    "waits for people": lambda row, run_s: row["waited_s"],
    "stands still: broke off": lambda row, run_s: row["lost_s"],
    "no time for another kit": lambda row, run_s: max(run_s - row["ended_s"] - row["lost_s"], 0.0),
}
"""Uses of the time of a run: functions of its row and of the time limit, in seconds."""


def pooled(results: Runs, name: str, arm: str, at: Where) -> Estimate:
    """Return one of `RATIOS`, of all runs together.

    Without any intervention the time between two is infinite, that for one is 0, and the availability 1; without any
    kit, recoveries per kit are infinite.
    """
    above, below = RATIOS[name]
    if name not in TURNED:
        return results.ratio(above, below, arm, at)
    if results.values(below, arm, at).any() and not results.values(above, arm, at).any():
        return Estimate(0.0, (0.0, 0.0))
    rate = results.ratio(below, above, arm, at)
    value, high, low = (1.0 / number if number > 0.0 else math.inf for number in (rate.value, *rate.ci))
    return Estimate(value, (low, high))


def availability_difference(results: Runs, arm: str, than: str, at: Where) -> Estimate:
    """Return the difference in availability of two arms, resampling both with the same runs."""
    ours, theirs = ([results.values(name, way, at) for name in ("up_s", "all_s")] for way in (arm, than))

    def gap(weights: Vector) -> Vector:
        return np.asarray((weights @ ours[0]) / (weights @ ours[1]) - (weights @ theirs[0]) / (weights @ theirs[1]))

    return intervals({"gap": gap}, results.count(at))["gap"]


def ends_later_s(results: Runs, arm: str, at: Where) -> float | None:
    """Return the mean delay of an arm's end against ours, over pairs that both end early, alone, with equal kits.

    None if there is no such pair of runs. It shows the time saved in runs that the time does not limit.
    """
    limit_s = rates_on(str(dict(at)["day"])).run_s
    pairs = zip(results.rows(arm, at), results.rows(results.study.ours, at), strict=True)
    gaps = [
        theirs["ended_s"] - ours["ended_s"]
        for theirs, ours in pairs
        if theirs["kits"] == ours["kits"]
        and not (theirs["broke_off"] or ours["broke_off"])
        and max(theirs["ended_s"], ours["ended_s"]) < limit_s
    ]
    return float(np.mean(gaps)) if gaps else None


def endings(results: Runs, arm: str, at: Where) -> dict[str, int]:
    """Return the number of runs by ending."""
    return dict(sorted(Counter(row["ending"] for row in results.rows(arm, at)).items()))


def rule_uses(results: Runs, arm: str, at: Where) -> dict[str, int]:
    """Return the uses of each rule in all runs, the most used first."""
    uses = sum((Counter(row["recoveries"]) for row in results.rows(arm, at)), Counter[str]())
    return dict(sorted(uses.items(), key=lambda use: (-use[1], use[0])))


class RecoveryStudy(Study):
    """Runs of the kitting task, with tables and figures of their own."""

    def decides(self, arm: str, place: Place) -> str:
        """Return the definition of a way of running and the factor of the day's fault rates."""
        return json.dumps([asdict(variant(arm)), FACTORS[place["day"]]], sort_keys=True, default=str)

    def versions(self) -> Mapping[str, str]:
        """Return the digest of the world's numbers, and numpy's version."""
        return {"rates": rates_digest(), "numpy": np.__version__}

    def where_label(self, where: Where) -> str:
        """Return the day."""
        return "".join(f" on a {value} day" for _, value in where)

    def answer(self, results: Runs, judged: Sequence[JudgedClaim]) -> str:
        """Return the kits of our way, and its runs without an intervention, on each day."""
        runs, parts = results.count(), []
        for day in self.places:
            kits, alone = (results.mean(name, self.ours, day.settings).value for name in ("kits", "alone"))
            need = f"{alone * runs:.0f} of {runs} runs need nobody"
            parts.append(f"on a {day.name} day '{self.ours}' builds {kits:.2f} kits a run, and {need}")
        return f"O{'; '.join(parts)[1:]}."

    def figures(self, results: Runs, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the outcomes of each way, and the use of the 45 minutes."""
        return outcomes(results), minutes(results)

    def sections(self, results: Runs, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the tables: means and reliability first, then pairs, endings, rules and the ways of running."""
        means, reliability, differences, ended = TABLES
        first = [table(results, day) for day in self.places for table in (means, reliability)]
        pairs = [table(results, day) for day in self.places for table in (differences, ended)]
        ways = tuple((arm, variant(arm).about) for arm in self.arms)
        return (
            Section("What came out", (*drawings, *first)),
            Section(f"Against '{self.ours}', run by run", tuple(pairs)),
            Section("Which rules were used", (rules_table(results),)),
            Section("What is compared", (Table("The ways of running", ("way of running", "what it is"), ways),)),
        )

    def record(self, results: Runs, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return numbers by day and way, claims and tables."""
        tables = [table(results, day) for day in self.places for table in TABLES]
        tables += [rules_table(results), claims_table(judged, self.rules)]
        return {
            "runs": results.count(),
            "days": {day.name: FACTORS[day.name] for day in self.places},
            "measures": {
                day.name: {arm: _numbers(results, arm, day.settings) for arm in self.arms} for day in self.places
            },
            "claims": [claimed.to_json() for claimed in judged],
            "tables": [asdict(table) for table in tables],
        }

    def files(self, results: Runs, stamp: Mapping[str, str]) -> Files:
        """Return the rows; counts by name are written `name×count`."""
        made = {
            batch: {**columns, **{name: list(map(_counts, columns[name])) for name in ("failures", "recoveries")}}
            for batch, columns in results.made.items()
        }
        return super().files(replace(results, made=made), stamp)


def _counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name}×{count}" for name, count in sorted(counts.items()))


def _numbers(results: Runs, arm: str, at: Where) -> dict[str, Any]:
    return {
        **{name: results.mean(name, arm, at).to_json() for name in PUBLISHED},
        **{name: finite_json(pooled(results, name, arm, at)) for name in RATIOS},
        "nominal_hours": _hours(results, arm, at),
        "ends_later_s": ends_later_s(results, arm, at),
        "endings": endings(results, arm, at),
        "rules": rule_uses(results, arm, at),
    }


def _hours(results: Runs, arm: str, at: Where) -> float:
    return float(results.values("up_s", arm, at).sum()) / 3600.0


def finite_json(found: Estimate) -> dict[str, Any]:
    """Return an estimate for JSON, which has no infinity."""
    value, low, high = (number if math.isfinite(number) else None for number in (found.value, *found.ci))
    return {"value": value, "ci": [low, high]}


def _table(name: str, results: Runs, day: Place, rows: Iterable[tuple[str, ...]], *more: str) -> Table:
    """Return a table of one day with the caption and the columns of that name, and more columns."""
    words, ours = WORDS["tables"][name], results.study.ours
    caption = words["caption"].format(Day=day.name.capitalize(), about=day.about, runs=results.count(), ours=ours)
    return Table(caption, (*words["columns"], *more), tuple(rows))


def means_table(results: Runs, day: Place) -> Table:
    """Return the mean outcomes of each way of running."""
    digits = {"kits": 2, "points": 1, "interventions": 2, "questions": 2, "alone": None, "faults": 1}

    def cells(arm: str) -> Iterator[str]:
        for name, places in digits.items():
            found = results.mean(name, arm, day.settings)
            yield share(found) if places is None else shown(found, places)

    return _table("means", results, day, ((arm, *cells(arm)) for arm in results.study.arms))


def reliability_table(results: Runs, day: Place) -> Table:
    """Return the time between interventions, the time for one, and the availability."""

    def cells(arm: str) -> Iterator[str]:
        between, for_one, up, per_kit, unresolved = (pooled(results, name, arm, day.settings) for name in RATIOS)
        none = f"none in {_hours(results, arm, day.settings):.0f} h"
        yield time_shown(between) if math.isfinite(between.value) else none
        yield time_shown(for_one)
        yield share(up)
        yield shown(per_kit, 1).replace("inf", "∞") if math.isfinite(per_kit.value) else "no kit"
        yield share(unresolved)
        yield shown(results.mean("given_up", arm, day.settings))

    return _table("reliability", results, day, ((arm, *cells(arm)) for arm in results.study.arms))


def time_shown(found: Estimate) -> str:
    """Return a time with its interval, in minutes or hours; a dash for none."""
    unit, seconds = ("min", 60.0) if found.value < LONG_S else ("h", 3600.0)
    low, high = (end / seconds for end in found.ci)
    top = "∞" if math.isinf(high) else f"{high:.1f}"
    return f"{found.value / seconds:.1f} {unit} ({low:.1f}–{top})" if found.value else "–"


def differences_table(results: Runs, day: Place) -> Table:
    """Return the differences of our way and each other way, seed by seed."""
    rows, ours = [], results.study.ours
    for arm in (arm for arm in results.study.arms if arm != ours):
        gaps = [results.difference(name, ours, arm, day.settings) for name in ("kits", "points", "interventions")]
        free = availability_difference(results, ours, arm, day.settings)
        low, high = (100 * end for end in free.ci)
        cells = [f"{gap.mean:+.2f} ({gap.ci[0]:+.2f} to {gap.ci[1]:+.2f})" for gap in gaps]
        cells.append(f"{100 * free.value:+.0f} ({low:+.0f} to {high:+.0f})")
        rows.append((arm, *cells, f"{gaps[0].more} / {gaps[0].same} / {gaps[0].less}", f"{gaps[0].p:.2g}"))
    return _table("differences", results, day, rows)


def endings_table(results: Runs, day: Place) -> Table:
    """Return the number of runs by ending, for each way."""
    counts = {arm: endings(results, arm, day.settings) for arm in results.study.arms}
    names = sorted({name for ended in counts.values() for name in ended})
    rows = ((arm, *(str(ended.get(name, 0)) for name in names)) for arm, ended in counts.items())
    return _table("endings", results, day, rows, *names)


def rules_table(results: Runs) -> Table:
    """Return the rules that our way used most."""
    days, ours = results.study.places, results.study.ours
    uses = [rule_uses(results, ours, day.settings) for day in days]
    about = {rule.name: rule.about for rule in variant(ours).recoveries()}
    names = list(rule_uses(results, ours, ()))
    rows = tuple(
        (f"`{name}`", *(f"{counts.get(name, 0) / results.count():.2f}" for counts in uses), about.get(name, ""))
        for name in names[:MOST_RULES]
    )
    caption = f"The rules that '{ours}' used most, in uses per run; {len(names)} of {len(about)} were used at all"
    return Table(caption, ("rule", *(f"{day.name} day" for day in days), "what it does"), rows)


def outcomes(results: Runs) -> Drawing:
    """Draw kits, differences, interventions and availability of each way."""
    from handup.lab.engine.figures import Of, overview  # noqa: PLC0415 - drawing is an extra

    ours = results.study.ours

    def against(arm: str, day: Place) -> Estimate | None:
        gap = results.difference("kits", ours, arm, day.settings)
        return None if arm == ours else Estimate(gap.mean, gap.ci)

    panels: Mapping[str, Of] = {
        "kits in 45 minutes": lambda arm, day: results.mean("kits", arm, day.settings),
        f"kits that '{ours}' has more": against,
        "interventions per run": lambda arm, day: results.mean("interventions", arm, day.settings),
        "availability": lambda arm, day: pooled(results, "availability", arm, day.settings),
    }
    return overview(results, panels, WORDS["figures"]["outcomes"])


def minutes(results: Runs) -> Drawing:
    """Draw the mean use of the 45 minutes."""
    from handup.lab.engine.figures import overview  # noqa: PLC0415 - drawing is an extra

    def spent(of: Callable[[Row, float], float], arm: str, day: Place) -> Estimate:
        run_s = rates_on(day.name).run_s
        return stats.mean(np.array([of(row, run_s) / 60.0 for row in results.rows(arm, day.settings)]))

    panels = {f"minutes: {what}": partial(spent, of) for what, of in SPENT_S.items()}
    name, note = f"{results.study.name}-minutes", WORDS["figures"]["minutes"]
    return overview(results, panels, note, name=name, title="Where 45 minutes go (simulated)")


def _on(claim: Claim, day: Place) -> Claim:
    """Return a claim as it is made about one day."""
    bars = tuple(replace(bar, where=day.settings) for bar in claim.bars)
    text = f"{claim.text} ({day.name.capitalize()} day.)"
    return replace(claim, name=f"{claim.name}, {day.name} day", text=text, bars=bars)


TABLES = (means_table, reliability_table, differences_table, endings_table)
PAPERS, NOT_TOLD, OURS = (read_claims(__file__, "recoveries.yaml", group) for group in ("papers", "not told", "ours"))
STUDY = RecoveryStudy(
    **WORDS["study"],
    make=make,
    arms=tuple(VARIANTS),
    ours="full",
    places=DAYS,
    measures=MEASURES,
    claims=(
        *(_on(claim, day) for claim in PAPERS for day in DAYS),
        *NOT_TOLD,
        *(_on(claim, day) for day in DAYS for claim in OURS),
    ),
    options=(
        count_option("Runs of each way on each day", RUNS, QUICK_RUNS, least=2, most=10_000),
        seed_option(FIRST_SEED),
    ),
)  # fmt: skip
