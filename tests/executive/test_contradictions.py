"""Script and monitor disagree: each contradiction is raised, once, wherever a recovery can hear it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from handup.core import ManualClock, ResumeHint
from handup.executive import Aborted, Around, Done, Ending, Executive, Run, RunSettings, Watch
from handup.executive.action import Call, RobotAction
from handup.executive.events import Failed
from handup.executive.machine import Finished
from handup.executive.monitors import Fault, Sees
from handup.executive.recovery import Recovery
from handup.journal import Journal
from tests.executive.making import action, branch, recipe, recipes, rule
from tests.executive.robot import acting, by_name
from tests.recover.house import Killed

KEY = "failure.fields.key"


class Shop:
    """A robot that holds two things, and keeps a list of what it did."""

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {"left": True, "right": True}
        self.did: list[str] = []
        self.run: Run | None = None

    def does(
        self, name: str, then: Callable[[], Done | Aborted | None] = lambda: None, lasts_s: float = 0.0
    ) -> type[RobotAction]:
        def act(call: Call) -> Done | Aborted:
            self.did.append(name)
            return then() or Done()

        return acting(name, act, lasts_s=lasts_s, codes=("no_plan",))

    def loses(self, *hands: str) -> None:
        self.seen |= dict.fromkeys(hands, False)

    @property
    def failures(self) -> list[tuple[str, object]]:
        assert self.run is not None
        found = [each.failure for each in self.run.machine.notes() if isinstance(each, Failed)]
        return [(each.path, each.fields.get("key")) for each in found]

    def runs(self, steps: str, rules: Sequence[Recovery], *actions: type[RobotAction], **settings: Any) -> Finished:
        grab = acting("grab", lambda call: Done(beliefs={"left": True, "right": True}))
        main = recipes(recipe("main", *(action(each) for each in steps.split())))
        watches = [Watch(each, lambda now_s, each=each: self.seen[each]) for each in self.seen]  # type: ignore[misc]
        self.run = Run(main, rules, settings=RunSettings(**settings))
        around = Around(actions=by_name(grab, *actions), clock=ManualClock(), monitors=watches)
        return Executive(self.run, around).to_the_end()


def test_of_two_at_once_each_is_raised() -> None:
    shop = Shop()
    drive = shop.does("drive", lambda: shop.loses("left", "right"))
    rules = [
        rule(
            f"fetch_{hand}",
            "**/contradiction",
            action(f"fetch_{hand}"),
            contradiction=hand,
            belief=f"{KEY} == '{hand}'",
        )
        for hand in shop.seen
    ]
    actions = (drive, shop.does("fetch_left"), shop.does("fetch_right"), shop.does("wait"))
    assert shop.runs("grab drive wait", rules, *actions).ending is Ending.DONE
    # the second one is seen before the recovery of the first begins, and is recovered from inside it
    assert shop.did == ["drive", "fetch_right", "fetch_left", "wait"]
    assert shop.failures == [("main/contradiction", "left"), ("main/recovery:fetch_left/contradiction", "right")]


def test_one_that_is_seen_while_an_action_aborts_is_raised_before_the_next_one() -> None:
    shop = Shop()

    def place() -> Aborted | None:
        shop.loses("left")
        return Aborted(code="no_plan") if shop.did.count("place") == 1 else None

    rules = [
        rule("map", "**/place", action("map"), codes=["no_plan"]),
        rule("lost", "**/contradiction", action("fetch"), contradiction="left"),
    ]
    actions = (shop.does("place", place), shop.does("map"), shop.does("fetch"))
    assert shop.runs("grab place", rules, *actions).ending is Ending.DONE
    assert shop.did == ["place", "fetch", "map", "place"]


def test_it_is_no_result_of_immediate_steps_and_waits_for_what_follows() -> None:
    shop = Shop()

    def place() -> Aborted | None:
        shop.loses("left")
        return Aborted(code="no_plan") if shop.did.count("place") == 1 else None

    rules = [
        rule(
            "try_map",
            "**/place",
            codes=["no_plan"],
            attempt=[action("sense"), action("sense")],
            branches=[branch("tried.ok", action("map")), branch(None, action("give_up"))],
        ),
        rule("lost", "**/contradiction", action("fetch"), contradiction="left"),
    ]
    actions = [shop.does(name) for name in ("map", "fetch", "give_up")]
    shop.runs("grab place", rules, shop.does("place", place), shop.does("sense", lasts_s=3.0), *actions)
    assert shop.did == ["place", "sense", "sense", "fetch", "map", "place"]


def test_as_deep_as_recoveries_may_stand_it_waits_until_they_are_through() -> None:
    shop = Shop()

    def place() -> Aborted | None:
        shop.loses("left")
        return Aborted(code="no_plan") if shop.did.count("place") == 1 else None

    rules = [
        rule("map", "**/place", action("map"), codes=["no_plan"]),
        rule("lost", "**/contradiction", action("fetch"), contradiction="left"),
    ]
    actions = (shop.does("place", place), shop.does("map", lasts_s=3.0), shop.does("fetch"))
    assert shop.runs("grab place", rules, *actions, depth=1).ending is Ending.DONE
    assert shop.did == ["place", "map", "fetch", "place"]


def test_what_an_action_says_at_its_end_is_not_contradicted_by_what_was_believed_before() -> None:
    shop = Shop()

    def place() -> Done:
        shop.loses("left")
        return Done(beliefs={"left": False})

    rules = [rule("lost", "**/contradiction", action("fetch"), contradiction="left")]
    shop.runs("grab place wait", rules, shop.does("place", place), shop.does("fetch"), shop.does("wait"))
    assert shop.did == ["place", "wait"]


def test_the_scripts_next_word_makes_it_a_new_one() -> None:
    shop = Shop()
    insists = shop.does("insist", lambda: Done(beliefs={"left": True}))
    rules = [rule("lost", "**/contradiction", action("insist"), contradiction="left", limit=2)]
    drive = shop.does("drive", lambda: shop.loses("left"))
    over = shop.runs("grab drive wait", rules, drive, insists, shop.does("wait"))
    assert (over.ending, shop.did) == (Ending.OUT_OF_RECOVERIES, ["drive", "insist", "insist"])


class Bumper:
    """Raises a fault once."""

    name = "bumper"
    codes = ("bump",)

    def __init__(self) -> None:
        self.hit = False

    def look(self, now_s: float) -> list[Sees | Fault]:
        hit, self.hit = self.hit, False
        return [Fault(code="bump")] if hit else []


def test_a_fault_that_is_seen_while_an_action_aborts_is_kept_for_the_next_one() -> None:
    bumper, shop = Bumper(), Shop()

    def drive() -> Aborted | None:
        bumper.hit = shop.did.count("drive") == 1
        return Aborted(code="no_plan") if bumper.hit else None

    rules = [
        rule("map", "**/drive", action("map"), codes=["no_plan"]),
        rule("back", "**/bumper", action("back_off"), codes=["bump"]),
    ]
    actions = by_name(shop.does("drive", drive), shop.does("map"), shop.does("back_off"))
    run = Run(recipes(recipe("main", action("drive"))), rules)
    Executive(run, Around(actions=actions, clock=ManualClock(), monitors=[bumper])).to_the_end()
    assert shop.did == ["drive", "back_off", "map", "drive"]


@pytest.mark.parametrize("dies", [False, True])
def test_a_killed_run_does_not_raise_again_what_it_raised(tmp_path: Path, dies: bool) -> None:
    main = recipes(recipe("main", action("grab"), action("drive"), action("wait")))
    rules = [rule("lost", "**/contradiction", resume=ResumeHint.CONTINUE, contradiction="held", limit=9)]
    held = {"held": True}

    def drive(call: Call) -> Done:
        held["held"] = False
        return Done()

    def wait(call: Call) -> Done:
        if dies and not call.again:
            raise Killed
        return Done()

    actions = by_name(
        acting("grab", lambda call: Done(beliefs={"held": True})),
        acting("drive", drive),
        acting("wait", wait, repeatable=True),
    )

    def live() -> Finished:
        with Journal.open(tmp_path / "j.db") as journal:
            around = Around(actions=actions, clock=ManualClock(), monitors=[Watch("held", lambda now_s: held["held"])])
            return Executive(Run(main, rules, book=journal, run="r"), around).to_the_end()

    if dies:
        with pytest.raises(Killed):
            live()
    assert live().ending is Ending.DONE
    with Journal.open(tmp_path / "j.db") as journal:
        failed = [each.event for each in journal.read(run="r") if isinstance(each.event, Failed)]
    assert [each.failure.fields["key"] for each in failed] == ["held"]
