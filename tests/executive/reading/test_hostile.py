"""Files that mean harm, or that are no recipes at all: refused with a reason, never run, never endless."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecipe
from handup.executive.problem import Problem
from handup.executive.reader import MAX_PROBLEMS, parse_database, scan_database, scan_recipes, scan_recoveries
from handup.executive.validator import check
from tests.executive.reading.test_recipes import SPEC
from tests.executive.reading.test_recoveries import RULE

LAUGHS = "format: 1\na: &a [x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}, *{chr(97 + i)}, *{chr(97 + i)}]\n"
    for i in range(20)
)
HOSTILE = {
    "deep lists": ("format: 1\na: " + "[" * 100_000, "more than 50 levels of lists and maps are not read"),
    "deep maps": ("{a: " * 100_000, "more than 50 levels of lists and maps are not read"),
    "deep dashes": ("- " * 50_000, "more than 50 levels of lists and maps are not read"),
    "deep blocks": (
        "".join(" " * i + "a:\n" for i in range(1500)),
        "more than 50 levels of lists and maps are not read",
    ),
    "billion laughs": (LAUGHS, "anchors and aliases (& and *) are not read"),
    "itself": ("format: 1\na: &a [*a]\n", "anchors and aliases"),
    "code": (
        "format: 1\na: !!python/object/apply:os.system ['echo']\n",
        "the tag 'tag:yaml.org,2002:python/object/app",
    ),
    "own tag": ("format: 1\na: !evil {b: 1}\n", "the tag '!evil' is not read"),
    "merge": ("format: 1\na: {<<: {b: 1}}\n", "merge keys (<<) are not read"),
    "twice": ("format: 1\na: 1\na: 2\n", "the key 'a' stands twice"),
    "huge": ("x" * (2 * 1024 * 1024 + 1), "is not read"),
    "huge text": ("format: 1\na: " + "x" * 1_000_000, "a text has 1000000 characters"),
    "huge number": ("format: 1\na: " + "9" * 5000, "is no finite number"),
    "not a number": ("format: 1\na: .NaN\n", "'.NaN' is no finite number"),
    "many values": ("[" + "1," * 200_000 + "]", "keys and values are not read"),
    "list as a key": ("format: 1\n? [a]\n: 1\n", "a list stands as a key"),
    "long key": ("format: 1\n" + "a" * 500 + ": 1\n", "stands as a key"),
    "two documents": ("format: 1\n---\nformat: 1\n", "a second document begins here"),
    "nothing": ("# nothing\n", "there is nothing to read"),
    "open": ("format: 1\na: [1, 2", "this is no valid YAML"),
    "tab": ("format: 1\na:\n\t- 1\n", "this is no valid YAML"),
    "version": ("%YAML 1.9\n---\na: 1\n", "this is no valid YAML"),
    "beyond Unicode": ('"\\UFFFFFFFF"', "this is no valid YAML"),
    "nul": ("format: 1\na: b\0c\n", "r.yaml:2:5: the character U+0000 is not allowed here"),
    "half a character": ("format: 1\na: \ud800\n", "the character U+D800 is not allowed here"),
    "nul in disguise": ('format: 1\na: "\\0"\n', "r.yaml:2:4: the character U+0000 is not allowed"),
    "escape in disguise": ('format: 1\na: "\\e[2J"\n', "r.yaml:2:4: the character U+001B is not allowed"),
    "escape": ("format: 1\na: \x1b[2J\n", "the character U+001B is not allowed here"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_with_a_reason(name: str) -> None:
    text, words = HOSTILE[name]
    with pytest.raises(BadRecipe) as caught:
        parse_database(text, "r.yaml")
    assert any(words in str(each) for each in caught.value.problems), caught.value.problems[:3]
    assert len(caught.value.problems) <= MAX_PROBLEMS + 1
    assert scan_recipes({"r.yaml": text})[1]
    assert scan_recoveries({"r.yaml": text})[1]


def test_no_tag_runs_code(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for call in (f"os.system ['touch {trace}']", f"builtins.open ['{trace}', 'w']"):
        scan_recipes({"r": f"format: 1\nt: {{steps: [!!python/object/apply:{call}]}}\n"})
    assert not trace.exists()


def test_problems_are_bounded() -> None:
    text = "format: 1\n" + "".join(f"t{i}: {{steps: [{{actio: a}}]}}\n" for i in range(1000))
    recipes, problems = scan_recipes({"r": text})
    assert recipes is None
    assert len(problems) == MAX_PROBLEMS + 1
    assert "the rest is not read" in problems[-1].cause


def assert_told(text: str) -> None:
    """Whatever the text is, reading and checking it end in recipes and problems with places and hints."""
    recipes, problems = scan_recipes({"r": text})
    rules, more = scan_recoveries({"r": text})
    database, others = scan_database(text, "r")
    assert database is not None or others
    found: tuple[Problem, ...] = (*problems, *more, *others)
    if recipes is not None:
        found += check(recipes, rules or (), known=problems)
    lines = text.count("\n") + text.count("\r") + text.count("\x85") + text.count("\u2028") + text.count("\u2029") + 1
    for each in found:
        assert each.cause
        assert each.hint
        assert 0 <= each.place.line <= lines


@given(st.text(max_size=200))
def test_any_text_is_told(text: str) -> None:
    assert_told(text)


KEYS: tuple[str, ...] = (
    "format",
    "main",
    "t",
    "u",
    "steps",
    "params",
    "var",
    "about",
    "action",
    "task",
    "op",
    "choice",
    "loop",
)
KEYS += ("condition", "if_true", "if_false", "body", "most", "value", "expr", "name", "index", "equals", "recoveries")
KEYS += ("when", "path", "code", "aborts", "belief", "try", "do", "branches", "if", "resume", "level", "limit", "helps")
WORDS: tuple[str, ...] = (
    "1",
    "t",
    "u",
    "a",
    "assign",
    "abort",
    "noop",
    "increment",
    "var.a",
    "params.b",
    "database.c.d",
    "aborts < 3",
)
WORDS += (
    "not var.a",
    "1 +",
    "'x'",
    "**/t/a",
    "2..",
    "retry",
    ".nan",
    "~",
    "true",
    "😀",
    "",
    "&a",
    "*a",
    "!!x",
    "-",
    "? ",
)
scalars = st.one_of(st.sampled_from(WORDS), st.sampled_from(KEYS))
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=5).map(
            lambda table: f"{{{', '.join(f'{key}: {value}' for key, value in table.items())}}}"
        ),
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(KEYS), trees, max_size=6))
def test_any_tree_is_told(tree: dict[str, str]) -> None:
    assert_told("format: 1\n" + "".join(f"{key}: {value}\n" for key, value in tree.items()))


@given(
    st.sampled_from([SPEC, RULE]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(scalars, st.text(max_size=4))), max_size=4),
)
def test_a_recipe_with_slips_of_the_keyboard_is_told(text: str, slips: list[tuple[float, int, str]]) -> None:
    for where, length, word in slips:
        at = int(where * len(text))
        text = text[:at] + word + text[at + length :]
    assert_told(text)
