"""Numbers and lists in words, with the grammar of none, one and many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handup.lab.reaching.failures import ATTEMPTS, Cause

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told"
TOLD = {("holds", "hold"): HOLDS, ("does not", "do not"): FAILS, (OPEN, OPEN): OPEN}
"""Verdicts, by what is said of one claim and of several."""
PERCENT = frozenset({"success", "first_success", "opposing", "all_opposing", "predicted"})
SECONDS = frozenset({"time_s", "total_s"})


def joined(given: Sequence[str]) -> str:
    """a, b and c."""
    return given[0] if len(given) == 1 else f"{', '.join(given[:-1])} and {given[-1]}" if given else ""


def listed(given: Sequence[str]) -> str:
    """The same in brackets; nothing for nothing."""
    return f" ({joined(given)})" if given else ""


def counted(many: Mapping[tuple[str, str], Sequence[str]], *, names: bool = False) -> str:
    """How many of each kind; kinds of which there is none are left out.

    Args:
        many: What there is of each kind, by what is said of one and of several: "is reached", "are reached".
        names: Whether to name them.
    """
    parts = [
        f"{len(some)} {one if len(some) == 1 else several}{listed(some) if names else ''}"
        for (one, several), some in many.items()
        if some
    ]
    return joined(parts) or "there is none"


def several(count: int, what: str) -> str:
    """1 trial, 2 trials."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def number(measure: str, numbers: Sequence[float] | None, *, signed: bool = False) -> str:
    """A mean with its unit and its interval; with a sign it is a difference, and one of shares is in points."""
    if numbers is None:
        return "nothing known"
    if measure in PERCENT:
        value, low, high = (rounded(100.0 * each, 1, signed=signed) for each in numbers[:3])
        return f"{value} {'points' if signed else '%'} ({low} to {high})"
    digits, unit = (1, " s") if measure in SECONDS else (2, "")
    value, low, high = (rounded(each, digits, signed=signed) for each in numbers[:3])
    return f"{value}{unit} ({low} to {high})"


def rounded(value: float, digits: int, *, signed: bool = False) -> str:
    """With so many digits, and a sign where wanted; what rounds to nothing has none."""
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    return text if float(text) else text.lstrip("+-")


def mean(measure: str, numbers: Sequence[float] | None) -> str:
    """A mean with its unit, without its interval."""
    return number(measure, numbers).partition(" (")[0]


def failed(whose: str, counts: Mapping[str, int]) -> str:
    """How many attempts failed, and of what; begins a sentence.

    Args:
        whose: Such as "with 'paper'".
        counts: Attempts, and failed ones by cause.
    """
    causes = {each: counts[each] for each in Cause if counts[each]}
    count, attempts = sum(causes.values()), counts[ATTEMPTS]
    if not count:
        return f"None of {several(attempts, 'attempt')} {whose} fails"
    words = ", ".join(f"{many} × {name}" for name, many in sorted(causes.items(), key=lambda each: -each[1]))
    return f"{count} of {several(attempts, 'attempt')} {whose} {'fails' if count == 1 else 'fail'}: {words}"
