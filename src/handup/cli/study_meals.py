"""`handup study run meal-…`: studies of whole meals with simulated participants."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handup.cli.output import out, print_json
from handup.cli.study_showing import show, show_claims, with_bar

if TYPE_CHECKING:
    from handup.lab.meals.definition import MealStudy, Size
    from handup.lab.meals.run import Outcome

MEALS = "meal-"
"""How the names of these studies begin."""
PROTOCOL_EPILOG = """Example: handup study protocol meal-methods --participant 3

Each line is a meal: run it, let the participant answer on the page, and keep what it prints.

Exit codes: 0 printed, 2 there is no such study or participant."""


def protocol(
    name: Annotated[str, typer.Argument(help="A study of meals, such as meal-methods.", metavar="NAME")],
    participant: Annotated[int, typer.Option(help="Which real participant, from 1.", metavar="N")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Of the first participant's first plate; the study's own.", metavar="S")
    ] = None,
    looks: Annotated[str, typer.Option(help="hard, or easy plates.", metavar="LOOKS")] = "hard",
    as_json: Annotated[bool, typer.Option("--json", help="Print the meals as JSON.")] = False,
) -> None:
    """Print the meals of one real participant of a study of meals, in a balanced order, as commands."""
    from handup.lab.meals.definition import Size  # noqa: PLC0415 - slow to import
    from handup.lab.meals.protocol import planned  # noqa: PLC0415
    from handup.lab.meals.studies import meal_study  # noqa: PLC0415

    meals = planned(meal_study(name), participant, Size(seed=seed, looks=looks))
    if as_json:
        listed = [{"meal": each.meal, "arm": each.arm, "command": each.command} for each in meals]
        print_json({"study": name, "participant": participant, "meals": listed})
        return
    for each in meals:
        out.print(each.command, markup=False, highlight=False, soft_wrap=True)


def run_meal_study(
    name: str,
    out_dir: Path,
    participants: int | None,
    seed: int | None,
    looks: str | None,
    *,
    quick: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Run the study with a bar on stderr, and say what it found."""
    from handup.lab.meals.definition import LOOKS, PARTICIPANTS, QUICK_PARTICIPANTS, Size  # noqa: PLC0415 - slow
    from handup.lab.meals.studies import meal_study  # noqa: PLC0415

    study = meal_study(name)
    usual = QUICK_PARTICIPANTS if quick else PARTICIPANTS
    size = Size(
        participants=usual if participants is None else participants,
        seed=seed,
        looks=LOOKS if looks is None else looks,
        quick=quick,
    )
    start = time.perf_counter()
    outcome = _run(study, size, out_dir, jobs)
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"seconds": round(seconds, 1), "studies": [{**outcome.to_json(), "report": str(outcome.report)}]})
        return
    _show(outcome)
    results = outcome.results
    shown = f"{results.participants} participants, plates each: {results.plates}, looks {size.looks}"
    out.print(f"Simulated, {shown}, seeds from {size.seed_of(study)}, in {seconds:.1f} s.")


def listed_meals() -> list[dict[str, Any]]:
    """How `handup study list` names them; their cells are methods."""
    from handup.lab.meals.studies import STUDIES  # noqa: PLC0415 - slow to import

    return [
        {
            "name": each.name,
            "title": each.title,
            "figure": each.figure,
            "question": each.question,
            "cells": len(each.arms),
        }
        for each in STUDIES.values()
    ]


def _run(study: MealStudy, size: Size, out_dir: Path, jobs: int) -> Outcome:
    from handup.lab.meals.run import run_meals  # noqa: PLC0415 - slow to import

    return with_bar(study.name, "meals", lambda watch: run_meals(study, size, out_dir, jobs=jobs, watch=watch))


def _show(outcome: Outcome) -> None:
    from handup.lab.meals import tables  # noqa: PLC0415 - slow to import

    out.print(f"[bold]{outcome.study.name}[/bold]: {outcome.study.question}")
    for each in (tables.measures(outcome.results), tables.losses(outcome.triages)):
        show(each)
    show_claims(outcome.judged)
    out.print(f"Report: {outcome.report}\n", markup=False, soft_wrap=True)
