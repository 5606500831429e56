"""Study `helper-roles`: interventions by who helps, with which lag and suggestions, and for how many robots."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate
from handup.core.files import shipped_data
from handup.domains.kitting.rates import rates_digest
from handup.lab.engine import Drawing, JudgedClaim, Measure, Place, Results, Section, Study, Table
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Row, Where, where
from handup.lab.engine.report import claims_table
from handup.lab.engine.study import count_option, seed_option
from handup.lab.engine.table import share, shown
from handup.lab.studies.crew_runs import NUMBERS, crews, make_roles, rates_of
from handup.lab.studies.recoveries import finite_json, pooled, time_shown

Roles = Results[Any]
WORDS = shipped_data(__file__, "helper_roles.yaml")
FIRST_SEED, RUNS, QUICK_RUNS = 3000, 200, 12
ONE = "operator, both"
"""The operator who serves several robots, with one."""
WITH_HELPERS = ("bystander", "operator", ONE, "operator first")
ROBOTS: Mapping[str, int] = {ONE: 1, **{f"{count} robots": count for count in NUMBERS["robots"]}}


def _each(of: Callable[[Row], float]) -> Callable[[Row], float]:
    """Return a function that divides a number of a crew among its robots."""
    return lambda row: of(row) / row["robots"]


def _mean_time(part: Callable[[Row], float], below: Callable[[Row], float]) -> Callable[[Row], float]:
    return lambda row: part(row) / below(row) if below(row) else math.nan


def _answered(row: Row) -> float:
    return float(row["interventions"] - row["broke_off"])


def _down_s(row: Row) -> float:
    return float(row["waited_s"] + row["lost_s"])


def _up_s(row: Row) -> float:
    return float(row["ended_s"] - row["waited_s"])


def _all_s(row: Row) -> float:
    return float(row["ended_s"] + row["lost_s"])


MEASURES = (
    Measure(name="kits", label="kits per robot", alike=0.1, of=_each(lambda row: row["kits"])),
    Measure(name="interventions", label="interventions per robot", alike=0.25,
            of=_each(lambda row: row["interventions"])),
    Measure(name="bystander_calls", label="calls of the bystander", alike=0.25,
            of=_each(lambda row: row["bystander_calls"])),
    Measure(name="broke_off", label="share of runs that broke off", of=_each(lambda row: row["broke_off"])),
    Measure(name="mtci_s", label="time for an intervention, s", alike=5.0,
            of=_mean_time(_down_s, lambda row: row["interventions"])),
    Measure(name="answered_s", label="time for one that was answered, s", alike=2.0,
            of=_mean_time(lambda row: row["waited_s"], _answered)),
    Measure(name="availability", label="availability", alike=0.02, of=lambda row: _up_s(row) / _all_s(row)),
    Measure(name="busy", label="operator busy", of=lambda row: row["busy_s"] / rates_of("usual").run_s),
    Measure(name="waited_s", label="waiting and help, s", of=_each(lambda row: row["waited_s"])),
    Measure(name="queued_s", label="time in the queue, s", of=_each(lambda row: row["queued_s"])),
    Measure(name="questions", label="questions per robot", of=_each(lambda row: row["questions"])),
    Measure(name="answered", label="answered interventions", of=_each(_answered)),
    Measure(name="up_s", label="nominal time, s", of=_each(_up_s)),
    Measure(name="down_s", label="time in need of somebody, s", of=_each(_down_s)),
    Measure(name="all_s", label="time, s", of=_each(_all_s)),
)  # fmt: skip


def answered_s(results: Roles, arm: str, at: Where) -> Estimate:
    """Return the mean time of an intervention that was answered, over all of them."""
    return results.ratio("waited_s", "answered", arm, at)


def classical_fan_out(results: Roles, at: Where) -> float:
    """Return NT / IT + 1: how many robots an operator serves if each waits for nobody else."""
    return pooled(results, "mtbi_s", ONE, at).value / answered_s(results, ONE, at).value + 1.0


def robots_served(results: Roles, at: Where) -> int:
    """Return the largest crew in which each robot keeps most of the availability of one alone."""
    least = float(NUMBERS["kept"]) * pooled(results, "availability", ONE, at).value
    return max(count for arm, count in ROBOTS.items() if pooled(results, "availability", arm, at).value >= least)


class RoleStudy(Study):
    """Robots with helpers, with tables and a figure of their own."""

    def decides(self, arm: str, place: Place) -> str:
        """Return the crew, the rules and the factor of the day's fault rates."""
        day, rules = NUMBERS["days"][place["day"]], NUMBERS["rules"][place["rules"]]
        return json.dumps([asdict(crews()[arm]), day, rules], sort_keys=True, default=str)

    def versions(self) -> Mapping[str, str]:
        """Return the digest of the world's numbers, and numpy's version."""
        return {"rates": rates_digest(), "numpy": np.__version__}

    def where_label(self, where: Where) -> str:
        """Return the rules."""
        return "".join(f" with {value} of the rules" for name, value in where if name == "rules")

    def answer(self, results: Roles, judged: Sequence[JudgedClaim]) -> str:
        """Return the time for an intervention by role, and the fan-out by the number of rules."""
        half = self.places[0].settings
        by_role = (f"{answered_s(results, arm, half).value:.0f} s ({arm})" for arm in WITH_HELPERS)
        served = (
            f"{robots_served(results, place.settings)} robots with {place['rules']} of the rules"
            for place in self._with_crews
        )
        half_takes = f"With half of the rules an answered intervention takes {', '.join(by_role)}"
        return f"{half_takes}; one operator serves {' and '.join(served)}."

    @property
    def _with_crews(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if set(ROBOTS) <= set(self.arms_at(place)))

    def figures(self, results: Roles, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the time for an intervention, interventions and availability of each crew."""
        from handup.lab.engine.figures import overview  # noqa: PLC0415 - drawing is an extra

        panels = {
            "minutes per answered one": lambda arm, at: _in_minutes(answered_s(results, arm, at.settings)),
            "interventions per robot": lambda arm, at: results.mean("interventions", arm, at.settings),
            "availability": lambda arm, at: pooled(results, "availability", arm, at.settings),
        }
        return (overview(results, panels, WORDS["figure"]["caption"]),)

    def sections(self, results: Roles, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the tables: by role, by lag and information, and by the number of robots."""
        roles, lag, crews = self._tables(results)
        return (
            Section("What came out", (*drawings, *roles)),
            Section("Lag and information", lag),
            Section("One operator for several robots", crews),
        )

    def record(self, results: Roles, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the usual keys, the pooled times, the fan-out and the tables."""

        def times(arm: str, at: Where) -> dict[str, Any]:
            found = {name: pooled(results, name, arm, at) for name in ("mtbi_s", "mtci_s", "availability")}
            found["answered_s"] = answered_s(results, arm, at)
            return {name: finite_json(value) for name, value in found.items()}

        claims = claims_table(judged, f"{self.title}: the claims. {self.rules}")
        return {
            "runs": results.count(),
            **super().record(results, judged),
            "pooled": {at.name: {arm: times(arm, at.settings) for arm in self.arms_at(at)} for at in self.places},
            "fan_out": {
                at.name: {
                    "classical": classical_fan_out(results, at.settings),
                    "served": robots_served(results, at.settings),
                }
                for at in self._with_crews
            },
            "tables": [asdict(table) for table in (*sum(self._tables(results), ()), claims)],
        }

    def _tables(self, results: Roles) -> tuple[tuple[Table, ...], ...]:
        return (
            tuple(roles_table(results, place) for place in self.places),
            (lag_table(results),),
            tuple(crews_table(results, place) for place in self._with_crews),
        )


def _in_minutes(found: Estimate) -> Estimate:
    low, high = found.ci
    return Estimate(found.value / 60.0, (low / 60.0, high / 60.0))


def _seconds(found: Estimate) -> str:
    return f"{shown(found, 0)} s"


def _table(name: str, results: Roles, rows: Sequence[tuple[str, ...]], *more: str, **words: Any) -> Table:
    text = WORDS["tables"][name]
    caption = text["caption"].format(runs=results.count(), **words)
    return Table(caption, (*text["columns"], *more), tuple(rows))


def roles_table(results: Roles, place: Place) -> Table:
    """Return times and means by who helps."""
    at = place.settings

    def cells(arm: str) -> tuple[str, ...]:
        counts = (shown(results.mean(name, arm, at)) for name in ("interventions", "bystander_calls"))
        return (
            *(time_shown(pooled(results, name, arm, at)) for name in ("mtbi_s", "mtci_s")),
            _seconds(answered_s(results, arm, at)),
            share(pooled(results, "availability", arm, at)),
            *counts,
            share(results.mean("broke_off", arm, at)),
            shown(results.mean("kits", arm, at)),
        )

    rows = [(arm, *cells(arm)) for arm in WITH_HELPERS]
    return _table("roles", results, rows, rules=place["rules"], about=place.about)


def lag_table(results: Roles) -> Table:
    """Return what lag and information do, for an operator with half of the rules."""
    at = results.study.places[0].settings

    def cell(arm: str) -> str:
        needed = shown(results.mean("interventions", arm, at), 1)
        return f"{_seconds(answered_s(results, arm, at))}; {share(pooled(results, 'availability', arm, at))}; {needed}"

    lags = {lag_s: f", {lag_s} s" if lag_s else "" for lag_s in NUMBERS["lags_s"]}
    about = {"none": "", **{name: f", {name}" for name in NUMBERS["information"]}}
    rows = [(name, *(cell(f"operator{lag}{told}") for lag in lags.values())) for name, told in about.items()]
    return _table("lag", results, rows, *(f"lag {lag_s} s" for lag_s in lags))


def crews_table(results: Roles, place: Place) -> Table:
    """Return what becomes of several robots with one operator."""
    at = place.settings

    def cells(arm: str, count: int) -> tuple[str, ...]:
        up = pooled(results, "availability", arm, at)
        low, high = up.ci
        return (
            share(results.mean("busy", arm, at)),
            _seconds(results.ratio("queued_s", "questions", arm, at)),
            _seconds(answered_s(results, arm, at)),
            time_shown(pooled(results, "mtci_s", arm, at)),
            share(up),
            shown(Estimate(count * up.value, (count * low, count * high))),
            shown(results.mean("kits", arm, at)),
        )

    rows = [(str(count), *cells(arm, count)) for arm, count in ROBOTS.items()]
    fan_out, served = f"{classical_fan_out(results, at):.1f}", robots_served(results, at)
    return _table("crews", results, rows, rules=place["rules"], fan_out=fan_out, served=served)


PAPERS, NOT_TOLD, OURS = (read_claims(__file__, "helper_roles.yaml", group) for group in ("papers", "not told", "ours"))
STUDY = RoleStudy(
    **WORDS["study"],
    make=make_roles,
    arms=tuple(crews()),
    ours=ONE,
    places=tuple(
        Place(
            name=f"{name} of the rules",
            about=entry["about"],
            settings=where(rules=name, day=entry["day"]),
            arms=tuple(entry.get("arms", ())),
        )
        for name, entry in WORDS["places"].items()
    ),
    measures=MEASURES,
    claims=(*PAPERS, *NOT_TOLD, *OURS),
    options=(count_option("Runs of each crew", RUNS, QUICK_RUNS, least=2, most=5000), seed_option(FIRST_SEED)),
)
