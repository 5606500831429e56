"""Parts of the reports of studies whose claims are orders and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from handup.lab.study.bars import JudgedClaim, tallies
from handup.lab.study.claim import Verdict
from handup.lab.study.page import inline_svg, table
from handup.lab.study.report import PLURALS, VERDICT_CLASSES

if TYPE_CHECKING:
    from handup.lab.study.figures import Drawing


def head(title: str, question: str, facts: Mapping[str, str]) -> str:
    """The title, the question, and facts by name; values as HTML."""
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return f'<h1>{escape(title)}</h1><p class="question">{escape(question)}</p><dl class="facts">{listed}</dl>'


def verdicts(judged: Sequence[JudgedClaim]) -> str:
    """How many claims hold."""
    lines = []
    for whose, counts in tallies(judged).items():
        words = ", ".join(
            _word(verdict, f"{count} {verdict if count == 1 else PLURALS[verdict]}")
            for verdict, count in counts.items()
            if count
        )
        lines.append(f"<li>{whose}: {words or 'none judged'}.</li>")
    return f'<h2 id="verdicts">Do the claims hold?</h2><ul>{"".join(lines)}</ul>'


def claims(judged: Sequence[JudgedClaim], rules: str) -> str:
    """Claim by claim, with the rules of judging."""
    rows = []
    for each in judged:
        listed = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in each.finding.numbers)
        numbers = f'<ul class="numbers">{listed}</ul>' if listed else ""
        verdict = _word(each.finding.verdict, str(each.finding.verdict))
        rows.append(
            [escape(each.claim.text), escape(each.claim.source), f"{verdict}<br>{escape(each.finding.why)}{numbers}"]
        )
    shown = table(("Claim", "Source", "Here"), rows, caption="Claims, one by one", kind="claims")
    return f'<h2 id="claims">Claim by claim</h2><p>{escape(rules)}</p>{shown}'


def figure(drawing: Drawing) -> str:
    """A drawing with its caption."""
    drawn = inline_svg(drawing.svg, drawing.name, drawing.caption)
    caption = escape(drawing.caption)
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{caption}">{drawn}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _word(verdict: Verdict, text: str) -> str:
    return f'<span class="verdict {VERDICT_CLASSES[verdict]}">{escape(text)}</span>'
