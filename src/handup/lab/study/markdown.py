"""The claim table as Markdown, for pages of the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handup.lab.cell import WorldKind
from handup.lab.study.claims.judging import MARGINS
from handup.lab.study.claims.timing import MARGIN
from handup.lab.study.style import WORLD_LABELS

MOST_SHOWN = 3
"""Comparisons that a table shows of a finding, the worst; `claims.json` has them all."""


def claim_table(claims: Sequence[Mapping[str, Any]]) -> str:
    """The records in `claims.json`: how to read them, then one line per claim; those about computation time apart."""
    plain = [claim for claim in claims if not claim.get("about_code")]
    about_code = [claim for claim in claims if claim.get("about_code")]
    parts = [f"{MARGINS} Under *numbers* the worst comparisons come first.", _table(plain)] if plain else []
    if about_code:
        parts += [
            "About computation time, by the times of our own code, which is not the reference code: these verdicts "
            f"neither bear the paper out nor refute it. {MARGIN}",
            _table(about_code),
        ]
    return "\n\n".join(parts) + "\n"


def _table(claims: Sequence[Mapping[str, Any]]) -> str:
    worlds = [world for world in WorldKind if any(str(world) in claim["worlds"] for claim in claims)]
    lines = [
        _line(["Claim", "Source", *(WORLD_LABELS[world] for world in worlds)]),
        _line(["---"] * (2 + len(worlds))),
    ]
    for claim in claims:
        cells = [_finding(claim["worlds"].get(str(world))) for world in worlds]
        lines.append(_line([claim["text"], claim["source"], *cells]))
    return "\n".join(lines)


def _finding(finding: Mapping[str, Any] | None) -> str:
    if finding is None:
        return "–"
    counts, *worst = finding["numbers"].items() or [("", "")]
    shown = "<br>".join([counts[1], *(f"{name}: {value}" for name, value in worst[:MOST_SHOWN])])
    folded = f"<details><summary>numbers</summary>{shown}</details>" if finding["numbers"] else ""
    return f"**{finding['verdict']}**. {finding['why']} {folded}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
