"""The tables of the study of reaching, once, from its record: for the report, for the docs and for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handup.domains.reaching import scene
from handup.intent import Points
from handup.lab.reaching.chosen import ASKS, STEPS
from handup.lab.reaching.claim import LABELS, Family
from handup.lab.reaching.claims import FASTER, OPPOSING, QUESTIONS, SUCCESS
from handup.lab.reaching.failures import ATTEMPTS, EVERYWHERE, Cause
from handup.lab.reaching.judging import DIFFERENT_SIDES
from handup.lab.reaching.record import FEW, USERS
from handup.lab.reaching.studies import (
    ALWAYS_HELPS,
    COMPLEX,
    HO,
    HO_YIELDS,
    MANUAL,
    NO_HO,
    NO_QUESTIONS,
    OURS,
    PAPER,
)
from handup.lab.reaching.words import PERCENT, rounded
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.tables import Table

Record = Mapping[str, Any]
DIGITS = {"questions": 2, "ratio": 2, "mode_changes": 1, "joystick_input": 0}
HEADS = {
    "success": "success, %",
    "first_success": "first attempt, %",
    "time_s": "time, s",
    "total_s": "all attempts, s",
    "mode_changes": "mode changes",
    "joystick_input": "input",
    "opposing": "opposing, %",
    "all_opposing": "opposing, %",
    "predicted": "predicted, %",
    "questions": "questions",
}
ABLATION = "ablation"
KINDS = {
    MANUAL: "alone",
    HO: "compared in the paper",
    HO_YIELDS: "compared in the paper",
    PAPER: "the paper's policy",
    NO_QUESTIONS: ABLATION,
    ALWAYS_HELPS: ABLATION,
    NO_HO: ABLATION,
    "entropy": "baseline",
    OURS: "ours",
}
"""What each method is, in the order of tables."""
SHORT = {"holds": "yes", "does not hold": "no", "cannot be told": "?"}
REACHED = {**SHORT, "cannot be told": "cannot be told"}
VERDICTS = tuple(SHORT)
TASKS = scene(COMPLEX).tasks


def tables(found: Record) -> Iterator[Table]:
    """All of them."""
    yield families(found)
    yield goal(found)
    yield poses(found)
    yield versus(found)
    yield paper_claims(found)
    yield orderings(found)
    for user in USERS:
        yield overview(found, user)
    for user in USERS[:-1]:
        yield table_1(found, user)
    yield table_2(found)
    yield by_task(found)
    yield variance(found)
    yield look_ahead(found)
    yield gentle(found)
    yield failures(found)


def named(method: str) -> str:
    """A method and what it is, so that nobody takes an ablation for the policy."""
    return f"`{method}` ({KINDS[method]})"


def in_order(methods: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a record has of methods, in the order of `KINDS`."""
    return ((each, methods[each]) for each in KINDS if each in methods)


def cell(measure: str, numbers: Sequence[float] | None, *, signed: bool = False) -> str:
    """A mean with its interval, in the measure's unit."""
    if numbers is None:
        return "–"
    scale, digits = (100.0, 1) if measure in PERCENT else (1.0, DIGITS.get(measure, 1))
    value, low, high = (rounded(scale * each, digits, signed=signed) for each in numbers[:3])
    return f"{value} ({low}–{high})" if not signed else f"{value} ({low} to {high})"


def goal(found: Record) -> Table:
    """`assist` against what it was built for."""
    got, ratio = found["goal"]["methods"], found["goal"]["ratio"]
    reached = {each["key"]: REACHED[each["verdict"]] for each in found["claims"]}
    slower = ", ".join(
        f"{task} {cell('total_s', each, signed=True)} s" for task, each in found["goal"]["slower_s"].items()
    )

    def row(name: str, bar: str, measure: str, ours: str) -> tuple[str, ...]:
        others = tuple(cell(measure, got[each].get(measure)) for each in (PAPER, MANUAL))
        return name, bar, ours, *others, reached[f"goal: {name}"]

    rows = (
        row("success", f"≥ {100 * SUCCESS:g} %", "success", cell("success", got[OURS]["success"])),
        row(
            "time",
            f"≤ {FASTER:g} × alone",
            "total_s",
            f"{cell('total_s', got[OURS]['total_s'])}; × {cell('ratio', ratio['total_s'])}, by the paper's rule × "
            f"{cell('ratio', ratio['time_s'])}",
        ),
        row("questions", f"≤ {QUESTIONS:g} per task", "questions", cell("questions", got[OURS]["questions"])),
        row("opposing", f"≤ {100 * OPPOSING:g} %", "all_opposing", cell("all_opposing", got[OURS]["all_opposing"])),
        ("every task", "not slower than alone", slower, "", "", reached["goal: every task"]),
    )
    first, seeds = found["seeds"]["goal"]
    caption = (
        "The goal of `assist`: U22, the three kinds of users in turn, 5 % wrong answers, 10 % missing poses; "
        f"{len(TASKS) * seeds} people, {seeds} (seeds from {first}) at each of {len(TASKS)} tasks; times in seconds, "
        "all attempts counted; 95 % intervals"
    )
    return Table(caption, ("what", "goal", "`assist`", "`paper`", "alone", "reached?"), rows)


def versus(found: Record) -> Table:
    """`assist` against the paper's policy, by scene and user."""
    rows = tuple(
        (
            f"{name}, {user}",
            *(cell(measure, numbers[measure], signed=True) for measure in FEW),
        )
        for name, users in found["versus"].items()
        for user, numbers in users.items()
    )
    caption = (
        "What `assist` has more than `paper`, person by person, with 95 % intervals; nothing is left out. Less is "
        "better but for success"
    )
    return Table(caption, ("scene, user", *(HEADS[each] for each in FEW)), rows)


def families(found: Record) -> Table:
    """How many claims hold, by whose they are and about what."""
    counts: dict[str, Counter[str]] = {}
    for each in found["claims"]:
        counts.setdefault(family(each), Counter())[each["verdict"]] += 1
    rows = tuple(
        (name, *(str(told[verdict]) for verdict in VERDICTS), str(told.total())) for name, told in counts.items()
    )
    columns = ("claims", "hold", "do not hold", "cannot be told", "together")
    return Table("How many claims hold, by whose they are and about what", columns, rows)


def family(claim: Mapping[str, Any]) -> str:
    """A family of claims; the paper's are told apart by the kind of user."""
    return f"{claim['family']}, {claim['user']} users" if claim["family"] == Family.PAPER else str(claim["family"])


def poses(found: Record) -> Table:
    """The goal's trials by whether the robot knew the wanted pose."""
    measures = ("success", "first_success", "total_s", "all_opposing", "questions")
    rows = tuple(
        (f"{name}, {named(method)}", str(some["people"]), *(cell(each, numbers.get(each)) for each in measures))
        for name, some in found["goal"]["poses"].items()
        for method, numbers in in_order(some["methods"])
    )
    caption = "The trials of the goal by whether the robot knew the wanted pose; 95 % intervals"
    return Table(caption, ("wanted pose, method", "trials", *(HEADS[each] for each in measures)), rows)


def paper_claims(found: Record) -> Table:
    """Whether each of the paper's claims holds, for each kind of user, with its rule of exclusion and without."""
    by_key: dict[str, dict[str, Mapping[str, Any]]] = {}
    for each in found["claims"]:
        if each["family"] == Family.PAPER:
            by_key.setdefault(each["key"], {})[each["user"]] = each
    rows = []
    for key, users in by_key.items():
        first = next(iter(users.values()))
        rows.append((f"{key}: {first['text']}", first["source"], *(both_ways(users[user]) for user in USERS[:-1])))
    caption = (
        "The paper's claims: does each hold? yes, no, or ? where it cannot be told; after the stroke the verdict "
        "without the paper's rule of exclusion, where the rule matters to the claim"
    )
    return Table(caption, ("claim", "in the paper", *USERS[:-1]), tuple(rows))


def both_ways(claim: Mapping[str, Any]) -> str:
    """A verdict by the paper's rule, and without it."""
    told = SHORT[claim["verdict"]]
    return told if claim["without_rule"] is None else f"{told} / {SHORT[claim['without_rule']]}"


def orderings(found: Record) -> Table:
    """Each single order that the paper states, for each kind of user."""

    def shown(told: Mapping[str, Any]) -> str:
        value, low, high = told["difference"]
        p = "" if told["p"] is None else f", p = {told['p']:.2g}"
        sides = f"; {DIFFERENT_SIDES}" if told["different_sides"] else ""
        return f"{told['verdict']}: {value:+.3g} ({low:+.3g} to {high:+.3g}){p}{sides}"

    rows = tuple(
        (each["label"], "; ".join(each["sources"]), *(shown(each["users"][user]) for user in USERS[:-1]))
        for each in found["orderings"]
    )
    caption = (
        "The paper's orderings one by one, by its rule of exclusion: does each reappear, and the difference of the two "
        "with its 95 % interval and the corrected p, where a test tells. A claim needs all of its orders; shares are "
        "shares of 1"
    )
    return Table(caption, ("order", "in the paper", *USERS[:-1]), rows)


def overview(found: Record, user: str) -> Table:
    """All methods in all scenes."""
    measures = ("success", "total_s", "time_s", "all_opposing", "predicted", "questions")
    rows = tuple(
        (f"{name}, {named(method)}", *(cell(each, numbers.get(each)) for each in measures))
        for name, users in found["means"].items()
        for method, numbers in in_order(users[user])
    )
    caption = (
        f"Users: {user}. Means with 95 % intervals; *all attempts* leaves nothing out, *time* is of the attempt that "
        "succeeded (the paper's rule)"
    )
    return Table(caption, ("scene, method", *(HEADS[each] for each in measures)), rows)


def table_1(found: Record, user: str) -> Table:
    """The paper's Table I, over many people instead of one run."""
    measures = ("time_s", "mode_changes", "joystick_input", "opposing", "predicted", "questions", "success")
    rows = tuple(
        (named(method), *(cell(each, numbers.get(each)) for each in measures))
        for method, numbers in in_order(found["table_1"][user])
    )
    _, seeds = found["seeds"]["all"]
    caption = (
        f"Table I again: S1, cup from the top, {user} users, {seeds} people, by the paper's rule of exclusion; the "
        "paper shows one run of an author"
    )
    return Table(caption, ("method", *(HEADS[each] for each in measures)), rows)


def table_2(found: Record) -> Table:
    """The paper's Table II: what was done before the first question."""
    done: Mapping[str, Sequence[str]] = found["table_2"]
    length = max((len(each) for each in done.values()), default=0)
    rows = tuple(
        (str(step + 1), *(each[step] if step < len(each) else "" for each in done.values())) for step in range(length)
    )
    asked = [name for name, steps in done.items() if any(each.startswith(ASKS) for each in steps)]
    none = "" if asked else f"; nobody asked in it, or not within {STEPS} steps"
    caption = f"Table II again: what was done at first, up to the first question, in the trial of Fig. 4{none}"
    return Table(caption, ("step", *(f"`{each}`" for each in done)), rows)


def by_task(found: Record) -> Table:
    """Figs 7, 9a and 12a as numbers, over mixed users."""
    measures = found["task_measures"]
    rows = tuple(
        (f"{task}, `{method}`", *(cell(name, value) for name, value in zip(measures, values, strict=True)))
        for task, users in found["tasks"].items()
        for method, values in in_order(users[USERS[-1]])
    )
    caption = "Task by task, the three kinds of users together, with 95 % intervals (Figs 7, 9a, 12a as numbers)"
    return Table(caption, ("task, method", *(HEADS[each] for each in measures)), rows)


def variance(found: Record) -> Table:
    """The analyses of variance."""

    def shown(numbers: Sequence[Any]) -> str:
        f, above, below, epsilon, p = numbers
        much = "without end" if f is None else f"{f:.2f}"
        return f"F({above:.2f}, {below:.1f}) = {much}, ε = {epsilon:.2f}, p = {p:.2g}"

    rows = tuple(
        (
            f"{each['scene']}, {each['user']}, {LABELS[each['measure']]}",
            str(each["people"]),
            shown(each["method"]),
            shown(each["both"]),
        )
        for each in found["variance"]
    )
    caption = (
        "Analyses of variance with repeated measures, task × method (alone, HO, the paper's policy), corrected by "
        "Greenhouse and Geisser. A seed stands for a participant; its tasks are drawn separately. By the paper's rule "
        "only seeds whose every task succeeded with all three methods, without it all of them; fewer than "
        f"{LEAST_TOLD} are left out"
    )
    return Table(caption, ("what", "seeds", "method", "method × task"), rows)


def look_ahead(found: Record) -> Table:
    """The sweep of T, and what the same people do alone, with HO and with `assist`."""
    policies = {f"`{PAPER}`, T = {seconds} s": scenes for seconds, scenes in found["look_ahead"].items()}
    beside = {named(method): scenes for method, scenes in in_order(found["look_ahead_beside"])}
    rows = tuple(
        (f"{name}, {what}", *(cell(each, scenes[name][each]) for each in FEW))
        for name in found["means"]
        for what, scenes in (policies | beside).items()
    )
    _, seeds = found["seeds"]["look-ahead"]
    caption = (
        f"The paper's policy with other look-aheads T, users mixed, {seeds} people per task; "
        f"T = {Points().look_ahead_s:g} s is the preset `{PAPER}`; the same people alone, with HO and with `{OURS}`"
    )
    return Table(caption, ("scene, method", *(HEADS[each] for each in FEW)), rows)


def gentle(found: Record) -> Table:
    """α = .2."""
    rows = tuple(
        (named(method), *(cell(each, numbers[each]) for each in FEW)) for method, numbers in in_order(found["gentle"])
    )
    _, seeds = found["seeds"]["gentle"]
    return Table(
        f"A gentle robot (α = .2 instead of .5), users who stop beside, all scenes, {seeds} people per task",
        ("method", *(HEADS[each] for each in FEW)),
        rows,
    )


def failures(found: Record) -> Table:
    """Why attempts failed."""
    columns = (ATTEMPTS, *Cause)
    rows = tuple(
        (named(method), *(str(places[EVERYWHERE][each]) for each in columns))
        for method, places in in_order(found["failures"])
    )
    caption = (
        "Failed attempts by their cause, the first from left to right that is true; all scenes and users, first and "
        "second attempts"
    )
    return Table(caption, ("method", *columns), rows)
