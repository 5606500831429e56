"""`handup recipe test`: one task, one action or one recovery, alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handup.cli.recipe_problems import all_problems
from handup.cli.recipe_run import Wanted
from handup.cli.run_progress import Progress
from handup.cli.saying import say
from handup.cli.store import RUNS_STORE
from handup.cli.worlds import stage_of
from handup.core import BadSetting
from handup.domains.runs import RUNS
from handup.domains.stage import Stage
from handup.executive.action import Aborted
from handup.executive.checking import abilities_of
from handup.executive.events import Started
from handup.executive.executive import Executive
from handup.executive.language import literal
from handup.executive.machine import Finished
from handup.executive.recipe import ActionStep, Recipe, Recipes, TaskStep, every
from handup.executive.recovery import Recovery
from handup.executive.rehearsing import Rehearsal, rehearse
from handup.executive.run import Run
from handup.executive.sources import Sources
from handup.journal import Journal

ALONE = "test"
"""The task that holds an action which is tested alone."""
LAST = "last"


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What to test.

    Args:
        name: A task, an action or a recovery.
        files: Recipes; the world's own where none is given.
        recoveries: Files of recoveries; the world's own where none is given.
        database: The file that grounds names.
        params: Inputs of the task or action.
        world: Where; the actions of installed packages where it is empty.
        seed: Of the world.
        failure: For a recovery: the number of a stored failure, or `last`.
        store: Where it is stored.
        aborts: For a recovery: actions that give up, as `action:code`.
        quiet: Say nothing on the way.
    """

    name: str
    files: tuple[Path, ...] = ()
    recoveries: tuple[Path, ...] = ()
    database: Path | None = None
    params: dict[str, Any]
    world: str = ""
    seed: int = 0
    failure: str | None = None
    store: str = RUNS_STORE
    aborts: Sequence[str] = ()
    quiet: bool = False


def test(wanted: Tested) -> dict[str, Any]:
    """Test it; what came of it, with `ok`. Everything that is wrong with the files or the inputs is told before.

    Raises:
        BadSetting: There is nothing of this name, or not what it needs.
        BadRecipe: The files are wrong, or an action's inputs.
    """
    with all_problems():
        return _recovery(wanted) if wanted.failure is not None else _part(wanted)


def _part(wanted: Tested) -> dict[str, Any]:
    """A task or an action."""
    stage = stage_of(wanted.world, seed=wanted.seed)
    recipes, recoveries = _files(wanted, stage)
    if wanted.name in recipes.tasks:
        over = _run(recipes, recoveries, wanted, stage)
    elif wanted.name in stage.actions:
        over = _run(_one_action(recipes, stage, wanted), (), replace(wanted, name=ALONE, params={}), stage)
    elif any(each.name == wanted.name for each in recoveries):
        raise BadSetting(
            f"'{wanted.name}' is a recovery, and a recovery is for a failure",
            hint="Name a stored one with --from-failure last, or its number, and --store.",
        )
    else:
        known = ", ".join([*recipes.tasks, *stage.actions][:20])
        raise BadSetting(f"there is no task, action or recovery '{wanted.name}'", hint=f"Known: {known}.")
    failure = over.failure
    return {
        "name": wanted.name,
        "ok": over.ending == "done",
        "ending": str(over.ending),
        "reason": over.reason,
        "outputs": dict(over.outputs),
        "time_s": round(stage.clock.now_s(), 3) if wanted.world else None,
        "failed": None if failure is None else {"path": failure.path, "code": failure.code, "why": failure.why},
    }


def show(record: Mapping[str, Any]) -> None:
    """What came of it, for people."""
    if "steps" in record:
        say(f"Failure {record['failure']['number']}: {record['failure']['path']} ({record['failure']['code']}).")
        for step in record["steps"]:
            given = ", ".join(f"{name}={value!r}" for name, value in step["goal"].items())
            say(f"  {step['action']}({given})")
        at = f" at {record['level']}" if record["level"] else ""
        say(f"{record['name']}: {record['hint']}{at}." if record["ok"] else f"{record['name']}: {record['reason']}")
        return
    after = "" if record["time_s"] is None else f" after {record['time_s']:.0f} s"
    say(f"{record['name']}: {record['ending']}{after}.")
    if not record["ok"]:
        say(record["reason"])
    for name, value in record["outputs"].items():
        say(f"  {name} = {value!r}")


def _files(wanted: Tested, stage: Stage) -> tuple[Recipes, tuple[Recovery, ...]]:
    if wanted.files or wanted.world:
        asked = Wanted(files=wanted.files, recoveries=wanted.recoveries, database=wanted.database, world=wanted.world)
        return asked.sources.checked(abilities_of(stage.actions, {each.name: each for each in stage.monitors}))
    return Recipes(main=ALONE, tasks={}), ()


def _one_action(recipes: Recipes, stage: Stage, wanted: Tested) -> Recipes:
    gives = tuple(getattr(stage.actions[wanted.name], "gives", ()))
    step = ActionStep(
        name=wanted.name, params={name: literal(value) for name, value in wanted.params.items()}, var=gives
    )
    return replace(recipes, main=ALONE, tasks={ALONE: Recipe(name=ALONE, var=gives, steps=(step,))})


def _run(recipes: Recipes, recoveries: Sequence[Recovery], wanted: Tested, stage: Stage) -> Finished:
    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "test.db") as journal:
        run = Run(recipes, recoveries, task=wanted.name, params=wanted.params, book=journal, run=ALONE)
        progress = Progress(run.machine, quiet=wanted.quiet, steps=True)
        run.follow(progress.told)
        with progress:
            return Executive(run, stage.around()).to_the_end()


def _recovery(wanted: Tested) -> dict[str, Any]:
    with Journal.open(wanted.store, create=False, readonly=True) as journal:
        last = RUNS.latest(journal)
        started_with = None if last is None else last.state.begun
        if last is None or not isinstance(started_with, Started):
            raise BadSetting("no recipe was run on this store", hint="Name another one with --store.")
        recipes, rule = _rule(wanted, started_with)
        does = {
            action: Aborted(code=code or "failed")
            for action, _, code in (each.partition(":") for each in wanted.aborts)
        }
        started = _started_by(rule, recipes)
        for action in sorted(does.keys() - started):
            known = f"It starts: {', '.join(sorted(started)) or 'none'}."
            raise BadSetting(f"--aborts: '{rule.name}' does not start the action '{action}'", hint=known)
        rehearsed = rehearse(journal, last.order.name, rule, failure=_number(wanted.failure), does=does)
    return _rehearsed(wanted.name, rehearsed)


def _number(failure: str | None) -> int | None:
    if failure == LAST:
        return None
    if failure is None or not failure.isdecimal() or len(failure) > 9:
        raise BadSetting(f"--from-failure is '{failure}'", hint="Give 'last', or the number of a failure.")
    return int(failure)


def _started_by(rule: Recovery, recipes: Recipes) -> set[str]:
    """The actions of a recovery, and of all tasks that it may call."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [rule.steps]
    while waiting:
        for step in every(waiting.pop()):
            if isinstance(step, ActionStep):
                found.add(step.name)
            elif isinstance(step, TaskStep) and step.name in recipes.tasks and step.name not in seen:
                seen.add(step.name)
                waiting.append(recipes.tasks[step.name].steps)
    return found


def _rule(wanted: Tested, begun: Started) -> tuple[Recipes, Recovery]:
    sources = Sources.from_json(begun.sources)
    if wanted.recoveries:
        sources = replace(sources, recoveries=Sources.read((), [str(each) for each in wanted.recoveries]).recoveries)
    recipes, recoveries = sources.parsed()
    rules = {each.name: each for each in recoveries}
    if wanted.name not in rules:
        raise BadSetting(f"there is no recovery '{wanted.name}'", hint=f"Known: {', '.join(rules) or 'none'}.")
    return recipes, rules[wanted.name]


def _rehearsed(name: str, rehearsed: Rehearsal) -> dict[str, Any]:
    failure = rehearsed.failure
    return {
        "name": name,
        "ok": rehearsed.hint is not None,
        "chosen": rehearsed.chosen,
        "reason": rehearsed.reason,
        "failure": {
            "number": rehearsed.number,
            "path": failure.path,
            "code": failure.code,
            "aborts": failure.levels[-1].aborts,
        },
        "steps": [{"action": each.action, "goal": dict(each.goal)} for each in rehearsed.steps],
        "hint": None if rehearsed.hint is None else str(rehearsed.hint),
        "level": rehearsed.level,
    }
