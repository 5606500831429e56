"""Steps of a recipe, run one after another until somebody else is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from handup.core import BadExpression
from handup.core.checks import shown
from handup.executive.events import ActionEnded, Ending
from handup.executive.language.values import bounded, within_limits
from handup.executive.machine.failures import deal_with, fail, repair_goes_on
from handup.executive.machine.machine_state import Cursor, Frame, LastLook, MachinePhase, MachineState, RunAction
from handup.executive.machine.program import Line, StepKind
from handup.executive.recipe import LoopStep

Values = Mapping[str, Any]


def advance(state: MachineState) -> None:
    """Go on until there is a command."""
    while state.command is None:
        if state.trouble is not None:
            deal_with(state)
            continue
        frame = state.frames[-1]
        cursor = frame.cursors[-1]
        if cursor.index >= len(cursor.lines):
            _end_of_list(state, frame)
            continue
        state.steps += 1
        if state.steps > state.settings.steps:
            state.finish(Ending.LIMIT, f"The run took more than {state.settings.steps} steps.")
            return
        line = cursor.lines[cursor.index]
        # Conditions and inputs of a step may read how often it has aborted.
        frame.scope["aborts"] = frame.tally[line.path].aborts if line.path in frame.tally else 0
        try:
            _STEPS[line.kind](state, frame, cursor, line)
        except BadExpression as error:
            fail(state, kind="op", leaf=line.name, code="bad_expression", why=f"{error.cause}.")


def acted(state: MachineState, event: ActionEnded) -> None:
    """Take in the end of the action that was under way."""
    frame, command = state.frames[-1], state.command
    line = frame.cursors[-1].line
    assert line is not None
    assert isinstance(command, RunAction)
    state.command, state.phase = None, MachinePhase.READY
    if not event.ok:
        fail(
            state, kind="action", leaf=line.name, code=event.code, why=event.why, goal=command.goal, fields=event.fields
        )
        return
    # It has worked now, whatever an interrupted start before it did.
    state.broken.discard((command.path, command.step))
    missing = [name for name in line.var if name not in event.results]
    if missing:
        why = f"It did not give {', '.join(missing)}."
        fail(state, kind="check", leaf=line.name, code="output_missing", why=why, goal=command.goal)
        return
    for name in line.var:
        frame.var[name] = event.results[name]
    if frame.repair is not None and frame.repair.trying:
        frame.repair.tried.update(event.results)
    frame.step_done()


def _goal(frame: Frame, line: Line) -> dict[str, Any]:
    scope = frame.scope
    goal = {name: expression.value(scope) for name, expression in line.params}
    if line.path in frame.tally:
        goal.update(frame.tally[line.path].sets)
    return {name: bounded(name, value) for name, value in goal.items()}


def _action(state: MachineState, frame: Frame, cursor: Cursor, line: Line) -> None:
    if state.starts >= state.settings.starts:
        state.finish(Ending.LIMIT, f"The run started more than {state.settings.starts} actions.")
        return
    if state.passed and not state.depth:
        state.passed.clear()  # the run has left its end
    state.phase = MachinePhase.READY
    path = f"{state.path}/{line.name}"
    state.command = RunAction(
        number=state.number + 1,
        action=line.name,
        goal=_goal(frame, line),
        attempt=frame.scope["aborts"] + 1,
        path=path,
        step=line.path,
        depth=state.depth,
        again=(path, line.path) in state.broken,
    )


def _op(state: MachineState, frame: Frame, cursor: Cursor, line: Line) -> None:
    op, values = OPS[line.name], _goal(frame, line)
    try:
        value = op.compute(values, frame.var)
    except Refused as refused:
        fail(state, kind="op", leaf=line.name, code=refused.code, why=refused.why, goal=values)
        return
    for name in op.target(values, line.var):
        frame.var[name] = value
    if line.name == "print":
        state.say(str(values.get("message", "")))
    frame.step_done()


def _task(state: MachineState, frame: Frame, cursor: Cursor, line: Line) -> None:
    task = state.program.recipes.tasks.get(line.name)
    if task is None:
        fail(state, kind="check", leaf=line.name, code="unknown_task", why="There is no such task.")
        return
    if len(state.frames) >= state.settings.tasks:
        fail(state, kind="check", leaf=line.name, code="too_deep", why="Too many tasks stand in each other.")
        return
    goal = _goal(frame, line)
    missing = [name for name in task.params if name not in goal]
    if missing:
        fail(state, kind="check", leaf=line.name, code="input_missing", why=f"It was not given {', '.join(missing)}.")
        return
    # A task that is started anew goes on with the counts of its failed steps.
    known = frame.tally.get(line.path)
    if known is not None and known.below is None:
        known.below = {}
    state.push_task(line.name, goal, {} if known is None or known.below is None else known.below)


def _choice(state: MachineState, frame: Frame, cursor: Cursor, line: Line) -> None:
    assert line.condition is not None
    chosen = line.body if line.condition.value(frame.scope) else line.other
    if chosen:
        frame.cursors.append(Cursor(chosen))
    else:
        frame.step_done()


def _loop(state: MachineState, frame: Frame, cursor: Cursor, line: Line) -> None:
    assert isinstance(line.step, LoopStep)
    condition, rounds, most = line.step.condition, cursor.rounds, line.step.most
    counted = not condition.names  # its value never changes, so `most` is how often the loop is to go round
    if (rounds == most and counted) or not condition.value(frame.scope):
        frame.step_done()
    elif rounds < most:
        cursor.rounds += 1
        frame.cursors.append(Cursor(line.body))
    else:
        cursor.rounds = 0  # whoever says to go on with this step lets it begin anew
        why = f"After {rounds} rounds its condition still holds."
        fail(state, kind="check", leaf=line.name, code="too_many_rounds", why=why, fields={"rounds": rounds})


_STEPS = {
    StepKind.ACTION: _action,
    StepKind.OP: _op,
    StepKind.TASK: _task,
    StepKind.CHOICE: _choice,
    StepKind.LOOP: _loop,
}


def _end_of_list(state: MachineState, frame: Frame) -> None:
    """Leave a list of steps that is done: a choice is done, a loop tests its condition again, a task is over."""
    if len(frame.cursors) > 1:
        frame.cursors.pop()
        line = frame.cursors[-1].line
        if line is not None and line.kind is not StepKind.LOOP:
            frame.step_done()
    elif frame.repair is not None:
        repair_goes_on(state, frame)
    else:
        _task_over(state, frame)


def _task_over(state: MachineState, frame: Frame) -> None:
    checked = frame.cursors[-1].index == len(frame.lines)  # `next` behind the last step leaves the check out
    missing = [name for name in frame.outputs if name not in frame.var] if checked else []
    if missing:
        why = f"It did not set {', '.join(missing)}."
        fail(state, kind="check", leaf="outputs", code="output_missing", why=why)
        return
    if len(state.frames) == 1:
        state.phase, state.command = MachinePhase.LOOKING, LastLook()
        return
    state.frames.pop()
    around = state.frames[-1]
    line = around.cursors[-1].line
    assert line is not None
    for name in line.var:
        around.var[name] = frame.var.get(name)
    if around.repair is not None and around.repair.trying:
        around.repair.tried.update({name: frame.var.get(name) for name in frame.outputs})
    around.step_done()


# -- ops: the small operations on data that a recipe may use -----------------------------------------------------------


@dataclass(frozen=True)
class Op:
    """Operation on data: inputs in, a value out.

    Args:
        compute: Function from its inputs and the task's variables to its value.
        needs: Inputs that must be there.
        one_of: Inputs of which exactly one must be there. `name` is a variable to count, instead of a value.
        may: Inputs that may be there.
        sets: True if it sets one variable.
    """

    compute: Callable[[Values, Values], Any]
    needs: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    sets: bool = False

    def target(self, values: Values, var: tuple[str, ...]) -> tuple[str, ...]:
        """Return the variables that it sets: those that its step names, or else the one that it counts."""
        return (str(values["name"]),) if not var and "name" in self.one_of and "name" in values else var


class Refused(Exception):
    """Raised when an op aborts. Never leaves the machine, which makes a failure of it."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused("bad_value", f"{what} is {shown(value)}, and no number.")
    return value


def _required(values: Values, name: str = "value") -> Any:
    if name not in values:
        raise Refused("bad_value", f"It was not given '{name}'.")
    return values[name]


def _counted(values: Values, var: Values, sign: int) -> float:
    if "name" in values:
        name = values["name"]
        if name not in var:
            raise Refused("bad_value", f"There is no variable {shown(name)} to count with.")
        start = var[name]
    else:
        start = _required(values)
    number: float = within_limits(_number(start, "What is to be counted") + sign * _number(values.get("by", 1), "'by'"))
    return number


def _get_index(values: Values, var: Values) -> Any:
    value, index = _required(values), _required(values, "index")
    try:
        return value[index]
    except (LookupError, TypeError):
        raise Refused("bad_value", f"There is nothing at {shown(index)}.") from None


def _check_value(values: Values, var: Values) -> bool:
    value, expected = _required(values), _required(values, "equals")
    if value != expected:
        raise Refused("check_failed", f"It is {shown(value)}, and should be {shown(expected)}.")
    return True


def _abort(values: Values, var: Values) -> None:
    raise Refused(str(values.get("code", "abort")), str(values.get("why", "The recipe says to abort here.")))


OPS: Mapping[str, Op] = {
    "assign": Op(lambda values, var: _required(values), needs=("value",), sets=True),
    "increment": Op(lambda values, var: _counted(values, var, 1), one_of=("value", "name"), may=("by",), sets=True),
    "decrement": Op(lambda values, var: _counted(values, var, -1), one_of=("value", "name"), may=("by",), sets=True),
    "make_boolean": Op(lambda values, var: bool(_required(values)), needs=("value",), sets=True),
    "negate": Op(lambda values, var: not _required(values), needs=("value",), sets=True),
    "get_index": Op(_get_index, needs=("value", "index"), sets=True),
    "check_value": Op(_check_value, needs=("value", "equals")),
    "print": Op(lambda values, var: None, needs=("message",)),
    "abort": Op(_abort, may=("code", "why")),
    "noop": Op(lambda values, var: None),
}
"""The operations by name. The machine notes the message of `print`."""
