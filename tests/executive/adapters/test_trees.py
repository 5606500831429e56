"""py_trees both ways, with the real py_trees."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import py_trees
import pytest
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from handup.core import ManualClock
from handup.core.installation import install_command
from handup.executive import Aborted, Around, Call, Done, Ending, Executive, Run
from handup.executive.adapters import check_action
from handup.executive.adapters.trees import TaskBehaviour, behaviour_action
from handup.journal import Journal
from tests.executive.making import action, op, recipe, recipes, rule
from tests.executive.robot import acting, after, by_name

LOG = list[str]


class Leaf(Behaviour):
    """Runs for some ticks, then gives a status; says what is called."""

    def __init__(self, name: str, log: LOG, *, ticks: int = 2, ends: Status = Status.SUCCESS, says: str = "") -> None:
        super().__init__(name)
        self.log, self.ticks, self.ends, self.says = log, ticks, ends, says
        self.left = 0

    def setup(self, **kwargs: Any) -> None:
        self.log.append(f"setup {self.name}")

    def initialise(self) -> None:
        self.left = self.ticks
        self.log.append(f"initialise {self.name}")

    def update(self) -> Status:
        self.left -= 1
        self.feedback_message = self.says if self.left <= 0 else f"{self.left} to go"
        return self.ends if self.left <= 0 else Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        self.log.append(f"terminate {self.name} {new_status.value}")

    def shutdown(self) -> None:
        self.log.append(f"shutdown {self.name}")


def one(make: Callable[[Call], Behaviour], *rules: Any, **more: Any) -> tuple[Any, ManualClock]:
    clock = ManualClock()
    go = behaviour_action(make, name="go", **more)
    run = Run(recipes(recipe("main", action("go"))), rules)
    return Executive(run, Around(actions={"go": go}, clock=clock)).to_the_end(), clock


def test_a_behaviour_is_set_up_ticked_and_shut_down() -> None:
    log: LOG = []
    finished, clock = one(lambda call: Leaf("drive", log, ticks=3), every_s=0.5)
    assert (finished.ending, clock.now_s()) == (Ending.DONE, 1.0)
    assert log == ["setup drive", "initialise drive", "terminate drive SUCCESS", "shutdown drive"]


def test_it_keeps_the_contract_of_actions() -> None:
    log: LOG = []
    go = behaviour_action(
        lambda call: Leaf(call.goal["to"], log),
        name="go",
        takes=["to"],
        gives=["ticks"],
        results=lambda leaf: {"ticks": leaf.ticks},
    )
    assert (go.takes, go.gives, go.codes) == (("to",), ("ticks",), ("failure", "invalid"))
    check_action(go, [Call(goal={"to": "shelf"})])


@pytest.mark.parametrize(
    ("says", "ends", "code", "why"),
    [
        ("no_plan: the goal is in collision", Status.FAILURE, "no_plan", "no_plan: the goal is in collision"),
        ("no_plan", Status.FAILURE, "no_plan", "no_plan"),
        ("it broke: badly", Status.FAILURE, "failure", "it broke: badly"),
        ("", Status.FAILURE, "failure", "drive gave failure."),
        ("", Status.INVALID, "invalid", "drive gave invalid."),
    ],
)
def test_failures_have_codes_from_status_and_message(says: str, ends: Status, code: str, why: str) -> None:
    finished, _ = one(lambda call: Leaf("drive", [], ends=ends, says=says), codes=["no_plan"])
    assert finished.failure is not None
    assert (finished.failure.code, finished.failure.why) == (code, why)
    assert finished.failure.fields == {"behaviour": "drive"}


def tree(root: Sequence | Selector, *leaves: Behaviour) -> Behaviour:
    root.add_children(list(leaves))
    return root


def test_of_a_tree_the_leaf_that_failed_is_named() -> None:
    log: LOG = []

    def make(call: Call) -> Behaviour:
        plan = Leaf("plan", log, ends=Status.FAILURE, says="no_plan: blocked")
        return tree(Sequence("pick", memory=True), Leaf("look", log), plan, Leaf("close", log))

    finished, _ = one(make, codes=["no_plan"])
    assert finished.failure is not None
    assert (finished.failure.code, finished.failure.fields) == ("no_plan", {"behaviour": "plan"})
    assert [each for each in log if each.startswith("setup")] == ["setup look", "setup plan", "setup close"]
    assert [each for each in log if each.startswith("shutdown")] == ["shutdown look", "shutdown plan", "shutdown close"]
    assert "initialise close" not in log


def test_recoveries_are_chosen_by_the_behaviours_code() -> None:
    made: list[Behaviour] = []

    def make(call: Call) -> Behaviour:
        made.append(Leaf("grasp", [], ends=Status.FAILURE if call.attempt < 3 else Status.SUCCESS, says="slip: wet"))
        return made[-1]

    finished, _ = one(make, rule("again", "**/go", codes=["slip"], limit=5), codes=["slip"])
    assert (finished.ending, len(made)) == (Ending.DONE, 3)


def test_a_stop_interrupts_the_behaviour_once() -> None:
    log: LOG = []
    go = behaviour_action(lambda call: Leaf("drive", log, ticks=100), name="go")()
    go.stop()
    go.start(Call(goal={}))
    steps = go.step()
    assert next(steps).doing == "99 to go"
    go.stop()
    go.stop()
    assert log == ["setup drive", "initialise drive", "terminate drive INVALID", "shutdown drive"]


def test_an_exception_of_a_behaviour_goes_up_and_it_is_made_safe() -> None:
    log: LOG = []

    class Wrong(Leaf):
        def update(self) -> Status:
            raise ZeroDivisionError("in update")

    with pytest.raises(ZeroDivisionError, match="in update"):
        one(lambda call: Wrong("drive", log))
    assert log[-2:] == ["terminate drive INVALID", "shutdown drive"]


# -- the other way ---------------------------------------------------------------------------------------------------


def executive(clock: ManualClock, did: list[str], *, rules: Any = (), code: str = "", stopped: Any = None) -> Executive:
    def grasps(call: Call) -> Done | Aborted:
        did.append("grasp")
        return Aborted(code=code, why="Wet.") if code and call.attempt == 1 else Done(results={"weight": 2})

    look = acting("look", after(lambda call: did.append("look")), lasts_s=2.0, stopped=stopped)
    grasp = acting("grasp", grasps, gives=("weight",), codes=("slip",), lasts_s=1.0, stopped=stopped)
    main = recipe("main", action("look"), action("grasp", ["weight"]), op("noop"), var=["weight"])
    return Executive(Run(recipes(main), rules), Around(actions=by_name(look, grasp), clock=clock))


def ticked(behaviour: Behaviour, clock: ManualClock, by_s: float = 0.5, most: int = 100) -> list[tuple[float, Status]]:
    seen = []
    for _ in range(most):
        behaviour.tick_once()
        seen.append((clock.now_s(), behaviour.status))
        if behaviour.status is not Status.RUNNING:
            return seen
        clock.advance(by_s)
    raise AssertionError("it goes on")


def test_a_run_is_running_until_it_is_done_and_takes_its_time() -> None:
    clock, did = ManualClock(), LOG()
    task = TaskBehaviour("fetch", lambda: executive(clock, did))
    seen = ticked(task, clock)
    assert seen == [(0.5 * n, Status.RUNNING) for n in range(6)] + [(3.0, Status.SUCCESS)]
    assert did == ["look", "grasp"]
    assert task.finished is not None
    assert task.finished.outputs == {"weight": 2}
    assert task.feedback_message == "done: The task is done."


def test_a_tick_that_comes_early_does_nothing() -> None:
    clock, did = ManualClock(), LOG()
    task = TaskBehaviour("fetch", lambda: executive(clock, did))
    for _ in range(1000):
        task.tick_once()
    assert (task.status, did, clock.now_s()) == (Status.RUNNING, [], 0.0)
    assert task.feedback_message == "look"


def test_a_run_that_fails_is_a_failure_with_its_ending() -> None:
    clock = ManualClock()
    task = TaskBehaviour("fetch", lambda: executive(clock, [], code="slip"))
    assert ticked(task, clock)[-1][1] is Status.FAILURE
    assert task.feedback_message.startswith("failed: main/grasp failed (slip)")
    assert task.finished is not None
    assert task.finished.failure is not None


def test_recoveries_work_inside_the_tree() -> None:
    clock, did = ManualClock(), LOG()
    again = rule("again", "**/grasp", codes=["slip"])
    task = TaskBehaviour("fetch", lambda: executive(clock, did, rules=[again], code="slip"))
    assert ticked(task, clock)[-1][1] is Status.SUCCESS
    assert did == ["look", "grasp", "grasp"]


def test_terminate_stops_what_is_under_way_and_is_safe_twice() -> None:
    clock, stopped = ManualClock(), LOG()
    task = TaskBehaviour("fetch", lambda: executive(clock, [], stopped=stopped))
    task.terminate(Status.INVALID)
    task.tick_once()
    held = task._turns  # somebody else may hold it, too: nothing depends on when it is forgotten
    task.stop(Status.INVALID)
    assert stopped == ["look"]
    task.stop(Status.INVALID)
    task.terminate(Status.INVALID)
    assert held is not None
    assert (stopped, task.status, task.finished) == (["look"], Status.INVALID, None)


def test_a_higher_branch_interrupts_it_and_it_starts_again() -> None:
    clock, did, stopped = ManualClock(), LOG(), LOG()
    task = TaskBehaviour("fetch", lambda: executive(clock, did, stopped=stopped))
    alarm = py_trees.behaviours.StatusQueue("alarm", [Status.FAILURE, Status.FAILURE, Status.RUNNING], Status.FAILURE)
    root = tree(Selector("robot", memory=False), alarm, task)
    root.tick_once()
    clock.advance(2.0)
    root.tick_once()
    assert (did, task.status) == (["look"], Status.RUNNING)
    root.tick_once()
    assert (stopped, task.status) == (["grasp"], Status.INVALID)
    assert ticked(root, clock)[-1][1] is Status.SUCCESS
    assert did == ["look", "look", "grasp"]


def test_with_a_journal_an_interrupted_run_goes_on_where_it_stood(tmp_path: Path) -> None:
    clock, did = ManualClock(), LOG()

    def make() -> Executive:
        look = acting("look", after(lambda call: did.append(f"look {call.again}")), lasts_s=1.0)
        grasp = acting("grasp", after(lambda call: did.append(f"grasp {call.again}")), lasts_s=1.0, repeatable=True)
        run = Run(recipes(recipe("main", action("look"), action("grasp"))), book=journal, run="fetch")
        return Executive(run, Around(actions=by_name(look, grasp), clock=clock))

    with Journal.open(tmp_path / "runs.db") as journal:
        task = TaskBehaviour("fetch", make)
        task.tick_once()
        clock.advance(1.0)
        task.tick_once()
        assert did == ["look False"]
        task.stop(Status.INVALID)
        assert ticked(task, clock)[-1][1] is Status.SUCCESS
    assert did == ["look False", "grasp True"], "the grasp that was cut off may be repeated, and is told so"


def test_a_run_in_a_tree_in_a_run() -> None:
    clock, did = ManualClock(), LOG()

    def make(call: Call) -> Behaviour:
        return TaskBehaviour("inner", lambda: executive(clock, did, code="slip"))

    outer = behaviour_action(make, name="fetch", codes=["failed"])
    run = Run(recipes(recipe("outer", action("fetch"))))
    finished = Executive(run, Around(actions={"fetch": outer}, clock=clock)).to_the_end()
    assert finished.failure is not None
    assert (finished.failure.code, did) == ("failed", ["look", "grasp"])


def test_an_exception_of_an_action_goes_up_through_the_tick() -> None:
    def wrong(call: Call) -> Done:
        raise ZeroDivisionError("in an action")

    stopped = LOG()
    go = acting("go", wrong, stopped=stopped)
    run = Run(recipes(recipe("main", action("go"))))
    task = TaskBehaviour("fetch", lambda: Executive(run, Around(actions=by_name(go), clock=ManualClock())))
    with pytest.raises(ZeroDivisionError, match="in an action"):
        task.tick_once()
    task.stop(Status.INVALID)
    assert stopped == ["go"]


def test_without_py_trees_the_message_says_how_to_install_it() -> None:
    program = "import sys; sys.modules['py_trees'] = None\nimport handup.executive.adapters\nprint('others work')\n"
    program += "import handup.executive.adapters.trees"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "others work\n"
    assert f"A behaviour tree needs the extra 'trees'. Run: {install_command('trees')}." in done.stderr
