"""Whether the page is there: every installed package has it; a checkout builds it from `web/`."""

from __future__ import annotations

from importlib import resources

from handup.core import BadSetting

PAGE = "index.html"
HOW = "Run: make page (it needs Node)."


def is_built() -> bool:
    """Whether there is a page to serve."""
    return resources.files("handup").joinpath("server", "static", PAGE).is_file()


def check_built() -> None:
    """Refuse what makes no sense without a page, before anything is begun.

    Raises:
        BadSetting: It is not built.
    """
    if not is_built():
        raise BadSetting("the page is not built", hint=HOW)
