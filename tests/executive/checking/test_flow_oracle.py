"""The flow of variables against all ways through small random tasks, walked one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from handup.executive.language import parse
from handup.executive.problem import FilePlace
from handup.executive.recipe import ActionStep, ChoiceStep, LoopStep, OpStep, Recipe, Recipes, Step
from handup.executive.validator import check
from tests.executive.checking.test_endless import numbered

NAMES = ("a", "b", "c")
OUTPUTS = ("c",)
values = st.sampled_from(["1", "var.a", "var.b", "var.c", "var.a + var.b"]).map(parse)
conditions = st.sampled_from(["true", "false", "params.p", "var.a", "var.b == 1", "not var.c", "aborts < 3"]).map(parse)
actions = st.builds(
    lambda value, var: ActionStep(name="x", params={"v": value}, var=tuple(var)),
    values,
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
)
aborts = st.just(OpStep(name="abort"))
counting = st.sampled_from(NAMES).map(lambda name: OpStep(name="increment", params={"name": parse(f"'{name}'")}))
steps = st.recursive(
    st.one_of(actions, actions, actions, counting, aborts),
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
    max_leaves=6,
)

State = frozenset[str]


def variables(expression: object) -> set[str]:
    return {name[1] for name in expression.names if name[0] == "var"}  # type: ignore[attr-defined]


def always(step: ChoiceStep | LoopStep) -> bool | None:
    return {"true": True, "false": False}.get(step.condition.text)


@dataclass
class Walk:
    """Every way through a task: what was set whenever something was read, and what was reached."""

    given: dict[tuple[FilePlace, str], list[bool]] = field(default_factory=lambda: defaultdict(list))
    asked: dict[tuple[FilePlace, str], list[bool]] = field(default_factory=lambda: defaultdict(list))
    reached: set[FilePlace] = field(default_factory=set)

    def ways(self, steps: Sequence[Step], state: State) -> Iterator[State]:
        if not steps:
            yield state
            return
        for after in self.step(steps[0], state):
            yield from self.ways(steps[1:], after)

    def step(self, step: Step, state: State) -> Iterator[State]:
        self.reached.add(step.place)
        if isinstance(step, ChoiceStep):
            self.ask(step, state)
            if always(step) is not False:
                yield from self.ways(step.if_true, state)
            if always(step) is not True:
                yield from self.ways(step.if_false, state)
        elif isinstance(step, LoopStep):
            yield from self.loop(step, state)
        elif isinstance(step, OpStep) and step.name == "abort":
            return
        elif isinstance(step, OpStep):
            name = step.params["name"].value({})
            self.given[step.params["name"].place, name].append(name in state)
            yield state | {name}
        else:
            assert isinstance(step, ActionStep)
            for name in variables(step.params["v"]):
                self.given[step.params["v"].place, name].append(name in state)
            yield state | set(step.var)

    def loop(self, step: LoopStep, state: State) -> Iterator[State]:
        self.ask(step, state)
        if always(step) is False:
            yield state
            return
        once = set(self.ways(step.body, state))
        again = set(once)
        for after in once:
            self.ask(step, after)
            again |= set(self.ways(step.body, after))
        for after in again:
            self.ask(step, after)
        yield from again
        if always(step) is None:
            trusted = variables(step.condition) & frozenset.intersection(*once) if once else frozenset()
            yield state | trusted

    def ask(self, step: ChoiceStep | LoopStep, state: State) -> None:
        for name in variables(step.condition):
            self.asked[step.condition.place, name].append(name in state)


def unreached(steps: Sequence[Step], reached: set[FilePlace]) -> Iterator[FilePlace]:
    """The first step of each list, or behind what was reached in it, that no way leads to."""
    for step in steps:
        if step.place not in reached:
            yield step.place
            return
        if isinstance(step, ChoiceStep):
            yield from unreached(step.if_true, reached)
            yield from unreached(step.if_false, reached)
        elif isinstance(step, LoopStep):
            yield from unreached(step.body, reached)


@given(st.lists(steps, max_size=4))
def test_variables_are_followed_as_on_every_way(random: list[Step]) -> None:
    task = Recipe(name="t", params=("p",), var=OUTPUTS, steps=numbered(random))
    walk = Walk()
    ends = set(walk.ways(task.steps, frozenset()))
    expected = {
        (place, f"var.{name} is not set on every way that leads here" if any(found) else f"var.{name} is read before")
        for (place, name), found in walk.given.items()
        if not all(found)
    }
    expected |= {
        (place, f"var.{name} is read before")
        for (place, name), found in walk.asked.items()
        if not any(found) and name not in OUTPUTS
    }
    expected |= {(place, "no way leads to this step") for place in unreached(task.steps, walk.reached)}
    if ends and not any("c" in end for end in ends):
        expected.add((task.place, "output 'c' of task 't' is never set"))
    told = {
        (each.place, each.cause.removesuffix(" anything sets it").split(":")[0])
        for each in check(Recipes(main="t", tasks={"t": task}))
        if "never read" not in each.cause
    }
    assert told == expected
