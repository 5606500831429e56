"""The tables of the study of reaching, once, from its record: for the report, for the docs and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handup.lab.reaching.claim import LABELS
from handup.lab.reaching.judging import RULES
from handup.lab.reaching.record import FEW, USERS
from handup.lab.reaching.studies import MANUAL, OURS, PAPER
from handup.lab.study.tables import Table

Record = Mapping[str, Any]
PERCENT = frozenset({"success", "first_success", "opposing", "all_opposing", "predicted"})
DIGITS = {"questions": 2, "mode_changes": 1, "joystick_input": 0}
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
SIGNS = {"holds": "yes", "does not hold": "no", "cannot be told": "?"}


def tables(found: Record) -> Iterator[Table]:
    """All of them."""
    yield goal(found)
    yield versus(found)
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


def cell(measure: str, numbers: Sequence[float] | None, *, signed: bool = False) -> str:
    """A mean with its interval, in the measure's unit."""
    if numbers is None:
        return "–"
    scale, digits = (100.0, 1) if measure in PERCENT else (1.0, DIGITS.get(measure, 1))
    sign = "+" if signed else ""
    value, low, high = (f"{scale * each:{sign}.{digits}f}" for each in numbers[:3])
    return f"{value} ({low}–{high})" if not signed else f"{value} ({low} to {high})"


def goal(found: Record) -> Table:
    """`assist` against what it was built for."""
    got, ratio = found["goal"]["methods"], found["goal"]["ratio"]
    verdicts = {each["key"]: each["verdict"] for each in found["claims"]}
    slower = ", ".join(
        f"{task} {cell('total_s', each, signed=True)} s" for task, each in found["goal"]["slower_s"].items()
    )

    def row(name: str, bar: str, measure: str, ours: str) -> tuple[str, ...]:
        others = tuple(cell(measure, got[each].get(measure)) for each in (PAPER, MANUAL))
        return name, bar, ours, *others, verdicts[f"goal: {name}"]

    rows = (
        row("success", "≥ 99 %", "success", cell("success", got[OURS]["success"])),
        row(
            "time",
            "≤ .8 × alone",
            "total_s",
            f"{cell('total_s', got[OURS]['total_s'])}; × {ratio['total_s'][0]:.2f} "
            f"({ratio['total_s'][1]:.2f}–{ratio['total_s'][2]:.2f}), by the paper's rule × {ratio['time_s'][0]:.2f} "
            f"({ratio['time_s'][1]:.2f}–{ratio['time_s'][2]:.2f})",
        ),
        row("questions", "≤ .5 per task", "questions", cell("questions", got[OURS]["questions"])),
        row("opposing", "≤ 3 %", "all_opposing", cell("all_opposing", got[OURS]["all_opposing"])),
        ("every task", "not slower than alone", slower, "", "", verdicts["goal: every task"]),
    )
    first, seeds = found["seeds"]["goal"]
    caption = (
        "The goal of `assist`: U22, the three kinds of users in turn, 5 % wrong answers, 10 % missing poses; "
        f"{seeds} people (seeds from {first}) at three tasks; times in seconds, all attempts counted; 95 % intervals"
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


def orderings(found: Record) -> Table:
    """Whether each of the paper's orderings reappears, for each kind of user."""
    by_key: dict[str, dict[str, Any]] = {}
    for each in found["claims"]:
        if each["source"] != "handup":
            by_key.setdefault(each["key"], {})[each["user"]] = each
    rows = tuple(
        (
            f"**{key}** {next(iter(users.values()))['text']}",
            next(iter(users.values()))["source"],
            *(SIGNS[users[user]["verdict"]] for user in USERS[:-1]),
        )
        for key, users in by_key.items()
    )
    caption = f"The paper's orderings: does each reappear? yes, no, or ? where it cannot be told. {RULES}"
    return Table(caption, ("ordering", "in the paper", *USERS[:-1]), rows)


def overview(found: Record, user: str) -> Table:
    """All methods in all scenes."""
    measures = ("success", "total_s", "time_s", "all_opposing", "predicted", "questions")
    rows = tuple(
        (f"{name}, `{method}`", *(cell(each, numbers.get(each)) for each in measures))
        for name, users in found["means"].items()
        for method, numbers in users[user].items()
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
        (f"`{method}`", *(cell(each, numbers.get(each)) for each in measures))
        for method, numbers in found["table_1"][user].items()
    )
    _, seeds = found["seeds"]["all"]
    caption = f"Table I again: S1, cup from the top, {user} users, {seeds} people; the paper shows one run of an author"
    return Table(caption, ("method", *(HEADS[each] for each in measures)), rows)


def table_2(found: Record) -> Table:
    """The paper's Table II: what was done before the first question."""
    done: Mapping[str, Sequence[str]] = found["table_2"]
    length = max((len(each) for each in done.values()), default=0)
    rows = tuple(
        (str(step + 1), *(each[step] if step < len(each) else "" for each in done.values())) for step in range(length)
    )
    caption = "Table II again: what was done at first, up to the first question, in the trial of Fig. 4"
    return Table(caption, ("step", *(f"`{each}`" for each in done)), rows)


def by_task(found: Record) -> Table:
    """Figs 7, 9a and 12a as numbers, over mixed users."""
    measures = found["task_measures"]
    rows = tuple(
        (f"{task}, `{method}`", *(_plain(name, value) for name, value in zip(measures, values, strict=True)))
        for task, users in found["tasks"].items()
        for method, values in users[USERS[-1]].items()
    )
    caption = "Task by task, the three kinds of users together (Figs 7, 9a, 12a as numbers)"
    return Table(caption, ("task, method", *(HEADS[each] for each in measures)), rows)


def _plain(measure: str, value: float | None) -> str:
    if value is None:
        return "–"
    scale, digits = (100.0, 0) if measure in PERCENT else (1.0, DIGITS.get(measure, 1))
    return f"{scale * value:.{digits}f}"


def variance(found: Record) -> Table:
    """The analyses of variance."""

    def shown(numbers: Sequence[float]) -> str:
        f, above, below, epsilon, p = numbers
        return f"F({above:.2f}, {below:.1f}) = {f:.2f}, ε = {epsilon:.2f}, p = {p:.2g}"

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
        "Greenhouse and Geisser; by the paper's rule only people whose every task succeeded with all three, without it "
        "all of them"
    )
    return Table(caption, ("what", "people", "method", "method × task"), rows)


def look_ahead(found: Record) -> Table:
    """The sweep of T."""
    rows = tuple(
        (f"T = {seconds} s, {name}", *(cell(each, numbers[each]) for each in FEW))
        for seconds, scenes in found["look_ahead"].items()
        for name, numbers in scenes.items()
    )
    caption = "The paper's policy with other look-aheads T, users mixed; T = 0.3 s is the preset `paper`"
    return Table(caption, ("look-ahead, scene", *(HEADS[each] for each in FEW)), rows)


def gentle(found: Record) -> Table:
    """α = .2."""
    rows = tuple(
        (f"`{method}`", *(cell(each, numbers[each]) for each in FEW)) for method, numbers in found["gentle"].items()
    )
    return Table(
        "A gentle robot (α = .2 instead of .5), users who stop beside, all scenes",
        ("method", *(HEADS[each] for each in FEW)),
        rows,
    )


def failures(found: Record) -> Table:
    """Why attempts failed."""
    columns = list(next(iter(found["failures"].values())))
    rows = tuple(
        (f"`{method}`", *(str(counts[each]) for each in columns)) for method, counts in found["failures"].items()
    )
    caption = "Failed attempts by their first cause, all scenes and users"
    return Table(caption, ("method", *columns), rows)
