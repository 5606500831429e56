"""The report of a calibration as one HTML page: a reliability diagram, risk against coverage, and what they mean."""

from __future__ import annotations

import io
from html import escape

import numpy as np

from handup import __version__
from handup.confidence.calibrate import Calibration, Candidate, ConformalReport
from handup.confidence.metrics import reliability_bins, risk_coverage
from handup.confidence.sample import percent
from handup.core import MissingExtra
from handup.lab.study.page import document, inline_svg, table
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter
except ImportError:
    raise MissingExtra.of("lab", "the report") from None

RISK_CAPTION = (
    "Risk against coverage: acting alone on the surest outputs first; a line per repetition of the cross-validation."
)
SETS = """<p>The options that cannot be ruled out. A set of one option lets the robot act alone; anything else is a
question with the set as its choices.</p>"""
OURS, RANDOM = "#2f7d5b", "#c4513d"
NAMES = {"brier": "Brier score", "log_loss": "Log loss", "ece": "Calibration error", "aurc": "AURC"}
MEANING = """<h2 id="meaning">What the numbers mean</h2>
<ul>
<li>All of them are <strong>cross-validated</strong>: each row is judged by a calibrator that was fitted without it. For
<code>auto</code> the choice of method was made anew in every fold. Intervals are 95 %, by resampling rows.</li>
<li><strong>Brier score</strong>: mean squared error of the probabilities; 0 is perfect, 0.25 is saying one half to
everything. Compare it with that of the base rate. <strong>Log loss</strong>: mean surprise in nats; it punishes broken
promises of certainty. Probabilities count as at least 0.000001 away from 0 and 1.</li>
<li><strong>Calibration error</strong> (ECE): the mean gap between what was said and what happened, over bins of equal
mass. It is biased upwards with few rows; its interval makes up for that, and begins at 0 where perfect probabilities
would do no better.</li>
<li><strong>AURC</strong>: the area under the curve of risk against coverage, the mean error rate over all ways of
acting alone on the surest outputs first. It looks at the order of the scores only, so an increasing calibrator hardly
changes it.</li>
<li>The <strong>simplest</strong> method is taken that none beats by more than one standard error, on Brier score and on
log loss. <code>scaled</code> and <code>interval</code> are the paper's own rules: shown for comparison, never
chosen.</li>
<li>All of this holds for outputs that come from where these rows came from. A drift monitor says when they no longer
do.</li>
</ul>"""

METRICS_CAPTION = (
    "Lower is better. Chance alone makes a calibration error, so its interval is reflected about the value; where it "
    "begins at 0, perfect probabilities would show as much on so few rows."
)


def page(found: Calibration, rows: str) -> str:
    """The whole page.

    Args:
        found: What came out.
        rows: What the rows are called.
    """
    parts = [_head(found, rows), *_warnings(found), _metrics(found)]
    parts.append(_figure(_reliability(found), "reliability", _reliability_caption(found)))
    parts.append(_figure(_risk(found), "risk", RISK_CAPTION))
    parts.append(_candidates(found))
    if found.conformal is not None and found.confident is not None:
        parts.append('<h2 id="conformal">Conformal sets</h2>' + SETS)
        parts += [_conformal(found.conformal, "On average"), _conformal(found.confident, "With confidence")]
    parts.append(MEANING)
    return document(f"Calibration of {rows}", parts)


def _head(found: Calibration, rows: str) -> str:
    data = found.calibrator.to_json()["data"]
    facts = {
        "Use": f"<strong>{escape(found.calibrator.name)}</strong>: {escape(found.reason)}",
        "Rows": f"{len(found.right)} of {escape(str(data['kind']))}, scores from {data['score_min']:.3g} to "
        f"{data['score_max']:.3g}",
        "Right": _percent(found.metrics["accuracy"].value, found.metrics["accuracy"].ci),
        "Asked for": escape(found.requested),
        "Seed": str(found.seed),
        "With": f"handup {escape(__version__)}",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return (
        f"<h1>Calibration of {escape(rows)}</h1>"
        '<p class="question">When this module is sure of itself, how often is it right?</p>'
        f'<dl class="facts">{listed}</dl>'
    )


def _warnings(found: Calibration) -> list[str]:
    if not found.warnings:
        return []
    listed = "".join(f'<li class="bad">{escape(each)}</li>' for each in found.warnings)
    return [f'<h2 id="warnings">Before you rely on it</h2><ul>{listed}</ul>']


def _metrics(found: Calibration) -> str:
    shown = [
        [escape(name), f"{found.metrics[key].value:.3f}", _range(found.metrics[key].ci)] for key, name in NAMES.items()
    ]
    shown.append(["Brier score of the base rate", f"{found.base_rate_brier:.3f}", ""])
    return '<h2 id="metrics">On rows it has not seen</h2>' + table(
        ("Metric", "Value", "95 % interval"), shown, caption=METRICS_CAPTION, numbers_from=1
    )


def _candidates(found: Calibration) -> str:
    def row(each: Candidate) -> list[str]:
        said = "chosen" if each.chosen else "" if each.eligible else "for comparison"
        said = "; ".join([said, *each.warnings] if said else each.warnings)
        numbers = [f"{each.metrics[key].value:.3f} {_range(each.metrics[key].ci)}" for key in NAMES]
        return [f"<code>{escape(each.method)}</code>", *numbers, escape(said)]

    columns = ("Method", *NAMES.values(), "")
    shown = table(columns, [row(each) for each in found.candidates], caption="Cross-validated, with 95 % intervals")
    return f'<h2 id="candidates">Every method that takes such rows</h2>{shown}'


def _conformal(report: ConformalReport, title: str) -> str:
    sets = report.sets
    rows = [
        ["Threshold", f"{sets.threshold:.4f}", "an option is in the set where its score reaches this"],
        ["Coverage", percent(report.coverage), "of rows have the right option in their set (cross-validated)"],
        [
            "Coverage of one calibration",
            _range(sets.coverage_interval),
            f"with 90 % probability; ± {sets.coverage_sd:.2f} (one standard deviation), from the Beta distribution",
        ],
        ["Questions", percent(report.help_rate), "of rows have a set of none or of several options"],
        ["Set size", f"{report.mean_set_size:.2f}", "options on average"],
    ]
    return f"<h3>{escape(title)}</h3><p>{escape(sets.guarantee)}</p>" + table(
        ("", "Value", "Meaning"), rows, caption=f"For a target of {sets.target_coverage:g}"
    )


def _reliability_caption(found: Calibration) -> str:
    return (
        f"Reliability: what {found.calibrator.name} said against what happened, in {len(found.bins)} bins of equal "
        "mass; bars are Wilson's 95 % intervals, hollow marks the scores before calibration. On the diagonal the "
        "probabilities hold."
    )


def _reliability(found: Calibration) -> bytes:
    with looks.context(dict(RC) | {"axes.grid.axis": "both"}):
        figure = Figure(figsize=(8.4, 4.6), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)))
        bins = found.bins
        said = [each.said for each in bins]
        happened = [each.happened for each in bins]
        ends = [
            [max(0.0, each.happened - each.low) for each in bins],
            [max(0.0, each.high - each.happened) for each in bins],
        ]
        if found.before is not None:
            raw = reliability_bins(found.before, found.right)
            places = [each.said for each in raw], [each.happened for each in raw]
            axes.plot(
                *places, "D", markersize=5, markerfacecolor="none", markeredgecolor=RANDOM, label="scores as given"
            )
        label = f"{found.calibrator.name}, unseen rows"
        axes.errorbar(
            said, happened, yerr=ends, fmt="o", color=OURS, ecolor=QUIET, capsize=2, markersize=6, label=label
        )
        axes.legend(loc="upper left", bbox_to_anchor=(0.01, 0.95))
        _rug(axes, found)
        axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), xlabel="said: probability of being right", ylabel="happened: right")
        return _svg(figure)


def _rug(axes: Axes, found: Calibration) -> None:
    """A tick per row: right ones above, wrong ones below."""
    chances = found.chances[0]
    for rows, height in ((found.right, 1.0), (~found.right, 0.0)):
        axes.plot(chances[rows], np.full(int(rows.sum()), height), "|", color=INK, alpha=0.35, markersize=7)


def _risk(found: Calibration) -> bytes:
    with looks.context(dict(RC)):
        figure = Figure(figsize=(8.4, 3.8), layout="constrained")
        axes = figure.add_subplot()
        for chances in found.chances:
            coverage, risk = risk_coverage(chances, found.right)
            axes.plot(coverage, risk, color=OURS, linewidth=1.3, alpha=0.8)
        error = 1.0 - float(found.right.mean())
        axes.axhline(error, color=RANDOM, linewidth=1.0, linestyle=(0, (4, 3)))
        axes.annotate("a score that says nothing", (1.0, error), (0, 4), textcoords="offset points", ha="right", size=8)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="share acted on alone", ylabel="wrong among those")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        return _svg(figure)


def _svg(figure: Figure) -> bytes:
    written = io.BytesIO()
    figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()


def _figure(svg: bytes, name: str, caption: str) -> str:
    shown = escape(caption)
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{shown}">{inline_svg(svg, name, caption)}'
        f"</div><figcaption>{shown}</figcaption></figure>"
    )


def _percent(value: float, ci: tuple[float, float]) -> str:
    return f"{percent(value)} ({percent(ci[0])} to {percent(ci[1])})"


def _range(ci: tuple[float, float]) -> str:
    return f"[{ci[0]:.3f}, {ci[1]:.3f}]"
