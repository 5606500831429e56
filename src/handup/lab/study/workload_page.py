"""Figure and report of the study `workload-sensitivity`."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

from handup.core import MissingExtra
from handup.lab.episodes import Measure
from handup.lab.study.figures import PNG_DPI, Drawing
from handup.lab.study.page import document, inline_svg, table
from handup.lab.study.style import RC
from handup.lab.study.workload import NAME, QUESTION, TITLE, VARIED, Flip, Sensitivity, Setting, ranked

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999")
MOST_LISTED = 60


def draw(found: Sensitivity) -> Drawing:
    """Best pair, and the modules that the best method asks about, over a_d and a_r; one column for each g and τ."""
    rested = found.default.model
    grid = [each for each in found.settings[1:] if (each.model.rho_failed, each.model.rho_wait) == (0.0, 0.0)]
    kinds = list(dict.fromkeys((each.model.g, each.model.tau_s) for each in grid))
    shown: tuple[tuple[str, Callable[[Setting], str]], ...] = (
        ("best method", lambda each: each.best),
        ("best of the paper's pairs", lambda each: each.best_pair),
        (f"modules asked by {found.default.best}", lambda each: each.order(found.default.best)),
    )
    with looks.context(dict(RC)):
        figure = Figure(figsize=(1.9 * len(kinds) + 3.4, 7.2), layout="constrained")
        panels = figure.subplots(len(shown), len(kinds), squeeze=False)
        for row, (label, value) in zip(panels, shown, strict=True):
            words = sorted({value(each) for each in grid})
            colors = {word: COLORS[number % len(COLORS)] for number, word in enumerate(words)}
            for panel, (g, tau_s) in zip(row, kinds, strict=True):
                here = [each for each in grid if (each.model.g, each.model.tau_s) == (g, tau_s)]
                _squares(panel, here, [colors[value(each)] for each in here])
                panel.set_title(f"g {g:g}" if g == 0.0 else f"g {g:g}, τ {tau_s:g} s", loc="left")
                panel.plot(rested.a_d, rested.a_r, "+", color="black", markersize=9)
            for word, color in colors.items():
                row[-1].plot([], [], "s", color=color, label=word)
            row[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
            row[0].set_ylabel(f"{label}\n$a_r$", weight="bold")
        for panel in panels[-1]:
            panel.set_xlabel("$a_d$")
        title = (
            f"{TITLE} (simulated, w {found.menu.w:g}, {found.menu.meals:,} meals per setting, seed {found.menu.seed})"
        )
        figure.suptitle(title, x=0.01, ha="left")
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None})
    caption = f"{QUESTION} Simulated; + marks the default coefficients; b is solved so that the mean cost is .32."
    return Drawing(f"{NAME}-w{round(100 * found.menu.w)}", caption, svg.getvalue(), png.getvalue())


def page(found: Sequence[Sensitivity], drawings: Sequence[Drawing]) -> str:
    """The whole report."""
    parts = [_head(found[0])]
    for each, drawing in zip(found, drawings, strict=True):
        parts.append(f"<h2>When load weighs {each.menu.w:g} against time</h2>")
        parts += [f"<p>{line}</p>" for line in reading(each)]
        drawn = inline_svg(drawing.svg, drawing.name, drawing.caption)
        label = escape(drawing.caption)
        parts.append(
            f'<figure><div class="wide" role="region" tabindex="0" aria-label="{label}">{drawn}</div>'
            f"<figcaption>{label}</figcaption></figure>"
        )
        parts += [_flips(list(each.flips()), each.menu.w), _ranking(each)]
    parts.append(ASSUMED)
    return document(f"{TITLE}: a study of handup", parts)


def _ranking(found: Sensitivity) -> str:
    listed = ranked(found.default)
    rows = [[f"<code>{escape(name)}</code>", _mean(value), f"{load:.2f}"] for name, value, load in listed]
    caption = f"Under the default coefficients, w {found.menu.w:g}"
    shown = table(("Method", "J per meal", "Load per meal"), rows, caption=caption, numbers_from=1)
    return f"<details><summary>Methods under the defaults</summary>{shown}</details>"


def reading(found: Sensitivity) -> list[str]:
    """The result in plain sentences, as HTML."""
    default, count = found.default, len(found.settings)
    kinds = Counter(each.what for each in found.flips())
    best = Counter(each.best for each in found.settings)
    lines = [
        f"Under the default coefficients <code>{escape(default.best)}</code> has the lowest J, and "
        f"<code>{escape(default.best_pair)}</code> is the best of the paper's pairs.",
        f"The best method is <code>{escape(default.best)}</code> in {best[default.best]} of {count} settings; another "
        f"one is better beyond the 95 % interval of the difference in {kinds['best']}.",
        f"Another of the paper's pairs is better than <code>{escape(default.best_pair)}</code> beyond that interval in "
        f"{kinds['best pair']} of {count}.",
        f"<code>{escape(default.best)}</code> asks about the modules in the order "
        f"{escape(default.order(default.best))}, by how often; that order is another in {kinds['asked']} of {count}.",
    ]
    if not kinds:
        lines.append("No recommendation flips in the range tried: it does not hang on the coefficients assumed here.")
    return lines


ASSUMED = """<h2 id="assumed">What is assumed</h2>
<p>Everything here is <strong>simulated</strong>. The coefficients of workload are <strong>illustrative</strong>: the
core paper's own are not published. The policy is the paper's bite acquisition with <strong>assumed</strong> confidences
(.9, .8, .4, .7). Answers are always right. Another policy can give another picture: run it with your own.</p>"""


def _head(found: Sensitivity) -> str:
    menu = found.menu
    quick = " --quick" if found.quick else ""
    facts = {
        "Evidence": "simulated; confidences and coefficients assumed",
        "Meals": f"{menu.meals:,} of {menu.bites} bites, in each of {len(found.settings):,} settings and two weights",
        "Time": f"{menu.step_s:g} s per question and execution, {menu.rest_s:g} s between bites",
        "Seed": str(menu.seed),
        "Again": f"<code>handup study run {NAME} --episodes {menu.meals} --seed {menu.seed}{quick}</code>",
        "Rows": "<code>rows.csv</code>, one line per setting and method",
    }
    if found.quick:
        facts["Quick"] = "fewer meals and a coarser grid: for a first look, not for conclusions"
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return f'<h1>{escape(TITLE)}</h1><p class="question">{escape(QUESTION)}</p><dl class="facts">{listed}</dl>'


def _flips(flips: Sequence[Flip], w: float) -> str:
    if not flips:
        return ""
    rows = [
        [
            escape(", ".join(f"{name} {each.place[name]:g}" for name in VARIED)),
            escape(each.what),
            escape(each.before),
            escape(each.after),
            "" if each.gain is None else _mean(each.gain),
        ]
        for each in flips[:MOST_LISTED]
    ]
    more = f"<p>{len(flips) - MOST_LISTED} more in <code>study.json</code>.</p>" if len(flips) > MOST_LISTED else ""
    columns = ("Where", "What", "Under the defaults", "Here", "Gain in J")
    shown = table(columns, rows, caption=f"Where recommendations flip, w {w:g}")
    return f"<details><summary>{len(flips)} flips</summary>{shown}{more}</details>"


def _squares(panel: Axes, here: Sequence[Setting], colors: Sequence[str]) -> None:
    places = [(each.model.a_d, each.model.a_r) for each in here]
    panel.scatter([x for x, _ in places], [y for _, y in places], c=list(colors), marker="s", s=150)
    panel.set_xlim(-0.03, 0.23)
    panel.set_ylim(-0.03, 0.23)
    panel.grid(visible=False)


def _mean(measure: Measure) -> str:
    return f"{measure.mean:.3f} [{measure.ci[0]:.3f}, {measure.ci[1]:.3f}]"
