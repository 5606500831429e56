"""A recipe that runs as if nothing failed."""

from __future__ import annotations

import pytest

from handup.core import BadSetting, IllegalCall, ResumeHint
from handup.executive.events import ActionEnded, Begun, Ending, TaskPrinted
from handup.executive.machine import LastLook, Looked, Machine, MachinePhase, RunAction
from handup.executive.run_settings import RunSettings
from tests.executive.making import Script, action, choice, drive, loop, noted, op, recipe, recipes, rule, task


def test_steps_run_in_their_order_and_results_become_variables() -> None:
    main = recipe(
        "main", action("look", ["seen"], pose="database.poses.table"), action("pick", what="var.seen"), var=["seen"]
    )
    does = Script(look=[{"seen": "gear", "more": 1}])
    finished, _ = drive(Machine(recipes(main, database={"poses": {"table": [1, 2]}})), does)
    assert finished.ending is Ending.DONE
    assert finished.outputs == {"seen": "gear"}
    assert [(each.action, dict(each.goal)) for each in does.commands] == [
        ("look", {"pose": [1, 2]}),
        ("pick", {"what": "gear"}),
    ]


def test_a_task_has_variables_of_its_own_and_gives_its_outputs() -> None:
    inner = recipe(
        "inner", op("assign", ["made"], value="params.of"), op("assign", ["own"], value=1), params=["of"], var=["made"]
    )
    main = recipe("main", op("assign", ["x"], value=7), task("inner", ["made"], of="var.x"), var=["x", "made"])
    finished, _ = drive(Machine(recipes(main, inner)), Script())
    assert finished.outputs == {"x": 7, "made": 7}


def test_a_choice_takes_one_way_and_either_may_be_empty() -> None:
    main = recipe(
        "main",
        choice("params.n > 1", [action("many")], [action("few")]),
        choice("params.n > 1", [], [action("never")]),
        action("last"),
        params=["n"],
    )
    does = Script()
    drive(Machine(recipes(main), params={"n": 2}), does)
    assert does.ran == ["many", "last"]


def test_a_loop_goes_round_while_its_condition_holds_and_no_more_often_than_it_may() -> None:
    counted = loop("var.n < 3", op("increment", name="n"), action("turn"))
    bounded = loop("true", action("spin"), most=2)
    main = recipe("main", op("assign", ["n"], value=0), counted, bounded)
    does = Script()
    drive(Machine(recipes(main)), does)
    assert does.ran == ["turn"] * 3 + ["spin"] * 2


def test_a_loop_whose_condition_still_holds_at_its_bound_has_failed() -> None:
    main = recipe("main", op("assign", ["n"], value=0), loop("var.n < 5", op("increment", name="n"), most=3), var=["n"])
    finished, _ = drive(Machine(recipes(main)), Script())
    assert (finished.ending, finished.outputs) == (Ending.FAILED, {})
    assert finished.failure is not None
    assert (finished.failure.path, finished.failure.code) == ("main/loop", "too_many_rounds")
    assert (finished.failure.fields, finished.failure.levels[0].aborts) == ({"rounds": 3}, 1)
    enough = recipe(
        "main", op("assign", ["n"], value=0), loop("var.n < 5", op("increment", name="n"), most=5), var=["n"]
    )
    assert drive(Machine(recipes(enough)), Script())[0].outputs == {"n": 5}


@pytest.mark.parametrize(("hint", "n"), [(ResumeHint.NEXT, 3), (ResumeHint.CONTINUE, 5), (ResumeHint.PREVIOUS, None)])
def test_a_rule_answers_a_loop_at_its_bound(hint: ResumeHint, n: int | None) -> None:
    main = recipe("main", op("assign", ["n"], value=0), loop("var.n < 5", op("increment", name="n"), most=3), var=["n"])
    rules = [rule("enough", "main/loop", codes=["too_many_rounds"], resume=hint, limit=2)]
    finished, _ = drive(Machine(recipes(main), rules), Script())
    assert finished.outputs == ({} if n is None else {"n": n})
    assert finished.ending is (Ending.OUT_OF_RECOVERIES if n is None else Ending.DONE)


@pytest.mark.parametrize(
    ("step", "value"),
    [
        (op("assign", ["x"], value=5), 5),
        (op("increment", ["x"], value=5), 6),
        (op("decrement", ["x"], value=5, by=3), 2),
        (op("make_boolean", ["x"], value=[]), False),
        (op("negate", ["x"], value=0), True),
        (op("get_index", ["x"], value=["a", "b"], index=1), "b"),
        (op("check_value", ["x"], value=1, equals=1), True),
    ],
)
def test_an_op_computes(step: object, value: object) -> None:
    main = recipe("main", step, var=["x"])  # type: ignore[arg-type]
    finished, _ = drive(Machine(recipes(main)), Script())
    assert finished.outputs == {"x": value}


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (op("check_value", value=1, equals=2), "check_failed"),
        (op("abort"), "abort"),
        (op("abort", code="lost", why="Nobody knows."), "lost"),
        (op("get_index", ["x"], value=[], index=0), "bad_value"),
        (op("increment", ["x"], value="word"), "bad_value"),
        (op("increment", name="nothing"), "bad_value"),
        (op("assign", ["x"], value="database.nothing"), "bad_expression"),
        (choice("1 // 0 == 1"), "bad_expression"),
        (task("nowhere"), "unknown_task"),
    ],
)
def test_an_op_that_cannot_aborts_with_a_code(step: object, code: str) -> None:
    main = recipe("main", step)  # type: ignore[arg-type]
    finished, _ = drive(Machine(recipes(main)), Script())
    assert finished.ending is Ending.FAILED
    assert finished.failure is not None
    assert finished.failure.code == code


def test_print_is_noted() -> None:
    machine = Machine(recipes(recipe("main", op("print", message="hello"))))
    assert noted(machine, TaskPrinted) == [TaskPrinted(message="hello")]


def test_outputs_are_checked_when_a_task_is_over() -> None:
    finished, _ = drive(Machine(recipes(recipe("main", action("look"), var=["seen"]))), Script())
    assert finished.failure is not None
    assert (finished.failure.kind, finished.failure.code) == ("check", "output_missing")
    finished, _ = drive(Machine(recipes(recipe("main", action("look", ["seen"])))), Script())
    assert finished.failure is not None
    assert (finished.failure.leaf, finished.failure.code) == ("look", "output_missing")


def test_a_task_alone_runs_from_its_inputs() -> None:
    inner = recipe("inner", action("go", to="params.to"), params=["to"])
    does = Script()
    machine = Machine(recipes(recipe("main", task("inner", to="a")), inner), task="inner", params={"to": "b"})
    drive(machine, does)
    assert [dict(each.goal) for each in does.commands] == [{"to": "b"}]


def test_wrong_inputs_of_a_run_are_refused() -> None:
    main = recipes(recipe("main", params=["to"]))
    with pytest.raises(BadSetting, match=r"the inputs of task 'main' must be \(to\), got \(\)"):
        Machine(main)
    with pytest.raises(BadSetting, match="no task 'other'"):
        Machine(main, task="other")


def test_a_machine_refuses_what_cannot_happen_now() -> None:
    machine = Machine(recipes(recipe("main", action("go"))))
    with pytest.raises(IllegalCall, match="ActionEnded while it is ready"):
        machine.tell(ActionEnded(number=1, ok=True))
    with pytest.raises(IllegalCall, match="number 1, got 7"):
        machine.tell(Begun(number=7, action="go"))
    machine.tell(Begun(number=1, action="go"))
    with pytest.raises(IllegalCall, match="Looked while it is acting"):
        machine.tell(Looked())
    machine.tell(ActionEnded(number=1, ok=True))
    assert (machine.phase, machine.next(), machine.finished) == (MachinePhase.LOOKING, LastLook(), None)
    with pytest.raises(IllegalCall, match=r"Begun while it is looking\. Let the monitors look"):
        machine.tell(Begun(number=2, action="go"))
    machine.tell(Looked())
    with pytest.raises(IllegalCall, match="while it is ended"):
        machine.tell(Begun(number=2, action="go"))


def test_tasks_that_call_each_other_for_ever_fail_by_name() -> None:
    finished, _ = drive(Machine(recipes(recipe("main", task("main")))), Script())
    assert finished.failure is not None
    assert finished.failure.code == "too_deep"
    assert len(finished.failure.levels) == RunSettings().tasks


def test_a_run_of_too_many_steps_or_starts_ends_by_name() -> None:
    endless = recipe("main", loop("true", loop("true", op("noop"), most=10**6), most=10**6))
    assert drive(Machine(recipes(endless), settings=RunSettings(steps=1000)), Script())[0].ending is Ending.LIMIT
    busy = recipe("main", loop("true", action("go"), most=10**6))
    does = Script()
    finished, _ = drive(Machine(recipes(busy), settings=RunSettings(starts=5)), does)
    assert (finished.ending, len(does.ran)) == (Ending.LIMIT, 5)


def test_an_action_is_told_where_it_stands() -> None:
    main = recipe("main", action("first"), choice("true", [op("noop"), task("inner")]))
    machine = Machine(recipes(main, recipe("inner", action("go"))))
    machine.tell(Begun(number=1, action="first"))
    machine.tell(ActionEnded(number=1, ok=True))
    command = machine.next()
    assert isinstance(command, RunAction)
    assert (command.path, command.step, command.number, command.attempt) == ("main/inner/go", (0,), 2, 1)
