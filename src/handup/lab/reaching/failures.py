"""Why attempts failed: one cause each, by a rule that looks at what the robot believed and was told."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from handup.lab.reaching.results import Results, Where
from handup.lab.reaching.rows import AttemptRow, TrialRow
from handup.lab.reaching.studies import ALL, MANUAL


class Cause(StrEnum):
    """What stood in the way of an attempt, the first that is true."""

    ANSWER = "a wrong answer"
    """A question of the attempt was answered wrongly."""
    BELIEF = "surely wrong from pushes alone"
    """At the end the robot was surer than .7 of another goal, without any wrong answer."""
    POSE = "a pose that is not listed"
    """The robot did not know the wanted pose."""
    UNSURE = "never sure"
    """At the end it was surer than .7 of nothing."""
    HAND = "missed or too late, no more"
    """It was sure of the goal, or there was none to be sure; the hand closed elsewhere, or the time was up."""


def cause(row: TrialRow, attempt: AttemptRow, *, alone: bool = False) -> Cause:
    """The cause of a failed attempt; alone, no robot believes anything."""
    if attempt.wrong_answers:
        return Cause.ANSWER
    if attempt.sure_of not in ("", row.task):
        return Cause.BELIEF
    if not row.listed:
        return Cause.POSE
    return Cause.HAND if attempt.sure_of or alone else Cause.UNSURE


def causes(results: Results, *, part: str = ALL) -> dict[str, dict[str, int]]:
    """Failed attempts of each method by their cause, and all attempts, in all scenes of a part."""
    found = {}
    for method in results.study.part(part).methods:
        rows = results.rows(method, Where(part=part))
        alone = method == MANUAL
        failed = ((row, each) for row in rows for each in row.attempts if not each.success)
        counted = Counter(cause(row, each, alone=alone) for row, each in failed)
        found[method] = {
            "attempts": sum(len(row.attempts) for row in rows),
            **{str(each): counted[each] for each in Cause},
        }
    return found
