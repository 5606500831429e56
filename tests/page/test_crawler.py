"""Nobody is trapped, by touch, by keys or by one switch: what `crawl.py` finds in every state that it comes to."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.page.crawl import Crawler, Scanned, Spot, tidy
from tests.page.site import Site
from tests.page.states import STATES

SHARDS = {
    "calm": ("waiting", "put-off", "settings", "busy", "people", "person", "stopped", "enabling", "help", "watching"),
    "choosing": ("choice", "guess", "yes-no", "permission", "physical", "choice-chosen", "guess-other", "reply-chosen"),
    "saying": ("number", "text", "diagnosis", "action", "number-other", "diagnosis-words", "action-resume"),
    "pointing": ("box", "points", "box-other", "points-other"),
}
"""Every state; these crawls are part of the soak run."""
BRIEF = ("waiting", "choice", "people", "stopped")
"""Where the crawl of the ordinary run starts."""
DEEPEST = {"calm": 2, "brief": 1}


def test_every_state_is_a_start() -> None:
    assert {start for shard in SHARDS.values() for start in shard} == set(STATES)


@pytest.mark.parametrize("shard", ["brief", *(pytest.param(shard, marks=pytest.mark.soak) for shard in SHARDS)])
def test_by_touch_by_keys_and_by_one_switch(site: Site, shard: str) -> None:
    with site.open(has_touch=True) as look:
        starts = {name: STATES[name] for name in SHARDS.get(shard, BRIEF)}
        calm = shard == "calm"  # there every setting is changed, too, and few states lie behind one another
        brief = shard == "brief"  # there axe-core looks at what it finds only once, with scanning on
        least = 4 if brief else 8
        crawler = Crawler(site, look, starts, apart=not calm, deepest=DEEPEST.get(shard, 4), axe=not brief)
        crawler.crawl()
        assert crawler.traps() == []
        assert len(crawler.found) >= least > len(crawler.passing)
    with site.open() as look:
        scanned = Scanned(site, look, crawler.starts, wrong=crawler.wrong)
        assert scanned.visit(crawler.found.values()) >= least
    assert tidy(crawler.wrong) == {}


BOARDS = {"text": "text", "diagnosis-words": "text", "settings": "set-contact"}
SOAK_BOARDS = [pytest.param(state, marks=pytest.mark.soak) for state in ("diagnosis-words", "settings")]


@pytest.mark.parametrize("state", ["text", *SOAK_BOARDS])
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
