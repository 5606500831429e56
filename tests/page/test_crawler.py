"""Nobody is trapped, by touch, by keys or by one switch: what `crawl.py` finds in every state that it comes to."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.page.crawl import Crawler, Scanned, Spot, tidy
from tests.page.site import Site
from tests.page.states import STATES

SHARDS = {
    "calm": ("waiting", "put-off", "settings", "stopped", "enabling", "help"),
    "choosing": ("choice", "guess", "yes-no", "permission", "physical", "choice-chosen", "guess-other", "reply-chosen"),
    "saying": ("number", "text", "diagnosis", "action", "number-other", "diagnosis-words", "action-resume"),
    "pointing": ("box", "points", "box-other", "points-other"),
}
pytestmark = pytest.mark.slow


def test_every_state_is_a_start() -> None:
    assert {each for shard in SHARDS.values() for each in shard} == set(STATES)


@pytest.mark.parametrize("shard", SHARDS)
def test_by_touch_by_keys_and_by_one_switch(site: Site, shard: str) -> None:
    with site.open(has_touch=True) as look:
        starts = {name: STATES[name] for name in SHARDS[shard]}
        calm = shard == "calm"  # there every setting is changed, too, and few states lie behind one another
        crawler = Crawler(site, look, starts, apart=not calm, deepest=2 if calm else 4)
        crawler.crawl()
        assert crawler.traps() == []
        assert len(crawler.found) >= 8 > len(crawler.passing)
    with site.open() as look:
        scanned = Scanned(site, look, crawler.starts, wrong=crawler.wrong)
        assert scanned.visit(crawler.found.values()) >= 8
    assert tidy(crawler.wrong) == {}


BOARDS = {"text": "text", "diagnosis-words": "text", "settings": "set-contact"}


@pytest.mark.parametrize("state", BOARDS)
def test_the_letter_board(site: Site, state: str) -> None:
    with site.open() as look:
        scanned = Scanned(site, look, STATES)
        scanned.board(Spot(state, ()), BOARDS[state])
        assert tidy(scanned.wrong) == {}


def test_without_a_network(site: Site) -> None:
    """The same is in reach while nothing gets through; a stop then says that it does not."""
    with site.open(url=site.wired, has_touch=True) as look:
        crawler = Crawler(site, look, {})
        look.question(site.ask("choice"))
        site.wire.cut()
        for presses in ((), ("option-0",), ("send",), ("help",)):
            crawler.press(*presses)
            look.sees("stale")
            spot = Spot("no network", presses)
            crawler.touch(spot, crawler.must())
            crawler.see(spot)
        crawler.press("help")
        look.keys("F2")
        expect(look.of("not-now")).to_have_attribute("aria-pressed", "true")
        look.keys("F9")
        look.sees("stop-failing")
        crawler.touch(Spot("a stop on its way", ()), crawler.must())
        site.wire.mend()
        look.sees("stopped")
        assert tidy(crawler.wrong) == {}
