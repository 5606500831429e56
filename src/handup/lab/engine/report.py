"""Report of a study: one document of parts, as Markdown for the docs and as a self-contained HTML page.

The page has no script and fetches nothing; it is designed for light and dark, for screens, phones and paper.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from handup.lab.engine.claims import Finding, Verdict
from handup.lab.engine.table import Table

if TYPE_CHECKING:
    from handup.lab.engine.judge import JudgedClaim

PLURALS = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.OPEN: "cannot be told"}
CLASSES = {Verdict.HOLDS: "good", Verdict.FAILS: "bad", Verdict.OPEN: "open"}
PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
_PROLOG = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>", re.DOTALL)
_IDS = re.compile(r'(\bid="|url\(#|xlink:href="#|\bhref="#)')
_SPACES = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')
_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([^"]+)"')
_VERDICT = re.compile(r"^(?:<p>)?<strong>(holds|does not hold|cannot be told)</strong>")
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


@dataclass(frozen=True)
class Drawing:
    """Drawn figure: the name of its files without extension, its caption, and the picture in two formats."""

    name: str
    caption: str
    svg: bytes
    png: bytes


Part = Table | Drawing | str
"""A table, a figure, or a text in Markdown."""


@dataclass(frozen=True)
class Section:
    """Section of a report; if it is folded, the page shows only the heading until the reader opens it."""

    heading: str
    parts: tuple[Part, ...]
    folded: bool = False


@dataclass(frozen=True, kw_only=True)
class Report:
    """Content of a report; the answer is one sentence, and facts about the run are Markdown texts by name."""

    title: str
    question: str
    answer: str
    facts: Mapping[str, str]
    sections: Sequence[Section]

    def markdown(self) -> str:
        """Return the report as Markdown; figures are links to their files."""
        facts = "\n".join(f"- {name}: {value}" for name, value in self.facts.items())
        parts = [f"# {self.title}", f"*{self.question}*", f"**{self.answer}**", facts]
        for section in self.sections:
            parts += [f"## {section.heading}", *(_as_markdown(part) for part in section.parts)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def html(self) -> str:
        """Return the report as one HTML page, with its figures in it."""
        facts = "".join(f"<dt>{escape(name)}</dt><dd>{_inline(value)}</dd>" for name, value in self.facts.items())
        parts = [
            f'<h1>{escape(self.title)}</h1><p class="question">{_inline(self.question)}</p>',
            f'<p class="answer">{_inline(self.answer)}</p>' if self.answer else "",
        ]
        for section in self.sections:
            body = "\n".join(_as_html(part) for part in section.parts)
            anchor = re.sub(r"[^a-z0-9]+", "-", section.heading.lower()).strip("-")
            if section.folded:
                parts.append(f"<details><summary>{escape(section.heading)}</summary>{body}</details>")
            else:
                parts.append(f'<h2 id="{anchor}">{escape(section.heading)}</h2>{body}')
        parts.append(f'<h2 id="made">How it was made</h2><dl class="facts">{facts}</dl>')
        return PAGE.substitute(title=escape(self.title), body="\n".join(parts))


def tally(judged: Iterable[JudgedClaim]) -> str:
    """Return the number of claims by verdict, the paper's and our own, as a Markdown list."""
    groups: dict[str, list[Finding]] = {}
    for claimed in sorted(judged, key=lambda claimed: claimed.claim.source == "handup"):
        name = "Of our own bars" if claimed.claim.source == "handup" else "Of the paper's claims"
        groups.setdefault(name, []).append(claimed.finding)
    return "\n".join(f"- {name}: {counted(findings)}." for name, findings in groups.items())


def claims_table(judged: Sequence[JudgedClaim], rules: str) -> Table:
    """Return the claims one by one, each with its verdict, note and numbers."""
    rows = []
    for claim, finding in ((claimed.claim, claimed.finding) for claimed in judged):
        numbers = "<br>".join(f"{name}: {value}" for name, value in finding.numbers)
        folded = f" <details><summary>numbers</summary>{numbers}</details>" if numbers else ""
        source = "; ".join(filter(None, (claim.source, claim.family)))
        rows.append((claim.text, source, f"**{finding.verdict}**. {finding.why}{folded}"))
    return Table(rules, ("Claim", "Source", "Here"), tuple(rows))


def counted(findings: Iterable[Finding]) -> str:
    """Return the number of findings by verdict, in words."""
    counts = Counter(finding.verdict for finding in findings)
    words = (
        f"{counts[verdict]} {verdict if counts[verdict] == 1 else PLURALS[verdict]}"
        for verdict in Verdict
        if counts[verdict]
    )
    return ", ".join(words)


def _as_markdown(part: Part) -> str:
    if isinstance(part, Table):
        return part.markdown()
    return f"![{part.caption}]({part.name}.svg)" if isinstance(part, Drawing) else part


def _as_html(part: Part) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Drawing):
        caption = escape(part.caption)
        return (
            f'<figure><div class="wide" role="region" tabindex="0" aria-label="{caption}">{_svg(part)}</div>'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return str(_MARKDOWN.render(part))


def _table(table: Table) -> str:
    """Return a table that scrolls on its own if it is too wide."""

    def coloured(cell: str) -> str:
        return _VERDICT.sub(lambda found: f'<span class="verdict {CLASSES[Verdict(found[1])]}">{found[1]}</span>', cell)

    claims = table.columns[0] == "Claim"
    labels = [escape(re.sub(r"[`*]", "", column)) for column in table.columns]
    numbers = "" if claims else ' class="n"'
    head = "".join(f'<th scope="col"{numbers if place else ""}>{label}</th>' for place, label in enumerate(labels))
    body = "".join(
        f'<tr><th scope="row">{_inline(first)}</th>'
        + "".join(
            f'<td{numbers} data-label="{label}">{coloured(_inline(cell))}</td>'
            for label, cell in zip(labels[1:], cells, strict=True)
        )
        + "</tr>"
        for first, *cells in table.rows
    )
    caption = _inline(table.caption)
    spoken = escape(re.sub(r"[`*]", "", table.caption))
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{spoken}"><table{" class=claims" if claims else ""}>'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _inline(text: str) -> str:
    return str(_MARKDOWN.renderInline(text))


def _svg(drawing: Drawing) -> str:
    """Return a drawing for a page: with unique ids, a description, and no external references."""
    text = _SPACES.sub("", _PROLOG.sub("", drawing.svg.decode()))
    text = _IDS.sub(rf"\g<1>{drawing.name}-", text).replace("xlink:href", "href")
    wide = _WIDTH.search(text)
    size = f' style="--wide: {wide[1]}"' if wide else ""
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(drawing.caption)}"{size} ', 1).strip()
