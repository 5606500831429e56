"""A table as text, once, for a page of the docs, for a report and for the terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from handup.confidence.bootstrap import Estimate
from handup.lab.study.page import table

_CODE = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Table:
    """A table as text.

    Args:
        caption: What it shows.
        columns: Headings.
        rows: Cells; the first of each row names it.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """For a page of the docs."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"{self.caption}\n\n{text}"

    def html(self) -> str:
        """For a report."""
        rows = [[_CODE.sub(r"<code>\1</code>", escape(cell)) for cell in row] for row in self.rows]
        columns = [each.replace("`", "") for each in self.columns]
        return table(columns, rows, caption=self.caption.replace("`", ""), numbers_from=1)


def shown(found: Estimate, digits: int = 2) -> str:
    """A number with its interval."""
    low, high = found.ci
    return f"{found.value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def share(found: Estimate) -> str:
    """A share with its interval, in percent."""
    low, high = found.ci
    return f"{100 * found.value:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
