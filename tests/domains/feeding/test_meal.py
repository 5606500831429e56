"""A meal: bites from one plate on one journal; the same twice; killed anywhere, it goes on and repeats nothing."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handup.core import BadRecord, BadSetting, Outcome, UnknownMethod
from handup.desk import SkippingClock
from handup.domains.domain import SIMULATED
from handup.domains.feeding import LOOKS, Item, Plate, PlateWorld
from handup.domains.feeding.attempt_record import BiteAttempt
from handup.domains.feeding.film import broken, captioned, save_film
from handup.domains.feeding.household import next_meal
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.module_outputs import Picture
from handup.domains.feeding.order import MealTerms, Order, begin
from handup.domains.feeding.truth import LossCause, nothing_left
from handup.domains.runs import end_task
from handup.journal import Journal
from handup.recover.run_record import RunBegun
from tests.fakes.feeding import Oracle, calibrators
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

NEVER, ALWAYS = "never+query-then-execute", "topo+query-for-all"


@contextmanager
def table(
    store: Path, order: Order, dies_at: tuple[int, bool] | None = None, film: list[Any] | None = None, **errs: Any
) -> Iterator[Meal]:
    """A meal whose modules know the truth, but for what is said."""
    journal = FragileJournal.open(store, clock=SkippingClock())
    assert isinstance(journal, FragileJournal)
    assert isinstance(journal.clock, SkippingClock)
    journal.clock.skip_to(journal.head().at_s)
    with PlateWorld(order.plate, seed=order.seed, looks=LOOKS[order.looks]) as own:
        oracle = Oracle(own, **errs)
        with journal, Meal(order, journal, modules=oracle, calibrators=calibrators(), film=film) as meal:
            oracle.world = meal.world
            journal.dies_at = dies_at
            yield meal


def eaten(store: Path, order: Order, accuracy: float = 1.0, **rest: Any) -> Served:
    with table(store, order, **rest) as meal:
        return meal.eat([meal.simulated(accuracy=accuracy)])


def test_the_same_seed_gives_the_same_meal(tmp_path: Path) -> None:
    order = Order(seed=3, bites=2)
    one, two = (eaten(tmp_path / f"{n}.db", order, accuracy=0.8, score=0.5) for n in range(2))
    assert one.to_json() == two.to_json()
    assert one.to_json()["queries"] > 0


def test_a_record_has_what_was_promised(tmp_path: Path) -> None:
    record = eaten(tmp_path / "m.db", Order(bites=1)).to_json()
    assert {"plate", "bites", "queries", "executions", "workload", "J", "triage", "seed", "method"} <= set(record)
    assert {"outcome", "attempts", "queries", "got", "food", "cause"} <= set(record["bites"][0])
    assert record["evidence"] == {"plate": "simulated", "answers": "simulated"}
    assert {"faulty", "calibrators", "accuracy", "attempts", "networks", "people"} <= set(record)
    assert (record["accuracy"], record["outcome"]) == (1.0, "finished")


def test_true_answers_to_everything_make_a_good_meal_of_bad_modules(tmp_path: Path) -> None:
    bad: dict[str, Any] = {"label": "tofu", "off": 0.1}
    order = Order(plate="thanksgiving", looks="hard", method=ALWAYS, seed=0, bites=3)
    assert eaten(tmp_path / "m.db", order, **bad).got == 3


@pytest.mark.parametrize(
    ("errs", "cause"),
    [({"label": "tofu"}, LossCause.FOOD), ({"blind": True}, LossCause.BOX), ({"off": 0.09}, LossCause.PARAMS)],
)
def test_without_asking_a_bite_is_lost_to_the_module_that_errs(
    tmp_path: Path, errs: dict[str, Any], cause: LossCause
) -> None:
    served = eaten(tmp_path / "m.db", Order(method=NEVER, bites=1, seed=2), **errs)
    [bite] = served.bites
    assert (bite.got, bite.cause, bite.asked) == (False, cause, ())
    assert sum(served.triage.values()) == 1
    assert bite.attempts == 3 or bite.outcome is Outcome.RECOVERED


def test_troubleshooting_asks_and_gets_what_is_lost_without(tmp_path: Path) -> None:
    served = eaten(tmp_path / "m.db", Order(bites=2, seed=2), off=0.09, variance=1e-3)
    assert served.got == 2
    assert all("params" in bite.asked for bite in served.bites)


def test_load_goes_on_from_bite_to_bite(tmp_path: Path) -> None:
    served = eaten(tmp_path / "m.db", Order(bites=2, method=ALWAYS))
    first, second = served.bites
    assert len(first.asked) == len(second.asked) == 4
    assert second.workload > first.workload


# -- killed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", swept((1, 3, 9, 14, 17, 21, 26), test=(14,)))
def test_killed_anywhere_it_goes_on_and_does_nothing_twice(tmp_path: Path, write: int) -> None:
    store, order = tmp_path / "m.db", Order(bites=2, seed=3)
    with contextlib.suppress(Killed):
        eaten(store, order, dies_at=(write, write % 2 == 0), score=0.5)
    served = eaten(store, order, score=0.5)
    assert served.got == 2
    assert eaten(store, order, score=0.5).to_json() == served.to_json(), "a meal that is over is only read"
    with Journal.open(store, readonly=True) as journal:
        assert journal.verify().ok
        events = [entry.event for entry in journal.read()]
    acted = [event.action for event in events if isinstance(event, BiteAttempt)]
    begun = [event.action for event in events if isinstance(event, RunBegun)]
    assert len(acted) == len(set(acted)) == sum(bite.attempts for bite in served.bites)
    assert set(acted) <= set(begun)


KILLS = ((3, True), (8, False), (14, True), (19, False), (23, True), (30, False))


@pytest.mark.parametrize(("write", "counts"), swept(KILLS, test=((23, True),)))
def test_killed_and_resumed_it_is_the_meal_that_was_never_killed(tmp_path: Path, write: int, counts: bool) -> None:
    """With a person who is often wrong and a robot that often fails, every draw of chance shows in the record."""
    order, errs = Order(bites=2, seed=3), {"score": 0.5, "off": 0.03}
    whole = eaten(tmp_path / "whole.db", order, accuracy=0.6, **errs)
    assert whole.to_json()["queries"] > 2
    with pytest.raises(Killed):
        eaten(tmp_path / "m.db", order, accuracy=0.6, dies_at=(write, counts), **errs)
    again = eaten(tmp_path / "m.db", order, accuracy=0.6, **errs)
    assert json.dumps(again.to_json()) == json.dumps(whole.to_json())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 2}, "seed 1, not 2"),
        ({"method": NEVER}, f"method troubleshoot, not {NEVER}"),
        ({"looks": "hard", "faulty": True}, "looks easy, not hard; faulty detector no, not yes"),
        ({"calibrators": "scaled"}, "calibrators best, not scaled"),
        ({"expert": 0.5}, "trust in answers 0.97, not 0.5"),
        ({"attempts": 2}, "attempts 3, not 2"),
    ],
)
def test_a_meal_does_not_go_on_under_other_terms(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    order = Order(bites=1, seed=1)
    with Journal.open(tmp_path / "m.db") as journal:
        begin(journal, order, MealTerms())
        with pytest.raises(BadRecord, match=re.escape(said)) as refused:
            Meal(
                replace(order, **changed),
                journal,
                modules=Oracle(PlateWorld.__new__(PlateWorld)),
                calibrators=calibrators(),
            )
    assert "Use another --store file, or --new." in str(refused.value)
    assert "{" not in str(refused.value)


def test_a_meal_does_not_go_on_with_other_people_or_networks(tmp_path: Path) -> None:
    order = Order(bites=1, seed=1)
    eaten(tmp_path / "m.db", order, accuracy=0.8)
    with pytest.raises(BadRecord, match=r"accuracy 0.8, not 1\."):
        eaten(tmp_path / "m.db", order, accuracy=1.0)
    with Journal.open(tmp_path / "n.db") as journal:
        begin(journal, order, MealTerms(people=SIMULATED, networks="one"))
        with pytest.raises(BadRecord, match="people simulated, not person; networks one, not two"):
            begin(journal, order, MealTerms(networks="two"))


def test_the_next_meal_on_a_store_is_the_same_one_or_a_new_one(tmp_path: Path) -> None:
    order = Order(bites=1, seed=5)
    with Journal.open(tmp_path / "m.db") as journal:
        first = next_meal(journal, order, MealTerms())
        assert (first.order.name, first.goes_on) == ("meal-1", False)
        assert next_meal(journal, order, MealTerms()).goes_on
        assert next_meal(journal, replace(order, seed=9), MealTerms(), own_seed=True).order.seed == 5
        with pytest.raises(BadRecord, match="bites 1, not 2"):
            next_meal(journal, replace(order, bites=2), MealTerms())
        end_task(journal, first.order.name, {})
        again = next_meal(journal, order, MealTerms(), again=True)
        assert (again.order.name, again.goes_on) == ("meal-1", True)
        assert next_meal(journal, replace(order, bites=2), MealTerms(), new=True).order.name == "meal-2"


def test_seconds_are_those_of_the_meal_alone_on_a_shared_store(tmp_path: Path) -> None:
    order, store = Order(bites=1, seed=3), tmp_path / "m.db"
    alone = eaten(tmp_path / "alone.db", order)
    with Journal.open(store, clock=SkippingClock(1.7e9)) as journal:
        begin(journal, Order(name="other"), MealTerms())
    shared = eaten(store, order)
    with Journal.open(store, clock=SkippingClock(1.8e9)) as journal:
        end_task(journal, "other", {})
    assert shared.seconds == pytest.approx(alone.seconds, abs=1e-3)
    assert eaten(store, order).seconds == shared.seconds


# -- what it cost, and an empty plate ----------------------------------------------------------------------------------


def test_a_wrong_bite_costs_the_robot_nothing_and_in_truth_as_much_as_giving_up(tmp_path: Path) -> None:
    served = eaten(tmp_path / "m.db", Order(method=NEVER, bites=1, seed=2), label="tofu")
    [bite] = served.bites
    assert bite.is_wrong
    record = served.to_json()
    assert record["J"] == bite.objective < record["J_true"] == 7.5, "half of fifteen steps"
    right = eaten(tmp_path / "r.db", Order(method=NEVER, bites=1, seed=2)).to_json()
    assert right["got"] == 1
    assert right["J_true"] == right["J"]


def test_a_plate_with_nothing_left_ends_the_meal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = Order(bites=3, seed=3)
    real, before = PlateWorld.truth, []

    def seen(world: PlateWorld) -> tuple[Item, ...]:
        before.append(world.executions)
        return () if world.executions else real(world)

    monkeypatch.setattr(PlateWorld, "truth", seen)
    served = eaten(tmp_path / "m.db", order)
    assert (len(served.bites), served.outcome) == (1, "nothing left")
    assert served.to_json()["outcome"] == "nothing left"
    assert eaten(tmp_path / "m.db", order).to_json() == served.to_json(), "also when it is read again"


def test_what_is_left_is_what_a_skill_could_pick() -> None:
    with PlateWorld(Plate("two", {"chicken": (1, 1), "peas": (1, 1)}), seed=3, size=(160, 120)) as world:
        assert not nothing_left(world)
        item = next(each for each in world.truth() if each.food == "chicken")
        world.execute(item.skill, item.best[item.skill])
        world.clear_tool()
        assert not nothing_left(world), "a heap"
        for mound in world._scene.mounds:
            mound.heap.heights_m *= 0.01
        assert nothing_left(world) or world.left()["chicken"] == 1.0


# -- the film, and what is refused -------------------------------------------------------------------------------------


def test_the_film_shows_the_meal_and_stays_small(tmp_path: Path) -> None:
    from PIL import Image

    frames: list[Any] = []
    eaten(tmp_path / "m.db", Order(bites=1), film=frames, score=0.5)
    save_film(frames, tmp_path / "m.gif")
    with Image.open(tmp_path / "m.gif") as film:
        assert film.size == (320, 306)
        assert 5 < int(getattr(film, "n_frames", 1)) <= len(frames)
    assert (tmp_path / "m.gif").stat().st_size < 600_000
    assert len({np.asarray(each).tobytes() for each in frames}) > 5


def test_the_film_says_what_was_asked_how_sure_it_was_and_what_was_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def noted(picture: Picture, title: str, words: str) -> Picture:
        said.append(words)
        return captioned(picture, title, words)

    monkeypatch.setattr("handup.domains.feeding.meal.captioned", noted)
    eaten(tmp_path / "m.db", Order(bites=1, method=ALWAYS), film=[], label="tofu", score=0.5)
    assert "asks (50% sure of its guess): Could you tell me a food item that is on the plate?" in said
    assert "the answer: skewer" in said
    assert "the answer: a box, as drawn" in said
    assert any("decides: skewer the" in each and "sure of food by answer, box by answer" in each for each in said)


def test_captions_are_broken_into_lines_and_never_cut_without_a_sign() -> None:
    words = "asks: Where are the cherry tomatoes? Tap two opposite corners of a box around one piece."
    lines = broken(words, 40, len, 3)
    assert " ".join(lines) == words
    assert max(map(len, lines)) <= 40
    short = broken(words, 20, len, 2)
    assert len(short) == 2
    assert short[-1].endswith("…")
    assert max(map(len, short)) <= 20
    assert captioned(np.zeros((240, 320, 3), np.uint8), "bite 1", words).shape == (306, 320, 3)


@pytest.mark.parametrize(
    "made", [lambda: Order(bites=0), lambda: Order(attempts=11), lambda: Order(looks="odd"), lambda: Order(method="x")]
)
def test_orders_that_cannot_be_are_refused(made: Callable[[], Order]) -> None:
    with pytest.raises((BadSetting, UnknownMethod)):
        made()
