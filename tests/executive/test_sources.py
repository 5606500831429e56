"""The files of a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handup.core import BadRecipe, BadRecord, ManualClock
from handup.executive import Around, Call, Done, Ending, Executive, Files, Outcome, Run, Settings, Sources
from tests.executive.robot import acting, by_name

TEXT = "format: 1\nbuild:\n  steps:\n  - action: go\n  - task: more\nmore:\n  steps:\n  - action: go\n"


def written(path: Path, text: str, turn: int) -> None:
    path.write_text(text)
    os.utime(path, ns=(turn, turn))


def test_texts_go_to_json_and_back_in_their_order() -> None:
    sources = Sources(
        recipes={"b": TEXT, "a": TEXT.replace("build", "other").replace("more", "less")}, database={"d": "format: 1\n"}
    )
    again = Sources.from_json(sources.to_json())
    assert (again, list(again.recipes)) == (sources, ["b", "a"])
    assert again.parsed()[0].main == "build"
    with pytest.raises(BadRecord):
        Sources.from_json({"recipes": {"names": ["a"], "texts": []}})


def test_a_file_that_is_written_while_the_robot_works_holds_from_the_next_step_on(tmp_path: Path) -> None:
    file, ran = tmp_path / "r.yaml", []
    written(file, TEXT, 1)

    def go(call: Call) -> Outcome:
        ran.append(call.goal.get("to"))
        if len(ran) == 1:
            written(file, TEXT.replace("- action: go\n", "- {action: go, params: {to: kits}}\n"), 2)
        return Done()

    sources = Sources.read([str(file)])
    actions = by_name(acting("go", go, takes=("to?",)))
    executive = Executive(
        Run.of(sources), Around(actions=actions, clock=ManualClock()), files=Files(sources, every_s=0.0)
    )
    assert executive.to_the_end().ending is Ending.DONE
    assert ran == [None, None]  # `more` had begun when the file was looked at
    assert executive.run.sources is not None
    assert "kits" in executive.run.sources.recipes[str(file)]


def test_a_file_that_is_gone_or_wrong_is_refused_and_the_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    written(file, TEXT, 1)
    sources = Sources.read([str(file)])
    files = Files(sources, every_s=0.0)
    assert files.news() is None
    file.unlink()
    with pytest.raises(BadRecipe):
        files.news()
    shown: list[tuple[str, ...]] = []

    def go(call: Call) -> Outcome:
        written(file, "format: 1\nbuild: {steps: [{action: fly}]}\n", 3)
        return Done()

    run = Run.of(sources)
    around = Around(actions=by_name(acting("go", go)), clock=ManualClock())
    executive = Executive(run, around, files=files, watch=lambda machine: shown.append(run.problems))
    written(file, TEXT, 2)
    assert executive.to_the_end().ending is Ending.DONE
    assert any("fly" in each for problems in shown for each in problems)


def test_settings_go_to_json_and_back() -> None:
    settings = Settings(depth=3, starts=7)
    assert Settings.from_json(settings.to_json()) == settings
    with pytest.raises(BadRecord):
        Settings.from_json({"depth": "deep"})
