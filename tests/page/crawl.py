"""Goes through the page as somebody would who presses everything, and looks at every state that it comes to.

What "in one action" means, for what must be in reach from everywhere (Stop; *not now* where a question is open; help;
*I am busy*, or *I am back*):

* touch: the button is wholly in sight without scrolling, nothing lies over it, and one tap on it does it;
* keys: one key does it wherever the focus is, also while writing: F9, F2, F1, F8, as Help says. Everything else is
  reached by Tab from the top of the page, Stop first;
* one switch: its button, or the group that it is in, is marked within the first round, and Stop is marked first. On the
  letter board, which lies over the page, two keys of its own stand for *not now* and help.

Two states are one where they have the same screen and the same enabled controls. Not followed: *Yes, unpair* (the
device then shows the pairing page, which knows no robot that it could stop); of answers, fields and choices of one
setting all but the first and the last; and what is more than `deepest` presses from a start.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

from playwright.sync_api import Error

from tests.page.axe import violations
from tests.page.hands import CAREFUL, SCAN_MS, Switch
from tests.page.site import Look, Site
from tests.page.states import State

WIDTHS = {320: 640, 768: 1024, 1280: 800}
ORDINARY = {"width": 1024, "height": 768}
NOT_FOLLOWED = {"leave-yes", "stop"}  # Stop is pressed in every state, as the last thing there
WRITTEN = {"text": "soup", "number-input": "7", "set-contact": "Ben"}
BY_OTHER_MEANS = {"picture", "number-input"}  # by one switch: numbered fields; less and more
SET = re.compile("set-|leave")
KEYS = {"stop": "F9", "not-now": "F2", "help": "F1", "busy": "F8"}

SIGNS = """() => {
    const shown = [...document.querySelectorAll('button, input')].filter((e) => e.checkVisibility() && !e.disabled);
    const question = document.querySelector('[data-question]');
    const screen = document.querySelector('main h1')?.textContent ?? '';
    return {
        screen: question ? question.dataset.kind
            : /Help|Settings|People|Stopped|Connecting/.exec(screen)?.[0] ?? 'waiting',
        controls: [...new Set(shown.map((e) => e.dataset.testid ?? e.textContent))],
        footer: document.querySelector('.footer') !== null,
        moving: /Stopping|on its way|Connecting|Looking …/.test(document.body.textContent)
            || (localStorage.getItem('handup.unsent') ?? '[]') !== '[]',
    };
}"""
SETTLED = f"""async () => {{
    const look = {SIGNS};
    const pause = () => new Promise((done) => setTimeout(done, 15));
    for (let before = '', tries = 0; tries < 200; tries++) {{
        await pause();
        const signs = look(), now = JSON.stringify(signs);
        if (now === before && !signs.moving) return signs;
        before = now;
    }}
    return look();
}}"""
PRESS = """async (all) => {
    for (const [testid, words] of all) {
        const it = () => document.querySelector(`[data-testid="${CSS.escape(testid)}"]`);
        for (let tries = 0; !it() && tries < 100; tries++) await new Promise((done) => setTimeout(done, 20));
        if (!it()) throw new Error(`${testid} is not there`);
        if (words === null) {
            it().click();
        } else {
            it().value = words;
            it().dispatchEvent(new Event('input', { bubbles: true }));
        }
        await new Promise((done) => setTimeout(done, 10));
    }
}"""
IN_SIGHT = """(testids) => testids.filter((testid) => {
    const it = document.querySelector(`[data-testid="${testid}"]`);
    if (!it) return true;
    const { left, top, right, bottom } = it.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) return true;
    const places = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.15], [0.5, 0.85]];
    const hit = ([x, y]) => document.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
    return !places.every((each) => it.contains(hit(each)));
})"""
FORGET = "(settings) => { localStorage.clear(); localStorage.setItem('handup.settings', settings); }"
QUICK_MS, SLOW_MS, NEVER_MS = 40, 1500, 1e6
FASTER = f"""{CAREFUL}
    window.fastMs = {QUICK_MS};
    window.marks = [];
    const later = window.setTimeout.bind(window);
    window.setTimeout = (act, ms, ...more) => later(act, ms === {SCAN_MS} ? window.fastMs : ms, ...more);
    new MutationObserver((all) => {{
        for (const each of all) if (each.target.dataset.scanNow) window.marks.push(each.target.dataset.testid);
    }}).observe(document, {{ subtree: true, attributes: true, attributeFilter: ['data-scan-now'] }});
"""
FOCUSED = "document.activeElement?.dataset?.testid ?? null"


@dataclass(frozen=True)
class Signs:
    """What a state is known by."""

    screen: str
    controls: frozenset[str]

    @property
    def home(self) -> bool:
        """Whether the person is where they are to be: at a question, or waiting for one."""
        return not re.fullmatch("Help|Settings|People|Stopped|Connecting", self.screen)


@dataclass(frozen=True)
class Spot:
    """A state, and one way to it."""

    start: str
    presses: tuple[str, ...]

    def __str__(self) -> str:
        return " > ".join((self.start, *self.presses))


@dataclass
class Crawler:
    """A page, the states that were found on it, and what was wrong there."""

    site: Site
    look: Look
    starts: Mapping[str, State]
    apart: bool = False  # whether settings are left alone: they are the same wherever the sheet is opened
    deepest: int = 4
    axe: bool = True  # whether axe-core looks at every state
    found: dict[Signs, Spot] = field(default_factory=dict)
    passing: dict[Signs, Spot] = field(default_factory=dict)
    ways: dict[Signs, set[Signs]] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def signs(self) -> Signs:
        seen = self.look.page.evaluate(SETTLED)
        return Signs(seen["screen"], frozenset(seen["controls"]))

    def must(self) -> list[str]:
        """What must be in reach now."""
        footer = self.look.page.evaluate(SIGNS)["footer"]
        return ["stop", "help", "busy", *(["not-now"] if footer else [])]

    def press(self, *testids: str) -> None:
        self.look.page.evaluate(PRESS, [[each, WRITTEN.get(each)] for each in testids])

    def reset(self, *, anew: bool) -> None:
        """To the waiting screen, as it is at first."""
        if anew:
            self.look.page.goto(f"{self.site.url}/api/v1/health")  # where no page runs that would keep anything
            self.look.page.evaluate(FORGET, self.settings())
            self.look.begin_anew(self.site)
        else:
            self.site.tidy()
        if self.look.of("sheet-close").count():
            self.press("sheet-close")
        self.look.page.get_by_test_id("waiting").wait_for()
        if self.look.of("notice-close").count():
            self.press("notice-close")

    def settings(self) -> str:
        return "{}"

    def go(self, spot: Spot, *, anew: bool) -> Signs:
        self.reset(anew=anew)
        self.starts[spot.start](self.site, self.look)
        self.press(*spot.presses)
        return self.signs()

    def crawl(self) -> None:
        """Every state, nearest first; each is looked at when it is found."""
        queue: deque[tuple[Signs, Spot]] = deque()
        for start in self.starts:
            spot = Spot(start, ())
            self.note(self.go(spot, anew=True), spot, queue)
        while queue:
            signs, spot = queue.popleft()
            if (settled := self.go(spot, anew=True)) != signs:
                self.passing[signs] = self.found.pop(signs)  # something came late: what it settles into counts
                self.note(settled, spot, queue)
                continue
            self.inspect(signs, spot)
            if signs.home and len(spot.presses) == self.deepest:
                continue  # nobody is trapped there, and what lies behind it is too far away
            anew = True  # it ended with a stop, and a stop keeps what was begun for when the robot asks again
            for each in self.followed(signs.controls):
                after = Spot(spot.start, (*spot.presses, each))
                now = self.again(after, anew=anew)
                if now is None:
                    anew = True
                    continue
                self.note(now, after, queue)
                self.ways.setdefault(signs, set()).add(now)
                anew = changes(after) or "send" in after.presses  # what is told of a reply may come late

    def again(self, spot: Spot, *, anew: bool) -> Signs | None:
        """Go a way that was gone before; what was left from other states may stand in it once, never from the start."""
        for fresh in (anew, True, True):
            try:
                return self.go(spot, anew=fresh)
            except Error as error:
                why = error.message.splitlines()[0]
        self.say(spot, "cannot be repeated", [why])
        return None

    def followed(self, controls: Iterable[str]) -> list[str]:
        """What is pressed in a state: everything, but of those that are alike the first and the last."""
        wanted: list[str] = []
        pressed = {each for each in controls if each not in NOT_FOLLOWED and not (self.apart and SET.match(each))}
        for _, alike in groupby(sorted(pressed, key=_alike), key=lambda each: _alike(each)[0]):
            same = list(alike)
            wanted += same if len(same) < 3 else [same[0], same[-1]]
        return wanted

    def note(self, signs: Signs, spot: Spot, queue: deque[tuple[Signs, Spot]]) -> None:
        if signs not in self.found and signs not in self.passing and len(spot.presses) <= self.deepest:
            self.found[signs] = spot
            queue.append((signs, spot))

    def inspect(self, signs: Signs, spot: Spot) -> None:
        """By touch, by eye, by keys."""
        self.touch(spot, self.must())
        if self.axe:
            self.see(spot)
        order = self.tabbed(len(signs.controls))
        self.say(spot, "not reached by Tab", sorted(signs.controls - set(order)))
        self.say(spot, "not first for Tab", [] if order[0] == "stop" else order[:1])
        self.by_one_key(spot)

    def touch(self, spot: Spot, must: list[str]) -> None:
        for width, height in WIDTHS.items():
            self.look.page.set_viewport_size({"width": width, "height": height})
            self.say(spot, f"not one tap away at {width} px", self.look.page.evaluate(IN_SIGHT, must))
        self.look.page.set_viewport_size({"width": ORDINARY["width"], "height": ORDINARY["height"]})

    def see(self, spot: Spot) -> None:
        self.say(spot, "axe", violations(self.look.page, "best-practice"))

    def tabbed(self, most: int) -> list[str]:
        """What has the focus, one Tab after the other, from the top of the page."""
        page = self.look.page
        page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
        order: list[str] = []
        for _ in range(2 * most + 20):
            page.keyboard.press("Tab")
            now = page.evaluate(FOCUSED)
            if now is not None and now in order:
                break
            order += [] if now is None else [str(now)]
        return order or ["nothing"]

    def by_one_key(self, spot: Spot) -> None:
        page, must = self.look.page, self.must()
        fields = page.locator("input:visible")
        if fields.count():
            fields.first.focus()
        if not page.evaluate("document.querySelector('#sheet-title')?.textContent === 'Help'"):
            page.keyboard.press(KEYS["help"])
            self.say(spot, "no key for help", [] if self.signs().screen == "Help" else ["F1"])
            page.keyboard.press(KEYS["help"])
        if "not-now" in must:
            page.keyboard.press(KEYS["not-now"])
            self.signs()
            pressed = self.look.of("not-now").get_attribute("aria-pressed")
            self.say(spot, "no key for not now", [] if pressed == "true" else ["F2"])
        before = self.site.is_busy()
        page.keyboard.press(KEYS["busy"])
        self.say(spot, "no key for busy", [] if self.site.is_busy(not before) is not before else ["F8"])
        self.press_stop(spot)

    def press_stop(self, spot: Spot) -> None:
        self.look.page.keyboard.press(KEYS["stop"])
        self.say(spot, "no key for Stop", [] if self.site.is_stopped() else ["F9"])
        self.signs()  # both of its ways have arrived: else the later one would stop what is let go on meanwhile

    def say(self, spot: Spot, what: str, names: Iterable[str]) -> None:
        self.wrong.setdefault(what, []).extend(f"{spot}: {each}" for each in names)

    def traps(self) -> list[str]:
        """States from which no way, without Stop, leads to a question or to waiting for one."""
        free = {each for each in self.found if each.home}
        while more := {each for each, after in self.ways.items() if each not in free and after & free}:
            free |= more
        return [str(self.found[each]) for each in self.found if each not in free]


class Scanned(Crawler):
    """The same states with scanning on; the mark moves by itself, only much faster."""

    def settings(self) -> str:
        return json.dumps({"scan": "auto", "scanMs": SCAN_MS, "scanTap": False, "scanKeys": [" "]})

    def visit(self, spots: Iterable[Spot]) -> int:
        """Look at each; how many there were. Those that change settings are left out: they turn scanning off."""
        self.look.context.add_init_script(FASTER)
        visited = 0
        for number, spot in enumerate(each for each in spots if not changes(each)):
            try:
                signs = self.go(spot, anew=number % 20 == 0)
            except Error:
                continue  # with scanning on the picture offers its fields at once: there is no such button
            visited += 1
            self.in_round(spot, signs.controls - BY_OTHER_MEANS, self.must())
            self.see(spot)
            self.pace(QUICK_MS)
        return visited

    def pace(self, ms: float) -> None:
        """How long the mark stays from now on."""
        self.look.page.evaluate("ms => { window.fastMs = ms; window.dispatchEvent(new Event('blur')); }", ms)

    def in_round(self, spot: Spot, all_: Iterable[str], must: Iterable[str]) -> None:
        """One round from Stop to Stop passes by everything; the page may begin anew while it shows what just came."""
        page = self.look.page
        self.pace(QUICK_MS)
        page.evaluate("window.marks = []")
        page.wait_for_function("() => window.marks.filter((each) => each === 'stop').length >= 3")
        self.pace(NEVER_MS)
        marks = page.evaluate("window.marks")
        stops = [number for number, mark in enumerate(marks) if mark == "stop"]
        whole = max((marks[begin:end] for begin, end in pairwise(stops)), key=len)
        self.say(spot, "not in the round", sorted({*all_, *must} - set(whole)))

    def board(self, spot: Spot, field: str) -> None:
        """The letter board of a line of text, opened by the switch."""
        self.look.context.add_init_script(FASTER)
        self.go(spot, anew=True)
        also = [f"letter-{each}" for each in self.must() if each not in {"stop", "busy"}]
        self.pace(SLOW_MS)
        Switch().press(self.look.page, field)
        self.look.sees("letters")
        self.touch(spot, ["stop", *also])
        self.in_round(spot, ["letter-a", "letter-z", "letter-done"], ["stop", *also])
        self.see(spot)
        self.pace(SLOW_MS)
        Switch().press(self.look.page, "letter-help")
        self.look.sees_not("letters")
        self.say(spot, "the board hides help", [] if self.signs().screen == "Help" else ["help"])


def _alike(testid: str) -> tuple[str, str]:
    """What it is one of, and which: answers, fields, and the choices of a setting, but not whether to scan."""
    match = re.fullmatch(r"(candidate|option|resume|set-(?!scan|switch|contact)[a-z]+)-(.+)", testid)
    return (match[1], match[2].zfill(6)) if match else (testid, "")


def changes(spot: Spot) -> bool:
    """Whether something is different afterwards that only a reload takes back."""
    return any(each.startswith("set-") for each in spot.presses)


def tidy(wrong: Mapping[str, list[str]]) -> dict[str, Any]:
    """What is wrong, without what is not."""
    return {what: names for what, names in wrong.items() if names}
