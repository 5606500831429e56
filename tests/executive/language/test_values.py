"""What expressions come to, one rule at a time."""

from __future__ import annotations

from typing import Any

import pytest

from handup.core import BadExpression
from handup.executive.language import collected, literal, parse, tabled
from handup.executive.problem import FilePlace

SCOPE: dict[str, Any] = {
    "params": {"object": "gear", "pose": {"x": 1.5, "name": "up"}},
    "var": {"found": ["a", "b", "c"], "count": 3, "grasped": False},
    "database": {"poses": {"table": [0.1, 0.2], "bin": [0.3, 0.4]}},
    "beliefs": {"holding": True},
    "failure": {"code": "slipped", "fields": {"force": 2.0}},
    "tried": {"ok": True},
    "aborts": 2,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("len(var.found) > 0", True),
        ("not var.grasped and aborts < 3", True),
        ("1 + 2 * 3 - 4 // 3", 6),
        ("-var.count % 2", 1),
        ("7 / 2", 3.5),
        ("'ge' + \"ar\" == params.object", True),
        ("params.pose.x", 1.5),
        ("params['pose']['name']", "up"),
        ("database.poses[params.object + ''] == 1 or true", BadExpression),
        ("database.poses[['bin', 'table'][0]]", [0.3, 0.4]),
        ("var.found[-1]", "c"),
        ("var.found[var.count - 1]", "c"),
        ("'b' in var.found and 'x' not in var.found", True),
        ("'slip' in failure.code", True),
        ("'poses' in {'poses': 1}", True),
        ("0 < aborts <= 2", True),
        ("3 < aborts < 1 / 0", False),
        ("{'n': aborts, 'all': [1, aborts]}", {"n": 2, "all": [1, 2]}),
        ("{'n': 4}.n", 4),
        ("max(1, aborts) + min([5, 4])", 6),
        ("sorted([3, 1, 2])", [1, 2, 3]),
        ("sorted([])", []),
        ("sum([1, 2.5]) + abs(-1)", 4.5),
        ("round(2.567, 1)", 2.6),
        ("any([0, 1]) and not all([0, 1])", True),
        ("int('12') + int(2.9) + float('0.5')", 14.5),
        ("str(3) + str(true) + str(null)", "3truenull"),
        ("bool([])", False),
        ("True != False and None == null", True),
        ("'it\\'s' + '\\n\\t\\\\'", "it's\n\t\\"),
        ("var.found or 1 / 0", ["a", "b", "c"]),
    ],
)
def test_the_value(text: str, value: Any) -> None:
    if value is BadExpression:
        with pytest.raises(BadExpression, match="has no 'gear'"):
            parse(text).value(SCOPE)
        return
    found = parse(text).value(SCOPE)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["var.nothing", "beliefs.nothing.at.all", "failure.fields.mass", "tried.seen"])
def test_what_nobody_said_is_null(text: str) -> None:
    assert parse(text).value(SCOPE) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("params.nothing", "params has no 'nothing'"),
        ("database.poses.shelf", "database.poses has no 'shelf'"),
        ("database.poses.table.x", "is a list and has no 'x'"),
        ("var.count.x", "var.count is a number"),
        ("var.found[9]", "entry 9 is read of a list of 3"),
        ("var.found[true]", "has no True"),
        ("1 / 0", "divided by zero"),
        ("1 % 0", "divided by zero"),
        ("'a' + 1", "'+' stands between a text and a number"),
        ("true + 1", "a truth value and a number"),
        ("'a' * 3", "'*' stands between"),
        ("null < 1", "'<' stands between null and a number"),
        ("1 in 2", "'in' stands between"),
        ("-'a'", "'-' stands before a text"),
        ("len(1)", "len cannot take a number"),
        ("min([])", "empty list"),
        ("max([1, 'a'])", "no order"),
        ("sum(['a'])", "sum cannot take a text"),
        ("int('1e5')", "int cannot take a text"),
        ("float('nan')", "float cannot take a text"),
        ("str([1])", "str cannot take a list"),
        ("round(1, 99)", "round cannot take a number"),
        ("1e308 * 10", "no finite number"),
        ("999999999999999999 * 999999999999999999", "too large"),
        ("failure.code.x", "is a text and has no 'x'"),
    ],
)
def test_what_has_no_value_says_why_and_where(text: str, words: str) -> None:
    with pytest.raises(BadExpression, match=r".") as caught:
        parse(text, FilePlace("recipe.yaml", 4, 7)).value(SCOPE)
    assert words in caught.value.cause
    assert (caught.value.file, caught.value.line, caught.value.column) == ("recipe.yaml", 4, 7)
    assert caught.value.hint


def test_a_root_that_is_not_there_is_named() -> None:
    with pytest.raises(BadExpression, match=r"there is no 'failure' here\. There is: var"):
        parse("failure.code").value({"var": {}})


def test_results_stay_small() -> None:
    scope = {"var": {"long": "x" * 9000, "many": list(range(9000))}}
    for text in ("var.long + var.long", "var.many + var.many"):
        with pytest.raises(BadExpression, match="the result has 18000 parts"):
            parse(text).value(scope)


def test_names_are_the_keys_known_without_running() -> None:
    found = parse("var.a[var.b.c] + database.x['y'].z and aborts < params.n").names
    assert found == {("var", "a"), ("var", "b", "c"), ("database", "x", "y", "z"), ("aborts",), ("params", "n")}
    assert parse("1 + 1").names == frozenset()


def test_literals_are_what_they_are() -> None:
    assert literal("var.x").value({}) == "var.x"
    assert literal({"a": [1]}).value({}) == {"a": [1]}
    assert literal(1).constant
    assert not parse("var.x").constant


def test_lists_and_maps_may_hold_references() -> None:
    parts = [literal(1), parse("var.x")]
    assert collected(parts).value({"var": {"x": 2}}) == [1, 2]
    assert tabled({"a": parts[0], "b": parts[1]}).value({"var": {"x": 2}}) == {"a": 1, "b": 2}
    assert tabled({"a": parts[1]}).names == {("var", "x")}


def test_what_comes_from_outside_is_not_touched() -> None:
    class Trap:
        secret = "open"

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    for text in ("var.trap.secret", "var.trap['secret']", "var.trap.__class__", "var.trap()"):
        with pytest.raises(BadExpression):
            parse(text).value({"var": {"trap": Trap()}})
