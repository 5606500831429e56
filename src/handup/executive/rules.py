"""What a set of recoveries is made of: the table of the dissertation's Figure 2.6, from the rules themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handup.core import ResumeHint
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, Step
from handup.executive.recovery import Recovery

if TYPE_CHECKING:
    from handup.executive.language import Expression

CONTEXT = frozenset({"failure", "tried", "beliefs", "params", "var"})
"""What an expression reads whose value depends on the case."""


@dataclass(frozen=True, kw_only=True)
class RuleTable:
    """Shares of the rules, from 0 to 1.

    Args:
        rules: How many there are.
        shared: Different faults use the same rule: it is for several codes, or for any step, or for any code of
            several steps.
        immediate: It runs a primitive action itself, not only tasks.
        dynamic: The failure, beliefs or what was tried give its actions other parameters.
        location: It looks at where in the task hierarchy the failure is.
        aborts: It looks at how often that happened.
        belief: It looks at beliefs.
        signal: It looks at the error code or the fields of the action that failed.
        result: It looks at the result of an immediate action.
        hints: For each way to resume, the share of rules that use it.
    """

    rules: int
    shared: float
    immediate: float
    dynamic: float
    location: float
    aborts: float
    belief: float
    signal: float
    result: float
    hints: dict[ResumeHint, float]


def rule_table(recoveries: Sequence[Recovery]) -> RuleTable:
    """The table of some rules; all shares are 0 where there are none."""

    def share(values: Iterable[bool]) -> float:
        return sum(values) / len(recoveries) if recoveries else 0.0

    return RuleTable(
        rules=len(recoveries),
        shared=share(map(_is_shared, recoveries)),
        immediate=share(map(_is_immediate, recoveries)),
        dynamic=share(map(_is_dynamic, recoveries)),
        location=share(each.when.path.strip("*/") != "" for each in recoveries),
        aborts=share(_counts(each) for each in recoveries),
        belief=share(each.when.contradiction is not None or _reads(each, "beliefs") for each in recoveries),
        signal=share(
            bool(each.when.codes) or _reads(each, "failure", {"code", "fields", "why"}) for each in recoveries
        ),
        result=share(_reads(each, "tried") for each in recoveries),
        hints={hint: share(any(b.hint is hint for b in each.branches) for each in recoveries) for hint in ResumeHint},
    )


def _is_shared(rule: Recovery) -> bool:
    return len(rule.when.codes) > 1 or "*" in rule.when.path.rsplit("/", maxsplit=1)[-1]


def _is_immediate(rule: Recovery) -> bool:
    own = (*rule.attempt, *(step for branch in rule.branches for step in branch.steps))
    return any(isinstance(step, ActionStep) for step in own)


def _is_dynamic(rule: Recovery) -> bool:
    return any(name[0] in CONTEXT for each in _parameters(rule) for name in each.names)


def _counts(rule: Recovery) -> bool:
    counted = rule.when.least > 1 or rule.when.most is not None
    return counted or _reads(rule, "aborts") or _reads(rule, "failure", {"aborts", "task_aborts", "levels"})


def _reads(rule: Recovery, root: str, keys: Iterable[str] | None = None) -> bool:
    """Whether what chooses the rule, or its branch, reads something."""
    wanted = None if keys is None else set(keys)
    conditions = [rule.when.belief, rule.helps, *(branch.condition for branch in rule.branches)]
    names = [name for each in conditions if each is not None for name in each.names]
    return any(name[0] == root and (wanted is None or (len(name) > 1 and name[1] in wanted)) for name in names)


def _parameters(rule: Recovery) -> Iterator[Expression]:
    yield from _given((*rule.attempt, *(step for branch in rule.branches for step in branch.steps)))


def _given(steps: Iterable[Step]) -> Iterator[Expression]:
    for step in steps:
        if isinstance(step, ChoiceStep):
            yield from _given((*step.if_true, *step.if_false))
        elif isinstance(step, LoopStep):
            yield from _given(step.body)
        else:
            yield from step.params.values()
