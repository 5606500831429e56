"""Recipes from YAML: what is read, and every mistake with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from handup.core import BadRecipe
from handup.executive.problem import Problem
from handup.executive.reader import (
    DEFAULT_MOST,
    parse_database,
    parse_recipes,
    read_database,
    read_recipes,
    read_recoveries,
    scan_recipes,
    text_of,
)
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Step, TaskStep

SPEC = """\
format: 1
pick_object:
  about: From the specification.
  params: [object]
  var: [grasped]                 # outputs, checked after the run
  steps:
  - action: look                 # action | task | op | choice | loop
    params: {pose: database.poses.table}
  - task: perceive
    params: {object: params.object}
    var: [candidates]
  - choice: {condition: "len(var.candidates) > 0", if_true: {task: grasp}, if_false: {op: abort}}
  - loop: {condition: "not var.grasped and aborts < 3", body: {task: try_grasp}}
perceive: {steps: [{op: noop}]}
"""
SCOPE = {"params": {"object": "gear"}, "var": {"n": 2}, "database": {"poses": {"table": [1]}}, "aborts": 0}


def problems(text: str) -> list[str]:
    return [str(each) for each in scan_recipes({"r.yaml": text})[1]]


def steps(body: str) -> tuple[Step, ...]:
    found = parse_recipes({"r.yaml": f"format: 1\nt:\n  steps:\n{body}"})
    return found.tasks["t"].steps


def given(value: str) -> object:
    (step,) = steps(f"  - {{action: a, params: {{x: {value}}}}}\n")
    assert isinstance(step, ActionStep)
    return step.params["x"].value(SCOPE)


def test_the_example_of_the_specification() -> None:
    recipes = parse_recipes({"r.yaml": SPEC})
    assert recipes.main == "pick_object"
    task = recipes.tasks["pick_object"]
    assert (task.params, task.var, task.about) == (("object",), ("grasped",), "From the specification.")
    look, perceive, choice, loop = task.steps
    assert isinstance(look, ActionStep)
    assert (look.name, look.params["pose"].value(SCOPE)) == ("look", [1])
    assert (look.place.file, look.place.line, look.place.column) == ("r.yaml", 7, 5)
    assert isinstance(perceive, TaskStep)
    assert (perceive.name, perceive.var) == ("perceive", ("candidates",))
    assert isinstance(choice, ChoiceStep)
    assert isinstance(choice.if_true[0], TaskStep)
    assert isinstance(choice.if_false[0], OpStep)
    assert choice.condition.text == "len(var.candidates) > 0"
    assert isinstance(loop, LoopStep)
    assert (loop.most, loop.stated) == (DEFAULT_MOST, False)
    assert isinstance(loop.body[0], TaskStep)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", 1),
        ("-2.5", -2.5),
        ("1e3", 1000.0),
        ("0x1F", 31),
        ("007", 7),
        ("'1'", "1"),
        ("true", True),
        ("yes", "yes"),
        ("~", None),
        ("up", "up"),
        ("1.2.3", "1.2.3"),
        ("params.object", "gear"),
        ("'params.object'", "gear"),
        ("var.n + 1", 3),
        ("parameters.x", "parameters.x"),
        ('{expr: "var.n * 2"}', 4),
        ('{value: "params.object"}', "params.object"),
        ("{value: {expr: 1}}", {"expr": 1}),
        ("[1, var.n, [params.object]]", [1, 2, ["gear"]]),
        ("{a: var.n, b: {c: text}}", {"a": 2, "b": {"c": "text"}}),
        ("{}", {}),
    ],
)
def test_values_of_parameters(value: str, expected: object) -> None:
    found = given(value)
    assert found == expected
    assert type(found) is type(expected)


def test_bodies_are_one_step_or_a_list() -> None:
    body = "  - loop: {condition: 'aborts < 3', body: [{action: a}, {action: b}], most: 7}\n"
    (loop,) = steps(body)
    assert isinstance(loop, LoopStep)
    assert [step.name for step in loop.body if isinstance(step, ActionStep)] == ["a", "b"]
    assert (loop.most, loop.stated) == (7, True)


def test_main_is_named_or_the_first() -> None:
    one, two = "format: 1\na: {steps: []}\nb: {steps: []}\n", "format: 1\nmain: d\nc: {steps: []}\nd: {steps: []}\n"
    assert parse_recipes({"1": one}).main == "a"
    assert parse_recipes({"1": one, "2": two}).main == "d"
    assert list(parse_recipes({"1": one, "2": two}).tasks) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("t: {steps: []}", "r.yaml:1:1: the file does not say its format"),
        ("format: 2\nt: {steps: []}", "r.yaml:1:1: the format is '2'"),
        ("format: 1", "r.yaml:1:1: there is no task"),
        ("- a", "r.yaml:1:1: the file is a list, not a map"),
        ("format: 1\nt: [a]", "r.yaml:2:4: task 't' is a list, not a map"),
        ("format: 1\nt: {}", "r.yaml:2:1: task 't' has no steps"),
        ("format: 1\n9t: {steps: []}", "r.yaml:2:1: '9t' is no name of a task"),
        ("format: 1\nt: {stps: [], steps: []}", "'stps' is no key of task 't'. Did you mean 'steps'?"),
        ("format: 1\nmain: {steps: []}", "r.yaml:2:1: a task cannot be called 'main'"),
        ("format: 1\nmain: u\nt: {steps: []}", "r.yaml:2:7: 'main' is 'u', which is no task here"),
        ("format: 1\nt: {params: [a, a], steps: []}", "r.yaml:2:17: 'a' stands twice in params of 't'"),
        ("format: 1\nt: {var: [a-b], steps: []}", "r.yaml:2:11: a name in var of 't' is 'a-b'"),
        ("format: 1\nt:\n  steps:\n  - actin: a", "r.yaml:4:5: 'actin' is no kind of step. Did you mean 'action'?"),
        ("format: 1\nt:\n  steps:\n  - a", "r.yaml:4:5: a step of 't' is 'a', not a map"),
        ("format: 1\nt:\n  steps:\n  - {var: [x]}", "r.yaml:4:5: a step of 't' says nothing to do"),
        ("format: 1\nt:\n  steps:\n  - {action: a, op: b}", "r.yaml:4:17: a step of 't' is action and op at once"),
        (
            "format: 1\nt:\n  steps:\n  - {action: a, parms: {}}",
            "'parms' is no key of this action. Did you mean 'params'",
        ),
        ("format: 1\nt:\n  steps:\n  - {action: [a]}", "r.yaml:4:14: the name of the action is a list"),
        ("format: 1\nt:\n  steps:\n  - {action: a, params: [b]}", "r.yaml:4:25: 'params' is a list, not a map"),
        ("format: 1\nt:\n  steps:\n  - {action: a, params: {b-c: 1}}", "'b-c' is no name of a parameter"),
        (
            "format: 1\nt:\n  steps:\n  - {action: a, params: {b: var.}}",
            "r.yaml:4:33: the end stands where a name should",
        ),
        ("format: 1\nt:\n  steps:\n  - {action: a, params: {b: 'params.x is wrong'}}", "write {value: …}"),
        ("format: 1\nt:\n  steps:\n  - choice: a", "r.yaml:4:5: a choice is 'a', not a map"),
        ("format: 1\nt:\n  steps:\n  - choice: {if_true: {op: noop}}", "r.yaml:4:5: a choice has no condition"),
        ("format: 1\nt:\n  steps:\n  - choice: {condition: 'true'}", "neither 'if_true' nor 'if_false'"),
        ("format: 1\nt:\n  steps:\n  - choice: {condition: '1 +', if_true: {op: noop}}", "r.yaml:4:29: the end stands"),
        ("format: 1\nt:\n  steps:\n  - loop: {condition: aborts}", "r.yaml:4:11: a loop has no body"),
        (
            "format: 1\nt:\n  steps:\n  - loop: {condition: aborts, body: {op: noop}, most: 0}",
            "'most' is '0'. Give a whole",
        ),
        ("format: 1\nt:\n  steps:\n  - loop: {condition: aborts, body: {op: noop}, most: 1e9}", "'most' is '1e9'"),
        ("format: 1\nt:\n  steps:\n  - loop: {condition: [], body: {op: noop}}", "the condition is a list"),
        ("format: 1\nt: {steps: [{op: assign, params: {value: .inf}, var: [x]}]}", "'.inf' is no finite number"),
        ("format: 1\nt: {steps: [{op: assign, params: {value: 1e400}, var: [x]}]}", "'1e400' is no finite number"),
    ],
)
def test_a_mistake_has_its_place_and_a_hint(text: str, found: str) -> None:
    told = problems(text)
    assert len(told) == 1, told
    assert found in told[0]


def test_all_mistakes_of_all_files_are_told_at_once() -> None:
    one = "format: 1\na:\n  steps:\n  - actio: x\n  - {op: assign, params: {value: {expr: '1 +'}}, var: [9]}\n"
    two = "format: 2\na: {steps: [b]}\n"
    with pytest.raises(BadRecipe) as caught:
        parse_recipes({"one.yaml": one, "two.yaml": two})
    places = [(each.place.file, each.place.line, each.place.column) for each in caught.value.problems]
    assert places == [
        ("one.yaml", 4, 5),
        ("one.yaml", 5, 45),
        ("one.yaml", 5, 56),
        ("two.yaml", 1, 1),
        ("two.yaml", 2, 1),
    ]
    assert all(isinstance(each, Problem) and each.hint for each in caught.value.problems)
    assert (caught.value.file, caught.value.line) == ("one.yaml", 4)
    assert "(4 more)" in str(caught.value)


def test_a_step_that_cannot_be_read_still_sets_what_it_names() -> None:
    recipes, found = scan_recipes({"r": "format: 1\nt: {steps: [{actn: a, var: [x, y]}]}"})
    assert recipes is not None
    assert len(found) == 1
    (lost,) = recipes.tasks["t"].steps
    assert isinstance(lost, LoopStep)
    assert [step.var for step in lost.body if isinstance(step, OpStep)] == [("x",), ("y",)]


def test_files_are_read_with_their_database(tmp_path: Path) -> None:
    recipe, database = tmp_path / "r.yaml", tmp_path / "d.yaml"
    recipe.write_bytes(b"\xef\xbb\xbf" + SPEC.encode())
    database.write_text("format: 1\nposes: {table: [0.1, 2, ~, yes]}\n1: one\n", encoding="utf-8")
    assert read_recipes([recipe], database=database).database == {"poses": {"table": [0.1, 2, None, "yes"]}, "1": "one"}
    assert read_database(database) == read_recipes([recipe], database=database).database


@pytest.mark.parametrize("name", ["missing.yaml", ".", "latin.yaml", "large.yaml", "nul\0.yaml"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"format: 1\n\xe9: 1\n")
    (tmp_path / "large.yaml").write_bytes(b"#" * (2 * 1024 * 1024 + 1))
    with pytest.raises(BadRecipe) as caught:
        text_of(f"{tmp_path}/{name}")
    assert caught.value.file == f"{tmp_path}/{name}"
    with pytest.raises(BadRecipe):
        read_recoveries([f"{tmp_path}/{name}"])


def test_no_file_is_no_recipe() -> None:
    with pytest.raises(BadRecipe, match="there is no recipe"):
        parse_recipes({})


def test_a_database_with_mistakes() -> None:
    with pytest.raises(BadRecipe) as caught:
        parse_database("a: .nan\nb: [*x]\na: 2\n", "d.yaml")
    assert [each.place.line for each in caught.value.problems] == [1, 1, 2, 3]


def test_what_else_is_wrong_in_a_task_called_main_is_told_too() -> None:
    assert len(problems("format: 1\nmain: {stps: [], steps: [{actoin: look}]}")) == 3
