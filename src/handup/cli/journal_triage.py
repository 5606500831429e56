"""What failed in the runs of a journal, what it cost, and which rules people have taught."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.table import Table

from handup.cli.output import print_json, print_table
from handup.cli.saying import say
from handup.executive import ordering  # noqa: F401 - its events must be known
from handup.executive.events import Reloaded, Started
from handup.executive.measures import Measures, Traced, measure, triage
from handup.executive.proposing import Proposal, as_file, propose
from handup.executive.sources import Sources
from handup.journal import Entry, Journal


def show(journal: Journal, *, run: str | None, after: int, as_json: bool) -> bool:
    """Tell it; whether there was any run."""
    entries = list(journal.read(run=run))
    measured, traced = measure(entries), triage(entries)
    proposals = propose(entries, after=after, known=_names(entries))
    if as_json:
        print_json(_record(journal.store, measured, traced, proposals))
    else:
        _show(journal.store, measured, traced, proposals)
    return measured.runs > 0


def _names(entries: Iterable[Entry]) -> set[str]:
    """Names of rules that are taken."""
    found: set[str] = set()
    for entry in entries:
        if isinstance(entry.event, Started | Reloaded) and entry.event.sources:
            found |= {each.name for each in Sources.from_json(entry.event.sources).parsed()[1]}
    return found


def _record(
    store: str, measured: Measures, traced: tuple[Traced, ...], proposals: tuple[Proposal, ...]
) -> dict[str, Any]:
    return {
        "store": store,
        **asdict(measured),
        "mtbi_s": None if math.isinf(measured.mtbi_s) else measured.mtbi_s,
        "mtci_s": measured.mtci_s,
        "availability": measured.availability,
        "unresolved_share": measured.unresolved_share,
        "traced": [asdict(each) for each in traced],
        "proposals": [{**asdict(each), "hint": str(each.hint), "yaml": each.yaml} for each in proposals],
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
    left = f"{100 * measured.unresolved_share:.0f} % of failures no rule solved"
    say(f"{_many(measured.failures, 'failure')}, {measured.inner_failures} more inside recoveries; {rules}; {left}.")
    between = "never" if math.isinf(measured.mtbi_s) else f"every {_span(measured.mtbi_s)} (MTBI)"
    took = f", each {_span(measured.mtci_s)} (MTCI)" if measured.interventions else ""
    say(f"People were needed {between}{took}; available {100 * measured.availability:.1f} % of the time.")
    if proposals:
        say("\nPeople solved these the same way again and again. To paste into a file of recoveries:\n")
        say(as_file(proposals).rstrip())


def _table(traced: tuple[Traced, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("traced to", "what", "times", "cost", "questions", "recoveries"):
        table.add_column(name, no_wrap=True, justify="left" if name in {"traced to", "what"} else "right")
    for each in traced:
        where = f"module {each.where}" if each.is_module else each.where
        row = (where, each.code, str(each.count), _span(each.seconds), str(each.questions), str(each.recoveries))
        table.add_row(*row)
    return table


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
