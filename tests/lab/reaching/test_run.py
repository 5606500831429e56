"""The study from kept trials to its folder, and from the command. Its trials are made up; nothing is simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from handup.domains.reaching import Strategy
from handup.lab.reaching import studies
from handup.lab.reaching.definition import FIRST_TRYING, Sitting
from handup.lab.reaching.rows import AttemptRow, kept_trials
from tests.cli.calls import assert_one_line_error, here
from tests.lab.reaching.made_up import results, small
from tests.lab.reaching.test_judging import as_claimed

SEEDS, MOST_LINES = 2, 60
COMMAND = ("study", "run", "reaching", "--seed", str(FIRST_TRYING), "--jobs", "1", "--out")


def unasked(sitting: Sitting, task: str, seed: int) -> tuple[AttemptRow, ...]:
    """Without questions nothing has to be looked for in trials that would be done again."""
    return tuple(replace(each, questions=0) for each in as_claimed(sitting, task, seed))


@dataclass(frozen=True)
class Whole:
    """What the command said, and what it left."""

    said: str
    folder: Path
    trials: int


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """The command over trials of the whole study that lie there, as if they had been made elsewhere."""
    out = tmp_path_factory.mktemp("whole")
    made, kept = results(unasked, seeds=SEEDS), kept_trials(out)
    for sitting, rows in made.done.items():
        kept.save(sitting, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "REACHING", small(SEEDS))
        called = here(*COMMAND, str(out))
    assert called.code == 0, called.err
    yield Whole(called.out, out / "reaching", made.trials)


def test_the_command_says_what_it_found(whole: Whole) -> None:
    assert "report.html" in whole.said
    assert "The goal of assist" in whole.said
    assert all(f"- {name}: " in whole.said for name in ("success", "time", "questions", "opposing", "every task"))
    assert "the paper's orderings, rotate-first users" in whole.said
    assert f"Simulated, {whole.trials:,} trials" in whole.said


def test_the_command_is_short_and_leaves_single_claims_to_the_report(whole: Whole) -> None:
    assert len(whole.said.splitlines()) < MOST_LINES
    assert "letting go helps HO" not in whole.said
    page = (whole.folder / "report.html").read_text(encoding="utf-8")
    assert page.count("letting go helps HO: ") >= len(Strategy), "for each kind of user"
    assert "Without the rule of exclusion" in page


def test_the_folder_has_rows_figures_tables_and_a_report(whole: Whole) -> None:
    names = {path.name for path in whole.folder.iterdir()}
    parts = ("", "-s1", "-s2", "-u6", "-u22", "-look-ahead", "-fig-4")
    drawn = {f"reaching{part}.{kind}" for part in parts for kind in ("svg", "png")}
    assert names == {"rows.jsonl", "study.json", "tables.md", "report.html", *drawn}
    lines = (whole.folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == whole.trials
    first = json.loads(lines[0])
    assert {"config", "code", "handup", "scene", "method", "user", "task", "seed", "attempts"} <= set(first)
    page = (whole.folder / "report.html").read_text(encoding="utf-8")
    assert "simulated" in page
    assert "<script" not in page
    assert "Table I again" in page


def test_the_record_is_plain_and_says_how_it_was_made(whole: Whole) -> None:
    record = json.loads((whole.folder / "study.json").read_text(encoding="utf-8"))
    assert record["command"] == f"handup study run reaching --seed {FIRST_TRYING}"
    assert record["seeds"]["all"] == [FIRST_TRYING, SEEDS]
    assert record["evidence"] == "simulated"
    assert record["goal"]["ratio"]["total_s"][0] == pytest.approx(0.51, abs=0.02)
    assert record["versus"]["S1"]["mixed"]["total_s"][0] == pytest.approx(-5.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--episodes", "4"), ("takes no --episodes",)),
        (("--participants", "4"), ("takes no --participants",)),
        (("--seed", "3"), ("seed is 3",)),
    ],
)
def test_wrong_options_are_refused_in_one_line(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    called = here("study", "run", "reaching", *given)
    assert called.code == 2
    assert_one_line_error(called, *words)


def test_the_list_names_it() -> None:
    listed = {each["name"]: each for each in json.loads(here("study", "list", "--json").out)["studies"]}
    assert listed["reaching"]["cells"] == 14 * 3 * 9 + 3 * 3 + 14 * 7 + 14 * 5
