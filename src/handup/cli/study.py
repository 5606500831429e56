"""`handup study`: simulated experiments with raw rows, figures, and a verdict on each published claim."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handup.cli.options import group, pairs_of
from handup.cli.output import INTERRUPTED, err, note, out, picked, plain_table, print_json, print_table, say
from handup.core import ConflictingSettings, MissingSetting, UnknownName
from handup.lab.cell import KEYS, Cell
from handup.lab.engine import Size, Study, StudyOutcome, Table, here, processes, registry, run_study
from handup.lab.engine import StudyProgress as Step
from handup.lab.engine.cluster import cluster as connected
from handup.lab.simulate import simulate

app = group("study", "Example: handup study run summary --quick\n\nExit codes: 0 done, 2 bad input, 130 stopped.")

RUN_EPILOG = """Example: handup study run structure --episodes 200 --out my-studies

Example: handup study run meal-methods --participants 24 --jobs 2

Example: handup study run reaching --cluster tcp://192.0.2.1:8786

Each study has options of its own, such as --episodes, --participants or --seed: handup study run NAME --help.

A stopped run goes on where it was when the same command is given again.

Exit codes: 0 done (whatever the verdicts), 2 bad input or a missing extra, 130 stopped."""
CELL_EPILOG = """Example: handup study cell --set method=troubleshoot --set confidences=0.9,0.2 --json

Rows: task_cost is 1 for an episode in which the robot does not recover, else 0. query_cost is the cost of all its
questions, failed_attempts the number of tries that failed, timesteps that of questions and tries. J weighs questions
and time together, by w. Lower is better in all of them.

Settings of the policy: modules (their number), structure, low (how many have a low confidence), confidences (the high
one, the low one). Of the questions: query_cost (their mean cost), beta (its spread, 0 to 1), expert (the probability
that an answer is right). Of the method: method, w (the weight of questions against time), epsilon, tau, lambda. Of
the run: world (default or replica), episodes, seed. A wrong key or value is answered with those that are allowed.

Exit codes: 0 simulated, 2 a setting is wrong."""
PROTOCOL_EPILOG = """Example: handup study protocol meal-methods --participant 3

Each line is a meal: run it, let the participant answer on the page, and keep what it prints.

Exit codes: 0 printed, 2 there is no such study or participant."""
ALL, OUT = "all", Path("studies")


@app.command("list", epilog="Example: handup study list --json\n\nExit codes: 0 listed, 2 an option is wrong.")
def list_studies(as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False) -> None:
    """List the studies, each with the figure of a paper that it repeats and the question that it answers."""
    studies = [registry.study_of(name) for name in registry.names()]
    if as_json:
        listed = [picked(study, "name", "title", "figure", "question", "cells") for study in studies]
        print_json({"studies": listed})
        return
    table = plain_table("name", "figure", "question", "cells", right=("cells",), wrap=True)
    table.columns[0].no_wrap = True
    for study in studies:
        table.add_row(study.name, study.figure, study.question, str(study.cells))
    out.print(table)


@app.command(
    epilog=RUN_EPILOG,
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def run(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="Name of a study, as in `handup study list`, or all.", metavar="NAME")
    ] = "",
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of the rows and reports.", metavar="DIR")] = OUT,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Run a small version, with fewer episodes or people and fewer values of each setting."
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes. Default: one per core.", metavar="J", min=1)
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Dask cluster that makes the rows: tcp://HOST:PORT, tls://HOST:PORT or local:N."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    wants_help: Annotated[bool, typer.Option("--help", help="Show this message and the options of NAME.")] = False,
) -> None:
    """Run a study, and write its raw rows, figures, a verdict on each claim, and a report."""
    words = [name, *context.args]
    name = _named(words)
    if wants_help or not any(words):
        _help(context, name)
        return
    if not name:
        cause = "NAME must be given first, and no study is named"
        raise MissingSetting(cause, hint="Give a name of 'handup study list', then its options.")
    if jobs and cluster:
        raise ConflictingSettings("--jobs and --cluster must not stand together", hint="Give one of them.")
    words.remove(name)
    if name == ALL:
        studies = [study for study in map(registry.study_of, registry.names()) if study.in_all]
    else:
        studies = [registry.study_of(name)]
    sizes = [study.size(quick=quick, **_options(study, words)) for study in studies]
    start = time.perf_counter()
    outcomes = [_run(study, size, out_dir, jobs, cluster) for study, size in zip(studies, sizes, strict=True)]
    seconds = time.perf_counter() - start
    if as_json:
        records = [
            {**outcome.study.printed(outcome.record, outcome.judged), "report": str(outcome.report)}
            for outcome in outcomes
        ]
        print_json({"seconds": round(seconds, 1), "studies": records})
        return
    for outcome in outcomes:
        _show(outcome)
    out.print(f"{studies[-1].closing(outcomes[-1].results)}, in {seconds:.1f} s.", markup=False)


@app.command(epilog=CELL_EPILOG)
def cell(
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A setting that differs from its default. May be given several times.", metavar="KEY=VALUE"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Simulate one cell (one method under one set of settings), and print means, medians and quartiles."""
    given: dict[str, str] = {}
    for key, value in pairs_of(settings or (), "KEY=VALUE", hint=f"Give a value for one of: {', '.join(KEYS)}."):
        if key in given:
            raise ConflictingSettings(f"{key} must be set once, and is set twice", hint="Leave one of them out.")
        given[key] = value
    chosen = Cell.from_text(given)
    measures = simulate(chosen).summary()
    if as_json:
        numbers = {name: measure.to_json() for name, measure in measures.items()}
        print_json({"settings": chosen.to_json(), "config": chosen.config, "evidence": "simulated", **numbers})
        return
    columns = ("mean", "95 % interval", "median", "quartiles")
    table = plain_table("metric", *columns, right=columns)
    for name, measure in measures.items():
        interval, quartiles = (f"{low:.4g} to {high:.4g}" for low, high in (measure.ci, (measure.q1, measure.q3)))
        table.add_row(name, f"{measure.mean:.4g}", interval, f"{measure.median:.4g}", quartiles)
    print_table(table)
    out.print(f"Simulated: {chosen.method}, {chosen.episodes:,} episodes, seed {chosen.seed}.")


@app.command(epilog=PROTOCOL_EPILOG)
def protocol(
    name: Annotated[str, typer.Argument(help="Name of a study of meals, such as meal-methods.", metavar="NAME")],
    participant: Annotated[int, typer.Option(help="Number of the real participant, from 1.", metavar="N")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first participant's first plate. Default: the study's.", metavar="S")
    ] = None,
    looks: Annotated[str, typer.Option(help="Looks of the plates: hard or easy.", metavar="LOOKS")] = "hard",
    as_json: Annotated[bool, typer.Option("--json", help="Print the meals as JSON.")] = False,
) -> None:
    """Print the meals of one real participant of a study of meals, in a balanced order, as commands."""
    from handup.lab.studies.meals.studies import meal_study, planned  # noqa: PLC0415 - slow to import

    study = meal_study(name)
    meals = planned(study, participant, study.size(seed=seed, looks=looks))
    if as_json:
        listed = [picked(meal, "meal", "arm", "command") for meal in meals]
        print_json({"study": name, "participant": participant, "meals": listed})
        return
    for meal in meals:
        say(meal.command)


def _help(context: typer.Context, name: str) -> None:
    options = registry.study_of(name).options if name and name != ALL else ()
    typer.echo(context.get_help())
    if options:
        typer.echo(f"\nOptions of {name}:")
    for option in options:
        typer.echo(f"  --{option.name:<14}{option.help}")


def _named(words: Sequence[str]) -> str:
    """Return the first word that is neither an option nor its value; empty if there is none."""
    left = iter(words)
    for word in left:
        if not word.startswith("--"):
            return word
        if "=" not in word:
            next(left, None)
    return ""


def _options(study: Study, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the values of the study's own options, given as `--name value` or `--name=value`."""
    options = {option.name: option for option in study.options}
    found: dict[str, Any] = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in options:
            takes = ", ".join(f"--{known}" for known in options) or "none of its own"
            raise UnknownName(f"'{study.name}' takes no {word}", hint=f"Its options: {takes}.")
        if not equals and not words:
            raise MissingSetting(f"--{name} must have a value, got none", hint=options[name].help)
        found[name] = options[name].read(value if equals else words.pop(0))
    return found


def _run(study: Study, size: Size, out_dir: Path, jobs: int | None, cluster: str | None) -> StudyOutcome:
    """Run a study with a progress bar on stderr. A stopped run keeps its finished rows."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    local = processes(jobs or cores) if (jobs or cores) > 1 else here
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("rows"))
    last = Step(0, 0, 0.0)
    with Progress(*columns, TimeRemainingColumn(), console=err, transient=True, disable=not err.is_terminal) as bars:
        bar = bars.add_task(study.name, total=None)

        def watch(step: Step) -> None:
            nonlocal last
            last = step
            if step.note is not None:
                note(f"handup: {step.note}")
            bars.update(bar, completed=step.done, total=step.total)

        try:
            with connected(cluster, study) if cluster else nullcontext(local) as workers:
                return run_study(study, size, out=out_dir, workers=workers, watch=watch)
        except KeyboardInterrupt:
            bars.stop()
            kept = f"{last.done} of {last.total} rows of '{study.name}' are kept"
            note(f"handup: Stopped. {kept}; give the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None


def _show(outcome: StudyOutcome) -> None:
    study = outcome.study
    out.print(f"[bold]{study.name}[/bold]: {study.question}")
    say(study.answer(outcome.results, outcome.judged))
    for table in study.shown(outcome.judged, outcome.sections):
        _print(table)
    say(f"Report: {outcome.report}\n")


def _print(table: Table) -> None:
    say(f"\n{table.caption.replace('`', '')}:")
    columns = [column.replace("`", "") for column in table.columns]
    shown = plain_table(*columns, right=columns[1:], wrap=True)
    for row in table.rows:
        shown.add_row(*(cell.replace("`", "") for cell in row))
    print_table(shown)
