"""Every state, measured: answers at least 96 px with 16 px between them, nothing under 48 px, nothing cut off.

axe-core finds nothing, light and dark; and no request leaves the machine.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ViewportSize

from tests.page.axe import violations
from tests.page.site import Look, Site
from tests.page.states import STATES

WIDTHS = {320: 640, 768: 1024, 1280: 800, 1920: 1080}
LARGE_WIDTHS = (320, 1280)
"""Widths at which text of twice the size is measured."""
ORDINARY: ViewportSize = {"width": 1024, "height": 768}
ENLARGE = """(text) => {
    document.documentElement.style.setProperty('--text', text / 100);
    document.documentElement.dataset.text = text;
}"""
"""As the page does when somebody changes the size of the text."""
ANSWERS = (
    ".option, .step, [data-testid=send], [data-testid=undo], [data-testid=enable], [data-testid=enable-yes], "
    "[data-testid=enable-no], [data-testid=number-input], .answers [data-testid=text]"
)
MEASURE = """(answers) => {
    const shown = [...document.querySelectorAll('button, input')].filter((each) => each.checkVisibility());
    return {
        wide: document.documentElement.scrollWidth - innerWidth,
        main: document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth,
        all: shown.map((each) => {
            const { x, y, width, height } = each.getBoundingClientRect();
            const cut = each.scrollWidth > each.clientWidth + 1;
            return { name: each.dataset.testid ?? each.textContent, x, y, width, height, cut,
                     answer: each.matches(answers), input: each.matches('input'),
                     inside: each.closest('main, .bottom, .topbar')?.className };
        }),
    };
}"""


def gap(one: dict[str, Any], other: dict[str, Any]) -> float:
    """How far two boxes are apart, along the axis that parts them. What scrolls behind a bar is not beside it."""
    if one["inside"] != other["inside"]:
        return 16.0
    across = max(one["x"], other["x"]) - min(one["x"] + one["width"], other["x"] + other["width"])
    down = max(one["y"], other["y"]) - min(one["y"] + one["height"], other["y"] + other["height"])
    return float(max(across, down))


def measured(look: Look) -> list[str]:
    """Everything that is too small, too close or does not fit."""
    found = look.page.evaluate(MEASURE, ANSWERS)
    wrong = [f"{name} is {found[name]} px too wide" for name in ("wide", "main") if found[name] > 1]
    for each in found["all"]:
        least = 96 if each["answer"] else 48
        if min(each["width"], each["height"]) < least - 0.5:
            wrong.append(f"{each['name']}: {each['width']:.0f} × {each['height']:.0f}, not {least}")
        if each["cut"] and not each["input"]:
            wrong.append(f"{each['name']}: its words are cut")
    answers = [each for each in found["all"] if each["answer"]]
    for index, one in enumerate(answers):
        close = [other for other in answers[index + 1 :] if gap(one, other) < 15.5]
        wrong += [f"{one['name']} and {other['name']}: {gap(one, other):.0f} px apart" for other in close]
    return wrong


def problems(look: Look) -> list[str]:
    """Return what is wrong with a state on an ordinary screen, at all widths, and with large text."""
    found = violations(look.page, "best-practice")
    for text, widths in ((100, tuple(WIDTHS)), (200, LARGE_WIDTHS)):
        look.page.evaluate(ENLARGE, text)
        for width in widths:
            look.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
            found += [f"{wrong}, at {width} px with text at {text} %" for wrong in measured(look)]
    look.page.set_viewport_size(ORDINARY)
    return found


def test_every_state_is_large_enough_and_readable(site: Site) -> None:
    wrong: dict[str, list[str]] = {}
    with site.open() as look:
        asked: list[str] = []
        look.page.on("request", lambda request: asked.append(request.url))
        for name, reach in STATES.items():
            look.begin_anew(site)
            reach(site, look)
            if found := problems(look):
                wrong[name] = found
        assert wrong == {}
        assert {urlsplit(url).netloc for url in asked} == {urlsplit(site.url).netloc}


def test_pairing_and_a_lost_link(site: Site) -> None:
    with site.open(None) as look:
        look.sees("pairing")
        assert violations(look.page, "best-practice") == []
    with site.open(url=site.wired) as look:
        look.question(site.ask("choice"))
        site.wire.cut()
        look.sees("stale")
        look.press("option-0", "send", "stop")
        look.sees("stop-failing")
        assert violations(look.page, "best-practice") == []
        site.wire.mend()
        look.sees("stopped")
