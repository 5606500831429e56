"""Trials that are looked at closely are those of the study, done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from handup.domains.reaching import Moment, Strategy
from handup.intent.pose import STILL
from handup.lab.reaching import chosen
from handup.lab.reaching.chosen import LONGER, Heard, Replay, all_of, replay, table_2
from handup.lab.reaching.definition import FIRST_TRYING, Sitting
from handup.lab.reaching.rows import AttemptRow
from handup.lab.reaching.strips import Doing, doing, strips
from tests.lab.reaching.made_up import ATTEMPT, results

SEED = FIRST_TRYING + 40


def asked() -> Replay:
    """The first trial of some in which the policy asks."""
    found = (replay("S2", "scissors/side vertical", "stop-beside", "paper", SEED + each) for each in range(20))
    return next(each for each in found if each.heard)


def test_a_replay_is_the_same_each_time_and_hears_every_question() -> None:
    one = asked()
    again = replay(one.trial.scene, one.trial.task, "stop-beside", "paper", one.trial.seed)
    assert (again.trial, again.heard) == (one.trial, one.heard)
    assert len(one.heard) == one.trial.attempts[-1].questions
    assert set(one.answers) <= {True, False}
    steps = table_2((one,))["paper"]
    assert len(steps) <= 10
    assert all(each.endswith(" s") or each.startswith("asks: ") for each in steps)


def test_a_strip_in_which_nothing_is_asked_says_so() -> None:
    assert strips("x", "A title", [replace(asked(), heard=())]).caption.endswith("Nothing is asked.")


def test_a_strip_says_what_was_asked() -> None:
    one = asked()
    drawn = strips("x", "A title", [one])
    assert one.heard[0].prompt in drawn.caption
    assert drawn.svg.startswith(b"<?xml")
    assert strips("x", "A title", [one]).svg == drawn.svg


def test_what_the_robot_does_is_told_from_its_words() -> None:
    def moment(why: str) -> Moment:
        return Moment(0.0, STILL, (1.0, 0.0, 0.0, 0.0), STILL, STILL, STILL, STILL, why, (), False)

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


def asking(*methods: str, questions: int = 1) -> Callable[[Sitting, str, int], tuple[AttemptRow, ...]]:
    """Trials in which some methods ask so much, and others nothing."""
    return lambda sitting, task, seed: (replace(ATTEMPT, questions=questions if sitting.method in methods else 0),)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing is simulated: a trial done again has one question, answered as the test wants it, last first."""
    one, values = asked(), ["no"]

    def again(name: str, task: str, strategy: str, method: str, seed: int) -> Replay:
        trial = replace(one.trial, scene=name, task=task, strategy=Strategy(strategy), method=method, seed=seed)
        return Replay(trial, (Heard("The cup?", values[-1] == "yes"),))

    monkeypatch.setattr(chosen, "replay", again)
    return values


def test_where_the_preset_asks_so_its_trial_is_taken(answered: list[str]) -> None:
    (found,) = all_of(chosen.fig_6(results(asking("paper", *LONGER), seeds=3)))
    assert found.trial.method == "paper"
    assert "paper" not in found.label
    answered.append("yes")
    assert all_of(chosen.fig_6(results(asking("paper", *LONGER), seeds=3))) == ()


@pytest.mark.parametrize("method", LONGER)
def test_where_the_preset_asks_nobody_so_a_longer_look_ahead_is_taken_and_named(
    answered: list[str], method: str
) -> None:
    made = results(asking(method), seeds=3)
    (found,) = all_of(chosen.fig_6(made))
    assert found.trial.method == method
    assert found.label.endswith(f", '{method}'")
    close = chosen.fig_4(made)
    assert [each.trial.method for each in all_of(close)] == [*chosen.FIG_4, method]
    assert list(close) == [chosen.EACH]
    assert list(table_2(all_of(close))) == ["paper+no-ho", "paper", method]


def test_what_nobody_does_is_looked_for_and_not_found(answered: list[str]) -> None:
    made = results(asking(), seeds=3)
    assert chosen.fig_6(made) == {chosen.NO: ()}
    assert chosen.fig_14(made) == {chosen.YES: (), chosen.TWICE: ()}
    close = chosen.fig_4(made)
    assert close[chosen.ASKS_ONCE] == ()
    assert [each.trial.method for each in close[chosen.EACH]] == list(chosen.FIG_4)
