"""Why attempts failed: one cause each, by a rule that looks at what the robot believed and was told."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from handup.lab.reaching.definition import MIXED
from handup.lab.reaching.results import Results, Where
from handup.lab.reaching.rows import AttemptRow, TrialRow
from handup.lab.reaching.studies import ALL, MANUAL

EVERYWHERE, ATTEMPTS = "everywhere", "attempts"


class Cause(StrEnum):
    """What stood in the way of an attempt, the first that is true."""

    ANSWER = "a wrong answer"
    """A question of the attempt was answered wrongly."""
    BELIEF = "surely wrong without a wrong answer"
    """At the end the robot was surer than .7 of another goal: from pushes, and right answers if there were any."""
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


def causes(results: Results, *, part: str = ALL) -> dict[str, dict[str, dict[str, int]]]:
    """Failed attempts of each method by their cause, and all attempts: everywhere, and at each scene for each user."""
    chosen = results.study.part(part)
    users = dict.fromkeys((*chosen.users, MIXED))
    places = {EVERYWHERE: Where(part=part)} | {
        place(name, user): Where(part=part, scene=name, user=user) for name in chosen.scenes for user in users
    }
    return {
        method: {name: _counted(results, method, where) for name, where in places.items()} for method in chosen.methods
    }


def place(scene: str, user: str) -> str:
    """What a scene with one kind of user is called."""
    return f"{scene}, {user}"


def _counted(results: Results, method: str, where: Where) -> dict[str, int]:
    rows = results.rows(method, where)
    failed = ((row, each) for row in rows for each in row.attempts if not each.success)
    counted = Counter(cause(row, each, alone=method == MANUAL) for row, each in failed)
    return {
        ATTEMPTS: sum(len(row.attempts) for row in rows),
        **{str(each): counted[each] for each in Cause},
    }
