"""The figure and the report of the study `recovery-rules`."""

from __future__ import annotations

from html import escape

from handup.core import MissingExtra
from handup.lab.recoveries.rules import FIGURE, NAME, QUESTION, THEIRS, TITLE, Outcome
from handup.lab.study import telling
from handup.lab.study.figures import Drawing, files_of
from handup.lab.study.page import document
from handup.lab.study.style import INK, RC

try:
    from matplotlib import style as looks
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

COLORS = ("#0072b2", "#9ecae1")
HEIGHT = 0.36
READING = """<h2 id="reading">How to read this</h2>
<p>Nothing is simulated or judged here: the rules of the kitting world are counted as they stand in their files. The
dissertation counts the 18 main recoveries of its robot; each had several sub-strategies in code. Ours are smaller, one
for each case, so that shares need not be the same. Its figure shows bars without numbers in the text; we quote only
what the text says.</p>
<ul>
<li><strong>shared</strong>: different faults use the same rule. <strong>immediate</strong>: it runs a primitive action
itself. <strong>dynamic</strong>: the failure, beliefs or what was tried give its actions other parameters.</li>
<li><strong>Factors</strong> are what a rule looks at: where in the hierarchy, how often, beliefs (contradictions among
them), the error code or fields of the action, the result of an action that it tries first.</li>
<li>A rule with several branches may resume in several ways, so that shares add up to more than all.</li>
</ul>"""


def draw(outcome: Outcome) -> Drawing:
    """The three panels."""
    with looks.context(dict(RC)):
        figure = Figure(figsize=(12.6, 3.6), layout="constrained")
        panels = figure.subplots(1, len(outcome.parts), width_ratios=[len(each.shares) for each in outcome.parts])
        for panel, part in zip(panels, outcome.parts, strict=True):
            sets = tuple(next(iter(part.shares.values())))
            for number, (name, color) in enumerate(zip(sets, COLORS, strict=True)):
                places = [place + HEIGHT * (number - 0.5) for place in range(len(part.shares))]
                values = [100 * found[name] for found in part.shares.values()]
                drawn = panel.bar(places, values, width=HEIGHT, color=color, label=name)
                panel.bar_label(drawn, fmt="{:.0f}", size=7, color=INK, padding=1)
            words = [entry.replace(" ", "\n", 1).replace(" an ", " an\n") for entry in part.shares]
            panel.set_xticks(range(len(part.shares)), words, size=8)
            panel.set_ylim(0.0, 100.0)
            panel.set_title(f"({part.name}) {part.title}", loc="left")
        panels[0].set_ylabel("% of rules")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(COLORS))
        figure.suptitle(f"{TITLE}: the rules of the kitting world", x=0.01, ha="left")
        files = files_of(figure)
    caption = (
        "What the rules of the kitting world are made of, as the dissertation's Figure 2.6 shows it of its 18 "
        "recoveries: (a) properties, (b) factors that choose a recovery, (c) ways to resume. Counted in the rule files."
    )
    return Drawing(NAME, caption, *files)


def page(outcome: Outcome, drawing: Drawing) -> str:
    """The whole page."""
    facts = {
        "Evidence": "counted in the rule files; nothing is simulated",
        "In the paper": f"dissertation, {escape(FIGURE)}, {THEIRS} recoveries",
        "Rules": ", ".join(f"{count} {escape(name)}" for name, count in outcome.counts.items()),
        "Made": outcome.made_at.strftime("%d %B %Y, %H:%M %Z"),
        "Again": "<code>handup study run recovery-rules</code>",
    }
    parts = [telling.head(TITLE, QUESTION, facts), telling.figure(drawing)]
    parts += [each.html() for each in (*outcome.tables, outcome.rules)]
    return document(f"{TITLE}: a study of handup", [*parts, READING])
