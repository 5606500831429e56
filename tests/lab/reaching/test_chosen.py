"""Trials that are looked at closely are those of the study, done again."""

from __future__ import annotations

from handup.domains.reaching import Moment
from handup.intent.pose import STILL
from handup.lab.reaching.chosen import Replay, replay, table_2
from handup.lab.reaching.definition import FIRST_TRYING
from handup.lab.reaching.strips import Doing, doing, strips

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
