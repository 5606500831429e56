"""What failed in the runs of a journal, what it cost, and which rules people have taught."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.table import Table

from handup.cli.output import print_json, print_table
from handup.cli.saying import say
from handup.executive.events import Reloaded, Started
from handup.executive.measures import Measures, Traced, measure, triage
from handup.executive.proposing import OFFERED, Proposal, as_file, propose
from handup.executive.recovery import Recovery
from handup.executive.sources import Sources
from handup.journal import Entry, Journal


def show(journal: Journal, *, run: str | None, after: int, as_json: bool) -> bool:
    """Tell it; whether there was any run."""
    entries = list(journal.read(run=run))
    measured, traced = measure(entries), triage(entries)
    proposals = propose(entries, after=after, known=_rules(entries))
    if as_json:
        print_json(_record(journal.store, measured, traced, proposals))
    else:
        _show(journal.store, measured, traced, proposals)
    return measured.runs > 0


def _rules(entries: Iterable[Entry]) -> list[Recovery]:
    """The rules that the runs had, as they were last."""
    found: dict[str, Recovery] = {}
    for entry in entries:
        if isinstance(entry.event, Started | Reloaded) and entry.event.sources:
            found |= {each.name: each for each in Sources.from_json(entry.event.sources).parsed()[1]}
    return list(found.values())


def _record(
    store: str, measured: Measures, traced: tuple[Traced, ...], proposals: tuple[Proposal, ...]
) -> dict[str, Any]:
    return {
        "store": store,
        "runs": measured.runs,
        "endings": measured.endings,
        **measured.to_json(),
        "traced": [{**asdict(each), "cost_s": round(each.cost_s, 3)} for each in traced],
        "proposals": [each.to_json() for each in proposals],
    }


def _show(store: str, measured: Measures, traced: tuple[Traced, ...], proposals: tuple[Proposal, ...]) -> None:
    if not measured.runs:
        say(f"{store} holds no run of a recipe.")
        return
    endings = ", ".join(f"{count} {ending}" for ending, count in measured.endings.items())
    say(f"{_many(measured.runs, 'run')} ({endings}), {_span(measured.time_s)}, {_many(measured.starts, 'action')}.")
    if traced:
        print_table(_table(traced))
    rules = f"{measured.recoveries} use{'' if measured.recoveries == 1 else 's'} of rules"
    if measured.recoveries_per_unit is not None:
        rules += f", {measured.recoveries_per_unit:.1f} for each “{measured.unit.replace('_', ' ')}” done"
    left = f"{100 * measured.unresolved_share:.0f} % of failures the rules alone did not get over"
    say(f"{_many(measured.failures, 'failure')}, {measured.inner_failures} more inside recoveries; {rules}; {left}.")
    if math.isinf(measured.mtbi_s):
        say(f"Nobody was needed; {_available(measured)}.")
    else:
        took = "" if measured.mtci_s is None else f", each {_span(measured.mtci_s)} (MTCI)"
        needed = "Somebody was needed" if measured.questions else "Somebody would have been needed"
        say(f"{needed} every {_span(measured.mtbi_s)} (MTBI){took}; {_available(measured)}.")
    if proposals:
        say(f"\n{OFFERED}\n")
        say(as_file(proposals).rstrip())


def _available(measured: Measures) -> str:
    if measured.availability is None:
        return f"{_many(measured.untimed, 'run')} broke off, and nobody said how long a run is to last"
    return f"available {100 * measured.availability:.1f} % of the time"


def _table(traced: tuple[Traced, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("traced to", "what", "times", "cost", "questions", "recoveries"):
        table.add_column(name, no_wrap=True, justify="left" if name in {"traced to", "what"} else "right")
    for each in traced:
        where = f"module {each.where}" if each.is_module else each.where
        row = (where, each.code, str(each.count), _span(each.cost_s), str(each.questions), str(each.recoveries))
        table.add_row(*row)
    return table


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
