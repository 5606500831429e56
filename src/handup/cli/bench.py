"""`handup bench`: speed of handup, compared with a fair alternative in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from handup.cli.options import group
from handup.cli.output import FAILED, err, note, out, plain_table, print_json, print_table
from handup.lab.bench.harness import Columns, Row

app = group("bench", "Example: handup bench decisions\n\nExit codes: 0 done, 2 bad input.")

AsJson = Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")]
EPILOG = """Example: handup bench decisions --json > decisions.json

Exit codes: 0 measured, 2 an option is wrong or the extras [lab] and [mip] are missing."""
EXECUTIVE_EPILOG = """Example: handup bench executive --json

Example: handup bench executive --check

Exit codes: 0 measured, 1 with --check if a promise is broken here, 2 an option is wrong or the extra [trees] is
missing."""


@app.command(epilog=EPILOG)
def decisions(
    seed: Annotated[int, typer.Option(help="Seed of the random policies.", min=0)] = 0, as_json: AsJson = False
) -> None:
    """Time one decision of each selector and of troubleshoot, and of a textbook formulation of the same rule."""
    from handup.lab.bench import decisions as bench  # noqa: PLC0415 - its parts are extras

    _run(bench.measures(seed), bench.COLUMNS, bench.CLOSING, as_json=as_json, seed=seed)


@app.command(epilog="Example: handup bench simulator --json\n\nExit codes: 0 measured, 2 an option is wrong.")
def simulator(
    seed: Annotated[int, typer.Option(help="Seed of the random episodes.", min=0)] = 0, as_json: AsJson = False
) -> None:
    """Count simulated episodes per second on one core, with graph generation, together and one at a time."""
    from handup.lab.bench import simulator as bench  # noqa: PLC0415 - nobody else needs it

    measures = (partial(bench.measure, modules, seed) for modules in bench.SIZES)
    _run(measures, bench.COLUMNS, bench.CLOSING, as_json=as_json, seed=seed)


@app.command(epilog="Example: handup bench intent --json\n\nExit codes: 0 measured, 2 an option is wrong.")
def intent(
    seed: Annotated[int, typer.Option(help="Seed of the random problems.", min=0)] = 0,
    look_ahead: Annotated[
        float, typer.Option(help="Look-ahead T of the paper's reward, in seconds.", min=0.05, max=10.0)
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Time exact plans of questions about goals in the paper's scenes, and those of pomdp-py's POUCT if installed."""
    from handup.lab.bench import intent as bench  # noqa: PLC0415 - its parts are extras

    measures = (partial(bench.measure, *setup, seed=seed, look_ahead_s=look_ahead) for setup in bench.SETUPS)
    closing = bench.CLOSING.format(look_ahead_s=look_ahead)
    _run(measures, bench.COLUMNS, closing, as_json=as_json, seed=seed, look_ahead_s=look_ahead)


@app.command(epilog=EXECUTIVE_EPILOG)
def executive(
    check: Annotated[bool, typer.Option("--check", help="Fail if a number is worse than promised.")] = False,
    as_json: AsJson = False,
) -> None:
    """Time the executive: each step (beside py_trees), with a journal (beside sqlite3), and reading files."""
    from handup.lab.bench import executive as bench  # noqa: PLC0415 - its parts are extras

    rows = _run(bench.measures(), bench.COLUMNS, bench.CLOSING, as_json=as_json)
    broken = [row["name"] for row in rows if row["kept"] is False]
    if check and broken:
        note(f"Worse than promised here: {', '.join(broken)}.")
        raise typer.Exit(FAILED)


def _run(
    measures: Iterable[Callable[[], Row]], columns: Columns, closing: str, *, as_json: bool, **options: Any
) -> list[Row]:
    """Measure everything, print the table or the JSON record, and return the rows."""
    rows = [measure() for measure in track(list(measures), "measuring", console=err, transient=True)]
    if as_json:
        print_json({**options, "rows": rows})
    else:
        print_table(table_of(rows, columns))
        out.print(closing)
    return rows


def table_of(rows: Sequence[Row], columns: Columns) -> Table:
    """Return rows as a table: words left-aligned, numbers right-aligned, a dash for a missing value."""
    words = {heading for heading, key, _ in columns if isinstance(rows[0][key], str)}
    headings = [heading for heading, _, _ in columns]
    table = plain_table(*headings, right=set(headings) - words)
    for row in rows:
        table.add_row(*(_cell(row[key], form) for _, key, form in columns))
    return table


def _cell(value: object, form: str | Callable[[Any], str]) -> str:
    if not isinstance(form, str):
        return form(value)
    return "–" if value is None else form.format(value)
