"""The files of a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handup.core import BadRecipe, BadRecord, ManualClock
from handup.executive import Around, Call, Done, Ending, Executive, Files, Outcome, Run, RunSettings, Sources
from handup.executive.validator import abilities_of
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
    run.follow(lambda event: shown.append(run.problems))
    executive = Executive(run, around, files=files)
    written(file, TEXT, 2)
    assert executive.to_the_end().ending is Ending.DONE
    assert any("fly" in each for problems in shown for each in problems)


def test_settings_go_to_json_and_back() -> None:
    settings = RunSettings(depth=3, starts=7)
    assert RunSettings.from_json(settings.to_json()) == settings
    with pytest.raises(BadRecord):
        RunSettings.from_json({"depth": "deep"})


WRONG = "format: 1\nbuild:\n  steps:\n  - {action: fly}\n  - {opp: noop}\n"
WRONG_RULES = "format: 1\nrecoveries:\n- {name: r, resume: nxt}\n"


def test_everything_that_is_wrong_with_all_files_is_one_error() -> None:
    sources = Sources(recipes={"r": WRONG}, recoveries={"c": WRONG_RULES}, database={"d": "format: 2\n"})
    with pytest.raises(BadRecipe) as read:
        sources.parsed()
    assert [str(each.place) for each in read.value.problems] == ["r:5:6", "c:3:21", "d:1:1"]
    with pytest.raises(BadRecipe) as checked:
        sources.checked(abilities_of({}))
    assert [str(each.place) for each in checked.value.problems] == ["r:4:6", "r:5:6", "c:3:21", "d:1:1"]
    with pytest.raises(BadRecipe) as none:
        Sources(recipes={}).parsed()
    assert [each.cause for each in none.value.problems] == ["there is no recipe"]


def test_a_refused_reload_tells_everything() -> None:
    run = Run.of(Sources(recipes={"r": TEXT}))
    told: list[tuple[str, ...]] = []
    around = Around(actions=by_name(acting("go")), clock=ManualClock())
    run.follow(lambda event: told.append(run.problems))
    executive = Executive(run, around)
    executive.reload(Sources(recipes={"r": WRONG}, recoveries={"c": WRONG_RULES}))
    assert executive.to_the_end().ending is Ending.DONE
    found = [line for line in next(filter(None, told)) if "under way" not in line]
    assert [line.split(": ")[0] for line in found] == ["r:4:6", "r:5:6", "c:3:21"]


UNDER_WAY = """
format: 1
build:
  steps:
  - task: past
  - task: first
  - {task: more, params: {where: database.here}, var: [found]}
  - {op: print, params: {message: var.found}}
past: {steps: [{op: noop}]}
first: {steps: [{action: go}, {action: go}]}
more: {params: [where], var: [found], steps: [{action: find, params: {at: params.where}, var: [found]}]}
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("past: ", "gone: ", "'build' is under way, and there is no task 'past'"),
        ("[where], var", "[where, to], var", "'build' is under way, and task 'more' is not given 'to'"),
        ("var: [found]", "var: []", "'build' is under way, and task 'more' gives no 'found'"),
        ("here: 1", "there: 1", "'build' is under way, and database has no 'here'"),
        ("[{action: go}, {action: go}]", "[{action: go}]", ""),
        ("past: {steps: [{op: noop}]}", "past: {steps: [{action: go}]}", ""),
    ],
)
def test_a_reload_must_fit_what_is_still_to_come_of_tasks_under_way(old: str, new: str, problem: str) -> None:
    def sources(text: str, database: str) -> Sources:
        return Sources(recipes={"r": text}, database={"d": database})

    run = Run.of(sources(UNDER_WAY, "format: 1\nhere: 1\n"))
    told: list[tuple[str, ...]] = []

    def go(call: Call) -> Outcome:
        if not told:
            # the new `build` fits the new files, whatever the old one under way needs
            build = UNDER_WAY.split("past: ", maxsplit=1)[0]
            anew = "\nformat: 1\nbuild: {steps: [{task: first}]}\n" + UNDER_WAY.removeprefix(build)
            executive.reload(sources(anew.replace(old, new), "format: 1\nhere: 1\n".replace(old, new)))
        told.append(run.problems)
        return Done()

    find = acting("find", lambda call: Done(results={"found": 1}), takes=("at",), gives=("found",))
    actions = by_name(acting("go", go), find)
    executive = Executive(run, Around(actions=actions, clock=ManualClock()))
    assert executive.to_the_end().ending is Ending.DONE
    assert [each for each in run.problems if problem in each] == list(run.problems)
    assert bool(run.problems) == bool(problem)


def test_a_reload_may_drop_what_is_over() -> None:
    run = Run.of(
        Sources(recipes={"r": "format: 1\na: {steps: [{task: b}, {action: go}, {action: go}]}\nb: {steps: []}\n"})
    )

    def go(call: Call) -> Outcome:
        executive.reload(Sources(recipes={"r": "format: 1\na: {steps: [{action: go}]}\n"}))
        return Done()

    executive = Executive(run, Around(actions=by_name(acting("go", go)), clock=ManualClock()))
    assert executive.to_the_end().ending is Ending.DONE
    assert run.problems == ()
