"""What a study's results say: the paper's claims one by one, and troubleshoot against the paper's pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handup.core import BadSetting, UnknownMethod
from handup.lab.cell import WorldKind
from handup.lab.episodes import Measure
from handup.lab.study.claim import Claim, Finding, Verdict
from handup.lab.study.definition import Study
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
        return {"name": self.claim.name, "source": self.claim.source, "text": self.claim.text, "worlds": found}


@dataclass(frozen=True, kw_only=True)
class Rivalry:
    """Troubleshoot against the paper's pairs at one place, in J.

    Args:
        place: The settings that the study varies.
        ours: J of troubleshoot.
        best: The pair with the least mean J …
        theirs: … its J …
        difference: … and ours less theirs, episode by episode.
        beaten_by: Every pair that is better beyond the interval of the difference.
    """

    place: Mapping[str, Any]
    ours: Measure
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


def rivalries(study: Study, results: Results, *, quick: bool) -> Iterator[Rivalry]:
    """Troubleshoot against the paper's pairs, at each place of the study at which there are both."""
    world = results.of(WorldKind.DEFAULT)
    seen: list[dict[str, Any]] = []
    for grid in (*study.grids, *study.extra):
        for place in grid.places(quick):
            methods = [each for each in grid.methods_at(replace(world.base, **place)) if world.has(each, **place)]
            pairs = [each for each in methods if "+" in each and each.partition("+")[0] not in NOT_THE_PAPERS]
            if TROUBLESHOOT in methods and pairs and place not in seen:
                seen.append(place)
                yield _rivalry(world, place, pairs)


def _rivalry(world: Results, place: dict[str, Any], pairs: Sequence[str]) -> Rivalry:
    theirs = {pair: world.measure("J", pair, **place) for pair in pairs}
    differences = {pair: world.difference("J", TROUBLESHOOT, pair, **place) for pair in pairs}
    best = min(pairs, key=lambda pair: theirs[pair].mean)
    return Rivalry(
        place=place,
        ours=world.measure("J", TROUBLESHOOT, **place),
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
