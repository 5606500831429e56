"""The tree as people see it: every use of a task, recoveries where they match, and never endless."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from handup.executive.reader import parse_recipes, parse_recoveries, read_recipes, read_recoveries
from handup.executive.recipe_tree import (
    MAX_NODES,
    MAX_TEXT,
    TreeNode,
    as_svg,
    as_text,
    given_in_words,
    tree_shown,
    value_in_words,
)
from handup.executive.validator import Abilities, Declared

CUP = Path(__file__).parents[2] / "examples" / "recipes"
TREE = """\
task bring_cup
├─ task pick(object='cup', place=database.places.shelf) → held
│  ├─ action drive(to=params.place)
│  ├─ action look(for=params.object) → found
│  └─ if len(var.found) > 0
│     ├─ then
│     │  └─ action grasp(at=var.found[0]) → held
│     │        ↺ grasp_again (slipped) → next or previous, at most 3×
│     └─ else
│        └─ op abort(code='nothing_there')
│              ↺ look_from_the_side (nothing_there, aborts 1..2) → retry pick, at most 2×
├─ action drive(to=database.places.table)
└─ action put_down(object=var.held)
"""


def nodes(tree: TreeNode) -> list[TreeNode]:
    return [tree, *(node for child in tree.children for node in nodes(child))]


def test_the_tree_in_lines() -> None:
    recipes, rules = read_recipes([CUP / "cup.yaml"]), read_recoveries([CUP / "cup-recoveries.yaml"])
    assert as_text(tree_shown(recipes, rules), rules) == TREE
    assert "↺" not in as_text(tree_shown(recipes))
    assert as_text(tree_shown(recipes, task="pick")).startswith("task pick\n├─ action drive")


def test_recoveries_stand_at_tasks_that_fail_as_a_whole() -> None:
    recipes = parse_recipes({"r": "format: 1\na: {steps: [{task: b}, {task: b}]}\nb: {steps: [{action: x}]}\n"})
    rules = parse_recoveries({"v": "format: 1\nrecoveries: [{name: r, when: {path: '*/b'}, resume: retry}]\n"})
    found = [(node.path, node.recoveries) for node in nodes(tree_shown(recipes, rules))]
    assert found == [("a", ()), ("a/b", ("r",)), ("a/b/x", ()), ("a/b", ("r",)), ("a/b/x", ())]


def test_recoveries_for_anything_stand_at_the_top() -> None:
    recipes = parse_recipes({"r": "format: 1\na: {steps: [{action: x}]}\n"})
    rules = parse_recoveries({"v": "format: 1\nrecoveries: [{name: r, when: {code: late}, resume: none}]\n"})
    shown = as_text(tree_shown(recipes, rules), rules)
    assert shown == "task a\n│  ↺ anywhere: r (late) → none, at most 1×\n└─ action x\n"


def test_an_action_shows_recoveries_for_its_own_codes_where_they_are_known() -> None:
    recipes = parse_recipes({"r": "format: 1\na: {steps: [{action: x}, {action: y}]}\n"})
    rule = "{name: r, when: {path: 'a/*', code: late}, resume: none}"
    rules = parse_recoveries({"v": f"format: 1\nrecoveries: [{rule}]\n"})
    known = Abilities(actions={"x": Declared(codes=("late",)), "y": Declared(codes=("lost",))})
    assert [node.recoveries for node in tree_shown(recipes, rules).children] == [("r",), ("r",)]
    assert [node.recoveries for node in tree_shown(recipes, rules, abilities=known).children] == [("r",), ()]


def test_the_picture_is_a_picture_of_the_same() -> None:
    recipes = parse_recipes(
        {"r": "format: 1\na:\n  steps:\n  - {op: print, params: {message: '<&\"'}}\n  - task: gone\n"}
    )
    tree = tree_shown(recipes)
    picture = ElementTree.fromstring(as_svg(tree))
    assert ["".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text")] == [
        "task a",
        "op print(message='<&\"')",
        "task gone (not there)",
    ]


def test_data() -> None:
    recipes, rules = read_recipes([CUP / "cup.yaml"]), read_recoveries([CUP / "cup-recoveries.yaml"])
    tree = tree_shown(recipes, rules).to_json()
    assert (tree["kind"], tree["name"], len(tree["children"])) == ("task", "bring_cup", 3)
    grasp = tree["children"][0]["children"][2]["children"][0]["children"][0]
    assert (grasp["path"], grasp["recoveries"]) == ("bring_cup/pick/grasp", ["grasp_again"])


def test_recursion_is_written_out_once() -> None:
    text = "format: 1\na: {steps: [{loop: {condition: 'aborts < 2', body: [{task: b}]}}]}\nb: {steps: [{task: a}]}\n"
    assert as_text(tree_shown(parse_recipes({"r": text}))) == (
        "task a\n└─ while aborts < 2 (at most 1000 times)\n   └─ task b\n      └─ task a (again, from there)\n"
    )


def test_a_tree_that_doubles_at_every_level_is_cut() -> None:
    text = "format: 1\n" + "".join(f"t{i}: {{steps: [{{task: t{i + 1}}}, {{task: t{i + 1}}}]}}\n" for i in range(40))
    tree = tree_shown(parse_recipes({"r": text + "t40: {steps: []}\n"}))
    assert len([node for node in nodes(tree) if node.kind != "more"]) == MAX_NODES + 1
    assert f"more than {MAX_NODES} steps are not shown" in as_text(tree)
    assert as_svg(tree).endswith("</svg>\n")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"scene": 1, "at": "small_gears"}, "scene 1, at small gears"),
        ([True, None, 0.5], "yes, nothing, 0.5"),
        ([{"to_the": "left_side"}, 3], "to the left side, 3"),
        ("as Maya wrote_it", "as Maya wrote_it"),
        ([], "nothing"),
        ("x" * 100, "x" * (MAX_TEXT - 1) + "…"),
    ],
    ids=str,
)
def test_values_are_said_in_words(value: Any, words: str) -> None:
    assert value_in_words(value) == words


def test_what_was_given_is_said_in_words() -> None:
    assert given_in_words({"kit_seen": {"scene": 0}, "to": "tray"}) == "kit seen: scene 0; to: tray"
