"""Requests for help from a table: read with care, fitted to the greatest likelihood, scored without looking ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from handup.core import BadData
from handup.people import Busyness, willingness_model
from handup.people.help_requests import (
    KIND_OF_PEOPLE,
    HelpRequest,
    RecordSource,
    auc,
    chances_of,
    falling,
    fit_willingness,
    load_weight,
    read_requests,
)
from tests.oracles.willingness import objective

HEADER = "person,request,busyness,asked_before,helped_before,helped,prosociality\n"
ROW = "a,1,free time,0.4,0.5,1,3.5\n"


def requests_of(people: int, seed: int, *, each: int = 8) -> tuple[HelpRequest, ...]:
    """Requests to people of three kinds: a third never helps, a third when free, the rest mostly."""
    random = np.random.default_rng(seed)
    chances = np.array([[0.02, 0.02, 0.02], [0.9, 0.1, 0.05], [0.9, 0.9, 0.6]])
    words = tuple(Busyness)
    rows = []
    for person in range(people):
        kind = int(random.integers(3))
        for number in range(each):
            place = int(random.integers(3))
            helped = bool(random.random() < chances[kind][place])
            rows.append(HelpRequest(f"p{person}", number, words[place], helped, 0.6, 0.0))
    return tuple(rows)


REQUESTS = requests_of(60, 1)


@given(st.data())
def test_a_prediction_uses_nothing_of_its_own_row_or_later(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(RecordSource))
    rows = requests_of(3, data.draw(st.integers(0, 20)))
    at = data.draw(st.integers(0, len(rows) - 1))
    changed = [
        replace(row, helped=not row.helped) if row.person == rows[at].person and row.order >= rows[at].order else row
        for row in rows
    ]
    model = willingness_model()
    before, after = chances_of(model, source, rows), chances_of(model, source, changed)
    assert before[at] == after[at]


def test_the_order_of_the_file_does_not_matter() -> None:
    rows = requests_of(4, 3)
    mixed = np.random.default_rng(0).permutation(len(rows)).tolist()
    chances = chances_of(willingness_model(), RecordSource.FIRST_AND_ROWS, rows)
    again = chances_of(willingness_model(), RecordSource.FIRST_AND_ROWS, [rows[place] for place in mixed])
    assert again.tolist() == [chances[place] for place in mixed]


def test_predictions_are_those_of_the_model_that_is_told_row_by_row() -> None:
    levels = {Busyness.FREE: 3, Busyness.MEDIUM: 2, Busyness.HIGH: 1}
    model, rows = willingness_model(), requests_of(3, 5)
    chances = chances_of(model, RecordSource.ROWS, rows)
    for row, found in zip(rows, chances.tolist(), strict=True):
        assert found == model.chance(levels[row.busyness], load=row.load, person=row.person).probability
        model = model.asked(row.person, levels[row.busyness], answered=row.helped)


def test_the_first_window_counts_as_requests_of_unknown_busyness() -> None:
    model = willingness_model()
    told = model
    for answered in (True, False, False):
        told = told.asked("a", 0, answered=answered)
    row = HelpRequest("a", 1, Busyness.FREE, False, 0.6, 1 / 3)
    assert row.window == (3, 1)
    found = chances_of(model, RecordSource.FIRST_AND_ROWS, [row])[0]
    assert found == told.chance(3, person="a").probability


def test_no_step_from_the_fit_is_more_likely() -> None:
    rows = [replace(row, load=None) for row in REQUESTS]
    fit = fit_willingness(rows)
    places = {busyness: place for place, busyness in enumerate(Busyness)}
    people = [
        [(places[row.busyness], row.helped) for row in rows if row.person == name]
        for name in {row.person for row in rows}
    ]

    def score(shares: Sequence[float], chances: Sequence[Sequence[float]]) -> float:
        return objective(shares, chances, people, KIND_OF_PEOPLE, fit.chosen.pull)

    shares = np.array([kind.share for kind in fit.model.kinds])
    chances = np.array([kind.chances[:3] for kind in fit.model.kinds])
    best = score(shares.tolist(), chances.tolist())
    random = np.random.default_rng(0)
    for _ in range(60):
        moved = np.clip(shares * np.exp(random.normal(0.0, 0.1, len(shares))), 1e-4, None)
        near = np.clip(chances + random.normal(0.0, 0.02, chances.shape), 0.001, 0.999)
        near = np.minimum.accumulate(near, axis=1)  # a busier person is never the more willing one
        assert score((moved / moved.sum()).tolist(), near.tolist()) <= best + 1e-3
    assert best > score([1 / 7] * 7, KIND_OF_PEOPLE)


def test_a_fit_beats_the_base_rate_on_people_it_has_not_seen() -> None:
    unseen = requests_of(200, 2)
    fit = fit_willingness(REQUESTS)
    helped = np.array([row.helped for row in unseen])
    chances = fit.chances(unseen)
    assert np.mean((chances - helped) ** 2) < 0.65 * np.mean((fit.helped - helped) ** 2)
    area = auc(chances, helped)
    assert area is not None
    assert area > 0.85


def test_a_fit_is_the_same_each_time_and_whatever_the_order() -> None:
    fit = fit_willingness(REQUESTS)
    again = fit_willingness(tuple(reversed(REQUESTS)))
    assert again.model == fit.model
    assert again.chosen == fit.chosen


@pytest.mark.parametrize("helped", [True, False])
def test_a_fit_to_one_outcome_or_one_person_stays_short_of_certainty(helped: bool) -> None:
    rows = [HelpRequest("a", number, Busyness.FREE, helped) for number in range(3)]
    chances = fit_willingness(rows).chances(rows)
    assert 0.0 < chances.min() <= chances.max() < 1.0


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30))
def test_auc_is_the_share_of_pairs_in_order(rows: list[tuple[int, bool]]) -> None:
    chances, happened = np.array([row[0] / 4 for row in rows]), np.array([row[1] for row in rows])
    pairs = [(float(hit > miss) + 0.5 * (hit == miss)) for hit in chances[happened] for miss in chances[~happened]]
    assert auc(chances, happened) == (pytest.approx(np.mean(pairs)) if pairs else None)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.1, 10.0)), min_size=3, max_size=3))
def test_falling_is_isotonic_regression(cells: list[tuple[float, float]]) -> None:
    values, weights = (np.array(column) for column in zip(*cells, strict=True))
    expected = IsotonicRegression(increasing=False).fit_transform([0, 1, 2], values, sample_weight=weights)
    assert falling(values[None, :], weights[None, :])[0] == pytest.approx(expected)


def test_the_weight_of_the_load_has_the_sign_of_its_effect() -> None:
    random = np.random.default_rng(0)
    loads = random.choice([-0.4, 0.4], 2000)
    outcomes = (random.random(2000) < 1 / (1 + np.exp(2.0 * loads))).astype(np.float64)
    assert load_weight(np.full(2000, 0.5), loads, outcomes) == pytest.approx(-2.0, abs=0.3)


# -- tables ------------------------------------------------------------------------------------------------------------


def test_a_table_is_read_and_unknown_columns_are_named() -> None:
    header = "Person,request,busyness,helped,asked_before,helped_before,mood\n"
    text = header + "Ada,2,FREE,true,0.4,0.5,good\nAda,1,high,0,,,\n"
    requests, unknown = read_requests(text)
    assert requests == (
        HelpRequest("Ada", 2.0, Busyness.FREE, True, 0.4, 0.5),
        HelpRequest("Ada", 1.0, Busyness.HIGH, False),
    )
    assert unknown == ("mood",)
    assert read_requests(HEADER + ROW)[1] == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have a header, got an empty text"),
        (HEADER, "must have rows, got only its header"),
        (HEADER.replace("busyness", "busy") + ROW, "lacks 'busyness'"),
        (HEADER.replace("prosociality", "helped") + ROW, "names a column twice"),
        (HEADER + "a,1,free time\n", "row 2 must have 7 values, got 3"),
        (HEADER + ROW.replace("a,", ",", 1), "row 2 must name a person, got nothing"),
        (HEADER + ROW + ROW, "row 3: a person's requests must have different numbers, and this one is that of row 2"),
        (HEADER + ROW.replace("free time", "idle"), "busyness must be one of free time, medium, high, got 'idle'"),
        (HEADER + ROW.replace("0.5,1,", "0.5,2,"), "helped must be 0 or 1, got '2'"),
        (HEADER + ROW.replace("0.4", "1.4"), "asked_before must lie between 0 and 1, got 1.4"),
        (HEADER + ROW.replace("0.5", "x"), "helped_before must be a number, got 'x'"),
        (HEADER + ROW.replace("a,1", "a,first"), "request must be a number, got 'first'"),
        (HEADER + '"a,1\n', "must be CSV"),
    ],
)
def test_bad_tables_are_told_with_their_line(text: str, words: str) -> None:
    with pytest.raises(BadData, match=words.replace("(", "\\(")) as told:
        read_requests(text)
    assert told.value.line is not None or "only its header" in words or "empty" in words


def test_no_requests_cannot_be_fitted() -> None:
    with pytest.raises(BadData, match="there must be requests, got none"):
        fit_willingness(())
