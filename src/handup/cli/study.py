"""`handup study`: the paper's experiments again, with raw rows, figures and claims."""

from __future__ import annotations

import os
import time
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from handup.cli.output import INTERRUPTED, err, out, print_json, print_table
from handup.cli.real_scores import listed_real_scores, run_real_scores
from handup.cli.study_meals import MEALS, PROTOCOL_EPILOG, listed_meals, protocol, run_meal_study
from handup.cli.study_reaching import REACHING, listed_reaching, run_reaching_study
from handup.cli.study_recoveries import RECOVERIES, RECOVERY_RULES, listed_recoveries, run_recovery_study, run_rules
from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.lab.study.definition import Study
    from handup.lab.study.run import Options, Outcome

app = typer.Typer(
    rich_markup_mode=None,
    epilog="Example: handup study run summary --quick\n\nExit codes: 0 done, 2 bad input, 130 stopped.",
)

LIST_EPILOG = """Example: handup study list --json

Exit codes: 0 listed, 2 an option is wrong."""
RUN_EPILOG = """Example: handup study run structure --episodes 200 --out my-studies

Example: handup study run meal-methods --participants 24 --jobs 2

Example: handup study run recoveries --episodes 50

Example: handup study run reaching --quick

A stopped run goes on where it was when the same command is given again.

Exit codes: 0 done (whatever the verdicts), 2 bad input or a missing extra, 130 stopped."""
CELL_EPILOG = """Example: handup study cell --set method=troubleshoot --set confidences=0.9,0.2 --json

Exit codes: 0 simulated, 2 a setting is wrong."""
QUICK = (
    "A first look: fewer episodes, coarser axes, no mip. Of reaching about 6 minutes of one core, "
    "of recoveries half a minute."
)
SENSITIVITY = "workload-sensitivity"
REAL_SCORES = "real-scores"


app.command(epilog=PROTOCOL_EPILOG)(protocol)


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Repeat the paper's simulated experiments, and say which of its claims hold."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list", epilog=LIST_EPILOG)
def list_studies(as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False) -> None:
    """Name the studies, the paper's figure that each repeats, and the question that it answers."""
    listed = _all_listed()
    if as_json:
        print_json({"studies": listed})
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "figure", "question"):
        table.add_column(column, no_wrap=column == "name")
    table.add_column("cells", justify="right")
    for each in listed:
        table.add_row(each["name"], each["figure"], each["question"], str(each["cells"]))
    out.print(table)


@app.command(epilog=RUN_EPILOG)
def run(
    name: Annotated[str, typer.Argument(help="A name of `handup study list`, or all.", metavar="NAME")],
    episodes: Annotated[
        int | None,
        typer.Option(help="Per cell; 1000, or 100 with --quick. Runs of recoveries: 200, or 12.", metavar="N"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Which episodes; 0. Of meals and recoveries: the first one's; the study's own. Of reaching: added.",
            metavar="S",
        ),
    ] = None,
    out_dir: Annotated[Path, typer.Option("--out", help="Where rows and reports go.", metavar="DIR")] = Path("studies"),
    quick: Annotated[bool, typer.Option("--quick", help=QUICK)] = False,
    jobs: Annotated[int | None, typer.Option(help="Processes; one per core.", metavar="J", min=1)] = None,
    data: Annotated[
        Path | None, typer.Option(help="The folder of streams of scores, for real-scores alone.", metavar="DIR")
    ] = None,
    participants: Annotated[
        int | None, typer.Option(help="Of a study of meals: how many; 48, or 6 with --quick.", metavar="N")
    ] = None,
    looks: Annotated[
        str | None, typer.Option(help="Of a study of meals: hard, or easy plates.", metavar="LOOKS")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> None:
    """Run a study: raw rows, figures, the paper's claims one by one, and a report."""
    from handup.lab.study.run import Options  # noqa: PLC0415 - numpy is slow to import
    from handup.lab.study.studies import STUDIES, study_of  # noqa: PLC0415

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if data is not None and name != REAL_SCORES:
        raise BadSetting(f"'{name}' takes no --data", hint=f"Only '{REAL_SCORES}' does.")
    size = (episodes, seed, participants, looks)
    if name.startswith(MEALS) or name in (RECOVERIES, RECOVERY_RULES, REACHING):
        _run_rows(name, out_dir, *size, quick=quick, jobs=jobs or cores, as_json=as_json)
        return
    if participants is not None or looks is not None:
        raise BadSetting(f"'{name}' takes no --participants or --looks", hint="Only studies of meals do.")
    seed = 0 if seed is None else seed
    if name == REAL_SCORES:
        if data is None:
            raise BadSetting(f"'{name}' needs data", hint="Give --data the folder with the streams of scores.")
        run_real_scores(out_dir, data, episodes, seed, quick=quick, jobs=jobs or cores, as_json=as_json)
        return
    if name == SENSITIVITY:
        _run_sensitivity(out_dir, episodes, seed, quick=quick, as_json=as_json)
        return
    _check_name(name)
    chosen = list(STUDIES.values()) if name == "all" else [study_of(name)]
    options = Options(out=out_dir, episodes=episodes, seed=seed, quick=quick, jobs=jobs or cores)
    start = time.perf_counter()
    outcomes = [_run(study, options) for study in chosen]
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"seconds": round(seconds, 1), "studies": [_record(outcome) for outcome in outcomes]})
        return
    for outcome in outcomes:
        _show(outcome)
    out.print(f"Simulated, {options.episodes_per_cell:,} episodes per cell, seed {seed}, in {seconds:.1f} s.")


def _check_name(name: str) -> None:
    """Refuse a study that is not there, and name all that are."""
    known = [*(each["name"] for each in _all_listed()), "all"]
    if name not in known:
        near = get_close_matches(name, known, 1)
        guess = f"Did you mean '{near[0]}'? " if near else ""
        raise BadSetting(f"there is no study '{name}'", hint=f"{guess}Use one of: {', '.join(known)}.")


def _run_rows(
    name: str,
    out_dir: Path,
    episodes: int | None,
    seed: int | None,
    participants: int | None,
    looks: str | None,
    *,
    quick: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Studies whose rows are not cells: each takes its own options, and refuses the others."""
    if name.startswith(MEALS):
        if episodes is not None:
            raise BadSetting(f"'{name}' takes no --episodes", hint="Give --participants.")
        run_meal_study(name, out_dir, participants, seed, looks, quick=quick, jobs=jobs, as_json=as_json)
        return
    if participants is not None or looks is not None:
        raise BadSetting(f"'{name}' takes no --participants or --looks", hint="Only studies of meals do.")
    if name == RECOVERIES:
        run_recovery_study(out_dir, episodes, seed, quick=quick, jobs=jobs, as_json=as_json)
    elif name == REACHING:
        if episodes is not None:
            raise BadSetting(f"'{name}' takes no --episodes", hint="Its parts say how many; --quick takes few.")
        run_reaching_study(out_dir, seed, quick=quick, jobs=jobs, as_json=as_json)
    else:
        if episodes is not None or seed is not None:
            raise BadSetting(f"'{name}' takes no --episodes or --seed", hint="It counts rules; nothing is simulated.")
        run_rules(out_dir, as_json=as_json)


@app.command(epilog=CELL_EPILOG)
def cell(
    given: Annotated[
        list[str] | None, typer.Option("--set", help="A setting; may be given again.", metavar="KEY=VALUE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Simulate one cell: one method under one set of settings."""
    from handup.lab.cell import Cell  # noqa: PLC0415 - numpy is slow to import
    from handup.lab.simulate import simulate  # noqa: PLC0415

    chosen = Cell.from_text(_settings(given or []))
    measures = simulate(chosen).summary()
    if as_json:
        numbers = {name: measure.to_json() for name, measure in measures.items()}
        print_json({"settings": chosen.to_json(), "config": chosen.config, "evidence": "simulated", **numbers})
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    for column in ("mean", "95 % interval", "median", "quartiles"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, measure in measures.items():
        low, high = measure.ci
        table.add_row(
            name,
            f"{measure.mean:.4g}",
            f"{low:.4g} to {high:.4g}",
            f"{measure.median:.4g}",
            f"{measure.q1:.4g} to {measure.q3:.4g}",
        )
    print_table(table)
    out.print(f"Simulated: {chosen.method}, {chosen.episodes:,} episodes, seed {chosen.seed}.")


def _run_sensitivity(out_dir: Path, meals: int | None, seed: int, *, quick: bool, as_json: bool) -> None:
    """The study of the workload coefficients: its episodes are meals, and its cells sets of coefficients."""
    from handup.lab.meal import Menu  # noqa: PLC0415 - numpy is slow to import
    from handup.lab.study import workload  # noqa: PLC0415
    from handup.lab.study.workload_page import reading  # noqa: PLC0415

    usual = workload.QUICK_MEALS if quick else workload.MEALS
    menu = Menu(meals=usual if meals is None else meals, seed=seed)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(SENSITIVITY)
        found = workload.run(
            out_dir, menu, quick=quick, watch=lambda done, total: progress.update(bar, completed=done, total=total)
        )
    report = out_dir / SENSITIVITY / "report.html"
    if as_json:
        print_json({"studies": [{**workload.record(found), "report": str(report)}]})
        return
    out.print(f"[bold]{SENSITIVITY}[/bold]: {workload.QUESTION}")
    for each in found:
        out.print(f"When load weighs {each.menu.w:g} against time:")
        for line in reading(each):
            words = line.replace("<code>", "'").replace("</code>", "'").replace("&gt;", ">")
            out.print(f"- {words}", markup=False)
    out.print(f"Report: {report}\n", markup=False, soft_wrap=True)
    out.print(f"Simulated, {menu.meals:,} meals in each of {len(found[0].settings)} settings, seed {seed}.")


def _listed_sensitivity() -> dict[str, Any]:
    from handup.lab.study import workload  # noqa: PLC0415 - numpy is slow to import

    return {
        "name": workload.NAME,
        "title": workload.TITLE,
        "figure": workload.FIGURE,
        "question": workload.QUESTION,
        "cells": len(workload.WEIGHTS) * len(workload.models()) * len(workload.METHODS),
    }


def _settings(given: list[str]) -> dict[str, str]:
    from handup.lab.cell import KEYS  # noqa: PLC0415 - numpy is slow to import

    found: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadSetting(f"--set is '{text}'", hint=f"Write KEY=VALUE with one of: {', '.join(KEYS)}.")
        if key in found:
            raise BadSetting(f"{key} is set twice", hint="Set it once.")
        found[key] = value
    return found


def _run(study: Study, options: Options) -> Outcome:
    """One study with a bar on stderr. Stopping it ends the processes and keeps what is done."""
    from handup.lab.study.run import run_study  # noqa: PLC0415 - numpy is slow to import
    from handup.lab.study.runner import Progress as Step  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}/{task.fields[total_cells]} cells"),
        TimeRemainingColumn(),
    )
    last = Step(0, 0, 0.0)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(study.name, total=1.0, done=0, total_cells="…")

        def watch(step: Step) -> None:
            nonlocal last
            last = step
            if step.note is not None:
                progress.console.print(f"handup: {step.note}", markup=False, soft_wrap=True)
            progress.update(bar, completed=step.share, done=step.done, total_cells=step.total)

        try:
            return run_study(study, options, watch=watch)
        except KeyboardInterrupt:
            progress.stop()
            kept = f"{last.done} of {last.total} cells of '{study.name}' are kept"
            err.print(f"handup: Stopped. {kept}; give the same command again to go on.", markup=False, soft_wrap=True)
            raise typer.Exit(INTERRUPTED) from None


def _all_listed() -> list[dict[str, Any]]:
    """Every study that there is."""
    from handup.lab.study.studies import STUDIES  # noqa: PLC0415 - numpy is slow to import

    cells = [_listed(study) for study in STUDIES.values()]
    others = [_listed_sensitivity(), listed_real_scores(), *listed_meals(), *listed_recoveries(), *listed_reaching()]
    return [*cells, *others]


def _listed(study: Study) -> dict[str, Any]:
    return {
        "name": study.name,
        "title": study.title,
        "figure": study.figure,
        "question": study.question,
        "cells": len(study.cells()),
    }


def _record(outcome: Outcome) -> dict[str, Any]:
    return {
        **outcome.to_json(),
        "cells": len(outcome.results.found),
        "claims": [each.to_json() for each in outcome.judged],
        "troubleshoot_beaten_at": [
            {**each.place, "by": list(each.beaten_by)} for each in outcome.rivals if each.beaten_by
        ],
        "report": str(outcome.report),
    }


def _show(outcome: Outcome) -> None:
    from handup.lab.study.style import WORLD_LABELS  # noqa: PLC0415 - numpy is slow to import

    worlds = outcome.study.worlds
    out.print(f"[bold]{outcome.study.name}[/bold]: {outcome.study.question}")
    if outcome.judged:
        table = Table(box=None, pad_edge=False)
        table.add_column("claim")
        table.add_column("source")
        for world in worlds:
            table.add_column(WORLD_LABELS[world], no_wrap=True)
        for each in outcome.judged:
            verdicts = (str(each.findings[world].verdict) for world in worlds)
            table.add_row(each.claim.name, each.claim.source, *verdicts)
        print_table(table)
    beaten = sum(bool(each.beaten_by) for each in outcome.rivals)
    if outcome.rivals:
        out.print(f"troubleshoot is beaten in J, beyond the interval, at {beaten} of {len(outcome.rivals)} places.")
    out.print(f"Report: {outcome.report}\n", markup=False, soft_wrap=True)
