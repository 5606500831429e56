"""Nobody is trapped, by touch, by keys or by one switch: what `crawl.py` finds in every state that it comes to."""

from __future__ import annotations

import pytest

from tests.page.crawl import Crawler, tidy
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
def test_by_touch_and_by_keys(site: Site, shard: str) -> None:
    with site.open(has_touch=True) as look:
        crawler = Crawler(site, look, {name: STATES[name] for name in SHARDS[shard]}, apart=shard != "calm")
        crawler.crawl()
        assert tidy(crawler.wrong) == {}
        assert crawler.traps() == []
        assert len(crawler.found) >= 10
