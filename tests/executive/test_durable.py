"""Runs in a journal: they go on where they stopped, and nothing is done twice without knowing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadRecord, IllegalCall, ManualClock, Person, ResumeHint
from handup.desk import Desk, SkippingClock
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Ending,
    Executive,
    Finished,
    NotStarted,
    Outcome,
    PeopleAtDesk,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Sources,
    Unseen,
)
from handup.executive.events import ActionEnded, Begun, Known, Over, Resumed, Started, Void
from handup.executive.human_help import Heard
from handup.journal import Entry, Journal
from handup.recover.unknown_outcome import FAILED, NOT_STARTED, WORKED
from tests.executive.making import action, loop, op, recipe, recipes, rule, task
from tests.executive.robot import Ground, acting, after, by_name
from tests.recover.house import FragileJournal, Household, Killed

MAIN = recipes(
    recipe(
        "main",
        op("assign", ["n"], value=0),
        loop("var.n < 3", op("increment", name="n"), task("part", ["got"], n="var.n")),
        var=["n", "got"],
    ),
    recipe(
        "part",
        action("look", ["seen"]),
        action("place", ["got"], n="params.n", seen="var.seen"),
        params=["n"],
        var=["got"],
    ),
)
RULES = [rule("fix", "**/place", action("wait"), codes=["slip"], limit=5)]


class World:
    """Places parts; each second placing slips. What it did stands in a file."""

    def __init__(self, path: Path, *, sense: bool = False, dies: Callable[[], None] = lambda: None) -> None:
        self.ground = Ground(path)
        self.dies = dies

        def place(call: Call) -> Outcome:
            dies()
            slips = sum(each["does"] == "place" for each in self.ground.effects()) % 2 == 1
            self.ground.effect("place", call, n=call.goal["n"], ok=not slips)
            dies()
            return (
                Aborted(code="slip")
                if slips
                else Done(results={"got": call.goal["n"]}, beliefs={"placed": call.goal["n"]})
            )

        def sensed(call: Call) -> Outcome | NotStarted:
            found = self.ground.happened(call.number)
            if found is None:
                return NotStarted()
            return (
                Done(results={"got": found["n"]}, beliefs={"placed": found["n"]})
                if found["ok"]
                else Aborted(code="slip")
            )

        self.actions = by_name(
            acting("look", lambda call: Done(results={"seen": True}), gives=("seen",), repeatable=True),
            acting(
                "place", place, takes=("n", "seen"), gives=("got",), codes=("slip",), sense=sensed if sense else None
            ),
            acting("wait", repeatable=True),
        )


def placed(path: Path) -> list[tuple[int, bool]]:
    return [(each["n"], each["ok"]) for each in Ground(path).effects()]


def live(folder: Path, world: World, journal: Journal, **more: Any) -> Finished:
    run = Run(MAIN, RULES, book=journal, run="r", settings=RunSettings(batch=8))
    return Executive(run, Around(actions=world.actions, clock=ManualClock(), **more)).to_the_end()


def entries(folder: Path) -> list[Entry]:
    with Journal.open(folder / "j.db", readonly=True) as journal:
        assert journal.verify().ok
        return list(journal.read(run="r"))


def test_a_run_that_is_over_gives_its_end_and_touches_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        with Journal.open(tmp_path / "j.db") as journal:
            finished = live(tmp_path, World(tmp_path / "w"), journal)
            assert (finished.ending, finished.outputs) == (Ending.DONE, {"n": 3, "got": 3})
    assert len(placed(tmp_path / "w")) == 5
    kinds = [type(each.event) for each in entries(tmp_path)]
    assert kinds[0] is Started
    assert (kinds.count(Over), kinds.count(Resumed)) == (1, 0)


def test_an_action_is_in_the_journal_before_it_begins_and_after_it_ended(tmp_path: Path) -> None:
    known: list[int] = []

    class Watched(World):
        pass

    with Journal.open(tmp_path / "j.db") as journal:
        world = Watched(
            tmp_path / "w",
            dies=lambda: known.append(
                sum(isinstance(each.event, Begun) and each.event.action == "place" for each in journal.read(run="r"))
            ),
        )
        live(tmp_path, world, journal)
    assert known == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


@pytest.mark.parametrize("counts", [True, False])
def test_killed_at_any_write_a_run_goes_on_to_the_same_end(tmp_path: Path, counts: bool) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    with Journal.open(whole / "j.db") as journal:
        wanted = live(whole, World(whole / "w", sense=True), journal)
    for at in range(1, 12):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        journal = FragileJournal.open(folder / "j.db")
        assert isinstance(journal, FragileJournal)
        journal.dies_at = (at, counts)
        with journal, pytest.raises(Killed):
            live(folder, World(folder / "w", sense=True), journal)
        with Journal.open(folder / "j.db") as journal:
            finished = live(folder, World(folder / "w", sense=True), journal)
        assert finished == wanted
        assert placed(folder / "w") == placed(whole / "w")


class Dies:
    """Ends the program at one of the moments around an effect."""

    def __init__(self, at: int) -> None:
        self.turns = itertools.count(1)
        self.at = at

    def __call__(self) -> None:
        if next(self.turns) == self.at:
            raise Killed


@pytest.mark.parametrize("at", range(1, 11))
def test_killed_inside_an_action_its_outcome_is_sensed(tmp_path: Path, at: int) -> None:
    with Journal.open(tmp_path / "j.db") as journal, pytest.raises(Killed):
        live(tmp_path, World(tmp_path / "w", sense=True, dies=Dies(at)), journal)
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(MAIN, RULES, book=journal, run="r")
        assert run.machine.beliefs.values == ({} if at < 3 else run.machine.beliefs.values)
        finished = live(tmp_path, World(tmp_path / "w", sense=True), journal)
        beliefs = Run(MAIN, RULES, book=journal, run="r").machine.beliefs.values
    assert finished.outputs == {"n": 3, "got": 3}
    assert placed(tmp_path / "w") == [(1, True), (2, False), (2, True), (3, False), (3, True)]
    assert beliefs == {"placed": 3}
    settled = [each.event for each in entries(tmp_path)]
    sensed = [each for each in settled if isinstance(each, ActionEnded) and each.known is Known.SENSED]
    assert len(sensed) == (at % 2 == 0)
    assert len([each for each in settled if isinstance(each, Void)]) == (at % 2)


@pytest.mark.parametrize(("says", "effects"), [(WORKED, 1), (FAILED, 7), (NOT_STARTED, 7)])
def test_without_sensing_a_person_is_asked(tmp_path: Path, says: str, effects: int) -> None:
    asked: list[str] = []
    with Journal.open(tmp_path / "j.db") as journal, pytest.raises(Killed):
        live(tmp_path, World(tmp_path / "w", dies=Dies(2)), journal)

    def told(question: Any) -> SimulatedSaying:
        asked.append(question.prompt)
        return SimulatedSaying(value=says)

    with Journal.open(tmp_path / "j.db") as journal:
        # a person cannot give what the action would have: "it worked" leaves its result out, and a rule goes on
        rules = [
            *RULES,
            rule("no_result", "**/place", codes=["output_missing"], resume=ResumeHint.NEXT),
            rule("lost", "**/place"),
        ]
        run = Run(MAIN, rules, book=journal, run="r", settings=RunSettings(batch=8))
        people = SimulatedBystander(told, ManualClock())
        finished = Executive(
            run, Around(actions=World(tmp_path / "w").actions, clock=ManualClock(), people=people)
        ).to_the_end()
    assert asked == ["I was interrupted while I was about to place. How did it turn out?"]
    ending = Ending.FAILED if says == WORKED else Ending.DONE  # nobody gave what `part` must give
    assert (finished.ending, len(placed(tmp_path / "w"))) == (ending, effects)


def test_who_says_let_the_robot_try_leaves_a_failure_to_recover_from(tmp_path: Path) -> None:
    class LetsTry(SimulatedBystander):
        def heard(self, question: str) -> Heard | None:
            return Heard(by="Ben", let_try=True)

    with Journal.open(tmp_path / "j.db") as journal, pytest.raises(Killed):
        live(tmp_path, World(tmp_path / "w", dies=Dies(2)), journal)
    with Journal.open(tmp_path / "j.db") as journal:
        run = Run(MAIN, [*RULES, rule("lost", "**/place")], book=journal, run="r", settings=RunSettings(batch=8))
        people = LetsTry(lambda question: None, ManualClock())
        around = Around(actions=World(tmp_path / "w").actions, clock=ManualClock(), people=people)
        finished = Executive(run, around).to_the_end()
    assert (finished.ending, len(placed(tmp_path / "w"))) == (Ending.DONE, 7)


def test_where_nobody_can_tell_nothing_is_repeated(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "j.db") as journal, pytest.raises(Killed):
        live(tmp_path, World(tmp_path / "w", dies=Dies(2)), journal)
    with Journal.open(tmp_path / "j.db") as journal:
        finished = live(tmp_path, World(tmp_path / "w"), journal)
    assert finished.ending is Ending.UNANSWERED
    assert len(placed(tmp_path / "w")) == 1


def test_a_run_goes_on_with_the_files_that_it_began_with(tmp_path: Path) -> None:
    old = "format: 1\nbuild:\n  steps:\n  - action: go\n  - action: go\n"
    dies, ground = Dies(2), Ground(tmp_path / "w")

    def go(call: Call) -> Outcome:
        dies()
        ground.effect("go", call)
        return Done()

    actions = by_name(
        acting("go", go, sense=lambda call: NotStarted()),
        acting("fly", after(lambda call: ground.effect("fly", call))),
    )
    around = Around(actions=actions, clock=ManualClock())
    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(Killed):
            Executive(Run.of(Sources(recipes={"r": old}), book=journal), around).to_the_end()
        new = Sources(recipes={"r": old.replace("go", "fly")})
        run = Run.of(new, book=journal)
        assert run.known
        assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert [each["does"] for each in ground.effects()] == ["go", "go"]


def test_a_reload_is_part_of_what_is_rebuilt(tmp_path: Path) -> None:
    old = "format: 1\nbuild:\n  steps:\n  - action: go\n  - task: more\nmore:\n  steps:\n  - action: go\n"
    new = old.replace("- task: more\nmore:", "- task: more\nmore:").replace(
        "- action: go\n", "- {action: go, params: {to: kits}}\n"
    )
    ground, dies = Ground(tmp_path / "w"), Dies(2)
    executives: list[Executive] = []

    def go(call: Call) -> Outcome:
        dies()
        ground.effect("go", call, to=call.goal.get("to"))
        executives[-1].reload(Sources(recipes={"r": new}))
        return Done()

    around = Around(actions=by_name(acting("go", go, takes=("to?",), repeatable=True)), clock=ManualClock())
    with Journal.open(tmp_path / "j.db") as journal:
        for _ in range(2):
            executives.append(Executive(Run.of(Sources(recipes={"r": old}), book=journal), around))
            with suppress(Killed):
                executives[-1].to_the_end()
    assert [each["to"] for each in ground.effects()] == [None, None]  # `more` had begun when the new text was read
    sources = executives[-1].run.sources
    assert sources is not None
    assert sources.recipes == {"r": new}


def test_another_task_or_other_inputs_are_another_run(tmp_path: Path) -> None:
    around = Around(actions=by_name(acting("go")), clock=ManualClock())
    main = recipes(recipe("main", action("go")), recipe("other", action("go")))
    with Journal.open(tmp_path / "j.db") as journal:
        Executive(Run(main, book=journal), around).to_the_end()
        with pytest.raises(BadRecord, match="another task"):
            Run(main, book=journal, task="other")


def test_other_recipes_than_the_run_had_do_not_fit_it(tmp_path: Path) -> None:
    dies = Dies(2)
    around = Around(actions=by_name(acting("go", after(lambda call: dies()))), clock=ManualClock())
    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(Killed):
            Executive(Run(recipes(recipe("main", action("go"), action("go"))), book=journal), around).to_the_end()
        with pytest.raises(BadRecord, match="does not fit the recipes"):
            Run(recipes(recipe("main")), book=journal)


def test_one_program_drives_a_run(tmp_path: Path) -> None:
    main = recipes(recipe("main", action("go")))
    around = Around(actions=by_name(acting("go", lasts_s=1.0)), clock=ManualClock())
    with Journal.open(tmp_path / "j.db") as journal, Journal.open(tmp_path / "j.db") as other:
        turns = Executive(Run(main, book=journal), around).turns()
        next(turns)
        with pytest.raises(IllegalCall):
            Executive(Run(main, book=other), around).to_the_end()
        turns.close()


def test_a_question_at_the_desk_is_asked_once_and_its_answer_survives(tmp_path: Path) -> None:
    tries: list[dict[str, Any]] = []

    def go(call: Call) -> Outcome:
        tries.append(dict(call.goal))
        return Done() if len(tries) > 1 else Aborted(code="slip", why="It slipped.")

    main = recipes(recipe("main", action("go")))
    shown: list[str] = []

    def says(record: Any, desk: Desk) -> str:
        shown.append(record.id)
        assert record.question.effects
        assert "as part of main" in record.question.doing
        return str(record.question.options[0])

    clock = SkippingClock(100.0)
    with Journal.open(tmp_path / "j.db", clock=clock) as journal:
        desk = Desk(journal, [Person(name="Maya")], channels=[Household(says)])
        run = Run(main, book=journal, run="r", settings=RunSettings(unseen=Unseen.ASK))
        around = Around(actions=by_name(acting("go", go, codes=("slip",))), clock=clock, people=PeopleAtDesk(desk, "r"))
        assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert shown == ["r/failure:1:1/1"]
    assert len(tries) == 2


def test_a_stop_at_the_desk_ends_the_run(tmp_path: Path) -> None:
    stopped: list[str] = []
    clock = SkippingClock(100.0)
    with Journal.open(tmp_path / "j.db", clock=clock) as journal:
        desk = Desk(journal, [Person(name="Maya")])
        around = Around(
            actions=by_name(acting("go", lasts_s=60.0, stopped=stopped)), clock=clock, people=PeopleAtDesk(desk, "r")
        )
        turns = Executive(Run(recipes(recipe("main", action("go"))), book=journal, run="r"), around).turns()
        next(turns)
        desk.stop("Maya", "enough")
        with pytest.raises(StopIteration) as end:
            next(turns)
    assert end.value.value.ending is Ending.STOPPED
    assert stopped == ["go"]


def test_a_run_without_actions_is_over_in_the_journal_too(tmp_path: Path) -> None:
    main = recipes(recipe("main", op("print", message="hello")))
    with Journal.open(tmp_path / "j.db") as journal:
        for _ in range(2):
            run = Run(main, book=journal, run="r")
            assert Executive(run, Around(actions={}, clock=ManualClock())).to_the_end().ending is Ending.DONE
    assert [type(each.event).__name__ for each in entries(tmp_path)] == ["Started", "TaskPrinted", "Over"]


def test_other_settings_are_another_run(tmp_path: Path) -> None:
    main = recipes(recipe("main", op("noop")))
    with Journal.open(tmp_path / "j.db") as journal:
        Executive(
            Run(main, book=journal, settings=RunSettings(depth=1)), Around(actions={}, clock=ManualClock())
        ).to_the_end()
        assert Run(main, book=journal).machine.settings.depth == 1
        with pytest.raises(BadRecord, match="other settings"):
            Run(main, book=journal, settings=RunSettings(depth=3))
