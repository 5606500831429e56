"""Which paths failures can have, and whether a pattern fits one of them.

Paths of a recipe tree can be endless in number, since tasks may call themselves. So the pattern is walked together with
the calls: a state is a task and the places of the pattern that have been reached, and there are finitely many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from handup.executive.checking.abilities import LOOSE_LEAVES
from handup.executive.checking.context import every, name_of
from handup.executive.failure import IN_RECOVERY
from handup.executive.recipe import ActionStep, OpStep, Recipes, Step, TaskStep
from handup.executive.recovery import Recovery

Places = frozenset[int]


@dataclass(frozen=True)
class Tree:
    """Who can stand below whom in the path of a failure.

    Args:
        top: The task that a run begins with.
        below: For each task, and each recovery as `recovery:NAME`, the tasks that it calls.
        leaves: For each the names at which a path can end there.
        recoveries: Names of recoveries, which can stand below every task.
    """

    top: str
    below: Mapping[str, frozenset[str]]
    leaves: Mapping[str, frozenset[str]]
    recoveries: frozenset[str] = frozenset()

    def children(self, name: str, *, nested: bool) -> frozenset[str]:
        """What can stand below a task, with recoveries or without."""
        return self.below[name] | self.recoveries if nested else self.below[name]


def tree_of(recipes: Recipes, recoveries: Sequence[Recovery] = (), monitors: Iterable[str] = ()) -> Tree:
    """The tree of all paths: actions, ops and tasks can fail, and monitors can raise a failure anywhere."""
    below, leaves = {}, {}
    lists: dict[str, tuple[Step, ...]] = {name: recipe.steps for name, recipe in recipes.tasks.items()}
    inside = {f"{IN_RECOVERY}{each.name}": each for each in recoveries}
    for name, recovery in inside.items():
        lists[name] = (*recovery.attempt, *(step for branch in recovery.branches for step in branch.steps))
    anywhere = frozenset(monitors) | frozenset(LOOSE_LEAVES)
    for name, steps in lists.items():
        runs = [step for step in every(steps) if isinstance(step, (ActionStep, TaskStep, OpStep))]
        called = frozenset(step.task for step in runs if isinstance(step, TaskStep))
        below[name] = called & recipes.tasks.keys()
        leaves[name] = frozenset(name_of(step) for step in runs) | anywhere
    return Tree(recipes.main, below, leaves, frozenset(inside))


def fits_somewhere(tree: Tree, pattern: str, *, level: str | None = None) -> bool:
    """Whether some path of the tree fits a pattern.

    Args:
        tree: Of the recipes.
        pattern: Names with slashes; `*` is one name, `**` any number of them.
        level: A task that must stand on the path, above its end.
    """
    return any(_search(tree, tuple(pattern.split("/")), level, nested=nested) for nested in (False, True))


def _search(tree: Tree, pattern: tuple[str, ...], level: str | None, *, nested: bool) -> bool:
    start = (tree.top, _read(pattern, _start(pattern), tree.top), level is None or tree.top == level)
    seen, waiting = {start}, [start]
    while waiting:
        name, places, passed = waiting.pop()
        if not places:
            continue
        if passed and any(len(pattern) in _read(pattern, places, leaf) for leaf in tree.leaves[name]):
            return True
        for child in tree.children(name, nested=nested):
            state = (child, _read(pattern, places, child), passed or child == level)
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return False


def _start(pattern: Sequence[str]) -> Places:
    return _skipped(pattern, {0})


def _read(pattern: Sequence[str], places: Places, name: str) -> Places:
    """The places of the pattern after one more name of the path."""
    after = set()
    for place in places:
        if place < len(pattern):
            if pattern[place] == "**":
                after.add(place)
            elif pattern[place] in ("*", name):
                after.add(place + 1)
    return _skipped(pattern, after)


def _skipped(pattern: Sequence[str], places: set[int]) -> Places:
    """These places and those behind every `**` that follows, which may stand for nothing."""
    for place in sorted(places):
        at = place
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            places.add(at)
    return frozenset(places)
