"""Every promise of the documentation leads to a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DESK = ROOT / "docs" / "desk"
LINKS = re.findall(r"\[`(\w+)`\]\(tests\.md#(\w+)\)", (DESK / "promises.md").read_text("utf-8"))
FILES = {
    re.sub(r"[^\w-]", "", file).lower(): file
    for file in re.findall(r'^--8<-- "([^"]+)"$', (DESK / "tests.md").read_text("utf-8"), re.M)
}


def test_promises_lead_to_tests_and_every_file_is_needed() -> None:
    assert len(LINKS) > 20
    assert {anchor for _, anchor in LINKS} == set(FILES)


@pytest.mark.parametrize(("name", "anchor"), LINKS)
def test_the_named_test_exists(name: str, anchor: str) -> None:
    tree = ast.parse((ROOT / FILES[anchor]).read_text("utf-8"))
    functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    assert name in functions
