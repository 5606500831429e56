"""The report of the study of recoveries as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from handup.domains.kitting.variants import variant
from handup.lab.recoveries import tables
from handup.lab.recoveries.judging import RULES
from handup.lab.study import telling
from handup.lab.study.page import document, table

if TYPE_CHECKING:
    from handup.lab.recoveries.run import Outcome
    from handup.lab.study.figures import Drawing

READING = """<h2 id="reading">How to read this</h2>
<p>The hall, the robot, its faults and the people are <strong>simulated</strong>. How often things fail, how long they
take and how fast a bystander comes are <strong>assumed</strong>: written on 16 November 2026, before the first rule by
our own word, and not changed since, as the digest of these numbers shows that every row carries; how well a remote
operator answers is fitted on human data of a published study. Nobody was asked anything.</p>
<ul>
<li>Every way of running has <strong>the same seeds</strong>: where two runs do the same, the same goes wrong. Seeds
below 1000 were looked at while the rules were written, and are not used here.</li>
<li>An <strong>intervention</strong> is a failure that somebody is asked about, however many questions that takes, or a
run that breaks off before its time, for which somebody would have to come. <code>handup run</code> and <code>handup
journal triage</code> measure runs in the same way.</li>
<li><strong>MTBI</strong> (mean time between interventions) is all nominal time over all interventions, pooled over
runs: a run without any adds its time and is not left out. Where there was none in all runs, the time is
<em>censored</em>: only a lower bound is known. <strong>MTCI</strong> is the time of waiting for help and of getting it,
over interventions. A run that broke off waits for the rest of its 45 minutes, so that its MTCI is a lower bound.
<strong>Availability</strong> is nominal time over nominal time and that.</li>
<li><strong>Unresolved</strong> are failures of the recipe's own steps that the rules alone did not get over. For
<em>restart</em>, putting the kit away counts as a rule.</li>
<li>The <strong>hard</strong> day was declared together with the study, since on a usual one the 45 minutes are the
limit, not the faults.</li>
</ul>"""


def page(outcome: Outcome, drawings: Sequence[Drawing]) -> str:
    """The whole page."""
    study, results = outcome.study, outcome.results
    parts = [_head(outcome), telling.verdicts(outcome.judged), '<h2 id="figures">What came out</h2>']
    parts += map(telling.figure, drawings)
    ways = [(escape(way), escape(variant(way).about)) for way in study.ways]
    parts += [table(("way of running", "what it is"), ways, caption="The ways of running")]
    for day in study.days:
        parts += [f"<h3>{escape(day.name.capitalize())} day: {escape(day.about)}</h3>"]
        shown = (tables.measures, tables.reliability, tables.differences, tables.endings)
        parts += [each(results, day).html() for each in shown]
    parts += [tables.rules(results).html(), telling.claims(outcome.judged, RULES), READING]
    return document(f"{study.title}: a study of handup", parts)


def _head(outcome: Outcome) -> str:
    study, results = outcome.study, outcome.results
    facts = {
        "Evidence": "simulated; rates of faults, durations and the bystander assumed",
        "In the paper": f"dissertation, {escape(study.figure)}",
        "Runs": f"{results.count} seeds × {len(study.ways)} ways of running × {len(study.days)} days, 45 minutes each",
        "Seeds": f"from {results.size.seed_of(study)} on",
        "Made": outcome.made_at.strftime("%d %B %Y, %H:%M %Z"),
        "With": escape(", ".join(f"{name} {number}" for name, number in outcome.stamp.items())),
        "Again": f"<code>{escape(results.size.command(study))}</code>",
        "Rows": "<code>rows.csv</code>, one line per run",
    }
    return telling.head(study.title, study.question, facts)
