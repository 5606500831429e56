"""Success expressions, good and bad."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadPolicy
from handup.policy import Gate
from handup.policy.graph import MAX_DEPTH, Combination, parse_expression


def test_nested_combinations_are_read() -> None:
    assert parse_expression("all(food, any(camera, haptics), skill)") == Combination(
        Gate.AND, ("food", Combination(Gate.OR, ("camera", "haptics")), "skill")
    )


def test_spaces_and_line_ends_do_not_matter() -> None:
    assert parse_expression(" all (\n  a ,\tb )\n") == parse_expression("all(a,b)")


def test_one_name_alone_is_an_expression() -> None:
    assert parse_expression("arm") == Combination(Gate.AND, ("arm",))


def test_names_may_hold_dots_dashes_and_begin_with_reserved_words() -> None:
    assert parse_expression("any(all-in, any.2, _x)").parts == ("all-in", "any.2", "_x")


def test_names_come_in_reading_order_as_often_as_they_stand() -> None:
    assert list(parse_expression("any(all(a, b), all(a, c))").names()) == ["a", "b", "a", "c"]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "missing", 1),
        ("all", "'(' is missing after 'all'", 4),
        ("all()", "a name, all(…) or any(…) is missing", 5),
        ("all(a", "',' or ')' is missing", 6),
        ("all(a,)", "a name, all(…) or any(…) is missing", 7),
        ("all(a b)", "',' or ')' is missing", 7),
        ("all(a) b", "'b' is not expected", 8),
        ("all(a))", "')' is not expected", 7),
        ("all(a, any)", "'(' is missing after 'any'", 11),
        ("all(a, 9lives)", "a name, all(…) or any(…) is missing", 8),
        ("all(a & b)", "',' or ')' is missing", 7),
        ("any(a,\n  %)", "a name, all(…) or any(…) is missing", 10),
        ("(a)", "a name, all(…) or any(…) is missing", 1),
        ("a, b", "',' is not expected", 2),
    ],
)
def test_a_bad_expression_is_refused_with_its_column(text: str, message: str, column: int) -> None:
    with pytest.raises(BadPolicy) as caught:
        parse_expression(text)
    assert message in caught.value.cause
    assert caught.value.cause.endswith(f"at column {column}")
    assert "all(food" in caught.value.hint


def test_nesting_is_bounded() -> None:
    deep = "all(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH
    assert list(parse_expression(deep).names()) == ["a"]
    with pytest.raises(BadPolicy, match="levels"):
        parse_expression(f"any({deep})")


@given(st.text(alphabet="al any(),.\n9-é", max_size=40))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    try:
        names = list(parse_expression(text).names())
    except BadPolicy as error:
        assert "column" in error.cause
    else:
        assert all(name in text for name in names)
