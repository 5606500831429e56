"""The executive with a clock, monitors and reloads, without a journal."""

from __future__ import annotations

import pytest

from handup.core import BadRecipe, BadRecord, ContractViolation, ManualClock, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Done,
    Ending,
    Executive,
    Fault,
    Finished,
    Run,
    Sees,
    Sources,
    Watch,
    Working,
)
from handup.executive.beliefs import BeliefSource
from handup.executive.events import Failed
from handup.executive.failure import Failure
from tests.executive.making import action, choice, op, recipe, recipes, rule
from tests.executive.robot import acting, after, by_name


def test_actions_take_their_time_by_the_clock() -> None:
    clock = ManualClock(10.0)
    at: list[float] = []
    go = acting("go", after(lambda call: at.append(clock.now_s())), lasts_s=5.0)
    finished = Executive(
        Run(recipes(recipe("main", action("go"), action("go")))), Around(actions=by_name(go), clock=clock)
    ).to_the_end()
    assert (finished.ending, at) == (Ending.DONE, [15.0, 20.0])


def test_what_does_not_fit_the_robot_is_refused_before_anything_moves() -> None:
    with pytest.raises(BadRecipe, match="fly"):
        Executive(Run(recipes(recipe("main", action("fly")))), Around(actions={}, clock=ManualClock()))


def test_an_action_is_told_its_attempt_its_beliefs_and_its_goal() -> None:
    seen = []

    def does(call: object) -> Done | Aborted:
        seen.append((call.goal, call.attempt, call.number, dict(call.beliefs)))  # type: ignore[attr-defined]
        return Done(beliefs={"robot_at": "kits"}) if len(seen) > 1 else Aborted(code="slip", why="It slipped.")

    go = acting("go", does, takes=("to",), codes=("slip",))
    main = recipes(recipe("main", action("go", to="kits"), action("go", to="gears")))
    run = Run(main, [rule("again", "**/go", codes=["slip"])])
    assert Executive(run, Around(actions=by_name(go), clock=ManualClock())).to_the_end().ending is Ending.DONE
    assert seen == [
        ({"to": "kits"}, 1, 1, {}),
        ({"to": "kits"}, 2, 2, {}),
        ({"to": "gears"}, 1, 3, {"robot_at": "kits"}),
    ]


class Bumper:
    """Raises a fault at a time, once."""

    name = "bumper"
    codes = ("bump",)

    def __init__(self, at_s: float) -> None:
        self.at_s: float | None = at_s

    def look(self, now_s: float) -> list[Sees | Fault]:
        if self.at_s is None or now_s < self.at_s:
            return []
        self.at_s = None
        return [Fault(code="bump", why="Something was hit.", fields={"force_n": 9})]


def test_a_monitor_interrupts_an_action_which_is_stopped() -> None:
    clock = ManualClock()
    stopped: list[str] = []
    done: list[float] = []
    drive = acting("drive", after(lambda call: done.append(clock.now_s())), lasts_s=10.0, stopped=stopped)
    back = acting("back_off")
    run = Run(recipes(recipe("main", action("drive"))), [rule("back", "**/bumper", action("back_off"), codes=["bump"])])
    around = Around(actions=by_name(drive, back), clock=clock, monitors=[Bumper(3.0)])
    assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert (stopped, done) == (["drive"], [13.0])
    failed = next(each.failure for each in run.machine.notes() if isinstance(each, Failed))
    assert (failed.kind, failed.leaf, failed.at_s, failed.fields["force_n"]) == ("monitor", "bumper", 3.0, 9)


def test_what_is_seen_when_a_step_is_done_fails_the_next_one_before_it_begins() -> None:
    bumper, ran = Bumper(1e9), []

    def drive(call: object) -> Done:
        ran.append("drive")
        bumper.at_s = 0.0
        return Done()

    actions = by_name(
        acting("drive", drive),
        acting("pick", after(lambda call: ran.append("pick"))),
        acting("back_off", after(lambda call: ran.append("back_off"))),
    )
    rules = [rule("back", "**/bumper", action("back_off"), codes=["bump"])]
    run = Run(recipes(recipe("main", action("drive"), action("pick"))), rules)
    around = Around(actions=actions, clock=ManualClock(), monitors=[bumper])
    assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert ran == ["drive", "back_off", "pick"]  # what was done is not done again


def test_a_monitor_written_later_says_what_it_sees_and_contradicts_the_script() -> None:
    clock = ManualClock()
    at = {"place": "gears"}
    tries: list[str] = []

    def drive(call: object) -> Done:
        tries.append("drive")
        at["place"] = "kits" if len(tries) > 1 else "gears"
        return Done(beliefs={"robot_at": "kits"})

    actions = by_name(
        acting("drive", drive, lasts_s=2.0), acting("pick", after(lambda call: tries.append("pick")), lasts_s=2.0)
    )
    again = rule("again", "**", contradiction="robot_at", resume=ResumeHint.PREVIOUS)
    run = Run(recipes(recipe("main", action("drive"), action("pick"))), [again])
    around = Around(actions=actions, clock=clock, monitors=[Watch("robot_at", lambda now_s: at["place"])])
    assert Executive(run, around).to_the_end().ending is Ending.DONE
    assert tries == ["drive", "drive", "pick"]
    by = run.machine.beliefs.by("robot_at", BeliefSource.MONITOR)
    assert by is not None
    assert by.value == "kits"


def test_a_choice_after_an_action_knows_what_monitors_saw_at_its_end() -> None:
    full = {"hand": False}
    grasp = acting("grasp", after(lambda call: full.update(hand=True)))
    ran: list[str] = []
    rest = [
        acting("lift", after(lambda call: ran.append("lift"))),
        acting("look", after(lambda call: ran.append("look"))),
    ]
    main = recipes(recipe("main", action("grasp"), choice("beliefs.holding", [action("lift")], [action("look")])))
    around = Around(
        actions=by_name(grasp, *rest), clock=ManualClock(), monitors=[Watch("holding", lambda now_s: full["hand"])]
    )
    Executive(Run(main), around).to_the_end()
    assert ran == ["lift"]


def test_a_stop_reaches_into_an_action_and_ends_the_run() -> None:
    clock = ManualClock()
    stopped: list[str] = []
    drive = acting("drive", lasts_s=100.0, stopped=stopped)
    executive = Executive(
        Run(recipes(recipe("main", action("drive")))),
        Around(actions=by_name(drive), clock=clock, monitors=[Bumper(1e9)]),
    )
    turns = executive.turns()
    assert next(turns) == Working(1.0, "drive")
    executive.stop("That is enough.")
    with pytest.raises(StopIteration) as end:
        next(turns)
    assert isinstance(end.value.value, Finished)
    assert (end.value.value.ending, end.value.value.reason, stopped) == (Ending.STOPPED, "That is enough.", ["drive"])


def test_an_action_that_raises_is_stopped_and_the_error_goes_up() -> None:
    def breaks(call: object) -> Done:
        raise ZeroDivisionError

    stopped: list[str] = []
    around = Around(actions=by_name(acting("go", breaks, stopped=stopped)), clock=ManualClock())
    with pytest.raises(ZeroDivisionError):
        Executive(Run(recipes(recipe("main", action("go")))), around).to_the_end()
    assert stopped == ["go"]


def test_what_is_no_outcome_or_no_plain_data_is_refused() -> None:
    for gives, error in (
        (None, ContractViolation),
        (Done(results={"x": object()}), BadRecord),
        (Done(results={"x": {1: 2}}), BadRecord),
    ):
        around = Around(actions=by_name(acting("go", lambda call, gives=gives: gives)), clock=ManualClock())  # type: ignore[misc]
        with pytest.raises(error):
            Executive(Run(recipes(recipe("main", action("go")))), around).to_the_end()


OLD = """
format: 1
build:
  steps:
  - action: go
  - action: go
"""


RULES = """
format: 1
recoveries:
- name: fix
  when: {path: "**/go"}
  do: [{action: wait}]
  resume: continue
"""


def test_files_are_read_anew_between_steps_and_wrong_ones_are_refused() -> None:
    ran: list[str] = []
    executive: list[Executive] = []
    good = Sources(
        recipes={"r.yaml": OLD},
        recoveries={"c.yaml": RULES},
    )
    wrong = Sources(recipes={"r.yaml": OLD.replace("go", "fly")})

    def go(call: object) -> Done | Aborted:
        ran.append("go")
        if len(ran) == 1:
            executive[0].reload(wrong)
            return Done()
        if ran.count("go") == 2:
            executive[0].reload(good)
            return Aborted(code="slip")
        return Done()

    actions = by_name(acting("go", go, codes=("slip",)), acting("wait", after(lambda call: ran.append("wait"))))
    run = Run.of(Sources(recipes={"r.yaml": OLD}))
    problems: list[tuple[str, ...]] = []
    run.follow(lambda event: problems.append(run.problems))
    executive.append(Executive(run, Around(actions=actions, clock=ManualClock())))
    finished = executive[0].to_the_end()
    assert finished.ending is Ending.FAILED  # the failure came before the new rules were read
    assert any("r.yaml:" in each and "fly" in each for shown in problems for each in shown), problems


def test_new_rules_help_a_run_that_goes_on() -> None:
    ran: list[str] = []
    executive: list[Executive] = []
    rules = {"c.yaml": RULES}

    def go(call: object) -> Done | Aborted:
        ran.append("go")
        if len(ran) == 1:
            executive[0].reload(Sources(recipes={"r.yaml": OLD}, recoveries=rules))
        return Aborted(code="slip") if len(ran) == 2 else Done()

    actions = by_name(acting("go", go, codes=("slip",)), acting("wait", after(lambda call: ran.append("wait"))))
    executive.append(Executive(Run.of(Sources(recipes={"r.yaml": OLD})), Around(actions=actions, clock=ManualClock())))
    assert executive[0].to_the_end().ending is Ending.DONE
    assert ran == ["go", "go", "wait", "go"]


def test_a_failure_says_what_was_believed() -> None:
    go = acting("go", lambda call: Aborted(code="slip"))
    run = Run(recipes(recipe("main", op("noop"), action("go"))))
    finished = Executive(
        run, Around(actions=by_name(go), clock=ManualClock(), monitors=[Watch("dark", lambda now_s: True)])
    ).to_the_end()
    assert isinstance(finished.failure, Failure)
    assert finished.failure.beliefs == {"dark": True}
