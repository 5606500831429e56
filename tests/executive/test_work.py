"""Work grows with what there is to do and no faster. Counted in calls and transactions, which no other program changes.

How long a call takes is for `handup bench executive --check`. The bounds here are half as much again as what it took
when they were written: whoever needs more has made each step slower, and should know it.
"""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from pathlib import Path

import pytest

from handup.core import ManualClock
from handup.executive import Around, Ending, Executive, Run, RunSettings, Watch
from handup.executive import run as run_module
from handup.executive.reader import parse_recipes
from handup.executive.validator import require
from handup.journal import Journal
from handup.lab.bench.executive import AtOnce, Final, recipe_text
from tests.executive.making import action, rule
from tests.recover.house import FragileJournal

MOST_CALLS_A_STEP = 180
MOST_CALLS_A_STEP_READ = 480


def calls(do: Callable[[], object]) -> int:
    profile = cProfile.Profile()
    profile.runcall(do)
    return sum(each.callcount for each in profile.getstats())


def executive(steps: int, *, rules: int = 0, act: type[AtOnce] = AtOnce, book: Journal | None = None) -> Executive:
    made = parse_recipes({"r.yaml": recipe_text(steps // 20, 20)})
    recoveries = [rule(f"r{n}", "**", action("move", to="x"), contradiction="on") for n in range(rules)]
    run = Run(made, recoveries, book=book, settings=RunSettings(batch=256))
    watches = [Watch("on", lambda now_s: True)] if rules else []
    return Executive(run, Around(actions={"move": act}, clock=ManualClock(), monitors=watches))


def running(steps: int, rules: int = 0) -> int:
    return calls(executive(steps, rules=rules).to_the_end)


def reading(steps: int) -> int:
    text = recipe_text(steps // 20, 20)
    return calls(lambda: require(parse_recipes({"r.yaml": text})))


@pytest.mark.parametrize(("work", "most"), [(running, MOST_CALLS_A_STEP), (reading, MOST_CALLS_A_STEP_READ)])
def test_twice_the_steps_are_twice_the_work(work: Callable[[int], int], most: int) -> None:
    work(100)  # what is computed once and kept
    once, twice, four_times = (work(steps) for steps in (400, 800, 1600))
    assert four_times - twice <= 2.05 * (twice - once)
    assert twice - once <= most * 400


def test_rules_that_nothing_calls_for_cost_nothing_while_nothing_fails() -> None:
    running(100, rules=1)
    assert running(200, rules=50) <= 1.05 * running(200, rules=1)


@pytest.mark.parametrize(("act", "most"), [(AtOnce, 2), (Final, 200)])
def test_a_journal_is_made_durable_once_a_batch_or_before_each_start_that_may_not_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: type[AtOnce], most: int
) -> None:
    monkeypatch.setattr(run_module, "FLUSH_S", 1e9)
    with FragileJournal.open(tmp_path / "j.db") as journal:
        assert executive(200, act=act, book=journal).to_the_end().ending is Ending.DONE
        assert isinstance(journal, FragileJournal)
        assert journal.writes <= most + 2  # a batch of 256 events is 128 steps; and it begins and ends
