"""Plain twins of the machine: a recursive interpreter for what does not fail, and brute force for choosing a rule."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from handup.executive.failure import Failure
from handup.executive.machine.program import RecoveryRule
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipes, Step, TaskStep


class TooManyRounds(Exception):
    """A loop is at its bound, and its condition still holds."""


class Interpreter:
    """Runs recipes by recursion. Of failures it knows one, which ends it."""

    def __init__(self, recipes: Recipes, results: Mapping[str, Mapping[str, Any]]) -> None:
        self.recipes = recipes
        self.results = results
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def task(self, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
        var: dict[str, Any] = {}
        self._steps(self.recipes.tasks[name].steps, params, var)
        return var

    def _steps(self, steps: Sequence[Step], params: Mapping[str, Any], var: dict[str, Any]) -> None:
        scope = {"params": params, "var": var, "database": self.recipes.database, "beliefs": {}, "aborts": 0}
        for step in steps:
            match step:
                case ActionStep():
                    self.ran.append((step.name, {name: each.value(scope) for name, each in step.params.items()}))
                    var.update({name: self.results[step.name][name] for name in step.var})
                case TaskStep():
                    made = self.task(step.name, {name: each.value(scope) for name, each in step.params.items()})
                    var.update({name: made[name] for name in step.var})
                case OpStep():
                    given = {name: each.value(scope) for name, each in step.params.items()}
                    if step.name == "assign":
                        var[step.var[0]] = given["value"]
                    elif step.name == "increment":
                        var[given["name"]] += given.get("by", 1)
                case ChoiceStep():
                    self._steps(step.if_true if step.condition.value(scope) else step.if_false, params, var)
                case LoopStep():
                    for _ in range(step.most):
                        if not step.condition.value(scope):
                            break
                        self._steps(step.body, params, var)
                    else:
                        if step.condition.text != "true" and step.condition.value(scope):
                            raise TooManyRounds


def matches(pattern: str, path: str) -> bool:
    """Every way to put names for `**`, one by one."""
    names, wanted = path.split("/"), pattern.split("/")
    holes = [index for index, each in enumerate(wanted) if each == "**"]
    for widths in itertools.product(range(len(names) + 1), repeat=len(holes)):
        spread: list[str] = []
        for index, each in enumerate(wanted):
            spread += ["*"] * widths[holes.index(index)] if each == "**" else [each]
        if len(spread) == len(names) and all(map(fnmatch.fnmatchcase, names, spread)):
            return True
    return False


def chosen(
    rules: Sequence[RecoveryRule],
    failure: Failure,
    uses: Mapping[str, int],
    busy: Collection[str],
    true: Collection[object],
) -> str | None:
    """The name of the rule, by comparing each with each."""

    def fits(rule: RecoveryRule) -> bool:
        recovery, when, aborts = rule.recovery, rule.recovery.when, failure.levels[-1].aborts
        return all(
            [
                recovery.name not in busy,
                uses.get(recovery.name, 0) < recovery.limit,
                matches(when.path, failure.path),
                failure.code in when.codes or not when.codes,
                aborts in range(when.least, 10**6 if when.most is None else when.most + 1),
                when.belief in true or when.belief is None,
                when.contradiction in failure.contradictions or when.contradiction is None,
                recovery.helps in true or recovery.helps is None,
            ]
        )

    def before(one: RecoveryRule, other: RecoveryRule) -> bool:
        def literal(rule: RecoveryRule) -> int:
            return len([each for each in rule.recovery.when.path.split("/") if "*" not in each])

        def counts(rule: RecoveryRule) -> bool:
            return rule.recovery.when.least != 1 or rule.recovery.when.most is not None

        def beliefs(rule: RecoveryRule) -> int:
            return [rule.recovery.when.belief is None, rule.recovery.when.contradiction is None].count(False)

        for measure in (literal, lambda rule: len(rule.recovery.when.codes) > 0, counts, beliefs):
            if measure(one) != measure(other):
                return bool(measure(one) > measure(other))
        used = [uses.get(each.recovery.name, 0) for each in (one, other)]
        return used[0] < used[1] if used[0] != used[1] else rules.index(one) < rules.index(other)

    left = [rule for rule in rules if fits(rule)]
    first = [one for one in left if all(before(one, other) for other in left if other is not one)]
    return first[0].recovery.name if first else None
