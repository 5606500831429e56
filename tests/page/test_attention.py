"""A question is noticed on an open page: by its sound, the title, the icon, the badge; and the screen stays on."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from handup.core import Limits, Person, QuietHours
from handup.desk import Desk
from tests.deadlines import soon
from tests.page.hands import CAREFUL, Finger, Hands, Keys, Switch
from tests.page.site import Look, Site

SPY = """
    window.heard = [];
    window.badges = [];
    window.screens = { held: 0 };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (at) {
        window.heard.push({ hertz: this.frequency.value, state: this.context.state });
        return start.call(this, at);
    };
    navigator.setAppBadge = async (count) => void window.badges.push(count);
    navigator.clearAppBadge = async () => void window.badges.push(0);
    class Lock extends EventTarget {
        async release() { window.screens.held -= 1; this.dispatchEvent(new Event('release')); }
    }
    const request = async () => { window.screens.held += 1; return new Lock(); };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
"""


def spied(look: Look, *more: str) -> None:
    """Load the page again, with a browser that keeps what the page does with it. Nobody has pressed anything yet."""
    for script in (SPY, *more):
        look.context.add_init_script(script)
    look.page.reload()
    look.sees("waiting")


def heard(look: Look) -> list[dict[str, Any]]:
    sounds: list[dict[str, Any]] = look.page.evaluate("window.heard")
    return sounds


def screens(look: Look) -> int:
    """Number of locks that keep the screen on."""
    return int(look.page.evaluate("window.screens.held"))


def test_the_title_says_it_and_so_do_icon_and_badge(site: Site) -> None:
    with site.open() as look:
        spied(look)
        expect(look.page).to_have_title("handup")
        asked = site.ask("choice")
        look.question(asked)
        expect(look.page).to_have_title("(1) A question – handup")
        expect(look.page.locator('link[rel="icon"]')).to_have_attribute("href", "/icon-asked.svg")
        assert look.page.request.get(f"{site.url}/icon-asked.svg").headers["content-type"] == "image/svg+xml"
        site.desk.withdraw(asked.id, "it was found")
        expect(look.page).to_have_title("handup")
        expect(look.page.locator('link[rel="icon"]')).to_have_attribute("href", "/icon.svg")
        assert look.page.evaluate("window.badges") == [0, 1, 0]


def test_a_browser_that_nobody_touched_makes_no_sound_and_the_page_says_so(site: Site) -> None:
    with site.open() as look:
        spied(look)
        look.says("sound-locked", "no sound yet")
        look.question(site.ask("choice"))
        assert heard(look) == []


def check_sound(site: Site, hands: Hands, *more: str, settle: bool = False) -> None:
    """One press anywhere lets the page make sounds; the next question is heard, by a sound that the browser plays."""
    with site.open(has_touch=True) as look:
        spied(look, *more)
        if settle:
            look.page.evaluate("localStorage.setItem('handup.settings', JSON.stringify({scan: 'auto', scanMs: 800}))")
            look.page.reload()
            look.sees("waiting")
        look.sees("sound-locked")
        hands.press(look.page, "help")
        hands.press(look.page, "sheet-close")
        look.sees_not("sound-locked")
        look.question(site.ask("choice"))
        soon(lambda: len(heard(look)) == 2)
        assert {sound["state"] for sound in heard(look)} == {"running"}


def test_one_touch_lets_it_sound(site: Site) -> None:
    check_sound(site, Finger())


def test_one_key_lets_it_sound(site: Site) -> None:
    check_sound(site, Keys())


def test_one_press_of_a_switch_lets_it_sound(site: Site) -> None:
    check_sound(site, Switch(), CAREFUL, settle=True)


def test_loudness_is_chosen_heard_at_once_and_kept_and_off_is_off(site: Site) -> None:
    with site.open() as look:
        spied(look)
        look.press("settings", "set-chime-loud")
        soon(lambda: len(heard(look)) == 2)
        look.press("set-chime-off", "sheet-close")
        look.question(site.ask("choice"))
        assert len(heard(look)) == 2
        look.page.reload()
        look.press("settings")
        expect(look.of("set-chime-off")).to_have_attribute("aria-pressed", "true")


def test_a_question_that_is_held_for_quiet_hours_is_not_heard_nor_seen_in_the_title(site: Site) -> None:
    quiet = tuple(QuietHours(start=f"{hour:02}:00", end=f"{(hour + 13) % 24:02}:00") for hour in (0, 12))
    with site.open() as look:
        spied(look)
        look.press("help", "sheet-close")
        try:
            Desk(site.journal, [Person(name="ana", limits=Limits(quiet=quiet))]).close()
            asked = site.ask("choice")
            look.sees("answer-now")
            assert heard(look) == []
            expect(look.page).to_have_title("handup")
        finally:
            Desk(site.journal, [Person(name="ana")]).close()
        site.desk.withdraw(asked.id, "enough")


def test_the_screen_stays_on_while_a_robot_works_unless_somebody_does_not_want_it(site: Site) -> None:
    with site.open() as look:
        spied(look)
        site.show_robot(phase="moving")
        soon(lambda: screens(look) == 1)
        look.press("settings", "set-awake-false")
        soon(lambda: screens(look) == 0)
        look.press("set-awake-true")
        soon(lambda: screens(look) == 1)
        site.show_robot(phase="done")
        soon(lambda: screens(look) == 0)
