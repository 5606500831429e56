"""Study `whom`: one decision over people, support, waits and the robot's own recovery, against rules without it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handup.core.files import shipped_data
from handup.lab.engine import (
    Batch,
    Claim,
    Columns,
    Finding,
    JudgedClaim,
    Measure,
    Place,
    Results,
    Section,
    Study,
    StudyOption,
    Table,
    Verdict,
    columns_of,
    seed_option,
    where,
)
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.stats import Difference
from handup.lab.studies.whom.home import DayRun, HomeDay, settings
from handup.lab.studies.whom.rules import ABLATIONS, RULES, rule_of

if TYPE_CHECKING:
    from handup.lab.engine import Drawing

HERE = Path(__file__)
BASE, FIRST_SEED, HOMES, QUICK_HOMES = "base", 50_000, 80, 12
JOINT = ("joint", "joint with a floor")
ABLATED = tuple(f"joint without {part}" for part in ABLATIONS)
SHARE_OF_SETTINGS = 0.8
"""Least share of the settings in which the joint decision must be better than the best other rule."""
MEASURES = tuple(
    Measure(name=name, label=label, alike=alike)
    for name, label, alike in (
        ("value", "value", 0.01),
        ("success", "success", 0.01),
        ("load", "load", 0.01),
        ("resident_load", "load of the resident", 0.01),
        ("inappropriate", "inappropriate interruptions", 0.01),
        ("ignored", "ignored questions", 0.01),
        ("wrong", "wrong answers", 0.01),
        ("asked", "questions", 0.01),
        ("seconds", "seconds", 5.0),
    )
)
"""All of them per fault."""


def make(batch: Batch) -> Columns:
    """Live through the days of a batch of homes with one rule."""
    setting = "" if batch.place.name == BASE else batch.place.name
    return columns_of(_row(batch.arm, setting, seed) for seed in range(batch.first, batch.first + batch.count))


def _row(arm: str, setting: str, seed: int) -> Mapping[str, Any]:
    day = HomeDay(seed, setting)
    tally = asdict(DayRun(day, rule_of(arm, setting, seed)).run())
    tally["success"] = tally.pop("solved")
    return {
        "seed": seed,
        "faults": len(day.faults),
        **{name: round(tally[name] / len(day.faults), 6) for name in tally},
    }


class WhomStudy(Study):
    """Days at home under many settings; in each, the joint decision meets the best of the other rules."""

    def decides(self, arm: str, place: Place) -> str:
        """Return the digest of the constants."""
        return hashlib.sha256(HERE.with_name("world.yaml").read_bytes()).hexdigest()[:12]

    def against_best(self, results: Results[Any]) -> Mapping[str, tuple[str, Difference]]:
        """Return, for each setting, the best other rule and how much more value the joint decision has."""
        found = {}
        for place in self.places:
            best = max(RULES, key=lambda rule: results.mean("value", rule, place.settings).value)
            found[place.name] = (best, results.difference("value", "joint", best, place.settings))
        return found

    def judge(self, results: Results[Any]) -> tuple[JudgedClaim, ...]:
        """Judge the bars of the base, and the settings together."""
        *claims, better, worse = super().judge(results)
        found = {name: difference.ci for name, (_, difference) in self.against_best(results).items() if name != BASE}
        above = sum(low > 0.0 for low, _ in found.values()) / len(found)
        below = [name for name, (_, high) in found.items() if high < 0.0]
        verdict = Verdict.HOLDS if above >= SHARE_OF_SETTINGS else Verdict.FAILS
        told = {f"settings of {len(found)} in which the interval lies above 0": f"{above:.0%}"}
        none = {"settings in which the interval lies below 0": ", ".join(below) or "none"}
        return (
            *claims,
            _found(better.claim, verdict, told),
            _found(worse.claim, Verdict.FAILS if below else Verdict.HOLDS, none),
        )

    def sections(
        self, results: Results[Any], judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]
    ) -> Sequence[Section]:
        """Return the base with its ablations, then one line for each setting."""
        base = self.means_table(results, self.places[0])
        ablated = Table(
            "Value that is lost where one part of the joint decision is left out, with 95 % intervals over homes",
            ("left out", "value lost"),
            tuple((part, _signed(results.difference("value", "joint", f"joint without {part}", AT_BASE)))
                  for part in ABLATIONS),
        )  # fmt: skip
        swept = Table(
            "Value of the joint decision over that of the best other rule, by setting, with 95 % intervals over homes",
            ("setting", "best other rule", "difference"),
            tuple((name, best, _signed(found)) for name, (best, found) in self.against_best(results).items()),
        )
        return (Section("What came out", (*drawings, base, ablated, swept)),)

    def record(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the measures at the base, the difference to the best other rule in each setting, and the claims."""
        means = {arm: results.means((measure.name for measure in MEASURES), arm, AT_BASE) for arm in self.arms}
        return {
            "measures": {
                BASE: {arm: {name: mean.to_json() for name, mean in found.items()} for arm, found in means.items()}
            },
            "settings": {
                name: {
                    "best other rule": best,
                    "difference": round(found.mean, 6),
                    "ci": [round(end, 6) for end in found.ci],
                }
                for name, (best, found) in self.against_best(results).items()
            },
            "claims": [claimed.to_json() for claimed in judged],
        }

    def figures(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw value and load by rule, and the settings."""
        from handup.lab.studies.whom.figures import rules_figure, settings_figure  # noqa: PLC0415 - drawing is an extra

        return rules_figure(results, (*JOINT, *RULES), AT_BASE), settings_figure(self.against_best(results))

    def answer(self, results: Results[Any], judged: Sequence[JudgedClaim]) -> str:
        """Return the result at the base in one sentence."""
        table, floor = (results.difference("value", "joint", rule, AT_BASE) for rule in ("table with gate", "never"))
        ours, best = (results.mean("success", rule, AT_BASE).value for rule in ("joint", "fixed escalation"))
        return (
            f"Deciding about person, support and moment together is worth {_signed(table)} a fault over the table with "
            f"a gate and {_signed(floor)} over never asking, and solves fewer faults: {ours:.2f} against {best:.2f} "
            "with fixed escalation."
        )


def _found(claim: Claim, verdict: Verdict, numbers: Mapping[str, str]) -> JudgedClaim:
    return JudgedClaim(replace(claim, untold=""), Finding(verdict, tuple(numbers.items()), claim.note(verdict)))


def _signed(found: Difference) -> str:
    return f"{found.mean:+.3f} [{found.ci[0]:+.3f}, {found.ci[1]:+.3f}]"


AT_BASE = where(setting=BASE)
STUDY = WhomStudy(
    **shipped_data(__file__, "study.yaml")["study"],
    make=make,
    arms=(*JOINT, *RULES, *ABLATED),
    ours="joint",
    places=(
        Place(name=BASE, settings=AT_BASE),
        *(Place(name=name, settings=where(setting=name), arms=(JOINT[0], *RULES)) for name in settings()),
    ),
    measures=MEASURES,
    claims=read_claims(__file__, "study.yaml"),
    options=(
        StudyOption(
            name="homes",
            help=f"Homes, one day each. Default: {HOMES}, or {QUICK_HOMES} with --quick.",
            default=HOMES,
            quick=QUICK_HOMES,
            least=2,
            most=5_000,
        ),
        seed_option(FIRST_SEED),
    ),
    block=40,
)
