"""`handup decide --people`: whom to ask, with every option beside it, and what is wrong with a file of people."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from handup.core import Person
from handup.desk import Desk, SkippingClock
from handup.journal import Journal
from tests.cli.calls import POLICY, here

AT = "2026-11-19T15:00+00:00"
PEOPLE = """\
- {name: Maya, role: resident, level: [0, 0.1, 0.2, 0.4, 0.3], can: {which: 0.9}}
- {name: Ada, role: caregiver, level: 1}
- {name: Otto, role: operator, supports: [none, own-90], comes_s: 40, answers: 0.8}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def people(tmp_path: Path, text: str = PEOPLE) -> str:
    path = tmp_path / "people.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def decided(policy: Path, *arguments: str) -> Any:
    called = here("decide", str(policy), "--json", *arguments)
    assert called.code == 0, called.err
    return json.loads(called.out)


def test_the_record_names_the_person_and_every_option(policy: Path, tmp_path: Path) -> None:
    record = decided(policy, "--people", people(tmp_path), "--at", AT)
    assert (record["action"], record["person"], record["method"]) == ("ask", "Maya", "joint")
    asks = [option for option in record["options"] if option["action"] == "ask"]
    assert len(asks) == 4 * 4, "four modules, three people, one of them with two supports"
    otto = next(option for option in asks if option["person"] == "Otto")
    assert (otto["answers"], otto["free"]) == (0.8, None)
    ada = next(option for option in asks if option["person"] == "Ada")
    assert (ada["why"], ada["never"]) == ("very busy", False)
    values = [alternative["value"] for alternative in record["alternatives"]]
    assert values == sorted(values)
    assert {"ask", "act", "yield", "wait"} == {alternative["action"] for alternative in record["alternatives"]}


def test_without_people_the_record_is_as_it_was(policy: Path) -> None:
    record = decided(policy)
    assert not {"person", "support", "recovery", "options"} & set(record)
    assert all(set(alternative) == {"action", "module", "value"} for alternative in record["alternatives"])


def test_any_method_decides_with_the_best_person(policy: Path, tmp_path: Path) -> None:
    file = people(tmp_path)
    for method in ("troubleshoot", "topo+query-then-execute"):
        record = decided(policy, "--people", file, "--at", AT, "--method", method)
        assert record["method"] == method
        assert (record["action"] == "ask") == (record["person"] is not None)


def test_the_table_shows_values_best_first_and_who_is_not_asked(policy: Path, tmp_path: Path) -> None:
    called = here("decide", str(policy), "--people", people(tmp_path), "--at", AT)
    assert called.code == 0, called.err
    lines = called.out.splitlines()
    assert lines[0].startswith("ask Maya about")
    assert "not Ada before 2026-11-19 15:01:00 UTC: very busy" in lines
    assert "if no answer comes within" in " ".join(lines)


def test_the_table_says_how_long_each_wait_is(policy: Path, tmp_path: Path) -> None:
    called = here("decide", str(policy), "--people", people(tmp_path), "--at", AT)
    waits = [line.split()[1] for line in called.out.splitlines() if line.startswith("wait")]
    assert sorted(waits) == ["120", "30", "60"]


def test_a_limit_that_is_about_some_questions_names_them(policy: Path, tmp_path: Path) -> None:
    file = people(tmp_path, "- {name: Maya, consent: [diagnose]}")
    called = here("decide", str(policy), "--people", file, "--at", AT)
    assert "not Maya: has not agreed to be asked for this" in called.out
    helped = tmp_path / "helped.yaml"
    diagnosis = "{kind: diagnosis, prompt: What is wrong?}"
    helped.write_text(POLICY.replace('"How should I hold it?"', diagnosis), encoding="utf-8")
    called = here("decide", str(helped), "--people", file, "--at", AT)
    assert "not Maya about 'camera', 'haptics', 'fusion': has not agreed" in " ".join(called.out.split())


def test_a_critical_stake_may_disturb_somebody_who_is_very_busy(policy: Path, tmp_path: Path) -> None:
    record = decided(policy, "--people", people(tmp_path), "--at", AT, "--stake", "critical")
    assert not any(option["why"] for option in record["options"])


def test_what_people_said_at_a_desk_counts(policy: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "journal.db")
    clock = SkippingClock(datetime.fromisoformat(AT).timestamp())
    with Journal.open(store, clock=clock) as journal, Desk(journal, [Person(name="Maya")]) as desk:
        desk.busy("Maya", 600.0)
    arguments = ("--people", people(tmp_path), "--at", AT)
    assert decided(policy, *arguments)["person"] == "Maya"
    record = decided(policy, *arguments, "--store", store)
    assert {option["why"] for option in record["options"] if option["person"] == "Maya"} == {"they are busy"}
    called = here("decide", str(policy), *arguments, "--store", str(tmp_path / "none.db"))
    assert (called.code, "none.db" in called.err) == (2, True)


def test_quiet_hours_are_those_of_the_time_that_is_given(policy: Path, tmp_path: Path) -> None:
    quiet = "- {name: Maya, limits: {quiet: [{start: '22:00', end: '06:00'}]}}"
    file = people(tmp_path, quiet)
    day, night = (decided(policy, "--people", file, "--at", f"2026-11-19T{hour}:00Z") for hour in (15, 23))
    assert day["person"] == "Maya"
    assert night["person"] is None


def test_words_of_a_file_may_stand_in_capitals_and_twice(policy: Path, tmp_path: Path) -> None:
    file = people(tmp_path, "- {name: Maya, role: operator, here: True, supports: [own-90, own-90, none]}")
    asks = [option for option in decided(policy, "--people", file)["options"] if option["action"] == "ask"]
    assert [option["support"] for option in asks[:2]] == ["own-90", "none"]
    assert len(asks) == 4 * 2, "four modules, two kinds of support"


def test_brackets_in_a_name_are_shown_as_they_are(policy: Path, tmp_path: Path) -> None:
    called = here("decide", str(policy), "--people", people(tmp_path, '- {name: "[/bold]Ann", level: 4}'), "--at", AT)
    assert called.out.startswith("ask [/bold]Ann about")


def test_without_time_left_there_is_no_empty_table(policy: Path, tmp_path: Path) -> None:
    arguments = ("--people", people(tmp_path), "--at", AT, "--horizon", "1", "--observed", '[{"executed": "failed"}]')
    called = here("decide", str(policy), *arguments)
    assert "are used up" in called.out
    assert "Lower values" not in called.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- {name: Maya, level: 7}", "level of 'Maya' must be a level or five probabilities, got 7"),
        ("- {name: Maya, level: [1, 1]}", "probabilities of levels must have 5 numbers, got 2"),
        ("- {name: Maya, can: {fly: 1}}", "can of 'Maya' must be among which, diagnose, hands"),
        ("- {name: Maya, can: {which: 2}}", "'which' in can of 'Maya' must lie between 0 and 1, got 2"),
        ("- {name: Maya, supports: [magic]}", "supports of 'Maya' must be among none, own, other, both"),
        ("- {name: Maya, supports: [own-101]}", "supports of 'Maya' must be among none, own, other, both"),
        ("- {name: Maya, supports: [own-²]}", "supports of 'Maya' must be among none, own, other, both"),
        ("- {name: Maya, consent: perhaps}", "consent of 'Maya' must be true or false"),
        ("- {name: Maya, consent: []}", "Write for example [which, hands], or false for none"),
        ("- {name: Maya, here: 3}", "here of 'Maya' must be true or false"),
        ("- {name: Maya, here: [3]}", "here of 'Maya' must be true or false"),
        ("- {name: Maya, comes_s: soon}", "comes_s of 'Maya'"),
        ("- {name: Maya, answers: 1.5}", "answers of 'Maya' must lie between 0 and 1, got 1.5"),
        ("- Maya", "a person must be a record with a name"),
        ("- {name: Maya, wings: 2}", "'wings' is no field of a person. Known: name, role"),
        ("- {name: Maya, levels: 2}", "abilities, level, here, comes_s"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(policy: Path, tmp_path: Path, text: str, says: str) -> None:
    called = here("decide", str(policy), "--people", people(tmp_path, text))
    assert called.code == 2
    assert says in " ".join(called.err.split())
    assert "people.yaml:1:" in called.err


def test_options_about_people_need_people(policy: Path) -> None:
    called = here("decide", str(policy), "--stake", "critical")
    assert (called.code, "none are given" in " ".join(called.err.split())) == (2, True)
    called = here("decide", str(policy), "--step-s", "5")
    assert (called.code, "none are given" in " ".join(called.err.split())) == (2, True)
    called = here("decide", str(policy), "--people", "examples/people.yaml", "--at", "soon")
    assert (called.code, "be a date and time" in " ".join(called.err.split())) == (2, True)
    for year in ("0001", "9999"):
        called = here("decide", str(policy), "--people", "examples/people.yaml", "--at", f"{year}-12-31T23:59+00:00")
        assert (called.code, "lie in the years 1971 to 9998" in " ".join(called.err.split())) == (2, True)
