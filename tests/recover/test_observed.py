"""Histories that somebody wrote down."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadObservation, HandupError, ImpossibleEvidence, UnknownModule
from handup.policy import Module, ModuleGraph
from handup.recover import observe
from tests.make import chain_of
from tests.oracles.enumeration import Answered, Event, Executed, Forwarded, enumerate_history
from tests.strategies import histories, module_lists

BITE = chain_of((0.9, 0.2, 0.6))


def written(event: Event) -> dict[str, Any]:
    """An event as somebody would write it down."""
    if isinstance(event, Executed):
        plain = "succeeded" if event.ok else "failed"
        return {"executed": plain if event.certainty == 1.0 else {"ok": event.ok, "certainty": event.certainty}}
    if isinstance(event, Answered):
        return {"answered": event.module, "changed": event.changed, "expert": event.expert}
    return {"forwarded": dict(event.confidences)}


@given(data=st.data(), modules=module_lists(most=7))
def test_the_posterior_is_that_of_enumeration(data: st.DataObject, modules: list[Module]) -> None:
    events = data.draw(histories(modules))
    truth = enumerate_history(modules, events)
    if truth is None:
        return
    belief = observe(ModuleGraph(modules), [written(event) for event in events])
    found = dict(zip(belief.graph.names, belief.wrong.tolist(), strict=True))
    assert found == pytest.approx(truth.wrong, abs=1e-9)
    assert belief.reliability == pytest.approx(truth.reliability, abs=1e-9)


def test_nothing_observed_is_the_start() -> None:
    belief = observe(BITE, [])
    assert belief.wrong == pytest.approx([0.1, 0.8, 0.4])


def test_the_expert_counts_where_an_answer_does_not_say() -> None:
    history = [{"answered": "m1", "changed": True}, {"answered": "m2", "changed": True, "expert": 0.7}]
    assert observe(BITE, history, expert=0.8).wrong[1:] == pytest.approx([0.2, 0.3])


def test_an_answer_may_leave_open_whether_it_changed_anything() -> None:
    unknown = observe(BITE, [{"executed": "failed"}, {"answered": "m1"}])
    assert 0.0 < unknown.wrong[0] < 0.9
    truth = enumerate_history(BITE.modules, [Executed(False), Answered("m1", None, 1.0)])
    assert truth is not None
    assert unknown.wrong == pytest.approx([truth.wrong[name] for name in BITE.names])


def test_a_look_that_is_certain_is_the_same_as_the_word() -> None:
    word, look = observe(BITE, [{"executed": "failed"}]), observe(BITE, [{"executed": {"ok": False}}])
    assert np.array_equal(word.wrong, look.wrong)


def test_a_forward_pass_is_observed() -> None:
    assert observe(BITE, [{"forwarded": {"m0": 0.5}}]).wrong[0] == pytest.approx(0.5)


def test_what_happened_is_counted() -> None:
    progress = observe(BITE, [{"answered": "m1", "changed": True}, {"executed": "failed"}]).progress
    assert (progress.asks, progress.acts, progress.asks_since_act) == (1, 1, 0)


@pytest.mark.parametrize("history", [None, {}, "[]", 3, [1], ["failed"], [[]], [None], ({"executed": "failed"},)])
def test_what_is_no_list_of_records_is_refused(history: object) -> None:
    with pytest.raises(BadObservation, match="not a list of records"):
        observe(BITE, history)


def test_a_history_without_end_is_refused() -> None:
    with pytest.raises(BadObservation):
        observe(BITE, [{"forwarded": {}}] * 10_001)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "not one of executed, answered, unanswered, forwarded"),
        ({"sung": True}, "not one of"),
        ({"executed": "failed", "answered": "m0"}, "not one of"),
        ({"executed": "perhaps"}, "executed"),
        ({"executed": True}, "executed"),
        ({"executed": None}, "executed"),
        ({"executed": {"ok": "yes"}}, "ok"),
        ({"executed": {"certainty": 0.9}}, "ok"),
        ({"executed": {"ok": False, "certainty": 0.4}}, "certainty"),
        ({"executed": {"ok": False, "certainty": math.nan}}, "certainty"),
        ({"executed": {"ok": False, "colour": 1}}, "colour"),
        ({"executed": "failed", "colour": 1}, "colour"),
        ({"answered": 3}, "answered"),
        ({"answered": "m0", "changed": "yes"}, "changed"),
        ({"answered": "m0", "expert": 1.2}, "expert"),
        ({"answered": "m0", "expert": math.inf}, "expert"),
        ({"forwarded": [0.5]}, "forwarded"),
        ({"forwarded": {"m0": 2.0}}, "m0"),
        ({"forwarded": {"m0": "0.5"}}, "m0"),
        ({"forwarded": {"m0": math.nan}}, "m0"),
    ],
)
def test_an_entry_of_the_wrong_shape_is_refused_by_its_number(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(BadObservation, match=f"entry 2 of the history.*{words}") as caught:
        observe(BITE, [{"executed": "failed"}, entry])
    assert "\n" not in str(caught.value)
    assert "Write for example" in caught.value.hint


@pytest.mark.parametrize("entry", [{"answered": "nobody"}, {"forwarded": {"nobody": 0.5}}])
def test_a_module_that_the_policy_does_not_have_is_refused_by_name(entry: dict[str, Any]) -> None:
    with pytest.raises(UnknownModule, match=r"no module 'nobody'\. It has: m0, m1, m2"):
        observe(BITE, [entry])


def test_a_success_and_a_failure_of_the_same_outputs_cannot_both_be_certain() -> None:
    belief = observe(BITE, [{"executed": "failed"}, {"executed": "succeeded"}])
    with pytest.raises(ImpossibleEvidence):
        _ = belief.reliability


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(("failed", "m0", "executed", "")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("executed", "answered", "forwarded", "ok", "certainty", "m0")), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(history=st.lists(json_values, max_size=3) | json_values)
def test_anything_at_all_is_observed_or_refused_by_an_error_of_handup(history: object) -> None:
    try:
        belief = observe(BITE, history)
        assert len(belief.wrong) == 3
    except HandupError as error:
        assert "\n" not in str(error)


def test_a_seed_is_kept_for_estimates() -> None:
    assert observe(BITE, [], seed=7).seed == 7


def test_forwarded_and_answers_are_told_apart_from_evidence() -> None:
    events: list[Event] = [Executed(False), Forwarded((("m0", 0.4),)), Executed(False, 0.9), Answered("m2", True, 0.8)]
    truth = enumerate_history(BITE.modules, events)
    assert truth is not None
    found = observe(BITE, [written(event) for event in events])
    assert found.wrong == pytest.approx([truth.wrong[name] for name in BITE.names], abs=1e-12)


def test_a_question_that_was_put_off_holds_its_module_back() -> None:
    belief = observe(chain_of((0.5, 0.5)), [{"unanswered": "m1", "for_s": 30.0}])
    assert belief.free(29.0).tolist() == [True, False]
    assert belief.free(30.0).tolist() == [True, True]


def test_a_forward_pass_can_name_new_outputs() -> None:
    history = [{"executed": "failed"}, {"forwarded": {}, "changed": ["m1"]}]
    belief = observe(chain_of((0.5, 0.5)), history)
    assert belief.versions == (0, 1)
