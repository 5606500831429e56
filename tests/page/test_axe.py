"""axe-core finds nothing on any state, light and dark; and no request leaves the machine."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.page.site import AXE, Look, Site
from tests.page.states import STATES

RUN = """async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const found = await axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] });
    return found.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target} ${node.html}`));
}"""


def violations(look: Look) -> list[str]:
    if not look.page.evaluate("'axe' in window"):
        look.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = look.page.evaluate(RUN)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state(site: Site, scheme: str) -> None:
    wrong: dict[str, list[str]] = {}
    with site.open(color_scheme=scheme) as look:
        asked: list[str] = []
        look.context.on("request", lambda request: asked.append(request.url))
        for name, reach in STATES.items():
            look.begin_anew(site)
            reach(site, look)
            if found := violations(look):
                wrong[name] = found
        assert wrong == {}
        assert {urlsplit(each).netloc for each in asked} == {urlsplit(site.url).netloc}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pairing_and_a_lost_link(site: Site, scheme: str) -> None:
    with site.open(None, color_scheme=scheme) as look:
        look.sees("pairing")
        assert violations(look) == []
    with site.open(url=site.wired, color_scheme=scheme) as look:
        look.question(site.ask("choice"))
        site.wire.cut()
        look.sees("stale")
        look.press("option-0", "send", "stop")
        look.sees("stop-failing")
        assert violations(look) == []
        site.wire.mend()
        look.sees("stopped")
