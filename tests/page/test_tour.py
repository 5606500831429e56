"""`handup page --demo`: a person goes through every kind of question on the page that it opens."""

from __future__ import annotations

import re
import subprocess
import sys

from playwright.sync_api import Browser

from handup.cli.page import TOUR
from tests.page.site import ROOT, SOON_MS, Look
from tests.page.test_questions import BY_MOUSE

COMMAND = (sys.executable, "-u", "-m", "handup", "page", "--demo", "--no-browser", "--rounds", "1")


def test_a_person_takes_the_tour(browser: Browser) -> None:
    with (
        subprocess.Popen(COMMAND, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as tour,
        browser.new_context(reduced_motion="reduce") as context,
    ):
        try:
            assert tour.stdout is not None
            said = ""
            while not (found := re.search(r"http://\S+#code=\S+", said)):
                said += tour.stdout.readline()
                assert tour.poll() is None, said
            context.set_default_timeout(SOON_MS)
            look = Look(context.new_page())
            look.page.goto(found[0])
            for step in TOUR:
                look.page.locator(f'[data-question="tour/{step}/1"]').wait_for()
                look.press(*BY_MOUSE[step][0], "send")
            heard = tour.stdout.read()
        finally:
            tour.terminate()
    assert [line.split(":")[0] for line in heard.splitlines()] == list(TOUR)
    assert heard.count("you answered") == len(TOUR)
