"""The claim table as Markdown, for pages of the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handup.lab.cell import WorldKind
from handup.lab.study.style import WORLD_LABELS


def claim_table(claims: Sequence[Mapping[str, Any]]) -> str:
    """A table of the records in `claims.json`: one line per claim, verdict and reason for each world."""
    worlds = [world for world in WorldKind if any(str(world) in claim["worlds"] for claim in claims)]
    lines = [
        _line(["Claim", "Source", *(WORLD_LABELS[world] for world in worlds)]),
        _line(["---"] * (2 + len(worlds))),
    ]
    for claim in claims:
        cells = [_finding(claim["worlds"].get(str(world))) for world in worlds]
        lines.append(_line([claim["text"], claim["source"], *cells]))
    return "\n".join(lines) + "\n"


def _finding(finding: Mapping[str, Any] | None) -> str:
    if finding is None:
        return "–"
    numbers = "; ".join(f"{name}: {value}" for name, value in finding["numbers"].items())
    return f"**{finding['verdict']}**. {finding['why']}" + (f" ({numbers})" if numbers else "")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
