"""Expressions against Python itself, on random ones of a grammar in which both mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadExpression
from handup.executive.language import parse

SCOPE: dict[str, Any] = {
    "params": {"n": 7, "share": 0.25, "word": "gear", "none": None, "words": ["a", "gear", ""]},
    "var": {"n": -2, "things": [3, 1, 2], "flag": True, "nested": {"n": 5, "things": [0]}},
    "aborts": 3,
}
NAMES: dict[str, Any] = {
    "len": len,
    "min": min,
    "max": max,
    "abs": abs,
    "round": round,
    "sum": sum,
    "any": any,
    "all": all,
}
NAMES |= {"sorted": sorted, "int": int, "float": float, "bool": bool}


class Dotted(dict[str, Any]):
    """A map whose keys can also be written with a point, for Python."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def dotted(value: Any) -> Any:
    return Dotted({key: dotted(each) for key, each in value.items()}) if isinstance(value, Mapping) else value


HERE = {key: dotted(each) for key, each in SCOPE.items()}


def _join(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda found: template.format(*found))


numbers: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(plain_numbers, st.one_of(*_made_numbers())))
texts: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(plain_texts, _join("({} + {})", texts, texts)))
lists: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(plain_lists, st.one_of(*_made_lists())))
truths: st.SearchStrategy[str] = st.deferred(lambda: st.one_of(plain_truths, st.one_of(*_made_truths())))

plain_numbers: st.SearchStrategy[str] = st.one_of(
    st.integers(0, 20).map(str),
    st.sampled_from(["0.5", "2.75", "1e2", "params.n", "params['share']", "var.n", "aborts", "var.nested.n"]),
)
plain_texts: st.SearchStrategy[str] = st.sampled_from(["'gear'", '""', "'a'", "params.word", "'it\\'s'"])
plain_lists: st.SearchStrategy[str] = st.sampled_from(["var.things", "var.nested.things", "[]", "[1, 2.5]"])
plain_truths: st.SearchStrategy[str] = st.sampled_from(["True", "False", "var.flag", "params.none == None"])
signs = st.sampled_from(["+", "-", "*", "/", "//", "%"])
comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


def _made_numbers() -> list[st.SearchStrategy[str]]:
    return [
        _join("{} {} {}", numbers, signs, numbers),
        _join("({} {} {}) {} {}", numbers, signs, numbers, signs, numbers),
        _join("-{}", numbers),
        _join("abs({})", numbers),
        _join("round({}, {})", numbers, st.sampled_from("123")),
        _join("min({}, {})", numbers, numbers),
        _join("max({})", lists),
        _join("sum({})", lists),
        _join("len({})", st.one_of(lists, texts)),
        _join("{}[{}]", lists, st.sampled_from(["0", "-1", "1", "2"])),
        _join("int({})", st.one_of(numbers, truths)),
        _join("({} or {})", numbers, numbers),
        _join("({} and {})", numbers, numbers),
    ]


def _made_lists() -> list[st.SearchStrategy[str]]:
    return [
        _join("[{}, {}]", numbers, numbers),
        _join("({} + {})", lists, lists),
        _join("sorted({})", lists),
        _join("{{'k': {}}}['k']", lists),
    ]


def _made_truths() -> list[st.SearchStrategy[str]]:
    return [
        _join("not {}", truths),
        _join("({} and {})", truths, truths),
        _join("{} or {} and {}", truths, truths, truths),
        _join("{} {} {}", numbers, comparisons, numbers),
        _join("{} {} {} {} {}", numbers, comparisons, numbers, comparisons, numbers),
        _join("{} {} {}", texts, comparisons, texts),
        _join("{} in {}", numbers, lists),
        _join("{} not in {}", texts, texts),
        _join("{} in params.words", texts),
        _join("any({})", lists),
        _join("all([{}, {}])", truths, numbers),
        _join("bool({})", st.one_of(numbers, texts, lists)),
        _join("{} == {}", lists, lists),
    ]


@given(st.one_of(numbers, texts, lists, truths).filter(lambda text: len(text) <= 300))
def test_a_value_is_what_python_says(text: str) -> None:
    try:
        expected = eval(text, {"__builtins__": {}, **NAMES}, HERE)  # noqa: S307 - the oracle, on texts made here
    except (ArithmeticError, LookupError, ValueError):
        expected = BadExpression
    try:
        found = parse(text).value(SCOPE)
    except BadExpression as error:
        limit = any(word in error.cause for word in ("too large", "finite", "too deeply"))
        assert expected is BadExpression or limit, f"{text}: {error}"
        return
    assert found == expected, text
    assert type(found) is type(expected), text
