"""Figure and report of the study `real-scores`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape

from handup.core import MissingExtra
from handup.lab.by_sets import NAME as KNOWNO
from handup.lab.chains import CALIBRATED, COVERAGE, INTERVAL, PLATT, RAW, SAID
from handup.lab.clusters import Spread
from handup.lab.study.figures import PNG_DPI, SPREAD, Drawing
from handup.lab.study.page import document, inline_svg, table
from handup.lab.study.real_scores import (
    ALWAYS,
    AREAS,
    ARMS,
    EXPERTS,
    LABEL,
    METRICS,
    MORE_PATIENCE,
    NAME,
    NEVER,
    OURS,
    PAIR,
    PER_DRAW,
    PLAIN,
    QUESTION,
    SIZES,
    TITLE,
    USUAL,
    Arm,
    Comparison,
    Place,
)
from handup.lab.study.real_scores_words import best, named, reading, sureness, told
from handup.lab.study.studies import TROUBLESHOOT
from handup.lab.study.style import QUIET, RC, Look

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

LOOKS = {
    Arm(NEVER): Look("#999999", "x"),
    Arm(ALWAYS): Look("#aa8f2d", "d"),
    Arm(PAIR, CALIBRATED): Look("#0072b2", "o"),
    Arm(KNOWNO): Look("#cc79a7", "s"),
    OURS: Look("#000000", "*", width=2.0, size=8.0),
    Arm(PAIR, RAW): Look("#56b4e9", "v"),
    Arm(PAIR, PLATT): Look("#332288", "^"),
    Arm(PAIR, INTERVAL): Look("#117733", "<"),
    Arm(TROUBLESHOOT, RAW): Look("#e69f00", "P"),
    Arm(TROUBLESHOOT, PLATT): Look("#a8891c", "h"),
    Arm(TROUBLESHOOT, INTERVAL): Look("#d55e00", ">"),
}
LABELS = {
    "J": "J",
    "success": "Success",
    "help_rate": "Help rate",
    "workload": "Workload",
    "failed_attempts": "Failed attempts",
}
DRAWN = ("success", "help_rate", "workload")


def draw(found: Comparison) -> Drawing:
    """J beside that of calibrated `troubleshoot`, success, help rate and workload over k; last, other confidences."""
    others = tuple(arm for arm in ARMS if arm not in PLAIN)
    rows: list[tuple[float, tuple[Arm, ...], str]]
    rows = [(expert, PLAIN, f"answers right with {expert:g}") for expert in EXPERTS]
    rows.append((USUAL, (OURS, *others), f"other confidences, {USUAL:g}"))
    with looks.context(dict(RC)):
        figure = Figure(figsize=(14.5, 2.5 * len(rows) + 0.4), layout="constrained")
        for panels, (expert, arms, label) in zip(figure.subplots(len(rows), 4), rows, strict=True):
            _over_k(panels[0], [(arm, _gaps(found, expert, arm)) for arm in arms])
            panels[0].axhline(0.0, color=QUIET, linewidth=0.8)
            panels[0].set_title("J less that of troubleshoot, calibrated", loc="left")
            panels[0].set_ylabel(label, weight="bold")
            for panel, metric in zip(panels[1:], DRAWN, strict=True):
                _over_k(panel, [(arm, [found.spread(metric, Place(k, expert), arm) for k in SIZES]) for arm in arms])
                panel.set_title(LABELS[metric], loc="left")
                panel.set_ylim(bottom=0.0)
            panels[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
        size = found.size
        title = f"{TITLE} ({size.episodes:,} episodes in {size.draws} draws, seed {size.seed})"
        figure.suptitle(title, x=0.01, ha="left")
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None})
    caption = (
        f"{QUESTION} Means with 95 % intervals over streams and draws, against the number of modules k; {LABEL}. "
        f"Above 0 in the first column: worse than troubleshoot with calibrated confidences."
    )
    return Drawing(NAME, caption, svg.getvalue(), png.getvalue())


def _gaps(found: Comparison, expert: float, arm: Arm) -> list[Spread]:
    return [found.difference("J", Place(k, expert), arm, OURS) for k in SIZES]


def _over_k(panel: Axes, lines: Sequence[tuple[Arm, Sequence[Spread]]]) -> None:
    for number, (arm, points) in enumerate(lines):
        look = LOOKS[arm]
        shift = SPREAD * ((number + 0.5) / len(lines) - 0.5)
        panel.errorbar(
            [k + shift for k in SIZES],
            [each.value for each in points],
            yerr=[[each.value - each.ci[0] for each in points], [each.ci[1] - each.value for each in points]],
            color=look.color,
            marker=look.marker,
            markersize=look.size,
            linewidth=look.width,
            elinewidth=0.9,
            label=arm.label,
        )
    panel.set_xticks(SIZES, [f"k = {k}" for k in SIZES])


def page(found: Comparison, drawing: Drawing) -> str:
    """The whole report."""
    label = escape(drawing.caption)
    drawn = inline_svg(drawing.svg, drawing.name, drawing.caption)
    parts = [
        _head(found),
        '<h2 id="reading">What it says</h2>',
        *(f"<p>{line}</p>" for line in reading(found)),
        _where(found),
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{label}">{drawn}</div>'
        f"<figcaption>{label}</figcaption></figure>",
        '<h2 id="numbers">Numbers</h2>',
        *(_methods(found, Place(k)) for k in SIZES),
        *(
            f"<details><summary>k = {k}, answers right with {expert:g}</summary>"
            f"{_methods(found, Place(k, expert))}</details>"
            for k in SIZES
            for expert in EXPERTS
            if expert != USUAL
        ),
        _areas(found),
        *(
            f"<details><summary>k = {k}, {MORE_PATIENCE} steps per module</summary>"
            f"{_methods(found, Place(k, patience=MORE_PATIENCE))}</details>"
            for k in SIZES
        ),
        '<h2 id="imagined">If the confidences were true (simulated)</h2>',
        "<p>The same chains, but outputs are right as often as the calibrated confidences say. What is lost here is "
        "not lost by calibration.</p>",
        *(_methods(found, Place(k, imagined=True)) for k in SIZES),
        _streams(found),
        ASSUMED,
    ]
    return document(f"{TITLE}: a study of handup", parts)


ASSUMED = f"""<h2 id="assumed">What is real and what is assumed</h2>
<p>This is <strong>{LABEL}</strong>. Real: the option scores of a language model on four-choice questions and which
option was right. Assumed: that ten subjects are modules of one policy, in a chain, independent of each other; the
costs of questions (the <strong>illustrative</strong> coefficients of workload, the paper's four questions in random
order, mean .32, load adding up within an episode); how often an answer is right; 10 s per step; J with w = .5.
No person took part.</p>
<p>Intervals are 95 %, by resampling draws (episodes of a draw share a calibration) and streams (draws share the few
streams there are): what other modules of this kind would give. Where only draws are resampled the text says
<em>on these streams only</em>. Differences are between the same episodes. They are not corrected for the number of
comparisons. KnowNo's questions are answered like all others: the person may name an option outside the set.</p>"""


def _head(found: Comparison) -> str:
    size = found.size
    quick = " --quick" if size.quick else ""
    command = f"handup study run {NAME} --data DIR --episodes {size.episodes} --seed {size.seed}{quick}"
    facts = {
        "Evidence": f"{LABEL}; costs and answers assumed",
        "Streams": f"{len(found.streams)}, {sum(len(each.sample) for each in found.streams):,} rows",
        "Episodes": f"{size.episodes:,} for each k: {size.draws} draws of streams and calibrations, {PER_DRAW} each",
        "Seed": str(size.seed),
        "Again": f"<code>{command}</code>",
        "Rows": "<code>rows.csv</code>, one line per place, method and draw",
    }
    if size.quick:
        facts["Quick"] = "few draws: for a first look, not for conclusions"
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return f'<h1>{escape(TITLE)}</h1><p class="question">{escape(QUESTION)}</p><dl class="facts">{listed}</dl>'


def _where(found: Comparison) -> str:
    rows = []
    for place in (Place(k, expert) for k in SIZES for expert in EXPERTS):
        first, second = best(found, "J", place)
        gap = found.difference("J", place, first, second)
        others = [named(best(found, metric, place)[0]) for metric in DRAWN]
        rows.append([f"k = {place.modules}, {place.expert:g}", named(first), sureness(gap), *others])
    columns = ("Where", "Lowest J", "Ahead of the next", "Most success", "Fewest questions", "Least load")
    caption = f"Where each method is best (the last two: of those that ask); {LABEL}"
    return table(columns, rows, caption=caption)


def _methods(found: Comparison, place: Place) -> str:
    rows = []
    for arm in found.ranked("J", place):
        numbers = [told(found.spread(metric, place, arm), 2 + (metric == "J")) for metric in ("J", *_but_j())]
        gap = "" if arm == OURS else told(found.difference("J", place, arm, OURS))
        rows.append([named(arm), *numbers, gap])
    columns = ("Method", *(LABELS[metric] for metric in ("J", *_but_j())), "J less that of calibrated troubleshoot")
    kind = "simulated on the confidences of real scores" if place.imagined else LABEL
    caption = f"k = {place.modules}, answers right with {place.expert:g}, {place.patience} steps per module; {kind}"
    return table(columns, rows, caption=caption, numbers_from=1)


def _but_j() -> tuple[str, ...]:
    return tuple(metric for metric in METRICS if metric != "J")


def _areas(found: Comparison) -> str:
    rows = [[f"k = {k}", *(told(found.aurc(k, said)) for said in AREAS)] for k in SIZES]
    caption = (
        f"Area under the risk–coverage curve of acting alone, the surest episodes first (lower is better); {LABEL}"
    )
    areas = table(("Modules", *AREAS), rows, caption=caption, numbers_from=1)
    rows = [
        [
            f"k = {k}",
            told(found.promised(k, CALIBRATED)[1]),
            *(told(found.promised(k, said)[0]) for said in SAID),
            told(found.covered(k)),
        ]
        for k in SIZES
    ]
    columns = ("Modules", "Succeeds alone", *(f"{said} say" for said in SAID), "Sets of one option")
    caption = f"What confidences say about acting alone, and what happens; sets cover {COVERAGE:g} together; {LABEL}"
    return areas + table(columns, rows, caption=caption, numbers_from=1)


def _streams(found: Comparison) -> str:
    rows = [
        [escape(each.name), str(len(each.sample)), str(each.rows), f"{each.sample.base_rate:.3f}"]
        for each in found.streams
    ]
    columns = ("Stream", "Rows", "For calibration", "Right")
    return table(columns, rows, caption="The streams of real scores", numbers_from=1)
