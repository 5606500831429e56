"""One cause for each failed attempt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handup.lab.reaching.definition import Size
from handup.lab.reaching.failures import ATTEMPTS, EVERYWHERE, Cause, cause, causes, place
from handup.lab.reaching.studies import REACHING
from tests.lab.reaching.made_up import FAILED, results, trial

SITTING = next(iter(REACHING.sittings(Size())))


@pytest.mark.parametrize(
    ("change", "listed", "expected"),
    [
        ({"wrong_answers": 1, "sure_of": "cup/side"}, False, Cause.ANSWER),
        ({"sure_of": "cup/side"}, False, Cause.BELIEF),
        ({"sure_of": "cup/top"}, False, Cause.POSE),
        ({"sure_of": ""}, True, Cause.UNSURE),
        ({"sure_of": "cup/top"}, True, Cause.HAND),
    ],
)
def test_the_first_that_is_true(change: dict[str, object], listed: bool, expected: Cause) -> None:
    attempt = replace(FAILED, **change)  # type: ignore[arg-type]
    assert cause(trial(SITTING, "cup/top", 0, (attempt,), listed=listed), attempt) is expected


def test_alone_no_robot_believes_anything() -> None:
    row = trial(SITTING, "cup/top", 0, (FAILED,))
    assert cause(row, FAILED, alone=True) is Cause.HAND


def test_causes_add_up_to_the_failed_attempts_everywhere_and_at_each_place() -> None:
    found = causes(results(lambda sitting, task, seed: (FAILED, FAILED), seeds=2))
    for places in found.values():
        for counts in places.values():
            assert counts[ATTEMPTS] == sum(counts[each] for each in Cause)
        assert places[EVERYWHERE][ATTEMPTS] == 14 * 3 * 2 * 2
        assert places[place("S1", "stop-over")][ATTEMPTS] * 3 == places[place("S1", "mixed")][ATTEMPTS] == 4 * 3 * 2 * 2
    assert set(found) == set(REACHING.main.methods)
