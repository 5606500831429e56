"""How long an answer holds: until what it was about is something else, in this program and in the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from handup.core import Box, Point, Value, value_to_json
from handup.desk import Desk, Record, SkippingClock
from handup.domains.feeding import PlateWorld, meal
from handup.domains.feeding.attempt_record import AttemptLog
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.order import Order
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.truth import box_of
from handup.journal import Journal
from handup.recover import Pass, Settings
from handup.recover.events import ModuleAnswered
from handup.recover.run_record import RunForwarded, RunTold
from tests.fakes.feeding import Oracle, calibrators
from tests.recover.house import House

ALWAYS = "topo+query-for-all"
BESIDE = (Point(0.05, 0.05), Point(0.1, 0.05))


@pytest.fixture
def world() -> Iterator[PlateWorld]:
    with PlateWorld("savory salad", seed=4, size=(320, 240)) as made:
        yield made


class Noting(BitePolicy):
    """Keeps what it is given."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        self.given = [*getattr(self, "given", []), set(answers)]
        return super().forward(answers)


def asked_of(folder: Path, policy: BitePolicy, answers: Mapping[str, Value]) -> tuple[str, ...]:
    """What is asked in a bite of two attempts by somebody who always gives these answers."""

    def says(record: Record, desk: Desk) -> Value:
        return answers[record.step]

    house = House(folder, says=says, method=ALWAYS, settings=Settings(max_executions=2, horizon=30.0))
    return house.live(policy=policy).asked


# -- places and foods --------------------------------------------------------------------------------------------------


def test_answers_about_places_do_not_outlive_an_attempt(tmp_path: Path, world: PlateWorld) -> None:
    policy = Noting(world, Oracle(world, label="chicken"), calibrators())
    box = next(box_of(each) for each in world.truth() if each.food == "chicken")
    asked = asked_of(tmp_path, policy, {"food": "chicken", "box": box, "skill": "skewer", "params": BESIDE})
    assert asked == ("food", "box", "skill", "params", "box", "params")
    assert policy.given[4:6] == [{"food", "box", "skill", "params"}, {"food", "skill"}], "before and after the attempt"
    assert len(policy.acts.done) == 2


def test_a_food_that_is_not_seen_any_more_after_an_attempt_may_be_asked_again(
    tmp_path: Path, world: PlateWorld
) -> None:
    oracle = Oracle(world, label="chicken", blind=True)
    nowhere = Box(left=0.0, top=0.0, right=0.1, bottom=0.1)
    answers: dict[str, Value] = {"food": "chicken", "box": nowhere, "skill": "skewer", "params": BESIDE}
    asked = asked_of(tmp_path, BitePolicy(world, oracle, calibrators()), answers)
    assert asked == ("food", "box", "skill", "params", "food", "box", "params")


def test_a_food_holds_while_it_is_seen_and_a_fresh_answer_always(world: PlateWorld) -> None:
    oracle = Oracle(world, label="lettuce", off=0.12)
    policy = BitePolicy(world, oracle, calibrators())
    outputs = policy.forward({"food": "chicken"}).outputs
    policy.act(outputs, "a")
    assert policy.forward({"food": "chicken"}).outdated == ()
    oracle.blind = True
    policy.act(outputs, "b")
    made = policy.forward({"food": "chicken"})
    assert (made.outdated, made.outputs["food"], "food" in made.confidences) == (("food",), "lettuce", True)
    assert policy.forward({"food": "chicken"}).outdated == (), "somebody who looks now says so again"


# -- fresh answers, and the next program -------------------------------------------------------------------------------


def test_a_fresh_answer_counts_though_an_old_one_had_said_the_same(world: PlateWorld) -> None:
    policy = BitePolicy(world, Oracle(world, label="chicken"), calibrators())
    assert policy.forward({"skill": "skewer"}).outdated == ()
    assert policy.forward({"skill": "skewer", "food": "lettuce"}).outdated == ("skill",), "that was about chicken"
    policy.forward({"food": "lettuce"})
    made = policy.forward({"food": "lettuce", "skill": "skewer"})
    assert (made.outdated, "skill" in made.confidences) == ((), False)


def test_what_an_answer_was_about_is_known_to_the_next_program(tmp_path: Path, world: PlateWorld) -> None:
    oracle = Oracle(world, label="chicken", off=0.12)
    with Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal:
        first = BitePolicy(world, oracle, calibrators(), acts=AttemptLog(journal, "bite"))
        journal.append(
            RunTold.of(ModuleAnswered(module="skill", changed=True, expert=0.9)), run="bite", key="bite/skill/1"
        )
        outputs = first.forward({"skill": "scoop"}).outputs
        said = {module: value_to_json(each) for module, each in outputs.items()}
        journal.append(RunForwarded(outputs=said), run="bite")
        first.act(outputs, "bite/act/1")
        oracle.label = "lettuce"
        second = BitePolicy(world, oracle, calibrators(), acts=AttemptLog(journal, "bite"))
        assert [each.forward({"skill": "scoop"}).outdated for each in (first, second)] == [("skill",)] * 2


@pytest.mark.parametrize("method", ["troubleshoot", ALWAYS])
def test_the_journal_tells_at_any_time_what_the_program_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    order = Order(plate="thanksgiving", bites=2, seed=3, method=method)
    forwards = []
    with Journal.open(tmp_path / "m.db", clock=SkippingClock()) as journal:

        class Checked(BitePolicy):
            def __init__(self, *arguments: Any, name: str, **settings: Any) -> None:
                super().__init__(*arguments, name=name, **settings)
                self.run = name

            def forward(self, answers: Mapping[str, Value]) -> Pass:
                assert self._heard == AttemptLog(journal, self.run).heard
                forwards.append(set(self._heard))
                return super().forward(answers)

        monkeypatch.setattr(meal, "BitePolicy", Checked)
        with PlateWorld(order.plate, seed=order.seed) as own:
            oracle = Oracle(own, score=0.5, off=0.05)
            with Meal(order, journal, modules=oracle, calibrators=calibrators()) as table:
                oracle.world = table.world
                table.eat([table.simulated(accuracy=0.5)])
    assert len(forwards) > 6
    assert any(forwards)
