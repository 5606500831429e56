"""A week of meals with a memory: what is served, what is recalled, and claims about days and about some people."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from handup.lab.meals import figures, page, tables
from handup.lab.meals.claim import Part
from handup.lab.meals.definition import Arm, MealStudy, Sitting, Size
from handup.lab.meals.eating import eat, robot
from handup.lab.meals.judging import judge
from handup.lab.meals.participants import Participant
from handup.lab.meals.results import Results
from handup.lab.meals.rows import MealRow
from handup.lab.meals.run import Outcome
from handup.lab.meals.studies import CHANGED, FORGETS, FORGETS_NEW, MEMORY, METHODS, REMEMBERS, REMEMBERS_NEW
from handup.lab.meals.triage import triage
from handup.lab.study.claim import Verdict
from handup.people import Care
from tests.lab.meals.made_up import PAIRED, days, got, some_of_five

SEED = 296_920
FALL, BITES, FIRST, POISON, NEW, ERR = (each.name for each in MEMORY.claims)


def week(
    *, asked: int = 8, first: int = 4, changed: int = 4, hurried: int = 4, fourth: int = 4, people: int = 48
) -> Results:
    """Four bites and eight questions; with a memory so many questions, and bites on days 1 to 3, later, and of some.

    Every fourth participant has so many on the first day.
    """

    def remembering(who: Participant, day: int) -> int:
        if day == 1 and who.number % 4 == 0 and fourth < 4:
            return fourth
        return hurried if who.care is Care.HURRIED else changed if day > 3 else first

    return days(
        lambda arm, who, day: (
            some_of_five(remembering(who, day), asked=asked)
            if arm in (REMEMBERS, REMEMBERS_NEW)
            else some_of_five(4, asked=8)
        ),
        participants=people,
        study=MEMORY,
    )


def verdicts(found: Results) -> dict[str, Verdict]:
    return {each.claim.name: each.finding.verdict for each in judge(MEMORY.claims, found)}


# -- what is served ------------------------------------------------------------------------------------------------


def test_a_week_has_two_plates_in_turn_and_a_new_menu_two_others_from_day_four_on() -> None:
    served = {each.arm.label: each for each in MEMORY.sittings(Size(participants=2)) if each.participant.number == 1}
    same, new = served[REMEMBERS].orders, served[REMEMBERS_NEW].orders
    assert [each.plate for each in same] == ["savory salad", "thanksgiving"] * 3 + ["savory salad"]
    assert new[:3] == same[:3]
    assert [each.plate for each in new[3:]] == ["mixed salad", "noodles"] * 2
    assert served[FORGETS].orders == same
    assert served[FORGETS_NEW].orders == new
    assert [each.seed for each in new] == [each.seed for each in same] == list(range(330_007, 330_014))
    assert {each.looks for each in same} == {"hard"}


def test_everybody_has_a_kitchen_of_their_own() -> None:
    kitchens = {
        sitting.participant.number: {order.kitchen for order in sitting.orders}
        for sitting in MEMORY.sittings(Size(participants=5))
    }
    assert all(len(each) == 1 for each in kitchens.values())
    assert len(set.union(*kitchens.values())) == 5
    assert all(order.kitchen is None for each in METHODS.sittings(Size(participants=2)) for order in each.orders)


def test_a_memory_is_part_of_what_names_a_sitting() -> None:
    (sitting, *_) = MEMORY.sittings(Size(participants=2))
    assert replace(sitting, arm=replace(sitting.arm, memory=True)).config != sitting.config


def test_a_quick_week_is_a_whole_week() -> None:
    assert {len(each.orders) for each in MEMORY.sittings(Size(participants=2, quick=True))} == {7}


# -- what is recalled ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def twice() -> dict[bool, tuple[MealRow, ...]]:
    """The same plate twice, by a robot that forgets and by one that remembers."""
    study = MealStudy(
        name="meal-twice",
        title="Twice",
        figure="—",
        question="Does it ask twice?",
        arms=(Arm(method="troubleshoot"), Arm(method="troubleshoot", short="remembers", memory=True)),
        plates=("thanksgiving", "thanksgiving"),
        first_seed=SEED,
        home=True,
        bites=1,
    )

    def again(sitting: Sitting) -> Sitting:
        first, _ = sitting.orders
        return replace(sitting, orders=(first, replace(first, name="again")))

    chosen = [each for each in study.sittings(Size(participants=3)) if each.participant.number == 2]
    return {each.arm.memory: eat(again(each), robot()) for each in chosen}


def test_a_robot_that_remembers_does_not_ask_the_same_of_the_same_plate(twice: dict[bool, tuple[MealRow, ...]]) -> None:
    (first,), (second,) = (meal.bites_taken for meal in twice[True])
    assert first.asked[0] == "food"
    assert second.recalled[0] == "food"
    assert len(second.asked) < len(first.asked)
    assert twice[True][1].measure("recalls") == len(second.recalled) > 0
    assert set(second.recalled_wrong) <= set(second.recalled)


def test_a_robot_that_forgets_asks_again(twice: dict[bool, tuple[MealRow, ...]]) -> None:
    (first,), (second,) = (meal.bites_taken for meal in twice[False])
    assert first == second
    assert "food" in first.asked
    assert first.recalled == ()
    assert {meal.kitchen for meals in twice.values() for meal in meals} == {SEED + 4}


# -- what is measured and judged -----------------------------------------------------------------------------------


def test_a_part_of_the_meals_is_of_some_days_or_some_people() -> None:
    found = week(first=4, changed=2, hurried=1)
    assert found.mean("bites", REMEMBERS, Part(care=Care.HURRIED)).value == 1.0
    assert found.mean("bites", REMEMBERS, Part(meals=(1,), care=Care.USUAL)).value == 4.0
    assert found.mean("bites", REMEMBERS, Part(meals=(3, 4), care=Care.USUAL)).value == 3.0
    assert (found.count(Part(care=Care.HURRIED)), found.count(CHANGED)) == (16, 48)
    assert sum(found.losses(REMEMBERS, Part(meals=(4,), care=Care.CAREFUL)).values()) == 3.0
    assert found.questions(FORGETS, CHANGED)["food"] == 8.0


def test_a_part_is_told_in_words() -> None:
    parts = (Part(), Part(meals=(1,)), Part(meals=(4, 5, 6, 7), care=Care.HURRIED))
    assert [each.label for each in parts] == ["", " on day 1", " on days 4 to 7 of those who are hurried"]


def test_words_and_recalls_are_measures_where_a_robot_remembers() -> None:
    bite = replace(got(asked=("food", "box", "skill")), recalled=("food", "box"), recalled_wrong=("box",))
    found = days(lambda *_: (bite,), participants=2, study=MEMORY)
    numbers = {name: found.mean(name, REMEMBERS).value for name in MEMORY.measures}
    assert (numbers["queries"], numbers["labels"]) == (3.0, 2.0)
    assert (numbers["recalls"], numbers["wrong_recalls"]) == (2.0, 1.0)
    assert "recalls" not in PAIRED.measures


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (week(asked=4), ()),
        (week(asked=5), (FALL,)),
        (week(asked=4, first=3), (BITES, FIRST)),
        (week(asked=4, fourth=3), (FIRST,)),
        (week(asked=4, changed=3), (BITES, POISON)),
        (week(asked=4, hurried=3), (BITES, FIRST, POISON, ERR)),
        (week(asked=9), (FALL, NEW)),
    ],
    ids=[
        "all well",
        "too many questions",
        "lost on the first days",
        "lost on the first day",
        "poisoned",
        "misled",
        "asks more",
    ],
)
def test_each_bar_of_the_week_can_hold_and_fail(found: Results, wrong: tuple[str, ...]) -> None:
    told = verdicts(found)
    assert tuple(name for name, verdict in told.items() if verdict is Verdict.FAILS) == wrong
    assert all(verdict is not Verdict.OPEN for verdict in told.values())


def test_a_handful_of_hurried_people_tells_nothing_of_them() -> None:
    told = verdicts(week(asked=4, people=24))
    assert told.pop(ERR) is Verdict.OPEN
    assert set(told.values()) == {Verdict.HOLDS}


def test_of_nobody_nothing_is_told() -> None:
    found = week(people=2)
    nobody = Part(care=Care.CAREFUL)
    (judged,) = judge([replace(MEMORY.claims[0], bars=(replace(MEMORY.claims[0].bars[0], part=nobody),))], found)
    assert found.count(nobody) == 0
    assert judged.finding.verdict is Verdict.OPEN
    assert judged.finding.why.startswith("0 participants do not tell")


def test_no_day_lies_outside_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Menus of one row share a scale: the second may ask more than the first."""
    drawn: list[Figure] = []

    def files(figure: Figure) -> tuple[bytes, bytes]:
        drawn.append(figure)
        return b"", b""

    monkeypatch.setattr(figures, "files_of", files)
    found = days(
        lambda arm, who, day: (got(asked=("food",) * (9 if day > 3 and "new" in arm else 2)),),
        participants=2,
        study=MEMORY,
    )
    tuple(figures.draw(found, tuple(triage(found)), ()))
    for panel in drawn[1].axes:
        highest = max(np.asarray(line.get_ydata(), dtype=float).max() for line in panel.get_lines())
        assert panel.get_ylim()[0] == 0.0 and highest <= panel.get_ylim()[1]


def test_a_week_is_drawn_day_by_day_and_told_by_menu() -> None:
    found = week(asked=4, people=12)
    lost = tuple(triage(found))
    drawn, judged = tuple(figures.draw(found, lost, ())), judge(MEMORY.claims, found)
    assert [each.name for each in drawn] == ["meal-memory", "meal-memory-days", "meal-memory-triage"]
    assert b"noodles" in drawn[1].svg
    outcome = Outcome(
        folder=Path(), results=found, judged=judged, triages=lost, stamp={}, made_at=datetime(2026, 11, 16, tzinfo=UTC)
    )
    report = page.page(outcome, drawn)
    assert all(escape(each.caption) in report for each in drawn)
    assert "mixed salad, noodles, mixed salad, noodles" in report
    told = tables.markdown(found, lost, judged)
    assert f"| `{REMEMBERS}` against `{FORGETS}` |" in told
    assert f"| `{REMEMBERS_NEW}` against `{FORGETS_NEW}` |" in told
    assert f"`{REMEMBERS}` against `{FORGETS_NEW}`" not in told
    assert f"| `{REMEMBERS}`: questions | 4.00 (4.00–4.00) |" in told
    assert "day 7" in told
    assert "day 2" not in tables.markdown(days(lambda *_: (got(),), participants=12, study=PAIRED), (), ())
