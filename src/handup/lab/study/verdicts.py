"""What a study's results say: the paper's claims one by one, and troubleshoot against the paper's pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from handup.core import BadSetting, UnknownMethod
from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Measure
from handup.lab.study.claim import Claim, Finding, Verdict
from handup.lab.study.results import Results
from handup.lab.study.studies import TROUBLESHOOT

NOT_THE_PAPERS = ("hybrid",)
"""Selectors that the paper wishes for and does not have."""


@dataclass(frozen=True)
class Judged:
    """A claim with what each world says of it."""

    claim: Claim
    findings: Mapping[WorldKind, Finding]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        found = {str(world): finding.to_json() for world, finding in self.findings.items()}
        return {
            "name": self.claim.name,
            "source": self.claim.source,
            "text": self.claim.text,
            "about_code": self.claim.about_code,
            "worlds": found,
        }


@dataclass(frozen=True, kw_only=True)
class Rivalry:
    """Troubleshoot against the paper's pairs at one place, in J.

    Args:
        place: What sets it apart from the study's base settings.
        ours: J of troubleshoot.
        pairs: How many pairs were compared.
        best: The pair with the least mean J …
        theirs: … its J …
        difference: … and ours less theirs, episode by episode.
        beaten_by: Every pair that is better beyond the interval of the difference.
    """

    place: Mapping[str, Any]
    ours: Measure
    pairs: int
    best: str
    theirs: Measure
    difference: Measure
    beaten_by: tuple[str, ...]


def judge(claims: Sequence[Claim], results: Results, worlds: Sequence[WorldKind]) -> tuple[Judged, ...]:
    """Every claim in every world; where a run lacks the cells that a claim needs, it cannot be told."""
    return tuple(Judged(claim, {world: _finding(claim, results.of(world)) for world in worlds}) for claim in claims)


def tally(judged: Sequence[Judged], world: WorldKind) -> dict[Verdict, int]:
    """How many claims got which verdict in a world."""
    counts = Counter(each.findings[world].verdict for each in judged if world in each.findings)
    return {verdict: counts[verdict] for verdict in Verdict}


def rivalries(results: Results) -> Iterator[Rivalry]:
    """Troubleshoot against every pair of the paper that was run under the same settings."""
    at: dict[Cell, list[str]] = {}
    for cell in filter(_is_rival, results.found):
        at.setdefault(cell.with_method(TROUBLESHOOT), []).append(cell.method)
    world = results.of(WorldKind.DEFAULT)
    for cell, pairs in at.items():
        if cell in results.found:
            yield _rivalry(world, _place(cell, world.base), pairs)


def _is_rival(cell: Cell) -> bool:
    what, plus, _ = cell.method.partition("+")
    return cell.world is WorldKind.DEFAULT and bool(plus) and what not in NOT_THE_PAPERS


def _place(cell: Cell, base: Cell) -> dict[str, Any]:
    """What sets a cell apart from the study's base, the method left aside."""
    names = (field.name for field in fields(cell) if field.name != "method")
    return {name: getattr(cell, name) for name in names if getattr(cell, name) != getattr(base, name)}


def _rivalry(world: Results, place: dict[str, Any], pairs: Sequence[str]) -> Rivalry:
    theirs = {pair: world.measure("J", pair, **place) for pair in pairs}
    differences = {pair: world.difference("J", TROUBLESHOOT, pair, **place) for pair in pairs}
    best = min(pairs, key=lambda pair: theirs[pair].mean)
    return Rivalry(
        place=place,
        ours=world.measure("J", TROUBLESHOOT, **place),
        pairs=len(pairs),
        best=best,
        theirs=theirs[best],
        difference=differences[best],
        beaten_by=tuple(pair for pair in pairs if differences[pair].ci[0] > 0.0),
    )


def _finding(claim: Claim, results: Results) -> Finding:
    try:
        return claim.judge(results)
    except (BadSetting, UnknownMethod) as error:
        return Finding(Verdict.OPEN, (), f"The run lacks what this needs: {error.cause}.")
