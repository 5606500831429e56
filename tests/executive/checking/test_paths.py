"""Patterns against the paths of a recipe tree: by a walk of both together, and by matching every path plainly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from handup.core import ResumeHint
from handup.executive.machine.program import path_matches
from handup.executive.recipe import ActionStep, Recipe, Recipes, Step, TaskStep
from handup.executive.recovery import Branch, Recovery, RecoveryCondition
from handup.executive.validator.recoveries import fits_somewhere, tree_of
from handup.executive.validator.steps import LOOSE_LEAVES

TASKS = ("a", "b", "c")
LONGEST = 8
patterns = st.lists(st.sampled_from([*TASKS, "x", "y", "z", "*", "**"]), min_size=1, max_size=4)
calls: st.SearchStrategy[Step] = st.sampled_from(
    [*(TaskStep(name=name) for name in TASKS), *(ActionStep(name=name) for name in ("x", "y"))]
)
bodies: st.SearchStrategy[list[Step]] = st.lists(calls, max_size=3)


def matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(matches(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and pattern[0] in ("*", path[0]) and matches(pattern[1:], path[1:])


def paths(recipes: Recipes, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every path of at most `LONGEST` names: an action or a task below a task, or what can end anywhere."""
    if len(above) >= LONGEST:
        return
    yield from ((*above, leaf) for leaf in LOOSE_LEAVES)
    for step in recipes.tasks[above[-1]].steps:
        name = step.name if isinstance(step, TaskStep | ActionStep) else ""
        yield (*above, name)
        if isinstance(step, TaskStep):
            yield from paths(recipes, (*above, name))


@given(st.tuples(bodies, bodies, bodies), patterns, st.sampled_from([None, *TASKS]))
def test_a_pattern_fits_where_some_path_does(
    found: tuple[list[Step], ...], pattern: list[str], level: str | None
) -> None:
    tasks = {name: Recipe(name=name, steps=tuple(steps)) for name, steps in zip(TASKS, found, strict=True)}
    recipes = Recipes(main="a", tasks=tasks)
    expected = any(
        matches(pattern, path) and (level is None or level in path[:-1]) for path in set(paths(recipes, ("a",)))
    )
    assert fits_somewhere(tree_of(recipes), "/".join(pattern), level=level) == expected


@given(patterns, st.lists(st.sampled_from([*TASKS, "x"]), min_size=1, max_size=6))
def test_the_machine_matches_the_same_way(pattern: list[str], path: list[str]) -> None:
    assert path_matches("/".join(pattern), "/".join(path)) == matches(pattern, path)


def test_what_fails_in_a_recovery_has_a_path_too() -> None:
    recipes = Recipes(main="a", tasks={"a": Recipe(name="a", steps=(ActionStep(name="x"),))})
    rule = Recovery(
        name="r", when=RecoveryCondition(), branches=(Branch(steps=(ActionStep(name="wipe"),), hint=ResumeHint.RETRY),)
    )
    tree = tree_of(recipes, [rule], monitors=["battery"])
    assert fits_somewhere(tree, "a/recovery:r/wipe")
    assert fits_somewhere(tree, "**/wipe")
    assert fits_somewhere(tree, "a/battery")
    assert not fits_somewhere(tree, "a/wipe")
    assert not fits_somewhere(tree_of(recipes), "**/wipe")
