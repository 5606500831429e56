"""What a robot does next."""

import json

from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Alternative, Decision

names = st.none() | st.text(max_size=10)
numbers = st.floats(allow_nan=False, allow_infinity=False)
alternatives = st.builds(Alternative, st.sampled_from(Action), names, numbers)
decisions = st.builds(
    Decision,
    action=st.sampled_from(Action),
    module=names,
    reason=st.text(),
    alternatives=st.lists(alternatives, max_size=4).map(tuple),
    until_s=st.none() | numbers,
)


@given(decisions)
def test_a_decision_survives_json(decision: Decision) -> None:
    assert Decision.from_json(json.loads(json.dumps(decision.to_json()))) == decision


def test_asking_about_another_module_is_another_choice() -> None:
    first, second = (Decision(action=Action.ASK, module=name, reason="Because.") for name in "ab")
    assert first.same_choice(first)
    assert not first.same_choice(second)


def test_acting_is_the_same_choice_whatever_was_nearly_asked() -> None:
    first, second = (Decision(action=Action.ACT, module=name, reason=name) for name in "ab")
    assert first.same_choice(second)
    assert not first.same_choice(Decision(action=Action.YIELD, reason="Because."))
