"""Helpers by name."""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import UnknownMethod
from handup.intent.assist import Assist
from handup.intent.helper import Helper
from handup.intent.paper import VARIANTS

HELPERS: tuple[Helper, ...] = (Assist(), *VARIANTS)
PRESETS: Mapping[str, Helper] = {each.name: each for each in HELPERS}


def helper_of(name: str) -> Helper:
    """The helper of this name.

    Raises:
        UnknownMethod: There is none.
    """
    if name not in PRESETS:
        raise UnknownMethod(f"no helper is called '{name}'", hint=f"Known: {', '.join(PRESETS)}.")
    return PRESETS[name]
