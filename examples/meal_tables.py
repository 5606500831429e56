"""The tables of docs/lab/meals.md, from the records of the published studies in docs/lab/meal-studies/.

`python -m examples.meal_tables meal-methods` prints them. The records are the `study.json` that `handup study run`
left behind; a test holds the page to them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).parent.parent / "docs" / "lab" / "meal-studies"
MEASURES = {
    "bites": "bites of 5",
    "wrong": "wrong bites",
    "queries": "questions",
    "executions": "attempts",
    "workload": "workload",
    "recalls": "recalls",
    "wrong_recalls": "wrong recalls",
    "J_true": "J, true",
}
CAUSES = ("food", "box", "skill", "params", "detector", "physics")


def record(study: str) -> dict[str, Any]:
    """What a published study found."""
    found: dict[str, Any] = json.loads((RECORDS / f"{study}.json").read_text(encoding="utf-8"))
    return found


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _with_interval(found: Mapping[str, Any], scale: float = 1.0, digits: int = 2) -> str:
    value, (low, high) = found["value"] * scale, (each * scale for each in found["ci"])
    return f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def measures(study: Mapping[str, Any]) -> Iterator[str]:
    """Means per meal, a line for each method."""
    arms: Mapping[str, Any] = study["measures"]
    names = [name for name in MEASURES if name in next(iter(arms.values()))]
    yield _row(["method", *(MEASURES[name] for name in names)])
    yield "|" + "---|" * (len(names) + 1)
    for arm, found in arms.items():
        yield _row([f"`{arm}`", *(_with_interval(found[name]) for name in names)])


def lost(study: Mapping[str, Any]) -> Iterator[str]:
    """Lost bites by their one cause, in per cent with intervals, and what they cost together."""
    yield _row(["method", "lost", *(f"{name}, %" for name in CAUSES), "questions", "attempts"])
    yield "|" + "---|" * (len(CAUSES) + 4)
    for each in study["triage"]:
        causes = {cause["cause"]: cause for cause in each["causes"]}
        shares = [_with_interval(causes[name]["share"], 100.0, 0) if name in causes else "0" for name in CAUSES]
        spent = [str(sum(cause[name] for cause in causes.values())) for name in ("questions", "attempts")]
        yield _row([f"`{each['arm']}`", f"{each['lost']} of {each['taken']}", *shares, *spent])


def claims(study: Mapping[str, Any]) -> Iterator[str]:
    """Each claim and its verdict."""
    yield _row(["claim", "source", "here"])
    yield "|---|---|---|"
    for each in study["claims"]:
        yield _row([each["text"], each["source"], f"**{each['verdict']}**"])


def tables(study: str) -> str:
    """All three, for the page."""
    found = record(study)
    return "\n\n".join("\n".join(lines(found)) for lines in (measures, lost, claims))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(tables(name))
