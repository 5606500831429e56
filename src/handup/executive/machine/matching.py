"""Which recovery is for a failure: matching, specificity, and turns among equals. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from handup.executive.failure import Failure
from handup.executive.machine.program import Rule
from handup.executive.recovery import When

Holds = Callable[[object], bool]
"""Whether an expression holds in the scope of a failure."""


@lru_cache(maxsize=4096)
def _names(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("/"))


def path_matches(pattern: str, path: str) -> bool:
    """Whether a path of names fits a pattern: `*` is one name, `**` any number of them, none included."""
    wanted, names = _names(pattern), path.split("/")
    reachable = {0}
    for each in wanted:
        if each == "**":
            reachable = set(range(min(reachable), len(names) + 1)) if reachable else set()
        else:
            reachable = {at + 1 for at in reachable if at < len(names) and each in ("*", names[at])}
    return len(names) in reachable


def specificity(when: When) -> tuple[int, int, int, int]:
    """How narrow a rule is. The larger one, compared place by place, goes first.

    1. How many names its path spells out: a rule for `**/pick/grasp` goes before one for `**/grasp`.
    2. Whether it names codes.
    3. Whether it counts aborts.
    4. On how many beliefs it looks: a condition, a contradiction.
    """
    literal = sum(each not in ("*", "**") for each in _names(when.path))
    counts = when.least > 1 or when.most is not None
    return literal, bool(when.codes), counts, (when.belief is not None) + (when.contradiction is not None)


def fits(when: When, failure: Failure, holds: Holds) -> bool:
    """Whether a failure is one of those that a rule names."""
    aborts = failure.levels[-1].aborts
    return (
        (not when.codes or failure.code in when.codes)
        and when.least <= aborts
        and (when.most is None or aborts <= when.most)
        and path_matches(when.path, failure.path)
        and (when.contradiction is None or when.contradiction in failure.contradictions)
        and (when.belief is None or holds(when.belief))
    )


def choose(
    rules: Sequence[Rule], failure: Failure, *, uses: Mapping[str, int], busy: Collection[str], holds: Holds
) -> Rule | None:
    """The recovery for a failure: the most specific one that is left, and among equals each in turn.

    Left is a rule that fits, that has been used for this step less often than its limit, that is not at work already
    (a recovery does not recover from itself), and whose `helps` holds. Equals take turns: the one that was used least
    for this step goes first, and of these the first in the files.

    Args:
        rules: All of them.
        failure: What went wrong.
        uses: How often each was used for this step.
        busy: Those at work.
        holds: Whether an expression holds now.
    """
    left = [
        rule
        for rule in rules
        if uses.get(rule.recovery.name, 0) < rule.recovery.limit
        and rule.recovery.name not in busy
        and fits(rule.recovery.when, failure, holds)
        and (rule.recovery.helps is None or holds(rule.recovery.helps))
    ]
    if not left:
        return None

    def turn(rule: Rule) -> tuple[object, ...]:
        narrow = tuple(-each for each in specificity(rule.recovery.when))
        return (*narrow, uses.get(rule.recovery.name, 0), rule.order)

    return min(left, key=turn)
