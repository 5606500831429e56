"""Photographs the page for the README and the docs: stills of questions and panels, and a film of a meal.

Run it with `make pictures`, or alone: `python -m examples.pictures_of_the_page [film|panels|stills]`. Nothing is drawn
by hand: a real Chromium (HANDUP_CHROMIUM, else the one on the path) shows the built page, a real server serves it, and
in the film the simulated robot eats. Only the finger is painted on. Needs the extra `dev` and a built page.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from handup.cli.page import PEOPLE, PICTURES, ROBOT, TOUR, picture
from handup.client import Client
from handup.core import Limits, Person, Point, QuietHours, Role
from handup.core.panels import PANELS
from handup.desk import Record
from handup.server import RunningServer, ServerSettings, start
from handup.server.auth import COOKIE
from tests.cli.sitting import Sitting
from tests.examples.pages import blocks
from tests.page.hands import say
from tests.page.site import find_chromium

OUT = Path(__file__).parent.parent / "docs" / "img" / "page"
MEAL = ("--plate=thanksgiving", "--looks=hard", "--seed=1", "--bites=3", "--rest=3", "--speed=0.5", "--linger=9")
"""A hard plate, chosen because the robot asks. Other networks make another meal of it: then choose again."""
FILM_SIZE, FILM_COLOURS = (768, 560), 224
MOST_BYTES = 3_000_000
LOOK_S, SHOWN_MS = 0.2, 150
"""Real time between two pictures while the arm rests, and how long each stays in the film."""
PHASE = """document.querySelector('[data-testid="robot"]')?.dataset.phase ?? ''"""
READ_MS, FINGER_MS = 2200, 700
STILL = 4
"""Which picture of the moving arm becomes a still."""


@dataclass(frozen=True)
class Look:
    """A device: its size in px, light or dark, and what was set on it."""

    width: int = 1024
    height: int = 768
    dark: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)


TABLET, WIDE, PHONE = Look(), Look(1152, 840), Look(390, 844, dark=True)
SWITCH = Look(settings={"scan": "auto", "scanMs": 5000, "scanKeys": [" "], "scanTap": False})


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield made
        made.close()


@contextmanager
def tablet(browser: Browser, address: str, look: Look, cookie: tuple[str, str] | None = None) -> Iterator[Page]:
    """A device at an address, paired where that has a code or where it is given its cookie."""
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        has_touch=True,
        color_scheme="dark" if look.dark else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(20_000)
    if look.settings:
        kept = json.dumps(json.dumps(look.settings))
        context.add_init_script(f"localStorage.setItem('handup.settings', {kept})")
    if cookie is not None:
        context.add_cookies([{"name": cookie[0], "value": cookie[1], "url": address}])
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def photograph(page: Page) -> Image.Image:
    """What is on the screen."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


# -- stills ------------------------------------------------------------------------------------------------------------


class Studio:
    """A server with the questions of the tour, which asks one at a time.

    Args:
        server: Where it asks.
        browser: What looks at it.
    """

    def __init__(self, server: RunningServer, browser: Browser) -> None:
        self._server, self._browser, self._asked = server, browser, 0
        self._robot = Client(server.url, server.robot_token(ROBOT))
        for name in PICTURES:
            self._robot.put_picture(name, picture(name))

    @contextmanager
    def asked(self, step: str, look: Look = TABLET) -> Iterator[Page]:
        """A page with a question on it, which is taken back afterwards."""
        self._asked += 1
        record = self._robot.ask(TOUR[step], run=f"still-{self._asked}", step=step)
        cookie = (COOKIE.format(port=self._server.port), self._server.token(PEOPLE[0].name))
        with tablet(self._browser, self._server.url, look, cookie) as page:
            page.locator(f'[data-question="{record.id}"]').wait_for()
            yield page
        self._robot.withdraw(record.id, "photographed")

    def paired_not(self) -> Image.Image:
        """The page on a device that nobody let in."""
        with tablet(self._browser, self._server.url, TABLET) as page:
            page.get_by_test_id("pair-code").wait_for()
            return photograph(page)

    def close(self) -> None:
        """Ask no more."""
        self._robot.close()


def save(image: Image.Image, name: str, colours: int = 192) -> None:
    """Write a still, with as few colours as it needs."""
    image.quantize(colours, dither=Image.Dither.NONE).save(OUT / f"{name}.png", optimize=True)


def press(page: Page, *testids: str) -> None:
    """Tap one button after the other."""
    for each in testids:
        page.get_by_test_id(each).tap()


def settle(page: Page) -> Image.Image:
    """A picture once everything is loaded and still."""
    page.wait_for_timeout(600)
    return photograph(page)


def stills(browser: Browser) -> None:
    """Every kind of question, and every other state that the docs name."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ServerSettings(store=f"{folder}/stills.db", port=0, people=PEOPLE)
        with start(settings) as server:
            studio = Studio(server, browser)
            for step in TOUR:
                with studio.asked(step) as page:
                    save(settle(page), step)
            ways = {
                "chosen": ("choice", ("option-0",)),
                "box-by-touch": ("box", ("guess-other",)),
                "box-by-number": ("box", ("guess-other", "by-number")),
                "settings": ("choice", ("settings",)),
                "stopped": ("yes-no", ("stop",)),
            }
            for name, (step, presses) in ways.items():
                with studio.asked(step) as page:
                    press(page, *presses)
                    save(settle(page), name)
                    if name == "stopped":
                        press(page, "enable", "enable-yes")
                        page.get_by_test_id("stopped").wait_for(state="detached")
            with studio.asked("guess", PHONE) as page:
                save(settle(page), "phone-dark")
            with studio.asked("guess", SWITCH) as page:
                page.locator('[data-testid="guess-yes"][data-scan-now]').wait_for(timeout=60_000)
                save(photograph(page), "one-switch")
            save(studio.paired_not(), "pairing")
            studio.close()


def people(browser: Browser) -> None:
    """Everybody in one screen, as a caregiver sees it, and what stands on the page of somebody who is busy."""
    night = QuietHours(start="21:00", end="07:00")
    house = (
        Person(name="Ada", limits=Limits(per_hour=6, quiet=(night,))),
        Person(name="Ben", role=Role.CAREGIVER),
        Person(name="Cleo", role=Role.OPERATOR, limits=Limits(at_once=3)),
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        start(ServerSettings(store=f"{folder}/people.db", port=0, people=house)) as server,
    ):
        cookies = {person.name: server.token(person.name, person.role) for person in house}
        name = COOKIE.format(port=server.port)
        with tablet(browser, server.url, Look(width=390, height=760), (name, cookies["Ada"])) as page:
            press(page, "busy", "set-busyfor-3600")
            page.get_by_text("until").wait_for()
            save(settle(page), "busy")
            with tablet(browser, server.url, Look(height=1000), (name, cookies["Ben"])) as other:
                press(other, "settings", "people")
                other.get_by_test_id("person-0").wait_for()
                save(settle(other), "people")


# -- panels ------------------------------------------------------------------------------------------------------------


def panels(browser: Browser) -> None:
    """Each panel, as the page of the docs about panels sends it."""
    first, *others = (block.text for block in blocks("desk/panels.md"))
    said: dict[str, Any] = {}
    exec(first, said)
    server, link = said["server"], said["link"]
    cookie = (COOKIE.format(port=server.port), server.token(PEOPLE[0].name))
    try:
        with tablet(browser, server.url, WIDE, cookie) as page:
            for code in others[: len(PANELS)]:
                exec(code, said)
                (name,) = re.findall(r"= (\w+)Panel\(", code)
                panel = page.get_by_test_id(f"panel-{name.lower()}").first
                panel.wait_for()
                page.wait_for_timeout(600)
                save(Image.open(io.BytesIO(panel.screenshot())).convert("RGB"), f"panel-{name.lower()}", colours=64)
    finally:
        link.close()
        server.close()


# -- the film ----------------------------------------------------------------------------------------------------------


class Reel:
    """A film under way. Two pictures that are the same become one that stays longer.

    Args:
        page: What is filmed.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.frames: list[tuple[Image.Image, int]] = []

    def add(self, shown_ms: int, finger: tuple[float, float] | None = None) -> None:
        """One more picture, with a finger on it or not."""
        image = photograph(self._page)
        if finger is not None:
            image = _pointed(image, *finger)
        small = image.resize(FILM_SIZE, Image.Resampling.LANCZOS)
        if self.frames and small.tobytes() == self.frames[-1][0].tobytes():
            self.frames[-1] = (self.frames[-1][0], self.frames[-1][1] + shown_ms)
        else:
            self.frames.append((small, shown_ms))

    def save(self, path: Path) -> None:
        """Write it, with one palette for all pictures."""
        every = max(len(self.frames) // 16, 1)
        few = [image.resize((192, 140)) for image, _ in self.frames[::every]]
        sample = Image.new("RGB", (192, 140 * len(few)))
        for number, image in enumerate(few):
            sample.paste(image, (0, 140 * number))
        palette = sample.quantize(FILM_COLOURS)
        first, *others = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in self.frames]
        times = [shown_ms for _, shown_ms in self.frames]
        first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def _pointed(image: Image.Image, x: float, y: float) -> Image.Image:
    """A picture with a fingertip on it."""
    layer = Image.new("RGBA", image.size)
    pen = ImageDraw.Draw(layer)
    pen.ellipse((x - 30, y - 30, x + 30, y + 30), fill=(20, 20, 20, 70), outline=(20, 20, 20, 200), width=4)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


class FilmedFinger:
    """Touches what it is told to, and is seen doing it.

    Args:
        reel: Where it is seen.
    """

    def __init__(self, reel: Reel) -> None:
        self._reel = reel

    def press(self, page: Page, testid: str) -> None:
        """A button."""
        button = page.get_by_test_id(testid)
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        self._tap(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def mark(self, page: Page, places: list[Point]) -> None:
        """Places on the picture."""
        page.locator(".stage-picture").first.wait_for()
        for each in places:
            surface = page.get_by_test_id("picture")
            surface.scroll_into_view_if_needed()
            box = surface.bounding_box()
            assert box is not None
            self._tap(page, box["x"] + each.x * box["width"], box["y"] + each.y * box["height"])

    def _tap(self, page: Page, x: float, y: float) -> None:
        self._reel.add(FINGER_MS, (x, y))
        page.touchscreen.tap(x, y)
        page.wait_for_timeout(150)
        self._reel.add(FINGER_MS)


def film(browser: Browser) -> None:
    """A meal: the robot looks, asks, a person answers by touch, the robot picks; and stills of it on the way."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Sitting(Path(folder), *MEAL) as sitting,
        tablet(browser, sitting.link, WIDE) as page,
    ):
        page.get_by_test_id("robot").or_(page.get_by_test_id("question")).first.wait_for()
        reel = Reel(page)
        finger = FilmedFinger(reel)
        moving = asked = 0
        while not page.get_by_test_id("summary").is_visible():
            record = _asked(page, sitting)
            if record is not None:
                page.wait_for_timeout(400)
                asked += 1
                reel.add(READ_MS)
                say(page, finger, record, sitting.diner.answer_to(record))
                page.locator(f'[data-question="{record.id}"]').wait_for(state="detached")
                print(f"asked: {record.question.prompt}")
                continue
            reel.add(SHOWN_MS)
            phase = str(page.evaluate(PHASE))
            if phase != "moving":
                time.sleep(LOOK_S)
                continue
            moving += 1
            if moving == STILL:
                save(photograph(page), "meal-moving")
        reel.add(3 * READ_MS)
        save(photograph(page), "meal-done")
    if not asked:
        sys.exit("Nothing was asked in this meal; choose another one in MEAL.")
    path = OUT / "meal.gif"
    reel.save(path)
    size, seconds = path.stat().st_size, sum(ms for _, ms in reel.frames) / 1000
    print(f"{path.name}: {len(reel.frames)} pictures, {seconds:.0f} s, {size / 1e6:.2f} MB")
    if size > MOST_BYTES:
        sys.exit(f"The film has {size} bytes; at most {MOST_BYTES} may be.")


def _asked(page: Page, sitting: Sitting) -> Record | None:
    """The question that is on the screen, if there is one."""
    shown = page.get_by_test_id("question")
    id_ = shown.get_attribute("data-question") if shown.is_visible() else None
    return next((each for each in sitting.client.waiting() if each.id == id_), None)


def main() -> None:
    """Make what is named; everything where nothing is."""
    wanted = sys.argv[1:] or ["stills", "panels", "film"]
    OUT.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        if "stills" in wanted:
            stills(browser)
            people(browser)
        if "panels" in wanted:
            panels(browser)
        if "film" in wanted:
            film(browser)
    for path in sorted(OUT.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
