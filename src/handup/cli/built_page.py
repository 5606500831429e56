"""Check of the built page: every installed package has it; a checkout builds it from `web/`."""

from __future__ import annotations

from importlib import resources

from handup.core import MissingSetting

PAGE = "index.html"
HOW = "Run: make page (it needs Node)."


def is_built() -> bool:
    """Return whether there is a page to serve."""
    return resources.files("handup").joinpath("server", "static", PAGE).is_file()


def check_built() -> None:
    """Refuse work that needs the page, before anything is begun.

    Raises:
        MissingSetting: The page is not built.
    """
    if not is_built():
        raise MissingSetting("the page must be built first, and it is not", hint=HOW)
