"""Failure triage adds up, and a week with a memory is told by its claims, tables and figures, on made-up bites."""

from __future__ import annotations

from typing import Any

import pytest

from handup.core import BadRecord
from handup.lab.engine import Drawing, Results, Verdict, where
from handup.lab.studies.meals import figures, tables
from handup.lab.studies.meals.blame import NO_MODULE, SUCCESS
from handup.lab.studies.meals.meal_rows import participant
from handup.lab.studies.meals.studies import FORGETS, FORGETS_NEW, MEMORY, REMEMBERS, REMEMBERS_NEW
from handup.people import Care
from tests.lab.studies.meals.made_up import ONE, PAIRED, Bite, got, lost, results, some_of_five


def test_causes_and_beliefs_sum_to_the_lost_bites() -> None:
    found = results(
        lambda arm, who, meal: [
            got(1),
            lost(2, cause="food", blamed=SUCCESS, wrong=True),
            lost(3, cause="detector", blamed=NO_MODULE, asked=("box", "food")),
            lost(4, cause="skill", blamed="box") if who % 2 else got(4),
            got(5),
        ],
        participants=10,
    )
    triage = tables.triage(found, ONE)
    causes = {cause["cause"]: cause for cause in triage["causes"] if cause["bites"]}
    assert (triage["taken"], triage["lost"]) == (100, 50)
    assert {name: cause["bites"] for name, cause in causes.items()} == {"food": 20, "skill": 10, "detector": 20}
    assert sum(sum(row.values()) for row in triage["confusion"].values()) == 50
    assert triage["confusion"]["skill"]["box"] == 10
    assert sum(cause["share"].value for cause in causes.values()) == pytest.approx(1.0)
    assert triage["agreed"].value == triage["unseen"].value == pytest.approx(20 / 50)
    # The robot saw thirty failures, and held the true cause .6 likely in the twenty where it blamed it.
    assert triage["belief_in_true_cause"].value == pytest.approx((20 * 0.6 + 10 * 0.1) / 30)
    prices = {name: [cause[key] for key in ("wrong", "questions", "attempts")] for name, cause in causes.items()}
    assert (prices["food"], prices["detector"]) == ([20, 0, 60], [0, 40, 60])
    assert causes["food"]["J_true"] == pytest.approx(20 * 6.5)
    assert PAIRED.record(found, ())["measures"][ONE]["lost"]["detector"] == 1.0
    assert tables.questions(found, ONE) == {"food": 1.0, "box": 1.0, "skill": 0.0, "params": 0.0}


def test_a_share_has_an_interval_over_participants_and_nothing_lost_has_none() -> None:
    found = results(lambda arm, who, meal: [lost(cause="food" if who % 2 else "box")], participants=30)
    share = tables.triage(found, ONE)["causes"][0]["share"]
    assert share.value == 0.5
    assert 0.25 < share.ci[0] < 0.4 < 0.6 < share.ci[1] < 0.75
    triage = tables.triage(results(lambda *_: [got()], participants=4), ONE)
    assert (triage["lost"], triage["agreed"].value) == (0, 0.0)
    assert tables.confusion(triage).rows == tables.costs([triage]).rows == ()
    words = [MEMORY.where_label(chosen) for chosen in ((), where(meal=1), where(meal=(4, 5, 6, 7), care="hurried"))]
    assert words == ["", " on day 1", " on days 4 to 7 of those who are hurried"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"got": False},
        {"got": True, "cause": "food", "blamed": "food", "chances": [0.2] * 5},
        {"got": True, "blamed": "food"},
        {"got": False, "cause": "luck", "blamed": "food", "chances": [0.2] * 5},
        {"got": False, "cause": "food", "blamed": "me", "chances": [0.2] * 5},
    ],
)
def test_a_bite_without_exactly_one_cause_and_belief_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRecord, match="has the cause"):
        results(lambda *_: [{**got(), **wrong}], participants=2)


def test_people_are_grouped_by_care_and_by_hand() -> None:
    found = results(lambda arm, who, meal: some_of_five(who % 3, asked=2), participants=12)
    rows = {row[0]: row[1:] for row in tables.by_people(found).rows}
    assert rows["careful (4)"] == ("2.00 / 2.0",) * 2
    assert rows["tremor (3)"] == ("1.00 / 2.0",) * 2


FALL, BITES, FIRST, POISON, NEW, ERR = (claim.name for claim in MEMORY.claims)


def week(*, asked: int = 8, first: int = 4, changed: int = 4, hurried: int = 4, fourth: int = 4) -> Results[Any]:
    """Four bites and eight questions; with a memory so many questions, and bites on days 1 to 3, later, and of some.

    Every fourth participant has so many on the first day.
    """

    def meal(arm: str, who: int, day: int) -> list[Bite]:
        if arm in (FORGETS, FORGETS_NEW):
            return some_of_five(4, asked=8)
        if day == 1 and who % 4 == 0 and fourth < 4:
            return some_of_five(fourth, asked=asked)
        bites = hurried if participant(who)[0] is Care.HURRIED else changed if day > 3 else first
        return some_of_five(bites, asked=asked)

    return results(meal, participants=48, study=MEMORY)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"asked": 4}, ()),
        ({"asked": 5}, (FALL,)),
        ({"asked": 4, "first": 3}, (BITES, FIRST)),
        ({"asked": 4, "fourth": 3}, (FIRST,)),
        ({"asked": 4, "changed": 3}, (BITES, POISON)),
        ({"asked": 4, "hurried": 3}, (BITES, FIRST, POISON, ERR)),
        ({"asked": 9}, (FALL, NEW)),
    ],
)
def test_each_bar_of_the_week_can_hold_and_fail(given: dict[str, int], wrong: tuple[str, ...]) -> None:
    told = {judged.claim.name: judged.finding.verdict for judged in MEMORY.judge(week(**given))}
    assert tuple(name for name, verdict in told.items() if verdict is Verdict.FAILS) == wrong
    assert all(verdict is not Verdict.OPEN for verdict in told.values())


def test_words_and_recalls_are_measures_where_a_robot_remembers() -> None:
    bite = {**got(asked=("food", "box", "skill")), "recalled": ["food", "box"], "recalled_wrong": ["box"]}
    found = results(lambda *_: [bite], participants=2, study=MEMORY)
    numbers = {measure.name: found.mean(measure.name, REMEMBERS).value for measure in MEMORY.measures}
    assert (numbers["queries"], numbers["labels"], numbers["recalls"], numbers["wrong_recalls"]) == (3.0, 2.0, 2.0, 1.0)
    assert "recalls" not in {measure.name for measure in PAIRED.measures}


def test_a_week_is_told_day_by_day_and_by_menu() -> None:
    found = week(asked=4)
    judged = MEMORY.judge(found)
    assert {row[0] for row in tables.differences(found).rows} == {
        *(f"{REMEMBERS} against {FORGETS}", f"{REMEMBERS_NEW} against {FORGETS_NEW}")
    }
    days = tables.by_day(found)
    assert (f"{REMEMBERS}: questions", *["4.00 (4.00–4.00)"] * 7) in days.rows
    assert days in MEMORY.sections(found, judged, [Drawing("triage", "", b"", b"")])[1].parts
    assert MEMORY.answer(found, judged).endswith("and gets 4.00 bites of five where the other gets 4.00.")


def test_days_are_drawn_and_none_lies_outside_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Menus of one row share a scale: the second may ask more than the first."""
    ends: list[tuple[float, float]] = []

    def keep(figure: Any, name: str, *_: str) -> Drawing:
        if name.endswith("-days"):
            ends.extend(panel.get_xlim() for panel in figure.axes)
        return Drawing(name, "", b"", b"")

    monkeypatch.setattr(figures, "drawing", keep)
    found = results(
        lambda arm, who, day: [got(asked=("food",) * (9 if day > 3 and "new" in arm else 2))],
        participants=2,
        study=MEMORY,
    )
    names = [drawing.name for drawing in figures.draw(found)]
    assert names == ["meal-memory", "meal-memory-days", "meal-memory-triage"]
    assert [low for low, _ in ends] == [0.0] * 4
    assert ends[0] == ends[1] and ends[0][1] >= 9.0
