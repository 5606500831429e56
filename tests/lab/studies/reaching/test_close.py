"""Trials that are looked at closely are those of the study, done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from handup.domains.reaching import Moment, SteeringHabit
from handup.intent.pose import STILL
from handup.lab.engine.study import Batch
from handup.lab.studies.reaching import close
from handup.lab.studies.reaching.close import LONGER, Replay, all_of, replay, table_2
from handup.lab.studies.reaching.figures import Doing, doing, strips
from handup.lab.studies.reaching.trials import FIRST_TRYING
from tests.lab.studies.reaching.made_up import ATTEMPT, Attempt, results

SEED = FIRST_TRYING + 40


@cache
def asked() -> Replay:
    """The first trial of some in which the policy asks."""
    found = (replay("S2", "scissors/side vertical", "stop-beside", "paper", SEED + number) for number in range(20))
    return next(done for done in found if done.heard)


def test_a_replay_is_the_same_each_time_and_hears_every_question_which_its_strip_says() -> None:
    done = asked()
    again = replay(done.trial.scene, done.trial.task, "stop-beside", "paper", done.trial.seed)
    assert (again.trial, again.heard) == (done.trial, done.heard)
    assert len(done.heard) == done.trial.attempts[-1].questions
    steps = table_2((done,))["paper"]
    assert len(steps) <= 10
    assert all(step.endswith(" s") or step.startswith("asks: ") for step in steps)
    drawn = strips("fig-4", [asked()])
    assert asked().heard[0][0] in drawn.caption
    assert drawn.svg.startswith(b"<?xml")
    assert strips("fig-4", [replace(asked(), heard=())]).caption.endswith("Nothing is asked.")


def test_what_the_robot_does_is_told_from_its_words() -> None:
    def moment(why: str) -> Moment:
        return Moment(0.0, STILL, (1.0, 0.0, 0.0, 0.0), STILL, STILL, why, (), False)

    told = {
        "to cup/top": Doing.TO_IT,
        "to cup/side": Doing.TO_ANOTHER,
        "hindsight": Doing.MIX,
        "carry": Doing.MIX,
        "no-assist": Doing.NOTHING,
        "hands off near an object": Doing.NOTHING,
        "The cup?": Doing.ASKS,
    }
    assert {why: doing(moment(why), "cup/top", frozenset({"The cup?"})) for why in told} == told


def asking(*methods: str) -> Callable[[Batch, str, int], tuple[Attempt, ...]]:
    """Trials in which some methods ask once, and others nothing."""
    return lambda batch, task, seed: ({**ATTEMPT, "questions": int(batch.arm in methods)},)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing is simulated: a trial done again has one question, answered as the test wants it, last first."""
    values = ["no"]

    def again(name: str, task: str, strategy: str, method: str, seed: int) -> Replay:
        changed = {"scene": name, "task": task, "strategy": SteeringHabit(strategy), "method": method, "seed": seed}
        trial = replace(asked().trial, **changed)  # type: ignore[arg-type]
        return Replay(trial, (("The cup?", values[-1] == "yes"),))

    monkeypatch.setattr(close, "replay", again)
    return values


@pytest.mark.parametrize("method", ["paper", LONGER[-1]])
def test_the_first_policy_that_asks_so_is_taken_and_a_longer_look_ahead_is_named(
    answered: list[str], method: str
) -> None:
    made = results(asking(method, LONGER[-1]), seeds=3)
    chosen = close.choose(made)
    (found,) = all_of(chosen["fig-6"])
    assert found.trial.method == method
    assert found.label.endswith(f", '{LONGER[-1]}'") == (method != "paper")
    assert [done.trial.method for done in all_of(chosen["fig-4"])] == list(dict.fromkeys((*close.FIG_4, method)))
    assert list(table_2(all_of(chosen["fig-4"]))) == list(dict.fromkeys(("paper+no-ho", "paper", method)))
    answered.append("yes")
    assert all_of(close.choose(made)["fig-6"]) == ()


def test_what_nobody_does_is_looked_for_and_not_found(answered: list[str]) -> None:
    found = close.choose(results(asking(), seeds=3))
    assert found["fig-6"] == {close.NO: ()}
    assert found["fig-14"] == {close.YES: (), close.TWICE: ()}
    assert found["fig-4"][close.ASKS_ONCE] == ()
    assert [done.trial.method for done in found["fig-4"][close.EACH]] == list(close.FIG_4)
