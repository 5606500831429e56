"""`handup bench`: speed, ours beside a fair alternative in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import track
from rich.table import Table

from handup.cli.output import FAILED, err, out, print_json, print_table

if TYPE_CHECKING:
    from handup.lab.executive_speed import Row

app = typer.Typer(rich_markup_mode=None, epilog="Example: handup bench decisions\n\nExit codes: 0 done, 2 bad input.")

EPILOG = """Example: handup bench decisions --json > decisions.json

Exit codes: 0 measured, 2 an option is wrong or the extras [lab] and [mip] are missing."""

SIMULATOR_EPILOG = """Example: handup bench simulator --json

Exit codes: 0 measured, 2 an option is wrong."""

EXECUTIVE_EPILOG = """Example: handup bench executive --json

Example: handup bench executive --check

Exit codes: 0 measured, 1 with --check where a promise is broken here, 2 an option is wrong or the extra [trees] is
missing."""


INTENT_EPILOG = """Example: handup bench intent --json

Exit codes: 0 measured, 2 an option is wrong."""


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Measure speed, ours beside a fair alternative in the same run."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog=EPILOG)
def decisions(
    seed: Annotated[int, typer.Option(help="Which random policies.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Time one decision of each selector, and of troubleshoot, beside a textbook formulation of the same rule."""
    from handup.lab import decisions as bench  # noqa: PLC0415 - its parts are extras

    found = list(bench.cases(seed))
    rows = [case.measure() for case in track(found, "measuring", console=err, transient=True)]
    if as_json:
        print_json({"seed": seed, "rows": [row.to_json() for row in rows]})
        return
    table = Table(box=None, pad_edge=False)
    for column in ("selector", "structure"):
        table.add_column(column, no_wrap=True)
    for column in ("modules", "µs", "textbook", "textbook µs", "ratio"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        ratio, theirs = row.ratio, row.baseline_us
        table.add_row(
            row.selector,
            row.structure,
            f"{row.modules:,}",
            f"{row.us:,.1f}",
            row.baseline or "–",
            "–" if theirs is None else f"{theirs:,.0f}",
            "–" if ratio is None else f"{ratio:,.1f}×",
        )
    print_table(table)
    out.print("Median of repeated calls in this process; the policies are synthetic.")


@app.command(epilog=SIMULATOR_EPILOG)
def simulator(
    seed: Annotated[int, typer.Option(help="Which random episodes.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Count simulated episodes per second on one core, graph generation included, beside one episode at a time."""
    from handup.lab import speed  # noqa: PLC0415 - nobody else needs it

    rows = [speed.measure(modules, seed) for modules in track(speed.SIZES, "measuring", console=err, transient=True)]
    if as_json:
        print_json({"seed": seed, "rows": [row.to_json() for row in rows]})
        return
    table = Table(box=None, pad_edge=False)
    for column in ("modules", "episodes/s", "one by one", "ratio"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            f"{row.modules}",
            f"{row.episodes_per_s:,.0f}",
            f"{row.baseline_episodes_per_s:,.0f}",
            f"{row.ratio:,.0f}×",
        )
    print_table(table)
    out.print(f"{rows[0].method} in the {rows[0].world}, confidences (1, 0.1), every module needed; one core.")


@app.command(epilog=INTENT_EPILOG)
def intent(
    seed: Annotated[int, typer.Option(help="Which random problems.", min=0)] = 0,
    look_ahead: Annotated[float, typer.Option(help="T of the paper's reward, in seconds.", min=0.05, max=10.0)] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Time exact plans of questions about goals in the paper's scenes, beside pomdp-py's POUCT where there is one."""
    from handup.lab import goal_questions as bench  # noqa: PLC0415 - its parts are extras

    setups = track(bench.SETUPS, "measuring", console=err, transient=True)
    rows = [bench.measure(*each, seed=seed, look_ahead_s=look_ahead) for each in setups]
    if as_json:
        print_json({"seed": seed, "look_ahead_s": look_ahead, "rows": [row.to_json() for row in rows]})
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("scene", no_wrap=True)
    for column in ("goals", "askable", "depth", "asks", "µs", "µs p99", "gap", "POUCT µs", "its regret"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.scene,
            f"{row.goals}",
            f"{row.askable}",
            "all" if row.depth is None else f"{row.depth}",
            f"{row.asks:.0%}",
            f"{row.us_median:,.0f}",
            f"{row.us_p99:,.0f}",
            f"{row.gap:.3f}",
            "–" if row.baseline_us is None else f"{row.baseline_us:,.0f}",
            "–" if row.regret_baseline is None else f"{row.regret_baseline:.2f}",
        )
    print_table(table)
    out.print(f"Time of one core per plan, T = {look_ahead:g} s; gap and regret in the paper's points (a question: 5).")


@app.command(epilog=EXECUTIVE_EPILOG)
def executive(
    check: Annotated[bool, typer.Option("--check", help="Fail where a number is worse than its bar.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Time the executive itself: per step beside py_trees, with a journal beside sqlite3, and on files."""
    from handup.lab import executive_speed as bench  # noqa: PLC0415 - its parts are extras

    rows = [measure() for measure in track(bench.measures(), "measuring", console=err, transient=True)]
    if as_json:
        print_json({"rows": [row.to_json() for row in rows]})
    else:
        _print_speed(rows)
    broken = [row.name for row in rows if row.kept is False]
    if check and broken:
        err.print(f"Worse than promised here: {', '.join(broken)}.", markup=False, soft_wrap=True)
        raise typer.Exit(FAILED)


def _print_speed(rows: Sequence[Row]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("what", no_wrap=True)
    for column in ("unit", "processor", "wall", "bar", "beside it", "processor", "wall"):
        table.add_column(column, justify="left" if column in ("unit", "beside it") else "right", no_wrap=True)
    for row in rows:
        numbers = (row.processor, row.wall, row.bar, row.baseline_processor, row.baseline_wall)
        own, wall, bar, theirs, their_wall = (
            "–" if each is None else f"{each:,.0f}" if each >= 1000 else f"{each:.3g}" for each in numbers
        )
        table.add_row(row.name, row.unit, own, wall, bar, row.baseline or "–", theirs, their_wall)
    print_table(table)
    out.print("Medians of repeats that took turns. py_trees keeps no variables, attempts, beliefs or journal.")
