"""Study `recovery-effort`: robustness after each rule that developers add, by number of rules and of iterations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from handup.core.files import shipped_data
from handup.domains.kitting.rates import rates_digest
from handup.domains.kitting.variants import read
from handup.lab.engine import Bar, Drawing, JudgedClaim, Place, Results, Section, Study, Table
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Where, where
from handup.lab.engine.report import claims_table
from handup.lab.engine.study import count_option, seed_option
from handup.lab.engine.table import share, shown
from handup.lab.studies import recoveries
from handup.lab.studies.crew_runs import NUMBERS, make_steps, rules_in, way_of
from handup.lab.studies.recoveries import pooled

Steps = Results[Any]
WORDS = shipped_data(__file__, "recovery_effort.yaml")
FIRST_SEED, RUNS, QUICK_RUNS = 3000, 100, 12
ALL = len(rules_in("files"))
NEEDED = len(NUMBERS["need"])
ALIKE_KITS = 0.1
MEASURES = tuple(
    replace(measure, is_share=measure.name == "alone")
    for measure in recoveries.MEASURES
    if measure.name in ("kits", "interventions", "alone", "faults", "unresolved", "up_s", "down_s", "all_s")
)


def _place(order: str, helper: str) -> Place:
    """Return the steps in an order; with a bystander only those that tables show, and without `last_resort`."""
    most = NEEDED if order == "need" else ALL
    steps = {*range(1, most + 1), ALL}
    if helper == "bystander":
        steps = {step for step in NUMBERS["shown"] if step <= most and "last_resort" not in files_to(step)}
    arms = tuple(str(step) for step in sorted(steps))
    return Place(name=f"{order}, {helper}", settings=where(order=order, helper=helper), arms=arms)


def files_to(rules: int) -> tuple[str, ...]:
    """Return the files that this number of rules needs, in the order of the files."""
    starts = accumulate((len(read((file,))) for file in NUMBERS["order"]), initial=0)
    return tuple(file for file, start in zip(NUMBERS["order"], starts, strict=False) if start < rules)


def iterations(order: str, rules: int) -> int:
    """Return the number of iterations behind this number of rules: files, or trials that led to a rule."""
    return len(files_to(rules)) if order == "files" else rules - 1


def paths(order: str, rules: int) -> int:
    """Return the number of different places in the task that these rules name."""
    chosen = rules_in(order)[:rules]
    return len({rule.when.path for rule in read(tuple(NUMBERS["order"])) if rule.name in chosen})


def steps_table(results: Steps, place: Place) -> Table:
    """Return the steps of development that are shown."""
    at, order = place.settings, place["order"]

    def cells(arm: str) -> tuple[str, ...]:
        count = int(arm)
        means = (shown(results.mean(name, arm, at)) for name in ("kits", "interventions"))
        loops = "–" if order == "need" and count > NEEDED else str(iterations(order, count))
        return (
            *(f"`{rules_in(order)[count - 1]}`", loops, str(paths(order, count))),
            *(*means, share(results.mean("alone", arm, at)), share(pooled(results, "unresolved_share", arm, at))),
        )

    words = WORDS["tables"]["steps"]
    caption = words["caption"].format(order=order, helper=place["helper"], runs=results.count())
    arms = [arm for arm in place.arms if int(arm) in NUMBERS["shown"]]
    return Table(caption, tuple(words["columns"]), tuple((arm, *cells(arm)) for arm in arms))


class EffortStudy(Study):
    """Steps of development, with tables and a figure of their own."""

    def decides(self, arm: str, place: Place) -> str:
        """Return the rules of a step."""
        way = way_of(rules_in(place["order"])[: int(arm)], asks=place["helper"] == "bystander")
        return json.dumps(asdict(way), sort_keys=True)

    def versions(self) -> Mapping[str, str]:
        """Return the digest of the world's numbers, and numpy's version."""
        return {"rates": rates_digest(), "numpy": np.__version__}

    def where_label(self, where: Where) -> str:
        """Return the order of the rules and who helps."""
        said = dict(where)
        return f" in the order of {said['order']} with {said['helper']} to ask"

    def answer(self, results: Steps, judged: Sequence[JudgedClaim]) -> str:
        """Return the number of rules from which on most runs need nobody, in each order."""
        return (
            f"Nine runs of ten need nobody {' and '.join(self._enough(results, place) for place in self.places[:2])}."
        )

    def _enough(self, results: Steps, place: Place) -> str:
        alone = {arm: results.mean("alone", arm, place.settings).value for arm in place.arms}
        first = next((arm for arm, value in alone.items() if value >= 0.9), None)
        order = {"files": "in the order of their files", "need": "by need"}[place["order"]]
        return f"with no number of rules {order}" if first is None else f"from {first} rules on {order}"

    def figures(self, results: Steps, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw robustness over the number of rules, in both orders."""
        from handup.lab.engine.figures import MARKS, drawing, sheet  # noqa: PLC0415 - drawing is an extra

        words = WORDS["figure"]
        with sheet(12.0, 6.2) as figure:
            for panel, (name, title) in zip(figure.subplots(2, 2).flat, words["panels"].items(), strict=True):
                helper = "bystander" if name == "interventions" else "nobody"
                chosen = [place for place in self.places if place["helper"] == helper]
                for place, (color, marker) in zip(chosen, MARKS, strict=False):
                    found = [self._estimate(results, name, arm, place.settings) for arm in place.arms]
                    steps = [int(arm) for arm in place.arms]
                    panel.fill_between(steps, *zip(*(one.ci for one in found), strict=True), color=color, alpha=0.2)
                    line = panel.plot(steps, [one.value for one in found], marker, color=color, linestyle="-")
                    line[0].set(markersize=3.5, label=words["series"][place["order"]])
                panel.set_title(f"{title}, {helper} to ask", loc="left")
                panel.set(xlabel="rules", ylim=(0.0, None))
            figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=2)
            caption = words["caption"].format(runs=results.count())
            return (drawing(figure, self.name, caption, f"{self.title} ({self.evidence})"),)

    def _estimate(self, results: Steps, name: str, arm: str, at: Where) -> Any:
        return pooled(results, name, arm, at) if name in recoveries.RATIOS else results.mean(name, arm, at)

    def sections(self, results: Steps, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the figure and the tables of the steps."""
        return (Section("What came out", (*drawings, *(steps_table(results, place) for place in self.places))),)

    def record(self, results: Steps, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the numbers of every step, claims and tables."""
        names = ("kits", "interventions", "alone", "unresolved_share")

        def numbers(arm: str, place: Place) -> dict[str, Any]:
            found = {name: self._estimate(results, name, arm, place.settings).to_json() for name in names}
            order, count = place["order"], int(arm)
            return {"iterations": iterations(order, count), "paths": paths(order, count), **found}

        steps = [steps_table(results, place) for place in self.places]
        claims = claims_table(judged, f"{self.title}: the claims. {self.rules}")
        return {
            "runs": results.count(),
            "orders": {order: list(rules_in(order)) for order in ("files", "need")},
            "steps": {place.name: {arm: numbers(arm, place) for arm in place.arms} for place in self.places},
            "claims": [claimed.to_json() for claimed in judged],
            "tables": [asdict(table) for table in (*steps, claims)],
        }


PLACES = tuple(_place(order, helper) for helper in ("nobody", "bystander") for order in ("files", "need"))
PAPERS, NOT_TOLD, OURS = (
    read_claims(__file__, "recovery_effort.yaml", group) for group in ("papers", "not told", "ours")
)
ONE_MORE = tuple(
    Bar(measure="kits", arm=arm, than=before, by=-ALIKE_KITS, where=PLACES[0].settings)
    for before, arm in pairwise(PLACES[0].arms)
)
"""Each rule in the order of the files, against one rule less: it may cost so many kits at most."""
STUDY = EffortStudy(
    **WORDS["study"],
    make=make_steps,
    arms=PLACES[0].arms,
    ours=str(ALL),
    places=PLACES,
    measures=MEASURES,
    claims=(
        *(claim if claim.bars else replace(claim, bars=ONE_MORE) for claim in PAPERS),
        *NOT_TOLD,
        *OURS,
    ),
    options=(count_option("Runs of each step", RUNS, QUICK_RUNS, least=2, most=5000), seed_option(FIRST_SEED)),
)
