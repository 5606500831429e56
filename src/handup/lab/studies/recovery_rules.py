"""Study `recovery-rules`: the make-up of the rules of the kitting world, like the dissertation's Figure 2.6."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate
from handup.core import ResumeHint
from handup.core.files import shipped_data
from handup.domains.kitting.variants import COMMON, LAST, RULES, TOLD, read
from handup.executive.recipe import ActionStep, RunStep, every
from handup.executive.recovery import Recovery
from handup.lab.engine import Batch, Columns, Drawing, JudgedClaim, Measure, Results, Section, Size, Study, Table
from handup.lab.engine.claims import Row, where
from handup.lab.engine.results import columns_of

Rules = Results[Any]
THEIRS = 18
"""Number of recoveries in the dissertation."""
OURS = where(told=False)
"""Rules for failures of the robot; the others are for what people say."""
WORDS = shipped_data(__file__, "recovery_rules.yaml")
KINDS, FACTORS, HINTS = (part["entries"] for part in WORDS["parts"])
CONTEXT = frozenset({"failure", "tried", "beliefs", "params", "var"})
"""Roots of names in expressions whose value depends on the case."""


@cache
def shipped() -> tuple[Recovery, ...]:
    """Return the rules of the kitting world: for failures of the robot, then those for what people say."""
    return read((*COMMON, *RULES, *LAST, *TOLD))


def make(batch: Batch) -> Columns:
    """Describe each rule in a row."""
    told = {rule.name for rule in read(TOLD)}

    def row(number: int, rule: Recovery) -> Row:
        properties = properties_of(rule)
        made_of = {name: properties[name] for name in (*KINDS, *FACTORS)}
        hints = {str(hint): hint in [branch.hint for branch in rule.branches] for hint in ResumeHint}
        is_told = rule.name in told
        return {"number": number, "rule": rule.name, "told": is_told, **made_of, **hints, "about": rule.about}

    return columns_of(row(number, rule) for number, rule in enumerate(shipped()))


def properties_of(rule: Recovery) -> dict[str, bool]:
    """Return what a rule is made of.

    - `shared`: different faults use it: it is for several codes, or for any step, or for any code of several steps.
    - `immediate`: it runs a primitive action itself, not only tasks.
    - `dynamic`: the failure, beliefs or what was tried give its actions other parameters.
    - `location`: it looks at where in the task hierarchy the failure is.
    - `aborts`: it looks at how often that happened.
    - `belief`: it looks at beliefs.
    - `signal`: it looks at the error code or the fields of the action that failed.
    - `result`: it looks at the result of an immediate action.
    """
    when = rule.when
    given = [value for step in every(rule.steps) if isinstance(step, RunStep) for value in step.params.values()]
    counts = when.least > 1 or when.most is not None
    return {
        "shared": len(when.codes) > 1 or "*" in when.path.rsplit("/", maxsplit=1)[-1],
        "immediate": any(isinstance(step, ActionStep) for step in rule.steps),
        "dynamic": any(name[0] in CONTEXT for value in given for name in value.names),
        "location": when.path.strip("*/") != "",
        "aborts": counts or _reads(rule, "aborts") or _reads(rule, "failure", {"aborts", "task_aborts", "levels"}),
        "belief": when.contradiction is not None or _reads(rule, "beliefs"),
        "signal": bool(when.codes) or _reads(rule, "failure", {"code", "fields", "why"}),
        "result": _reads(rule, "tried"),
    }


def _reads(rule: Recovery, root: str, keys: Collection[str] = ()) -> bool:
    """Return True where what chooses the rule, or its branch, reads something."""
    names = [name for condition in rule.conditions for name in condition.names]
    return any(name[0] == root and (not keys or (len(name) > 1 and name[1] in keys)) for name in names)


def parts(results: Rules) -> list[dict[str, Any]]:
    """Return the three panels, with the share of rules that have an entry, by the set they are counted in."""
    ours, more = _counted(results).values()
    sets = {f"our {ours} rules": OURS, f"and {more - ours} for what people say": ()}

    def shares(entries: Mapping[str, str]) -> dict[str, dict[str, float]]:
        return {
            entry: {label: float(np.mean(results.values(name, "rules", at))) for label, at in sets.items()}
            for name, entry in entries.items()
        }

    return [
        {"name": part["name"], "title": part["title"], "shares": shares(part["entries"]), "said": part["said"]}
        for part in WORDS["parts"]
    ]


def part_table(part: Mapping[str, Any]) -> Table:
    """Return a panel as text."""
    sets = tuple(next(iter(part["shares"].values())))
    rows = tuple(
        (entry, *(f"{100 * share:.0f} %" for share in shares.values()), part["said"].get(entry, "–"))
        for entry, shares in part["shares"].items()
    )
    return Table(f"Figure 2.6 {part['name']}: {part['title']}", ("", *sets, "the dissertation's text"), rows)


def one_by_one(results: Rules) -> Table:
    """Return our rules with their properties."""

    def cells(row: Row) -> list[str]:
        has = ([name for name in group if row[name]] for group in (KINDS, FACTORS, HINTS))
        return [", ".join(names).replace("location", "place") or "–" for names in has]

    rows = tuple((f"`{row['rule']}`", *cells(row), row["about"]) for row in results.rows("rules", OURS))
    return Table(f"Our {len(rows)} rules, one by one", ("rule", "properties", "factors", "resumes", "about"), rows)


class RuleStudy(Study):
    """Study that counts rules: it has one batch, whose rows are the rules."""

    @property
    def cells(self) -> int:
        """Number of rules for failures of the robot."""
        return len(shipped()) - len(read(TOLD))

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return all rules at once."""
        count = len(shipped())
        return (Batch(study=self.name, arm="rules", count=count, rows=count),)

    def answer(self, results: Rules, judged: Sequence[JudgedClaim]) -> str:
        """Return the largest shares."""
        own = {name: results.values(name, "rules", OURS) for name in (*KINDS, *FACTORS, *HINTS)}
        shares = {name: 100 * float(np.mean(values)) for name, values in own.items()}
        used = sum(own[name].any() for name in HINTS)
        return str(WORDS["answer"].format(rules=self.cells, used=used, hints=len(HINTS), **shares))

    def figures(self, results: Rules, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the three panels."""
        from handup.lab.engine.figures import drawing, points, sheet  # noqa: PLC0415 - drawing is an extra

        def share(part: Mapping[str, Any], name: str, entry: str) -> Estimate:
            percent = 100.0 * part["shares"][entry][name]
            return Estimate(percent, (percent, percent))

        shown = parts(results)
        with sheet(12.4, 3.0) as figure:
            panels = figure.subplots(1, len(shown))
            for panel, part in zip(panels, shown, strict=True):
                entries = list(part["shares"])
                points(panel, entries, {name: partial(share, part, name) for name in part["shares"][entries[0]]})
                panel.set(xlim=(-3.0, 103.0), xlabel="% of rules")
                panel.set_title(f"({part['name']}) {part['title']}", loc="left")
                panel.invert_yaxis()
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
            title = f"{self.title}: the rules of the kitting world"
            return (drawing(figure, self.name, WORDS["caption"], title),)

    def sections(self, results: Rules, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the three panels as tables, and the rules one by one."""
        came_out = Section("What came out", (*drawings, *map(part_table, parts(results))))
        return came_out, Section("One by one", (one_by_one(results),))

    def record(self, results: Rules, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return counts, shares and tables."""
        shown = parts(results)
        tables = [asdict(part_table(part)) for part in shown]
        return {"rules": _counted(results), "theirs": THEIRS, "parts": shown, "tables": tables}


def _counted(results: Rules) -> dict[str, int]:
    return {"rules": results.count(OURS), "with those for what people say": results.count()}


STUDY = RuleStudy(
    **WORDS["study"],
    make=make,
    arms=("rules",),
    measures=tuple(Measure(name=name, label=label) for name, label in {**KINDS, **FACTORS, **HINTS}.items()),
    unit=("rule",),
    order=("number",),
)
