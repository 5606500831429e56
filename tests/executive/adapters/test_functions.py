"""Plain and async functions as actions, driven by a real executive."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handup.core import BadSetting, ContractViolation, IllegalCall, ManualClock
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Ending,
    Executive,
    Finished,
    Outcome,
    RobotAction,
    Run,
    Working,
)
from handup.executive.adapters import Background, as_action, check_action
from handup.executive.adapters.functions import FAULTS
from handup.journal import Journal
from handup.journal.clock import WallClock
from tests.executive.making import action, op, recipe, recipes, rule

WAIT_S = 30.0
"""Far longer than anything here takes."""


@pytest.fixture
def background() -> Iterator[Background]:
    with Background() as made:
        yield made


def ran(made: type[RobotAction], *rules: Any, **goal: Any) -> Finished:
    run = Run(recipes(recipe("main", action(made.name, **goal))), rules)
    return Executive(run, Around(actions={made.name: made}, clock=WallClock())).to_the_end()


def ended(steps: Generator[Working, None, Outcome]) -> Outcome:
    """How an action ends that is not waited for by a clock."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            outcome = end.value
            assert isinstance(outcome, Done | Aborted)
            return outcome


def looks(where: str, how: str = "well") -> dict[str, str]:
    """Look somewhere."""
    return {"seen": f"{where}, {how}"}


async def waits(where: str, how: str = "well") -> dict[str, str]:
    """Look somewhere."""
    await asyncio.sleep(0)
    return looks(where, how)


@pytest.mark.parametrize("function", [looks, waits])
def test_parameters_are_inputs_and_a_mapping_is_results(function: Callable[..., Any], background: Background) -> None:
    look = as_action(function, name="look", gives=["seen"], background=background)
    assert (look.name, look.takes, look.gives, look.repeatable) == ("look", ("where", "how?"), ("seen",), False)
    assert look.__doc__ == "Look somewhere."
    check_action(look, [Call(goal={"where": "table"}), Call(goal={"where": "bin", "how": "badly"})])
    main = recipe(
        "main", action("look", ["seen"], where="table"), op("assign", ["seen"], value="var.seen"), var=["seen"]
    )
    run = Run(recipes(main))
    finished = Executive(run, Around(actions={"look": look}, clock=WallClock())).to_the_end()
    assert (finished.ending, dict(finished.outputs)) == (Ending.DONE, {"seen": "table, well"})


def test_a_function_has_its_own_name_unless_it_is_given_another() -> None:
    assert as_action(looks).name == "looks"
    with pytest.raises(BadSetting, match="must be a single word, got '<lambda>'"):
        as_action(lambda: None)
    with pytest.raises(BadSetting, match="must be a single word, got ''"):
        as_action(partial(looks, where="here"))
    assert as_action(partial(looks, where="here"), name="look").takes == ("where?", "how?")


@pytest.mark.parametrize("function", [lambda *names: None, lambda **names: None, lambda one, /: None])
def test_inputs_need_names(function: Callable[..., Any]) -> None:
    with pytest.raises(BadSetting, match="must have a name that a recipe can use"):
        as_action(function, name="look")


def test_the_attempt_is_told_to_who_asks_for_the_call(background: Background) -> None:
    attempts = []

    async def grasp(part: str, call: Call) -> Outcome | None:
        attempts.append((part, call.attempt, dict(call.goal)))
        return Aborted(code="slip") if call.attempt < 3 else None

    grasp_action = as_action(grasp, codes=["slip"], background=background)
    assert grasp_action.takes == ("part",)
    finished = ran(grasp_action, rule("again", "**/grasp", codes=["slip"], limit=5), part="gear")
    assert finished.ending is Ending.DONE
    assert attempts == [("gear", number, {"part": "gear"}) for number in (1, 2, 3)]


class Late(TimeoutError):
    pass


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("error", "code", "why"),
    [
        (TimeoutError("no reply"), "timeout", "TimeoutError: no reply"),
        (Late(), "timeout", "Late"),
        (ConnectionResetError("gone"), "no_connection", "ConnectionResetError: gone"),
        (PermissionError("not you"), "system_error", "PermissionError: not you"),
        (KeyError("cup"), "no_such_thing", "KeyError: 'cup'"),
    ],
)
def test_faults_are_aborts_with_the_code_of_the_nearest_base(
    error: Exception, code: str, why: str, is_async: bool, background: Background
) -> None:
    def fails() -> None:
        raise error

    async def fails_later() -> None:
        await asyncio.sleep(0)
        raise error

    function = fails_later if is_async else fails
    made = as_action(function, name="go", faults={**FAULTS, KeyError: "no_such_thing"}, background=background)
    failure = ran(made).failure
    assert failure is not None
    assert (failure.code, failure.why, failure.fields) == (code, why, {"error": type(error).__name__})
    assert code in made.codes


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("error", [ValueError("wrong"), TypeError("wrong"), ZeroDivisionError("wrong")])
def test_mistakes_of_the_program_go_up(error: Exception, is_async: bool, background: Background) -> None:
    def wrong() -> None:
        raise error

    async def wrong_later() -> None:
        raise error

    with pytest.raises(type(error), match="wrong") as raised:
        ran(as_action(wrong_later if is_async else wrong, name="go", background=background))
    assert raised.value is error


@pytest.mark.parametrize("kind", [Exception, TypeError, AttributeError, NameError, ImportError, BaseException])
def test_mistakes_of_the_program_cannot_be_made_aborts(kind: type[Exception]) -> None:
    with pytest.raises(BadSetting, match=f"hides mistakes of the program, got {kind.__name__}"):
        as_action(looks, faults={kind: "crashed"})


def test_a_fault_needs_a_code() -> None:
    with pytest.raises(BadSetting, match="must give OSError a code"):
        as_action(looks, faults={OSError: ""})


@pytest.mark.parametrize("is_async", [False, True])
def test_something_else_than_results_is_refused(is_async: bool, background: Background) -> None:
    async def later() -> int:
        return 7

    made = as_action(later if is_async else lambda: 7, name="go", background=background)
    with pytest.raises(ContractViolation, match="the action 'go' returned int"):
        ran(made)


def test_an_object_with_an_async_call_waits_too(background: Background) -> None:
    class Driver:
        async def __call__(self, to: str) -> dict[str, str]:
            await asyncio.sleep(0)
            return {"at": to}

    drive = as_action(Driver(), name="drive", gives=["at"], background=background)
    assert drive.takes == ("to",)
    check_action(drive, [Call(goal={"to": "shelf"})])


def test_a_turn_does_not_wait_even_for_a_function_that_blocks(background: Background) -> None:
    go_on, begun = threading.Event(), threading.Event()

    async def blocks() -> None:
        begun.set()
        go_on.wait(WAIT_S)

    made = as_action(blocks, every_s=0.25, background=background)()
    made.start(Call(goal={}))
    assert begun.wait(WAIT_S)
    steps = made.step()
    assert [next(steps) for _ in range(3)] == [Working(0.25, "blocks")] * 3, "while it blocks"
    go_on.set()
    assert ended(steps) == Done()


def test_a_stop_cancels_it_and_lets_it_make_safe(background: Background) -> None:
    begun, safe = threading.Event(), threading.Event()
    cancelled = []

    async def drives() -> None:
        try:
            begun.set()
            await asyncio.sleep(WAIT_S)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        finally:
            safe.set()

    clock = ManualClock()
    run = Run(recipes(recipe("main", action("drives"))))
    drive = as_action(drives, background=background)
    executive = Executive(run, Around(actions={"drives": drive}, clock=clock))
    turns = executive.turns()
    next(turns)
    assert begun.wait(WAIT_S)
    executive.stop()
    with pytest.raises(StopIteration) as end:
        next(turns)
    assert end.value.value.ending is Ending.STOPPED
    assert safe.wait(WAIT_S)
    assert cancelled == [True]


def test_stop_is_safe_at_any_time_and_twice(background: Background) -> None:
    made = as_action(waits, background=background)
    before, after = made(), made()
    before.stop()
    before.stop()
    after.start(Call(goal={"where": "table"}))
    outcome = ended(after.step())
    after.stop()
    after.stop()
    assert outcome == Done(results={"seen": "table, well"})


def test_who_cancels_it_otherwise_makes_it_abort(background: Background) -> None:
    async def gives_up() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(WAIT_S)

    made = as_action(gives_up, background=background)
    failure = ran(made).failure
    assert failure is not None
    assert (failure.code, "cancelled" in made.codes) == ("cancelled", True)


def test_what_goes_wrong_after_a_stop_is_logged(background: Background, caplog: pytest.LogCaptureFixture) -> None:
    begun = threading.Event()

    async def clumsy() -> None:
        try:
            begun.set()
            await asyncio.sleep(WAIT_S)
        finally:
            raise ZeroDivisionError("while making safe")

    made = as_action(clumsy, background=background)()
    made.start(Call(goal={}))
    assert begun.wait(WAIT_S)
    made.stop()
    with caplog.at_level(logging.ERROR):
        background.close()
    assert "while making safe" in caplog.text


def test_a_function_that_ends_the_program_does_not_end_the_loop(background: Background) -> None:
    async def leaves() -> None:
        sys.exit("bye")

    with pytest.raises(ContractViolation, match=r"'leaves' ended the program \(bye\)"):
        ran(as_action(leaves, background=background))
    assert ran(as_action(waits, background=background), where="table").ending is Ending.DONE


def test_all_functions_share_one_loop_beside_the_program(background: Background) -> None:
    async def where() -> None:
        loops.append((asyncio.get_running_loop(), threading.current_thread()))

    loops: list[tuple[object, object]] = []
    go = as_action(where, background=background)
    ran(go)
    ran(go)
    assert loops[0] == loops[1]
    assert loops[0][1] is not threading.current_thread()


def test_closing_cancels_what_is_under_way(background: Background) -> None:
    safe = threading.Event()
    begun = threading.Event()

    async def drives() -> None:
        try:
            begun.set()
            await asyncio.sleep(WAIT_S)
        finally:
            await asyncio.sleep(0.01)
            safe.set()

    made = as_action(drives, background=background)()
    made.start(Call(goal={}))
    assert begun.wait(WAIT_S)
    background.close()
    background.close()
    assert safe.is_set(), "it had the time to make safe"
    assert ended(made.step()) == Aborted(code="cancelled", why="It was cancelled.")
    with pytest.raises(IllegalCall, match="after its event loop was closed"):
        as_action(waits, background=background)().start(Call(goal={"where": "table"}))


def test_nobody_waits_for_what_does_not_end_when_all_is_closed() -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def deaf() -> None:
        begun.set()
        go_on.wait(WAIT_S)

    background = Background(close_s=0.01)
    made = as_action(deaf, background=background)()
    made.start(Call(goal={}))
    assert begun.wait(WAIT_S)
    background.close()
    assert ended(made.step()) == Aborted(code="cancelled", why="It was cancelled.")
    go_on.set()


def test_what_a_class_of_its_own_adds_is_used_after_a_kill(tmp_path: Path) -> None:
    went = []

    class Look(as_action(looks, name="look", gives=["seen"])):  # type: ignore[misc]
        def sense(self, call: Call) -> Outcome:
            went.append(call.number)
            return Done(results={"seen": "sensed"})

    class Crash(as_action(lambda: 1 / 0, name="look")):  # type: ignore[misc]
        takes = ("where",)
        gives = ("seen",)

        def start(self, call: Call) -> None:
            raise ZeroDivisionError

    main = recipes(recipe("main", action("look", ["seen"], where="table"), op("noop"), var=["seen"]))
    with Journal.open(tmp_path / "runs.db") as journal:
        with pytest.raises(ZeroDivisionError):
            Executive(Run(main, book=journal), Around(actions={"look": Crash}, clock=ManualClock())).to_the_end()
        again = Executive(Run(main, book=journal), Around(actions={"look": Look}, clock=ManualClock()))
        assert (dict(again.to_the_end().outputs), went) == ({"seen": "sensed"}, [1])


def test_lists_are_no_texts() -> None:
    with pytest.raises(BadSetting, match="gives of action 'looks' must be a tuple of texts, got 'seen'"):
        as_action(looks, gives="seen")
