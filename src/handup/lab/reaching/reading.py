"""What the numbers say, in words: every sentence is made of the record, so that other numbers give other sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from handup.confidence.metrics import wilson
from handup.intent import Points
from handup.lab.reaching.against import against
from handup.lab.reaching.claim import Family
from handup.lab.reaching.claims import FASTER, OPPOSING, QUESTIONS, SUCCESS
from handup.lab.reaching.definition import LOOK_AHEADS_S
from handup.lab.reaching.failures import EVERYWHERE, Cause
from handup.lab.reaching.orderings import WORDS
from handup.lab.reaching.record import FEW, USERS
from handup.lab.reaching.studies import ALL, GOAL, HO, HO_YIELDS, MANUAL, NO_QUESTIONS, OURS, PAPER
from handup.lab.reaching.words import (
    FAILS,
    HOLDS,
    OPEN,
    TOLD,
    counted,
    failed,
    joined,
    listed,
    mean,
    number,
    rounded,
    several,
)
from handup.lab.study.claim import Verdict

Record = Mapping[str, Any]
CLOSE = {
    "fig-4": "Fig. 4, a cup from the top",
    "fig-6": "Fig. 6, a cup from the top with the policy",
    "fig-14": "Fig. 14, the drill among 22 goals with the policy",
}
REACHED = {HOLDS: "reached", FAILS: "not reached", OPEN: "cannot be told"}
SAYS = {HOLDS: "Holds", FAILS: "Does not hold", OPEN: "Cannot be told"}
CONFIRMED = {HOLDS: "Confirmed", FAILS: "Refuted", OPEN: "Cannot be told"}
KINDS: Mapping[str, Callable[[set[str]], bool]] = {
    "Hold for all three": lambda told: told == {HOLDS},
    "Hold for none of the three": lambda told: told == {FAILS},
    "Hold for some and not for others": lambda told: {HOLDS, FAILS} <= told,
    "Hold for some and cannot be told for others": lambda told: told == {HOLDS, OPEN},
    "Do not hold for some and cannot be told for others": lambda told: told == {FAILS, OPEN},
    "Cannot be told for any": lambda told: told == {OPEN},
}
"""Claims by their verdicts for the three kinds of users; each is of one kind."""
NOT_FOUND = "not supported"
"""How the source of a claim says that the paper itself did not find it."""
PROTOTYPE_ALONE, PROTOTYPE_CUP, PROTOTYPE_BELIEF = "8 of 14", "18.6 s against 78.6 s", "12 of 15"
HARDLY_ASKS, NEARLY_NONE = 0.5, 0.01
"""Questions per task: less than the first is hardly asking, and at most the second tells nothing about questions."""
DEPENDS = {
    HOLDS: "how much is asked depends on",
    FAILS: "it is not so that more is asked with a larger value of",
    OPEN: "it cannot be told whether how much is asked depends on",
}
LOOK_AHEAD = "How the look-ahead decides"
PRESET_S, LONGEST_S = f"{Points().look_ahead_s:g}", f"{max(LOOK_AHEADS_S):g}"


def reading(found: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Headings, and what is to be said under each."""
    yield "The goal of assist", (*goal_lines(found), *_beside_the_goal(found))
    yield "Who asks", tuple(_asking(found))
    yield "assist against the paper's policy", tuple(against(found))
    yield "The paper's claims, by kind of user", tuple(_paper(found))
    yield "What a prototype had found", tuple(_prototype(found))
    yield "What the paper's rule of exclusion hides", tuple(_rule(found))
    yield LOOK_AHEAD, tuple(_look_ahead(found))
    yield "A gentle robot, α = .2", tuple(_gentle(found))
    yield "Trials looked at closely", tuple(_close(found))


def goal_lines(found: Record) -> Iterator[str]:
    """The five parts of the goal: what was got, with intervals, and whether it is reached; then how many are."""
    verdicts = {each["key"].removeprefix("goal: "): each["verdict"] for each in _of(found, Family.GOAL)}
    got, ratio = found["goal"]["methods"][OURS], found["goal"]["ratio"]
    all_attempts, by_rule = (number("ratio", ratio[each]) for each in ("total_s", "time_s"))
    tasks = ", ".join(
        f"{task} {number('total_s', gap, signed=True)}" for task, gap in found["goal"]["slower_s"].items()
    )
    said = {
        "success": f"{number('success', got['success'])} succeed; the goal is at least {100 * SUCCESS:g} %",
        "time": f"{number('total_s', got['total_s'])} for all attempts, {all_attempts} times that of a person alone, "
        f"and {by_rule} by the paper's rule; the goal is at most {FASTER:g}",
        "questions": f"{number('questions', got['questions'])} per task; the goal is at most {QUESTIONS:g}",
        "opposing": f"{number('all_opposing', got['all_opposing'])} of the time; the goal is at most "
        f"{100 * OPPOSING:g} %",
        "every task": f"against a person alone {tasks}; the goal is to be slower on none",
    }
    for name, words in said.items():
        yield f"{name}: {words}: {REACHED[verdicts[name]]}."
    kinds = {("is reached", "are reached"): HOLDS, ("is not", "are not"): FAILS, (OPEN, OPEN): OPEN}
    parts = {words: [name for name in said if verdicts[name] == verdict] for words, verdict in kinds.items()}
    yield f"Of the five parts of the goal {counted(parts, names=True)}."


def _of(found: Record, family: Family) -> list[Mapping[str, Any]]:
    """The claims of a family."""
    return [each for each in found["claims"] if each["family"] == family]


def _few(numbers: Mapping[str, Sequence[float]]) -> str:
    """Success, time, opposition and questions of a method."""
    return (
        f"{number('success', numbers['success'])} succeed, {number('total_s', numbers['total_s'])} for all attempts, "
        f"{number('all_opposing', numbers['all_opposing'])} of the time opposed, "
        f"{number('questions', numbers['questions'])} questions"
    )


def _beside_the_goal(found: Record) -> Iterator[str]:
    """The same people with the paper's policy and alone; failures; poses that are not listed."""
    goal = found["goal"]
    for method in (PAPER, MANUAL):
        yield f"The same people with '{method}': {_few(goal['methods'][method])}."
    for method in (OURS, PAPER, MANUAL):
        yield f"{failed(f'with {method!r}', goal['failures'][method][EVERYWHERE])}."
    for name, some in goal["poses"].items():
        if some["people"]:
            each = "; ".join(
                f"'{method}' {number('success', numbers['success'])} in {mean('total_s', numbers['total_s'])}"
                for method, numbers in some["methods"].items()
            )
            yield f"Success where the wanted pose is {name} ({several(some['people'], 'trial')}): {each}."
        else:
            yield f"There is no trial of this part in which the wanted pose is {name}."


def _asking(found: Record) -> Iterator[str]:
    """How much there is to be said about questions at all."""
    asked = {name: users[USERS[-1]][PAPER]["questions"][0] for name, users in found["means"].items()}
    few = [name for name, each in asked.items() if each < HARDLY_ASKS]
    each = joined([f"{many:.2f} in {name}" for name, many in asked.items()])
    yield f"Questions per task of the preset '{PAPER}', {USERS[-1]} users: {each}." + (
        f" In {joined(few)} that is fewer than one in two tasks, so claims about asking judge a policy that hardly "
        f"asks at T = {PRESET_S} s; see “{LOOK_AHEAD}”."
        if few
        else ""
    )
    count, trials = found["asked"][OURS]
    yield f"'{OURS}' asked {several(count, 'question')} in {several(trials, 'trial')} of the parts {ALL} and {GOAL}" + (
        ", so nothing here is evidence for or against its questions; its improvements 2 (richer questions) and 3 "
        "(their price in seconds) hardly show."
        if count <= NEARLY_NONE * trials
        else "."
    )


def _paper(found: Record) -> Iterator[str]:
    theirs = _of(found, Family.PAPER)
    for user in USERS[:-1]:
        claims = [each for each in theirs if each["user"] == user]
        orders = [each["users"][user]["verdict"] for each in found["orderings"]]
        again = [each["without_rule"] or each["verdict"] for each in claims]
        yield (
            f"{user}: of {len(claims)} claims {_verdicts([each['verdict'] for each in claims])}; without the rule of "
            f"exclusion {_verdicts(again)}. Of their {len(orders)} single orders {_reappear(orders)}."
        )
    verdicts = {
        key: [each["verdict"] for each in theirs if each["key"] == key]
        for key in dict.fromkeys(each["key"] for each in theirs)
    }
    for words, is_so in KINDS.items():
        wanted = [key for key, told in verdicts.items() if is_so(set(told))]
        yield f"{words}: {'; '.join(wanted) or 'no claim'}."
    for key in dict.fromkeys(each["key"] for each in theirs if NOT_FOUND in each["source"]):
        here = ", ".join(f"{user} {verdict}" for user, verdict in zip(USERS[:-1], verdicts[key], strict=True))
        yield f"{key} is what the paper expected and did not find; here: {here}."
    which: dict[str, list[str]] = {"all": [], "none": [], "other": []}
    for row in found["orderings"]:
        told = {user["verdict"] for user in row["users"].values()}
        kind = "all" if told == {WORDS[Verdict.HOLDS]} else "none" if told == {WORDS[Verdict.FAILS]} else "other"
        which[kind].append(row["label"])
    kinds = {
        ("reappears for all three kinds of users", "reappear for all three kinds of users"): which["all"],
        ("reappears for none", "reappear for none"): which["none"],
        ("depends on the user or cannot be told", "depend on the user or cannot be told"): which["other"],
    }
    yield f"Of the {len(found['orderings'])} single orders {counted(kinds)}."


def _verdicts(given: Sequence[str]) -> str:
    return counted({words: [each for each in given if each == verdict] for words, verdict in TOLD.items()})


def _reappear(given: Sequence[str]) -> str:
    kinds = {
        ("reappears", "reappear"): WORDS[Verdict.HOLDS],
        ("does not", "do not"): WORDS[Verdict.FAILS],
        (OPEN, OPEN): WORDS[Verdict.OPEN],
    }
    return counted({words: [each for each in given if each == verdict] for words, verdict in kinds.items()})


def _prototype(found: Record) -> Iterator[str]:
    for each in _of(found, Family.PROTOTYPE):
        yield f"{CONFIRMED[each['verdict']]}, {each['user']}: {each['text']} {each['why']}"
    cup = found["table_1"][USERS[0]]
    yield (
        f"The cup from the top, {USERS[0]} users, all attempts counted: {number('total_s', cup[PAPER]['total_s'])} "
        f"with the policy against {number('total_s', cup[HO]['total_s'])} with HO (prototype: {PROTOTYPE_CUP})."
    )
    yield _most_failures(found["failures"][PAPER][EVERYWHERE])
    tasks = len(found["tasks"])
    yield (
        f"The prototype's {PROTOTYPE_ALONE} tasks on which a person alone is faster count as confirmed where it is so, "
        "on average, on more than half of the tasks, and as refuted where on fewer; no test is made of it."
    )
    for user in USERS:
        alone = found["faster_alone"][user]
        side = 2 * len(alone[PAPER]) - tasks
        told = CONFIRMED[HOLDS if side > 0 else FAILS if side < 0 else OPEN]
        yield (
            f"{told}, {user}: a person alone is faster on average than with the policy on {len(alone[PAPER])} of "
            f"{tasks} tasks (prototype: {PROTOTYPE_ALONE}), and than with assist on "
            f"{len(alone[OURS])}{listed(alone[OURS])}."
        )


def _most_failures(counts: Mapping[str, int]) -> str:
    """Whether most failures of the policy are beliefs that became sure and wrong without a wrong answer."""
    total, belief = sum(counts[each] for each in Cause), counts[Cause.BELIEF]
    if not total:
        return "No attempt with the policy fails, so nothing can be said about why."
    low, high = wilson(belief, total)
    word = CONFIRMED[HOLDS if low > 0.5 else FAILS if high < 0.5 else OPEN]
    return (
        f"{word}: most failures of the policy are beliefs that are {Cause.BELIEF}, {belief} of {total} or "
        f"{100 * belief / total:.0f} % ({100 * low:.0f} to {100 * high:.0f}; prototype: {PROTOTYPE_BELIEF}). "
        f"{failed('with the policy', counts)}."
    )


def _rule(found: Record) -> Iterator[str]:
    for name, users in found["means"].items():
        ours = users[USERS[-1]]
        parts = [
            f"{method} {mean('time_s', ours[method].get('time_s'))} by the rule, which leaves out "
            f"{100.0 * (1.0 - ours[method]['success'][0]):.1f} % of the trials, and "
            f"{mean('total_s', ours[method]['total_s'])} with all attempts"
            for method in (MANUAL, HO, PAPER, OURS)
        ]
        yield f"{name}: {'; '.join(parts)}."
    touched = [each for each in _of(found, Family.PAPER) if each["without_rule"] is not None]
    others = [each for each in touched if each["without_rule"] != each["verdict"]]
    yield (
        f"Of {len(touched)} verdicts that it could change, {len(others)} "
        f"{'is another' if len(others) == 1 else 'are others'} without the rule."
    )
    turned = [
        f"{each['key']} ({each['user']}: {each['verdict']}, without the rule {each['without_rule']})"
        for each in others
        if OPEN not in (each["verdict"], each["without_rule"])
    ]
    if turned:
        yield f"Turned round: {'; '.join(turned)}."


def _look_ahead(found: Record) -> Iterator[str]:
    asked: dict[str, float] = {}
    for seconds, scenes in found["look_ahead"].items():
        yield f"T = {seconds} s: {_over_scenes(scenes)}."
        asked[seconds] = sum(each["questions"][0] for each in scenes.values()) / len(scenes)
    for method, scenes in found["look_ahead_beside"].items():
        yield f"The same people with '{method}': {_over_scenes(scenes)}."
    claims = _of(found, Family.LOOK_AHEAD)
    more = next(each["verdict"] for each in claims if each["key"] == f"T = {LONGEST_S} s: asks more")
    yield (
        f"From T = {PRESET_S} s to T = {LONGEST_S} s the questions go from {asked[PRESET_S]:.2f} to "
        f"{asked[LONGEST_S]:.2f}: {DEPENDS[more]} a number that the paper does not give."
    )
    for each in claims:
        yield f"{SAYS[each['verdict']]}: {each['text']} {each['why']}"


def _over_scenes(scenes: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Means over scenes of the means of each."""
    success, time_s, opposing, questions = (
        mean(each, [sum(one[each][0] for one in scenes.values()) / len(scenes)] * 3) for each in FEW
    )
    return (
        f"{questions} questions per task, {success} succeed, {time_s}, {opposing} of the time opposed, on average over "
        "the scenes"
    )


def _gentle(found: Record) -> Iterator[str]:
    got = found["gentle"]
    for method, numbers in got.items():
        yield f"'{method}': {_few(numbers)}."
    letting_go, asking = (
        _faster(got[before]["total_s"][0] - got[after]["total_s"][0])
        for before, after in ((HO, HO_YIELDS), (NO_QUESTIONS, PAPER))
    )
    yield (
        f"On average letting go makes HO {letting_go}, and questions make the policy {asking}. Whether that is more "
        "than chance is said among the prototype's findings."
    )


def _faster(seconds: float) -> str:
    size = rounded(abs(seconds), 1)
    return f"{size} s {'faster' if seconds > 0.0 else 'slower'}" if float(size) else "neither faster nor slower"


def _close(found: Record) -> Iterator[str]:
    for name, what in CLOSE.items():
        looked_for = "; ".join(
            f"{wanted}: {joined(labels) or 'no trial of the study is like that'}"
            for wanted, labels in found["close"][name].items()
        )
        yield f"{what}. {looked_for[0].upper()}{looked_for[1:]}."
