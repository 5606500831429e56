"""`handup advise`: recommendation of a method for a policy of one's own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from handup.cli.options import Expert, Policy, Weight
from handup.cli.output import check_place, out, picked, plain_table, print_result, print_table, say, working
from handup.core import MissingExtra, UnknownName
from handup.lab.advise import SCALES, Advice, Flips, MethodRow, Nearness, nearness
from handup.lab.advise import advise as simulate
from handup.lab.episodes import MetricMeasure
from handup.policy import ModuleGraph, load_policy

EPILOG = """Example: handup advise examples/policies/bite.yaml --expert 0.9 --plot bite.png

All numbers are simulated: the policy's confidences are taken as true probabilities.

Exit codes: 0 advised, 2 the policy or an option is wrong, or the picture's extra [lab] is missing."""
ENDINGS = (".svg", ".png")
SAYS = {
    "query_cost": "question costs ×",
    "w": "w",
    "expert": "expert",
    "confidence": "log-odds of confidences +",
}


def advise(
    policy: Policy,
    expert: Expert = 1.0,
    w: Weight = 0.5,
    horizon: Annotated[
        int | None, typer.Option(help="Most steps of an episode. Default: two for each module, at least 8.")
    ] = None,
    episodes: Annotated[int, typer.Option(help="Number of episodes to simulate with each method.", metavar="N")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the episodes.", metavar="S")] = 0,
    plot: Annotated[
        Path | None,
        typer.Option(help="File of the picture. Default: POLICY-advice.svg in this folder.", metavar="FILE.svg|.png"),
    ] = None,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Draw no picture.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice as JSON.")] = False,
) -> None:
    """Recommend a method for a policy: simulate the policy with every method, and say what would change the choice."""
    graph = load_policy(policy)
    picture = None if no_plot else _picture(policy, plot)
    without = plot is None and not no_plot and picture is None
    advice, near = _simulate(graph, expert=expert, w=w, horizon=horizon, episodes=episodes, seed=seed)
    unwritten = None
    try:
        if picture is not None:
            _draw(advice, policy, picture)
    except OSError as error:  # told after the advice
        error.filename = str(picture)  # a full disk does not name the file
        picture, unwritten = None, error
    record = _record(policy, advice, near, picture)
    print_result(record, lambda: _show(policy, advice, near, picture, without=without), as_json=as_json)
    if unwritten is not None:
        raise unwritten


def _draw(advice: Advice, policy: Path, picture: Path) -> None:
    from handup.lab import advice_plot  # noqa: PLC0415 - an extra

    drawing = advice_plot.draw(advice, policy.stem)
    picture.write_bytes(drawing.svg if picture.suffix.lower() == ".svg" else drawing.png)


def _picture(policy: Path, plot: Path | None) -> Path | None:
    """Return the file of the picture, or None where none can be drawn; refuse a wrong file before simulating."""
    if find_spec("matplotlib") is None:
        if plot is None:
            return None
        raise MissingExtra.of("lab", "drawing the advice")
    found = Path(f"{policy.stem}-advice.svg") if plot is None else plot
    if found.suffix.lower() not in ENDINGS:
        raise UnknownName.of("--plot", f"'{found}'", f"end in {' or '.join(ENDINGS)}", hint="Rename the file.")
    check_place("--plot", found)
    return found


def _simulate(graph: ModuleGraph, **settings: Any) -> tuple[Advice, Nearness]:
    """Simulate all methods and search the flips, with a progress bar on stderr."""
    with working("advising", 100) as progress:
        advice = simulate(graph, **settings, progress=lambda done: progress(round(30 * done)))
        return advice, nearness(advice, progress=lambda done: progress(round(30 + 70 * done)))


# -- the record -------------------------------------------------------------------------------------------------------


def _record(policy: Path, advice: Advice, near: Nearness, picture: Path | None) -> dict[str, Any]:
    place, runner_up = advice.place, advice.runner_up
    return {
        "policy": str(policy),
        "modules": len(place.graph),
        **picked(advice, "episodes", "seed"),
        **picked(place, "expert", "w", "horizon"),
        "recommended": advice.recommended.to_json(),
        "runner_up": None if runner_up is None else runner_up.to_json(),
        "ties": [row.method for row in advice.tied],
        "best_pair": {
            **advice.best_pair.to_json(),
            "method": advice.best_pair_method,
            "same_as": [name for name in advice.best_pair.methods if name != advice.best_pair_method],
            "flips": _flips(near.best_pair),
        },
        "methods": [row.to_json() for row in advice.rows],
        "left_out": list(advice.left_out),
        "flips": _flips(near.recommended),
        "flips_episodes": near.effort.episodes,
        "plot": None if picture is None else str(picture),
        "evidence": "simulated",
    }


def _flips(flips: Flips) -> dict[str, Any]:
    return {str(knob): flip.to_json() for knob, flip in flips.items()}


# -- the words --------------------------------------------------------------------------------------------------------


def _show(policy: Path, advice: Advice, near: Nearness, picture: Path | None, *, without: bool) -> None:
    best, pair = advice.recommended, advice.best_pair
    out.print(f"[bold]Use {best.method}.[/bold] {_in_words(best)}")
    out.print(_rivals(advice))
    if pair is not best:
        out.print(f"Of the paper's pairs: {advice.best_pair_method}. {_in_words(pair)}")
    elif advice.best_pair_method != best.method:
        out.print(f"Of the paper's pairs {advice.best_pair_method} does the same.")
    print_table(_table(advice))
    for row in advice.rows:
        if row.same_as:
            out.print(f"{row.method} does the same as {', '.join(row.same_as)}.", markup=False)
    print_table(_flip_table(best.method, near.recommended))
    if advice.best_pair_method != best.method:
        print_table(_flip_table(f"{advice.best_pair_method}, among the pairs,", near.best_pair))
    place = advice.place
    out.print(
        f"Simulated: {policy.name}, {len(place.graph)} modules, {advice.episodes:,} episodes with each method "
        f"({near.effort.episodes:,} for the flips), seed {advice.seed}, expert {place.expert:g}, w {place.w:g}, "
        f"horizon {place.horizon}.",
        markup=False,
    )
    if advice.left_out:
        out.print(f"Left out, as they cannot take this policy on: {', '.join(advice.left_out)}.")
    if picture is not None:
        say(f"Picture: {picture}")
    if without:
        out.print(MissingExtra.of("lab", "The picture").hint.replace("Run", "For a picture, run"), markup=False)


def _in_words(row: MethodRow) -> str:
    measures = row.measures
    success, load = measures["success"], measures["query_cost"]
    low, high = (100.0 * bound for bound in success.ci)
    return (
        f"It succeeds in {100.0 * success.mean:.1f} % of episodes ({low:.1f} to {high:.1f}) for a workload of "
        f"{load.mean:.3g} ({load.ci[0]:.3g} to {load.ci[1]:.3g}), with {measures['failed_attempts'].mean:.2f} failed "
        f"attempts and {measures['timesteps'].mean:.2f} steps; J {measures['J'].mean:.3g} "
        f"({measures['J'].ci[0]:.3g} to {measures['J'].ci[1]:.3g})."
    )


def _rivals(advice: Advice) -> str:
    second = advice.runner_up
    if second is None:
        return "Every method does the same here."
    low, high = second.difference.ci
    gap = f"{second.method}, J higher by {second.difference.mean:.3g} ({low:.3g} to {high:.3g})"
    if not advice.tied:
        return f"Runner-up: {gap}; nobody ties with it."
    return f"Runner-up: {gap}. Within the interval of it: {', '.join(row.method for row in advice.tied)}."


def _table(advice: Advice) -> Table:
    numbers = ("success %", "workload", "failed", "steps", "J", "J − best")
    caption = "★ recommended, ◆ no other better in both success and workload; ± and ranges are 95 % intervals."
    table = plain_table("", "method", *numbers, right=numbers, caption=caption, caption_justify="left")
    for row in advice.rows:
        measures, best = row.measures, row is advice.recommended
        table.add_row(
            "★" if best else "◆" if row.on_front else "",
            f"{row.method} (+{len(row.same_as)})" if row.same_as else row.method,
            _percent(measures["success"]),
            _mean(measures["query_cost"]),
            f"{measures['failed_attempts'].mean:.2f}",
            f"{measures['timesteps'].mean:.2f}",
            _mean(measures["J"]),
            "–" if best else _mean(row.difference),
        )
    return table


def _percent(share: MetricMeasure) -> str:
    low, high = (100.0 * bound for bound in share.ci)
    return f"{100.0 * share.mean:.3g} ({low:.3g}–{high:.3g})"


def _mean(measure: MetricMeasure) -> str:
    return f"{measure.mean:.3g} ± {(measure.ci[1] - measure.ci[0]) / 2.0:.2g}"


def _flip_table(method: str, flips: Flips) -> Table:
    title = f"\nHow near the choice of {method} is to flipping"
    columns = ("moved", "now", "better below", "better above")
    table = plain_table(*columns, right=("now",), title=title, title_justify="left", title_style="bold")
    for knob, flip in flips.items():
        scale = SCALES[knob]
        low, high = flip.range
        down = f"down to {low:.3g}" if low < flip.now else None
        up = f"up to {high:.3g}" if high > flip.now else None
        below = _side(flip.below, flip.below_by, down, flip.now > scale.least)
        above = _side(flip.above, flip.above_by, up, flip.now < scale.most)
        table.add_row(SAYS[str(knob)], f"{flip.now:.3g}", below, above)
    return table


def _side(value: float | None, by: str | None, searched: str | None, has_room: bool) -> str:
    """Return the value beyond which a method takes over, or how far was searched in vain, or why not at all."""
    if value is not None:
        return f"{value:.3g} {by}"
    if not has_room:
        return "–"
    return "too long to search" if searched is None else f"none {searched}"
