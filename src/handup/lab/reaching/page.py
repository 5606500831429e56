"""The report of the study of reaching as one HTML page, from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from handup.lab.reaching import tables
from handup.lab.reaching.judging import RULES, Judged
from handup.lab.reaching.reading import reading
from handup.lab.reaching.studies import REACHING
from handup.lab.study import telling
from handup.lab.study.claim import Verdict
from handup.lab.study.page import document, table
from handup.lab.study.report import VERDICT_CLASSES

if TYPE_CHECKING:
    from handup.lab.study.figures import Drawing

READING = """<h2 id="how">How to read this</h2>
<p>Hand, tables and people are <strong>simulated</strong>; how people steer is <strong>assumed</strong>, was written
down before any method was run and was not changed for any of them. Nobody was asked anything, so no number here stands
for a participant of the paper.</p>
<ul>
<li>A seed at a task is a person with a wish, a speed, a delay and noise. <strong>All methods meet the same
people.</strong> That person is the unit of every interval and test; their three strategies are averaged first where
they are looked at together.</li>
<li>By the <strong>paper's rule</strong> time, mode changes, input and opposition are of the attempt that succeeded, and
trials that failed twice are left out. That flatters whoever fails often, so <em>all attempts</em> leaves nothing
out.</li>
<li>Opposition is the paper's: robot and stick go against each other in any axis, both by more than .01.</li>
</ul>"""


def page(
    found: Mapping[str, Any], judged: Sequence[Judged], drawings: Sequence[Drawing], versions: Mapping[str, str]
) -> str:
    """The whole page."""
    families, *others = tables.tables(found)
    parts = [_head(found, versions), '<h2 id="verdicts">Do the claims hold?</h2>', families.html()]
    parts.append('<h2 id="reading">What came out</h2>')
    for heading, said in reading(found):
        listed = "".join(f"<li>{escape(each)}</li>" for each in said)
        parts.append(f"<h3>{escape(heading)}</h3><ul>{listed}</ul>")
    parts.append('<h2 id="figures">Figures</h2>')
    parts += map(telling.figure, drawings)
    parts += ['<h2 id="numbers">Numbers</h2>', *(each.html() for each in others)]
    parts += ['<h2 id="claims">Claim by claim</h2>', f"<p>{escape(RULES)}</p>", _claims(judged), READING]
    return document(f"{REACHING.title}: a study of handup", parts)


def _claims(judged: Sequence[Judged]) -> str:
    """Every claim with all of its comparisons, and its verdict without the paper's rule of exclusion."""
    rows = []
    for each in judged:
        claim, finding = each.claim, each.finding
        numbers = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in finding.numbers)
        rows.append(
            [
                f"{escape(claim.key)}: {escape(claim.text)}",
                f"{escape(claim.user)}<br>{escape(claim.source)}",
                f'{_word(finding.verdict)}<br>{escape(finding.why)}<ul class="numbers">{numbers}</ul>',
                "–" if each.without_rule is None else _word(each.without_rule),
            ]
        )
    columns = ("Claim", "Users, source", "Here", "Without the rule of exclusion")
    return table(columns, rows, caption="Claims, one by one", kind="claims")


def _word(verdict: Verdict) -> str:
    return f'<span class="verdict {VERDICT_CLASSES[verdict]}">{escape(verdict)}</span>'


def _head(found: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    seeds = "; ".join(f"{name}: {count} from {first}" for name, (first, count) in found["seeds"].items())
    facts = {
        "Evidence": "simulated; people assumed",
        "In the paper": escape(REACHING.figure),
        "Trials": f"{found['trials']:,}",
        "Seeds": escape(seeds),
        "Made": escape(found["made_at"]),
        "With": escape(", ".join(f"{name} {number}" for name, number in versions.items())),
        "Again": f"<code>{escape(found['command'])}</code>",
        "Rows": "<code>rows.jsonl</code>, one line per trial",
    }
    return telling.head(REACHING.title, REACHING.question, facts)
