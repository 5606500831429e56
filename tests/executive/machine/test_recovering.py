"""Failures, the recoveries for them, and the five ways to go on."""

from __future__ import annotations

import pytest

from handup.core import ResumeHint
from handup.executive.beliefs import Assertion, BeliefSource
from handup.executive.events import (
    ActionEnded,
    Begun,
    Believed,
    Ending,
    Failed,
    Raised,
    Recovered,
    Recovering,
    TaskAnswered,
)
from handup.executive.machine import AskPerson, Machine, Reload, RunAction
from handup.executive.run_settings import RunSettings, Unseen
from tests.executive.making import (
    Script,
    action,
    branch,
    choice,
    drive,
    loop,
    noted,
    op,
    recipe,
    recipes,
    rule,
    task,
)

MAIN = recipes(
    recipe("main", action("first"), task("pick", object="gear"), action("last")),
    recipe("pick", action("approach"), task("grip", ["held"]), action("lift"), params=["object"], var=["held"]),
    recipe("grip", action("open"), action("grasp", ["held"]), action("check"), var=["held"]),
)
"""Three levels: main / pick / grip."""


def ran(does: Script, *rules: object, settings: RunSettings | None = None) -> Ending:
    finished, _ = drive(Machine(MAIN, rules, settings), does)  # type: ignore[arg-type]
    return finished.ending


def held(*outcomes: bool | str) -> Script:
    return Script(grasp=[each if isinstance(each, str) else {"held": True} for each in outcomes])


def test_a_failure_nests_from_the_top_task_to_the_leaf() -> None:
    finished, _ = drive(Machine(MAIN), Script(grasp=["no_plan"]))
    failure = finished.failure
    assert failure is not None
    assert failure.path == "main/pick/grip/grasp"
    assert [(each.task, each.step, each.name) for each in failure.levels] == [
        ("main", (1,), "pick"),
        ("pick", (1,), "grip"),
        ("grip", (1,), "grasp"),
    ]
    assert failure.levels[1].params == {"object": "gear"}
    assert (failure.kind, failure.code, failure.why) == ("action", "no_plan", "It broke.")
    assert finished.ending is Ending.FAILED


@pytest.mark.parametrize(
    ("hint", "level", "after"),
    [
        (ResumeHint.CONTINUE, None, ["grasp", "check", "lift", "last"]),
        (ResumeHint.CONTINUE, "grip", ["grasp", "check", "lift", "last"]),
        (ResumeHint.CONTINUE, "pick", ["open", "grasp", "check", "lift", "last"]),
        (ResumeHint.CONTINUE, "main", ["approach", "open", "grasp", "check", "lift", "last"]),
        (ResumeHint.RETRY, None, ["open", "grasp", "check", "lift", "last"]),
        (ResumeHint.RETRY, "pick", ["approach", "open", "grasp", "check", "lift", "last"]),
        (ResumeHint.RETRY, "main", ["first", "approach", "open", "grasp", "check", "lift", "last"]),
        (ResumeHint.PREVIOUS, None, ["open", "grasp", "check", "lift", "last"]),
        (ResumeHint.PREVIOUS, "pick", ["approach", "open", "grasp", "check", "lift", "last"]),
        (ResumeHint.PREVIOUS, "main", ["first", "approach", "open", "grasp", "check", "lift", "last"]),
        (ResumeHint.NEXT, None, ["check", "lift", "last"]),
        (ResumeHint.NEXT, "pick", ["lift", "last"]),
        (ResumeHint.NEXT, "main", ["last"]),
    ],
)
def test_a_task_goes_on_at_any_level_in_each_of_the_ways(hint: ResumeHint, level: str | None, after: list[str]) -> None:
    does = held("slip", True)
    fix = rule("fix", "**/grasp", action("wiggle", ["held"]), resume=hint, level=level)
    does.plans["wiggle"] = [{"held": "by the recovery"}]
    assert ran(does, fix) is Ending.DONE
    assert does.ran == ["first", "approach", "open", "grasp", "wiggle", *after]


def test_none_without_a_level_ends_the_run_whatever_other_rules_say() -> None:
    does = held("slip", True)
    again = rule("again", "**", resume=ResumeHint.RETRY, level="main", limit=5)
    assert ran(does, again, rule("stop", "**/grasp", resume=ResumeHint.NONE)) is Ending.FAILED
    assert does.ran == ["first", "approach", "open", "grasp"]


def test_none_at_a_level_gives_that_task_up_and_the_failure_climbs() -> None:
    does = held("slip", True)
    drop = rule("drop", "**/grasp", resume=ResumeHint.NONE, level="grip")
    skip = rule("skip", "**/grip", action("lower"), resume=ResumeHint.NEXT)
    machine = Machine(MAIN, [drop, skip])
    finished, _ = drive(machine, does)
    assert does.ran == ["first", "approach", "open", "grasp", "lower", "lift", "outputs"][:6]
    assert finished.failure is not None
    assert finished.failure.code == "output_missing"  # nobody set `held`, and pick must give it


def test_next_takes_what_the_step_was_to_set_from_the_recovery() -> None:
    does = held("slip")
    does.plans["grasp_by_other_hand"] = [{"held": "left"}]
    fix = rule("fix", "**/grasp", attempt=[action("grasp_by_other_hand")], resume=ResumeHint.NEXT)
    finished, _ = drive(Machine(MAIN, [fix]), does)
    assert finished.ending is Ending.DONE


def test_a_failure_climbs_to_rules_for_the_tasks_around() -> None:
    does = held("slip", True)
    machine = Machine(MAIN, [rule("again", "main/pick", action("back_off"))])
    assert drive(machine, does)[0].ending is Ending.DONE
    assert does.ran == [
        *("first", "approach", "open", "grasp", "back_off"),
        *("approach", "open", "grasp", "check", "lift", "last"),
    ]
    assert noted(machine, Recovering)[0].path == "main/pick"


def test_a_rule_for_the_leaf_goes_before_one_for_a_task_around() -> None:
    does = held("slip", True)
    outer = rule("outer", "main/pick", action("outer"))
    assert ran(does, outer, rule("inner", "**", action("inner"))) is Ending.DONE
    assert "outer" not in does.ran


def test_the_narrower_rule_goes_first_and_equals_take_turns() -> None:
    does = held("slip", "slip", "slip", "slip", "slip", True)
    rules = [
        rule("wide", "**", action("wide"), limit=9),
        rule("b", "**/grasp", action("b"), limit=2),
        rule("c", "**/grasp", action("c"), limit=2),
    ]
    assert ran(does, *rules) is Ending.DONE
    assert [each for each in does.ran if each in ("wide", "b", "c")] == ["b", "c", "b", "c", "wide"]


def test_counts_codes_and_beliefs_choose() -> None:
    rules = [
        rule("first", "**/grasp", action("wait"), most=1, limit=9),
        rule("later", "**/grasp", action("move_base"), least=2, limit=9),
        rule("map", "**/grasp", action("reload_map"), codes=["no_plan"], limit=9),
        rule("full", "**/grasp", action("empty_gripper"), codes=["no_plan"], belief="beliefs.holding == 'gear'"),
    ]
    does = held("slip", "slip", "no_plan", True)
    assert ran(does, *rules) is Ending.DONE
    assert [each for each in does.ran if each in ("wait", "move_base", "reload_map")] == [
        "wait",
        "move_base",
        "reload_map",
    ]
    machine = Machine(MAIN, rules)
    machine.tell(Believed(assertion=Assertion(key="holding", value="gear", source=BeliefSource.MONITOR)))
    does = held("no_plan", True)
    drive(machine, does)
    assert "empty_gripper" in does.ran


def test_a_limit_holds_also_where_the_recovery_starts_everything_anew() -> None:
    does = held("slip")
    machine = Machine(MAIN, [rule("again", "**/grasp", resume=ResumeHint.RETRY, level="main", limit=3)])
    finished, _ = drive(machine, does)
    assert (finished.ending, does.ran.count("grasp")) == (Ending.OUT_OF_RECOVERIES, 4)
    assert [each.use for each in noted(machine, Recovering)] == [1, 2, 3]


def test_a_limit_and_the_attempts_start_over_once_the_step_has_worked() -> None:
    main = recipes(recipe("main", loop("true", action("go"), most=3)))
    does = Script(go=["slip", True, "slip", True, True])
    assert drive(Machine(main, [rule("again", limit=1)]), does)[0].ending is Ending.DONE
    assert [each.attempt for each in does.commands] == [1, 2, 1, 2, 1]


def test_a_rule_that_would_not_help_is_left_out() -> None:
    fix = rule("fix", "**/grasp", action("wiggle"), helps="beliefs.near")
    does = held("slip", True)
    assert ran(does, fix) is Ending.OUT_OF_RECOVERIES
    machine = Machine(MAIN, [fix])
    machine.tell(Believed(assertion=Assertion(key="near", value=True)))
    assert drive(machine, held("slip", True))[0].ending is Ending.DONE


def test_the_result_of_immediate_steps_chooses_the_branch() -> None:
    def outcome(seen: object) -> list[str]:
        does = held("slip", True)
        does.plans["look"] = [seen]  # type: ignore[list-item]
        rules = rule(
            "look_first",
            "**/grasp",
            attempt=[action("look")],
            branches=[
                branch("not tried.ok", action("wait")),
                branch("tried.seen > 1", action("sweep")),
                branch("tried.seen == 1", resume=ResumeHint.RETRY),
            ],
        )
        ran(does, rules)
        return does.ran[4:]

    assert outcome({"seen": 3})[:3] == ["look", "sweep", "grasp"]
    assert outcome({"seen": 1})[:3] == ["look", "open", "grasp"]
    assert outcome("dark")[:3] == ["look", "wait", "grasp"]
    assert outcome({"seen": 0}) == ["look"]


def test_a_recovery_without_a_branch_for_the_case_leaves_it_to_the_next() -> None:
    does = held("slip", True)
    none = rule("none", "**/grip/grasp", branches=[branch("failure.fields.force > 3", action("soft"))])
    machine = Machine(MAIN, [none, rule("wide", "**/grasp", action("wiggle"))])
    assert drive(machine, does)[0].ending is Ending.DONE
    assert "wiggle" in does.ran
    assert [(each.recovery, each.helped) for each in noted(machine, Recovered)] == [("none", False), ("wide", True)]


def test_parameters_of_a_recovery_are_computed_from_the_failure() -> None:
    fix = rule(
        "fix",
        "**/grasp",
        action(
            "move",
            object="failure.params.object",
            by="failure.fields.off_m",
            times="failure.aborts",
            why="failure.code",
        ),
    )

    class Off(Script):
        def __call__(self, command: RunAction) -> ActionEnded:
            acted = super().__call__(command)
            return acted if acted.ok else ActionEnded(number=acted.number, ok=False, code="off", fields={"off_m": 0.2})

    does = Off(grasp=["off", {"held": True}])
    drive(Machine(MAIN, [fix]), does)
    moved = next(each for each in does.commands if each.action == "move")
    assert dict(moved.goal) == {"object": "gear", "by": 0.2, "times": 1, "why": "off"}
    assert (moved.depth, moved.path) == (1, "main/pick/grip/recovery:fix/move")


def test_a_failure_inside_a_recovery_is_recovered_too_down_to_a_depth() -> None:
    rules = [
        rule("fix", "**/grasp", action("move")),
        rule("fix_fix", "**/move", action("unlock")),
        rule("fix_fix_fix", "**/unlock", action("oil")),
    ]
    does = held("slip", True)
    does.plans |= {"move": ["locked", True], "unlock": ["stuck", True]}
    assert ran(does, *rules, settings=RunSettings(depth=3)) is Ending.DONE
    assert does.ran[3:10] == ["grasp", "move", "unlock", "oil", "unlock", "move", "grasp"]
    does = held("slip", True)
    does.plans |= {"move": ["locked", True], "unlock": ["stuck", True]}
    assert ran(does, *rules, settings=RunSettings(depth=2)) is Ending.OUT_OF_RECOVERIES
    assert does.ran[3:] == ["grasp", "move", "unlock"]


def test_a_recovery_does_not_recover_from_itself() -> None:
    does = held("slip")
    does.plans["wiggle"] = ["stuck"]
    assert (
        ran(does, rule("all", "**", action("wiggle"), limit=5), settings=RunSettings(depth=5))
        is Ending.OUT_OF_RECOVERIES
    )
    assert does.ran.count("wiggle") == 5


def test_a_failed_recovery_makes_room_for_the_next_rule() -> None:
    does = held("slip", True)
    does.plans["a"] = ["broken"]
    machine = Machine(MAIN, [rule("one", "**/grip/grasp", action("a")), rule("two", "**/grasp", action("b"))])
    assert drive(machine, does)[0].ending is Ending.DONE
    assert does.ran[3:7] == ["grasp", "a", "b", "grasp"]


def test_a_recovery_inside_a_recovery_may_name_an_outer_task() -> None:
    does = held("slip", True)
    does.plans["move"] = ["locked", True]
    fix = rule("fix", "**/grasp", action("move"))
    leave = rule("leave", "**/move", resume=ResumeHint.RETRY, level="pick")
    assert ran(does, fix, leave) is Ending.DONE
    assert does.ran[3:7] == ["grasp", "move", "approach", "open"]


def test_a_level_that_is_not_there_is_no_help() -> None:
    does = held("slip", True)
    assert ran(does, rule("lost", "**/grasp", resume=ResumeHint.RETRY, level="elsewhere")) is Ending.OUT_OF_RECOVERIES


def test_previous_leaves_a_loop_or_choice_from_its_first_step() -> None:
    main = recipes(recipe("main", action("before"), choice("true", [loop("true", action("go"), action("on"), most=2)])))
    does = Script(go=["slip", True])
    drive(Machine(main, [rule("back", resume=ResumeHint.PREVIOUS)]), does)
    assert does.ran == ["before", "go", "before", "go", "on", "go", "on"]
    does = Script(on=["slip", True])
    drive(Machine(main, [rule("back", resume=ResumeHint.PREVIOUS)]), does)
    assert does.ran == ["before", "go", "on", "go", "on", "go", "on"]
    does = Script(before=["slip", True])
    drive(Machine(main, [rule("back", resume=ResumeHint.PREVIOUS)]), does)
    assert does.ran[:3] == ["before", "before", "go"]


def test_a_loop_that_is_begun_anew_has_all_its_rounds() -> None:
    main = recipes(recipe("main", loop("true", action("go"), action("on"), most=2)))
    does = Script(go=[True, "slip", True])
    drive(Machine(main, [rule("back", resume=ResumeHint.PREVIOUS)]), does)
    assert does.ran == ["go", "on", "go", "go", "on", "go", "on"]


def test_aborts_can_end_a_loop() -> None:
    main = recipes(recipe("main", loop("aborts < 3", action("go"), most=10), action("after")))
    does = Script(go=["slip"])
    assert drive(Machine(main, [rule("skip", resume=ResumeHint.NEXT, limit=9)]), does)[0].ending is Ending.DONE
    assert does.ran == ["go", "go", "go", "after"]


def test_outputs_that_were_not_set_can_be_recovered() -> None:
    main = recipes(recipe("main", action("look"), var=["seen"]))
    for hint, looks, ending in (
        (ResumeHint.NEXT, 1, Ending.DONE),
        (ResumeHint.PREVIOUS, 2, Ending.OUT_OF_RECOVERIES),
        (ResumeHint.RETRY, 2, Ending.OUT_OF_RECOVERIES),
        (ResumeHint.CONTINUE, 1, Ending.OUT_OF_RECOVERIES),
    ):
        does = Script()
        finished, _ = drive(Machine(main, [rule("fix", "main/outputs", resume=hint)]), does)
        assert (does.ran.count("look"), finished.ending) == (looks, ending)


def test_a_monitor_interrupts_what_is_under_way() -> None:
    machine = Machine(MAIN, [rule("fix", "**/watch", action("back_off"), codes=["bump"])])
    machine.tell(Begun(number=1, action="first"))
    machine.tell(Raised(monitor="watch", code="bump", why="Something was hit.", fields={"force_n": 9}))
    command = machine.next()
    assert isinstance(command, RunAction)
    assert command.action == "back_off"
    failed = noted(machine, Failed)[0].failure
    assert (failed.kind, failed.path, failed.fields) == ("monitor", "main/watch", {"action": "first", "force_n": 9})


def test_a_contradiction_is_something_a_rule_can_be_for() -> None:
    machine = Machine(
        MAIN, [rule("fix", "**", action("drive_again"), contradiction="robot_at"), rule("wide", "**", action("wiggle"))]
    )
    machine.tell(Believed(assertion=Assertion(key="robot_at", value="kits", at_s=1.0)))
    machine.tell(Believed(assertion=Assertion(key="robot_at", value="gears", source=BeliefSource.MONITOR, at_s=2.0)))
    does = held("slip", True)
    drive(machine, does)
    assert "drive_again" in does.ran


def test_unseen_errors_end_retry_or_ask() -> None:
    assert ran(held("slip", True)) is Ending.FAILED
    does = held("slip", "slip", True)
    assert ran(does, settings=RunSettings(unseen=Unseen.RETRY, retries=2)) is Ending.DONE
    assert ran(held("slip"), settings=RunSettings(unseen=Unseen.RETRY, retries=2)) is Ending.OUT_OF_RECOVERIES
    assert ran(held("slip"), settings=RunSettings(unseen=Unseen.ASK)) is Ending.UNANSWERED


def test_what_a_person_says_becomes_an_input_a_belief_and_a_way_to_go_on() -> None:
    def says(asked: AskPerson) -> TaskAnswered:
        return TaskAnswered(
            number=asked.number, hint=ResumeHint.RETRY, level="pick", sets={"angle": 90}, beliefs={"lit": True}
        )

    does = held("slip", True)
    machine = Machine(MAIN, [], RunSettings(unseen=Unseen.ASK))
    finished, _ = drive(machine, does, says)
    assert finished.ending is Ending.DONE
    grasps = [each for each in does.commands if each.action == "grasp"]
    assert [dict(each.goal) for each in grasps] == [{}, {"angle": 90}]
    assert [each.attempt for each in grasps] == [1, 2]
    assert machine.beliefs.by("lit", BeliefSource.PERSON) is not None


def test_people_are_asked_about_one_step_only_so_often() -> None:
    turns: list[int] = []

    def says(asked: AskPerson) -> TaskAnswered:
        turns.append(asked.turn)
        return TaskAnswered(number=asked.number, hint=ResumeHint.CONTINUE)

    machine = Machine(MAIN, [rule("once", "**/grasp")], RunSettings(unseen=Unseen.ASK, questions=2))
    assert drive(machine, held("slip"), says)[0].ending is Ending.OUT_OF_RECOVERIES
    assert turns == [1, 2]


def test_new_recoveries_hold_at_once_and_new_recipes_for_tasks_that_begin() -> None:
    machine = Machine(MAIN)
    machine.tell(Begun(number=1, action="first"))
    machine.tell(ActionEnded(number=1, ok=True))
    new = recipes(
        recipe("main", action("other")),
        recipe("pick", action("jump"), task("grip"), params=["object"]),
        recipe("grip", action("grasp"), op("noop")),
    )
    machine.tell(
        Reload(
            recipes=new, recoveries=(rule("fix", "**/grasp", action("wiggle"), resume=ResumeHint.RETRY, level="pick"),)
        )
    )
    does = held("slip", True)
    assert drive(machine, does)[0].ending is Ending.DONE
    assert does.ran == [
        *("approach", "grasp", "wiggle"),  # pick had begun with its old steps; grip begins with its new ones
        *("jump", "grasp", "last"),  # the retry takes the new ones; main never was begun again
    ]
