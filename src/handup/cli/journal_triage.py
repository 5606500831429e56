"""Output of `handup journal triage`: failures of the runs, their costs, and the rules that people have taught."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict

from handup.cli.output import many, plain_table, print_json, print_table, say
from handup.executive.events import Reloaded, Started
from handup.executive.measures import Measures, Traced, measure, triage
from handup.executive.proposals import OFFERED, Proposal, as_file, propose
from handup.executive.recovery import Recovery
from handup.executive.sources import Sources
from handup.journal import Entry, Journal


def show(journal: Journal, *, run: str | None, after: int, as_json: bool) -> bool:
    """Print the triage of a journal, and return whether there was any run."""
    entries = list(journal.read(run=run))
    measured, traced = measure(entries), triage(entries)
    proposals = propose(entries, after=after, known=_rules(entries))
    if as_json:
        record = {
            "store": journal.store,
            "runs": measured.runs,
            "endings": measured.endings,
            **measured.to_json(),
            "traced": [{**asdict(trace), "cost_s": round(trace.cost_s, 3)} for trace in traced],
            "proposals": [proposal.to_json() for proposal in proposals],
        }
        print_json(record)
    elif measured.runs:
        _show(measured, traced, proposals)
    else:
        say(f"{journal.store} holds no run of a recipe.")
    return measured.runs > 0


def _rules(entries: Iterable[Entry]) -> list[Recovery]:
    """Return the rules that the runs had, each in its last version."""
    found: dict[str, Recovery] = {}
    for entry in entries:
        if isinstance(entry.event, Started | Reloaded) and entry.event.sources:
            found |= {rule.name: rule for rule in Sources.from_json(entry.event.sources).parsed()[1]}
    return list(found.values())


def _show(measured: Measures, traced: tuple[Traced, ...], proposals: tuple[Proposal, ...]) -> None:
    endings = ", ".join(f"{count} {ending}" for ending, count in measured.endings.items())
    say(f"{many(measured.runs, 'run')} ({endings}), {_span(measured.time_s)}, {many(measured.starts, 'action')}.")
    if traced:
        numbers = ("times", "cost", "questions", "recoveries")
        table = plain_table("traced to", "what", *numbers, right=numbers)
        for trace in traced:
            where = f"module {trace.where}" if trace.is_module else trace.where
            counts = (str(trace.count), _span(trace.cost_s), str(trace.questions), str(trace.recoveries))
            table.add_row(where, trace.code, *counts)
        print_table(table)
    rules = f"{many(measured.recoveries, 'use')} of rules"
    if measured.recoveries_per_unit is not None:
        rules += f", {measured.recoveries_per_unit:.1f} for each “{measured.unit.replace('_', ' ')}” done"
    left = f"{100 * measured.unresolved_share:.0f} % of failures the rules alone did not get over"
    say(f"{many(measured.failures, 'failure')}, {measured.inner_failures} more inside recoveries; {rules}; {left}.")
    if measured.availability is None:
        available = f"{many(measured.untimed, 'run')} broke off, and nobody said how long a run is to last"
    else:
        available = f"available {100 * measured.availability:.1f} % of the time"
    if math.isinf(measured.mtbi_s):
        say(f"Nobody was needed; {available}.")
    else:
        took = "" if measured.mtci_s is None else f", each {_span(measured.mtci_s)} (MTCI)"
        needed = "Somebody was needed" if measured.questions else "Somebody would have been needed"
        say(f"{needed} every {_span(measured.mtbi_s)} (MTBI){took}; {available}.")
    if proposals:
        say(f"\n{OFFERED}\n")
        say(as_file(proposals).rstrip())


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
