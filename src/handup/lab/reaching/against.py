"""`assist` against the paper's policy in words: in every scene, for every kind of user, and why where no better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handup.domains.reaching import Rules
from handup.lab.reaching.claim import Family
from handup.lab.reaching.failures import place
from handup.lab.reaching.record import USERS
from handup.lab.reaching.studies import OURS, PAPER
from handup.lab.reaching.words import HOLDS, TOLD, counted, failed, joined, mean, number
from handup.lab.study.bars import LEAST_TOLD

Record = Mapping[str, Any]
WON, LOST, EVEN = "better", "worse", "no clear difference"
BETTER = {"success": 1.0, "total_s": -1.0, "all_opposing": -1.0, "questions": -1.0}
"""The sign of what is better."""
NAMES = {"success": "success", "total_s": "time", "all_opposing": "opposition", "questions": "questions"}
NOTHING_TO_WIN = {"success": 0.995, "all_opposing": 0.005, "questions": 0.05}
"""Where the paper's policy is beyond this, nothing can be won."""
MATTERS = 0.005
"""Smaller differences of shares are no reason for anything."""
MUCH = 0.25
"""Asking is a reason for more time where it takes at least this share of it."""


def compared(measure: str, numbers: Sequence[float]) -> str:
    """Whether a difference is for the better, for the worse, or neither, by its interval; of few people, neither.

    Args:
        measure: One of `BETTER`.
        numbers: Mean, interval, p, people.
    """
    if numbers[4] < LEAST_TOLD:
        return EVEN
    low, high = sorted(BETTER[measure] * each for each in numbers[1:3])
    return WON if low > 0.0 else LOST if high < 0.0 else EVEN


def against(found: Record) -> Iterator[str]:
    """The sentences."""
    told = {
        (name, user, measure): compared(measure, numbers[measure])
        for name, users in found["versus"].items()
        for user, numbers in users.items()
        for measure in BETTER
    }
    outcomes = {
        outcome: [f"{name} {user} {NAMES[measure]}" for (name, user, measure), each in told.items() if each == outcome]
        for outcome in (WON, LOST, EVEN)
    }
    many = counted({(f"time {outcome}", f"times {outcome}"): some for outcome, some in outcomes.items()})
    yield (
        f"{len(told)} comparisons (scenes, kinds of users and all of them, success, time, opposition, questions; all "
        f"attempts counted): {many}. Better and worse mean that the whole 95 % interval is on one side; these are not "
        f"corrected for their number, and fewer than {LEAST_TOLD} people tell nothing."
    )
    yield f"What is claimed about {USERS[-1]} users, its orders corrected: {_claimed(found)}."
    for each in found["claims"]:
        if each["family"] == Family.VERSUS and each["verdict"] != HOLDS:
            yield f"{each['verdict'].capitalize()}: {each['text']} {each['why']}"
    yield (
        "That assist hardly opposes anybody is so by construction: it leaves out of its help every axis that goes "
        "against the stick. Little opposition therefore does not say that it guessed right."
    )
    for name in found["versus"]:
        yield f"{name}, {USERS[-1]} users: {_place(found, name, USERS[-1], told, numbers=True)}."
        gap = found["versus_listed"][name]
        outcome = compared("total_s", gap) if gap[4] >= LEAST_TOLD else "too few to tell"
        yield (
            f"{name}, {USERS[-1]} users, only where the wanted pose is listed ({gap[4]:.0f} people): time "
            f"{number('total_s', gap, signed=True)}, {outcome}."
        )
        alike: dict[str, list[str]] = {}
        for user in USERS[:-1]:
            alike.setdefault(_place(found, name, user, told), []).append(user)
        yield f"{name}, {'; '.join(f'{joined(users)} users: {words}' for words, users in alike.items())}."
    if LOST not in told.values():
        yield "In no scene and for no kind of user is assist clearly worse than the paper's policy in any of the four."
    for name in found["versus"]:
        for measure in BETTER:
            short = [user for user in USERS if told[name, user, measure] != WON]
            if short:
                said = "; ".join(
                    f"{user}: {told[name, user, measure]}, {_why(found, (name, user), measure, told)}" for user in short
                )
                yield f"Where it is not better, {name}, {NAMES[measure]}: {said}."


def _claimed(found: Record) -> str:
    """The verdicts of the claims, and of which measures in which scenes."""
    parts = []
    for (one, many), verdict in TOLD.items():
        scenes: dict[str, list[str]] = {}
        for each in found["claims"]:
            if each["family"] == Family.VERSUS and each["verdict"] == verdict:
                measure, _, name = each["key"].partition(": ")[2].partition(", ")
                scenes.setdefault(name, []).append(measure)
        count = sum(map(len, scenes.values()))
        if count:
            which = "; ".join(f"{name} {joined(measures)}" for name, measures in scenes.items())
            parts.append(f"{count} {one if count == 1 else many} ({which})")
    return joined(parts)


def _place(
    found: Record, name: str, user: str, told: Mapping[tuple[str, str, str], str], *, numbers: bool = False
) -> str:
    """Better in this, worse in that."""

    def shown(measure: str) -> str:
        gap = number(measure, found["versus"][name][user][measure], signed=True)
        return f"{NAMES[measure]} {gap}" if numbers else NAMES[measure]

    return "; ".join(
        f"{outcome} in {joined([shown(each) for each in BETTER if told[name, user, each] == outcome])}"
        for outcome in (WON, LOST, EVEN)
        if any(told[name, user, each] == outcome for each in BETTER)
    )


def _why(found: Record, where: tuple[str, str], measure: str, told: Mapping[tuple[str, str, str], str]) -> str:
    """What the numbers of the same place say about it."""
    name, user = where
    gap = found["versus"][name][user][measure]
    ours, theirs = (found["means"][name][user][each] for each in (OURS, PAPER))
    said = f"{mean(measure, ours[measure])} against {mean(measure, theirs[measure])}"
    if gap[4] < LEAST_TOLD:
        return f"{said}, of too few people to tell"
    said = f"{said}, {number(measure, gap, signed=True)}"
    if told[name, user, measure] == EVEN:
        limit = NOTHING_TO_WIN.get(measure)
        if limit is not None and BETTER[measure] * (theirs[measure][0] - limit) >= 0.0:
            return f"{said}: hardly anything was to be won"
        if BETTER[measure] * gap[0] > 0.0:
            return f"{said}: better on average, but not beyond chance"
    reasons = {
        "success": _first_small(failed("with assist", found["failures"][OURS][place(name, user)])),
        "total_s": _slower(found, where, ours, theirs),
        "all_opposing": _less_sure(ours, theirs) or "at the end it is not less sure of the goal",
        "questions": "the policy hardly ever asks"
        if theirs["questions"][0] < NOTHING_TO_WIN["questions"]
        else f"in time that makes {number('total_s', found['versus'][name][user]['total_s'], signed=True)}",
    }
    return f"{said}: {reasons[measure]}"


def _less_sure(ours: Record, theirs: Record) -> str:
    """That it is sure of the goal less often, where it is."""
    if theirs["predicted"][0] - ours["predicted"][0] <= MATTERS:
        return ""
    both = f"{mean('predicted', ours['predicted'])} against {mean('predicted', theirs['predicted'])}"
    return f"at the end it is sure of the goal less often ({both})"


def _slower(found: Record, where: tuple[str, str], ours: Record, theirs: Record) -> str:
    """What of the other numbers costs time."""
    reasons = []
    name, user = where
    asked = ours["questions"][0] - theirs["questions"][0]
    seconds = asked * Rules().question_s
    if asked > 0.0 and seconds >= MUCH * found["versus"][name][user]["total_s"][0]:
        reasons.append(f"it asks more, {asked:.2f} questions or {seconds:.1f} s")
    first = "first_success"
    if theirs[first][0] - ours[first][0] > MATTERS:
        reasons.append(
            f"fewer first attempts succeed ({mean(first, ours[first])} against {mean(first, theirs[first])})"
        )
        reasons.append(_first_small(failed("with assist", found["failures"][OURS][place(*where)])))
    reasons += filter(None, [_less_sure(ours, theirs)])
    return "; ".join(reasons) or "neither questions, failures nor missed predictions explain it"


def _first_small(text: str) -> str:
    return text[0].lower() + text[1:]
