"""The paper's orderings one by one: every single order that it states, and whether it reappears for each user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from handup.lab.reaching.claim import Bar, Family
from handup.lab.reaching.judging import Judged, different_sides
from handup.lab.study.claim import Verdict
from handup.lab.study.judging import Measured

WORDS = {Verdict.HOLDS: "reappears", Verdict.FAILS: "does not", Verdict.OPEN: "cannot be told"}
DIGITS = 4


def orderings(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The comparisons of the paper's claims: a method before another in a measure at a place, or a place before one.

    A claim needs all of its comparisons, and some an analysis of variance before; here each stands alone, as corrected
    in its family.

    Returns:
        A plain row for each order, in the order of the claims: `label`; `claims` and `sources`, all of those that state
        it; and under `users` by strategy the `verdict` (one of `WORDS`), the `difference` with its 95 % interval, the
        corrected `p` (null where the interval decides), `people`, and `different_sides`, whether ranks and mean differ.
    """
    rows: dict[Bar, dict[str, Any]] = {}
    for each in judged:
        if each.claim.family is not Family.PAPER:
            continue
        for measured in each.measured:
            if not measured.bar.alone:
                row = rows.setdefault(
                    _whoever(measured.bar), {"label": measured.bar.order, "claims": [], "sources": [], "users": {}}
                )
                for name, value in (("claims", each.claim.key), ("sources", each.claim.source)):
                    row[name] += [value] if value not in row[name] else []
                row["users"][each.claim.user] = _cell(measured)
    return list(rows.values())


def _whoever(bar: Bar) -> Bar:
    """The same for every user."""
    elsewhere = None if bar.elsewhere is None else replace(bar.elsewhere, user="")
    return replace(bar, where=replace(bar.where, user=""), elsewhere=elsewhere)


def _cell(measured: Measured[Bar]) -> dict[str, Any]:
    found, p = measured.found, measured.p
    return {
        "verdict": WORDS[measured.verdict],
        "difference": [_short(each) for each in (found.mean, *found.ci)],
        "p": None if p is None else _short(p),
        "people": found.units,
        "different_sides": different_sides(measured),
    }


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") + 0.0  # no -0
