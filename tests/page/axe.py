"""What axe-core finds wrong with a page."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Page

from tests.page.site import AXE

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
RUN = """async (runOnly) => {
    const found = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target} ${node.html}`));
}"""


def violations(page: Page, *tags: str) -> list[str]:
    """Return what breaks a rule in the light scheme, and what is hard to read in the dark one: only colours differ.

    Args:
        page: The page as it is now.
        tags: Sets of rules of axe-core beside those of WCAG 2.2, A and AA.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    rules: dict[Literal["light", "dark"], dict[str, Any]] = {
        "light": {"type": "tag", "values": [*WCAG, *tags]},
        "dark": {"type": "rule", "values": ["color-contrast"]},
    }
    wrong: list[str] = []
    for scheme, only in rules.items():
        page.emulate_media(color_scheme=scheme)
        wrong += [f"{scheme}: {breach}" for breach in page.evaluate(RUN, only)]
    return wrong
