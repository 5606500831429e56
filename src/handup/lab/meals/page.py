"""The report of a study of meals as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from handup.lab.meals import tables
from handup.lab.meals.judging import RULES
from handup.lab.study import telling
from handup.lab.study.page import document

if TYPE_CHECKING:
    from handup.lab.meals.definition import MealStudy
    from handup.lab.meals.run import Outcome
    from handup.lab.study.figures import Drawing

READING = """<h2 id="reading">How to read this</h2>
<p>Plates, pictures, physics and people are <strong>simulated</strong>; the four networks and their errors are real
networks on rendered pictures. How often people are right (.80, .90, .97) and how they point are
<strong>assumed</strong>. No person was asked anything.</p>
<ul>
<li><strong>Bites</strong> are those in which the food that was meant was on the fork and the robot took it for a
bite; a <strong>wrong bite</strong> is another food, given as if it were the right one. <strong>Workload</strong> is the
sum of what the questions cost by the workload model, whose coefficients are illustrative. <strong>J</strong> is the
robot's own objective by what it believes; in <strong>J, true</strong> a wrong bite counts as one that was given up.
Lower is better in everything but bites.</li>
<li>All methods eat the same plates with the same people, and the same question gets the same answer. The unit is the
participant: their plates are averaged first. Intervals are 95 % bootstrap intervals over participants.</li>
<li>The paper divides by the number of bites; numbers here are per meal. In the paper the order of methods and plates is
balanced over participants; simulated people neither learn nor tire from one meal to the next, so that order plays no
part here.</li>
<li>Each lost bite has exactly one <strong>cause</strong>: where the meant food was on the fork in any attempt, the
detector, which overlooked it; otherwise the first wrong module of the chain at the first attempt, or physics where all
four were right. What the robot <strong>blamed</strong> is asked of the same attempt: right after it saw how that went,
which module it held for the most likely first wrong one, or that no module was wrong. <em>success</em>: it did not
notice that anything was lost.</li>
</ul>"""

READING_MEMORY = """<p>Where the robot <strong>remembers</strong>, one memory goes through all meals of a participant,
in their order, and what people say wrong is remembered, too. A <strong>recall</strong> is a remembered word that an
attempt was made on, about a food, a piece or a skill; a <strong>wrong recall</strong> one that was wrong of this plate.
Each participant eats in a kitchen of their own, whose lamp, table, china and groceries look the same at every meal.
Robots that forget eat there, too.</p>"""


def page(outcome: Outcome, drawings: Sequence[Drawing]) -> str:
    """The whole page."""
    study, results = outcome.study, outcome.results
    *shown, lost = drawings
    parts = [
        _head(outcome),
        telling.verdicts(outcome.judged),
        '<h2 id="figures">What came out</h2>',
        *map(telling.figure, shown),
    ]
    parts += [each.html() for each in tables.came_out(results)]
    parts += [telling.claims(outcome.judged, RULES)]
    parts += ['<h2 id="triage">Failure triage: what was wrong, and what the robot believed</h2>', telling.figure(lost)]
    parts += [tables.losses(outcome.triages).html(), tables.costs(outcome.triages).html()]
    confused = "".join(tables.confusion(each).html() for each in outcome.triages)
    parts += [f"<details><summary>Method by method</summary>{confused}</details>", READING]
    parts += [READING_MEMORY] if study.remembers else []
    return document(f"{study.title}: a study of handup", parts)


def _head(outcome: Outcome) -> str:
    study, results = outcome.study, outcome.results
    stamp = ", ".join(f"{name} {number}" for name, number in outcome.stamp.items())
    facts = {
        "Evidence": "simulated; people's skill, hands and workload assumed",
        "In the paper": escape(study.figure),
        "Meals": f"{results.participants} participants × {results.plates} plates × {len(study.arms)} methods, "
        f"{study.bites} bites each",
        "Plates": f"{escape(_plates(study))}; looks {escape(results.size.looks)}; "
        f"seeds from {results.size.seed_of(study)} on",
        "Made": outcome.made_at.strftime("%d %B %Y, %H:%M %Z"),
        "With": escape(stamp),
        "Again": f"<code>{escape(results.size.command(study))}</code>",
        "Rows": "<code>rows.csv</code>, one line per meal; <code>bites.csv</code>, one per bite",
    }
    if study.faulty:
        facts["Faulty"] = "M1 names a food that is not on the plate with probability .9, at a confidence of .65"
    if results.size.quick:
        facts["Quick"] = "few participants, and one plate each unless a robot remembers: for a first look only"
    return telling.head(study.title, study.question, facts)


def _plates(study: MealStudy) -> str:
    """What is served; meal by meal where a robot remembers."""
    menus = (study.plates_of(menu[0]) for menu in study.menus)
    return "; or ".join(", ".join(each if study.remembers else dict.fromkeys(each)) for each in menus)
