"""Every promise of the documentation leads to a test that exists, and to one that `make test` runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, SOAK_EXAMPLES

ROOT = Path(__file__).parents[1]
DESK = ROOT / "docs" / "desk"
LINK = re.compile(r"\[`(\w+)`\]\(tests\.md#(\w+)\)")
PROMISES = [found for line in (DESK / "promises.md").read_text("utf-8").splitlines() if (found := LINK.findall(line))]
LINKS = [link for promise in PROMISES for link in promise]
FILES = {
    re.sub(r"[^\w-]", "", file).lower(): file
    for file in re.findall(r'^--8<-- "([^"]+)"$', (DESK / "tests.md").read_text("utf-8"), re.M)
}


def test_promises_lead_to_tests_and_every_file_is_needed() -> None:
    assert len(LINKS) > 20
    assert {anchor for _, anchor in LINKS} == set(FILES)


def marks(anchor: str) -> dict[str, set[str]]:
    """Return the tests of a file, each with the markers that all its cases have."""
    tree = ast.parse((ROOT / FILES[anchor]).read_text("utf-8"))
    whole = [node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: {ast.unparse(mark) for mark in (*whole, *node.decorator_list)} for node in functions}


@pytest.mark.parametrize(("name", "anchor"), LINKS)
def test_the_named_test_exists(name: str, anchor: str) -> None:
    assert name in marks(anchor)


def number(file: str, pattern: str) -> int:
    """Return the only number that stands so in a file."""
    (found,) = set(re.findall(pattern, (ROOT / file).read_text("utf-8")))
    return int(found)


def test_the_page_says_how_much_is_played() -> None:
    page = (DESK / "promises.md").read_text("utf-8")
    seeds, kills = (
        (number(file, rf'"{name}", "(\d+)"'), number("Makefile", rf"\b{name}=(\d+)"))
        for file, name in (
            ("tests/kill/test_kill.py", "HANDUP_KILL_SEEDS"),
            ("tests/cli/test_meal_page.py", "HANDUP_MEAL_KILLS"),
        )
    )
    assert f"{seeds[0]} seeds on SQLite, {seeds[0]} on PostgreSQL" in page
    assert f"`make soak PART=kill` {seeds[1]} seeds on each" in page
    assert f"({kills[0]} kills; in `make soak PART=meals` {kills[1]}, " in page
    sqlite, postgres = (
        number(f"tests/desk/test_desk_{store}.py", r"max_examples // (\d+)") for store in ("stateful", "postgres")
    )
    courses = f"{EXAMPLES // sqlite} courses of 50 steps on SQLite, {max(4, EXAMPLES // postgres)} of 25 on PostgreSQL"
    assert (
        f"{courses}; in `make soak PART=properties` {SOAK_EXAMPLES // sqlite} and {SOAK_EXAMPLES // postgres} " in page
    )


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[0][0])
def test_a_promise_is_tried_without_soak(promise: list[tuple[str, str]]) -> None:
    assert any("pytest.mark.soak" not in marks(anchor).get(name, set()) for name, anchor in promise)
