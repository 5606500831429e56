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
    "structure": "Three cells depend on the last bit of a sum: those of `troubleshoot` at confidences 0.9 and 0.2 in "
    "the structures with gates. On another kind of processor some of their episodes may come out differently "
    "([why](../cluster.md))."
}
"""Sentences about rows that are not the same on every machine, by study."""
MOST_SHOWN = 3
"""Number of comparisons that a page shows of a finding, the worst; `claims.json` has them all."""
FIGURES = "The first figure shows handup's world, the second one the replica. Lower is better in all metrics."
INTRO = """
The core paper draws many conclusions from its simulations. These pages repeat the simulations and judge every sentence
of sections 6 and 7 and of appendices F and G that episodes can test. They also judge what the caption of Fig. 4,
footnotes 2 and 3 and sections 8 and 9 conclude from them. To find a method for a policy of your own,
[`handup advise`](../../advise.md) tells more than any of these claims.

Each claim has a verdict in two simulated worlds. *handup's world* follows the paper's model; the *replica* imitates the
paper's reference code where that behaves otherwise ([the worlds](../worlds.md)). The table counts the claims that hold,
those that do not hold, and those that are open: they cannot be told. Claims about computation time are judged, too, but
counted apart. Our code is not the reference code, so its times neither confirm nor refute them. `make claims` makes
these pages again.
"""
WORDS = {
    "**low**, **high** modules": "a policy has three modules of low confidence; the others have the high one. "
    "*(1, 0.1)* names both confidences, the high one first",
    "**N**": "number of modules: 10 where nothing else is said",
    "**q**": "cost of a question: 0.32 where nothing else is said",
    "**β**": "spread of the costs, which are drawn between (1 − β)q and (1 + β)q: 0 where nothing else is said",
    "**c_e**": "probability that an answer is right: 1 where nothing else is said. *c* is a module's confidence",
    "**all-and**, **all-or**": "structures of a policy: a module needs all of its inputs, or one of them. Where "
    "nothing else is said the structure is all-and",
    "**or-then-and**, **and-then-or**": "*mixed* structures: the first half of the modules is of the one kind, the "
    "second half of the other",
    "**selector**": "rule for [what to ask about](../../selectors/index.md); compared under the algorithm "
    "`workload-aware`",
    "**querying algorithm**": "rule for [when to ask](../../when/index.md); compared with the selector `graph`",
    "**confident** variants": "`until-confident` and `workload-aware`",
    "**alternating** algorithms": "`execute-first` and `query-then-execute`",
    "**act**": "one try of the whole policy",
    "**gain**": "rise in a module's confidence by an answer, c_e − c",
    "**product objective**": "what `binary-tree` minimises: Eq. 2 of [the paper](../../selectors/index.md#letters)",
    "**cell**, **base cell**": "one method under one set of settings; the base cell has those that hold where nothing "
    "else is said",
    "**A less B: -2 [-3, -1]**": "A's mean is 2 lower than B's; the interval of the difference stands in brackets. "
    "*(A less B) less (C less D)* compares two differences",
    "**A: 0.9 [0.8, 1] against 1**": "A's mean is 0.9, and the claim says 1",
    "**A over B: 0.5 times**": "A took half as long as B",
    "**level at zero, left out**": "comparisons in which neither side has any failure, question or step, so that none "
    "is lower",
}
"""Words of the claims and their numbers, each with its meaning."""


def page(name: str, record: dict[str, Any], claims: list[dict[str, Any]], pictures: list[str]) -> str:
    """Return the page of a study: what it asks, its figures, and the paper's claims one by one."""
    study = study_of(name)
    versions = ", ".join(f"{what} {record['versions'][what]}" for what in ("handup", "python", "numpy"))
    shown = "\n\n".join(f"![{study.title}, {picture}](../../img/lab/{picture}.svg)" for picture in pictures)
    evidence = (
        f"*Evidence: simulated. `{record['command']}`, {record['made_at'][:10]}, {versions}. How to read it: "
        "[Read a report](../read-a-report.md); what the words mean: [Words](index.md#words-of-these-pages); what the "
        "two worlds are: [The worlds](../worlds.md).*"
    )
    asked = f"{study.question} This study repeats the paper's {study.figure}."
    tables = (table.markdown() for table in claim_tables(claims, MOST_SHOWN))
    last_bits = [LAST_BITS[name]] if name in LAST_BITS else []
    parts = [f"# {study.title}", asked, evidence, *last_bits, FIGURES, shown, "## Claims", counts(claims), *tables]
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
    words = "\n".join(f"| {word} | {meaning} |" for word, meaning in WORDS.items())
    glossary = f"## Words of these pages\n\n| Word | Meaning |\n|---|---|\n{words}\n"
    return f"# The paper's claims, one by one\n{INTRO}\n{table}\n\n{glossary}"


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
