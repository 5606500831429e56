"""Measurements that take longer than a test may."""

from collections.abc import Sequence

import numpy as np


def percentiles_ms(spans_s: Sequence[float], *percents: float) -> list[float]:
    """Return percentiles of spans in milliseconds; NaN if there are no spans."""
    return [float(value) for value in np.percentile(1000 * np.array(spans_s or [np.nan]), percents)]
