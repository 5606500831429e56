"""Who can be asked, and how much."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import ABILITIES, Ability, BadRecord, BadSetting, HandupError, Limits, Person, QuietHours, Role
from tests.core.asked import names
from tests.core.test_question import GOLDEN, anything

times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"])
quiet = st.tuples(times, times, zones).filter(lambda each: each[0] != each[1])
limits = st.builds(
    Limits,
    at_once=st.integers(1, 9),
    per_hour=st.none() | st.integers(1, 99),
    load_per_hour=st.none() | st.floats(0.01, 99.0),
    quiet=st.lists(quiet.map(lambda each: QuietHours(start=each[0], end=each[1], zone=each[2])), max_size=2).map(tuple),
)
people = st.builds(
    Person,
    name=names,
    role=st.sampled_from(Role),
    limits=limits,
    channels=st.lists(names, max_size=2).map(tuple),
    abilities=st.none() | st.sets(st.sampled_from(Ability)).map(tuple),
)


@given(people)
def test_a_person_survives_json(person: Person) -> None:
    assert Person.from_json(json.loads(json.dumps(person.to_json()))) == person


@given(anything, st.sampled_from(["schema", "name", "role", "limits", "channels", "abilities", "more"]))
def test_junk_is_refused_in_words(junk: Any, field: str) -> None:
    with pytest.raises(HandupError):
        Person.from_json(junk)
    try:
        Person.from_json({"name": "Ada", field: junk})
    except (BadSetting, BadRecord) as error:
        assert error.hint


def test_the_person_of_the_golden_file_is_read_and_written_as_they_are() -> None:
    record = json.loads((GOLDEN / "person-v1.json").read_text(encoding="utf-8"))
    assert Person.from_json(record).to_json() == record


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"name": ""}, "name of a person must not be empty"),
        ({"name": "x" * 201}, "got 201"),
        ({"name": "A\nB"}, "name of a person"),
        ({"role": "king"}, "role of 'Ada' must be one of resident, .*, got 'king'"),
        ({"channels": "terminal"}, "channels of 'Ada' must be a list, got 'terminal'"),
        ({"abilities": ["fly"]}, "an ability of 'Ada' must be one of see, hands, goal, diagnose, got 'fly'"),
        ({"abilities": "see"}, "abilities of 'Ada' must be a list, got 'see'"),
        ({"limits": {"at_once": 0}}, "at_once must be a whole number of at least 1, got 0"),
        ({"limits": {"at_once": 1.5}}, "at_once must be a whole number of at least 1, got 1.5"),
        ({"limits": {"per_hour": 0}}, "per_hour must be a whole number of at least 1, got 0"),
        ({"limits": {"load_per_hour": 0}}, "load_per_hour must be above 0, got 0"),
        ({"limits": {"per_day": 3}}, "'per_day' is no field of limits"),
        ({"limits": {"quiet": [{"start": "24:00", "end": "06:00"}]}}, "start of quiet hours must be a time of day"),
        ({"limits": {"quiet": [{"start": "22:00", "end": "6:00"}]}}, "end of quiet hours"),
        ({"limits": {"quiet": [{"start": "22:00", "end": "22:00"}]}}, "begin and end at 22:00"),
        ({"limits": {"quiet": [{"start": "22:00", "end": "06:00", "zone": "Mars/Base"}]}}, "nobody knows the time"),
        ({"limits": {"quiet": [{"start": "22:00", "end": "06:00", "zone": "../etc"}]}}, "nobody knows the time"),
        ({"limits": {"quiet": [{"start": "22:00", "end": "06:00", "zone": "Europe"}]}}, "nobody knows the time"),
        ({"limits": {"quiet": [{"start": "22:00"}]}}, "quiet hours has no end"),
    ],
)
def test_what_is_no_person_is_refused_in_words(given: dict[str, Any], match: str) -> None:
    with pytest.raises(BadSetting, match=match):
        Person.from_json({"name": "Ada", **given})


@pytest.mark.parametrize("role", Role)
def test_who_was_written_down_without_abilities_has_those_of_the_role_and_is_written_as_before(role: Role) -> None:
    record = {"schema": 1, "name": "Ada", "role": str(role), "limits": Limits().to_json(), "channels": []}
    person = Person.from_json(record)
    assert person.abilities == ABILITIES[role]
    assert json.dumps(person.to_json()) == json.dumps(record)


def test_abilities_of_somebody_are_kept_once_and_in_order() -> None:
    person = Person(name="Ada", abilities=(Ability.GOAL, Ability.HANDS, Ability.GOAL))
    assert person.abilities == (Ability.HANDS, Ability.GOAL)
    assert person.to_json()["abilities"] == ["hands", "goal"]
    assert Person(name="Ada", abilities=()).to_json()["abilities"] == []
