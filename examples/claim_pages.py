"""Writes the docs' claim pages and pictures from studies that were run. `make claims` runs the studies and this."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from handup.lab.engine.registry import study_of
from handup.lab.studies.synthetic.study import WORLD_LABELS, claim_tables

NAMES = ("modules", "structure", "confidences", "query-costs", "expert", "heterogeneity", "summary")
DOCS = Path(__file__).parent.parent / "docs"
PAGES, PICTURES = DOCS / "lab" / "claims", DOCS / "img" / "lab"
LAST_BITS = {
    "structure": "Three cells hang on the last bit of a sum: `troubleshoot` at confidences 0.9 and 0.2 in the "
    "structures with gates. On a processor of another kind some of their episodes may go another way "
    "([why](../cluster.md))."
}
"""What a page says of rows that are not the same on every machine."""
MOST_SHOWN = 3
"""Comparisons that a page shows of a finding, the worst; `claims.json` has them all."""


def page(name: str, record: dict[str, Any], claims: list[dict[str, Any]], pictures: list[str]) -> str:
    """Return the page of a study: what it asks, its figures, and the paper's claims one by one."""
    study = study_of(name)
    versions = ", ".join(f"{what} {record['versions'][what]}" for what in ("handup", "python", "numpy"))
    shown = "\n\n".join(f"![{study.title}, {picture}](../../img/lab/{picture}.svg)" for picture in pictures)
    evidence = (
        f"*Evidence: simulated. `{record['command']}`, {record['made_at'][:10]}, {versions}. How to read it: "
        "[Read a report](../read-a-report.md); what the two worlds are: [The worlds](../worlds.md).*"
    )
    asked = f"{study.question} The paper's {study.figure}."
    tables = (table.markdown() for table in claim_tables(claims, MOST_SHOWN))
    last_bits = [LAST_BITS[name]] if name in LAST_BITS else []
    parts = [f"# {study.title}", asked, evidence, *last_bits, shown, "## Claims", counts(claims), *tables]
    return "\n\n".join(parts) + "\n"


def overview(verdicts: dict[str, list[dict[str, Any]]]) -> str:
    """Return all studies in one table."""
    rows = [
        _row(f"[{study_of(name).title}]({name}.md)", study_of(name).figure, claims) for name, claims in verdicts.items()
    ]
    whole = _row("all", "", [claim for claims in verdicts.values() for claim in claims])
    worlds = " | ".join(f"{label}: holds / does not / open" for label in WORLD_LABELS.values())
    head = f"| study | figure | claims | {worlds} | about computation time |"
    table = "\n".join([head, "|---" * (4 + len(WORLD_LABELS)) + "|", *rows, whole])
    intro = (
        "Every sentence of the paper's sections 6 and 7 and appendices F and G that our rows can test, and what the "
        "caption of Fig. 4, footnotes 2 and 3 and sections 8 and 9 conclude from them, with the verdict in handup's "
        "world and in the replica of the reference code. All of it is simulated. Claims about computation time are "
        "judged too, but counted apart: our code is not the reference code, and its times neither bear them out nor "
        "refute them. `make claims` makes these pages again."
    )
    return f"# The paper's claims, one by one\n\n{intro}\n\n{table}\n"


def _row(title: str, figure: str, claims: list[dict[str, Any]]) -> str:
    plain, about_code = _apart(claims)
    cells = [title, figure, str(len(plain)), *(_short(plain, world) for world in WORLD_LABELS), str(len(about_code))]
    return f"| {' | '.join(cells)} |"


def _apart(claims: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the claims about what methods do, and those about how long a program computes."""
    return [c for c in claims if not c["about_code"]], [c for c in claims if c["about_code"]]


def _tally(claims: list[dict[str, Any]], world: str) -> tuple[int, int, int]:
    found = Counter(claim["worlds"][world]["verdict"] for claim in claims)
    return found["holds"], found["does not hold"], found["cannot be told"]


def _short(claims: list[dict[str, Any]], world: str) -> str:
    return " / ".join(map(str, _tally(claims, world)))


def counts(claims: list[dict[str, Any]]) -> str:
    """Return the number of claims by verdict, in each world."""
    plain, about_code = _apart(claims)
    lines = []
    for world, label in WORLD_LABELS.items():
        held, failed, untold = _tally(plain, world)
        lines.append(
            f"- {label}: **{held} {'holds' if held == 1 else 'hold'}**, {failed} {'does' if failed == 1 else 'do'} "
            f"not hold, {untold} cannot be told."
        )
    if about_code:
        lines.append(f"- Counted apart: {len(about_code)} about computation time.")
    return "\n".join(lines)


def main(studies: Path) -> None:
    """Write a page for each study that lies in the folder."""
    for folder in (PAGES, PICTURES):
        folder.mkdir(parents=True, exist_ok=True)
    verdicts: dict[str, list[dict[str, Any]]] = {}
    for name in NAMES:
        record = json.loads((studies / name / "study.json").read_text(encoding="utf-8"))
        verdicts[name] = json.loads((studies / name / "claims.json").read_text(encoding="utf-8"))["claims"]
        drawn = sorted((studies / name).glob("*.svg"))
        for picture in drawn:
            shutil.copy(picture, PICTURES / picture.name)
        text = page(name, record, verdicts[name], [picture.stem for picture in drawn])
        (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
    (PAGES / "index.md").write_text(overview(verdicts), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "studies"))
