"""`handup plate segment-eval`: f_seg on real pictures with masks, and how much their own split is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handup.cli.options import AsJson
from handup.cli.output import plain_table, print_result, print_table, say
from handup.domains.plate.segmentation import MaskScore, SegmentReport, evaluate
from handup.domains.plate.vision import FoodSegmenter

EPILOG = """Example: handup plate segment-eval --data FOLDER --json

The folder holds pairs such as 00001.jpg and 00001_mask.jpg (or PNG), where food is white; or folders train and test of
such pairs. f_seg, our network, has learnt from drawn plates only. With train and test, near copies are counted: the
same plate, moved or tinted, on both sides. Then the split is scored beside one without copies, and beside splits that
hold out plates of a colour; the floor is a table of colours that learns from each split's own pictures.

Exit codes: 0 scored, 2 a file is wrong."""


def segment_eval(
    data: Annotated[Path, typer.Option(help="Folder of pictures and their masks.", metavar="FOLDER")],
    seed: Annotated[int, typer.Option(help="Seed of the split without copies. Default: 0.", min=0, metavar="N")] = 0,
    as_json: AsJson = False,
) -> None:
    """Score how well the robot sees food on a folder of real pictures."""
    report = evaluate(data, FoodSegmenter.load(), seed=seed)
    print_result(report.to_json(), lambda: _show(report), as_json=as_json)


def _show(report: SegmentReport) -> None:
    whole = report.f_seg
    say(f"f_seg on {whole.pictures} pictures: {_words(whole)}.")
    if not report.splits:
        return
    say(f"{report.pictures} pictures show {report.groups} plates: the rest are near copies.")
    table = plain_table(
        "split", "train", "test", "with a copy", "IoU of the floor", "IoU of f_seg",
        right=("train", "test", "with a copy", "IoU of the floor", "IoU of f_seg"),
    )  # fmt: skip
    for split in report.splits:
        table.add_row(
            split.name, str(split.train), str(split.test), f"{split.copied:.0%}", f"{split.floor.iou:.2f}",
            f"{split.f_seg.iou:.2f}",
        )  # fmt: skip
    print_table(table)


def _words(score: MaskScore) -> str:
    wrong = f"{score.false_share:.0%} of what it calls food is none, {score.missed_share:.0%} of the food is missed"
    return f"IoU {score.iou:.2f} (mean of pictures {score.mean_iou:.2f}); {wrong}"
