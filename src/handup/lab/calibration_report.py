"""The report of a calibration: a reliability diagram, risk against coverage, and what they mean."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from handup import __version__
from handup.confidence.calibrate import Calibration, Candidate, ConformalReport
from handup.confidence.metrics import reliability_bins, risk_coverage
from handup.confidence.sample import percent
from handup.lab.engine.figures import INK, QUIET, drawing, sheet
from handup.lab.engine.report import Drawing, Report, Section
from handup.lab.engine.table import Table

OURS, RANDOM = "#2f7d5b", "#c4513d"
NAMES = {"brier": "Brier score", "log_loss": "Log loss", "ece": "Calibration error", "aurc": "AURC"}
RISK_CAPTION = (
    "Risk against coverage: acting alone on the surest outputs first; a line per repetition of the cross-validation."
)
METRICS_CAPTION = (
    "Lower is better. Chance alone makes a calibration error, so its interval is reflected about the value; where it "
    "begins at 0, perfect probabilities would show as much on so few rows."
)
SETS = (
    "The options that cannot be ruled out. A set of one option lets the robot act alone; anything else is a question "
    "with the set as its choices."
)


def page(found: Calibration, rows: str) -> str:
    """Return the report as an HTML page that stands alone.

    Args:
        found: The calibration.
        rows: Name of the rows.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    data = found.calibrator.to_json()["data"]
    accuracy = found.metrics["accuracy"]
    sections = [Section("On rows it has not seen", (_metrics(found), _reliability(found), _risk(found)))]
    if found.warnings:
        listed = "\n".join(f"- {escape(warning)}" for warning in found.warnings)
        sections.insert(0, Section("Before you rely on it", (listed,)))
    sections.append(Section("Every method that takes such rows", (_candidates(found),)))
    if found.conformal is not None and found.confident is not None:
        sets = (_conformal(found.conformal, "On average"), _conformal(found.confident, "With confidence"))
        sections.append(Section("Conformal sets", (SETS, *(part for parts in sets for part in parts))))
    meaning = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    return Report(
        title=f"Calibration of {rows}",
        question="When this module is sure of itself, how often is it right?",
        answer=f"Use {escape(found.calibrator.name)}: {escape(found.reason)}",
        facts={
            "Rows": f"{len(found.right)} of {escape(str(data['kind']))}, scores from {data['score_min']:.3g} to "
            f"{data['score_max']:.3g}",
            "Right": f"{percent(accuracy.value)} ({percent(accuracy.ci[0])} to {percent(accuracy.ci[1])})",
            "Asked for": escape(found.requested),
            "Seed": str(found.seed),
            "With": f"handup {__version__}",
        },
        sections=(*sections, Section("What the numbers mean", (meaning,))),
    ).html()


def _metrics(found: Calibration) -> Table:
    rows = [(name, f"{found.metrics[key].value:.3f}", _range(found.metrics[key].ci)) for key, name in NAMES.items()]
    base_rate = ("Brier score of the base rate", f"{found.base_rate_brier:.3f}", "")
    return Table(METRICS_CAPTION, ("Metric", "Value", "95 % interval"), (*rows, base_rate))


def _candidates(found: Calibration) -> Table:
    def row(candidate: Candidate) -> tuple[str, ...]:
        remark = "chosen" if candidate.chosen else "" if candidate.eligible else "for comparison"
        remarks = "; ".join([remark, *candidate.warnings] if remark else candidate.warnings)
        numbers = [f"{candidate.metrics[key].value:.3f} {_range(candidate.metrics[key].ci)}" for key in NAMES]
        return (f"`{candidate.method}`" + (f": {escape(remarks)}" if remarks else ""), *numbers)

    rows = tuple(row(candidate) for candidate in found.candidates)
    return Table("Cross-validated, with 95 % intervals", ("Method", *NAMES.values()), rows)


def _conformal(report: ConformalReport, title: str) -> tuple[str, Table]:
    sets = report.sets
    rows = (
        ("Threshold: an option is in the set where its score reaches this", f"{sets.threshold:.4f}"),
        ("Coverage: rows that have the right option in their set (cross-validated)", percent(report.coverage)),
        (
            f"Coverage of one calibration with 90 % probability; ± {sets.coverage_sd:.2f} (one standard deviation), "
            "from the Beta distribution",
            _range(sets.coverage_interval),
        ),
        ("Questions: rows that have a set of none or of several options", percent(report.help_rate)),
        ("Set size: options on average", f"{report.mean_set_size:.2f}"),
    )
    table = Table(f"For a target of {sets.target_coverage:g}", ("", "Value"), rows)
    return f"### {title}\n\n{sets.guarantee}", table


def _reliability(found: Calibration) -> Drawing:
    caption = (
        f"Reliability: what {found.calibrator.name} said against what happened, in {len(found.bins)} bins of equal "
        "mass; bars are Wilson's 95 % intervals, hollow marks the scores before calibration. On the diagonal the "
        "probabilities hold."
    )
    with sheet(8.4, 4.6) as figure:
        axes = figure.add_subplot()
        axes.grid(visible=True, axis="both")
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)))
        if found.before is not None:
            raw = np.array([(bin_.said, bin_.happened) for bin_ in reliability_bins(found.before, found.right)])
            axes.plot(*raw.T, "D", markersize=5, mfc="none", mec=RANDOM, label="scores as given")
        said, happened, low, high = np.array([(b.said, b.happened, b.low, b.high) for b in found.bins]).T
        ends = np.maximum(0.0, [happened - low, high - happened])
        label = f"{found.calibrator.name}, unseen rows"
        axes.errorbar(
            said, happened, yerr=ends, fmt="o", color=OURS, ecolor=QUIET, capsize=2, markersize=6, label=label
        )
        axes.legend(loc="upper left", bbox_to_anchor=(0.01, 0.95))
        for rows, height in ((found.right, 1.0), (~found.right, 0.0)):  # a tick per row: right above, wrong below
            ticks = found.chances[0][rows]
            axes.plot(ticks, np.full(len(ticks), height), "|", color=INK, alpha=0.35, markersize=7)
        axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), xlabel="said: probability of being right", ylabel="happened: right")
        return drawing(figure, "reliability", caption)


def _risk(found: Calibration) -> Drawing:
    with sheet(8.4, 3.8) as figure:
        axes = figure.add_subplot()
        for chances in found.chances:
            axes.plot(*risk_coverage(chances, found.right), color=OURS, linewidth=1.3, alpha=0.8)
        error = 1.0 - float(found.right.mean())
        axes.axhline(error, color=RANDOM, linewidth=1.0, linestyle=(0, (4, 3)))
        axes.annotate("a score that says nothing", (1.0, error), (0, 4), textcoords="offset points", ha="right", size=8)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="share acted on alone", ylabel="wrong among those")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:.0%}")
        return drawing(figure, "risk", RISK_CAPTION)


def _range(ci: tuple[float, float]) -> str:
    return f"[{ci[0]:.3f}, {ci[1]:.3f}]"
