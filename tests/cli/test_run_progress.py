"""What a run says while it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.cli.run_progress import RunProgress
from handup.core import ManualClock, ResumeHint
from handup.executive import Aborted, Around, Executive, Run
from handup.executive.events import Ending, ReloadRefused
from handup.executive.machine import Machine
from tests.executive.making import action, branch, recipe, recipes, rule
from tests.executive.robot import acting, by_name


def test_everything_that_is_wrong_with_new_files_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ("r.yaml:4:5: there is no task 'a'. Known: b.", "r.yaml:5:5: nothing bounds this loop. Add most: N.")
    with RunProgress(Machine(recipes(recipe("main"))), quiet=False, steps=False) as progress:
        progress.told(ReloadRefused(problems=wrong, at_s=61.0))
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == "01:01 the files are wrong, and the old ones hold:"
    assert lines == [f"  {each}" for each in wrong]


def test_the_end_of_the_time_is_told_as_an_end_and_not_as_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    ends = replace(branch(None, resume=ResumeHint.NONE), ends=Ending.DONE)
    rules = [rule("time_is_up", "**/wait", codes=["time_up"], branches=[ends])]
    run = Run(recipes(recipe("main", action("wait"))), rules)
    with RunProgress(run.machine, quiet=False, steps=False) as progress:
        run.follow(progress.told)
        waits = acting("wait", lambda call: Aborted(code="time_up"), codes=("time_up",))
        around = Around(actions=by_name(waits), clock=ManualClock())
        assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert capsys.readouterr().err.splitlines() == ["00:00 ■ time_is_up"]
