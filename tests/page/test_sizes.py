"""Sizes and gaps, measured: answers at least 96 px with 16 px between them, nothing under 48 px, nothing cut off."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page.site import Look, Site
from tests.page.states import STATES

WIDTHS = {320: 640, 768: 1024, 1280: 800, 1920: 1080}
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


@pytest.mark.parametrize(("width", "text"), [*((width, 100) for width in WIDTHS), (320, 200), (1280, 200)])
def test_sizes_and_gaps(site: Site, width: int, text: int) -> None:
    wrong: dict[str, list[str]] = {}
    with site.open(viewport={"width": width, "height": WIDTHS[width]}) as look:
        look.page.evaluate(f"localStorage.setItem('handup.settings', JSON.stringify({{text: {text}}}))")
        for name, reach in STATES.items():
            look.begin_anew(site)
            reach(site, look)
            if found := measured(look):
                wrong[name] = found
    assert wrong == {}
