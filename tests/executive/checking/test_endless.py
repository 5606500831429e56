"""Tasks that never end, against a plain search for a way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from handup.executive.language import parse
from handup.executive.problem import FilePlace
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step, TaskStep
from handup.executive.run_settings import MAX_TASKS
from handup.executive.validator import check

TASKS = ("t0", "t1", "t2", "t3")


def numbered(steps: Sequence[Step], lines: count[int] | None = None) -> tuple[Step, ...]:
    """The same steps, each in a place of its own, and so is what they compute."""
    lines = lines or count(1)
    found: list[Step] = []
    for step in steps:
        place = FilePlace("r", next(lines), 1)
        inner = FilePlace("r", place.line, 2)
        if isinstance(step, ChoiceStep):
            yes, no = numbered(step.if_true, lines), numbered(step.if_false, lines)
            condition = replace(step.condition, place=inner)
            found.append(replace(step, condition=condition, if_true=yes, if_false=no, place=place))
        elif isinstance(step, LoopStep):
            condition = replace(step.condition, place=inner)
            found.append(replace(step, condition=condition, body=numbered(step.body, lines), place=place))
        else:
            params = {name: replace(value, place=inner) for name, value in step.params.items()}
            found.append(replace(step, params=params, place=place))
    return tuple(found)


conditions = st.sampled_from(["true", "false", "aborts > 0"]).map(parse)
steps = st.recursive(
    st.one_of(
        st.sampled_from(TASKS).map(lambda name: TaskStep(name=name)),
        st.just(ActionStep(name="x")),
        st.just(OpStep(name="abort")),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda condition, yes, no: ChoiceStep(condition=condition, if_true=tuple(yes), if_false=tuple(no)),
            conditions,
            st.lists(inner, max_size=2),
            st.lists(inner, max_size=2),
        ),
        st.builds(
            lambda condition, body: LoopStep(condition=condition, body=tuple(body), most=5),
            conditions,
            st.lists(inner, min_size=1, max_size=2),
        ),
    ),
    max_leaves=4,
)


def outcomes(steps: Sequence[Step], tasks: dict[str, Recipe], fuel: int) -> set[str]:
    """How steps can end with tasks nested at most `fuel` deep: `done`, `aborted`, both or not at all."""
    if not steps:
        return {"done"}
    first = set()
    step = steps[0]
    if isinstance(step, TaskStep):
        # That a called task may abort is no way out of its own: whether it can end at all is asked.
        first = {"done"} if fuel and outcomes(tasks[step.name].steps, tasks, fuel - 1) else set()
    elif isinstance(step, ChoiceStep):
        known = step.condition.text
        if known != "false":
            first |= outcomes(step.if_true, tasks, fuel)
        if known != "true":
            first |= outcomes(step.if_false, tasks, fuel)
    elif isinstance(step, LoopStep):
        if step.condition.text != "true":
            first.add("done")
        if step.condition.text != "false":
            first |= outcomes(step.body, tasks, fuel)
    else:
        first = {"aborted"} if isinstance(step, OpStep) else {"done"}
    rest = outcomes(steps[1:], tasks, fuel) if "done" in first else set()
    return rest | (first & {"aborted"})


@given(st.tuples(*[st.lists(steps, max_size=3) for _ in TASKS]))
def test_recursion_without_a_guard_is_found_and_no_other(random: tuple[list[Step], ...]) -> None:
    tasks = {name: Recipe(name=name, steps=numbered(found)) for name, found in zip(TASKS, random, strict=True)}
    told = {each.cause.split("'")[1] for each in check(Recipes(main="t0", tasks=tasks)) if "on every way" in each.cause}
    stuck = {name for name in TASKS if not outcomes(tasks[name].steps, tasks, len(TASKS))}
    assert told == stuck


def chained(many: int, inner: Step) -> Recipes:
    """A task that calls the next one, and so on; the last one does something."""
    found = {f"t{at}": Recipe(name=f"t{at}", steps=(TaskStep(name=f"t{at + 1}"),)) for at in range(many - 1)}
    last = f"t{many - 1}"
    return Recipes(main="t0", tasks={**found, last: Recipe(name=last, steps=(inner,))})


def test_too_many_tasks_in_each_other_are_told_once() -> None:
    assert check(chained(MAX_TASKS, ActionStep(name="x"))) == ()
    for many in (MAX_TASKS + 1, 5000):
        (told,) = check(chained(many, ActionStep(name="x")))
        assert told.cause.startswith(f"with 't{many - MAX_TASKS - 1}' more than 64 tasks stand in each other")


def test_a_call_that_may_be_left_out_is_not_counted() -> None:
    guarded = ChoiceStep(condition=parse("aborts > 0"), if_true=(TaskStep(name="t0"),))
    assert check(chained(MAX_TASKS, guarded)) == ()
