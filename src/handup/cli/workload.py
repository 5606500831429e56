"""`handup workload`: costs of questions to people, fitted on ratings and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from handup.cli.options import group
from handup.cli.output import bar, check_place, out, plain_table, print_json, say
from handup.core import BadData, BadRecord, HandupError, UnknownName
from handup.core.files import read_text, write_whole
from handup.people import BITE, Workload, WorkloadModel
from handup.people.ratings import Fit, Scale, fit_ratings, read_ratings
from handup.people.workload import RANGES

app = group("workload", "Example: handup workload show\n\nExit codes: 0 done, 2 bad input.")
FIT_EPILOG = """Example: handup workload fit ratings.csv --save workload.json

The columns: person, difficulty (easy, hard), response (choice, box), distraction (none, distracted), rating (0 to 1, or
1 to 5), and seconds since the person's last question where known.

Exit codes: 0 fitted, 2 the table or an option is wrong; nothing is written then."""
MEAL = ("M1", "M2", "M3", "M4", "M3")
"""Questions of the meal that is shown: one about each of the paper's modules, and one of them again."""
MAX_BYTES = 64 * 1024 * 1024
EVERY_S, MEAL_S, SHOWN_EVERY_S = 30.0, 300.0, 15.0


@app.command(epilog=FIT_EPILOG)
def fit(
    ratings: Annotated[Path, typer.Argument(help="File with a table of ratings.", metavar="RATINGS.csv")],
    scale: Annotated[str, typer.Option(help="Scale of the ratings: auto, unit (0 to 1) or likert (1 to 5).")] = "auto",
    ridge: Annotated[
        float, typer.Option(help="Weight of the default coefficients, as a number of ratings.", metavar="R")
    ] = 5.0,
    save: Annotated[Path | None, typer.Option(help="File to write the model to.", metavar="FILE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Fit the workload model to people's ratings of questions; below 30 ratings fit only each person's factor."""
    if scale not in tuple(Scale):
        raise UnknownName.of("--scale", f"'{scale}'", f"be one of {', '.join(Scale)}", hint="Give one of them.")
    check_place("--save", save, ratings)
    text = read_text(ratings, MAX_BYTES, error=BadData)
    try:
        found = fit_ratings(read_ratings(text, Scale(scale)), ridge=ridge)
    except HandupError as error:
        raise error.at(str(ratings)) from None
    if save is not None:
        write_whole(save, json.dumps(found.model.to_json(), indent=2, ensure_ascii=False) + "\n")
    if as_json:
        print_json({**found.to_json(), "saved": None if save is None else str(save), "evidence": "human ratings"})
        return
    _show_fit(found)
    if save is not None:
        say(f"Model: {save}")


@app.command(
    epilog="Example: handup workload show --model workload.json\n\n"
    "Exit codes: 0 shown, 2 the file or an option is wrong."
)
def show(
    model: Annotated[
        Path | None,
        typer.Option(help="File of a model that `fit --save` wrote. Default: the built-in model.", metavar="FILE"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show the workload model: coefficients, the costs of the paper's questions, and load over a meal."""
    chosen = WorkloadModel() if model is None else _read(model)
    costs = {name: chosen.base(features) for name, features in BITE.items()}
    meal = _meal(chosen)
    if as_json:
        mean = sum(costs.values()) / len(costs)
        print_json({"model": chosen.to_json(), "costs": costs, "mean_cost": mean, "meal": meal})
        return
    table = plain_table("question", "difficulty", "response", "distraction", "q0", right=("q0",))
    for name, features in BITE.items():
        table.add_row(name, *(str(feature) for feature in features.to_json().values()), f"{costs[name]:.2f}")
    out.print(table)
    out.print(f"mean {sum(costs.values()) / len(costs):.2f}; evidence: {chosen.evidence}\n", markup=False)
    _show_coefficients(chosen)
    out.print("\nLoad F over a meal; a question every 30 s, and the cost of an easy choice:")
    for row in meal:
        drawn = bar(min(row["load"] / 2.0, 1.0))
        asked = f"  {row['answered']}" if row["answered"] else ""
        out.print(f"{row['now_s']:5.0f} s  {drawn}  F {row['load']:.2f}  q {row['cost']:.3f}{asked}", markup=False)


def _meal(model: WorkloadModel) -> list[dict[str, Any]]:
    """Return rows of the load and the cost of an easy choice over time, right after each question."""
    names = list(BITE)
    workload, rows = Workload.of(BITE.values(), model), []
    asked = {EVERY_S * (number + 1): name for number, name in enumerate(MEAL)}
    for step in range(int(MEAL_S / SHOWN_EVERY_S) + 1):
        now_s = step * SHOWN_EVERY_S
        name = asked.get(now_s)
        if name is not None:
            workload = workload.answered(names.index(name), now_s=now_s)
        cost = workload.query_costs(now_s)[0]
        rows.append({"now_s": now_s, "answered": name, "load": workload.load(now_s), "cost": cost})
    return rows


def _show_fit(found: Fit) -> None:
    _show_coefficients(found.model)
    people = sorted(found.model.people.items())
    shown = ", ".join(f"{who} {s:.2f}" for who, s in people[:12]) + (", …" if len(people) > 12 else "")
    out.print(f"s of each person: {shown}", markup=False)
    if not found.fitted:
        out.print(f"{found.ratings} ratings are too few for the coefficients: only s of each person is fitted.")
    out.print(f"{found.model.evidence}; error on these {found.rmse:.3f}.", markup=False)
    closing = "One person: how it does on others cannot be told."
    if (held := found.held_out) is not None:
        errors = f"error {held.fitted:.3f}, defaults {held.defaults:.3f}, others' mean {held.mean:.3f}"
        closing = f"People left out: {errors}."
    out.print(closing)


def _show_coefficients(model: WorkloadModel) -> None:
    default = WorkloadModel()
    table = plain_table("coefficient", "value", "default", right=("value", "default"))
    for name in RANGES:
        table.add_row(name, f"{getattr(model, name):.4g}", f"{getattr(default, name):.4g}")
    out.print(table)


def _read(path: Path) -> WorkloadModel:
    text = read_text(path, MAX_BYTES, error=BadRecord)
    try:
        return WorkloadModel.from_json(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        hint = "Give a file that `workload fit --save` wrote."
        raise BadRecord("the file must hold JSON, and this is no JSON", hint=hint, file=str(path)) from None
    except HandupError as error:
        raise error.at(str(path)) from None
