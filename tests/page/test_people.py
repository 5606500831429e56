"""People on the page: busy and back in one press, by touch, by keys and by one switch; and everybody in one screen."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from handup.core import Ability
from handup.desk import Status
from tests.page.hands import BY_HAND, SCAN_MS, Switch
from tests.page.site import Look, Site

SETTINGS = json.dumps({"scan": "auto", "scanMs": SCAN_MS, "debounceMs": 0})
SCANNING = f"localStorage.setItem('handup.settings', '{SETTINGS}');{BY_HAND}"


def _finger(look: Look) -> None:
    look.of("busy").tap()


def _key(look: Look) -> None:
    look.keys("F8")


def _letter(look: Look) -> None:
    look.keys("b")


def _switch(look: Look) -> None:
    Switch().press(look.page, "busy")


@pytest.mark.parametrize("say", [_finger, _key, _letter, _switch])
def test_busy_and_back_in_one_press(site: Site, say: Callable[[Look], None]) -> None:
    with site.open(has_touch=True) as look:
        if say is _switch:
            look.context.add_init_script(SCANNING)
            look.page.reload()
        look.sees("waiting")
        say(look)
        look.says("busy-card", "until you press “I am back”")
        look.says("busy", "I am back")
        assert site.is_busy(wanted=True)
        say(look)
        look.sees_not("busy-card")
        assert not site.is_busy(wanted=False)


def test_a_question_goes_on_and_what_nobody_else_can_answer_comes_back(site: Site) -> None:
    with site.open() as look, site.open("ben") as ben:
        mine = site.ask("choice")
        look.question(mine)
        look.press("busy")
        ben.question(mine)
        look.says("busy-card", "Meanwhile I ask somebody else")
        look.sees("answer-now")
        ben.press("busy")
        ben.sees_not("question")
        held = site.desk.record(mine.id)
        assert held is not None
        assert (held.status, held.turn) == (Status.HELD, "ben")
        ben.says("waiting", "I ask you once you are back.")
        ben.press("busy")
        ben.question(mine)


def test_an_end_is_chosen_and_holds_on_every_device_of_the_person(site: Site) -> None:
    with site.open() as look, site.open() as other:
        look.press("busy", "set-busyfor-3600")
        other.says("busy-card", "I do not ask you until ")
        expect(other.of("set-busyfor-3600")).to_have_attribute("aria-pressed", "true")
        until_s = site.desk.state.busy["ana"].until_s
        assert until_s is not None
        assert 3500 < until_s - site.desk.now_s() <= 3600
        other.press("busy")
        look.sees_not("busy-card")


def test_a_caregiver_sets_somebody_up_in_one_screen(site: Site) -> None:
    with site.open("ben") as look:
        look.press("settings", "people", "change-0")
        look.press("set-can-see", "set-can-hands", "set-quiet-true", "set-until-later", "set-hourly-4", "set-way-email")
        assert site.desk.state.people["ana"].limits.per_hour is None, "nothing is changed before it is saved"
        look.press("person-save")
        look.says("notice", "Saved.")
        look.says("person-0", "not from 22:00 to 07:30")
        look.says("person-0", "at most 4 an hour")
    ana = site.desk.state.people["ana"]
    assert ana.abilities == (Ability.HANDS, Ability.GOAL)
    assert [(part.start, part.end) for part in ana.limits.quiet] == [("22:00", "07:30")]
    assert ana.channels == ("page", "terminal", "ntfy", "mqtt")
    assert ana.limits.per_hour == 4


def test_a_resident_sees_and_changes_only_themselves(site: Site) -> None:
    with site.open() as look:
        look.press("settings", "people", "change-0", "set-can-diagnose", "person-leave")
        look.says("person-0", "Here now.")
        look.sees_not("person-1")
        assert "ben" not in (look.page.text_content("main") or "")
    assert Ability.DIAGNOSE not in site.desk.state.people["ana"].abilities


def test_a_caregiver_sees_who_is_busy_and_what_happens_next(site: Site) -> None:
    site.desk.busy("ana")
    with site.open("ben") as look:
        look.press("settings", "people")
        look.says("person-0", "Busy. I ask the next person, or wait.")
