"""What is held to be true, by whom, and who disagrees."""

from __future__ import annotations

import pytest

from handup.core import BadSetting
from handup.executive.beliefs import Assertion, Beliefs, BeliefSource
from handup.executive.events import Believed, Raised
from handup.executive.machine.program import Program
from handup.executive.monitors import Lookout, Watch
from tests.executive.making import recipe, recipes, rule


def said(value: object, at_s: float, source: BeliefSource = BeliefSource.SCRIPT, key: str = "robot_at") -> Assertion:
    return Assertion(key=key, value=value, source=source, at_s=at_s)


def test_what_was_said_last_counts_and_each_source_keeps_its_word() -> None:
    beliefs = Beliefs()
    beliefs.say(said("kits", 1.0))
    beliefs.say(said("gears", 2.0, BeliefSource.MONITOR))
    assert beliefs.values == {"robot_at": "gears"}
    script = beliefs.by("robot_at", BeliefSource.SCRIPT)
    assert script is not None
    assert script.value == "kits"
    assert beliefs.by("robot_at", BeliefSource.PERSON) is None
    assert len(beliefs.assertions) == 2


@pytest.mark.parametrize(
    ("script_s", "monitor_s", "monitor", "contradicts"),
    [(1.0, 2.0, "gears", True), (1.0, 1.0, "gears", True), (2.0, 1.0, "gears", False), (1.0, 2.0, "kits", False)],
)
def test_a_monitor_contradicts_only_what_it_looked_at(
    script_s: float, monitor_s: float, monitor: str, contradicts: bool
) -> None:
    beliefs = Beliefs()
    beliefs.say(said("kits", script_s))
    beliefs.say(said(monitor, monitor_s, BeliefSource.MONITOR))
    assert beliefs.contradictions == (("robot_at",) if contradicts else ())


def test_people_and_scripts_do_not_contradict_each_other() -> None:
    beliefs = Beliefs()
    beliefs.say(said("kits", 1.0))
    beliefs.say(said("gears", 2.0, BeliefSource.PERSON))
    assert not beliefs.contradicts("robot_at")


def test_a_probability_is_one() -> None:
    with pytest.raises(BadSetting):
        Assertion(key="x", value=1, probability=1.5)


def test_a_lookout_tells_news_only_and_each_contradiction_once() -> None:
    beliefs, place = Beliefs(), ["gears"]
    rules = Program.of(recipes(recipe("main")), [rule("again", contradiction="robot_at")]).rules
    lookout = Lookout([Watch("robot_at", lambda now_s: place[0], 0.9)])

    def look(now_s: float) -> list[object]:
        told: list[object] = []
        for event in lookout.look(now_s, beliefs):
            told.append(event)
            if isinstance(event, Believed):
                beliefs.say(event.assertion)
        if (raised := lookout.contradiction(now_s, beliefs, rules)) is not None:
            beliefs.hear(raised.fields["key"])
            told.append(raised)
        return told

    assert [type(each) for each in look(1.0)] == [Believed]
    assert look(2.0) == []
    beliefs.say(said("kits", 3.0))
    assert [type(each) for each in look(4.0)] == [Believed, Raised]  # it looks again at what the script says now
    assert look(5.0) == []
    place[0] = "kits"
    assert [type(each) for each in look(6.0)] == [Believed]
    place[0] = "gears"
    raised = look(7.0)[-1]
    assert isinstance(raised, Raised)
    assert raised.fields == {"key": "robot_at", "script": "kits", "monitor": "gears"}
