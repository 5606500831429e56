"""`handup people`: a model of who helps when, scored on people it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from handup.cli.options import AsJson, group
from handup.cli.output import bar, many, note, out, plain_table, print_json
from handup.confidence.metrics import Bin, brier, reliability_bins
from handup.core import BadData
from handup.core.files import read_text
from handup.people.help_requests import HelpRequest, RecordSource, WillingnessFit, auc, fit_willingness, read_requests

app = group(
    "people",
    "Example: handup people evaluate --train requests.csv --test others.csv\n\nExit codes: 0 done, 2 bad input.",
)
EPILOG = """Example: handup people evaluate --train requests.csv --test others.csv --json

The columns: person, request (order among the requests to this person), busyness (free time, medium, high), helped (0
or 1), and where known asked_before (share of the last five moments in which the person was asked) and helped_before
(share of those requests at which the person helped). Other columns are not used, prosociality among them.

A prediction uses only what is known before the request. The rows of --test influence neither the fit nor its settings.
A name that stands in both files counts as two people; a warning names them.

Exit codes: 0 scored, 2 a file is wrong."""
MAX_BYTES = 64 * 1024 * 1024
MOST_NAMED = 5
RECORDS = {
    RecordSource.ROWS: "the rows before it",
    RecordSource.FIRST_AND_ROWS: "the rows before it, and asked_before and helped_before of the first",
    RecordSource.WINDOW: "asked_before and helped_before of its own row",
}


@app.command(epilog=EPILOG)
def evaluate(
    train: Annotated[
        Path, typer.Option(help="File with the requests that the model is fitted to.", metavar="FILE.csv")
    ],
    test: Annotated[
        Path, typer.Option(help="File with the requests to other people, which the model predicts.", metavar="FILE.csv")
    ],
    as_json: AsJson = False,
) -> None:
    """Fit a model of who helps when to the requests in one file, and score it on requests to other people."""
    seen, unseen = _read(train), _read(test)
    both = sorted({request.person for request in seen} & {request.person for request in unseen})
    if both:
        named = ", ".join(f"'{name}'" for name in both[:MOST_NAMED]) + (", …" if len(both) > MOST_NAMED else "")
        note(
            f"handup: warning: {many(len(both), 'name stands', 'names stand')} in both files ({named}). The people are "
            "counted as different. If they are the same, the score is too good: leave them out of one file."
        )
    fit = fit_willingness(seen)
    chances = fit.chances(unseen)
    helped = np.array([request.helped for request in unseen])
    base = np.full(len(unseen), fit.helped)
    scores: dict[str, Any] = {
        "brier": brier(chances, helped),
        "auc": auc(chances, helped),
        "base_brier": brier(base, helped),
        "n": len(unseen),
    }
    bins = reliability_bins(chances, helped)
    people = len({request.person for request in unseen})
    if as_json:
        more = {
            "people": people,
            "in_both": both,
            "trained_on": {"n": len(seen), "people": len({request.person for request in seen}), "helped": fit.helped},
            "chosen": fit.chosen.to_json(),
            "reliability": [found.to_json() for found in bins],
        }
        print_json(scores | more)
        return
    _show(scores, people, bins, fit)


def _read(path: Path) -> tuple[HelpRequest, ...]:
    text = read_text(path, MAX_BYTES, error=BadData)
    try:
        requests, unknown = read_requests(text)
    except BadData as error:
        raise error.at(str(path)) from None
    if unknown:
        note(f"handup: warning: {path}: columns that are not used: {', '.join(unknown)}.")
    return requests


def _show(scores: dict[str, Any], people: int, bins: tuple[Bin, ...], fit: WillingnessFit) -> None:
    area = scores["auc"]
    shown = f"{area:.3f}" if area is not None else "none, since all requests ended alike"
    out.print(
        f"{many(scores['n'], 'request')} to {many(people, 'person', 'people')}: Brier {scores['brier']:.3f}, "
        f"{scores['base_brier']:.3f} with the share of --train for everybody; AUC {shown}.\n"
    )
    table = plain_table(
        "requests", "predicted", "helped", "predicted / helped", right=("requests", "predicted", "helped")
    )
    for found in bins:
        bars = f"{bar(found.said)}  {bar(found.happened)}"
        table.add_row(str(found.n), f"{found.said:.2f}", f"{found.happened:.2f}", bars)
    out.print(table)
    out.print(f"\nRecord of a person at a request: {RECORDS[fit.chosen.source]}.", markup=False)
    out.print("Kinds of people in --train, and how likely they help:\n")
    columns = ("share", "free", "medium", "high")
    kinds = plain_table(*columns, right=columns)
    for kind in fit.model.kinds:
        kinds.add_row(f"{kind.share:.2f}", *(f"{chance:.2f}" for chance in kind.chances[:3]))
    out.print(kinds)
