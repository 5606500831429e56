"""Checks of steps: names, inputs and outputs, what expressions read, loops that end, and variables.

Variables are followed along the ways through a task: read before they are set, set and never read. A set of them is a
whole number with one bit for each, so that ten thousand steps cost no more than ten thousand small additions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from handup.core import BadExpression
from handup.core.checks import suggestion
from handup.executive.language import Expression
from handup.executive.machine.steps import OPS
from handup.executive.problem import FilePlace, Problem
from handup.executive.reader import MAX_PROBLEMS
from handup.executive.recipe import (
    ActionStep,
    ChoiceStep,
    LoopStep,
    OpStep,
    Recipe,
    Recipes,
    RunStep,
    Step,
    TaskStep,
    every,
    expressions_of,
)
from handup.executive.recovery import Recovery
from handup.executive.run_settings import MAX_TASKS

MACHINE_CODES = (
    *("abort", "check_failed", "bad_value", "bad_expression"),
    *("output_missing", "input_missing", "unknown_task", "too_deep", "too_many_rounds"),
    *("contradiction", "lost"),
)
"""Codes with which the machine itself fails: in ops, tasks, loops, expressions, beliefs, and for a lost action."""
LOOSE_LEAVES = ("choice", "loop", "outputs", "contradiction")
"""Names other than those of actions, ops, tasks and monitors at which a failure's path can end."""
LOOP_HINT = "Add most: N; or let its condition look at 'aborts', or at a variable that its body sets."


@dataclass(frozen=True, kw_only=True)
class Declared:
    """Inputs, results and codes that an action declares.

    Args:
        takes: Its inputs; a name with a `?` at the end may be missing.
        gives: Its results.
        codes: Codes with which it aborts.
    """

    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Inputs that are required."""
        return tuple(name for name in self.takes if not name.endswith("?"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs."""
        return tuple(name.removesuffix("?") for name in self.takes)


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Actions and monitors of a robot or a simulated world.

    Args:
        actions: By name.
        monitors: For each monitor, the codes with which it raises a failure.
    """

    actions: Mapping[str, Declared] = field(default_factory=dict)
    monitors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def abilities_of(actions: Mapping[str, object], monitors: Mapping[str, object] | None = None) -> Abilities:
    """Return what classes or factories of actions and monitors declare.

    Args:
        actions: By name, each with `takes`, `gives` and `codes`.
        monitors: By name, each with `codes`.
    """
    words = ("takes", "gives", "codes")
    return Abilities(
        actions={
            name: Declared(**{word: tuple(getattr(maker, word, ())) for word in words})
            for name, maker in actions.items()
        },
        monitors={name: tuple(getattr(maker, "codes", ())) for name, maker in (monitors or {}).items()},
    )


class Enough(Exception):
    """Raised when there are as many problems as anybody wants to read. Never leaves the validator."""


class Context:
    """One pass of the validator.

    Args:
        recipes: Recipes to check.
        recoveries: Recoveries to check with them.
        abilities: Actions and monitors of the robot; None if unknown.
    """

    def __init__(self, recipes: Recipes, recoveries: Sequence[Recovery], abilities: Abilities | None) -> None:
        self.recipes = recipes
        self.recoveries = recoveries
        self.abilities = abilities
        self.problems: list[Problem] = []

    def add(self, place: FilePlace, cause: str, hint: str) -> None:
        """Note a problem.

        Raises:
            Enough: There are too many.
        """
        self.problems.append(Problem(place, cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough


def sets_of(step: Step) -> tuple[str, ...]:
    """Return the variables that a step sets itself: those it names, or else the one that it counts by `name`."""
    if not isinstance(step, RunStep):
        return ()
    if not step.var and isinstance(step, OpStep) and step.name in OPS and "name" in OPS[step.name].one_of:
        counted = counted_name(step)
        return () if counted is None else (counted,)
    return step.var


def counted_name(step: Step) -> str | None:
    """Return the variable that an increment or decrement counts by its name."""
    name = step.params.get("name") if isinstance(step, OpStep) else None
    value = name.value({}) if name is not None and name.constant else None
    return value if isinstance(value, str) else None


def variables_in(expression: Expression) -> list[str]:
    """Return the variables that an expression reads, sorted."""
    return sorted({name[1] for name in expression.names if name[0] == "var"})


def constant_of(condition: Expression) -> bool | None:
    """Return the truth of a condition that reads nothing; None if it depends on something, or has no value."""
    if condition.names:
        return None
    try:
        return bool(condition.value({}))
    except BadExpression:
        return None


# -- names, inputs and outputs -----------------------------------------------------------------------------------------


def check_steps(context: Context, steps: Iterable[Step]) -> None:
    """Note unknown actions, tasks and ops, and inputs and outputs that they do not have."""
    for step in every(steps):
        if isinstance(step, ActionStep):
            _action(context, step)
        elif isinstance(step, TaskStep):
            _task(context, step)
        elif isinstance(step, OpStep):
            _op(context, step)


def _action(context: Context, step: ActionStep) -> None:
    if context.abilities is None:
        return
    declared = context.abilities.actions.get(step.name)
    if declared is None:
        hint = suggestion(step.name, context.abilities.actions)
        context.add(step.place, f"there is no action '{step.name}'", hint)
        return
    _inputs(context, step, "action", needs=declared.needs, known=declared.inputs)
    _outputs(context, step, "action", declared.gives)


def _task(context: Context, step: TaskStep) -> None:
    task = context.recipes.tasks.get(step.name)
    if task is None:
        context.add(step.place, f"there is no task '{step.name}'", suggestion(step.name, context.recipes.tasks))
        return
    _inputs(context, step, "task", needs=task.params, known=task.params)
    _outputs(context, step, "task", task.var)


def _op(context: Context, step: OpStep) -> None:
    op = OPS.get(step.name)
    if op is None:
        context.add(step.place, f"there is no op '{step.name}'", suggestion(step.name, OPS))
        return
    _inputs(context, step, "op", needs=op.needs, known=(*op.needs, *op.one_of, *op.may))
    present = [name for name in op.one_of if name in step.params]
    if op.one_of and len(present) != 1:
        listed = " and ".join(f"'{name}'" for name in op.one_of)
        context.add(step.place, f"op '{step.name}' has {len(present)} of {listed}", "Give exactly one of them.")
    if not op.sets and step.var:
        context.add(step.place, f"op '{step.name}' gives nothing, and '{step.var[0]}' waits for it", "Remove 'var'.")
    elif op.sets and len(step.var) != 1 and (step.var or "name" not in step.params):
        cause = f"op '{step.name}' gives one value, and {len(step.var)} variables are named"
        context.add(step.place, cause, "Name one variable, such as var: [count].")
    if "name" in step.params and "name" in op.one_of and not step.params["name"].constant:
        context.add(step.params["name"].place, f"the variable that '{step.name}' counts is computed", "Write its name.")


def _inputs(context: Context, step: RunStep, kind: str, *, needs: Collection[str], known: Collection[str]) -> None:
    for name in needs:
        if name not in step.params:
            cause = f"{kind} '{step.name}' is not given '{name}'"
            context.add(step.place, cause, f"Add params: {{{name}: …}}.")
    for name, value in step.params.items():
        if name not in known:
            context.add(value.place, f"{kind} '{step.name}' takes no '{name}'", suggestion(name, known))


def _outputs(context: Context, step: RunStep, kind: str, gives: Collection[str]) -> None:
    for name in step.var:
        if name not in gives:
            context.add(step.place, f"{kind} '{step.name}' gives no '{name}'", suggestion(name, gives))


# -- what expressions read --------------------------------------------------------------------------------------------


def check_expression(
    context: Context, expression: Expression, params: Collection[str], *, closed: frozenset[str] = frozenset()
) -> None:
    """Note parameters and database keys that an expression reads and that do not exist, and roots closed to it."""
    if expression.constant:
        return
    if not expression.names:
        try:
            expression.value({})
        except BadExpression as error:
            context.add(expression.place, error.cause, error.hint)
    for root, *keys in sorted(expression.names):
        if root in closed:
            where = "where something was tried before" if root == "tried" else "in recoveries"
            context.add(expression.place, f"'{root}' can only be read {where}", "Use params, var, database or beliefs.")
        elif root == "params" and keys[0] not in params:
            context.add(expression.place, f"there is no parameter '{keys[0]}' here", suggestion(keys[0], params))
        elif root == "database":
            _database(context, expression, keys)


def _database(context: Context, expression: Expression, keys: Sequence[str]) -> None:
    value: Any = context.recipes.database
    if not value:
        context.add(expression.place, f"database.{'.'.join(keys)} is read, and there is no database", "Give one.")
        return
    for depth, key in enumerate(keys):
        where = ".".join(("database", *keys[:depth]))
        if not isinstance(value, Mapping):
            context.add(expression.place, f"{where} is no map and has no '{key}'", "Check the database.")
            return
        if key not in value:
            context.add(expression.place, f"{where} has no '{key}'", suggestion(key, value))
            return
        value = value[key]


# -- what would never end: loops without a bound, tasks that call themselves on every way, too many in each other ------


def check_loops(context: Context, steps: Iterable[Step]) -> None:
    """Note loops for which nobody says when they end."""
    for step in every(steps):
        if isinstance(step, LoopStep) and not step.stated and not _makes_progress(step):
            context.add(step.place, "nothing bounds this loop", LOOP_HINT)


def _makes_progress(loop: LoopStep) -> bool:
    if constant_of(loop.condition) is False or ("aborts",) in loop.condition.names:
        return True
    # A loop can end by itself if its body sets a variable that its condition reads.
    asked = set(variables_in(loop.condition))
    return any(asked & set(sets_of(step)) for step in every(loop.body))


def check_recursion(context: Context) -> None:
    """Note calls of tasks that lead back to themselves on every way, or too deep.

    A task can end if some way through its steps calls only tasks that can end. The search begins with tasks that call
    nothing and goes on to their callers. What it does not reach calls itself without a guard.
    """
    tasks = context.recipes.tasks
    ending = _ending(tasks)
    for name, recipe in tasks.items():
        if name not in ending:
            for step in every(recipe.steps):
                if isinstance(step, TaskStep) and step.name in tasks and step.name not in ending:
                    cause = f"task '{name}' calls '{step.name}' on every way, and that never comes to an end"
                    context.add(step.place, cause, "Put the call into a choice or a loop.")
        elif ending[name] == MAX_TASKS + 1:
            deepest = max(_always(recipe), key=lambda step: ending.get(step.name, 0))
            cause = f"with '{name}' more than {MAX_TASKS} tasks stand in each other, so it can never be done"
            context.add(deepest.place, cause, "Let fewer tasks do nothing but call another one.")


def _always(recipe: Recipe) -> list[TaskStep]:
    """Return the calls that stand in no choice and in no loop."""
    return [step for step in recipe.steps if isinstance(step, TaskStep)]


def _ending(tasks: Mapping[str, Recipe]) -> dict[str, int]:
    """Return the tasks that can end, each with the least number of tasks in each other, itself included.

    A task is looked at again only when one that it waits for turns out to end.
    """
    # A worklist: whenever a task turns out to end, its callers are tried again.
    callers: dict[str, set[str]] = {}
    for name, recipe in tasks.items():
        for step in every(recipe.steps):
            if isinstance(step, TaskStep):
                callers.setdefault(step.name, set()).add(name)
    ending: dict[str, int] = {}

    def blocks(name: str) -> bool:
        return name in tasks and name not in ending

    waiting = list(tasks)
    while waiting:
        name = waiting.pop()
        if name not in ending and _Flow(tasks[name], blocks=blocks).can_end():
            ending[name] = 1 + max((ending.get(step.name, 0) for step in _always(tasks[name])), default=0)
            waiting += callers.get(name, ())
    return ending


# -- variables along the ways through a task: bits, and one walk -------------------------------------------------------


class KnownVariables(NamedTuple):
    """Variables known to be set at one place of a task, as bits.

    Args:
        surely: Those that every way to this place has set.
        maybe: Those that some way to this place has set.
    """

    surely: int
    maybe: int


def check_flow(context: Context, recipe: Recipe, read_elsewhere: Collection[str]) -> None:
    """Note variables that are read too early or never, outputs that nothing sets, and steps that are never reached.

    What a step is given must be set on every way that leads to it. A condition may ask for a variable that is not set
    yet, which is null then, if some way sets it or if it is an output of the task. A loop that goes on until a variable
    of its condition is right has set it when it is over.

    Args:
        context: Where to note problems.
        recipe: The task.
        read_elsewhere: Variables that recoveries read.
    """
    flow = _Flow(recipe, context)
    end = flow.walk(recipe.steps, KnownVariables(0, 0))
    if end is not None:
        for name in recipe.var:
            if not end.maybe & flow.bit(name):
                hint = f"Let a step give it, with var: [{name}]; or remove it from 'var' of the task."
                context.add(recipe.place, f"output '{name}' of task '{recipe.name}' is never set", hint)
    counted = {counted_name(step) for step in every(recipe.steps)}
    read = {name for expression in expressions_of(recipe.steps) for name in variables_in(expression)}
    used = {*counted, *read, *recipe.var, *read_elsewhere}
    for step in every(recipe.steps):
        if isinstance(step, RunStep):
            for name in sets_of(step):
                if name not in used:
                    hint = "Remove it from 'var', or use it."
                    context.add(step.place, f"'{name}' is set by '{step.name}' and never read", hint)


class _Flow:
    """One walk through a task.

    Args:
        recipe: The task.
        context: Where to note problems; None to note nothing.
        blocks: Function that returns True for the name of a task that never ends.
    """

    def __init__(
        self, recipe: Recipe, context: Context | None = None, *, blocks: Callable[[str], bool] = lambda name: False
    ) -> None:
        self._recipe = recipe
        self._context = context
        self._blocks = blocks
        self._aborts = False
        self._bits: dict[str, int] = {}
        self._outputs = self._together(recipe.var)

    def can_end(self) -> bool:
        """Return True if some way leads to the end of the task's steps, or to an abort."""
        return self.walk(self._recipe.steps, KnownVariables(0, 0)) is not None or self._aborts

    def bit(self, name: str) -> int:
        bit = self._bits.get(name)
        if bit is None:
            bit = self._bits[name] = 1 << len(self._bits)
        return bit

    def _together(self, names: Iterable[str]) -> int:
        bits = 0
        for name in names:
            bits |= self.bit(name)
        return bits

    def walk(self, steps: Sequence[Step], before: KnownVariables) -> KnownVariables | None:
        """Return what is known behind the steps; None if no way leads there."""
        now = before
        for index, step in enumerate(steps):
            after = self._step(step, now)
            if after is None:
                if index + 1 < len(steps):
                    hint = "Remove this step, or let a choice decide about the one before."
                    self._add(steps[index + 1].place, "no way leads to this step", hint)
                return None
            now = after
        return now

    def _step(self, step: Step, now: KnownVariables) -> KnownVariables | None:
        if isinstance(step, ChoiceStep):
            return self._choice(step, now)
        if isinstance(step, LoopStep):
            return self._loop(step, now)
        self._given(step, now)
        if isinstance(step, OpStep) and step.name == "abort":
            self._aborts = True
            return None
        if isinstance(step, TaskStep) and self._blocks(step.name):
            return None
        bits = self._together(sets_of(step))
        return KnownVariables(now.surely | bits, now.maybe | bits) if bits else now

    def _choice(self, step: ChoiceStep, now: KnownVariables) -> KnownVariables | None:
        self._asked(step.condition, now.maybe)
        known = constant_of(step.condition)
        for steps, dead, word in ((step.if_true, known is False, "true"), (step.if_false, known is True, "false")):
            if steps and dead:
                cause = f"no way leads to this step: the condition is never {word}"
                self._add(steps[0].place, cause, "Remove it, or correct the condition.")
        yes = None if known is False else self.walk(step.if_true, now)
        no = None if known is True else self.walk(step.if_false, now)
        if yes is None or no is None:
            return yes or no
        return KnownVariables(yes.surely & no.surely, yes.maybe | no.maybe)

    def _loop(self, step: LoopStep, now: KnownVariables) -> KnownVariables | None:
        # Any round but the first also knows what the round before it has set.
        again = now if self._context is None else KnownVariables(now.surely, now.maybe | self._gain(step.body))
        self._asked(step.condition, again.maybe)
        known = constant_of(step.condition)
        if known is False:
            if step.body:
                cause = "no way leads to this step: the loop never begins"
                self._add(step.body[0].place, cause, "Remove the loop, or correct its condition.")
            return now
        body = self.walk(step.body, again)
        if body is None:
            return None if known else now
        # The body may not run even once, so only variables that the condition waits for are surely set behind the loop.
        sure = body.surely if known else body.surely & self._together(variables_in(step.condition))
        return KnownVariables(now.surely | sure, body.maybe)

    def _gain(self, steps: Sequence[Step]) -> int:
        """Return the variables that some way through the steps sets; none where no way leads behind them."""
        # The same walk without a context notes no problems.
        context, self._context = self._context, None
        end = self.walk(steps, KnownVariables(0, 0))
        self._context = context
        return 0 if end is None else end.maybe

    def _add(self, place: FilePlace, cause: str, hint: str) -> None:
        if self._context is not None:
            self._context.add(place, cause, hint)

    def _given(self, step: ActionStep | TaskStep | OpStep, now: KnownVariables) -> None:
        if self._context is None:
            return
        for value in step.params.values():
            for name in variables_in(value):
                if not now.surely & self.bit(name):
                    self._unset(value, name, now)
        counted = counted_name(step)
        if counted is not None and not now.surely & self.bit(counted):
            self._unset(step.params["name"], counted, now)

    def _asked(self, condition: Expression, maybe: int) -> None:
        if self._context is None:
            return
        for name in variables_in(condition):
            if not (maybe | self._outputs) & self.bit(name):
                self._unset(condition, name, KnownVariables(0, maybe))

    def _unset(self, value: Expression, name: str, now: KnownVariables) -> None:
        if now.maybe & self.bit(name):
            hint = (
                "Set it before, on every way; for example with {op: assign, params: {value: …}, var: [" + name + "]}."
            )
            self._add(value.place, f"var.{name} is not set on every way that leads here", hint)
            return
        known = {variable for step in every(self._recipe.steps) for variable in sets_of(step)}
        near = f"{suggestion(name, known)} " if known else ""
        hint = "Set it before it is read." if name in known else f"{near}A step sets it, with var: [{name}]."
        self._add(value.place, f"var.{name} is read before anything sets it", hint)
