"""Writes the docs' claim pages and pictures from studies that were run. `make claims` runs the studies and this."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from handup.lab.cell import WorldKind
from handup.lab.study.markdown import claim_table
from handup.lab.study.studies import STUDIES
from handup.lab.study.style import WORLD_LABELS

DOCS = Path(__file__).parent.parent / "docs"
PAGES, PICTURES = DOCS / "lab" / "claims", DOCS / "img" / "lab"


def page(name: str, record: dict[str, Any], claims: list[dict[str, Any]], pictures: list[str]) -> str:
    """One study: what it asks, its figures, and the paper's claims one by one."""
    study = STUDIES[name]
    versions = ", ".join(f"{what} {version}" for what, version in record["versions"].items())
    shown = "\n\n".join(f"![{study.title}, {each}](../../img/lab/{each}.svg)" for each in pictures)
    evidence = (
        f"*Evidence: simulated. `{record['command']}`, {record['made_at'][:10]}, {versions}. How to read it: "
        "[Read a report](../read-a-report.md); what the two worlds are: [The worlds](../worlds.md).*"
    )
    asked = f"{study.question} The paper's {study.figure}."
    parts = (f"# {study.title}", asked, evidence, shown, "## Claims", _counts(claims), claim_table(claims))
    return "\n\n".join(parts)


def overview(verdicts: dict[str, list[dict[str, Any]]]) -> str:
    """All studies in one table."""
    rows = [
        _row(f"[{STUDIES[name].title}]({name}.md)", STUDIES[name].figure, claims) for name, claims in verdicts.items()
    ]
    whole = _row("all", "", [claim for claims in verdicts.values() for claim in claims])
    worlds = " | ".join(f"{WORLD_LABELS[world]}: holds / does not / open" for world in WorldKind)
    head = f"| study | figure | claims | {worlds} | about computation time |"
    table = "\n".join([head, "|---" * (4 + len(WorldKind)) + "|", *rows, whole])
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
    cells = [title, figure, str(len(plain)), *(_short(plain, world) for world in WorldKind), str(len(about_code))]
    return f"| {' | '.join(cells)} |"


def _apart(claims: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The claims about what methods do, and those about how long a program computes."""
    plain = [claim for claim in claims if not claim.get("about_code")]
    return plain, [claim for claim in claims if claim.get("about_code")]


def _tally(claims: list[dict[str, Any]], world: WorldKind) -> Counter[str]:
    return Counter(claim["worlds"][str(world)]["verdict"] for claim in claims if str(world) in claim["worlds"])


def _short(claims: list[dict[str, Any]], world: WorldKind) -> str:
    found = _tally(claims, world)
    return f"{found['holds']} / {found['does not hold']} / {found['cannot be told']}"


def _counts(claims: list[dict[str, Any]]) -> str:
    plain, about_code = _apart(claims)
    lines = []
    for world in WorldKind:
        found = _tally(plain, world)
        numbers = (found["holds"], found["does not hold"], found["cannot be told"])
        lines.append(
            f"- {WORLD_LABELS[world]}: **{numbers[0]} {'holds' if numbers[0] == 1 else 'hold'}**, "
            f"{numbers[1]} {'does' if numbers[1] == 1 else 'do'} not hold, {numbers[2]} cannot be told."
        )
    if about_code:
        lines.append(f"- Counted apart: {len(about_code)} about computation time.")
    return "\n".join(lines)


def main(studies: Path) -> None:
    """Write a page for each study that lies in the folder."""
    for folder in (PAGES, PICTURES):
        folder.mkdir(parents=True, exist_ok=True)
    verdicts: dict[str, list[dict[str, Any]]] = {}
    for name in STUDIES:
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
