"""Measurements that take longer than a test may."""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

import numpy as np
from rich.table import Table


def percentiles_ms(spans_s: Sequence[float], *percents: float) -> list[float]:
    """Return percentiles of spans in milliseconds; NaN if there are no spans."""
    return [float(value) for value in np.percentile(1000 * np.array(spans_s or [np.nan]), percents)]


def table_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[tuple[str, str]], title: str) -> Table:
    """Return rows as a table.

    Args:
        rows: Values by name.
        columns: For each column its heading and a format with names of values; a dash stands for a missing one.
        title: Title.
    """
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for number, (heading, _) in enumerate(columns):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row, form) for _, form in columns))
    return table


def _cell(row: Mapping[str, Any], form: str) -> str:
    missing = any(row[name] is None for _, name, _, _ in Formatter().parse(form) if name)
    return "–" if missing else form.format_map(row)
