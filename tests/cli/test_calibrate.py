"""`handup calibrate`: the record, the files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from handup.confidence import calibrate, calibrator_from_json, parse_rows
from tests.cli.calls import assert_one_line_error, here
from tests.confidence.streams import overconfident, synthetic_stream

GOOD = [f"0.{number:02},{int(number % 10 < 7)}" for number in range(10, 70)]


def rows(*lines: str, heading: str = "score,right") -> str:
    return "\n".join([heading, *lines]) + "\n"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    sample = overconfident(80, 1)
    path = tmp_path / "scores.csv"
    lines = [f"{score:.6f},{int(right)}" for score, right in zip(sample.raw, sample.right, strict=True)]
    path.write_text(rows(*lines), encoding="utf-8")
    return path


@pytest.fixture
def options(tmp_path: Path) -> Path:
    sample = synthetic_stream(80, 1)
    assert sample.target is not None
    path = tmp_path / "options.csv"
    lines = [",".join(f"{p:.6f}" for p in row) + f",{t}" for row, t in zip(sample.raw, sample.target, strict=True)]
    path.write_text(rows(*lines, heading="p_a,p_b,p_c,p_d,target"), encoding="utf-8")
    return path


def test_the_record_is_the_contract(options: Path) -> None:
    called = here("calibrate", str(options), "--target-coverage", "0.8", "--json")
    assert called.code == 0
    found = json.loads(called.out)
    assert found["n"] == 80
    for name in ("accuracy", "brier", "log_loss", "ece", "aurc"):
        low, high = found[name]["ci"]
        assert low <= found[name]["value"] <= high
    assert found["method"] in {each["method"] for each in found["candidates"]}
    assert {"threshold", "coverage", "coverage_interval", "help_rate", "mean_set_size"} <= set(found["conformal"])
    assert found["conformal"]["coverage"] == pytest.approx(0.8, abs=0.1)


def test_single_scores_have_no_conformal_sets(scores: Path) -> None:
    found = json.loads(here("calibrate", str(scores), "--method", "platt", "--json").out)
    assert (found["method"], found["conformal"]) == ("platt", None)


def test_variances_are_calibrated_by_dropout(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    variance = generator.lognormal(size=60)
    lines = [f"{each:.5f},{int(generator.random() < 1 / (1 + each))}" for each in variance]
    (tmp_path / "v.csv").write_text(rows(*lines, heading="variance,right"), encoding="utf-8")
    found = json.loads(here("calibrate", str(tmp_path / "v.csv"), "--json").out)
    assert found["method"] == "dropout"


def test_what_is_saved_is_what_was_fitted(scores: Path, tmp_path: Path) -> None:
    called = here("calibrate", str(scores), "--method", "platt", "--save", str(tmp_path / "cal.json"))
    assert called.code == 0
    assert "Use platt." in called.out
    saved = calibrator_from_json(json.loads((tmp_path / "cal.json").read_text(encoding="utf-8")))
    assert saved == calibrate(parse_rows(scores.read_text(encoding="utf-8")), "platt").calibrator


def test_the_report_stands_alone(options: Path, tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    assert here("calibrate", str(options), "--report", str(report)).code == 0
    page = report.read_text(encoding="utf-8")
    assert page.count("<svg ") == 2
    for part in ("Conformal sets", "Reliability", "Risk against coverage", "What the numbers mean", "venn-abers"):
        assert part in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page
    assert "prefers-color-scheme: dark" in page
    again = tmp_path / "again.html"
    here("calibrate", str(options), "--report", str(again))
    assert again.read_bytes() == report.read_bytes(), "the same rows give the same page"


def test_the_papers_rule_is_warned_of_where_it_is_anti_informative(tmp_path: Path) -> None:
    lines = [f"0.{number:02},{int(number > 70)}" for number in range(20, 99)]
    wide = [f"{score.split(',')[0]},0.01,{0 if score.endswith('1') else 1}" for score in lines]
    (tmp_path / "s.csv").write_text(rows(*wide, heading="p_a,p_b,target"), encoding="utf-8")
    called = here("calibrate", str(tmp_path / "s.csv"), "--method", "interval", "--json")
    assert called.code == 0
    assert "anti-informative" in called.err
    assert "anti-informative" in json.loads(called.out)["warnings"][0]


BAD = {
    "nan": (rows(*GOOD, "nan,1"), ["bad.csv:62: ", "row 61: score must be a number of at least 0, got 'nan'"]),
    "empty": ("", ["bad.csv: ", "empty"]),
    "no rows": ("score,right\n", ["bad.csv:1: ", "must be rows"]),
    "one class": (rows(*[f"0.{number},1" for number in range(10, 40)]), ["got 30 that are right"]),
    "one wrong": (rows(*[f"0.{number},{int(number != 12)}" for number in range(10, 40)]), ["got only row 3"]),
    "columns": ("scor,right\n0.5,1\n", ["bad.csv:1: ", "got scor,right", "p_…"]),
    "label": (
        "p_a,p_b,p_c,p_d,target\n0.1,0.2,0.3,0.4,7\n",
        ["bad.csv:2: ", "row 1: target must lie between 0 and 3, got '7'", "index of the right option"],
    ),
    "nine rows": (rows(*GOOD[:9]), ["got 9", "at least 10 rows"]),
    "percentages": (rows(*GOOD, "87,1"), ["row 61: score must lie between 0 and 1, got 87"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_refused_and_nothing_is_written(case: str, tmp_path: Path) -> None:
    text, words = BAD[case]
    (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
    save, report = tmp_path / "cal.json", tmp_path / "out.html"
    called = here("calibrate", str(tmp_path / "bad.csv"), "--save", str(save), "--report", str(report))
    assert_one_line_error(called, *words)
    assert [each.name for each in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "plat"], ["no calibrator is called 'plat'", "Did you mean 'platt'"]),
        (["--method", "temperature"], ["be one for rows of score,right"]),
        (["--target-coverage", "1"], ["--target-coverage must lie between 0 and 1, got 1"]),
        (["--save", "no/such/folder/cal.json"], ["--save must name a file that can be written"]),
        (["--report", "no/such/folder/out.html"], ["--report must name a file that can be written"]),
    ],
)
def test_a_wrong_option_is_refused(scores: Path, arguments: list[str], words: list[str]) -> None:
    assert_one_line_error(here("calibrate", str(scores), *arguments), *words)


def test_the_rows_are_never_overwritten(scores: Path) -> None:
    before = scores.read_bytes()
    assert_one_line_error(here("calibrate", str(scores), "--save", str(scores)), "must not be the file of the rows")
    assert scores.read_bytes() == before


def test_no_file_and_no_text_are_refused(tmp_path: Path) -> None:
    assert_one_line_error(here("calibrate", str(tmp_path / "none.csv")), "there is no such file")
    assert_one_line_error(here("calibrate", str(tmp_path)), "this is a directory")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x81")
    assert_one_line_error(here("calibrate", str(tmp_path / "b.csv")), "no UTF-8 text")
