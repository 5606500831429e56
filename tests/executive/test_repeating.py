"""What may have had its effect already is marked when it is started again, whatever the reason."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handup.core import ContractViolation, ManualClock, ResumeHint
from handup.executive import Around, Call, Done, Ending, Executive, Fault, NotStarted, Outcome, Run, RunSettings
from handup.executive.action import Aborted
from handup.executive.events import Begun, Failed, Raised
from handup.executive.recipe import Step
from handup.journal import Journal
from tests.executive.making import action, choice, loop, op, recipe, recipes, rule, task
from tests.executive.robot import Ground, acting, after, by_name
from tests.executive.test_durable import Dies
from tests.recover.house import Killed

# -- after a kill ------------------------------------------------------------------------------------------------------


def test_what_may_be_repeated_is_repeated_and_marked(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "w")
    dies = Dies(3)

    def look(call: Call) -> Outcome:
        ground.effect("look", call)
        dies()
        return Done()

    main = recipes(recipe("main", action("look"), action("look"), action("look"), action("go"), action("look")))
    actions = by_name(
        acting("look", look, repeatable=True), acting("go", after(lambda call: ground.effect("go", call)))
    )
    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(Killed):
            Executive(Run(main, book=journal), Around(actions=actions, clock=ManualClock())).to_the_end()
        finished = Executive(Run(main, book=journal), Around(actions=actions, clock=ManualClock())).to_the_end()
    assert finished.ending is Ending.DONE
    effects = ground.effects()
    assert len({each["number"] for each in effects}) == len(effects)  # no number is used twice, though starts were lost
    assert [(each["does"], each["again"]) for each in effects] == [
        *[("look", False)] * 3,
        *[("look", True)] * 3,
        ("go", False),
        ("look", True),  # so many starts may have been lost
    ]


def test_what_may_have_run_before_is_marked_though_the_run_goes_another_way_now(tmp_path: Path) -> None:
    ground, dies = Ground(tmp_path / "w"), Dies(2)

    def look(call: Call) -> Outcome:
        before = len(ground.effects())
        ground.effect("look", call)
        dies()
        return Done(results={"way": before})

    def peek(call: Call) -> Outcome:
        ground.effect("peek", call)
        dies()
        return Done()

    steps: list[Step] = [
        action("look", ["way"]),
        choice("var.way > 0", [action("go")]),
        action("peek"),
        *[action("rest")] * 5,
    ]
    actions = by_name(
        acting("look", look, gives=("way",), repeatable=True),
        acting("peek", peek, repeatable=True),
        acting("go", after(lambda call: ground.effect("go", call))),
        acting("rest", after(lambda call: ground.effect("rest", call)), repeatable=True),
    )
    with Journal.open(tmp_path / "j.db") as journal:
        for _ in range(2):
            run = Run(recipes(recipe("main", *steps)), book=journal, settings=RunSettings(batch=6))
            with suppress(Killed):
                Executive(run, Around(actions=actions, clock=ManualClock())).to_the_end()
    assert [(each["does"], each["again"]) for each in ground.effects()] == [
        ("look", False),
        ("peek", False),
        ("look", True),
        ("go", False),  # only what may be repeated is ever lost
        ("peek", True),
        *[("rest", True)] * 4,
        ("rest", False),  # a batch is over
    ]


def test_killed_twice_before_anything_is_written_no_number_is_used_twice(tmp_path: Path) -> None:
    ground, dies = Ground(tmp_path / "w"), [Dies(1), Dies(1), Dies(0)]

    def look(call: Call) -> Outcome:
        ground.effect("look", call)
        dies[0]()
        return Done()

    around = Around(actions=by_name(acting("look", look, repeatable=True)), clock=ManualClock())
    with Journal.open(tmp_path / "j.db") as journal:
        while dies:
            with suppress(Killed):
                Executive(Run(recipes(recipe("main", action("look"))), book=journal), around).to_the_end()
            dies.pop(0)
    assert [(each["number"], each["again"]) for each in ground.effects()] == [(1, False), (257, True), (513, True)]


# -- after an interruption ---------------------------------------------------------------------------------------------


class Bump:
    """A monitor that raises a fault once, so long after the run began."""

    name = "bump"

    def __init__(self, *at_s: float) -> None:
        self.at_s = list(at_s)

    def look(self, now_s: float) -> Any:
        if self.at_s and now_s >= self.at_s[0]:
            del self.at_s[0]
            return (Fault(code="bumped", why="Something was hit."),)
        return ()


GO_ON = [rule("go_on", "**/bump", resume=ResumeHint.CONTINUE, limit=3)]


def interrupted(
    ground: Ground, sense: Any = None, *, at_s: tuple[float, ...] = (1.5,), rules: Any = GO_ON, **more: Any
) -> Run:
    """Place something, which takes two seconds, and be bumped on the way."""
    place = acting("place", after(lambda call: ground.effect("place", call)), lasts_s=2.0, sense=sense, **more)
    rest = acting("rest", after(lambda call: ground.effect("rest", call)))
    run = Run(recipes(recipe("main", action("place"), action("rest"), action("place"))), rules)
    around = Around(actions=by_name(place, rest), clock=ManualClock(), monitors=[Bump(*at_s)], look_every_s=0.5)
    assert Executive(run, around).to_the_end().ending is Ending.DONE
    return run


@pytest.mark.parametrize(
    ("seen", "became", "again"),
    [
        (None, "unknown", True),
        (Done(), "done", True),
        (Aborted(code="crooked"), "aborted", True),
        (NotStarted(), "not_started", False),
    ],
)
def test_what_a_monitor_interrupted_is_looked_at_and_marked(
    tmp_path: Path, seen: Any, became: str, again: bool
) -> None:
    ground = Ground(tmp_path / "w")
    run = interrupted(ground, lambda call: seen)
    failed = [each.failure for each in run.machine.notes() if isinstance(each, Failed)]
    assert [each.fields for each in failed] == [{"action": "place", "became": became}]
    assert [(each["does"], each["again"]) for each in ground.effects()] == [
        ("place", again),
        ("rest", False),
        ("place", False),  # that is another step
    ]


def test_without_a_sense_what_was_interrupted_is_marked(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "w")
    run = interrupted(ground)
    assert [each.failure.fields["became"] for each in run.machine.notes() if isinstance(each, Failed)] == ["unknown"]
    assert [each["again"] for each in ground.effects()] == [True, False, False]


def test_a_rule_can_look_at_what_became_of_it(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "w")
    rules = [*GO_ON, rule("it_is_done", "**/bump", belief="failure.fields.became == 'done'", resume=ResumeHint.NEXT)]
    interrupted(ground, lambda call: Done(), rules=rules)
    assert [each["does"] for each in ground.effects()] == ["rest", "place"]


def test_a_fault_before_a_step_has_begun_interrupts_nothing(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "w")
    run = interrupted(ground, lambda call: Done(), at_s=(0.0,))
    assert [each.failure.fields for each in run.machine.notes() if isinstance(each, Failed)] == [{"action": "place"}]
    assert not any(each["again"] for each in ground.effects())


def test_a_wrong_look_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContractViolation, match="sense"):
        interrupted(Ground(tmp_path / "w"), lambda call: "done")


def test_the_mark_survives_a_kill_and_a_second_use_of_a_recovery(tmp_path: Path) -> None:
    ground, dies = Ground(tmp_path / "w"), Dies(1)

    def place(call: Call) -> Outcome:
        dies()
        ground.effect("place", call)
        return Done()

    def look(call: Call) -> Outcome:
        return Done() if ground.effects() else Aborted(code="nothing")

    actions = by_name(
        acting("look", look, codes=("nothing",), repeatable=True, lasts_s=1.0),
        acting("place", place, lasts_s=2.0, sense=lambda call: None if call.number == 2 else NotStarted()),
    )
    rules = [rule("put", "**/look", action("place"), codes=["nothing"], limit=3)]
    around = Around(actions=actions, clock=ManualClock(), monitors=[Bump(2.5)], look_every_s=0.5)
    with Journal.open(tmp_path / "j.db") as journal:
        with pytest.raises(Killed):
            Executive(Run(recipes(recipe("main", action("look"))), rules, book=journal), around).to_the_end()
        run = Run(recipes(recipe("main", action("look"))), rules, book=journal)
        assert Executive(run, around).to_the_end().ending is Ending.DONE
        entries = [each.event for each in journal.read()]
    assert [each.became for each in entries if isinstance(each, Raised)] == ["unknown"]
    starts = [(each.number, each.again) for each in entries if isinstance(each, Begun) and each.action == "place"]
    assert starts == [(2, False), (3, True), (260, True)]  # interrupted; killed; done


@pytest.mark.parametrize("level", [None, "main"])
def test_a_step_that_was_left_marks_no_other_object(level: str | None) -> None:
    calls: list[tuple[Any, bool]] = []
    put = acting("put", after(lambda call: calls.append((call.goal["n"], call.again))), takes=("n",), lasts_s=3.0)
    main = recipes(
        recipe(
            "main",
            op("assign", ["n"], value=0),
            loop("var.n < 3", task("store", n="var.n"), op("increment", name="n")),
        ),
        recipe("store", action("put", n="params.n"), params=["n"]),
    )
    skip = rule("skip", "**/bump", resume=ResumeHint.NEXT, level=level)
    around = Around(actions=by_name(put), clock=ManualClock(), monitors=[Bump(1.0)])
    assert Executive(Run(main, [skip]), around).to_the_end().ending is Ending.DONE
    assert calls == [(1, False), (2, False)]


def test_a_task_that_starts_again_keeps_the_mark_of_its_step() -> None:
    calls: list[tuple[str, bool]] = []
    look, put = (
        acting(name, after(lambda call, name=name: calls.append((name, call.again))), lasts_s=2.0)  # type: ignore[misc]
        for name in ("look", "put")
    )
    main = recipes(recipe("main", task("store")), recipe("store", action("look"), action("put")))
    rules = [rule("anew", "**/bump", resume=ResumeHint.RETRY, level="main")]
    around = Around(actions=by_name(look, put), clock=ManualClock(), monitors=[Bump(3.0)])
    assert Executive(Run(main, rules), around).to_the_end().ending is Ending.DONE
    assert calls == [("look", False), ("look", False), ("put", True)]
