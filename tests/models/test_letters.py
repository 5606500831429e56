"""Probabilities of options from log-probabilities of letters: by hand, and for whatever a model may list."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadAnswer, BadSetting, ContractViolation, Value
from handup.models.endpoint import LETTERS, first_token, lettered, probabilities
from tests.models.toy import completion

THREE = lettered(("chicken", "peas", "rice"))


def tokens(**shares: float) -> list[tuple[str, float]]:
    return [(token, math.log(share)) for token, share in shares.items()]


def scored(listed: list[tuple[str, float]]) -> dict[Value, float]:
    output = probabilities(listed, THREE)
    return dict(zip(output.values, output.scores, strict=True))


def test_letters_are_not_words_by_themselves() -> None:
    assert list(THREE) == ["B", "C", "D"]
    assert not set("AIO") & set(LETTERS)
    assert len(set(LETTERS)) == 20, "as many as top_logprobs shows"


def test_all_seen_they_are_what_they_are() -> None:
    found = scored(tokens(C=0.7, B=0.2, D=0.1))
    assert found == pytest.approx({"peas": 0.7, "chicken": 0.2, "rice": 0.1})
    assert list(found) == ["peas", "chicken", "rice"]


def test_tokens_of_one_letter_count_together_and_others_not_at_all() -> None:
    said = [
        (" B", math.log(0.3)),
        ("B", math.log(0.2)),
        ("b", math.log(0.1)),
        ("C.", math.log(0.2)),
        ("The", math.log(0.2)),
    ]
    found = scored(said)
    assert found["chicken"] == pytest.approx(0.6 / 0.8)
    assert found["peas"] == pytest.approx(0.2 / 0.8)
    assert found["rice"] == pytest.approx(0.0, abs=1e-12), "nothing is left"


def test_what_was_not_shown_shares_what_is_left() -> None:
    found = scored(tokens(B=0.9, The=0.06))
    assert found == pytest.approx({"chicken": 0.9 / 0.94, "peas": 0.02 / 0.94, "rice": 0.02 / 0.94})


def test_what_was_not_shown_is_worth_no_more_than_the_least_that_was() -> None:
    found = scored(tokens(B=0.6, C=0.01))
    assert found == pytest.approx({"chicken": 0.6 / 0.62, "peas": 0.01 / 0.62, "rice": 0.01 / 0.62})


def test_a_model_that_wants_to_talk_has_not_chosen() -> None:
    with pytest.raises(BadAnswer, match=r"must answer with an option, got 'The' .options have 30 %"):
        probabilities(tokens(The=0.6, B=0.3), THREE)
    with pytest.raises(BadAnswer, match="'A'"):
        probabilities(tokens(A=0.9, B=0.1), THREE)


LISTED = st.lists(
    st.tuples(st.sampled_from(["B", " C", "D)", "b", "The", "", "A", "BB", "▁D"]), st.floats(-30, 0)),
    min_size=1,
    max_size=20,
)


@given(LISTED)
def test_whatever_is_listed_they_add_up_to_one_or_are_refused(listed: list[tuple[str, float]]) -> None:
    try:
        found = scored(listed)
    except BadAnswer:
        assert sum(math.exp(each) for token, each in listed if token.strip(" )▁").upper() in THREE) < 0.5
        return
    assert sum(found.values()) == pytest.approx(1.0)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert set(found) == {"chicken", "peas", "rice"}
    assert all(0.0 <= each <= 1.0 for each in found.values())


@pytest.mark.parametrize("options", [(), ("peas",), ("peas", "peas"), [f"food {number}" for number in range(21)]])
def test_too_few_too_many_or_equal_options_are_refused(options: Any) -> None:
    with pytest.raises(BadSetting):
        lettered(options)


def spoilt(change: Any) -> Any:
    said: Any = completion({"B": 0.9})
    change(said)
    return said


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"choices": []},
        {"choices": None},
        spoilt(lambda said: said["choices"][0].pop("logprobs")),
        spoilt(lambda said: said["choices"][0].update(logprobs=None)),
        spoilt(lambda said: said["choices"][0]["logprobs"].update(content=[])),
        spoilt(lambda said: said["choices"][0]["logprobs"]["content"][0].update(top_logprobs=[])),
        spoilt(lambda said: said["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0].update(logprob="x")),
        spoilt(lambda said: said["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0].update(logprob=0.9)),
        spoilt(lambda said: said["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0].update(logprob=math.nan)),
    ],
)
def test_an_answer_without_log_probabilities_is_no_answer(said: Any) -> None:
    with pytest.raises(ContractViolation, match="must have log-probabilities"):
        first_token(said)
