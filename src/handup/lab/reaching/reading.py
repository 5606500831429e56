"""What the numbers say, in words: every sentence is made of the record, so that other numbers give other sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handup.lab.reaching.failures import Cause
from handup.lab.reaching.record import USERS
from handup.lab.reaching.studies import HO, MANUAL, OURS, PAPER
from handup.lab.study.bars import LEAST_TOLD

Record = Mapping[str, Any]
HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told"
WORDS = {HOLDS: "reappears", FAILS: "does not", OPEN: "cannot be told"}
CLOSE = {
    "fig-4": "Fig. 4, a cup from the top with each method",
    "fig-6": "Fig. 6, the policy asks about the cup once and hears no",
    "fig-14": "Fig. 14, the policy asks about the drill among 22 goals: once and hears yes, twice and hears no",
}
WON, LOST, EVEN = "better", "worse", "no clear difference"
PROTOTYPE_ALONE, PROTOTYPE_CUP = "8 of 14", "18.6 s against 78.6 s"
PRESET_S, LONGEST_S = "0.3", "2"
"""Look-aheads between which the prototype found that questions become ten times as frequent."""
BETTER = {"success": 1.0, "total_s": -1.0, "all_opposing": -1.0, "questions": -1.0}
NAMES = {"success": "success", "total_s": "time", "all_opposing": "opposition", "questions": "questions"}


def reading(found: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Headings, and what is to be said under each."""
    yield "The goal of assist", tuple(_goal(found))
    yield "assist against the paper's policy", tuple(_versus(found))
    yield "The paper's orderings, by kind of user", tuple(_orderings(found))
    yield "What a prototype had found", tuple(_prototype(found))
    yield "What the paper's rule of exclusion hides", tuple(_rule(found))
    yield "How the look-ahead decides", tuple(_look_ahead(found))
    yield "Trials looked at closely", tuple(_close(found))


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


def _goal(found: Record) -> Iterator[str]:
    goals = [each for each in found["claims"] if each["key"].startswith("goal: ")]
    by_verdict = {verdict: [each["key"][6:] for each in goals if each["verdict"] == verdict] for verdict in WORDS}
    reached, missed, unclear = (by_verdict[each] for each in (HOLDS, FAILS, OPEN))
    yield (
        f"Of the five parts of the goal, {len(reached)} are reached{_listed(reached)}, {len(missed)} are not"
        f"{_listed(missed)}, and {len(unclear)} cannot be told{_listed(unclear)}."
    )
    got, ratio = found["goal"]["methods"], found["goal"]["ratio"]
    for method in (OURS, PAPER, MANUAL):
        each = got[method]
        yield (
            f"'{method}': {100 * each['success'][0]:.1f} % succeed ({100 * each['first_success'][0]:.1f} % at the "
            f"first attempt), {each['total_s'][0]:.1f} s for all attempts, {each['questions'][0]:.2f} questions, "
            f"{100 * each['all_opposing'][0]:.1f} % of the time opposed."
        )
    yield (
        f"assist takes {ratio['total_s'][0]:.2f} times as long as a person alone ({ratio['total_s'][1]:.2f} to "
        f"{ratio['total_s'][2]:.2f}); by the paper's rule {ratio['time_s'][0]:.2f}."
    )
    for method in (OURS, PAPER):
        yield _failed(f"In this part, attempts with '{method}'", found["goal"]["failures"][method])


def _versus(found: Record) -> Iterator[str]:
    for name, users in found["versus"].items():
        told = {measure: compared(measure, users[USERS[-1]][measure]) for measure in BETTER}
        words = "; ".join(
            f"{outcome} in {_and([NAMES[each] for each in told if told[each] == outcome])}"
            for outcome in (WON, LOST, EVEN)
            if outcome in told.values()
        )
        yield f"{name}, over mixed users: {words}."
    lost = [
        (name, user, measure)
        for name, users in found["versus"].items()
        for user, numbers in users.items()
        for measure in BETTER
        if compared(measure, numbers[measure]) == LOST
    ]
    if not lost:
        yield "In no scene and for no kind of user is assist worse than the paper's policy in any of the four."
    for name, user, measure in lost:
        yield _why_lost(found, name, user, measure)


def _why_lost(found: Record, name: str, user: str, measure: str) -> str:
    """Where assist is worse: what the other numbers of the same place say about it."""
    ours, theirs = (found["means"][name][user][each] for each in (OURS, PAPER))
    gap = found["versus"][name][user][measure]
    scale, unit = {"success": (100.0, " %"), "total_s": (1.0, " s"), "all_opposing": (100.0, " %")}.get(
        measure, (1.0, "")
    )
    said = (
        f"Worse in {NAMES[measure]} in {name} for {user} users, by {abs(scale * gap[0]):.2f}{unit}: assist asks "
        f"{ours['questions'][0]:.2f} questions against {theirs['questions'][0]:.2f}, is right about the goal at the "
        f"end in {100 * ours['predicted'][0]:.0f} % against {100 * theirs['predicted'][0]:.0f} %, and opposes "
        f"{100 * ours['all_opposing'][0]:.1f} % of the time against {100 * theirs['all_opposing'][0]:.1f} %"
    )
    if measure == "questions":
        cost = found["versus"][name][user]["total_s"]
        return f"{said}; with its questions it takes {cost[0]:+.1f} s ({cost[1]:+.1f} to {cost[2]:+.1f})."
    if measure == "total_s" and ours["predicted"][0] < theirs["predicted"][0]:
        return f"{said}: it knows less, and so holds back more."
    return f"{said}."


def _orderings(found: Record) -> Iterator[str]:
    theirs = [each for each in found["claims"] if each["source"] != "handup"]
    for user in USERS[:-1]:
        counts = Counter(each["verdict"] for each in theirs if each["user"] == user)
        yield (
            f"{user}: of {sum(counts.values())} orderings {counts[HOLDS]} reappear, {counts[FAILS]} do not, and "
            f"{counts[OPEN]} cannot be told."
        )
    keys = dict.fromkeys(each["key"] for each in theirs)
    verdicts = {key: [each["verdict"] for each in theirs if each["key"] == key] for key in keys}
    always = [key for key, told in verdicts.items() if set(told) == {HOLDS}]
    never = [key for key, told in verdicts.items() if set(told) == {FAILS}]
    split = [key for key, told in verdicts.items() if HOLDS in told and FAILS in told]
    yield f"For all three: {_and(always) or 'none'}."
    yield f"For none: {_and(never) or 'none'}."
    yield f"It depends on the user: {_and(split) or 'none'}."


def _prototype(found: Record) -> Iterator[str]:
    for each in found["claims"]:
        if each["key"].startswith("prototype: "):
            word = {HOLDS: "Confirmed", FAILS: "Refuted", OPEN: "Cannot be told"}[each["verdict"]]
            yield f"{word}, {each['user']}: {each['text']} {each['why']}"
    cup = found["table_1"][USERS[0]]
    yield (
        f"The cup from the top, {USERS[0]} users, all attempts counted: {_seconds(cup[PAPER]['total_s'])} with the "
        f"policy against {_seconds(cup[HO]['total_s'])} with HO (prototype: {PROTOTYPE_CUP})."
    )
    counts = found["failures"][PAPER]
    failed = sum(counts[each] for each in Cause)
    belief, answer = counts[Cause.BELIEF], counts[Cause.ANSWER]
    if failed:
        word = "Confirmed" if belief > failed / 2 else "Refuted"
        most = max(Cause, key=lambda each: counts[each])
        yield (
            f"{word}: most failures of the policy are surely wrong beliefs from pushes alone: {belief} of {failed} "
            f"failed attempts; {answer} followed a wrong answer. The most frequent cause is {most}: {counts[most]}."
        )
    else:
        yield "No attempt with the policy failed, so nothing can be said about why."
    for each in USERS:
        tasks, ours = (found["faster_alone"][each][method] for method in (PAPER, OURS))
        yield (
            f"{each}: a person alone is faster than with the policy on {len(tasks)} of {len(found['tasks'])} tasks "
            f"(prototype: {PROTOTYPE_ALONE}), and than with assist on {len(ours)}{_listed(ours)}."
        )


def _rule(found: Record) -> Iterator[str]:
    for name, users in found["means"].items():
        ours = users[USERS[-1]]
        parts = []
        for method in (MANUAL, HO, PAPER, OURS):
            left_out = 100.0 * (1.0 - ours[method]["success"][0])
            parts.append(
                f"{method} {_seconds(ours[method].get('time_s'))} by the rule, which leaves out {left_out:.1f} %, and "
                f"{_seconds(ours[method]['total_s'])} with all attempts"
            )
        yield f"{name}: {'; '.join(parts)}."


def _seconds(numbers: Sequence[float] | None) -> str:
    return "–" if numbers is None else f"{numbers[0]:.1f} s"


def _look_ahead(found: Record) -> Iterator[str]:
    asked: dict[str, float] = {}
    for seconds, scenes in found["look_ahead"].items():
        questions, success, time_s = (
            sum(each[name][0] for each in scenes.values()) / len(scenes) for name in ("questions", "success", "total_s")
        )
        yield (
            f"T = {seconds} s: {questions:.2f} questions per task, {100 * success:.0f} % succeed, {time_s:.1f} s, on "
            "average over the scenes."
        )
        asked[seconds] = questions
    few, many = asked[PRESET_S], asked[LONGEST_S]
    yield (
        f"From T = {PRESET_S} s to T = {LONGEST_S} s the questions go from {few:.2f} to {many:.2f}: what is asked "
        f"{'depends' if many > 2.0 * few else 'hardly depends'} on a number that the paper does not give."
    )


def _close(found: Record) -> Iterator[str]:
    for name, what in CLOSE.items():
        labels = list(dict.fromkeys(found["close"][name]))
        yield f"{what}: {'; '.join(labels) if labels else 'no trial of the study is like that'}."


def _failed(what: str, counts: Mapping[str, int]) -> str:
    causes = {each: counts[each] for each in Cause if counts[each]}
    words = ", ".join(f"{count} × {name}" for name, count in sorted(causes.items(), key=lambda each: -each[1]))
    return f"{what} fail {sum(causes.values())} times of {counts['attempts']}{': ' + words if words else ''}."


def _and(given: Sequence[str]) -> str:
    return given[0] if len(given) == 1 else f"{', '.join(given[:-1])} and {given[-1]}" if given else ""


def _listed(given: Sequence[str]) -> str:
    return f" ({_and(given)})" if given else ""
