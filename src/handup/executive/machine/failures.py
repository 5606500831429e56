"""Failures: the nested account of one, the recovery that is for it, and how the task goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handup.core import BadExpression, ResumeHint
from handup.executive.events import Ending, Failed, Recovered, Recovering
from handup.executive.failure import IN_RECOVERY, Failure, FailureLevel
from handup.executive.machine.machine_state import (
    AskPerson,
    Cursor,
    Frame,
    MachinePhase,
    MachineState,
    Repair,
    StepTally,
    Trouble,
)
from handup.executive.machine.program import RecoveryRule, choose, path_matches
from handup.executive.run_settings import Unseen

if TYPE_CHECKING:
    from handup.executive.language import Expression


def fail(
    state: MachineState,
    *,
    kind: str,
    leaf: str,
    code: str,
    why: str,
    goal: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
) -> None:
    """Let the current step fail. An abort in the immediate steps of a recovery is their result, and no failure."""
    trying = next((frame for frame in reversed(state.frames) if frame.repair is not None), None)
    if trying is not None and trying.repair is not None and trying.repair.trying:
        trying.repair.tried |= {**(fields or {}), "ok": False, "code": code, "why": why}
        del state.frames[state.frames.index(trying) + 1 :]
        trying.cursors = [Cursor(())]
        return
    state.failures += 1
    if state.failures > state.settings.failures:
        state.finish(Ending.LIMIT, f"There were more than {state.settings.failures} failures.")
        return
    failure = Failure(
        levels=tuple(_levels(state, leaf)),
        leaf=leaf,
        kind=kind,
        code=code,
        why=why,
        goal=dict(goal or {}),
        fields=dict(fields or {}),
        beliefs=dict(state.beliefs.values),
        contradictions=state.beliefs.contradictions,
        at_s=state.now_s,
        depth=state.depth,
    )
    state.notes_due.append(Failed(number=state.failures, failure=failure))
    state.trouble = Trouble(state.failures, failure, len(failure.levels))


def _levels(state: MachineState, leaf: str) -> list[FailureLevel]:
    """Return what each task adds to the failure, and count this abort everywhere."""
    levels: list[FailureLevel] = []
    place: tuple[Any, ...] = ()
    for index, frame in enumerate(state.frames):
        place = (*place, frame.name)
        aborts = state.task_aborts[place] = state.task_aborts.get(place, 0) + 1
        # The failed step has aborted, and every choice or loop around it.
        for cursor in frame.cursors:
            if cursor.line is not None:
                frame.of(cursor.line.path).aborts += 1
        step = frame.of(frame.path)
        if frame.cursors[-1].line is None:
            step.aborts += 1
        below = state.frames[index + 1] if index + 1 < len(state.frames) else None
        if below is not None and below.repair is None:
            step.below = below.tally
        levels.append(
            FailureLevel(
                task=frame.name,
                step=frame.path,
                name=leaf if below is None else below.name,
                params=dict(frame.params),
                aborts=step.aborts,
                task_aborts=aborts,
            )
        )
        place = (*place, frame.path)
    return levels


def deal_with(state: MachineState) -> None:
    """Find a recovery for the failure at hand; where none is left, ask or end.

    Rules that match the failing leaf come first. If none is left, the failure climbs: the task around has failed as a
    whole, and rules are looked for that match it, up to the top task, or to the recovery in which it happened. Uses for
    a step count against the limit further up, too. A recovery has not helped if something failed in it for which no
    rule is left; then another one is tried for what it was to repair.
    """
    trouble = state.trouble
    assert trouble is not None
    # A failure inside a recovery does not climb out of it: first the recovery counts as not having helped.
    inside = next((index for index in reversed(range(trouble.levels)) if state.frames[index].repair is not None), -1)
    allowed = state.depth < state.settings.depth
    busy = {frame.repair.rule.recovery.name for frame in state.frames if frame.repair is not None}
    uses: Counter[str] = Counter()
    for levels in range(trouble.levels, inside if inside >= 0 else 0, -1):
        seen = climbed(trouble.failure, levels)
        step = _step(state, levels)
        uses.update(step.uses)
        trouble.seen_rules |= any(path_matches(rule.recovery.when.path, seen.path) for rule in state.program.rules)
        scope = scope_of(state, seen, {})

        def holds(condition: object, scope: Mapping[str, Any] = scope) -> bool:
            return _true(condition, scope)

        rule = choose(state.program.rules, seen, uses=uses, busy=busy, holds=holds) if allowed else None
        if rule is not None:
            _begin(state, trouble, rule, seen, step)
            return
    if inside >= 0:
        did_not_help(state, inside)
    else:
        _unseen(state, trouble)


def climbed(failure: Failure, levels: int) -> Failure:
    """Return the failure as seen further up: the task on that level has failed as a whole."""
    if levels == len(failure.levels):
        return failure
    below = failure.levels[levels]
    return replace(failure, levels=failure.levels[:levels], leaf=below.task, kind="task", goal=below.params)


def scope_of(state: MachineState, seen: Failure, tried: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the expressions of a recovery may read.

    `failure` has `path`, `leaf`, `kind`, `code`, `why`, `goal`, `fields`, `at_s`, `depth`, `aborts` (of the failed
    step), `task` and `task_aborts` (of the task around it), `levels`, `contradictions`, and as `params` the inputs of
    all tasks around, of which the inner ones hide the outer ones.
    """
    params: dict[str, Any] = {}
    for level in seen.levels:
        params.update(level.params)
    last = seen.levels[-1]
    failure = {
        "path": seen.path,
        "leaf": seen.leaf,
        "kind": seen.kind,
        "code": seen.code,
        "why": seen.why,
        "goal": dict(seen.goal),
        "fields": dict(seen.fields),
        "at_s": seen.at_s,
        "depth": seen.depth,
        "aborts": last.aborts,
        "task": last.task,
        "task_aborts": last.task_aborts,
        "levels": [{"task": level.task, "aborts": level.aborts, "params": dict(level.params)} for level in seen.levels],
        "contradictions": list(seen.contradictions),
        "params": params,
    }
    return {**state.world, "failure": failure, "tried": tried, "params": params, "aborts": last.aborts}


def _true(condition: object, scope: Mapping[str, Any]) -> bool:
    """Return whether a condition of a rule holds; one without a value does not."""
    expression: Expression = condition  # type: ignore[assignment]
    try:
        return bool(expression.value(scope))
    except BadExpression:
        return False


def _step(state: MachineState, levels: int) -> StepTally:
    frame = state.frames[levels - 1]
    return frame.of(frame.path)


def _begin(state: MachineState, trouble: Trouble, rule: RecoveryRule, seen: Failure, step: StepTally) -> None:
    name = rule.recovery.name
    step.uses[name] = step.uses.get(name, 0) + 1
    state.notes_due.append(
        Recovering(number=trouble.number, recovery=name, path=seen.path, use=step.uses[name], depth=seen.depth)
    )
    repair = Repair(rule=rule, number=trouble.number, failure=trouble.failure, seen=seen)
    scope = scope_of(state, seen, repair.tried)
    frame = Frame(f"{IN_RECOVERY}{name}", rule.attempt, scope["params"], world=scope, tally={}, repair=repair)
    # A recovery works on a copy: only `next` hands values back to the task.
    frame.var.update(state.frames[trouble.levels - 1].var)
    del state.frames[trouble.levels :]
    state.frames.append(frame)
    state.trouble = None


def repair_goes_on(state: MachineState, frame: Frame) -> None:
    """Go on with a recovery that has done its immediate steps, or its branch."""
    repair = frame.repair
    assert repair is not None
    branches = repair.rule.recovery.branches
    if repair.trying:
        repair.trying = False
        chosen = (
            index
            for index, branch in enumerate(branches)
            if branch.condition is None or _true(branch.condition, frame.scope)
        )
        repair.branch = next(chosen, None)
        if repair.branch is None:
            did_not_help(state, state.frames.index(frame))
        else:
            frame.lines = repair.rule.branches[repair.branch]
            frame.cursors = [Cursor(frame.lines)]
        return
    assert repair.branch is not None
    branch = branches[repair.branch]
    values = {**repair.tried, **frame.var}
    del state.frames[state.frames.index(frame) :]
    trouble = Trouble(repair.number, repair.failure, len(state.frames))
    seen = len(repair.seen.levels)
    if not go_on(state, trouble, branch.hint, branch.level, values, seen=seen, rule=repair.rule, ends=branch.ends):
        _note(state, repair, helped=False)
        state.trouble = trouble


def did_not_help(state: MachineState, index: int) -> None:
    """End a recovery that failed or has no branch for this: what it was to repair is still there."""
    repair = state.frames[index].repair
    assert repair is not None
    del state.frames[index:]
    _note(state, repair, helped=False)
    state.trouble = Trouble(repair.number, repair.failure, index, seen_rules=True)


def _note(state: MachineState, repair: Repair, *, helped: bool) -> None:
    name = repair.rule.recovery.name
    state.notes_due.append(Recovered(number=repair.number, recovery=name, helped=helped, at_s=state.now_s))


def go_on(
    state: MachineState,
    trouble: Trouble,
    hint: ResumeHint,
    level: str | None,
    given: Mapping[str, Any],
    *,
    seen: int,
    rule: RecoveryRule | None = None,
    ends: Ending = Ending.FAILED,
) -> bool:
    """Go on as a hint says: see `resume` for what each one means.

    Args:
        state: Where the run stands, with the frames of the failure and nothing inside them.
        trouble: The failure.
        hint: How to go on.
        level: Name of the task at which to go on; None for the innermost one.
        given: Values for variables that the failed step was to set, for `next`.
        seen: Number of levels of the failure as it was matched.
        rule: The recovery that says so; None if it is not a recovery.
        ends: Kind of ending, if the run ends by this.

    Returns:
        False where there is no such task: then nothing has changed.
    """
    index = level_of(state.frames, seen, level)
    if index is None:
        return False
    frame = state.frames[index]
    name = "" if rule is None else rule.recovery.name
    state.notes_due.append(
        Recovered(number=trouble.number, recovery=name, hint=hint, level=frame.name, at_s=state.now_s)
    )
    state.trouble = None
    if hint is ResumeHint.NONE:
        _give_up(state, trouble, index if level is not None else 0, rule, ends)
        return True
    inside = [inner.repair.failure for inner in state.frames[index + 1 :] if inner.repair is not None]
    del state.frames[index + 1 :]
    line = frame.cursors[-1].line
    if hint is ResumeHint.NEXT and line is not None:
        frame.var.update({name: given[name] for name in line.var if name in given})
    elif hint is ResumeHint.NEXT and index == 0:
        state.passed |= {(fault.leaf, fault.code) for fault in (trouble.failure, *inside) if fault.kind == "monitor"}
    # After a reload a restarted task takes its new steps.
    if hint is ResumeHint.RETRY and frame.repair is None and frame.name in state.program.lines:
        frame.lines, frame.outputs = state.program.lines[frame.name], state.program.recipes.tasks[frame.name].var
    resume(frame, hint)
    return True


def _give_up(state: MachineState, trouble: Trouble, index: int, rule: RecoveryRule | None, ends: Ending) -> None:
    """Give up a task: the failure is now one of the task around; giving up the top task ends the run."""
    failure = trouble.failure
    by = "A person" if rule is None else f"Recovery '{rule.recovery.name}'"
    if index == 0 and rule is not None and ends is Ending.DONE:
        state.finish(ends, rule.recovery.about or f"{by} ended it at {failure.path} ({failure.code}).")
    elif index == 0:
        state.finish(ends, f"{by} said to stop after {failure.path} failed ({failure.code}).", failure)
    elif state.frames[index].repair is not None:
        did_not_help(state, index)
    else:
        del state.frames[index:]
        trouble.levels, trouble.seen_rules = index, True
        state.trouble = trouble


def _unseen(state: MachineState, trouble: Trouble) -> None:
    """Ask, retry or end, as the settings say, since no recovery is left."""
    settings, failure = state.settings, trouble.failure
    step = _step(state, trouble.levels)
    what = f"{failure.path} failed ({failure.code})"
    if settings.unseen is Unseen.RETRY and step.retries < settings.retries:
        step.retries += 1
        go_on(state, trouble, ResumeHint.CONTINUE, None, {}, seen=trouble.levels)
    elif settings.unseen is Unseen.ASK and step.questions.get(failure.code, 0) < settings.questions:
        step.questions[failure.code] = step.questions.get(failure.code, 0) + 1
        state.questions += 1
        state.phase = MachinePhase.ASKING
        state.command = AskPerson(
            number=trouble.number,
            failure=climbed(failure, trouble.levels),
            tried=tuple(step.uses),
            turn=step.questions[failure.code],
            serial=state.questions,
            spoken=dict(step.spoken.get(failure.code, {})),
        )
    elif trouble.seen_rules or settings.unseen is not Unseen.EXIT:
        state.finish(Ending.OUT_OF_RECOVERIES, f"{what}, and nothing that was tried helped.", failure)
    else:
        state.finish(Ending.FAILED, f"{what}, and no recovery is for that.", failure)


def level_of(frames: Sequence[Frame], seen: int, level: str | None) -> int | None:
    """Return the index of the frame that a hint is for.

    Args:
        frames: From the top task down to the one whose step failed, the recoveries at work among them.
        seen: Number of them that are levels of the failure as it was matched.
        level: The name of a task; the innermost one of that name. None is the innermost level of the failure as it was
            matched: the task whose step failed, or, for a rule that was matched with a task as a whole, the one around.

    Returns:
        Its index; None where there is no such task.
    """
    if level is None:
        return seen - 1
    return next((index for index in reversed(range(len(frames))) if frames[index].name == level), None)


def resume(frame: Frame, hint: ResumeHint) -> None:
    """Put a task at the place where it goes on. Everything inside it, tasks and recoveries, is over and forgotten.

    - `continue`: the step that failed runs again, from its beginning. Where that step runs a task, the task starts
      anew. Inside a choice or loop the condition is not looked at again, and the loop's rounds count on; a loop that
      failed because it went round too often begins anew.
    - `retry`: the task starts again from its first step, with the same inputs and without its variables; after a
      reload, with its new steps.
    - `next`: the step that failed counts as done, and the one after it follows; in a loop's body, after its last
      step, the condition. The machine has set what it could of the variables that the step was to set. Behind the last
      step of the run, the task is done in spite of the fault.
    - `previous`: the step before the failed one runs again, and then the failed one. Before the first step in a choice
      or loop stands the step before that choice or loop, whose rounds are then forgotten; a choice or loop that
      stands before is begun from its condition. Before the first step of a task stands nothing: that one runs again.
    - `none` is not for here: without a level it ends the run; with one, that task is given up, and the failure is one
      of the task around.

    Aborts, uses of recoveries and what people said are remembered until their step has worked, so that no way of going
    on makes a limit start over: not `retry` either.

    Args:
        frame: The task.
        hint: How it goes on.
    """
    match hint:
        case ResumeHint.RETRY:
            frame.restart()
        case ResumeHint.NEXT:
            frame.step_done()
        case ResumeHint.PREVIOUS:
            while frame.cursors[-1].index == 0 and len(frame.cursors) > 1:
                frame.cursors.pop()
                frame.cursors[-1].rounds = 0
            cursor = frame.cursors[-1]
            cursor.index = max(0, min(cursor.index, len(cursor.lines)) - 1)
        case _:
            pass
