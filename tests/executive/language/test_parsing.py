"""What is no expression, and that nothing but a named error ever comes of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadExpression
from handup.executive.language import MAX_TEXT, ROOTS, parse
from handup.executive.problem import FilePlace

WORDS = (
    *ROOTS,
    *("and", "or", "not", "in", "true", "None", "len", "min", "if", "lambda", "x", "__class__"),
    *(
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "==",
        "!=",
        "<",
        "<=",
        "=",
        ":=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ":",
    ),
    *("1", "2.5", "1e400", "'a'", '"b"', "'", '"', "\\", "$", "é", "\n", " "),
)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "is empty"),
        ("   ", 4, "is empty"),
        ("foo", 1, "'foo' is not known here"),
        ("parms.x", 1, "Did you mean 'params'?"),
        ("var", 4, "'var' is read as a whole"),
        ("var[0]", 7, "'var' is read as a whole"),
        ("1 = 2", 3, "Write '==' to compare"),
        ("1 2", 3, "stands where the expression should end"),
        ("1 +", 4, "the end stands where a value should"),
        ("(1", 3, "stands where ')' should"),
        ("len(1", 6, "',' or ')'"),
        ("[1 2]", 4, "',' or ']'"),
        ("{a: 1}", 2, "stands as a key"),
        ("var.1", 4, "'var' is read as a whole"),
        ("var.x.", 7, "stands where a name should"),
        ("'open", 1, "Close the quote"),
        ("'\\x41'", 2, "stands in a text"),
        ("eval('1')", 1, "there is no function 'eval'"),
        ("lne([1])", 1, "Did you mean 'len'?"),
        ("len()", 1, "len got 0 values"),
        ("len(1, 2)", 1, "len got 2 values"),
        ("1 if 2 else 3", 3, "'if'"),
        ("[x for x in var.y]", 2, "'x' is not known here"),
        ("lambda: 1", 1, "'lambda'"),
        ("2 ** 3", 4, "'*'"),
        ("1e999", 1, "no finite number"),
        ("1234567890123456789", 1, "too large"),
        ("9" * 60 + ".0", 1, "too many digits"),
        ("not" * 3, 1, "'notnotnot'"),
        ("and", 1, "stands where a value should"),
        ("a" * (MAX_TEXT + 1), 1, f"{MAX_TEXT + 1} characters"),
        ("(" * 60 + "1" + ")" * 60, 42, "too deeply"),
        ("-" * 60 + "1", 42, "too deeply"),
        ("not " * 60 + "true", 165, "too deeply"),
    ],
)
def test_the_mistake_is_shown_where_it_is(text: str, column: int, words: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse(text, FilePlace("r.yaml", 3, 10))
    assert words in f"{caught.value.cause}. {caught.value.hint}"
    assert (caught.value.file, caught.value.line, caught.value.column) == ("r.yaml", 3, column + 9)


def test_long_chains_are_not_deep() -> None:
    assert parse("+".join("1" * 400)).value({}) == 400
    assert parse("var.x" + "[0]" * 60).names == {("var", "x")}
    assert parse(" and ".join(["true"] * 100)).value({}) is True


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.booleans())
def test_no_text_makes_anything_but_a_value_or_a_named_error(words: list[str], spaced: bool) -> None:
    scope = {root: {"x": [1, {"y": "z"}]} for root in ROOTS} | {"aborts": 1}
    try:
        parse((" " if spaced else "").join(words)).value(scope)
    except BadExpression as error:
        assert error.cause
        assert error.hint


@given(st.text(max_size=60))
def test_nor_does_any_other(text: str) -> None:
    try:
        parse(text).value({})
    except BadExpression as error:
        assert error.hint
