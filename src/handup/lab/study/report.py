"""The report of a study as one HTML page: what was asked, what came out, what the paper says, how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import METRICS, Measure
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.claims.judging import MARGINS
from handup.lab.study.claims.timing import MARGIN
from handup.lab.study.definition import place_label
from handup.lab.study.page import document, inline_svg, table
from handup.lab.study.style import BY_MEAN, METRIC_LABELS, WORLD_LABELS
from handup.lab.study.verdicts import Judged, Rivalry, tally

if TYPE_CHECKING:
    from handup.lab.study.figures import Drawing
    from handup.lab.study.run import Outcome

BASE_PLACE = "base settings"
PLURALS = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.OPEN: "cannot be told"}
VERDICT_CLASSES = {Verdict.HOLDS: "good", Verdict.FAILS: "bad", Verdict.OPEN: "open"}
READING = """<h2 id="reading">How to read this</h2>
<p>Everything here is <strong>simulated</strong>: policies, states, answers and costs are drawn at random. No person was
asked. Lower is better in every metric.</p>
<ul>
<li><strong>Task cost</strong> is 0 where the robot recovered and 1 where it did not, <strong>query cost</strong> the
load of all questions, <strong>failed attempts</strong> the executions that failed, <strong>timesteps</strong>
questions and executions together, <strong>J</strong> the weighted sum of load and time that Eq. 1 of the paper stands
for, not divided by time.</li>
<li>Means come with a 95 % interval: Wilson's for task cost, Student's for amounts. Of query cost, failed attempts and
timesteps the paper shows medians, so the figures do too; the bars then reach from the lower to the upper quartile.</li>
<li>Methods at the same place lived through the same episodes, so differences are taken episode by episode. Their
intervals are much narrower than those of the two means.</li>
<li>Of many comparisons at 95 %, a few miss by chance.</li>
<li><em>handup's world</em> takes the paper's model at its word; the <em>replica</em> imitates its reference code, where
that behaves otherwise. Decision times are of this library on the machine that ran the study.</li>
</ul>"""


def page(outcome: Outcome, drawings: Sequence[Drawing]) -> str:
    """The whole page."""
    study = outcome.study
    parts = [_head(outcome)]
    if outcome.judged:
        parts.append(_verdicts(outcome))
    parts.append('<h2 id="figures">Figures</h2>')
    parts += [_figure(drawing) for drawing in drawings]
    if outcome.rivals:
        parts.append(_rivals(outcome.rivals))
    if outcome.judged:
        parts.append(_claims(outcome))
    if outcome.timings:
        parts.append(_times(outcome))
    parts.append(READING)
    parts += ['<h2 id="numbers">All numbers</h2>', *_numbers(outcome)]
    return document(f"{study.title}: a study of handup", parts)


def _head(outcome: Outcome) -> str:
    study, options = outcome.study, outcome.options
    versions = ", ".join(f"{name} {number}" for name, number in outcome.versions.items())
    facts = {
        "Evidence": "simulated",
        "In the paper": escape(study.figure),
        "Episodes": f"{options.episodes_per_cell:,} in each of {len(outcome.results.found):,} cells",
        "Seed": str(options.seed),
        "Made": outcome.made_at.strftime("%d %B %Y, %H:%M %Z"),
        "With": escape(versions),
        "Again": f"<code>{escape(options.command(study))}</code>",
        "Rows": "<code>rows.csv</code>, one line per episode; <code>cells.csv</code>, one per cell",
    }
    if options.quick:
        facts["Quick"] = "fewer episodes, coarser axes and no mip: for a first look, not for conclusions"
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return (
        f'<h1>{escape(study.title)}</h1><p class="question">{escape(study.question)}</p><dl class="facts">{listed}</dl>'
    )


def _verdicts(outcome: Outcome) -> str:
    plain, about_code = _parted(outcome)
    number = len(plain)
    parts = [f"<p>{number} claim{'s' if number != 1 else ''} tested.</p>", _tallies(outcome, plain)]
    if about_code:
        parts += ["<p>About computation time, by the times of our own code:</p>", _tallies(outcome, about_code)]
    return '<h2 id="verdicts">Do the paper\'s claims hold?</h2>' + "".join(parts)


def _tallies(outcome: Outcome, judged: Sequence[Judged]) -> str:
    lines = []
    for world in outcome.study.worlds:
        words = ", ".join(
            _word(verdict, f"{count} {verdict if count == 1 else PLURALS[verdict]}")
            for verdict, count in tally(judged, world).items()
            if count
        )
        lines.append(f"<li>In {escape(_in(world))}: {words or 'none judged'}.</li>")
    return f"<ul>{''.join(lines)}</ul>"


def _parted(outcome: Outcome) -> tuple[list[Judged], list[Judged]]:
    """The claims that rows can test, and those about computation time, which our code cannot settle."""
    plain = [each for each in outcome.judged if not each.claim.about_code]
    return plain, [each for each in outcome.judged if each.claim.about_code]


def _claims(outcome: Outcome) -> str:
    plain, about_code = _parted(outcome)
    parts = ['<h2 id="claims">Claim by claim</h2>']
    if plain:
        parts += [f"<p>{escape(MARGINS)}</p>", _claim_table(outcome, plain, "The paper's claims")]
    if about_code:
        said = f"{MARGIN} Our code is not the reference code: these verdicts neither bear the paper out nor refute it."
        parts += [f"<p>{escape(said)}</p>", _claim_table(outcome, about_code, "Claims about computation time")]
    return "".join(parts)


def _claim_table(outcome: Outcome, judged: Sequence[Judged], caption: str) -> str:
    worlds = outcome.study.worlds
    rows = [
        [escape(each.claim.text), escape(each.claim.source), *(_finding(each.findings[world]) for world in worlds)]
        for each in judged
    ]
    return table(("Claim", "Source", *(f"In {_in(world)}" for world in worlds)), rows, caption=caption, kind="claims")


def _finding(finding: Finding) -> str:
    numbers = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in finding.numbers)
    listed = f'<ul class="numbers">{numbers}</ul>' if numbers else ""
    return f"{_word(finding.verdict, str(finding.verdict))}<br>{escape(finding.why)}{listed}"


def _word(verdict: Verdict, text: str) -> str:
    return f'<span class="verdict {VERDICT_CLASSES[verdict]}">{escape(text)}</span>'


def _in(world: WorldKind) -> str:
    return WORLD_LABELS[world] if world is WorldKind.DEFAULT else f"the {WORLD_LABELS[world]}"


def _figure(drawing: Drawing) -> str:
    drawn = inline_svg(drawing.svg, drawing.name, drawing.caption)
    caption = escape(drawing.caption)
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{caption}">{drawn}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _rivals(rivals: Sequence[Rivalry]) -> str:
    rows = [
        [
            escape(place_label(each.place) or BASE_PLACE),
            _mean(each.ours),
            str(each.pairs),
            escape(each.best),
            _mean(each.theirs),
            _mean(each.difference),
            _word(Verdict.FAILS, f"beaten by {', '.join(each.beaten_by)}") if each.beaten_by else "not beaten",
        ]
        for each in rivals
    ]
    beaten = sum(bool(each.beaten_by) for each in rivals)
    said = f"At {beaten} of {len(rivals)} places" if beaten else f"At none of {len(rivals)} places"
    return (
        '<h2 id="rivals">troubleshoot against the paper\'s pairs</h2>'
        f"<p>Mean J in handup's world, lower is better. {said} any of the pairs that were run there is better than"
        " <code>troubleshoot</code> beyond the 95 % interval of the difference, taken episode by episode.</p>"
        + table(
            ("Where", "troubleshoot", "Pairs", "Best pair", "Its J", "Difference", "Beaten?"),
            rows,
            caption="J of troubleshoot and of the best of the paper's pairs, with 95 % intervals",
        )
    )


def _times(outcome: Outcome) -> str:
    rows = [
        [
            escape(_where(outcome, cell)),
            escape(cell.method),
            f"{each.decision_us:,.0f}",
            f"{each.decisions:g}",
            f"{each.episode_ms:,.3g}",
        ]
        for cell, each in outcome.timings.items()
    ]
    shown = table(
        ("Where", "Method", "µs per decision", "Decisions", "ms per episode"),
        rows,
        caption="Median time of a decision on this machine, times the mean number of decisions of an episode",
        numbers_from=2,
    )
    return f'<h2 id="times">Computation time</h2><details><summary>{len(rows)} measurements</summary>{shown}</details>'


def _numbers(outcome: Outcome) -> Iterator[str]:
    """One table per world; means with intervals, and medians with quartiles."""
    for world in outcome.study.worlds:
        rows = []
        for cell, episodes in outcome.results.found.items():
            if cell.world is world:
                measures = episodes.summary()
                shown = (_mean(measures[name]) if name in BY_MEAN else _both(measures[name]) for name in METRICS)
                rows.append([escape(_where(outcome, cell)), escape(cell.method), *shown])
        caption = f"In {_in(world)}: mean [95 % interval], and median (quartiles) where the paper shows that"
        columns = ("Where", "Method", *(METRIC_LABELS[name] for name in METRICS))
        whole = table(columns, rows, caption=caption, numbers_from=2)
        yield f"<details><summary>{escape(_in(world))}: {len(rows)} cells</summary>{whole}</details>"


def _where(outcome: Outcome, cell: Cell) -> str:
    """What sets a cell apart from the study's base, the method and the world left aside."""
    base = outcome.results.base
    varied = dict.fromkeys(axis.key for grid in (*outcome.study.grids, *outcome.study.extra) for axis in grid.axes)
    shown = [key for key in varied if len(varied) == 1 or getattr(cell, key) != getattr(base, key)]
    return place_label({key: getattr(cell, key) for key in shown}) or BASE_PLACE


def _mean(measure: Measure) -> str:
    return f"{measure.mean:.3f} [{measure.ci[0]:.3f}, {measure.ci[1]:.3f}]"


def _both(measure: Measure) -> str:
    return f"{_mean(measure)}; {measure.median:.3g} ({measure.q1:.3g}–{measure.q3:.3g})"
