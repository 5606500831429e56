"""Eq. 4 for sets and for single questions."""

import numpy as np
import pytest
from hypothesis import given

from handup.what import Situation
from handup.what.objective import set_value, single_question_values
from tests.oracles.enumeration import eq4, open_sets
from tests.strategies import share_of_examples, situations


@share_of_examples(0.5)
@given(situations(most=6))
def test_the_value_of_every_set_equals_enumeration(situation: Situation) -> None:
    for asked in open_sets(situation):
        assert set_value(situation, asked) == pytest.approx(eq4(situation, asked), abs=1e-9)


@given(situations(most=9))
def test_single_questions_are_sets_of_one(situation: Situation) -> None:
    values, nothing = single_question_values(situation)
    assert nothing == pytest.approx(set_value(situation, ()), abs=1e-9)
    assert values == pytest.approx(np.array([set_value(situation, [each]) for each in range(len(values))]), abs=1e-9)
