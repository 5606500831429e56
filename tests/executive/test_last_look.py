"""Behind the last action: before a run ends as done, the monitors look once more, and what they see is heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import ManualClock, Question, ResumeHint
from handup.executive import (
    Aborted,
    Around,
    Done,
    Ending,
    Executive,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
    Watch,
)
from handup.executive.action import Call, Outcome, RobotAction
from handup.executive.escalation import AGAIN, DID_IT, FIXED
from handup.executive.events import Ending as Ends
from handup.executive.events import Failed, Recovering
from handup.executive.failure import Failure
from handup.executive.machine import Finished
from handup.executive.monitors import Monitor
from handup.executive.recipe import Recipes
from handup.executive.recovery import Branch, Recovery, RecoveryCondition
from handup.executive.run_settings import Unseen
from tests.executive.making import action, op, recipe, recipes, rule, task
from tests.executive.robot import acting, by_name
from tests.executive.test_contradictions import Bumper
from tests.executive.test_faults import Alarm

MAIN = recipes(recipe("main", action("pick"), action("place")))


class Shop:
    """A robot that keeps a list of what it did, and what looks on there."""

    def __init__(self, *monitors: Monitor, people: Callable[[Question], SimulatedSaying | None] | None = None) -> None:
        self.monitors = monitors
        self.people = people
        self.did: list[str] = []
        self.failures: list[Failure] = []
        self.uses: list[str] = []

    def does(self, name: str, then: Callable[[Call], object] = lambda call: None, **more: Any) -> type[RobotAction]:
        def act(call: Call) -> Outcome:
            self.did.append(name)
            said = then(call)
            return said if isinstance(said, Done) else Done()

        return acting(name, act, **more)

    def runs(
        self, rules: Sequence[Recovery], *actions: type[RobotAction], main: Recipes = MAIN, **terms: Any
    ) -> Finished:
        known = by_name(self.does("pick"), self.does("place"))
        clock = ManualClock()
        around = Around(
            actions=known | by_name(*actions),
            clock=clock,
            monitors=self.monitors,
            people=None if self.people is None else SimulatedBystander(self.people, clock),
        )
        run = Run(main, rules, settings=RunSettings(**terms))
        run.follow(self._note)
        return Executive(run, around).to_the_end()

    def _note(self, event: object) -> None:
        if isinstance(event, Failed):
            self.failures.append(event.failure)
        if isinstance(event, Recovering):
            self.uses.append(event.recovery)

    @property
    def paths(self) -> list[str]:
        return [each.path for each in self.failures]


def holds(world: dict[str, Any], key: str = "held") -> Watch:
    return Watch(key, lambda now_s: world[key])


# -- what is heard -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lasts_s", [0.0, 3.0])
def test_a_contradiction_behind_the_last_action_is_recovered_from(lasts_s: float) -> None:
    world = {"held": True}
    shop = Shop(holds(world))
    pick = shop.does("pick", lambda call: Done(beliefs={"held": True}))
    place = shop.does("place", lambda call: world.update(held=False), lasts_s=lasts_s)
    fetch = shop.does("fetch", lambda call: world.update(held=True))
    rules = [rule("lost", "**/contradiction", action("fetch"), contradiction="held")]
    over = shop.runs(rules, pick, place, fetch)
    assert (over.ending, over.reason) == (Ending.DONE, "The task is done.")
    assert shop.did == ["pick", "place", "fetch"]
    [failure] = shop.failures
    assert (failure.path, failure.kind, failure.levels[0].step) == ("main/contradiction", "monitor", (2,))
    assert dict(failure.fields) == {"key": "held", "script": True, "monitor": False}


def test_so_is_one_of_the_last_actions_own_word() -> None:
    world = {"placed": False}
    shop = Shop(holds(world, "placed"))
    place = shop.does("place", lambda call: Done(beliefs={"placed": True}))
    push = shop.does("push", lambda call: world.update(placed=True))
    rules = [rule("beside", "**/contradiction", action("push"), contradiction="placed")]
    assert shop.runs(rules, place, push).ending is Ending.DONE
    assert (shop.did, shop.paths) == (["pick", "place", "push"], ["main/contradiction"])


def test_a_fault_behind_the_last_action_fails_the_run_where_no_rule_is_for_it() -> None:
    bell = Alarm("bell")
    shop = Shop(bell)
    over = shop.runs([], shop.does("place", lambda call: setattr(bell, "on", True)))
    assert over.ending is Ending.FAILED
    assert over.reason == "main/bell failed (alarm), and no recovery is for that."
    assert over.outputs == {}


def test_a_fault_that_is_said_only_once_is_heard_there_too() -> None:
    bumper = Bumper()
    shop = Shop(bumper)
    place = shop.does("place", lambda call: setattr(bumper, "hit", True))
    over = shop.runs([rule("back", "**/bumper", action("back_off"))], place, shop.does("back_off"))
    assert (over.ending, shop.did) == (Ending.DONE, ["pick", "place", "back_off"])


def test_a_run_without_any_action_is_looked_at_too() -> None:
    shop = Shop(Alarm("bell", on=True))
    assert shop.runs([], main=recipes(recipe("main", op("noop")))).ending is Ending.FAILED
    assert shop.paths == ["main/bell"]


def test_it_fails_the_end_of_the_top_task_wherever_the_last_action_stood() -> None:
    bell = Alarm("bell")
    shop = Shop(bell)
    main = recipes(recipe("main", task("sub")), recipe("sub", action("place")))
    quiet = rule("quiet", "main/bell", action("reset"))
    place = shop.does("place", lambda call: setattr(bell, "on", True))
    assert shop.runs([quiet], place, shop.does("reset", bell.off), main=main).ending is Ending.DONE
    assert (shop.did, shop.paths) == (["place", "reset"], ["main/bell"])


def test_a_stop_behind_the_last_action_is_a_stop() -> None:
    shop = Shop(Alarm("bell"))
    run = Run(recipes(recipe("main", action("place"))))
    made: list[Executive] = []
    place = shop.does("place", lambda call: made[0].stop())
    made.append(Executive(run, Around(actions=by_name(place), clock=ManualClock(), monitors=shop.monitors)))
    assert made[0].to_the_end().ending is Ending.STOPPED


# -- how it goes on ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "did"),
    [
        (ResumeHint.CONTINUE, ["pick", "place", "reset"]),
        (ResumeHint.NEXT, ["pick", "place", "reset"]),
        (ResumeHint.PREVIOUS, ["pick", "place", "reset", "place"]),
        (ResumeHint.RETRY, ["pick", "place", "reset", "pick", "place"]),
    ],
)
def test_every_way_to_resume_has_its_meaning_at_the_end(hint: ResumeHint, did: list[str]) -> None:
    bell = Alarm("bell")
    shop = Shop(bell)
    place = shop.does("place", lambda call: setattr(bell, "on", shop.did.count("place") == 1))
    over = shop.runs([rule("quiet", "**/bell", action("reset"), resume=hint)], place, shop.does("reset", bell.off))
    assert (over.ending, shop.did, shop.paths) == (Ending.DONE, did, ["main/bell"])


@pytest.mark.parametrize("ends", [Ends.DONE, Ends.FAILED])
def test_a_rule_that_ends_the_run_there_ends_it(ends: Ends) -> None:
    shop = Shop(Alarm("bell", on=True))
    late = Recovery(name="late", when=RecoveryCondition(path="**/bell"), branches=(Branch(ends=ends),), limit=9)
    assert shop.runs([late], main=recipes(recipe("main", op("noop")))).ending is ends
    assert shop.uses == ["late"]


def test_with_next_the_task_is_done_all_the_same_and_other_faults_are_still_heard() -> None:
    bell, lamp, bumper = Alarm("bell"), Alarm("lamp"), Bumper()
    shop = Shop(bell, lamp, bumper)

    def place(call: Call) -> None:
        bell.on = lamp.on = True

    def light(call: Call) -> None:
        bumper.hit, lamp.on = True, False

    rules = [
        rule("never_mind", "**/bell", resume=ResumeHint.NEXT),
        rule("dark", "**/lamp", action("light"), action("wait")),
        rule("back", "**/bumper", resume=ResumeHint.CONTINUE),
    ]
    actions = (shop.does("place", place), shop.does("light", light), shop.does("wait", lasts_s=3.0))
    over = shop.runs(rules, *actions)
    assert (over.ending, over.reason) == (Ending.DONE, "The task is done.")
    assert shop.paths == ["main/bell", "main/lamp", "main/recovery:dark/bumper"]
    assert shop.did == ["pick", "place", "light", "wait"]


def test_what_was_passed_at_the_end_is_heard_again_where_the_run_goes_back() -> None:
    bell, lamp = Alarm("bell"), Alarm("lamp")
    shop = Shop(bell, lamp)

    def place(call: Call) -> None:
        bell.on = True
        lamp.on = shop.did.count("place") == 1

    rules = [
        rule("never_mind", "**/bell", resume=ResumeHint.NEXT, limit=2),
        rule("again", "**/lamp", action("reset"), resume=ResumeHint.PREVIOUS),
    ]

    def reset(call: Call) -> None:
        bell.on = lamp.on = False

    assert shop.runs(rules, shop.does("place", place), shop.does("reset", reset)).ending is Ending.DONE
    assert shop.did == ["pick", "place", "reset", "place"]
    assert shop.paths == ["main/bell", "main/lamp", "main/bell"]


def test_next_for_the_end_from_inside_a_recovery_passes_what_that_was_for() -> None:
    shop = Shop(Alarm("bell", on=True))
    stuck = acting("reset", lambda call: Aborted(code="stuck"), codes=("stuck",))
    rules = [
        rule("quiet", "**/bell", action("reset")),
        rule("give_in", "**/reset", resume=ResumeHint.NEXT, level="main"),
    ]
    assert shop.runs(rules, stuck, main=recipes(recipe("main", op("noop")))).ending is Ending.DONE
    assert shop.paths == ["main/bell", "main/recovery:quiet/reset"]


# -- bounds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hint", [ResumeHint.CONTINUE, ResumeHint.PREVIOUS, ResumeHint.RETRY])
def test_what_holds_for_ever_comes_to_an_end_by_its_rules_limit(hint: ResumeHint) -> None:
    bell = Alarm("bell")
    shop = Shop(bell)
    actions = (shop.does("pick", bell.off), shop.does("place", lambda call: setattr(bell, "on", True)))
    over = shop.runs([rule("quiet", "**/bell", action("wait"), resume=hint, limit=3)], *actions, shop.does("wait"))
    assert over.ending is Ending.OUT_OF_RECOVERIES
    assert shop.uses.count("quiet") <= 2 * 3, "three at the end, and three where the run went back to"


def test_the_scripts_word_that_is_contradicted_each_time_comes_to_an_end() -> None:
    shop = Shop(holds({"placed": False}, "placed"))
    place = shop.does("place", lambda call: Done(beliefs={"placed": True}))
    rules = [rule("again", "**/contradiction", contradiction="placed", resume=ResumeHint.PREVIOUS, limit=4)]
    over = shop.runs(rules, place)
    assert (over.ending, shop.did.count("place"), len(shop.uses)) == (Ending.OUT_OF_RECOVERIES, 5, 4)


@pytest.mark.parametrize(
    ("terms", "ending", "failures"),
    [
        ({"failures": 5}, Ending.LIMIT, 5),
        ({"unseen": Unseen.RETRY, "retries": 2}, Ending.OUT_OF_RECOVERIES, 3),
        ({"unseen": Unseen.ASK}, Ending.UNANSWERED, 1),
    ],
)
def test_the_runs_own_limits_hold_there(terms: dict[str, Any], ending: Ending, failures: int) -> None:
    shop = Shop(Alarm("bell", on=True))
    rules = [rule("quiet", "**/bell", limit=1000)] if "failures" in terms else []
    assert shop.runs(rules, main=recipes(recipe("main", op("noop"))), **terms).ending is ending
    assert len(shop.failures) == failures


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["quiet", "rings", "dark", "says"]), min_size=1, max_size=4),
    st.lists(
        st.tuples(
            st.sampled_from(["**/bell", "**/contradiction", "**"]),
            st.sampled_from([ResumeHint.CONTINUE, ResumeHint.PREVIOUS, ResumeHint.RETRY]),
            st.sampled_from([None, "quiet", "rings", "says"]),
            st.integers(1, 3),
        ),
        max_size=3,
    ),
    st.sampled_from(Unseen),
)
def test_a_run_that_is_done_has_nothing_that_holds_and_was_not_heard(
    steps: list[str], made: list[tuple[str, ResumeHint, str | None, int]], unseen: Unseen
) -> None:
    bell, world = Alarm("bell"), {"lit": True}
    turns = {"quiet": 0, "rings": 0}

    def rings(call: Call) -> None:
        turns["rings"] += 1
        bell.on = turns["rings"] < 3

    shop = Shop(bell, holds(world, "lit"), people=lambda question: SimulatedSaying(value=AGAIN, by="Maya"))
    rules = [
        rule(f"r{n}", path, *([action(does)] if does else []), resume=hint, limit=limit, contradiction=key)
        for n, (path, hint, does, limit) in enumerate(made)
        for key in ["lit" if path == "**/contradiction" else None]
    ]
    over = shop.runs(
        rules,
        shop.does("quiet", bell.off),
        shop.does("rings", rings),
        shop.does("dark", lambda call: world.update(lit=False)),
        shop.does("says", lambda call: Done(beliefs={"lit": True})),
        main=recipes(recipe("main", *map(action, steps))),
        unseen=unseen,
        starts=200,
        failures=100,
    )
    assert over.ending in tuple(Ending)
    limits = {each.name: each.limit for each in rules}
    assert all(shop.uses.count(name) <= limit * (len(steps) + 1) for name, limit in limits.items() if len(rules) == 1)
    if over.ending is Ending.DONE:
        assert not bell.on
        wrong = "says" in shop.did and not world["lit"]
        watched = any(each.when.contradiction for each in rules)
        assert not (wrong and watched) or any("contradiction" in path.split("/") for path in shop.paths)


# -- people ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "failures", "questions"), [(FIXED, 1, 1), (DID_IT, 1, 1), (AGAIN, 3, 3), ("Go one step back", 2, 2)]
)
def test_a_person_is_asked_where_no_rule_is_left(value: str, failures: int, questions: int) -> None:
    bell, asked = Alarm("bell"), []

    def says(question: Question) -> SimulatedSaying:
        asked.append(question)
        bell.on = bell.on and value not in (FIXED, "Go one step back") and len(asked) < 3
        return SimulatedSaying(value=value, latency_s=9.0, by="Maya")

    shop = Shop(bell, people=says)
    place = shop.does("place", lambda call: setattr(bell, "on", len(asked) < 2))
    over = shop.runs([], place, unseen=Unseen.ASK)
    assert (over.ending, len(shop.failures), len(asked)) == (Ending.DONE, failures, questions)
    assert {each.path for each in shop.failures} == {"main/bell"}
