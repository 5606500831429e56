"""Numbers that pages of the docs quote, held to the records of published studies.

For each page a function yields, from the records, everything with a number that its text must say. `missing` finds what
the text does not say, or says with other numbers; `unquoted` finds numbers that come from nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NUMBER = re.compile(r"(?<![\w.,–])[-+−]?\d*\.\d+|\d+–\d+")
"""A number that was measured: with a decimal point, or the ends of an interval."""
TABLE = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)


def _prose(text: str) -> str:
    """Return a text without tables, code and links, in one line."""
    return _plain(TABLE.sub("", CODE.sub("", text)))


def _plain(text: str) -> str:
    return " ".join(text.split())


def missing(text: str, quotes: Iterable[str]) -> list[str]:
    """Return the quotes that a text does not have; line breaks do not count."""
    said = _plain(text)
    return [quote for quote in quotes if _plain(quote) not in said]


def unquoted(text: str, quotes: Iterable[str], number: re.Pattern[str] = NUMBER) -> list[str]:
    """Return the numbers of a text, without its tables, code and links, that no quote has."""
    rest = _prose(text)
    for quote in sorted(filter(None, map(_prose, quotes)), key=len, reverse=True):
        rest = rest.replace(quote, " … ")
    return number.findall(rest)
