"""Trials are made once, kept, and made again only by other code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadRecord
from handup.domains.reaching import Ending, Strategy, User, episode, method, scene
from handup.lab.reaching import making, rows
from handup.lab.reaching.definition import FIRST_TRYING, Part, ReachingStudy, Sitting, Size
from handup.lab.reaching.making import estimate, main, make
from handup.lab.reaching.rows import AttemptRow, TrialRow, do, kept_trials
from handup.lab.study.batches import Progress
from tests.client.servers import ENVIRONMENT, ROOT

SEED = FIRST_TRYING + 700
TINY = ReachingStudy(
    name="tiny",
    title="Tiny",
    figure="none",
    question="Does it run?",
    parts=(
        Part(
            name="all",
            about="one scene",
            scenes=("S1",),
            methods=("manual", "paper"),
            users=(str(Strategy.STOP_OVER), str(Strategy.ROTATE_FIRST)),
            seeds=1,
            quick=1,
            first_seed=700,
        ),
    ),
)
SIZE = Size(seed=FIRST_TRYING)
Done = dict[Sitting, tuple[TrialRow, ...]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One run that nobody stopped."""
    return make(TINY, SIZE, tmp_path_factory.mktemp("whole"))


def test_a_row_is_what_the_trial_was(whole: Done) -> None:
    sitting = next(each for each in whole if each.method == "paper" and each.user == "stop-over")
    row = whole[sitting][0]
    user = User(strategy=Strategy.STOP_OVER)
    again = episode(scene("S1"), row.task, user, method("paper"), SEED, record=True)
    last = row.attempts[-1]
    assert (row.seed, row.listed, row.success) == (SEED, again.listed, again.success)
    assert last.time_s == pytest.approx(again.attempts[-1].time_s, abs=1e-3)
    assert last.predicted == again.attempts[-1].predicted
    assert (last.sure_of == row.task) == bool(last.predicted)
    assert last.ending in tuple(Ending)


def test_all_methods_meet_the_same_people(whole: Done) -> None:
    met = {tuple((row.task, row.seed, row.listed) for row in made) for made in whole.values()}
    assert len(met) == 1
    assert sum(map(len, whole.values())) == 2 * 2 * 4


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds that are run from now on."""
    seeds: list[int] = []
    real = episode

    def counted(*given: Any, **rest: Any) -> Any:
        seeds.append(given[4])
        return real(*given, **rest)

    monkeypatch.setattr(rows, "episode", counted)
    return seeds


def test_a_stopped_run_goes_on_where_it_was(whole: Done, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = counting(monkeypatch)

    def stop(step: Progress) -> None:
        if step.done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(TINY, SIZE, tmp_path, watch=stop)
    assert len(seeds) == 8
    assert make(TINY, SIZE, tmp_path) == whole
    assert len(seeds) == 16


def test_trials_of_other_code_are_made_again(whole: Done, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = kept_trials(tmp_path)
    for sitting, made in whole.items():
        kept.save(sitting, made)
    first = kept.path(next(iter(whole)))
    first.write_text(first.read_text(encoding="utf-8").replace(kept.stamp["code"], "other code"), encoding="utf-8")
    seeds = counting(monkeypatch)
    assert make(TINY, SIZE, tmp_path) == whole
    assert len(seeds) == 4
    assert first.with_suffix(".stale").exists()


def test_two_processes_make_the_same(whole: Done, tmp_path: Path) -> None:
    assert make(TINY, SIZE, tmp_path, jobs=2) == whole


def test_a_row_goes_to_json_and_back(whole: Done) -> None:
    for row in next(iter(whole.values())):
        assert TrialRow.from_json(json.loads(json.dumps(row.to_json()))) == row
    with pytest.raises(BadRecord, match="other fields"):
        TrialRow.from_json({"seed": 1})


def test_a_robot_that_was_surely_wrong_says_so() -> None:
    class Belief:
        def __init__(self, belief: tuple[float, ...]) -> None:
            self.belief = belief

    trial = episode(scene("S1"), "cup/top", User(strategy=Strategy.STOP_OVER), method("manual"), SEED)
    moments = tuple(Belief(each) for each in ((0.1, 0.9, 0.0, 0.0), (0.8, 0.2, 0.0, 0.0), (0.1, 0.8, 0.1, 0.0)))
    attempt = replace(trial.first, predicted=False, moments=moments)  # type: ignore[arg-type]
    row = AttemptRow.of(attempt, scene("S1").goals.names, "cup/top")
    assert row.sure_of == "cup/side"
    assert row.wrongly_sure == pytest.approx(2 / 3, abs=1e-4)


BARE = """
import sys
for name in ("scipy", "matplotlib", "typer", "rich", "sqlalchemy"):
    sys.modules[name] = None
import handup.lab.reaching.making
"""


def test_making_trials_needs_little() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BARE], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_file_of_the_world_that_a_trial_uses_is_part_of_the_digest() -> None:
    """What `episode` imports of the world, and no more."""
    folder = ROOT / "src" / "handup" / "domains" / "reaching"
    used, left = set(), ["episode"]
    while left:
        name = left.pop()
        if name not in used:
            used.add(name)
            text = (folder / f"{name}.py").read_text(encoding="utf-8")
            left += re.findall(r"from handup\.domains\.reaching\.(\w+) import", text)
            left += re.findall(r"from handup\.domains\.reaching import (\w+)", text)
    assert used == set(rows.WORLD)


def test_how_long_it_takes_is_measured_on_other_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = counting(monkeypatch)
    lines = list(estimate(TINY, Size()))
    assert min(seeds) >= FIRST_TRYING
    assert lines[-1].endswith("minutes of one core")
    assert len(lines) == 3
    assert "8 trials" in lines[0]


def test_who_asks_how_long_it_takes_is_told_at_once_what_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    def measured(*given: object) -> list[str]:
        said.append(capsys.readouterr().err)
        return ["3 minutes"]

    monkeypatch.setattr(making, "estimate", measured)
    main(["--estimate"])
    assert said == ["One trial of each scene, method and user is timed; that takes about 4 minutes.\n"]
    assert capsys.readouterr().err == "3 minutes\n"


def test_the_module_runs_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], whole: Done
) -> None:
    monkeypatch.setattr(making, "REACHING", TINY)
    main(["--out", str(tmp_path), "--seed", str(FIRST_TRYING)])
    assert "16 of 16 trials" in capsys.readouterr().err
    assert make(TINY, SIZE, tmp_path) == whole
    assert do(next(iter(whole))) == next(iter(whole.values()))
