"""The harness can fail: each deliberately broken program is found out within a few seeds."""

from __future__ import annotations

import pytest

from tests.kill.conftest import Play
from tests.kill.mutants import MUTANTS

MOST_SEEDS = 12
FOUND = {
    "acknowledges_early": "was acknowledged and is lost",
    "acts_first": "did meal/act/1 2 times",
    "repeats_blindly": "and then done again as if it had not been",
    "takes_unknown_for_failed": "did not go as the session was told",
    "forgets_tokens": "was refused and counted",
    "forgets_answers": "was never told to the session, which went on",
    "commits_each_statement": "DamagedJournal",
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("play", ["sqlite"], indirect=True)
def test_a_broken_program_is_found_out(play: Play, mutant: str) -> None:
    found: list[str] = []
    for seed in range(1, MOST_SEEDS):
        found += play(seed, mutant=mutant).wrong
        if any(FOUND[mutant] in each for each in found):
            return
    pytest.fail(f"{mutant} was not found out: {found}")
