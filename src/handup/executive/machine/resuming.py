"""The five ways to go on after a failure, at any level, and what each means for the steps in between."""

from __future__ import annotations

from collections.abc import Sequence

from handup.core import ResumeHint
from handup.executive.machine.frame import Frame


def level_of(frames: Sequence[Frame], seen: int, level: str | None) -> int | None:
    """Which frame a hint is for.

    Args:
        frames: From the top task down to the one whose step failed, the recoveries at work among them.
        seen: So many of them are levels of the failure as it was matched.
        level: The name of a task; the innermost one of that name. None is the innermost level of the failure as it was
            matched: the task whose step failed, or, for a rule that was matched with a task as a whole, the one around.

    Returns:
        Its index; None where there is no such task.
    """
    if level is None:
        return seen - 1
    return next((index for index in reversed(range(len(frames))) if frames[index].name == level), None)


def resume(frame: Frame, hint: ResumeHint) -> None:
    """Put a task where it goes on. Everything inside it, tasks and recoveries, is over by then and forgotten.

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
