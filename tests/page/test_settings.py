"""Settings hold at once and after a reload; what goes out by itself is asked for, seen and can be held back."""

from __future__ import annotations

from playwright.sync_api import expect

from handup.desk import Status
from tests.page.site import Site


def test_text_and_theme_hold_after_a_reload(site: Site) -> None:
    with site.open(color_scheme="light") as look:
        look.press("settings", "set-text-200", "set-theme-dark")
        look.page.reload()
        look.sees("waiting")
        style = "getComputedStyle(document.documentElement)"
        assert look.page.evaluate(f"{style}.fontSize") == "32px"
        assert look.page.evaluate(f"{style}.colorScheme") == "dark"


def test_send_by_itself_is_seen_and_can_be_held_back(site: Site) -> None:
    with site.open() as look:
        look.page.clock.install()
        look.page.reload()
        look.press("settings", "set-send-3", "sheet-close")
        asked = site.ask("choice")
        look.press("option-0")
        look.says("wait", "goes out in")
        look.press("wait")
        look.sees_not("wait")
        look.page.clock.run_for(3500)
        record = site.desk.record(asked.id)
        assert record is not None
        assert record.status is Status.OPEN
        look.press("option-1")
        told = site.told(asked.id, 8)
        assert told.answer is not None
        assert told.answer.value == "cherry tomato"


def test_a_permission_never_goes_out_by_itself_nor_does_a_draft(site: Site) -> None:
    with site.open() as look:
        look.press("settings", "set-send-3", "sheet-close")
        asked = site.ask("permission")
        look.press("option-0")
        look.sees("send")
        look.sees_not("wait")
        site.desk.withdraw(asked.id, "enough")
        look.question(site.ask("choice"))
        look.press("option-0")
        look.page.reload()
        look.sees("send")
        look.sees_not("wait")


def test_single_keys_can_be_turned_off(site: Site) -> None:
    with site.open() as look:
        look.press("settings", "set-keys-false", "sheet-close")
        look.question(site.ask("choice"))
        look.keys("1", "s")
        look.sees_not("send")
        look.sees_not("stopped")
        assert not site.desk.stopped


def test_help_says_whom_to_call(site: Site) -> None:
    with site.open() as look:
        look.press("settings")
        look.of("set-contact").fill("Ben, room 4")
        look.press("help")
        look.says("sheet", "Ben, room 4")
        look.keys("Escape")
        look.sees_not("sheet")


def test_questions_are_read_aloud_by_a_voice_of_this_device_only(site: Site) -> None:
    with site.open() as look:
        look.context.add_init_script(VOICES)
        look.page.reload()
        look.press("settings", "set-speech-true", "sheet-close")
        look.question(site.ask("guess"))
        spoken = "window.spoken[window.spoken.length - 1]"
        assert "What is the red food" in look.page.evaluate(f"{spoken}.text")
        assert "I think: cherry tomato" in look.page.evaluate(f"{spoken}.text")
        assert look.page.evaluate(f"{spoken}.voice") == "here"
        count = look.page.evaluate("window.spoken.length")
        look.press("say-again")
        assert look.page.evaluate("window.spoken.length") == count + 1


def test_without_a_voice_there_is_no_button_for_it(site: Site) -> None:
    with site.open() as look:
        look.context.add_init_script("Object.defineProperty(window.speechSynthesis, 'getVoices', {value: () => []})")
        look.page.reload()
        look.press("settings")
        expect(look.of("sheet")).to_contain_text("no voice of its own")
        look.press("set-speech-true", "sheet-close")
        look.question(site.ask("guess"))
        look.sees_not("say-again")


VOICES = """
window.spoken = [];
const voices = [{ name: 'far', lang: 'en', localService: false }, { name: 'here', lang: 'en', localService: true }];
const engine = { getVoices: () => voices, cancel: () => {}, addEventListener: () => {},
                 speak: (words) => window.spoken.push({ text: words.text, voice: words.voice?.name }) };
Object.defineProperty(window, 'speechSynthesis', { value: engine });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""
