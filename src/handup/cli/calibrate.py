"""`handup calibrate`: probabilities from a module's raw scores, and how far to trust them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from handup.cli.output import check_place, note, out, plain_table, print_result, print_table, say
from handup.confidence import Calibration, Estimate, parse_rows
from handup.confidence import calibrate as fit_and_judge
from handup.confidence.sample import percent
from handup.core import BadData, ConflictingSettings, MissingExtra, OutOfRange
from handup.core.files import read_text, write_whole

EPILOG = """Example: handup calibrate examples/scores/food.csv --save food.json --report food.html

The columns: score,right; or p_…,p_…,target, where target counts the options from 0; or variance,right.

Exit codes: 0 calibrated, 2 the rows or an option are wrong, or the extra [lab] is missing."""
MAX_BYTES = 64 * 1024 * 1024
HEADINGS = {"brier": "Brier", "log_loss": "log loss", "ece": "ECE", "aurc": "AURC"}


def calibrate(
    file: Annotated[Path, typer.Argument(help="File with rows of scores and outcomes.", metavar="FILE.csv")],
    method: Annotated[
        str,
        typer.Option(
            help="Calibrator: auto, identity, platt, isotonic, beta, venn-abers, temperature, scaled, interval, "
            "interval-one-sided or dropout.",
            metavar="NAME",
        ),
    ] = "auto",
    target_coverage: Annotated[
        float, typer.Option(help="Share of conformal sets that must contain the right option, 0 to 1.", metavar="C")
    ] = 0.9,
    save: Annotated[Path | None, typer.Option(help="File to write the calibrator to.", metavar="FILE.json")] = None,
    report: Annotated[Path | None, typer.Option(help="File to write the report to.", metavar="FILE.html")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds and resamples.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Turn a module's raw scores into probabilities of being right, and say how good they are on unseen rows."""
    if not 0.0 < target_coverage < 1.0:
        got = f"{target_coverage:g}"
        raise OutOfRange.of("--target-coverage", got, "lie between 0 and 1", hint="Give a share, such as 0.9.")
    check_place("--save", save, file)
    check_place("--report", report, file)
    if save is not None and report is not None and save.resolve() == report.resolve():
        cause = f"--save and --report must name two files, got '{save}' twice"
        raise ConflictingSettings(cause, hint="Give each a name of its own.")
    if report is not None and find_spec("matplotlib") is None:
        raise MissingExtra.of("lab", "the report")
    try:
        sample = parse_rows(read_text(file, MAX_BYTES, error=BadData), str(file))
        found = fit_and_judge(sample, method, target_coverage=target_coverage, seed=seed)
    except BadData as error:
        raise error.at(str(file)) from None

    written = {}
    if save is not None:
        written[save] = json.dumps(found.calibrator.to_json(), indent=2, allow_nan=False) + "\n"
    if report is not None:
        from handup.lab.calibration_report import page  # noqa: PLC0415 - an extra

        written[report] = page(found, file.name)
    for path, text in written.items():
        write_whole(path, text)
    for warning in found.warnings:
        note(f"handup: warning: {warning}")
    places = {key: path and str(path) for key, path in (("file", file), ("saved", save), ("report", report))}
    print_result(found.to_json() | places, lambda: _show(found, save, report), as_json=as_json)


def _show(found: Calibration, save: Path | None, report: Path | None) -> None:
    metrics = found.metrics
    right = metrics["accuracy"]
    low, high = (percent(bound) for bound in right.ci)
    out.print(f"[bold]Use {found.calibrator.name}.[/bold] {found.reason}")
    out.print(
        f"{len(found.right)} rows, of which {percent(right.value)} are right ({low} to {high}). On rows it has not "
        f"seen: Brier {_number(metrics['brier'])}, log loss {_number(metrics['log_loss'])}, "
        f"ECE {_number(metrics['ece'])} over {len(found.bins)} bins, AURC {_number(metrics['aurc'])}.\n"
    )
    caption = "★ chosen, – shown only; cross-validated, with 95 % intervals; lower is better."
    numbers = tuple(HEADINGS.values())
    table = plain_table("", "method", *numbers, right=numbers, caption=caption, caption_justify="left")
    for candidate in found.candidates:
        mark = "★" if candidate.chosen else "" if candidate.eligible else "–"
        table.add_row(mark, candidate.method, *(_number(candidate.metrics[name]) for name in HEADINGS))
    table.add_row("", "base rate", f"{found.base_rate_brier:.3f}", "", "", "")
    print_table(table)
    for candidate in found.candidates:
        if not candidate.chosen:
            for warning in candidate.warnings:
                out.print(warning, markup=False)
    for sets in (found.conformal, found.confident):
        if sets is None:
            continue
        out.print(
            f"\nConformal sets: options that score {sets.sets.threshold:.3f} or more. {sets.sets.guarantee} Here, "
            f"cross-validated: {percent(sets.coverage)} covered, {sets.mean_set_size:.2f} options on average, a "
            f"question in {percent(sets.help_rate)}.",
            markup=False,
        )
    for label, path in (("Calibrator", save), ("Report", report)):
        if path is not None:
            say(f"{label}: {path}")


def _number(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.ci[0]:.3f}–{estimate.ci[1]:.3f})"
