"""Tables as text, for the terminal, reports and pages of the docs; CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from handup.confidence.metrics import Estimate


@dataclass(frozen=True)
class Table:
    """A table as text.

    Args:
        caption: Description of the content; Markdown.
        columns: Headings.
        rows: Cells, Markdown; the first of each row names it.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """Return the table as Markdown, its caption above it."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        text = "\n".join(
            "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) + " |" for line in lines
        )
        return f"{self.caption}\n\n{text}"


def shown(estimate: Estimate, digits: int = 2) -> str:
    """Return a number with its interval."""
    low, high = estimate.ci
    return f"{estimate.value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def share(estimate: Estimate) -> str:
    """Return a share with its interval, in percent."""
    low, high = estimate.ci
    return f"{100 * estimate.value:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


def csv_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield records with the same keys as lines of CSV, below a header."""
    file = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(file, list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)
        yield file.getvalue()
        file.seek(0)
        file.truncate()


def csv_text(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records with the same keys as CSV with a header."""
    return "".join(csv_lines(records))
