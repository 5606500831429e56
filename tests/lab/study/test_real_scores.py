"""The study of real scores: what it compares, says, writes and refuses."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handup.core import BadSetting
from handup.lab.by_sets import NAME as KNOWNO
from handup.lab.chains import CALIBRATED, draw_chain
from handup.lab.streams import read_streams
from handup.lab.study import real_scores
from handup.lab.study.real_scores import ARMS, METRICS, OURS, PLACES, PLAIN, Arm, Comparison, Place, Size, compare
from handup.lab.study.real_scores_record import rows
from handup.lab.study.real_scores_words import reading
from handup.when import strategy
from tests.cli.calls import assert_one_line_error, here
from tests.data import data_folder
from tests.lab.scores import made_streams, write_streams

FEW = (Place(1), Place(2))


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_scores, "PLACES", FEW)


@pytest.mark.usefixtures("few_places")
def test_the_same_again_however_the_draws_are_shared_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = made_streams(tmp_path)
    one = compare(streams, Size(episodes=30))
    monkeypatch.setattr(real_scores, "DRAWS_AT_ONCE", 2)
    two = compare(streams, Size(episodes=30))
    other = compare(streams, Size(episodes=30, seed=1))
    assert rows(one) == rows(two)
    assert rows(one) != rows(other)
    assert one.found[FEW[0], OURS].shape == (len(METRICS), 3, 10)


@pytest.mark.usefixtures("few_places")
def test_methods_are_what_they_are_called(tmp_path: Path) -> None:
    found = compare(made_streams(tmp_path), Size(episodes=30))
    for place in FEW:
        never = {metric: found.by_draw(metric, place, Arm(real_scores.NEVER)) for metric in METRICS}
        assert not never["help_rate"].any()
        assert not never["workload"].any()
        alone = [each.alone(place.modules).mean() for each in found.chains]
        assert never["success"] == pytest.approx(np.array(alone))
        assert (found.by_draw("help_rate", place, Arm(real_scores.ALWAYS)) == 1.0).all()
        unsure = [(each.sizes[place.modules - 1] != 1).mean() for each in found.chains]
        assert found.by_draw("help_rate", place, Arm(KNOWNO)) == pytest.approx(np.array(unsure))


def test_every_place_compares_what_the_issue_names() -> None:
    assert {(place.modules, place.expert) for place in PLACES if place.is_main} == {
        (modules, expert) for modules in (1, 2, 3, 4) for expert in (0.8, 0.9, 0.97)
    }
    assert {arm.label for arm in PLAIN} == {
        "never",
        "always",
        "graph+workload-aware, calibrated",
        "KnowNo sets",
        "troubleshoot, calibrated",
    }
    assert {arm.said for arm in ARMS if arm.method == "troubleshoot"} == {"calibrated", "raw", "platt", "interval"}


def made_comparison(tmp_path: Path, ours: float) -> Comparison:
    """Every method comes to 1 everywhere but calibrated `troubleshoot`, with a little noise that all share."""
    streams = made_streams(tmp_path)
    drawn = draw_chain(streams, number=0, episodes=10, seed=0)
    chains = tuple(replace(drawn, streams=tuple((each + number) % 5 for each in range(4))) for number in range(6))
    noise = np.random.default_rng(0).normal(scale=0.01, size=(len(METRICS), 6, 10))
    found = {}
    for number, (place, arm) in enumerate((each, arm) for each in PLACES for arm in each.arms):
        own = np.random.default_rng(number).normal(scale=0.01, size=noise.shape)
        found[place, arm] = (ours if arm == OURS else 1.0) + noise + own
    return Comparison(Size(episodes=60), streams, chains, found)


def test_the_reading_says_who_is_best_and_why_troubleshoot_is_not(tmp_path: Path) -> None:
    good = " ".join(reading(made_comparison(tmp_path, 0.5)))
    assert "real scores in a synthetic composition" in good
    assert (
        "has the lowest J at 12 of 12 places (k and how often answers are right), clear of chance over streams at 12"
        in good
    )
    assert "Why not" not in good
    assert "(50 % of its J)" in good
    for modules in (1, 2, 3, 4):
        assert f"<strong>k = {modules}</strong>" in good
    bad = " ".join(reading(made_comparison(tmp_path, 1.5)))
    assert "has the lowest J at 0 of 12 places" in bad
    assert "another is lower beyond chance at 12 of these" in bad
    assert bad.count("Why not at") == 12
    assert "The calibrated confidences say that acting alone succeeds in" in bad


def test_areas_favour_confidences_that_know(tmp_path: Path) -> None:
    found = made_comparison(tmp_path, 1.0)
    area = found.aurc(1, CALIBRATED)
    for chain in found.chains:
        chain.said[CALIBRATED][0] = np.where(chain.works[0], 0.9, 0.1)
    assert found.aurc(1, CALIBRATED).value < area.value
    assert 0.0 <= found.aurc(1, KNOWNO).value <= 1.0


def test_the_command_writes_rows_figure_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = strategy("graph+workload-aware")  # what it decides does not matter here
    monkeypatch.setattr(real_scores, "strategy", lambda name: quick if name == "troubleshoot" else strategy(name))
    data = write_streams(tmp_path / "data")
    out = tmp_path / "out"
    called = here("study", "run", "real-scores", "--data", str(data), "--episodes", "20", "--jobs", "1", "--out",
                  str(out), "--json")  # fmt: skip
    assert (called.code, called.err) == (0, "")
    (found,) = json.loads(called.out)["studies"]
    assert found["evidence"] == "real scores in a synthetic composition"
    assert len(found["places"]) == len(PLACES)
    folder = out / "real-scores"
    assert Path(found["report"]) == folder / "report.html"
    written = list(csv.DictReader((folder / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(written) == 2 * sum(len(place.arms) for place in PLACES)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("eal scores in a synthetic composition") > 10
    assert str(tmp_path) not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert {each.suffix for each in folder.iterdir()} == {".csv", ".html", ".json", ".svg", ".png"}


def test_bad_calls_are_refused_in_one_line_and_write_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    data = write_streams(tmp_path / "data")
    for arguments, said in (
        ((), "needs data"),
        (("--data", str(tmp_path / "nowhere")), "there is no folder"),
        (("--data", str(tmp_path)), "CSV files"),
        (("--data", str(data), "--episodes", "7"), "7 episodes"),
    ):
        called = here("study", "run", "real-scores", *arguments, "--out", str(out))
        assert_one_line_error(called, said)
        assert called.code == 2
    assert_one_line_error(here("study", "run", "summary", "--data", str(data), "--out", str(out)), "takes no --data")
    assert not out.exists()
    with pytest.raises(BadSetting, match="0 episodes"):
        Size(episodes=0)


def test_it_is_listed() -> None:
    listed = json.loads(here("study", "list", "--json").out)["studies"]
    assert "real-scores" in [each["name"] for each in listed]


@pytest.mark.usefixtures("few_places")
def test_on_the_real_streams_interval_confidences_are_worse_than_calibrated_ones() -> None:
    streams = read_streams(data_folder("module-scores"))
    assert len(streams) == 10
    assert sorted(each.name for each in streams if each.rows == 100) == [
        "college_medicine",
        "high_school_biology",
        "professional_accounting",
    ]
    found = compare(streams, Size(episodes=100))
    gap = found.difference("J", Place(2), Arm("troubleshoot", "interval"), OURS)
    assert gap.ci_draws[0] > 0.0
    said, kept = found.promised(1, "interval")
    assert said.value > kept.value + 0.2
