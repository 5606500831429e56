"""Pieces of a page that stands alone: no script, nothing fetched, light or dark, for screens, phones and paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from string import Template

CSS = """
:root { color-scheme: light dark; --ink: #1d2124; --soft: #5b6368; --paper: #fff; --line: #d9dcd8; --band: #f4f5f2;
  --good: #1c6b47; --bad: #a8321f; --open: #7a5a00; --link: #0b5fa5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9e6; --soft: #a4abae; --paper: #16191b; --line: #363c40;
  --band: #1f2427; --good: #6fd0a0; --bad: #ff9a86; --open: #e8c15c; --link: #7fbcf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 76rem; font: 1rem/1.55 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, li, dd { max-width: 46rem; }
a { color: var(--link); }
code { font: .9em ui-monospace, monospace; background: var(--band); padding: .1em .3em; border-radius: 3px; }
.question { font-size: 1.15rem; color: var(--soft); margin: 0 0 1.2rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; color: var(--soft); padding: .2rem 0 .4rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--line); white-space: nowrap; }
tbody th { font-weight: 600; } tbody tr:nth-child(even) { background: var(--band); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.claims td, .claims th { min-width: 9rem; } .claims tbody th { font-weight: 400; }
.numbers { color: var(--soft); font-size: .85rem; margin: .3rem 0 0; padding-left: 1rem; }
.verdict { font-weight: 700; } .good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
figure { margin: 1rem 0 2rem; } figure svg { width: 100%; min-width: 48rem; height: auto; background: #fff;
  border-radius: 4px; display: block; } figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; }
details summary { cursor: pointer; font-weight: 600; margin: 1rem 0; }
@media (max-width: 44rem) { .claims thead { position: absolute; clip-path: inset(50%); } .claims tr, .claims th,
  .claims td { display: block; } .claims td::before { content: attr(data-label) ": "; color: var(--soft); } }
@media print { body { max-width: none; font-size: 10pt; padding: 0; } .wide { overflow: visible; }
  figure svg { min-width: 0; } h2, h3 { break-after: avoid; } tr, figure { break-inside: avoid; } }
"""
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$css</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")
_PROLOG = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>", re.DOTALL)
_IDS = re.compile(r'(\bid="|url\(#|xlink:href="#|\bhref="#)')
_SPACES = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')


def document(title: str, body: Iterable[str]) -> str:
    """A whole page from its parts."""
    return PAGE.substitute(title=escape(title), css=CSS, body="\n".join(body))


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str, numbers_from: int = 99, kind: str = ""
) -> str:
    """A table that scrolls by itself where it is too wide.

    Args:
        columns: Headings, as text.
        rows: Cells as HTML; the first of each row names it.
        caption: What the table shows, as text.
        numbers_from: Columns from here on are numbers and stand right.
        kind: A class of its own, where it needs one.
    """
    classes = ['class="n" ' if number >= numbers_from else "" for number in range(len(columns))]
    head = "".join(f'<th {c}scope="col">{escape(text)}</th>' for c, text in zip(classes, columns, strict=True))
    body = []
    labels = [f'data-label="{escape(text)}"' for text in columns]
    for first, *others in rows:
        parts = zip(classes[1:], labels[1:], others, strict=True)
        cells = "".join(f"<td {c}{label if kind else ''}>{cell}</td>" for c, label, cell in parts)
        body.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table class="{kind}">'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def inline_svg(svg: bytes, name: str, label: str) -> str:
    """A drawing within a page: with names of its own, described, and without references to elsewhere."""
    text = _SPACES.sub("", _PROLOG.sub("", svg.decode()))
    text = _IDS.sub(rf"\g<1>{name}-", text).replace("xlink:href", "href")
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1).strip()
