"""Variables along the ways through a task: read before they are set, set and never read; steps that no way leads to.

A set of variables is a whole number with one bit for each, so that ten thousand steps cost no more than ten thousand
small additions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from handup.core.checks import suggestion
from handup.executive.checking.context import Context, constant_of, counted_name, sets_of, variables_in
from handup.executive.language import Expression
from handup.executive.recipe import ChoiceStep, LoopStep, OpStep, Recipe, RunStep, Step, every, expressions_of


class Known(NamedTuple):
    """What is known of variables at one place.

    Args:
        surely: Those that every way to here has set.
        maybe: Those that some way to here has set.
    """

    surely: int
    maybe: int


def check_flow(context: Context, recipe: Recipe, read_elsewhere: Collection[str]) -> None:
    """Note variables that are read too early or never, outputs that nothing sets, and steps that are never reached.

    What a step is given must be set on every way that leads to it. A condition may ask for a variable that is not set
    yet, which is null then, if some way sets it or if it is an output of the task. A loop that goes on until a variable
    of its condition is right has set it when it is over.

    Args:
        context: Where to note it.
        recipe: The task.
        read_elsewhere: Variables that recoveries read.
    """
    flow = _Flow(context, recipe)
    end = flow.walk(recipe.steps, Known(0, 0))
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
    """One walk through a task."""

    def __init__(self, context: Context, recipe: Recipe) -> None:
        self._context = context
        self._recipe = recipe
        self._bits: dict[str, int] = {}
        self._outputs = self._together(recipe.var)

    def bit(self, name: str) -> int:
        found = self._bits.get(name)
        if found is None:
            found = self._bits[name] = 1 << len(self._bits)
        return found

    def _together(self, names: Iterable[str]) -> int:
        bits = 0
        for name in names:
            bits |= self.bit(name)
        return bits

    def walk(self, steps: Sequence[Step], before: Known) -> Known | None:
        """What is known behind the steps; None where no way leads behind them."""
        now = before
        for index, step in enumerate(steps):
            after = self._step(step, now)
            if after is None:
                if index + 1 < len(steps):
                    hint = "Remove this step, or let a choice decide about the one before."
                    self._context.add(steps[index + 1].place, "no way leads to this step", hint)
                return None
            now = after
        return now

    def _step(self, step: Step, now: Known) -> Known | None:
        if isinstance(step, ChoiceStep):
            return self._choice(step, now)
        if isinstance(step, LoopStep):
            return self._loop(step, now)
        for value in step.params.values():
            for name in variables_in(value):
                if not now.surely & self.bit(name):
                    self._unset(value, name, now)
        counted = counted_name(step)
        if counted is not None and not now.surely & self.bit(counted):
            self._unset(step.params["name"], counted, now)
        if isinstance(step, OpStep) and step.name == "abort":
            return None
        bits = self._together(sets_of(step))
        return Known(now.surely | bits, now.maybe | bits) if bits else now

    def _choice(self, step: ChoiceStep, now: Known) -> Known | None:
        self._asked(step.condition, now.maybe)
        known = constant_of(step.condition)
        for steps, dead, word in ((step.if_true, known is False, "true"), (step.if_false, known is True, "false")):
            if steps and dead:
                cause = f"no way leads to this step: the condition is never {word}"
                self._context.add(steps[0].place, cause, "Remove it, or correct the condition.")
        yes = None if known is False else self.walk(step.if_true, now)
        no = None if known is True else self.walk(step.if_false, now)
        if yes is None or no is None:
            return yes or no
        return Known(yes.surely & no.surely, yes.maybe | no.maybe)

    def _loop(self, step: LoopStep, now: Known) -> Known | None:
        again = Known(now.surely, now.maybe | (self._gain(step.body) or 0))
        self._asked(step.condition, again.maybe)
        known = constant_of(step.condition)
        if known is False:
            if step.body:
                cause = "no way leads to this step: the loop never begins"
                self._context.add(step.body[0].place, cause, "Remove the loop, or correct its condition.")
            return now
        body = self.walk(step.body, again)
        if body is None:
            return None if known else now
        sure = body.surely if known else body.surely & self._together(variables_in(step.condition))
        return Known(now.surely | sure, body.maybe)

    def _gain(self, steps: Sequence[Step]) -> int | None:
        """The variables that some way through the steps sets; None where no way leads behind them."""
        gained = 0
        for step in steps:
            more: int | None
            if isinstance(step, ChoiceStep):
                known = constant_of(step.condition)
                yes = None if known is False else self._gain(step.if_true)
                no = None if known is True else self._gain(step.if_false)
                more = None if yes is None and no is None else (yes or 0) | (no or 0)
            elif isinstance(step, LoopStep):
                known = constant_of(step.condition)
                more = 0 if known is False else self._gain(step.body)
                more = 0 if more is None and not known else more
            else:
                more = None if isinstance(step, OpStep) and step.name == "abort" else self._together(sets_of(step))
            if more is None:
                return None
            gained |= more
        return gained

    def _asked(self, condition: Expression, maybe: int) -> None:
        for name in variables_in(condition):
            if not (maybe | self._outputs) & self.bit(name):
                self._unset(condition, name, Known(0, maybe))

    def _unset(self, value: Expression, name: str, now: Known) -> None:
        if now.maybe & self.bit(name):
            hint = (
                "Set it before, on every way; for example with {op: assign, params: {value: …}, var: [" + name + "]}."
            )
            self._context.add(value.place, f"var.{name} is not set on every way that leads here", hint)
            return
        known = {variable for step in every(self._recipe.steps) for variable in sets_of(step)}
        near = f"{suggestion(name, known)} " if known else ""
        hint = "Set it before it is read." if name in known else f"{near}A step sets it, with var: [{name}]."
        self._context.add(value.place, f"var.{name} is read before anything sets it", hint)
