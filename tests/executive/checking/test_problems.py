"""Each kind of mistake that the validator finds, with its place; and what is right is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.core import BadRecipe
from handup.executive.problem import Problem
from handup.executive.reader import MAX_PROBLEMS, parse_recoveries, scan_recipes
from handup.executive.validator import Abilities, Declared, abilities_of, check, require
from tests.executive.reading.test_recipes import SPEC

ROBOT = Abilities(
    actions={
        "look": Declared(takes=("pose", "slowly?"), gives=("seen",), codes=("blurred",)),
        "grasp": Declared(takes=("at",), gives=("grasped",), codes=("slipped", "no_plan")),
        "wait": Declared(),
    },
    monitors={"base": ("drifted",)},
)
DATABASE = {"poses": {"table": [0.0, 1.0], "bin": {"x": 1}}, "empty": None}


def told(body: str, *, rest: str = "", robot: Abilities | None = ROBOT, rules: str = "", var: str = "[]") -> list[str]:
    """What is wrong with a task whose steps stand in lines of their own, from line 6 on."""
    steps = "".join(f"  - {line}\n" for line in body.splitlines())
    text = f"format: 1\nt:\n  params: [p]\n  var: {var}\n  steps:\n{steps}{rest}"
    recipes, known = scan_recipes({"r": text})
    assert recipes is not None
    recoveries = parse_recoveries({"v": f"format: 1\nrecoveries:\n{rules}"}) if rules else ()
    return [str(each) for each in check(replace(recipes, database=DATABASE), recoveries, abilities=robot, known=known)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("action: loo", "r:6:5: there is no action 'loo'. Did you mean 'look'?"),
        ("task: tt", "r:6:5: there is no task 'tt'. Did you mean 't'?"),
        ("op: asign", "r:6:5: there is no op 'asign'. Did you mean 'assign'?"),
        ("actoin: look", "r:6:5: 'actoin' is no kind of step. Did you mean 'action'?"),
        ("action: look", "r:6:5: action 'look' is not given 'pose'"),
        ("{action: look, params: {pose: 1, pse: 2}}", "r:6:43: action 'look' takes no 'pse'. Did you mean 'pose'?"),
        ("{op: print, params: {message: 1, by: 2}}", "r:6:42: op 'print' takes no 'by'"),
        ("{op: print}", "op 'print' is not given 'message'"),
        (
            "{op: increment, var: [n]}\n{op: print, params: {message: var.n}}",
            "op 'increment' has 0 of 'value' and 'name'",
        ),
        ("{op: noop, var: [n]}\n{op: print, params: {message: var.n}}", "op 'noop' gives nothing, and 'n' waits"),
        ("{op: assign, params: {value: 1}}", "op 'assign' gives one value, and 0 variables are named"),
        ("{op: increment, params: {name: params.p}}", "the variable that 'increment' counts is computed"),
        (
            "{action: wait, var: [n]}\n{op: print, params: {message: var.n}}",
            "action 'wait' gives no 'n'. There are none",
        ),
        ("{action: grasp, params: {at: params.q}}", "r:6:34: there is no parameter 'q' here"),
        ("{action: grasp, params: {at: database.poses.tabel}}", "database.poses has no 'tabel'. Did you mean 'table'?"),
        ("{action: grasp, params: {at: database.poses.table.x}}", "database.poses.table is no map and has no 'x'"),
        ("{action: grasp, params: {at: database.empty.x}}", "database.empty is no map"),
        ("{action: grasp, params: {at: [1, {a: database.no}]}}", "r:6:34: database has no 'no'"),
        ("{action: grasp, params: {at: failure.code}}", "'failure' can only be read in recoveries"),
        ("{action: grasp, params: {at: tried.ok}}", "'tried' can only be read where something was tried before"),
        ("{op: print, params: {message: {expr: \"1 + 'a'\"}}}", "'+' stands between a number and a text"),
        ("{op: print, params: {message: {expr: '1 +'}}}", "the end stands where a value should"),
        ("{action: grasp, params: {at: var.at}}", "r:6:34: var.at is read before anything sets it"),
        ("{action: look, params: {pose: 1}, var: [seen]}", "r:6:6: 'seen' is set by 'look' and never read"),
        ("{loop: {condition: 'params.p', body: {action: wait}}}", "r:6:6: nothing bounds this loop. Add most: N"),
        ("{loop: {condition: 'true', body: {action: wait}}}", "nothing bounds this loop"),
        ("{loop: {condition: 'beliefs.b', body: {action: wait}}}", "nothing bounds this loop"),
        ("{loop: {condition: 'false', body: {action: wait}}}", "no way leads to this step: the loop never begins"),
        ("{choice: {condition: '1 > 2', if_true: {action: wait}}}", "the condition is never true"),
        ("{choice: {condition: '1 < 2', if_true: {action: wait}, if_false: {action: wait}}}", "is never false"),
        ("op: abort\naction: wait", "r:7:5: no way leads to this step. Remove this step"),
        (
            "{choice: {condition: 'params.p', if_true: {op: abort}, if_false: {op: abort}}}\naction: wait",
            "r:7:5: no way",
        ),
        ("{task: t, params: {p: 1}}", "r:6:6: task 't' calls 't' on every way"),
    ],
)
def test_one_mistake_is_told_once(body: str, found: str) -> None:
    problems = told(body)
    assert len(problems) == 1, problems
    assert found in problems[0]


@pytest.mark.parametrize(
    "body",
    [
        "{action: look, params: {pose: database.poses.bin.x, slowly: true}}",
        "{action: look, params: {pose: {expr: 'database.poses[params.p]'}}}",
        "{op: assign, params: {value: 0}, var: [n]}\n{op: increment, params: {name: n, by: 2}}",
        "{op: assign, params: {value: 0}, var: [n]}\n{op: increment, params: {value: var.n}, var: [n]}",
        "{loop: {condition: 'params.p', body: {action: wait}, most: 3}}",
        "{loop: {condition: 'aborts < 3', body: {action: wait}}}",
        "{loop: {condition: 'not var.seen', body: {action: look, params: {pose: 1}, var: [seen]}}}",
        "{choice: {condition: 'params.p', if_true: {op: abort}}}\naction: wait",
        "{choice: {condition: 'params.p > 0', if_true: {task: t, params: {p: {expr: 'params.p - 1'}}}}}",
        "{choice: {condition: 'beliefs.holding and aborts == 0', if_true: {action: wait}}}",
        "{op: abort, params: {code: lost, why: 'No way.'}}",
        "{op: check_value, params: {value: params.p, equals: 1}}",
    ],
)
def test_what_is_right_is_left_alone(body: str) -> None:
    assert told(body) == []


def test_outputs_must_be_set_by_some_way() -> None:
    body = "{action: look, params: {pose: 1}, var: [seen]}"
    assert told(body, var="[seen]") == []
    assert "r:2:1: output 'held' of task 't' is never set" in told(body, var="[seen, held]")[0]
    assert told("op: abort", var="[held]") == []


def test_tasks_are_called_with_what_they_take_and_give() -> None:
    rest = "u:\n  params: [a, b]\n  var: [c]\n  steps: [{op: assign, params: {value: params.a}, var: [c]}]\n"
    call = "{task: u, params: {a: 1, b: params.p}, var: [c]}\n{op: print, params: {message: var.c}}"
    assert told(call, rest=rest) == []
    wrong = told("{task: u, params: {a: 1, d: 2}, var: [e]}\n{op: print, params: {message: var.e}}", rest=rest)
    assert [line.split(". ")[0] for line in wrong] == [
        "r:6:6: task 'u' is not given 'b'",
        "r:6:6: task 'u' gives no 'e'",
        "r:6:33: task 'u' takes no 'd'",
    ]


def test_without_a_robot_actions_are_taken_on_trust() -> None:
    assert told("{action: anything, params: {x: 1}, var: [y]}\n{action: more, params: {z: var.y}}", robot=None) == []


def test_without_a_database_its_names_are_missing() -> None:
    recipes, _ = scan_recipes({"r": SPEC})
    assert recipes is not None
    found = [each.cause for each in check(recipes)]
    assert "database.poses.table is read, and there is no database" in found


def test_the_example_of_the_specification_lacks_only_tasks() -> None:
    rest = (
        "grasp: {steps: [{op: noop}]}\n"
        "try_grasp: {var: [grasped], steps: [{action: grasp, params: {at: 1}, var: [grasped]}]}\n"
    )
    text = SPEC.replace("perceive: {steps: [{op: noop}]}\n", rest).replace(
        "body: {task: try_grasp}", "body: {task: try_grasp, var: [grasped]}"
    )
    text += "perceive: {params: [object], var: [candidates], steps: [{action: see, params: {o: params.object}, "
    text += "var: [candidates]}]}\n"
    recipes, known = scan_recipes({"r": text})
    assert recipes is not None
    assert check(replace(recipes, database=DATABASE), known=known) == ()


@pytest.mark.parametrize(
    "text", ["format: 1\nt: [\n", "format: 1\n\x00", "format: 1\nt: " + "[" * 99, "# " * 2**20, ""]
)
def test_of_a_file_that_cannot_be_read_what_is_known_is_told(text: str) -> None:
    recipes, known = scan_recipes({"r": text})
    assert recipes is None
    assert len(known) == 1
    assert check(recipes, known=known) == known
    fine, _ = scan_recipes({"r": "format: 1\nt: {steps: [{task: gone}]}\n"})
    assert check(fine, None, known=known) == known


def test_everything_is_told_at_once_in_the_order_of_the_file() -> None:
    body = "action: loo\n{op: print, params: {message: var.x}}\nactoin: look\nop: abort\naction: wait"
    found = told(body, rest="u: {steps: [{task: u}]}\n", var="[held]")
    assert [line.split(": ")[0] for line in found] == ["r:6:5", "r:7:35", "r:8:5", "r:10:5", "r:11:14"]


def test_problems_are_bounded() -> None:
    found = told("\n".join("action: loo" for _ in range(2 * MAX_PROBLEMS)))
    assert len(found) == MAX_PROBLEMS + 1
    assert "the rest is not told" in found[-1]


RULES = "- name: a\n  when: {%s}\n  do: [%s]\n  resume: %s\n"
BODY = "{action: grasp, params: {at: params.p}}\n{task: u}"
REST = "u: {steps: [{action: wait}, {op: abort, params: {code: lost}}]}\n"


@pytest.mark.parametrize(
    ("when", "do", "resume", "found"),
    [
        ("path: t/grasp, code: slipped", "", "retry", ""),
        ("path: '**/wait'", "", "{hint: retry, level: t}", ""),
        ("path: t/u", "", "{hint: next, level: t}", ""),
        ("path: '*/u/*', code: lost", "", "{hint: next, level: u}", ""),
        ("path: t/base, code: drifted", "", "retry", ""),
        ("path: '**/recovery:a/wait'", "{action: wait}", "retry", ""),
        ("code: check_failed", "", "retry", ""),
        (
            "path: t/wait",
            "",
            "retry",
            "v:4:9: no failure can have the path 't/wait' of recovery 'a'. Look at the paths",
        ),
        ("path: t/graps", "", "retry", "Did you mean 'grasp'?"),
        ("path: u/wait", "", "retry", "no failure can have the path"),
        ("path: t", "", "retry", "no failure can have the path"),
        ("code: sliped", "", "retry", "v:4:9: nothing fails with the code 'sliped' of 'a'. Did you mean 'slipped'?"),
        (
            "path: t/grasp",
            "",
            "{hint: retry, level: u}",
            "v:3:3: recovery 'a' resumes at 'u', which is never on its path",
        ),
        ("path: t/grasp", "", "{hint: retry, level: v}", "Known: t, u"),
        ("path: t/grasp", "{action: look}", "retry", "v:5:9: action 'look' is not given 'pose'"),
        ("path: t/grasp", "{task: v}", "retry", "there is no task 'v'"),
        ("path: t/grasp", "{action: grasp, params: {at: failure.goal.at}}", "retry", ""),
        ("path: t/grasp", "{action: grasp, params: {at: params.p}}", "retry", ""),
        ("path: t/grasp", "{action: grasp, params: {at: params.z}}", "retry", "there is no parameter 'z' here"),
        ("path: t/grasp", "{action: grasp, params: {at: var.z}}", "retry", "var.z is read, and nothing sets it"),
        ("path: t/grasp", "{action: grasp, params: {at: tried.z}}", "retry", "'tried' can only be read where"),
        (
            "path: t/grasp",
            "{loop: {condition: 'beliefs.b', body: {action: wait}}}",
            "retry",
            "nothing bounds this loop",
        ),
        ("belief: '1 + null == 2'", "", "retry", "'+' stands between"),
    ],
)
def test_recoveries(when: str, do: str, resume: str, found: str) -> None:
    problems = told(BODY, rest=REST, rules=RULES % (when, do, resume))
    assert len(problems) == bool(found), problems
    assert not found or found in problems[0]


@pytest.mark.parametrize(
    ("branches", "found"),
    [
        ("{if: 'tried.ok', resume: next}, {resume: retry}", ""),
        ("{resume: next}, {resume: retry}", "v:7:5: a branch of 'a' is never taken: one before it is always taken"),
        ("{if: 'true', resume: next}, {resume: retry}", "one before it is always taken"),
        ("{if: 'false', resume: next}, {resume: retry}", "v:6:5: a branch of 'a' is never taken: its condition"),
    ],
)
def test_branches_that_are_never_taken(branches: str, found: str) -> None:
    lines = "".join(f"  - {each}}}\n" for each in branches.removesuffix("}").split("}, "))
    problems = told(BODY, rest=REST, rules=f"- name: a\n  try: [{{action: wait}}]\n  branches:\n{lines}")
    assert len(problems) == bool(found), problems
    assert not found or found in problems[0]


def test_variables_that_only_a_recovery_reads_are_read() -> None:
    body = "{action: look, params: {pose: 1}, var: [seen]}\n{action: grasp, params: {at: 1}}"
    rule = RULES % ("path: t/grasp", "{op: print, params: {message: var.seen}}", "retry")
    assert len(told(body)) == 1
    assert told(body, rules=rule) == []


def test_a_monitor_may_be_meant_where_the_robot_is_not_known() -> None:
    assert told(BODY, rest=REST, robot=None, rules=RULES % ("path: '**/battery', code: low", "", "none")) == []
    assert len(told(BODY, rest=REST, robot=None, rules=RULES % ("path: t/x/grasp", "", "none"))) == 1


def test_what_classes_say_of_themselves() -> None:
    class Look:
        takes = ("pose", "slowly?")
        gives = ("seen",)
        codes = ("blurred",)
        repeatable = True

    found = abilities_of({"look": Look}, {"base": Look})
    assert found.actions["look"] == ROBOT.actions["look"]
    assert found.monitors == {"base": ("blurred",)}
    assert found.actions["look"].needs == ("pose",)


def test_require_refuses_with_everything() -> None:
    recipes, _ = scan_recipes({"r": "format: 1\nt: {steps: [{task: u}, {task: v}]}\n"})
    assert recipes is not None
    with pytest.raises(BadRecipe) as caught:
        require(recipes)
    assert [each.cause for each in caught.value.problems] == ["there is no task 'u'", "there is no task 'v'"]
    assert all(isinstance(each, Problem) for each in caught.value.problems)
    fine, _ = scan_recipes({"r": "format: 1\nt: {steps: []}\n"})
    assert fine is not None
    require(fine)
